"""Vectors by OpenAI and by servers that speak as it does, LM Studio, llama-server and vLLM among them."""

from collections.abc import Sequence
from typing import Any

from rag.embedding.served.wire import EmbeddingWire


def _make_body(model: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _read_rows(answer: dict[str, Any]) -> list[object]:
    """In the order of the texts: each says which one it is of, or none does."""
    rows = {row.get("index", place): row["embedding"] for place, row in enumerate(answer["data"])}
    if set(rows) != set(range(len(answer["data"]))):
        raise ValueError("an index is missing or repeated")
    return [rows[place] for place in range(len(rows))]


def _count_tokens(answer: dict[str, Any]) -> object:
    usage = answer.get("usage")
    return usage.get("total_tokens") if isinstance(usage, dict) else None


OPENAI_WIRE = EmbeddingWire(
    name="openai",
    base_url="https://api.openai.com/v1",
    path="/embeddings",
    root="/v1",
    model="text-embedding-3-small",
    key_variable="OPENAI_API_KEY",
    key_urls=("https://api.openai.com",),
    url_variable="OPENAI_BASE_URL",
    make_body=_make_body,
    read_rows=_read_rows,
    count_tokens=_count_tokens,
)
