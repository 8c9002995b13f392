"""Messages that were taken over from Telegram and are not answered yet, on disk: a restart loses none of them.

Telegram forgets an update once the next ones are asked for. It stands here before that, in a file of its own, until it
was answered; so it is answered once, whatever ends the process in between.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utils.errors import FileUnreadable
from utils.files import read_json
from utils.paths import private_dir, write_private

_LAST_TAKEN = "taken.json"
_UPDATE_NAME = re.compile(r"(\d{1,19})\.json")
MAX_UPDATE_BYTES = 1_000_000
MAX_KNOWN_UPDATES = 1000
"""Ids that are remembered: Telegram sends 100 at once, and again until they are confirmed."""


@dataclass(frozen=True)
class KeptUpdate:
    """An update that was not answered to its end; `begun`: its question was in the conversation already."""

    update: dict[str, Any]
    begun: bool


class Inbox:
    """The updates of one bot in a folder; None keeps nothing, as in a private run. Its methods wait for the disk."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = private_dir(folder) if folder else None
        self._known: dict[int, None] = {}
        """The updates that were taken over last, in their order: Telegram may send them once more."""

    def load(self) -> list[KeptUpdate]:
        """What a run before this one did not answer, the oldest first."""
        if self._folder is None:
            return []
        self._known = dict.fromkeys(self._read(self._folder / _LAST_TAKEN, []))
        found: list[KeptUpdate] = []
        for path in sorted(self._folder.iterdir(), key=lambda path: (len(path.name), path.name)):
            if match := _UPDATE_NAME.fullmatch(path.name):
                self._known[int(match[1])] = None
                kept = self._read(path, {})
                if isinstance(kept, dict) and isinstance(kept.get("update"), dict):
                    found.append(KeptUpdate(kept["update"], bool(kept.get("begun"))))
        return found

    def take(self, updates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Those of a batch that are new, written down; raises `OSError`, and then all of them are new once more."""
        new = [update for update in updates if update["update_id"] not in self._known]
        known = self._known | dict.fromkeys(update["update_id"] for update in new)
        known = dict.fromkeys(list(known)[-MAX_KNOWN_UPDATES:])
        if self._folder is not None and new:
            for update in new:
                self._write(update, begun=False)
            write_private(self._folder / _LAST_TAKEN, json.dumps(list(known)))
        self._known = known
        return new

    def mark_begun(self, update: dict[str, Any]) -> None:
        """Its question is in the conversation: it must not be asked once more."""
        self._write(update, begun=True)

    def remove(self, update_id: int) -> None:
        """It was answered."""
        if self._folder is not None:
            (self._folder / f"{update_id}.json").unlink(missing_ok=True)

    def _write(self, update: dict[str, Any], *, begun: bool) -> None:
        if self._folder is not None:
            text = json.dumps({"update": update, "begun": begun})
            write_private(self._folder / f"{update['update_id']}.json", text)

    @staticmethod
    def _read(path: Path, otherwise: Any) -> Any:
        try:
            return read_json(path, MAX_UPDATE_BYTES)
        except FileUnreadable:
            return otherwise
