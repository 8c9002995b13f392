"""What Magpie remembers of models from one run to the next, in a small file of the data folder."""

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path

from chatbot.models.probe.results import ProbeResult, ProbeResults
from utils.errors import FileMissing, FileUnreadable
from utils.files import read_json
from utils.paths import write_private

log = logging.getLogger(__name__)


class ModelState:
    """The last model used, the models that were seen to write tool calls as text, and what was said of servers.

    Without `remember` nothing is written. A file that cannot be read is begun anew: what it held is observed again.
    """

    def __init__(self, data_dir: Path, remember: bool = True) -> None:
        self._remember = remember
        self._path = data_dir / "models.json"
        self._last = ""
        self._in_steps: set[str] = set()
        self._disclosed: set[str] = set()
        self._shown: set[tuple[str, str]] = set()
        self._loaded = False
        self._loading = asyncio.Lock()
        self.probes = ProbeResults(data_dir, remember)
        """What was found out of models by asking them."""

    async def last_used(self) -> str:
        """The name of the model used last; empty when there is none."""
        await self._load_state()
        return self._last

    async def note_used(self, name: str) -> None:
        """Remember the model used last."""
        await self._load_state()
        if name != self._last:
            self._last = name
            await self._store_state()

    async def writes_calls_as_text(self, name: str) -> bool:
        """Whether a model was seen to."""
        await self._load_state()
        return name in self._in_steps

    async def saw_text_call(self, name: str) -> None:
        """Remember that a model writes its calls as text, or cannot be given tools."""
        await self._load_state()
        if name not in self._in_steps:
            self._in_steps.add(name)
            await self._store_state()

    async def disclose_once(self, server: str, tell: Callable[[], None]) -> None:
        """Tell the user of a server unless that was done already, and remember it.

        It is told before anything is awaited: whoever asks next goes on to send, and what is cut off is told again.
        """
        await self._load_state()
        if server not in self._disclosed:
            self._disclosed.add(server)
            tell()
            await self._store_state()

    def note_shown(self, host: str, picture: str) -> bool:
        """Remember for this run that the user was told that a picture goes to a host; False where that was so already.

        `picture` is its digest.
        """
        known = (host, picture) in self._shown
        self._shown.add((host, picture))
        return not known

    async def note_probe(self, result: ProbeResult) -> None:
        """Remember what was found out of a model; that it calls well weighs more than what was seen of it before."""
        await self.probes.keep(result)
        if result.native and await self.writes_calls_as_text(result.model):
            self._in_steps.discard(result.model)
            await self._store_state()

    async def _load_state(self) -> None:
        async with self._loading:
            if not self._loaded:
                await self._read_state()
                self._loaded = True

    async def _read_state(self) -> None:
        try:
            kept = await asyncio.to_thread(read_json, self._path)
            last, names = kept["last_used"], kept["writes_calls_as_text"]
        except FileMissing:
            return
        except (FileUnreadable, KeyError, TypeError) as error:
            log.warning("%s cannot be read and is begun anew: %s", self._path, error)
            return
        self._last = last if isinstance(last, str) else ""
        self._in_steps = _strings_of(names)
        self._disclosed = _strings_of(kept.get("disclosed"))

    async def _store_state(self) -> None:
        if not self._remember:
            return
        kept = {
            "last_used": self._last,
            "writes_calls_as_text": sorted(self._in_steps),
            "disclosed": sorted(self._disclosed),
        }
        try:
            await asyncio.to_thread(write_private, self._path, json.dumps(kept, indent=1))
        except OSError as error:
            # The chat must go on from a read-only folder; the next run observes again.
            log.warning("%s cannot be written: %s", self._path, error)


def _strings_of(value: object) -> set[str]:
    """The strings of a list; none where it is something else."""
    return {each for each in value if isinstance(each, str)} if isinstance(value, list) else set()
