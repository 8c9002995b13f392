"""Passages as the API gives them, and the collections in which they are looked for."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from chatbot.config import Config
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.values import ApiModel
from chatbot.frontends.serving.values import found_passage
from rag.documents import Passage
from rag.library import Library

SearchMode = Literal["bm25", "vector", "hybrid"]


class ScoredPassage(ApiModel):
    """A passage, with how well it fits."""

    number: int
    title: str
    heading: list[str]
    """The headings above it, outermost first."""
    source: str
    """The address or path of its document."""
    origin: str
    """`file`, `web`, or `snippet` for a search result that was not opened."""
    text: str
    similarity: float | None
    """Cosine of passage and query, -1 to 1; null where meaning played no part."""
    score: float
    """By what it was ranked: higher is better, comparable within one search only."""
    collection: str
    """Empty where it is not from the library."""
    start: int
    """Where it begins and ends in its document's text, in characters."""
    end: int
    fetched: str
    """When its document was read or last changed, ISO 8601; empty when unknown."""


def scored_passages(passages: Sequence[Passage], *, compared: bool = True, first: int = 1) -> list[dict[str, Any]]:
    """Passages as values, numbered from `first` on; `compared`: whether their similarity is known."""
    return [
        {**asdict(found_passage(number, passage, compared=compared)), "score": round(passage.score, 6)}
        for number, passage in enumerate(passages, first)
    ]


async def readable_collection(library: Library, config: Config, name: str) -> str:
    """The collection that is meant, empty for the usual one; raises `ApiRefusal` where there is none of that name."""
    usual = config.rag.collection
    if name in ("", usual):
        return usual
    if name not in {one.name for one in await library.list_collections()}:
        raise ApiRefusal(404, "There is no such collection.", "GET /api/library lists them.", code="no_collection")
    return name
