"""A wish that was carried out and is put right with the next message: "sorry, it's 221", "no, at six"."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from chatbot.conversation.messages import ToolCall
from chatbot.conversation.turns import Turn
from chatbot.conversation.wishes import correction_in
from chatbot.models.pipeline.reading.calendar.weekdays import word_of_day

MIN_LIKENESS_OF_NAMES = 70.0
"""In percent, how alike two names are of which one was mistyped: "Halloran" and "Hallorin"."""
_SOLE_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIED = r"(?:not|instead of|nicht|pas|no|non|não|niet)"
_REPLACED = r"[\w'’€$£%.:-]{0,40}[\w€$£%]"
_INSTEAD = (
    re.compile(
        rf"\b{_DENIED} (?P<old>{_REPLACED}),? (?:but|it['’]s|sondern|mais|sino|ma|mas|maar) (?P<new>{_REPLACED})"
    ),
    re.compile(rf"(?<![\w'’€$£%.:-])(?P<new>{_REPLACED}),? (?:(?:and|et|y|e) )?{_DENIED} (?P<old>{_REPLACED})"),
)
"""Two words of which one stands for the other: "Thursday, not Tuesday", "not Tuesday but Thursday"."""
_NOT_KEPT = re.compile(r"Not\b")
"""What a tool's word begins with where the user is to agree first."""
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][\w'’-]{3,}")
_TELLS_TIME = re.compile(
    r"\d[:.]\d\d|\d\s?(?:am|pm|a\.m|p\.m|uhr|h|o['’]clock|min|hour|stunde|heure|hora|ora|uur)"
    r"|\b(?:at|um|à|las|alle|às|om|in|dans|dentro|fra|em|over)\s+\d",
    re.IGNORECASE,
)


def next_correction(turns: Sequence[Turn], facts: Sequence[str]) -> ToolCall | None:
    """The next call that puts right what the turn before had remembered or set; None where nothing is left.

    What is right is kept before what was wrong is forgotten, and one after the other: what failed ends it. A reminder
    is cancelled first, for two of the same words could not be told apart.
    """
    last, right = turns[-1], correction_in(turns[-1].question.content)
    undone = any(result.failed or _NOT_KEPT.match(result.content) for result in last.results)
    if len(turns) < 2 or undone or not right:
        return None
    wished = [call for call in turns[-2].calls if call.name in ("remember", "set_reminder")]
    if len(wished) != 1:
        return None
    arguments = wished[0].arguments
    if wished[0].name == "remember":
        steps = _correcting_fact(str(arguments.get("fact", "")), right, facts)
    else:
        steps = _correcting_reminder(str(arguments.get("text", "")), right)
    return steps[len(last.calls)] if len(last.calls) < len(steps) else None


def _correcting_fact(fact: str, right: str, known: Sequence[str]) -> list[ToolCall]:
    better = corrected_text(fact, right) if fact in known else ""
    return [ToolCall("remember", {"fact": better}), ToolCall("forget", {"fact": fact})] if better else []


def _correcting_reminder(text: str, right: str) -> list[ToolCall]:
    if not text or not (_TELLS_TIME.search(right) or word_of_day(right)):
        return []
    return [ToolCall("cancel_reminder", {"which": text}), ToolCall("set_reminder", {"text": text, "when": right})]


def corrected_text(text: str, right: str) -> str:
    """A text with what is right in the place of something in it; empty where that is not plain.

    That is a word which is said to be wrong, the only number or day of each, or a name that is much like another.
    """
    for pattern in _INSTEAD:
        for found in pattern.finditer(right):
            if changed := _with_word(text, found["old"], found["new"]):
                return changed
    for one_of in (_only_numeral, word_of_day):
        old, new = one_of(text), one_of(right)
        if old and new:
            return _with_word(text, old, new)
    pairs = [
        (fuzz.ratio(old.casefold(), new.casefold()), old, new)
        for new in _CAPITALISED.findall(right)
        for old in _CAPITALISED.findall(text)
        if new not in text
    ]
    likeness, old, new = max(pairs, default=(0.0, "", ""))
    return _with_word(text, old, new) if likeness >= MIN_LIKENESS_OF_NAMES else ""


def _only_numeral(text: str) -> str:
    found = list(dict.fromkeys(_SOLE_NUMBER.findall(text)))
    return found[0] if len(found) == 1 else ""


def _with_word(text: str, old: str, new: str) -> str:
    """The text with another word in a word's place; empty where it does not have that word once."""
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
    return (
        pattern.sub(lambda _: new, text) if len(pattern.findall(text)) == 1 and old.casefold() != new.casefold() else ""
    )
