"""A file that is dropped on the terminal, which pastes its path in a way of its own: it is meant to be attached."""

import os
import re
import shlex
import stat
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from chatbot.attachments.kinds import may_be_key
from rag.readers import named_type
from utils.files import expand_home

WINDOWS_DRIVES = Path("/mnt")
"""Where Linux that runs on Windows has its drives: `C:` is the folder c."""
MOST_DROPPED = 9
"""Files of a paste that are attached at most; more are a list that somebody wrote."""
_MAX_CHARACTERS = 4096
"""Of a path; no system opens a longer one."""
_BEGINNING = re.compile(r"[\"']?(?:/|~/|file://|[A-Za-z]:\\)")
_DRIVE_PATHS = re.compile(r'(?:(?:"[A-Za-z]:\\[^"]*"|[A-Za-z]:\\\S*)(?:\s+|$))+')
_DRIVE_PATH = re.compile(r'"([A-Za-z]:\\[^"]*)"|([A-Za-z]:\\\S*)')
_LOCAL_HOSTS = ("", "localhost")
_SCHEME = "file://"
_NEVER_RUN = ("image/", "application/pdf", "application/vnd.", "application/epub", "application/rtf", "message/")
"""Types of what is no program, even on the discs of cameras and of Windows, where every file may be run."""


def as_mentions(pasted: str, before: str, after: str) -> str:
    """What attaches the files whose paths, and nothing else, were pasted between two texts: `@/home/me/a.png `.

    Empty for every other paste, and where the paths stand within a sentence or belong to a command.
    """
    begun = before.endswith("@")
    before = before.removesuffix("@")
    at_edge = not before.strip() or not after.strip()
    if not at_edge or (before and not before[-1].isspace()) or before.lstrip().startswith("/"):
        return ""
    mentions = [_mention(path) for path in _dropped_paths(pasted)]
    if not mentions or not all(mentions):
        return ""
    return " ".join(mentions)[begun:] + ("" if after[:1].isspace() else " ")


def doubtful_mentions(pasted: str) -> str:
    """Of the files whose paths were pasted those that may be keys, as what attaches them: whoever wrote the paste may
    want them to be sent."""
    return " ".join(_mention(path) for path in _dropped_paths(pasted) if may_be_key(Path(path)))


def _dropped_paths(pasted: str) -> Sequence[str]:
    """The paths of files that can be attached, as they can be named, where a text consists of nothing else."""
    text = pasted.strip()
    if len(text) > MOST_DROPPED * _MAX_CHARACTERS or not _BEGINNING.match(text):
        return ()
    paths = [path for line in text.splitlines() if line.strip() for path in _paths_of_line(line.strip())]
    return paths if len(paths) <= MOST_DROPPED and all(map(_can_be_attached, paths)) else ()


def _paths_of_line(line: str) -> Sequence[str]:
    """The paths in a line: one as it stands, a URI each, or quoted and escaped as for a shell.

    None where a shell would run the first with the others.
    """
    if _can_be_attached(line):
        return [line]
    if _DRIVE_PATHS.fullmatch(line):
        return [_mounted(quoted or plain) for quoted, plain in _DRIVE_PATH.findall(line)]
    try:
        if line.startswith(_SCHEME):
            # An apostrophe may stand in a URI as it is, a space may not.
            return list(map(_without_scheme, line.split()))
        paths = list(map(_without_scheme, shlex.split(line)))
    except ValueError:
        # A quotation mark that nothing closes, or no host.
        return [line]
    return [line] if len(paths) > 1 and _is_command(paths[0]) else paths


def _is_command(name: str) -> bool:
    """Whether it is a file that may be run, and no picture and the like."""
    path = expand_home(Path(name))
    return _can_be_attached(name) and os.access(path, os.X_OK) and not named_type(name).startswith(_NEVER_RUN)


def _without_scheme(name: str) -> str:
    """The path of a `file://` URI of this machine; what is no such URI as it stands."""
    if not name.startswith(_SCHEME):
        return name
    address = urlsplit(name)
    return unquote(address.path) if address.netloc in _LOCAL_HOSTS else name


def _mounted(path: str) -> str:
    r"""Where Linux that runs on Windows has a file of it: `C:\a.png` is /mnt/c/a.png."""
    return f"{WINDOWS_DRIVES}/{path[0].lower()}/{path[3:].replace(chr(92), '/')}"


def _can_be_attached(name: str) -> bool:
    """Whether it is the absolute path of a file that can be read, and of no program."""
    if not name.startswith(("/", "~/")):
        return False
    path = expand_home(Path(name))
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
        is_program = not path.suffix and os.access(path, os.X_OK)
        return is_file and not is_program and os.access(path, os.R_OK)
    except (OSError, ValueError):
        return False


def _mention(path: str) -> str:
    """The path behind an @, in quotes where it has spaces; empty where that cannot be written, or not be seen."""
    if any(unicodedata.category(character).startswith("C") for character in path):
        return ""
    if not any(map(str.isspace, path)):
        return f"@{path}"
    return "" if '"' in path else f'@"{path}"'
