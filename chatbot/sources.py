"""The numbered passages of a conversation, and the check of what an answer cites."""

import re
from collections.abc import Iterable

from chatbot.messages import Message, Source
from rag.documents import Passage

_GROUP = re.compile(r"\[\d{1,3}(?:, ?\d{1,3})*\]")
# The longest text that can still become a citation; past it, what was held back is let go.
_LONGEST = 40


class SourceTable:
    """Gives each passage a number that stays the same for the whole conversation."""

    def __init__(self) -> None:
        self._sources: dict[int, Source] = {}
        self._numbers: dict[tuple[str, str], int] = {}

    def add(self, passage: Passage) -> Source:
        """The passage with its number: its old one if the conversation knows it already."""
        number = self._numbers.get((passage.source, passage.text))
        if number is None:
            number = max(self._sources, default=0) + 1
            self.restore(Source(number, passage))
        return self._sources[number]

    def restore(self, source: Source) -> None:
        """Take in a source under the number that it had."""
        self._sources[source.number] = source
        self._numbers[source.passage.source, source.passage.text] = source.number

    def get(self, number: int) -> Source | None:
        """The source of a number, None if it was never handed out."""
        return self._sources.get(number)

    def find(self, numbers: Iterable[int]) -> tuple[Source, ...]:
        """The sources of those numbers that were handed out, in order, each once."""
        return tuple(source for number in dict.fromkeys(numbers) if (source := self.get(number)))

    def clear(self) -> None:
        """Forget all: a new conversation counts from 1."""
        self._sources.clear()
        self._numbers.clear()


def by_number(messages: Iterable[Message]) -> dict[int, Source]:
    """The sources that messages handed out, by number."""
    return {source.number: source for message in messages for source in message.sources}


def pages(sources: Iterable[Source]) -> list[list[Source]]:
    """The sources grouped by the page they are from, in order."""
    grouped: dict[str, list[Source]] = {}
    for source in sources:
        grouped.setdefault(source.passage.source, []).append(source)
    return list(grouped.values())


class CitationCheck:
    """Reads an answer as it streams, notes the numbers that it cites and strikes those never handed out.

    Brackets in code, in links (`[1](...)`) and in lists of numbers of which none is a source are left alone. At most
    a few characters are held back: those that may still become a citation.
    """

    def __init__(self, table: SourceTable) -> None:
        self._table = table
        self.rewind((), ())

    def rewind(self, cited: Iterable[int], unknown: Iterable[int]) -> None:
        """Forget a text that does not count, back to the numbers noted before it."""
        self._held = ""
        self._ticks = 0
        self._code = 0
        self._line_empty = False
        self.cited = list(cited)
        self.unknown = list(unknown)

    def feed(self, delta: str) -> str:
        """The text that may be shown now."""
        return "".join(self._take(character) for character in delta)

    def finish(self) -> str:
        """What was still held back."""
        return self._release("")

    def _take(self, character: str) -> str:
        if self._held:
            return self._hold(character)
        self._count_ticks(character)
        if character == "[" and not self._code:
            self._held = character
            return ""
        return character

    def _hold(self, character: str) -> str:
        complete = self._held.endswith("]")
        if not complete and len(self._held) < _LONGEST and (character.isdigit() or character in ", ]"):
            self._held += character
            return ""
        return self._release(character)

    def _release(self, following: str) -> str:
        held, self._held = self._held, ""
        is_link = following in ("(", ":") and following != ""
        shown = self._judge(held) if _GROUP.fullmatch(held) and not is_link else held
        return shown + (self._take(following) if following else "")

    def _judge(self, group: str) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", group)]
        known = [number for number in numbers if self._table.get(number)]
        if 0 in numbers or (len(numbers) > 1 and not known):
            return group
        self.cited += [number for number in known if number not in self.cited]
        missing = [number for number in numbers if number not in known]
        self.unknown += [number for number in missing if number not in self.unknown]
        return ("[" + ", ".join(map(str, known)) + "]" if known else "") + "".join(f"~~[{n}]~~" for n in missing)

    def _count_ticks(self, character: str) -> None:
        if character == "`":
            self._ticks += 1
            return
        if self._ticks:
            self._code = 0 if self._code == self._ticks else self._code or self._ticks
            self._ticks = 0
        # A code span, unlike a fence, never runs past an empty line.
        if character == "\n":
            self._code = 0 if self._line_empty and self._code < 3 else self._code
            self._line_empty = True
        elif not character.isspace():
            self._line_empty = False
