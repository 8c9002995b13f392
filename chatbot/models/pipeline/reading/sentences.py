"""The sentences of a text in any language: where they end, which say nothing by themselves, as many as have room."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from chatbot.models.pipeline.reading.calendar.months import month_numbers
from chatbot.models.pipeline.reading.tables.priced_lines import is_priced
from rag.chunking.tables import TableRow, text_and_rows
from utils.languages.lexicon import load_lexicon

# A sentence ends after . ! ? and a space, after their full-width and Indic forms, or with its line.
_SENTENCE_BREAK = re.compile(r"(?<=[.!?…])(?<!\.{4})[\"'”’)\]]*\s+(?=\S)|(?<=[。！？｡।॥؟۔])|\n+")
_ORDINAL_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,2}\.$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_HEADING_LINES = re.compile(r"^#{1,6} .*$", re.MULTILINE)
# A line of text that goes on in the next one, as editors wrap it at a column: long, and followed by a word. Headings
# and rows of tables do not, nor "name: value; name: value", as rows of CSV are read; nor what ends with a price or an
# hour before a line with a capital, or stands before one that is a name with its figure.
_WRAPPED = re.compile(
    r"^(?!#{1,6} |[^:;\n]{1,60}: [^;\n]{0,200}; [^:;\n]{1,60}: )"
    r"(?![^\n]{49,400}\d ?(?:€|£|\$|zł|Kč|kr|(?:[Uu]hr|[ap]m|[AP]M|eur|EUR|[Ee]uros?)\b)\n[^\W\d_a-zß-ÿа-яё])"
    r"([^\n]{49,}[^\n|])\n(?![^:;\n\d]{1,40} ?: ?\d)(?=[^\W\d_]|[\"'“‘(\[`])",
    re.MULTILINE,
)
_DATELINE = re.compile(
    r"(?:[^\W\d_][^,\d]{1,40},\s*)?(?:(?:le|den|am|el|il|on)\s+)?\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:de\s+|of\s+)?"
    r"(?P<month>[^\W\d_]{3,12})\s+(?:de\s+)?(?:19|20)\d\d\.?",
    re.IGNORECASE,
)
_BEGINS_WITH_WHETHER = re.compile(
    r"\W*(?:(?:and|but|so|then) )?"
    r"(?:am|is|are|was|were|do|does|did|can|could|may|must|will|would|should|has|have)\b"
    r"(?! you (?:please )?(?:tell|say|explain|show|give|find|list)\b)(?!.*\bor\b)",
    re.IGNORECASE,
)
"""What a question in English begins with that wants yes or no."""
_ASKS_REASON = re.compile(
    r"\W*(?:(?:and|but|so|then|hi|hello),? )?(?:can you tell me )?(?:why\b|how come\b|for what reason\b)", re.IGNORECASE
)
_ASKS = ("?", "？", "؟", ";", "՞")
_MIN_PIECE_CHARS = 15
"""Characters; a shorter piece (an initial, an abbreviation) is joined to its neighbour."""


def is_head(sentence: str) -> bool:
    """Whether a piece of a text says nothing by itself: a heading, a line of a table without columns, where and when it
    was written."""
    return sentence.startswith(("#", "|")) or _is_dateline(sentence)


def _is_dateline(sentence: str) -> bool:
    """Whether a line is a date and at most a place before it: "Bergen, le 9 novembre 2026"."""
    date = _DATELINE.fullmatch(sentence.strip())
    return date is not None and date["month"].casefold() in month_numbers("wide")


def body_sentences(text: str) -> list[str]:
    """The sentences of a text without its headings: nearest to a question of all, they answer none."""
    pieces = list(_text_and_rows(text))
    told = [piece if isinstance(piece, TableRow) else _HEADING_LINES.sub("", piece) for piece in pieces]
    return _split_pieces(told) or _split_pieces(pieces)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in any language, rows of tables among them; very short pieces stay with what follows."""
    return _split_pieces(_text_and_rows(text))


def _text_and_rows(text: str) -> Iterator[str | TableRow]:
    """What stands between the tables of a text, each wrapped paragraph on a line, and their rows."""
    return text_and_rows(_WRAPPED.sub(r"\1 ", text))


def _split_pieces(pieces: Iterable[str | TableRow]) -> list[str]:
    """The sentences of each piece, and each row as it is spoken: its heading may end like a sentence."""
    split = ([piece.spoken] if isinstance(piece, TableRow) else _split_lines(piece) for piece in pieces)
    return [sentence for sentences in split for sentence in sentences]


def _split_lines(text: str) -> list[str]:
    sentences: list[str] = []
    held = ""
    for piece in _SENTENCE_BREAK.split(text):
        if sentences and not held and _is_ordinal(sentences[-1], piece):
            sentences[-1] += f" {piece.strip()}"
            continue
        held = f"{held} {piece.strip()}".strip()
        if len(held) >= _MIN_PIECE_CHARS or is_priced(held):
            sentences.append(held)
            held = ""
    if held and sentences:
        sentences[-1] += f" {held}"
    elif held:
        sentences.append(held)
    return sentences


def _is_ordinal(before: str, behind: str) -> bool:
    """Whether a full stop ends no sentence but makes a number the third or the fourteenth: "am 3. Dezember"."""
    word = _FIRST_WORD.match(behind.strip())
    if word is None or not _ORDINAL_NUMBER.search(before):
        return False
    return word[0].islower() or word[0].casefold() in load_lexicon().months


def asks_something(sentence: str) -> bool:
    """Whether a sentence is a question, in any script that marks one."""
    return sentence.rstrip(" \t\n\"'”’»)").endswith(_ASKS)


def asks_reason(english: str) -> bool:
    """Whether a message in English asks for why; what stands behind it in brackets is only what it goes on from."""
    asking = (one for one in _SENTENCE_BREAK.split(english) if asks_something(one) and not one.startswith("("))
    return any(_ASKS_REASON.match(one) for one in asking)


def begins_with_whether(english: str) -> bool:
    """Whether a question in English begins as one for yes or no, and chooses among nothing."""
    return _BEGINS_WITH_WHETHER.match(english) is not None


def told_before_asking(sentence: str) -> str:
    """A sentence without the short question that it ends with; empty where it is a question as a whole."""
    pieces = [piece for piece in _SENTENCE_BREAK.split(sentence) if piece]
    while pieces and asks_something(pieces[-1]):
        pieces.pop()
    return " ".join(pieces)


def count_words(text: str) -> int:
    """Words of a text; twelve characters count as one where words are not set apart."""
    return max(len(text.split()), len(text) // 12)


def trim_sentences(
    sentences: Sequence[str], best: int, most: float, measure: Callable[[str], float] = count_words
) -> Sequence[str]:
    """As many whole sentences around the best one as have about that length together: words, unless told."""
    start, end = best, best + 1
    left = most - measure(sentences[best])
    while left > 0 and (start > 0 or end < len(sentences)):
        if end < len(sentences):
            left -= measure(sentences[end])
            end += left >= 0
        if start > 0 and left > 0:
            left -= measure(sentences[start - 1])
            start -= left >= 0
    return sentences[start:end]
