"""Texts on which a regular expression would take long, built from its own parts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

LONG = 16
"""Repetitions from which on a part counts as long."""
LIKELY = "aZ1 \n\t.-_@/\\\"'`<>[]{}()|#*:;,=+~!?%&$^"
ANYWHERE = ("a", "Z", "1", " ", "\n", "a ", "a.", "1.", "a\n", "\n ", " \n", "1 ", "-", "`", '"', "[", "a-1")


def hostile_units(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """What a long text begins with and what is then repeated: the inside of each long part, and what leads to it."""
    seen = {("", unit) for unit in ANYWHERE}
    yield from seen
    parts = list(_long_parts(parser.parse(pattern.pattern, pattern.flags), ""))
    bodies = list(dict.fromkeys(body for _, body in parts))
    units = [("", unit) for before, body in parts for unit in (body, before, before + body, before + body * LONG)]
    units += [(before, body) for before, body in parts]
    units += [("", one + other) for one in bodies for other in bodies if one != other]
    for unit in units:
        if unit[1] and unit not in seen:
            seen.add(unit)
            yield unit


def _long_parts(tree: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    """Each part that may be repeated often: what stands before it, and what it repeats."""
    for kind, value in tree:
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            _, most, inside = value
            if most >= LONG:
                yield from ((before, body) for body in _variants(inside))
            yield from _long_parts(inside, before)
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from _long_parts(branch, before)
        elif kind in (op.SUBPATTERN, op.ATOMIC_GROUP, op.ASSERT, op.ASSERT_NOT):
            yield from _long_parts(value if kind is op.ATOMIC_GROUP else value[-1], before)
        before += _sample([(kind, value)], 0)


def _variants(tree: Sequence[Any]) -> list[str]:
    return [text for text in dict.fromkeys(_sample(tree, choice) for choice in range(4)) if text]


def _sample(tree: Iterable[Any], choice: int) -> str:
    """A short text that a part matches; `choice` says which letter of a set, and which branch, to take."""
    return "".join(_sample_of(kind, value, choice) for kind, value in tree)


def _sample_of(kind: Any, value: Any, choice: int) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind in (op.IN, op.NOT_LITERAL, op.ANY):
        fitting = _fitting(kind, value)
        return fitting[choice % len(fitting)]
    if kind is op.BRANCH:
        return _sample(value[1][choice % len(value[1])], choice)
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return _sample(value[2], choice) * max(value[0], min(choice, value[1]))
    if kind is op.SUBPATTERN:
        return _sample(value[3], choice)
    if kind is op.ATOMIC_GROUP:
        return _sample(value, choice)
    return _sample(value[1], choice) if kind is op.ASSERT and value[0] < 0 else ""


def _fitting(kind: Any, value: Any) -> str:
    """The characters of a set that a hostile text would take, of each kind one; at least one."""
    if kind is op.NOT_LITERAL:
        return "".join(one for one in LIKELY if ord(one) != value)[:4]
    if kind is op.ANY:
        return "a1 ."
    named = [chr(each) for what, each in value if what is op.LITERAL]
    named += [chr(edge) for what, each in value if what is op.RANGE for edge in each]
    fits = "".join(one for one in (*LIKELY, *named, "京", "é") if _in_set(value, one))
    kinds = {(one.isalpha(), one.isdigit(), one.isspace()): one for one in reversed(fits)}
    return "".join(kinds.values()) or next(chr(code) for code in range(0x20000) if _in_set(value, chr(code)))


def _in_set(items: Sequence[Any], one: str) -> bool:
    negated = items[0][0] is op.NEGATE
    return negated != any(_is_item(what, each, one) for what, each in items if what is not op.NEGATE)


_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}


def _is_item(what: Any, each: Any, one: str) -> bool:
    if what is op.LITERAL:
        return ord(one) == each
    if what is op.RANGE:
        return bool(each[0] <= ord(one) <= each[1])
    return bool(re.match(_CATEGORIES[each], one))
