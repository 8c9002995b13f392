"""Which things of a table keep to the conditions of a message: each cell is compared with the figure that is wanted.

Of four conditions and three products a small model sees one or two, and names the first product.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from chatbot.conversation.messages import Source
from chatbot.models.dialogue import FAILS, FITS
from chatbot.models.pipeline.decision.names import has_digit, names_in
from chatbot.models.pipeline.parts import joins_questions
from chatbot.models.pipeline.reading.answerability import denies
from chatbot.models.pipeline.reading.expected import is_money
from chatbot.models.pipeline.reading.namesakes import is_site_of
from chatbot.models.pipeline.reading.sentences import split_sentences
from chatbot.models.pipeline.reading.tables.columns import TOTAL_ROW, asks_extreme
from chatbot.models.pipeline.reading.tables.measures import MONEY_NAMES
from chatbot.models.pipeline.reading.tables.named_rows import is_asked_for, said_name, share_form
from chatbot.models.pipeline.worked_out.conditions import (
    NUMBERS_IN_WORDS,
    Condition,
    conditions_in,
    is_money_amount,
    wishes_for,
)
from chatbot.models.pipeline.writing.checks.yes_no_cells import cell_says
from chatbot.models.pipeline.writing.written import number_marks
from rag.chunking.tables import TableRow, table_rows
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.amounts import Amount, currency_signs, only_amount, value_in, written_amounts

Things = Mapping[str, Mapping[str, str]]
"""What each thing of a table has, by the names of its properties."""

_ASKS_FOR_ONE = re.compile(r"\b(?:which|recommend|suggest)\b", re.IGNORECASE)
_ASKS_OTHERWISE = re.compile(r"\b(?:why|should i do|how (?:do|can|should|many|much))\b", re.IGNORECASE)
"""What asks for no thing of a table, or for more than that."""
_ASKS_HOW_MUCH = re.compile(
    r"\band (?:how much (?:is|are) (?:it|they|that)|(?:how much|what) (?:does|do) (?:it|they|that) cost)\b"
)
_CLASS = re.compile(r"\b[A-Z]{1,4}\d{1,3}\b")
"""What something is to be of that is no figure: IPX7, E27, A4."""
_AT_LEAST_OF_CLASS = re.compile(
    r"\b(?:at least|minimum|min\.?|up to|at most|better than) (?:\w+ ){0,3}[A-Z]{1,4}\d{1,3}\b"
    r"|\b[A-Z]{1,4}\d{1,3} or (?:better|higher|more|above|less|lower)\b"
)
"""Of classes only what is just that is known."""
_NO_WISH = re.compile(r"\b(?:no|not|without|only|free|ohne|nur|frei|sans)\b|[-–]free\b", re.IGNORECASE)
"""What the name of a property has of which a yes may be no good: "Adults only"."""
_CLAUSE_OF_WISH = re.compile(r"[;,:.!?\n]|\b(?:and|but)\b")
_SPENDING = word_stems("spend spent pay paid budget afford")
_MIN_THINGS = 2
_CLEAR = 2
"""Conditions from which on a table that has them all is what the message is about, whatever it is called."""
MAX_TOLD = 8
"""Things up to which those that fail are told as well."""
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3})\.(\d{3})(?![\d.,])")
"""A price of more than a thousand as many countries write it: no price has three decimals."""


def tell_fitting(message: str, english: str, sources: Sequence[Source]) -> str:
    """`- Benn ✓ – Price: £118 [2]` for each thing of a table, those that fit first with all that was asked of them, the
    others with what they fail in; empty where a message sets no conditions that one table can be held against.

    `english` is the message in English.
    """
    otherwise = _ASKS_OTHERWISE.search(_ASKS_HOW_MUCH.sub(" ", english)) or asks_extreme(english)
    if otherwise or not _ASKS_FOR_ONE.search(english):
        return ""
    conditions = conditions_in(english)
    if not any(condition.bounded for condition in conditions):
        return ""
    asked = telling_words(f"{message} {english}")
    for source in sources:
        for things in _tables_of(source.passage.text, conditions):
            clear = sum(condition.bounded for condition in conditions) >= _CLEAR
            if not _is_about(message, asked, source.passage, things, clear=clear):
                continue
            if told := _judge(_named_in(message, things), conditions, asked, message, english):
                return "\n".join(f"- {line}{number_marks([source.number])}" for line in told)
    return ""


def _is_about(message: str, asked: frozenset[str], passage: Passage, things: Things, *, clear: bool) -> bool:
    """Whether a passage has all that a message names, whose site it is from its address too, and, unless its conditions
    are `clear`, its title or the names of its things a word of it.
    """
    known = word_stems(f"{passage.headed_title} {passage.text}")
    missing = [name for name in _names_of(message).split() if not word_stems(name) <= known]
    named = not missing or is_site_of(missing, passage.source)
    return named and (clear or bool(asked & word_stems(f"{passage.headed_title} {' '.join(things)}")))


def _names_of(message: str) -> str:
    """What a message names, its figures left out: the 2.5 of "less than 2.5 kg" is no name."""
    for amount in written_amounts(message):
        message = message.replace(amount, " ")
    return " ".join(name for name in names_in(message).split() if not name[0].isdigit())


def _tables_of(text: str, conditions: Sequence[Condition]) -> list[Things]:
    """The tables of a text, with a thing a row or a thing a column: as more conditions name a property, else both."""
    tables: list[Things] = []
    for _, group in groupby(table_rows(text), key=lambda row: (row.heading, row.cells[0][0] if row.cells else "")):
        rows = [row for row in group if len(row.cells) > 1 and not TOTAL_ROW.search(row.cells[0][1])]
        by_row = {row.cells[0][1]: dict(row.cells[1:]) for row in rows}
        # Two rows of one name are prices of something else, a night and two.
        readings = [by_row if len(by_row) == len(rows) else {}, _by_column(rows)]
        named = [sum(_is_property(things, condition) for condition in conditions) for things in readings]
        tables += [things for things, count in zip(readings, named, strict=True) if count == max(named)]
    return [things for things in tables if len(things) >= _MIN_THINGS]


def _by_column(rows: Sequence[TableRow]) -> Things:
    things: dict[str, dict[str, str]] = {}
    for row in rows:
        for name, cell in row.cells[1:]:
            things.setdefault(name, {})[row.cells[0][1]] = cell
    return things


def _named_in(message: str, things: Things) -> Things:
    """The things that a message names, if it names several; all else."""
    said = word_stems(message)
    named = {name: has for name, has in things.items() if word_stems(said_name(name)) <= said}
    return named if len(named) >= _MIN_THINGS else things


def _judge(
    things: Things, conditions: Sequence[Condition], asked: frozenset[str], message: str, english: str
) -> list[str]:
    """What is told of each thing; nothing where a condition that is a bound, or a class, is about none of the
    properties, or where the message asks something else as well.
    """
    had = _wished_properties(things, message, english)
    if had is None:
        return []
    bound: list[tuple[str, Condition]] = []
    for condition in conditions:
        if name := _property_of(condition, things):
            bound.append((name, condition))
        elif condition.bounded:
            return []
    properties = list(next(iter(things.values())))
    also = [name for name in properties if is_asked_for(name, asked) or _is_price_asked(name, english)]
    also = [name for name in also if name not in had]
    named = {word for name in things for word in name.split()}
    classes = {code: _with_class(code, things) for code in _CLASS.findall(english) if code not in named}
    if not all(classes.values()) or (classes and _AT_LEAST_OF_CLASS.search(english)):
        return []
    judged = [name for name, _ in bound] + list(classes.values()) + had
    kinds = {word for has in things.values() for cell in has.values() for word in _words_without_figure(cell)}
    if asked & kinds or any(not _has_figures(name, things) for name in also) or (joins_questions(english) and not also):
        return []
    fitting, failing = list[str](), list[str]()
    for thing, has in things.items():
        failed = [name for name, condition in bound if not _is_kept(condition, has[name], name)]
        failed += [name for code, name in classes.items() if code not in has[name].split()]
        failed += [name for name in had if not cell_says(has[name])]
        told = ", ".join(f"{name}: {has[name]}" for name in dict.fromkeys(failed or judged + also))
        (failing if failed else fitting).append(f"{thing} {FAILS if failed else FITS} – {told}")
    return fitting + failing if len(things) <= MAX_TOLD else fitting


def _wished_properties(things: Things, message: str, english: str) -> list[str] | None:
    """The properties that things have or have not, by cells that say yes or no, all of whose words a message says; None
    where one of its sentences that speaks of such a property may not want it."""
    sentences = [one for wording in (message, english) for one in split_sentences(wording)]
    clauses = [(clause, wishes_for(one)) for one in sentences for clause in _CLAUSE_OF_WISH.split(one)]
    found = []
    for name in next(iter(things.values())):
        words = telling_words(name)
        if _NO_WISH.search(name) or not all(cell_says(has.get(name, "")) is not None for has in things.values()):
            continue
        said = [(clause, wishes) for clause, wishes in clauses if share_form(words, word_stems(clause))]
        if any(denies(clause) for clause, _ in said):
            return None
        found += [name] if any(wishes and words <= word_stems(clause) for clause, wishes in said) else []
    return found


def _is_price_asked(name: str, english: str) -> bool:
    """Whether a property is the price, and a question in English asks how much something is beside something else."""
    return bool(_ASKS_HOW_MUCH.search(english)) and bool(word_stems(name) & MONEY_NAMES)


def _with_class(code: str, things: Things) -> str:
    """The property in which some thing is of a class, IPX7 or E27; empty where none is, or it stands in several."""
    found = {name for has in things.values() for name, cell in has.items() if code in cell.split()}
    every = set.intersection(*(set(has) for has in things.values()))
    return next(iter(found)) if len(found) == 1 and found <= every else ""


def _property_of(condition: Condition, things: Things) -> str:
    """The property that a condition is about, by its unit and by its words; empty where that is none, or not clear.

    Where no bound is said it must have a word of the property as well, and where any figure would do.
    """
    every = set.intersection(*(set(has) for has in things.values()))
    measured = [name for name in next(iter(things.values())) if name in every and _measures(condition, name, things)]
    meant = [name for name in next(iter(things.values())) if _is_meant(name, condition)]
    if meant and not set(meant) & set(measured):
        return ""
    shared = {name: _words_shared(condition, name, things) for name in measured}
    most = max(shared.values(), default=0)
    best = [name for name in measured if shared[name] == most]
    clear = most or (condition.bounded and not condition.named and (condition.amount.unit or condition.amount.sign))
    return best[0] if len(best) == 1 and clear else ""


def _is_meant(name: str, condition: Condition) -> bool:
    """Whether a condition has a word of a property's name; what costs something, of the price."""
    label, amount = word_stems(name), condition.amount
    if is_money_amount(amount):
        return bool(label & MONEY_NAMES)
    return share_form(label, condition.words)


def _is_property(things: Things, condition: Condition) -> bool:
    """Whether a condition has a word of what some things have."""
    return any(_is_meant(name, condition) for has in things.values() for name in has)


def _measures(condition: Condition, name: str, things: Things) -> bool:
    """Whether all things have a figure in a property that the condition's can be compared with."""
    return all(_value_beside(condition.amount, has[name], name) is not None for has in things.values())


def _words_without_figure(cell: str) -> frozenset[str]:
    """The words of a cell that says what a thing is of: gas, blue, vegetarian."""
    return frozenset() if has_digit(cell) else telling_words(cell) - NUMBERS_IN_WORDS


def _has_figures(name: str, things: Things) -> bool:
    return all(has_digit(has.get(name, "")) for has in things.values())


def _words_shared(condition: Condition, name: str, things: Things) -> int:
    label = word_stems(name)
    says_money = bool(condition.amount.sign) or bool(condition.words & (MONEY_NAMES | _SPENDING))
    if says_money and all(is_money(has[name]) for has in things.values()):
        return 1 + len(label & condition.words)
    return sum(share_form({word}, condition.words) for word in label)


def _is_kept(condition: Condition, cell: str, name: str) -> bool:
    value = _value_beside(condition.amount, cell, name)
    return value is not None and condition.holds(value, condition.amount.value)


def _value_beside(wanted: Amount, cell: str, label: str) -> Fraction | None:
    """The figure of a cell in the unit of a wanted amount; None where it has none, or of something else.

    A cell without a unit counts what its `label` names: 214 below "screws on one charge".
    """
    has = only_amount(cell)
    if has is None or "°" in (has.unit, wanted.unit):
        return None
    if _is_price(has, cell):
        has = only_amount(_THOUSANDS.sub(r"\1\2", cell))
        return has.value if has and _is_price_in(wanted, cell) else None
    if wanted.sign:
        return None
    if not has.unit or not wanted.unit:
        counted = wanted.unit or has.unit
        return has.value if not counted or word_stems(counted) & word_stems(label) else None
    if wanted.unit.casefold() == has.unit.casefold() or (
        word_stems(wanted.unit) == word_stems(has.unit) != frozenset()
    ):
        return has.value
    return value_in(has, wanted.unit)


def _is_price(amount: Amount, cell: str) -> bool:
    """Whether the amount of a cell is money: 1.25 is, where it stands alone, and 1.25 kg is not."""
    return bool(amount.sign) or is_money(f"1 {amount.unit}" if amount.unit else cell)


def _is_price_in(wanted: Amount, cell: str) -> bool:
    """Whether an amount is money, and of no other currency than a cell: "130 pounds" and "£118"."""
    named, has = currency_signs(f"{wanted.sign}{wanted.unit}"), currency_signs(cell)
    return is_money_amount(wanted) and (named == has or not (named and has))
