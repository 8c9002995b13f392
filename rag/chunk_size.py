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


def chunk_shape(size: int, overlap: int | None, unit: ChunkUnit) -> ChunkShape:
    """Chunks of a size; where no overlap is set it is a fifth of that at most."""
    return ChunkShape(size, min(_OVERLAP[unit], size // 5) if overlap is None else overlap, unit)
