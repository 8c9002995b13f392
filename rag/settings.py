"""The settings of the library."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from rag.chunk_size import ChunkShape, chunk_shape
from utils.settings import Name

POSTGRES_VARIABLE = "MAGPIE_POSTGRES_URL"
"""Says where the library's PostgreSQL is; it is no setting, as a password is in it."""
Prefix = Annotated[str, Meta(max_length=1000)]


@dataclass(frozen=True, kw_only=True)
class RagSettings:
    """The library: what is kept, how it is cut and how it is searched."""

    enabled: bool = True
    """Keep a library at all."""
    read_only: bool = False
    """Search the library and add nothing to it."""
    backend: Name = "sqlite"
    """What keeps the library's documents, chunks and vectors: `sqlite`, a file in the library's folder; `postgres`, a
    PostgreSQL with pgvector that several machines can share (docs/postgres.md).
    """
    postgres_url_file: Name = ""
    """File of mode 0600 with where that PostgreSQL is, as `postgresql://user:password@host/database`; the environment's
    `MAGPIE_POSTGRES_URL` goes before it.
    """
    web_search_rag_enabled: bool = True
    """Index every page that is opened and every search result."""
    chunk_size: Annotated[int, Meta(ge=100, le=10_000)] = 500
    """Length of a chunk in `chunk_unit`, where a collection is begun; a code block, a table or a list of Markdown may
    have twice that. One that is there stays as it is until `magpie rag ingest --chunk-size` says otherwise.
    """
    chunk_overlap: Annotated[int, Meta(ge=0, le=5_000)] | None = None
    """What two neighbouring chunks share at most, in `chunk_unit`; unset: 100 characters or 50 tokens, or a fifth."""
    chunk_unit: Literal["characters", "tokens"] = "characters"
    """`characters`, or `tokens` of the embedding model; for collections that are begun, as the two above."""
    embedding_backend: Name = "local"
    """Makes the library's vectors: `local`, on this machine; `ollama`; `openai`, OpenAI or any server that speaks as it
    does (LM Studio, llama-server, vLLM).
    """
    embedding_model: Name = "all-MiniLM-L6-v2"
    """Finds by meaning. With `local`, name or folder of a sentence-transformers model; the default knows English,
    `paraphrase-multilingual-MiniLM-L12-v2` 50 languages. With a server, its name there; the default then means
    `nomic-embed-text` of Ollama and `text-embedding-3-small` of OpenAI.
    """
    embedding_base_url: Name = ""
    """Where that server is, as `http://127.0.0.1:1234/v1`; unset: where the models of that backend are. What is kept in
    the library, and what is asked of it, goes there.
    """
    embedding_key_file: Name = ""
    """File of mode 0600 with that server's key; unset: `OPENAI_API_KEY` or `OLLAMA_API_KEY` where that is the server's
    and, where no base URL is set here, the backend's own file.
    """
    embedding_query_prefix: Prefix | None = None
    """What stands before a question for the embedding model; unset: what models of its name want (e5, nomic, bge)."""
    embedding_passage_prefix: Prefix | None = None
    """What stands before a passage; unset: what models of its name want. Another one embeds the library anew."""
    folder: Path | None = None
    """Folder of the library; unset: the data folder."""
    chroma_db_path: Path | None = None
    """Folder of the vector index; unset: `chroma` in the library's folder."""
    collection: Annotated[str, Meta(min_length=3, max_length=102)] = "rag_documents"
    """Name of the Chroma collection."""
    top_k: Annotated[int, Meta(ge=1, le=100)] = 5
    """Passages that a search returns unless told otherwise."""
    search_mode: Literal["hybrid", "vector", "bm25"] = "hybrid"
    """Find passages by meaning and by words, or by one of them."""
    fusion: Literal["scores", "ranks"] = "scores"
    """How meaning and words are brought together: by their scores, or by reciprocal ranks."""
    vector_weight: Annotated[float, Meta(ge=0, le=1)] = 0.55
    """Weight of meaning in a hybrid search, the rest being that of the words, which counts more in long questions."""
    relevance_floor: Annotated[float, Meta(ge=0, le=1.5)] = 0.45
    """Cosine and not quite half the share of the question's words: what is below is left out of a hybrid search."""
    min_similarity: Annotated[float, Meta(ge=-1, le=1)] = 0.25
    """Passages below this cosine similarity are left out of a vector search."""
    per_document: Annotated[int, Meta(ge=1, le=100)] = 3
    """Passages of one document that a search returns."""
    reranker: Name = ""
    """What orders passages: a cross-encoder by name or folder, a name in `models`, or `model`: the one that answers."""
    rerank_candidates: Annotated[int, Meta(ge=2, le=100)] = 15
    """Passages that the reranker judges."""
    rerank_seconds: Annotated[float, Meta(gt=0, le=86_400)] = 30.0
    """Seconds that the reranker may take; after them the order stays as it was."""
    rewrite_follow_ups: bool = True
    """Have the model write a question such as "and in 2024?" so that it stands alone before the library is searched."""
    rewrite_queries: bool = False
    """Have the model name search terms for each question to the library, which are searched beside it."""
    rewrite_model: Name = ""
    """Name of the model that does both, and words the next search on the web; unset: the one that answers."""
    web_keep_days: Annotated[int, Meta(ge=1, le=36_500)] = 90
    """Days after which pages and search results that were never cited are forgotten."""

    def __post_init__(self) -> None:
        shape = self.chunk_shape
        if shape.overlap >= shape.size:
            raise ValueError(f"chunk_overlap: it must be less than chunk_size, which is {shape.size}")

    @property
    def chunk_shape(self) -> ChunkShape:
        """How documents are cut."""
        return chunk_shape(self.chunk_size, self.chunk_overlap, self.chunk_unit)
