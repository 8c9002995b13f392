"""The numbered passages of a conversation."""

from collections.abc import Iterable
from typing import Any

from chatbot.conversation.messages import Attachment, Message, Source
from rag.documents import Passage


class SourceTable:
    """Gives each passage a number that stays the same for the whole conversation."""

    def __init__(self) -> None:
        self._sources: dict[int, Source] = {}
        self._numbers: dict[tuple[str, str], int] = {}

    def add_passage(self, passage: Passage) -> Source:
        """The passage with its number: its old one if the conversation knows it already."""
        number = self._numbers.get((passage.source, passage.text))
        if number is None:
            number = max(self._sources, default=0) + 1
            self.restore_source(Source(number, passage))
        return self._sources[number]

    def add_attached(self, attachments: Iterable[Attachment]) -> tuple[Source, ...]:
        """The texts among what goes with a question that can be cited, each with its number."""
        texts = (one for one in attachments if one.is_source and not one.picture and one.text.strip())
        return tuple(dict.fromkeys(self.add_passage(one.passage) for one in texts))

    def restore_source(self, source: Source) -> None:
        """Take in a source under the number that it had."""
        self._sources[source.number] = source
        self._numbers[source.passage.source, source.passage.text] = source.number

    def get(self, number: int) -> Source | None:
        """The source of a number, None if it was never handed out."""
        return self._sources.get(number)

    def find_sources(self, numbers: Iterable[int]) -> tuple[Source, ...]:
        """The sources of those numbers that were handed out, in order, each once."""
        return tuple(source for number in dict.fromkeys(numbers) if (source := self.get(number)))

    def clear(self) -> None:
        """Forget all: a new conversation counts from 1."""
        self._sources.clear()
        self._numbers.clear()


def by_number(messages: Iterable[Message]) -> dict[int, Source]:
    """The sources that messages handed out, by number."""
    return {source.number: source for message in messages for source in message.sources}


def describe_sources(sources: Iterable[Source]) -> list[dict[str, Any]]:
    """Number, title and address of each source, for programs; and which server found what was not opened here."""
    return [
        {"number": source.number, "title": source.passage.title, "source": source.passage.source}
        | ({"found_by": source.passage.found_by} if source.passage.found_by else {})
        for source in sources
    ]


def group_by_page(sources: Iterable[Source]) -> list[list[Source]]:
    """The sources grouped by the page they are from, in order."""
    grouped: dict[str, list[Source]] = {}
    for source in sources:
        grouped.setdefault(source.passage.source, []).append(source)
    return list(grouped.values())


def describe_nearness(passage: Passage, by_words: bool) -> str:
    """How near a passage is to what was looked for: its similarity, or its score in a search by words.

    A word of every document scores next to nothing, which is not nothing; a dash where nothing is known.
    """
    value = passage.score if by_words else passage.similarity
    if not value:
        return "–"
    return f"{value:.0e}" if by_words and value < 0.005 else f"{value:.2f}"
