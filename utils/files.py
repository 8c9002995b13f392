"""The files that the program reads for itself: regular ones alone, of a size and a depth that it can bear."""

import errno
import json
import math
import os
import stat
from pathlib import Path
from typing import Any, NoReturn

from utils.errors import FileMissing, FileUnreadable

MAX_FILE_BYTES_READ = 32_000_000
"""Bytes of a file that is read whole, unless a reader says otherwise."""
DEEPEST = 100
"""Levels of JSON: a file of ours has five, and each takes its part of the stack from whatever walks through it."""
MAX_WHOLE_NUMBER = 10**300
"""No whole number of JSON is as far from 0: one that is cannot be reckoned with beside others."""


def expand_home(path: Path) -> Path:
    """The path with the home folder in the place of `~`; as it stands where it names the home of nobody."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises RuntimeError where this does not


def is_folder(path: Path) -> bool:
    """Whether there is a folder of that name; a name that no file can have names none."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises OSError for a name that is too long


def open_regular(path: Path, flags: int = os.O_RDONLY) -> int:
    """The open file, made for its owner alone where the flags say so; raises `OSError` for all but a regular one.

    Nothing is waited for: a pipe would keep the program until somebody writes into it.
    """
    opened = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, 0o600)
    kind = os.fstat(opened).st_mode
    if not stat.S_ISREG(kind):
        os.close(opened)
        raise OSError(errno.EINVAL, "it is a folder" if stat.S_ISDIR(kind) else "it is no regular file", str(path))
    return opened


def read_bytes(path: Path, limit: int = MAX_FILE_BYTES_READ) -> bytes:
    """What is in the file; raises `FileMissing` and `FileUnreadable`."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            # A file of the system has no size that it would tell, and any file can grow meanwhile.
            data = file.read(limit + 1)
    except FileNotFoundError as error:
        raise FileMissing(path, "cannot be read: there is no such file") from error
    except (OSError, ValueError) as error:
        # A ValueError: there is a null character or a lone surrogate in the path.
        reason = error.strerror if isinstance(error, OSError) else "its name cannot be one"
        raise FileUnreadable(path, f"cannot be read: {(reason or str(error)).lower()}") from error
    if len(data) > limit:
        raise FileUnreadable(path, f"cannot be read: it is larger than {limit:,} bytes")
    return data


def read_text(path: Path, limit: int = MAX_FILE_BYTES_READ, *, encoding: str = "utf-8", errors: str = "strict") -> str:
    """The text in the file, its lines ended by line feeds; raises `FileMissing` and `FileUnreadable`."""
    try:
        text = read_bytes(path, limit).decode(encoding, errors)
    except UnicodeDecodeError as error:
        named = encoding.removesuffix("-sig").upper()
        raise FileUnreadable(path, f"is not {named}: {error.reason} at byte {error.start:,}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: Path, limit: int = MAX_FILE_BYTES_READ) -> Any:
    """What the JSON in the file says; raises `FileMissing` and `FileUnreadable`."""
    text = read_text(path, limit)
    try:
        return parse_json(text)
    except ValueError as error:
        raise FileUnreadable(path, f"is not valid JSON: {error}") from error


def parse_json(text: str) -> Any:
    """What a text of JSON says; raises `ValueError` that says in some words, without a period, what is wrong."""
    try:
        value = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise ValueError(f"it is nested more than {DEEPEST} deep") from error
    except ValueError as error:
        # Python reads no whole number of more than some thousand digits.
        raise ValueError(str(error) if isinstance(error, _NoNumber) else "a number in it is too large") from error
    _check_value(value)
    return value


class _NoNumber(ValueError):
    """A word such as NaN, which Python would take."""


def _no_number(word: str) -> NoReturn:
    raise _NoNumber(f"{word} is no number of JSON")


def _check_value(value: Any) -> None:
    """Raise `ValueError` where a value is nested too deeply or a number is too large; itself it goes no deeper."""
    level = [value]
    for _ in range(DEEPEST + 1):
        for each in level:
            if (isinstance(each, int) and abs(each) >= MAX_WHOLE_NUMBER) or (
                isinstance(each, float) and not math.isfinite(each)
            ):
                raise ValueError("a number in it is too large")
        level = [inner for each in level if isinstance(each, dict | list) for inner in _inner_values(each)]
        if not level:
            return
    raise ValueError(f"it is nested more than {DEEPEST} deep")


def _inner_values(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value
