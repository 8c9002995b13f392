"""What a question lists: the same is asked of each thing, whatever of it a small model's plan leaves out."""

import re
from collections.abc import Sequence

from chatbot.models.pipeline.parts import joining_words
from rag.search.rare_words import telling_words, word_stems
from rag.search.stop_words import STOP_WORDS
from utils.languages.detection import language_of

_PAUSE = re.compile(r"[:;.?!¿¡()\n]+")
_SPELT = re.compile(r"[^\W_][\w'’&-]*")
WORDS_BEFORE_NAME = 3
"""Words that a thing of a list may begin with: "of the drill Ferro 18"."""
SAME_SIDE = 0.5
"""Share of its words from which on a clause asks what a sub-question does."""


def listed_things(question: str) -> tuple[str, ...]:
    """The names of the longest list of a question, as they stand there; none where it lists nothing by name."""
    longest: list[str] = []
    for clause in _PAUSE.split(question):
        run: list[str] = []
        for part in _parts_of_list(clause, language_of(question) or "en"):
            spans = [span for span in _capital_spans(part) if not part[span].isdigit()]
            begins = bool(spans) and len(part[: spans[0].start].split()) <= WORDS_BEFORE_NAME
            whole = part[spans[0].start : spans[-1].stop] if spans else ""
            if run and begins:
                run.append(whole)
                longest = max(longest, run, key=len)
            ends = bool(spans) and not part[spans[-1].stop :].strip()
            if not (run and begins and ends):
                run = [part[spans[-1]]] if ends else []
    return tuple(dict.fromkeys(longest)) if len(longest) > 1 else ()


def _parts_of_list(clause: str, language: str) -> list[str]:
    """A clause between its commas and its words for and; what is hyphened to the next word stays with it."""
    joined = rf"\s*,\s*(?:{joining_words(language).pattern})?|(?<!-)(?:{joining_words(language).pattern})"
    return [part.strip() for part in re.split(joined, clause, flags=re.IGNORECASE) if part.strip()]


def named_things(text: str, things: Sequence[str]) -> list[str]:
    """Which of some things a text names; "Arn Mill Museum" is no "Arn Museum", nor the other way round."""
    found, left = [], text.casefold()
    for thing in sorted(things, key=len, reverse=True):
        if re.search(rf"(?<!\w){re.escape(thing.casefold())}(?!\w)", left):
            found.append(thing)
            left = left.replace(thing.casefold(), " ")
    return found


def ask_of_each(question: str, plan: Sequence[str]) -> list[str]:
    """What a plan asks of one thing of the question's list, asked of all of them: behind what the plan has.

    Not what the question asks of that one alone.
    """
    things, asked = listed_things(question), list(plan)
    for text in plan:
        named = named_things(text, things)
        if len(named) != 1 or _is_asked_of_one(question, text, named[0], things):
            continue
        for other in things:
            worded = other.join(re.split(_called(question, named[0], text), text, flags=re.IGNORECASE))
            if not any(_asks_same_of(worded, one, other, things) for one in asked):
                asked.append(worded)
    return asked


def _called(question: str, thing: str, text: str) -> str:
    """A pattern of a thing in a sub-question, with what it is called: of "the drill B12" the word drill as well."""
    name = rf"(?<!\w){re.escape(thing)}(?!\w)"
    before = re.search(rf"(\w+) {name}", question, re.IGNORECASE)
    kind = before[1] if before and before[1].islower() and telling_words(before[1]) - word_stems(thing) else ""
    silent = not kind or kind in STOP_WORDS.get(language_of(question) or "en", ())
    return name if silent or f"{kind} {thing}" not in text else rf"(?<!\w){re.escape(kind)} {name}"


def _asks_same_of(worded: str, known: str, thing: str, things: Sequence[str]) -> bool:
    """Whether a plan's question asks the same of a thing as another one does."""
    if thing not in named_things(known, things):
        return False
    ours, theirs = (telling_words(text) - word_stems(" ".join(things)) for text in (worded, known))
    return len(ours & theirs) >= SAME_SIDE * max(1, min(len(ours), len(theirs)))


def _is_asked_of_one(question: str, text: str, thing: str, things: Sequence[str]) -> bool:
    """Whether a clause of the question that names this thing alone has most words of a sub-question."""
    side = telling_words(text) - word_stems(thing)
    clauses = [part for clause in _PAUSE.split(question) for part in clause.split(",")]
    of_one = [clause for clause in clauses if named_things(clause, things) == [thing]]
    return any(len(side & word_stems(clause)) >= SAME_SIDE * max(1, len(side)) for clause in of_one)


def name_subjects(question: str, plan: Sequence[str]) -> list[str]:
    """A plan in which a question that names nothing, but speaks of it, has the names of the one before in front.

    "When does the bakery open again?" alone finds any bakery.
    """
    names, told = word_stems(" ".join(names_in(question))), list[str]()
    before: list[str] = []
    for text in plan:
        own = [name for name in names_in(text) if word_stems(name) & names]
        if names and not own and before:
            told.append(f"{', '.join(before)}: {text}")
        else:
            told.append(text)
            before = own or before
    return told


def names_in(text: str) -> list[str]:
    """The names in a text, without figures alone, and without its first word, which has a capital letter anyway."""
    _, _, rest = text.strip().lstrip("¿¡").partition(" ")
    return list(dict.fromkeys(rest[span] for span in _capital_spans(rest) if not rest[span].isdigit()))


def _capital_spans(text: str) -> list[slice]:
    """Where words with a capital letter and figures follow each other, as "Zephyr Q2"; in German any noun."""
    spans: list[slice] = []
    for word in _SPELT.finditer(text):
        if not (word[0][0].isupper() or word[0][0].isdigit()):
            continue
        if spans and not text[spans[-1].stop : word.start()].strip():
            spans[-1] = slice(spans[-1].start, word.end())
        else:
            spans.append(slice(word.start(), word.end()))
    return spans
