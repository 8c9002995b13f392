"""Tells when an answer claims an act of the assistant's ("I'll remind you"), which words alone never do."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache, cached_property
from pathlib import Path

MAX_CHARS_CHECKED = 4000
"""Characters of an answer that are looked at."""
VERSE = 4
"""Lines of verse that make a poem."""
_VERSE_LENGTH = 64
_DENIAL_WORDS = 3
"""Words before a claim among which a "not" denies it."""
_QUOTED_SPEECH = re.compile(
    r"\"[^\"]{1,2000}\"|“[^“”]{1,2000}”|„[^„“”]{1,2000}[“”]|”[^”]{1,2000}”|«[^«»]{1,2000}»|»[^«»]{1,2000}«"
    r"|「[^「」]{1,2000}」|『[^『』]{1,2000}』|(?<!\w)['‘][^'‘’\n]{2,600}['’](?!\w)"
)
_CODE_LINES = re.compile(r"^(?: {4,}\S.*|[^\S\n]*(?:>.*|\|.*\|[^\S\n]*))$", re.M)
_FENCES = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.S)
_SENTENCE = re.compile(r"[^.!?…。！？।;\n]+[.!?…。！？।;]*")
_LIST_ITEM_START = re.compile(r"^\s*(?:[-*•+]|\d+[.)])\s")
_PLACE = " ※ "
"""What stands in the place of a quotation: it ends no sentence and is no word."""


class Act(Enum):
    """What an assistant may say that it does for someone."""

    REMIND = "remind"
    REMEMBER = "remember"
    FORGET = "forget"
    SEND = "send"
    SAVE = "save"
    OPEN = "open"
    BOOK = "book"
    CALL = "call"
    DELETE = "delete"
    WATCH = "watch"


class _Claims:
    """How one language claims acts: patterns, most of which are compiled when a sentence has its hint.

    All of all languages take longer than a second.
    """

    def __init__(self, raw: Mapping[str, str]) -> None:
        self._raw = raw
        self.hint = re.compile(raw["hint"])
        """Stands in every sentence that claims one: most sentences are put aside by it."""

    @cached_property
    def acts(self) -> list[tuple[Act, re.Pattern[str]]]:
        """With what they name in braces put in: {I} who acts, {G} the words between that and the verb."""
        return [(act, re.compile(self._filled(self._raw[act.value]))) for act in Act if act.value in self._raw]

    @cached_property
    def denied(self) -> re.Pattern[str]:
        """What within a claim makes it none: "not"."""
        return re.compile(self._raw["denied"])

    @cached_property
    def before(self) -> re.Pattern[str]:
        """What before a claim makes it none: "if", "she said"."""
        return re.compile(self._raw["before"])

    def _filled(self, pattern: str) -> str:
        for name in ("I", "G", "THING"):
            pattern = pattern.replace(f"{{{name}}}", f"(?:{self._raw[name]})" if name in self._raw else "")
        return pattern


def claimed_act(answer: str) -> Act | None:
    """The first act that an answer says the assistant itself did or will do; None where it claims none.

    What is quoted, a letter that is drafted, verse, code, a condition ("If you like, I'll ...") and a question claim
    nothing. Twenty-six languages; it knows the usual ways to say it, not all.
    """
    for sentence in _own_statements(answer[:MAX_CHARS_CHECKED]):
        for claims in _language_claims():
            act = _claimed_in_sentence(sentence, claims) if claims.hint.search(sentence) else None
            if act:
                return act
    return None


def _claimed_in_sentence(sentence: str, claims: _Claims) -> Act | None:
    for act, pattern in claims.acts:
        for match in pattern.finditer(sentence):
            words = re.split(r"[,;:–—]", sentence[: match.start()])[-1].split()[-_DENIAL_WORDS:]
            denied = claims.denied.search(" ".join([*words, match[0]]))
            if not denied and not claims.before.search(sentence[: match.start()]):
                return act
    return None


def _own_statements(answer: str) -> Iterator[str]:
    """The sentences that the assistant says itself and that are no questions, in small letters."""
    text = unicodedata.normalize("NFC", answer).replace("’", "'").replace("İ", "i").replace("**", "")
    text = _CODE_LINES.sub(_PLACE, _FENCES.sub(_PLACE, _QUOTED_SPEECH.sub(_PLACE, text)))
    for sentence in _SENTENCE.findall(_without_verse(_without_letter(text))):
        if not sentence.rstrip(" )*_").endswith(("?", "？", "؟")):
            yield sentence.strip(" *_-•✅✓👍👌").casefold()


def _without_letter(text: str) -> str:
    """A text without a letter in it: from where someone is addressed to where someone signs, else to the end."""
    letters = _letter_patterns()
    opening = letters[0].search(text)
    if not opening:
        return text
    closing = letters[1].search(text, opening.end())
    if opening["informal"] is not None and not closing:
        return text
    rest = text[closing.end() :].split("\n\n", 1)[1:] if closing else []
    return "\n".join([text[: opening.start()], *rest])


def _without_verse(text: str) -> str:
    """A text without its poems: several short lines in a row, most of which end no sentence."""
    blocks = re.split(r"\n\s*\n", text)
    return "\n\n".join(block for block in blocks if not _is_verse([line for line in block.split("\n") if line.strip()]))


def _is_verse(lines: list[str]) -> bool:
    if len(lines) < VERSE or any(len(line) > _VERSE_LENGTH or _LIST_ITEM_START.match(line) for line in lines):
        return False
    return sum(not re.search(r"[.!?。！？।]\W*$", line) for line in lines) * 2 >= len(lines)


@cache
def _load_patterns() -> dict[str, dict[str, str]]:
    raw: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return raw


@cache
def _letter_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    raw = _load_patterns()["letter"]
    return re.compile(raw["opening"], re.M | re.I), re.compile(raw["closing"], re.M | re.I)


@cache
def _language_claims() -> tuple[_Claims, ...]:
    return tuple(_Claims(raw) for code, raw in _load_patterns().items() if code != "letter")
