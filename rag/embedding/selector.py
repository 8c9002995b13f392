"""The embedder of a running Magpie: ONNX Runtime once an export was verified, the reference until then."""

import asyncio
import contextlib
import logging
import os
import shutil
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from rag.embedding.base import MachineEmbedder, PieceEmbedder, Vectors
from rag.embedding.model_traits import ModelTraits
from rag.embedding.onnx_model import OnnxBroken, OnnxEmbedder, export_folder, read_marker, remember_failure
from rag.embedding.sentence_model import SentenceEmbedder
from utils.children import child_environment
from utils.faults import in_background
from utils.network.model_hub import Hub
from utils.paths import CODE_FOLDER, private_dir

log = logging.getLogger(__name__)

Made = TypeVar("Made")

# Seconds from the first use to the export, which needs a core for half a minute: the first answer comes first, and a
# process that answers one question is over by then.
DELAY = 30.0


class FastEmbedder(MachineEmbedder):
    """One model, read by what is fastest of what is sound; both ways have the same fingerprint.

    Only the model that comes with Magpie is exported. `delay` is in seconds.
    """

    def __init__(
        self,
        model: str,
        root: Path,
        delay: float = DELAY,
        hub: Hub | None = None,
        traits: ModelTraits = ModelTraits(),
    ) -> None:
        self._reference = SentenceEmbedder(model, hub, traits)
        self._traits = traits
        self._root = root
        self._delay = delay
        self._fast: OnnxEmbedder | None = None
        self._given_up = not self._reference.is_packaged
        self._exporting: asyncio.Task[None] | None = None
        self._making = asyncio.Lock()

    @property
    def fingerprint(self) -> str:
        """Names the model and its weights, whichever way they are read."""
        return self._reference.fingerprint

    async def load(self) -> None:
        """Load what will answer; raises `EmbedderUnavailable`."""
        await self._use_fastest(lambda embedder: embedder.load())

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (len(texts), dimensions); what the model cannot read of a text is left out."""
        return await self._use_fastest(lambda embedder: embedder.embed(texts))

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a question, with what the model wants before it."""
        return await self._use_fastest(lambda embedder: embedder.embed_questions(texts))

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text the unit vectors of its pieces, each within the model's reach."""
        return await self._use_fastest(lambda embedder: embedder.embed_pieces(texts))

    async def make_counter(self) -> Callable[[str], int]:
        """What counts the model's word pieces of a text, in any thread."""
        return await self._use_fastest(lambda embedder: embedder.make_counter())

    async def reads_language(self, text: str) -> bool:
        """Whether the model's vocabulary was made for the language of a text."""
        return await self._use_fastest(lambda embedder: embedder.reads_language(text))

    async def is_prepared(self) -> bool:
        """Whether there is nothing to prepare: an export is there, or there can be none."""
        return self._given_up or await asyncio.to_thread(read_marker, self._folder) is not None

    async def prepare_export(self) -> None:
        """Make the export now if there is none, some twenty seconds; the reference answers where that fails."""
        async with self._making:
            if not await self.is_prepared():
                await self._run_export()

    async def close(self) -> None:
        """End an export that is under way; it leaves nothing that would be used."""
        if self._exporting is not None:
            self._exporting.cancel()
            await asyncio.wait({self._exporting})

    @property
    def _folder(self) -> Path:
        return export_folder(self._root, self._reference.weights)

    async def _use_fastest(self, use: Callable[[PieceEmbedder], Awaitable[Made]]) -> Made:
        fast = await self._choose_fast()
        if fast is not None:
            try:
                return await use(fast)
            except OnnxBroken as error:
                log.warning("The exported embedder cannot be used: %s", error)
                await self._throw_away()
        made = await use(self._reference)
        if self._exporting is None and not self._given_up:
            self._exporting = in_background(self._export_later(), "Exporting the embedder")
        return made

    async def _choose_fast(self) -> OnnxEmbedder | None:
        if self._fast is None and not self._given_up:
            marker = await asyncio.to_thread(read_marker, self._folder)
            if marker is not None and marker.precision == "none":
                self._given_up = True
            elif marker is not None and self._fast is None:
                self._fast = OnnxEmbedder(self._folder, self._reference.weights, traits=self._traits)
        return self._fast

    async def _throw_away(self) -> None:
        self._fast = None
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def _export_later(self) -> None:
        await asyncio.sleep(self._delay)
        await self.prepare_export()

    async def _run_export(self) -> None:
        try:
            await asyncio.to_thread(private_dir, self._root)
            process = await self._start_export()
        except OSError as error:
            log.warning("The embedder cannot be exported: %s", error)
            return
        try:
            code = await process.wait()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if code:
            log.warning("The embedder could not be exported; %s says why.", self._root / "export.log")
            try:
                await asyncio.to_thread(remember_failure, self._folder, self._reference.weights)
            except OSError as error:
                # It is tried again at the next start, when there may be room.
                log.warning("That the embedder cannot be exported could not be noted: %s", error)

    async def _start_export(self) -> Process:
        """The process that exports; it ends with this one, at the latest when its input does."""
        descriptor = os.open(self._root / "export.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as output:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-W", "ignore", "-m", "rag.embedding.onnx_export", str(self._root)),
                stdin=PIPE,
                stdout=output,
                stderr=output,
                env=child_environment(str(CODE_FOLDER), {"OMP_NUM_THREADS": "1"}),
                cwd=self._root,
                start_new_session=True,
            )
