"""Where Magpie keeps what it keeps."""

import os
from contextlib import suppress
from pathlib import Path

import platformdirs

CODE_FOLDER = Path(__file__).parents[1]
"""Where the packages stand: a child process of ours finds them there."""


def default_data_dir() -> Path:
    """The platform's data folder for Magpie, for instance ~/.local/share/magpie."""
    return Path(platformdirs.user_data_dir("magpie", appauthor=False))


def user_config_dir() -> Path:
    """The platform's configuration folder for Magpie, for instance ~/.config/magpie."""
    return Path(platformdirs.user_config_dir("magpie", appauthor=False))


def private_dir(path: Path) -> Path:
    """Make a folder that only its owner can read, if it is not there yet, and return it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically with one that only its owner can read."""
    private_dir(path.parent)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        # On a full disk nothing is left behind that takes its last bytes.
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
