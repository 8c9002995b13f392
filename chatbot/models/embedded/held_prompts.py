"""Which fixed beginnings of prompts a running engine has read: every process that shares it need not restore them."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from utils.errors import FileUnreadable
from utils.files import read_json
from utils.paths import write_private


class HeldPrompts:
    """A note beside the engine, good for as long as it runs: a new one has a new key, and holds nothing yet.

    Restoring what is held costs more than time: it takes the slot of the talk that goes on, which is then read anew.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def has_prompt(self, key: str, prompt: str) -> bool:
        """Whether the engine with that key has read a prompt."""
        return _short_digest(prompt) in self._known_prompts(key)

    def note_prompt(self, key: str, prompt: str) -> None:
        """Note that it has; a note that is lost, on a full disk or between two processes, costs a restoring."""
        known = [*self._known_prompts(key), _short_digest(prompt)]
        with suppress(OSError):
            write_private(self._file, json.dumps({"engine": _short_digest(key), "prompts": known}))

    def _known_prompts(self, key: str) -> list[str]:
        try:
            noted = read_json(self._file)
            return list(noted["prompts"]) if noted["engine"] == _short_digest(key) else []
        except (FileUnreadable, OSError, ValueError, TypeError, KeyError):
            return []


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
