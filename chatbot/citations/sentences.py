"""Which sentence a number stands behind, and which of its numbers are wrong."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chatbot.citations.checker import CitationChecker, plain_sentence
from chatbot.models.pipeline.reading.sentences import split_sentences
from rag.chunking import split_text
from rag.documents import Passage
from rag.search.rare_words import word_stems
from utils.errors import MagpieError

GROUP = r"(?:~~)?\[\d{1,3}(?:, ?\d{1,3})*\](?:~~)?"
_CITATION_GROUP = re.compile(GROUP)
_SENTENCE_ENDING = re.compile(r"[.!?。！？।؟]['\"”’)»]*(?:\s|$)|[。！？\n]")
# An abbreviation has a letter or two before its full stop: "No. 5", "e. g.".
_BETWEEN = re.compile(r"(?<=[^\W\d]{3}[.!?])\s+(?=[^\W\d_])")
_SHORT_PART_CHARS = 5
_HEADING_LINE = re.compile(r"\s*#{1,6}\s|.*[:：]\**\s*$")
# "; and closes at six": what a part of a sentence begins with.
_JOINT = re.compile(r"^[\s,;:–—-]+")
MIN_STATEMENT_WORDS = 3
"""Words before a number that are too few to be a statement, where the sentence goes on after it."""

MAX_CHARS_JUDGED, PARTS_JUDGED = 6000, 6
"""Characters of a text that is looked through whole for a sentence, and parts of a longer one."""


@dataclass(frozen=True)
class Cited:
    """What a number stands behind."""

    statement: str
    """The sentence, or its part since the number before."""
    lead: str = ""
    """What must be known to understand it: the sentence's beginning, and the line that announces a list."""


def cited_text(before: str) -> Cited:
    """What a number stands behind that comes after `before`, the answer so far."""
    *above, line = before.rstrip(" ").split("\n")
    announced = next((text for text in reversed(above) if text.strip() and _HEADING_LINE.match(text)), "")
    sentences = split_sentences(line)
    # Short sentences stay with what follows them there; here each is one.
    last_one = [part for part in _BETWEEN.split(sentences[-1]) if len(part) > _SHORT_PART_CHARS] if sentences else []
    parts = _CITATION_GROUP.split(last_one[-1]) if last_one else sentences[-1:] or [""]
    last = _JOINT.sub("", parts[-1])
    if len(parts) > 1 and not _is_statement(last):
        return Cited(plain_sentence(" ".join(parts)), plain_sentence(announced))
    return Cited(plain_sentence(last), plain_sentence(" ".join([announced, *parts[:-1]])))


def is_short(statement: str) -> bool:
    """Whether words before a number are too few to tell whether what follows belongs to them."""
    return not _is_statement(statement)


def ends_sentence(text: str) -> bool:
    """Whether a sentence or a line ends in a text."""
    return bool(_SENTENCE_ENDING.search(text))


def _is_statement(text: str) -> bool:
    """Words that are not set apart count by their characters."""
    return max(len(text.split()), len(text) // 6) >= MIN_STATEMENT_WORDS


def nearest_parts(passage: Passage, statement: str) -> Passage | None:
    """A passage as it is; of a long text that the user attached the parts with most of a statement's words.

    None where no part of that has any, as in another language: what it says could only be told by reading it whole.
    """
    if len(passage.text) <= MAX_CHARS_JUDGED:
        return passage
    said = word_stems(statement)
    parts = split_text(passage.text)
    shared = {part.index: len(said & word_stems(part.text)) for part in parts}
    likeliest = sorted(parts, key=lambda part: -shared[part.index])[:PARTS_JUDGED]
    text = "\n".join(part.text for part in sorted(likeliest, key=lambda part: part.index) if shared[part.index])
    return replace(passage, text=text) if text else None


class SentenceJudge:
    """Says which of the numbers behind a sentence are wrong; a checker that fails is not asked again in this turn."""

    def __init__(self, checker: CitationChecker, question: str) -> None:
        self._checker = checker
        self._question = question
        self.failure: MagpieError | None = None

    async def find_wrong(self, cited: Cited, passages: Mapping[int, Passage]) -> frozenset[int]:
        """The numbers whose passages do not say the statement; none where there is no statement."""
        if self.failure is not None or not any(character.isalnum() for character in cited.statement):
            return frozenset()
        # "Sources: [1], [2]" says nothing that could be checked.
        if cited.statement.endswith((":", "：")) and is_short(cited.statement):
            return frozenset()
        question = f"{self._question}\n{cited.lead}".strip()
        nearest = {number: nearest_parts(passage, cited.statement) for number, passage in passages.items()}
        read = {number: part for number, part in nearest.items() if part}
        try:
            return await self._find_unsupported(cited.statement, read, question)
        except MagpieError as error:
            self.failure = error
            return frozenset()

    async def _find_unsupported(self, statement: str, passages: Mapping[int, Passage], question: str) -> frozenset[int]:
        alone = {number for number, p in passages.items() if await self._is_supported(statement, [p], question)}
        if alone or len(passages) <= 1:
            return frozenset(passages) - alone
        together = await self._is_supported(statement, list(passages.values()), question)
        return frozenset() if together else frozenset(passages)

    async def _is_supported(self, statement: str, passages: Sequence[Passage], question: str) -> bool:
        return await self._checker.support_probability(statement, passages, question) >= self._checker.threshold
