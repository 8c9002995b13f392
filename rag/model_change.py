"""From one embedding model to another: what was made by the old one answers until all is made by the new one."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from rag.backend import LibraryBackend
from rag.collection import Report, keep_new_vectors
from rag.embedding.backends import OpenedEmbedder
from rag.embedding.base import LibraryEmbedder, model_name
from utils.errors import LibraryError
from utils.network.offline import OfflineSwitch

ANSWERING = "answering"
"""The note that names the model whose vectors answer, by its fingerprint."""
CHARS_A_TOKEN = 4
FEW = 10
"""A change of which only one part in so many is left is none: what is left is embedded as it is met, unless it would be
sent away for that.
"""


@dataclass(frozen=True)
class EmbeddingContext:
    """What a library is told of its embedder and of where it may reach."""

    description: str = ""
    """From which `reopen` makes it again, also when the settings say something else."""
    reopen: Callable[[str], OpenedEmbedder | None] = lambda description: None
    tell: Callable[[str], None] = lambda said: None
    """Shows the user a sentence."""
    network: OfflineSwitch = field(default_factory=OfflineSwitch)
    """Whether the library may be on another machine."""


@dataclass
class ModelChange:
    """A change of the model that is not done yet."""

    wanted: LibraryEmbedder
    former: OpenedEmbedder | None
    """The one before; None where it cannot be had any more."""
    made_by: str
    """Its fingerprint."""
    texts: int
    """Texts that the new one has no vector of."""
    tokens: int
    """About how many these have."""
    left_host: str = ""
    """Where the former one is, of which the settings no longer speak: nothing is sent there any more."""
    done: bool = False
    task: "asyncio.Task[None] | None" = field(default=None, repr=False)

    @property
    def begins_alone(self) -> bool:
        """Whether nothing leaves the machine for it, so that nobody has to agree."""
        return not self.wanted.host

    @property
    def may_begin(self) -> bool:
        """Whether it is to be begun in the background, once more where that has failed."""
        return self.begins_alone and (self.task is None or self.task.done())

    def describe(self) -> str:
        """What the change costs, and what answers until then."""
        old, new = model_name(self.made_by), model_name(self.wanted.fingerprint)
        cost = f"{self.texts:,} texts, about {self.tokens:,} tokens"
        until = "the vectors of the old one answer" if self.former else "the library is searched by words"
        left = f" at {self.left_host}, where nothing is sent any more" if self.left_host else ""
        begun = f"The library was embedded by {old}{left}, and {new} is set now"
        if self.begins_alone:
            return f"{begun}: it is embedded anew in the background ({cost}). Until that is done, {until}."
        return (
            f"{begun}: embedding it anew sends {cost}, to {self.wanted.host}. /rag-rebuild (`magpie rag rebuild`) does"
            f" that; until it is done, {until}."
        )

    async def stop(self) -> None:
        """End what goes on in the background; what was embedded is kept."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})

    async def embed_all(self, backend: LibraryBackend, description: str, progress: Report | None = None) -> None:
        """Embed what the new model has no vector of, in all collections, and have it answer from then on.

        Raises `EmbedderUnavailable`; what was embedded until then is kept.
        """
        vectors = backend.vectors(self.wanted.fingerprint)
        collections = await asyncio.to_thread(backend.collections().all_collections)
        for collection in collections:
            # What is added meanwhile is embedded by the old model, too.
            while todo := await asyncio.to_thread(vectors.not_embedded, collection.name):
                await keep_new_vectors(self.wanted, vectors, todo, len(todo), progress)
        await asyncio.to_thread(note_model, backend, self.wanted.fingerprint, description)
        self.done = True


def find_change(backend: LibraryBackend, wanted: LibraryEmbedder, context: EmbeddingContext) -> ModelChange | None:
    """The change that the settings ask for, None where the vectors are of the model that they name. Blocks."""
    models = backend.models()
    made_by = models.read_note(ANSWERING)
    if made_by == wanted.fingerprint:
        return None
    counts = models.count_texts()
    made_by = made_by or max(counts, key=lambda name: counts[name], default="")
    if made_by == wanted.fingerprint or made_by not in counts:
        return None
    texts, characters = backend.vectors(wanted.fingerprint).missing_size()
    if not texts or (not wanted.host and texts * FEW <= counts.get(wanted.fingerprint, 0)):
        return None
    former = _open_former(made_by, models.read_note(note_of(made_by)) or made_by, context)
    left_host = former.host if former is not None and former.host != wanted.host else ""
    if left_host:
        former = None
    if former is None and not left_host and not wanted.host:
        return None
    return ModelChange(wanted, former, made_by, texts, characters // CHARS_A_TOKEN, left_host)


def _open_former(made_by: str, description: str, context: EmbeddingContext) -> OpenedEmbedder | None:
    """The model of a fingerprint; None without its description or its weights: its vectors are of no use then."""
    former = None
    with suppress(LibraryError):
        former = context.reopen(description)
    return former if former is not None and former.fingerprint == made_by else None


def note_model(backend: LibraryBackend, fingerprint: str, description: str) -> None:
    """Note that a model's vectors answer, and how it can be opened again; blocks."""
    models = backend.models()
    for name, text in ((note_of(fingerprint), description), (ANSWERING, fingerprint)):
        if models.read_note(name) != text:
            models.write_note(name, text)


def note_of(fingerprint: str) -> str:
    """The note that describes a model."""
    return f"model {fingerprint}"
