"""How long chunks are, and how much two neighbouring ones share."""

from dataclasses import dataclass
from typing import Literal

ChunkUnit = Literal["characters", "tokens"]
"""What a chunk's length is counted in; tokens are those of the embedding model."""
_OVERLAP: dict[ChunkUnit, int] = {"characters": 100, "tokens": 50}
"""What two neighbouring chunks share where no setting says it."""


@dataclass(frozen=True)
class ChunkShape:
    """How long chunks are, and how much of its end a chunk may share with the next one."""

    size: int = 500
    overlap: int = _OVERLAP["characters"]
    unit: ChunkUnit = "characters"
    tokenizer: str = ""
    """The model whose tokens are meant; empty for characters, and where a store says nothing of it."""

    @property
    def name(self) -> str:
        """As it stands in what is kept of a document: `300/50 tokens all-MiniLM-L6-v2`; stores read it again."""
        return f"{self.size}/{self.overlap} {self.unit} {self.tokenizer}".strip()

    def describe(self) -> str:
        """In words: `300/50 tokens of all-MiniLM-L6-v2`."""
        return f"{self.size}/{self.overlap} {self.unit}{f' of {self.tokenizer}' if self.tokenizer else ''}"


@dataclass(frozen=True)
class ShapeChange:
    """What is to become of a collection that is to be cut otherwise."""

    before: ChunkShape | None
    """None where it is only begun."""
    now: ChunkShape
    documents: int
    chunks: int
    """What was cut as before."""

    @property
    def is_change(self) -> bool:
        """Whether something is to be cut anew."""
        return self.before is not None and self.before != self.now and self.documents > 0


def chunk_shape(size: int, overlap: int | None, unit: ChunkUnit) -> ChunkShape:
    """Chunks of a size; where no overlap is set it is a fifth of that at most."""
    return ChunkShape(size, min(_OVERLAP[unit], size // 5) if overlap is None else overlap, unit)
