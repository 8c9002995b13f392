"""Vectors by an Ollama server: /api/embed."""

from collections.abc import Sequence
from typing import Any

from rag.embedding.served.wire import EmbeddingWire


def _make_body(model: str, texts: Sequence[str]) -> dict[str, Any]:
    # Too long a text is refused and not cut unseen: it is then sent in pieces.
    return {"model": model, "input": list(texts), "truncate": False}


def _read_rows(answer: dict[str, Any]) -> list[object]:
    return list(answer["embeddings"])


OLLAMA_WIRE = EmbeddingWire(
    name="ollama",
    base_url="http://127.0.0.1:11434",
    path="/api/embed",
    root="",
    model="nomic-embed-text",
    key_variable="OLLAMA_API_KEY",
    key_urls=("https://ollama.com", "http://127.0.0.1:11434", "http://localhost:11434"),
    url_variable="OLLAMA_HOST",
    make_body=_make_body,
    read_rows=_read_rows,
    count_tokens=lambda answer: answer.get("prompt_eval_count"),
)
