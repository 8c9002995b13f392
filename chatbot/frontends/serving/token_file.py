"""The file with the one token of a server that belongs to one user: named by them, or made and kept."""

import secrets
import stat
from pathlib import Path

from filelock import FileLock

from utils.errors import ConfigError, FileUnreadable
from utils.files import expand_home, read_text
from utils.paths import private_dir, write_private

MIN_TOKEN_CHARS, MAX_TOKEN_CHARS = 16, 10_000
"""Characters of a token."""
TOKEN_FILE_NAME = "mcp_server_token"
"""The file in the data folder with the token that was made; another one takes its place when it is removed."""


def make_token() -> str:
    """A token that nobody can guess: 32 random bytes."""
    return secrets.token_urlsafe(32)


def kept_token(folder: Path) -> Path:
    """The file with this user's own token, made if there is none that nobody else could have read.

    On one machine, too: every user of it can connect to a port. Raises `ConfigError`.
    """
    path = folder / TOKEN_FILE_NAME
    try:
        with FileLock(private_dir(folder) / f".{TOKEN_FILE_NAME}.lock"):
            if not path.exists() or stat.S_IMODE(path.stat().st_mode) & 0o077:
                write_private(path, make_token() + "\n")
    except OSError as error:
        raise ConfigError(
            f"No token can be kept in {folder}: {error.strerror}.", "Name a file that has one: --token-file FILE."
        ) from error
    return path


def read_token(path: Path) -> str:
    """The text of the file without space around it; raises `ConfigError`."""
    try:
        token = read_text(expand_home(path), MAX_TOKEN_CHARS, encoding="ascii").strip()
    except FileUnreadable as error:
        raise ConfigError(f"The token in {error.problem}", "Name another file.") from error
    if len(token) < MIN_TOKEN_CHARS:
        raise ConfigError(f"The token in {path} is too short.", f"Write {MIN_TOKEN_CHARS} characters or more.")
    return token
