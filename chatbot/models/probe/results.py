"""What was found out of models, kept from one run to the next in a small file of the data folder."""

import asyncio
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

from msgspec import ValidationError, convert

from utils.errors import FileMissing, FileUnreadable
from utils.files import read_json
from utils.paths import write_private

log = logging.getLogger(__name__)

MAX_RESULTS_KEPT = 200
"""Models whose results are kept; of more, those that were found out last."""


@dataclass(frozen=True)
class ProbeResult:
    """What a model was found to be able to do."""

    model: str
    """Its name, as it describes itself."""
    digest: str
    """What tells these weights from others under that name; empty where its server does not tell."""
    native: bool
    """Whether it calls tools well by itself; else it is served in steps."""
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    day: str
    """When it was found out, as 2026-11-25."""
    whole: bool = True
    """False where only the few checks before a first answer were made."""
    listed: str = ""
    """Its name as /model takes it."""

    @property
    def score(self) -> str:
        """How many of the checks it passed."""
        return f"{len(self.passed)} of {len(self.passed) + len(self.failed)}"


class ProbeResults:
    """The results by the models' names. Without `remember` they are forgotten with the process."""

    def __init__(self, data_dir: Path, remember: bool = True) -> None:
        self._path = data_dir / "probes.json"
        self._remember = remember
        self._results: dict[str, ProbeResult] | None = None

    async def find(self, model: str, digest: str) -> ProbeResult | None:
        """What was found of a model, unless it is another one by now."""
        found = (await self._loaded()).get(model)
        return found if found and found.digest == digest else None

    async def find_listed(self, name: str) -> ProbeResult | None:
        """What was found of the model that /model lists by this name, whatever it is now."""
        return next((one for one in (await self._loaded()).values() if name in (one.listed, one.model)), None)

    async def keep(self, result: ProbeResult) -> None:
        """Remember a result in the place of what was found before."""
        results = await self._loaded()
        results.pop(result.model, None)
        results[result.model] = result
        while len(results) > MAX_RESULTS_KEPT:
            del results[next(iter(results))]
        if not self._remember:
            return
        text = json.dumps([asdict(one) for one in results.values()], indent=1)
        try:
            await asyncio.to_thread(write_private, self._path, text)
        except OSError as error:
            # The chat must go on from a read-only folder; the next run finds it out again.
            log.warning("%s cannot be written: %s", self._path, error)

    async def _loaded(self) -> dict[str, ProbeResult]:
        if self._results is None:
            read = await asyncio.to_thread(self._read)
            self._results = self._results or {one.model: one for one in read}
        return self._results

    def _read(self) -> list[ProbeResult]:
        try:
            return convert(read_json(self._path), list[ProbeResult])
        except FileMissing:
            return []
        except (FileUnreadable, ValidationError) as error:
            log.warning("%s cannot be read and is begun anew: %s", self._path, error)
            return []
