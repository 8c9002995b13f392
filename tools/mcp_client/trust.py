"""What the user has agreed to of MCP servers: the commands that may run, and the tools as they were first seen."""

import hashlib
import json
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from tools.mcp_client.config import ServerSpec
from utils.errors import FileMissing, FileUnreadable, MagpieError
from utils.files import read_json
from utils.paths import private_dir, write_private
from utils.text import one_line

_MAX_CHARS_SHOWN = 300
"""Characters of a description that are shown where it has changed."""
log = logging.getLogger("magpie.mcp")

_LOCK_TIMEOUT = 5.0
"""Seconds for another process to let go of the file."""


@dataclass(frozen=True)
class Described:
    """A tool as its server describes it, of which nothing may change unnoticed."""

    name: str
    description: str
    schemas: str
    """The schemas of arguments and result as JSON with sorted keys."""

    @property
    def pinned_parts(self) -> dict[str, str]:
        """What is kept of it."""
        whole = json.dumps([self.name, self.description, self.schemas])
        about = {
            "description": one_line(self.description, _MAX_CHARS_SHOWN),
            "schemas": one_line(self.schemas, _MAX_CHARS_SHOWN),
        }
        return {"sha256": _text_digest(whole), **about}


class Trust:
    """What was agreed to, in a file that only its owner can read; `read_only`: for this run alone."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._kept: dict[str, Any] = {}
        self._changing = threading.RLock()

    def is_approved(self, spec: ServerSpec) -> bool:
        """Whether this very command may run; servers that are no command need no approval."""
        return spec.kind != "stdio" or self._read_part("commands").get(spec.name) == command_digest(spec)

    def approve_command(self, spec: ServerSpec) -> None:
        """Let this command run from now on."""
        if spec.kind == "stdio":
            with self._lock_file():
                self._change_entry("commands", spec.name, command_digest(spec))

    def find_differences(self, server: str, tools: Sequence[Described]) -> list[str]:
        """What a server has changed of its tools or added since they were agreed to, a line each.

        Tools that are seen for the first time are agreed to. What has changed is kept aside for `accept_differences`.
        """
        new = {tool.name: tool.pinned_parts for tool in tools}
        with self._lock_file():
            old = self._read_part("tools").get(server)
            if not isinstance(old, dict):
                self._change_entry("tools", server, new)
                return []
            found = _list_differences(old, new)
            if found:
                self._change_entry("changed", server, new)
            return found

    def accept_differences(self, server: str) -> list[str]:
        """Agree to what `find_differences` found last, and say what it was."""
        with self._lock_file():
            changed = self._read_part("changed").get(server)
            if not isinstance(changed, dict):
                return []
            old = self._read_part("tools").get(server)
            self._change_entry("tools", server, changed)
            self._change_entry("changed", server, None)
            return _list_differences(old if isinstance(old, dict) else {}, changed)

    @contextmanager
    def _lock_file(self) -> Iterator[None]:
        """While nobody else changes the file: other servers of this run, other chats."""
        if self._read_only:
            with self._changing:
                yield
            return
        try:
            private_dir(self._path.parent)
            with self._changing, FileLock(f"{self._path}.lock", timeout=_LOCK_TIMEOUT, thread_local=False):
                yield
        except (OSError, Timeout) as error:
            reason = error.strerror if isinstance(error, OSError) else "another process is busy with it"
            told = f"What you agree to cannot be kept in {self._path}: {reason}."
            raise MagpieError(told, "Check the folder and the disk.") from error

    def _read_part(self, name: str) -> Mapping[str, Any]:
        if not self._kept or not self._read_only:
            self._kept = self._read_file()
        part = self._kept.get(name)
        return part if isinstance(part, dict) else {}

    def _read_file(self) -> dict[str, Any]:
        try:
            kept = read_json(self._path)
        except FileMissing:
            return {}
        except FileUnreadable as error:
            # Without it nothing was agreed to: every command waits to be approved.
            log.warning("%s", error)
            return {}
        return kept if isinstance(kept, dict) else {}

    def _change_entry(self, part: str, server: str, value: Any) -> None:
        values = {**self._read_part(part), server: value}
        self._kept[part] = {name: kept for name, kept in values.items() if kept is not None}
        if not self._read_only:
            write_private(self._path, json.dumps(self._kept, indent=1, ensure_ascii=False) + "\n")


def command_line(spec: ServerSpec) -> str:
    """The exact command as a shell would have it written, with all variables that it is given.

    The model and the log are not shown it, for a value may be a secret; whoever agrees to it must see what it does.
    """
    import shlex

    given = [f"{shlex.quote(name)}={shlex.quote(value)}" for name, value in spec.env.items()]
    where = [f"(in {spec.cwd})"] if spec.cwd else []
    return " ".join([*given, shlex.join(spec.command), *where])


def command_digest(spec: ServerSpec) -> str:
    """What changes when anything of what is run, where, or with which variables does."""
    return _text_digest(json.dumps([spec.command, sorted(spec.env.items()), spec.cwd]))


def _list_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [line for name, pin in new.items() for line in _tool_differences(name, old.get(name), pin)]


def _tool_differences(name: str, old: Any, new: Mapping[str, str]) -> list[str]:
    shown = one_line(name, 100)
    if not isinstance(old, dict):
        return [f"new tool {shown}: {new['description']}"]
    if old.get("sha256") == new["sha256"]:
        return []
    lines = [
        f"{shown}, {part}: was {one_line(str(old.get(part)), _MAX_CHARS_SHOWN)!r}, is {new[part]!r}"
        for part in ("description", "schemas")
        if old.get(part) != new[part]
    ]
    return lines or [f"{shown}: changed past what is shown here"]


def _text_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
