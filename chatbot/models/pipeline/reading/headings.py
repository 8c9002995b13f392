"""A sentence with what stands above it, without which it says half: its heading, or the question that it answers."""

import re
from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.sentences import asks_something
from rag.documents import Passage

HEADING_WITHIN = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
"""A heading in the text of a passage."""
_ITEM_SIGN = re.compile(r"^\s*[-*•] +")
MAX_ANSWERED_CHARS = 160
"""Characters of a question on a page that the sentence behind it answers, at most."""


def parts_below_headings(passage: Passage) -> list[tuple[str, str]]:
    """The parts of a passage's text, each behind the heading right above it; empty for none."""
    first, *others = HEADING_WITHIN.split(passage.text)
    return [(next(iter(passage.heading[-1:]), ""), first), *zip(others[::2], others[1::2], strict=True)]


def begins_item(sentence: str) -> bool:
    """Whether a sentence begins with the sign of an item."""
    return _ITEM_SIGN.match(sentence) is not None


def headed_sentence(source: Source, sentence: str) -> str:
    """A sentence as it is told below its heading, without the sign of an item: "Not accepted: batteries and oil"."""
    heading = _last_heading(source)
    # The row of a table is told with its heading already.
    if not heading or sentence.startswith(heading):
        return sentence
    return f"{heading}: {_ITEM_SIGN.sub('', sentence)}"


def behind_question(sentences: Sequence[str], place: int) -> str:
    """A sentence with the question right before it that it answers, as lists of frequent questions have them."""
    sentence, before = sentences[place], sentences[place - 1] if place else ""
    answers = asks_something(before) and len(before) <= MAX_ANSWERED_CHARS and not asks_something(sentence)
    return f"{before} {sentence}" if answers else sentence


def below_heading(source: Source, sentence: str) -> str:
    """A sentence with the heading that it stands below: "Tuesdays at 19:30" alone says nothing of rehearsals."""
    heading = _last_heading(source)
    return f"{heading}: {sentence}" if heading else sentence


def _last_heading(source: Source) -> str:
    """The heading right above a passage, other than its document's title; empty for none."""
    return next((line for line in reversed(source.passage.heading) if line != source.passage.title), "")
