"""The settings of the library."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from rag.documents import ChunkShape


class RagSettings(BaseModel):
    """The library: what is kept, how it is cut and how it is searched."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    enabled: bool = True
    """Keep a library at all."""
    web_search_rag_enabled: bool = True
    """Index every page that is opened and every search result."""
    chunk_size: int = Field(500, ge=100, le=10_000)
    """Length of a chunk in `chunk_unit`; a code block, a table or a list of Markdown may have twice that."""
    chunk_overlap: int = Field(100, ge=0, le=5_000)
    """What two neighbouring chunks share at most, in `chunk_unit`; 50 unless set where that is tokens."""
    chunk_unit: Literal["characters", "tokens"] = "characters"
    """`characters`, or `tokens` of the embedding model."""
    embedding_model: str = "all-MiniLM-L6-v2"
    """Name or folder of a sentence-transformers model."""
    folder: Path | None = None
    """Folder of the library; unset: the data folder."""
    chroma_db_path: Path | None = None
    """Folder of the vector index; unset: `chroma` in the library's folder."""
    collection: str = Field("rag_documents", min_length=3)
    """Name of the Chroma collection."""
    top_k: int = Field(5, ge=1, le=100)
    """Passages that a search returns unless told otherwise."""
    search_mode: Literal["hybrid", "vector", "bm25"] = "hybrid"
    """Find passages by meaning and by words, or by one of them."""
    fusion: Literal["scores", "ranks"] = "scores"
    """How meaning and words are brought together: standardised scores, or reciprocal ranks."""
    vector_weight: float = Field(0.55, ge=0, le=1)
    """Weight of meaning in a hybrid search, the rest being that of the words."""
    relevance_floor: float = Field(0.45, ge=0, le=1.5)
    """Cosine and half the share of the question's words: passages below this are left out of a hybrid search."""
    min_similarity: float = Field(0.25, ge=-1, le=1)
    """Passages below this cosine similarity are left out of a vector search."""
    per_document: int = Field(3, ge=1, le=100)
    """Passages of one document that a search returns."""
    web_keep_days: int = Field(90, ge=1)
    """Days after which pages and search results that were never cited are forgotten."""

    @property
    def chunk_shape(self) -> ChunkShape:
        """How documents are cut."""
        return ChunkShape(self.chunk_size, self.chunk_overlap, self.chunk_unit)

    @model_validator(mode="before")
    @classmethod
    def _shorter_overlap(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("chunk_unit") == "tokens":
            return {"chunk_overlap": 50, **values}
        return values

    @field_validator("chunk_overlap")
    @classmethod
    def _below_size(cls, overlap: int, info: ValidationInfo) -> int:
        size = info.data.get("chunk_size", overlap + 1)
        if overlap >= size:
            raise ValueError(f"must be less than chunk_size, which is {size}")
        return overlap
