"""The embedding model that answers for a library: that of the settings or, until all is embedded by it, the former."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from rag.backend import LibraryBackend
from rag.chunk_size import ChunkShape
from rag.collection import Report
from rag.embedding.base import ESTIMATED_TOKENS, LibraryEmbedder, model_name, tokenizer_name
from rag.embedding.served.embedder import ServedEmbedder
from rag.embedding.served.token_estimate import estimate_tokens
from rag.embedding.watched import WatchedEmbedder
from rag.model_change import ANSWERING, EmbeddingContext, find_change, note_model, note_of
from utils.errors import EmbedderUnavailable, LibraryError
from utils.faults import in_background

log = logging.getLogger(__name__)


class AnsweringModel:
    """Knows which embedder a library uses now, and tells the user what has to be known of that."""

    def __init__(
        self, backend: LibraryBackend, wanted: LibraryEmbedder, context: EmbeddingContext, read_only: bool
    ) -> None:
        """Blocks."""
        self._backend = backend
        self._records = backend.models()
        self._context = context
        self._read_only = read_only
        self._noted = read_only
        self._counters: dict[str, Callable[[str], int]] = {}
        self._told: set[str] = set()
        self._troubles: set[str] = set()
        self.wanted = self._watch(wanted)
        self.change = find_change(backend, self.wanted, context)
        former = self.change.former if self.change else None
        self.embedder: LibraryEmbedder = self._watch(former) if former else self.wanted

    @property
    def embeds_alone(self) -> bool:
        """Whether what is met without a vector may be embedded: a whole library is sent away only when that is asked
        for, and not embedded twice. Where it is only read no change begins: what stays here is embedded as it is met.
        """
        return self.change is None or self._is_former or (self._read_only and self.change.begins_alone)

    @property
    def name(self) -> str:
        """The model that answers; where that changes, both."""
        name = model_name(self.embedder.fingerprint)
        if self.change is None:
            return name
        wanted = model_name(self.wanted.fingerprint)
        return f"{name}, until {self.change.texts:,} texts are embedded by {wanted}" if self._is_former else name

    @property
    def _is_former(self) -> bool:
        """Whether the model of before answers."""
        return self.embedder is not self.wanted

    @property
    def is_told(self) -> bool:
        """Whether more than the setting has to be said of the model: a server has it, or it is about to change."""
        return self.embedder.served or self.change is not None

    @property
    def may_swap(self) -> bool:
        """Whether the new model can take the former one's place."""
        return self.change is not None and self.change.done

    def with_tokenizer(self, shape: ChunkShape) -> ChunkShape:
        """A shape that is chosen now: its tokens are those of the model that the settings name."""
        return replace(shape, tokenizer=tokenizer_name(self.wanted.fingerprint) if shape.unit == "tokens" else "")

    async def make_counter(self, tokenizer: str) -> Callable[[str], int]:
        """What counts tokens as this model does, which may be one that embeds the library no longer.

        Raises `LibraryError` where it cannot be had any more.
        """
        for embedder in (self.embedder, self.wanted):
            if tokenizer in ("", tokenizer_name(embedder.fingerprint)):
                return await embedder.make_counter()
        if tokenizer == ESTIMATED_TOKENS:
            return estimate_tokens
        if tokenizer not in self._counters:
            self._counters[tokenizer] = await self._open_counter(tokenizer)
        return self._counters[tokenizer]

    async def _open_counter(self, tokenizer: str) -> Callable[[str], int]:
        known = [one for one in await asyncio.to_thread(self._records.count_texts) if tokenizer_name(one) == tokenizer]
        notes = [await asyncio.to_thread(self._records.read_note, note_of(one)) for one in known]
        opened = self._context.reopen(next(filter(None, notes), tokenizer))
        if opened is None:
            raise LibraryError("Nothing is known of that model.")
        try:
            return await opened.make_counter()
        finally:
            await opened.close()

    async def begin_change(self, may_embed: Callable[[], bool]) -> None:
        """Say what a change costs and, where nothing leaves the machine for it, have it begun in the background.

        `may_embed` says whether it is this process that embeds; it blocks.
        """
        change = self.change
        if change is None or change.done or self._read_only:
            return
        self.tell_change()
        if await asyncio.to_thread(self._records.read_note, ANSWERING) == self.wanted.fingerprint:
            # Another process has done it.
            change.done = True
        elif change.may_begin and await asyncio.to_thread(may_embed):
            work = change.embed_all(self._backend, self._context.description)
            change.task = in_background(work, "Embedding the library anew", self._tell_failure)

    def tell_change(self) -> None:
        """Say what a change that is not done costs, once."""
        if self.change is not None and not self.change.done and not self._read_only:
            self._tell_once(self.change.describe())

    async def finish_change(self, progress: Report | None) -> None:
        """Carry a change through: the user asked for it. Raises `EmbedderUnavailable`."""
        self.tell_change()
        await self._forget_another()
        if self.change is not None:
            # What is being embedded in the background would be embedded twice.
            await self.change.stop()
            await self.change.embed_all(self._backend, self._context.description, progress)

    async def _forget_another(self) -> None:
        """Forget the vectors of another model behind the same name; where the server cannot be asked, that is no matter
        as long as nothing is to be embedded.
        """
        if not isinstance(self.wanted, WatchedEmbedder):
            return
        vectors = self._backend.vectors(self.wanted.fingerprint)
        try:
            await self.wanted.look_again()
        except EmbedderUnavailable as error:
            missing, _ = await asyncio.to_thread(vectors.missing_size)
            if missing or self.change is not None or self.wanted.is_another:
                raise
            log.info("The indexes are made anew without a look at the model: %s", error)
        if self.wanted.is_another:
            # With them go all indexes, and with the next question it is seen that nothing is left of the other.
            await asyncio.to_thread(vectors.forget_all)

    def swap(self) -> Callable[[], Awaitable[None]]:
        """Use the new model from now on; what is returned lets go of the one before, once nothing uses it any more.

        Nothing is waited for: no collection can be opened meanwhile that would keep the model of before.
        """
        change, former = self.change, self.embedder
        self.change, self.embedder = None, self.wanted

        async def let_go() -> None:
            try:
                await self._note_tokens(former)
            finally:
                if change is not None and change.former is not None:
                    await change.former.close()

        return let_go

    async def note_made(self) -> None:
        """Note that the model that answers makes vectors, so that it is known again when the settings name another."""
        if not self._noted and self.change is None:
            self._noted = True
            await asyncio.to_thread(note_model, self._backend, self.embedder.fingerprint, self._context.description)

    async def count_tokens(self) -> dict[str, int]:
        """What servers read for the library since it was begun, by the models' names; one only read counts nothing."""
        await self._note_tokens(self.wanted)
        await self._note_tokens(self.embedder)
        return await asyncio.to_thread(self._records.count_tokens)

    async def _note_tokens(self, embedder: LibraryEmbedder) -> None:
        if not self._read_only and (taken := embedder.take_tokens()):
            await asyncio.to_thread(self._records.add_tokens, model_name(embedder.fingerprint), taken)

    def tell_trouble(self, error: EmbedderUnavailable) -> None:
        """Say why nothing can be embedded now, once until it can."""
        log.warning("Nothing can be embedded: %s", error)
        if error.problem not in self._troubles:
            self._troubles.add(error.problem)
            self._context.tell(f"{error} The library is searched by words alone.")

    def forget_troubles(self) -> None:
        """It can be embedded again: the next trouble is a new one."""
        self._troubles.clear()

    async def close(self) -> None:
        """End a change that is under way: what was embedded is kept, and it goes on at the next start."""
        if self.change is not None:
            await self.change.stop()
        try:
            await self.count_tokens()
        except LibraryError as error:
            log.warning("What was read by embedding servers could not be noted: %s", error)
        if self.change is not None and self.change.former is not None:
            await self.change.former.close()

    def _watch(self, embedder: LibraryEmbedder) -> LibraryEmbedder:
        if not isinstance(embedder, ServedEmbedder):
            return embedder
        sample = self._backend.vectors(embedder.fingerprint).sample_text

        async def disclose() -> None:
            await self._disclose(embedder.host)

        return WatchedEmbedder(embedder, sample, disclose)

    async def _disclose(self, host: str) -> None:
        """Say, once a library and host, where its texts go; a library that is only read remembers nothing."""
        note = f"told {host}"
        known = await asyncio.to_thread(self._records.read_note, note) if host else "here"
        if known:
            return
        self._tell_once(
            f"What is kept in the library, and what is asked of it, goes to {host} to be embedded; /offline stops that."
        )
        if not self._read_only:
            with suppress(LibraryError):
                await asyncio.to_thread(self._records.write_note, note, "yes")

    def _tell_failure(self, error: Exception) -> None:
        self._tell_once(str(error))

    def _tell_once(self, said: str) -> None:
        if said not in self._told:
            self._told.add(said)
            self._context.tell(said)
