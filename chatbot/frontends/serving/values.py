"""What calls find, for programs: each value is described by its schema, and stands beside the same in words."""

from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from rag.documents import Passage
from tools.base import ToolResult

_DESCRIBED = ConfigDict(use_attribute_docstrings=True)


@dataclass(frozen=True)
class FoundPassage:
    """A passage with the number under which it can be cited."""

    __pydantic_config__ = _DESCRIBED

    number: int
    """By which it can be cited; it counts within one result."""
    title: str
    heading: list[str]
    """The headings above it, outermost first."""
    source: str
    """The address or path of its document; search_library takes it as a source id."""
    origin: str
    """`file`, `web`, or `snippet` for a search result that was not opened."""
    text: str
    similarity: float | None
    """Cosine of passage and query, -1 to 1; null where meaning played no part."""
    collection: str
    """Empty where it is not from the library."""
    start: int
    """Where it begins in its document's text, in characters."""
    end: int
    """Where it ends there."""
    fetched: str
    """When its document was read or last changed, ISO 8601; empty when unknown."""


@dataclass(frozen=True)
class FoundPassages:
    """Passages, best first."""

    __pydantic_config__ = _DESCRIBED

    summary: str
    """What was found, in words; for the web with further results that were not opened."""
    passages: list[FoundPassage]


@dataclass(frozen=True)
class PageText:
    """A part of a page's text."""

    __pydantic_config__ = _DESCRIBED

    title: str
    source: str
    """The address that the page was read from, after redirects."""
    text: str
    start: int
    """Where the part begins in the page's text, in characters."""
    end: int
    """Where it ends there; the next part starts there."""
    characters: int
    """Of the whole page's text."""
    fetched: str
    """When it was read, ISO 8601."""


@dataclass(frozen=True)
class Failure:
    """Something that could not be read."""

    name: str
    reason: str


@dataclass(frozen=True)
class IndexedSource:
    """What indexing came to."""

    __pydantic_config__ = _DESCRIBED

    files: int
    """Files and pages that were read."""
    documents: int
    """Documents that are new or have changed."""
    chunks: int
    """Parts into which those were cut."""
    unchanged: int
    """Documents that the library had already."""
    gone: int
    """Records that are no longer in their file, and therefore not in the library any more."""
    failures: list[Failure]
    warnings: list[str]
    """What to change so that it can be found."""


@dataclass(frozen=True)
class CollectionStats:
    """A collection with what it holds."""

    name: str
    documents: int
    chunks: int


@dataclass(frozen=True)
class Stats:
    """What the library holds."""

    __pydantic_config__ = _DESCRIBED

    collection: str
    documents: int
    chunks: int
    bytes_on_disk: int
    embedding_model: str
    collections: list[CollectionStats]
    """Every collection that can be searched."""


@dataclass(frozen=True)
class ServedResult(ToolResult):
    """What a call found, in words and as a value."""

    value: Any = field(kw_only=True)

    @property
    def structured(self) -> dict[str, Any]:
        """The value as JSON has it."""
        return asdict(self.value)


class Untitled(GenerateJsonSchema):
    """Schemas without the titles that pydantic makes of names: whoever reads them has the names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False


def schema_of(kind: type) -> dict[str, Any]:
    """The JSON schema of a value of this kind."""
    return TypeAdapter(kind).json_schema(mode="serialization", schema_generator=Untitled)


def found_passage(number: int, passage: Passage, *, compared: bool = True) -> FoundPassage:
    """A passage as a value; `compared`: whether its similarity is known."""
    return FoundPassage(
        number=number,
        title=passage.title,
        heading=list(passage.heading),
        source=passage.source,
        origin=passage.origin,
        text=passage.text,
        similarity=round(passage.similarity, 6) if compared else None,
        collection=passage.collection,
        start=passage.start,
        end=passage.end,
        fetched=passage.fetched,
    )
