"""Where Magpie keeps what it keeps, and under which names."""

import os
import re
from contextlib import suppress
from pathlib import Path

import platformdirs

from utils.text import one_line

CODE_FOLDER = Path(__file__).parents[1]
"""Where the packages stand: a child process of ours finds them there."""
MAX_FILE_NAME_BYTES = 120
"""Bytes of a name before its ending."""
_NOT_IN_NAMES = re.compile(r"[/\\*?\[\]#:|<>\"'`$\x00-\x1f]")
"""What leads elsewhere, is read as a pattern or a quote, or cannot be in a name on every system."""


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


def safe_file_name(name: str) -> str:
    """The last part of a name that somebody gave a file, with nothing in it that leads elsewhere; its ending stays."""
    last = one_line(_NOT_IN_NAMES.sub("_", name.replace("\\", "/").rpartition("/")[2]), 1000).strip(". ")
    stem, dot, ending = last.rpartition(".")
    if not dot or len(ending) > 10:
        stem, dot, ending = last, "", ""
    # Bytes count on disk, of which a character may have four.
    cut = stem.encode(errors="replace")[:MAX_FILE_NAME_BYTES].decode(errors="ignore")
    return f"{cut}{dot}{ending}" if cut else f"file{dot}{ending}"
