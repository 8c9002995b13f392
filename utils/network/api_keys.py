"""Where the key of a server comes from: the environment, else a file that only its owner reads. No message has it."""

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from utils.errors import AddressRefused, ConfigError, FileUnreadable
from utils.files import expand_home, open_regular, read_text
from utils.network.addresses import parse_url
from utils.secrets import learn_secret, secrets_in

MAX_KEY_CHARS = 10_000
# What a header can carry (RFC 9110), spaces left out: no key has any.
_KEY = re.compile(r"[\x21-\x7e]+")
WHERE_FILES_STAND = "Write the key alone into a file of mode 0600, and name that."
WHERE_KEYS_STAND = "Write the key alone on one line, as its maker shows it."


def read_api_key(variables: Sequence[str], key_file: str) -> str:
    """The key from the first environment variable that has one, else from a file of mode 0600; empty for none.

    Spaces and line breaks around it are dropped. Raises `ConfigError`: a file that cannot be read or that others can
    read, a key with a line break within or with what no header can carry.
    """
    for variable in variables:
        if key := os.environ.get(variable, "").strip():
            return _check_key(key, f"The key in {variable}")
    if not key_file:
        return ""
    path = expand_home(Path(key_file))
    if not key_file.startswith(("/", "~", ".")) and secrets_in(key_file) and not path.exists():
        raise ConfigError("What is named as the file of a key looks like a key itself.", WHERE_FILES_STAND)
    try:
        _check_mode(path)
        key = read_text(path, MAX_KEY_CHARS).strip()
    except FileUnreadable as error:
        raise ConfigError(error.problem, "Name a file that holds the key alone.") from None
    if not key:
        raise ConfigError(f"{path} is empty.", WHERE_KEYS_STAND)
    return _check_key(key, f"The key in {path}")


def is_key_for(authority: str, own_urls: Sequence[str]) -> bool:
    """Whether a server, by its host with the port where that is not the usual one, is one of those a key is for.

    An address without a scheme is of HTTP; one that is none is of no server.
    """
    return any(_read_authority(url) == authority for url in own_urls)


def _read_authority(url: str) -> str:
    try:
        return parse_url(url if "://" in url else f"http://{url}").authority
    except AddressRefused:
        return ""


def _check_mode(path: Path) -> None:
    """Raise `ConfigError` for a file that others can read or write; one that is not there is told by its reader."""
    try:
        opened = open_regular(path)
    except (OSError, ValueError):
        return
    try:
        mode = os.fstat(opened).st_mode
    finally:
        os.close(opened)
    if stat.S_IMODE(mode) & 0o077:
        raise ConfigError(f"{path} can be read by others.", f"Let nobody else read the key: chmod 600 {path}.")


def _check_key(key: str, what: str) -> str:
    if len(key) > MAX_KEY_CHARS:
        raise ConfigError(f"{what} is longer than {MAX_KEY_CHARS:,} characters.", WHERE_KEYS_STAND)
    if "\n" in key or "\r" in key:
        raise ConfigError(f"{what} has a line break in it.", WHERE_KEYS_STAND)
    if not _KEY.fullmatch(key):
        raise ConfigError(f"{what} has characters that no key has.", WHERE_KEYS_STAND)
    learn_secret(key)
    return key
