"""What a party pays together: the rows of a table of prices that a question names and counts, added up.

Small models read a price well and multiply badly; of "two adults and one child" they take the price of a family.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.clauses import money_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_money
from chatbot.models.pipeline.reading.sentences import body_sentences
from chatbot.models.pipeline.reading.tables.age_groups import is_of_age
from chatbot.models.pipeline.reading.tables.measures import MONEY_NAMES
from chatbot.models.pipeline.reading.tables.named_rows import said_name, share_form
from chatbot.models.pipeline.writing.lists import without_sign
from chatbot.models.pipeline.writing.written import number_marks
from rag.chunking.tables import TableRow, table_rows, without_tables
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.amounts import Amount, only_amount
from utils.languages.lexicon import load_lexicon

_COUNTING_WORD = re.compile(r"\d{1,3}(?![\d.,:])|[^\W\d_]+")
_ONE = frozenset(
    {"a", "an", "one", "ein", "eine", "einen", "einem", "einer", "un", "une", "una", "uno", "um", "uma", "een", "ett"}
    | {"jeden", "jedno", "jedna", "jednego", "jednu", "egy", "yksi", "bir", "один", "одна", "одну", "ένα", "μία"}
)
_AND_WORDS = frozenset(
    {"and", "plus", "und", "et", "y", "e", "en", "och", "og", "i", "és", "ja", "ve", "и", "та", "και"}
)
MAX_COUNT = 99
_OF_GROUP = re.compile(r"\b(?:famil|group|gruppe|groupe|grupo|gruppo)\w*", re.IGNORECASE)
"""Whose price is not that of its members."""
_SINGULAR = {"children": "child", "men": "man", "women": "woman", "people": "person"}
"""Of plurals that no stemmer knows."""
_OF_ANY_PRICE = MONEY_NAMES | word_stems("ticket tickets card cards day days person people karte karten billet entrada")
_DENIALS = word_stems("without not no none ohne nicht kein keine sans pas sin senza")
_CHILDREN = frozenset({"kid", "kids", "boy", "boys", "girl", "girls"})
"""What children are called, whose row has another word for them."""
_CHILD = word_stems("child")
_AGES_OF_CHILDREN, GROWN_UP = range(6, 13), 18
"""Ages in years at which whoever pays is a child, and one at which nobody is."""
_OF_AGES = word_stems("under below up to from age aged ages year years old and or the of between until")
"""Words of the name of a row beside the ages."""
_OF_AGE = re.compile(r"(?P<joined>\band )?\b(?P<count>\w{1,9}) (?P<age>\w{1,9})[- ]years?[- ]olds?\b", re.IGNORECASE)
"""People told by their age in English: "and a ten year old", "two 12-year-olds"."""


@dataclass(frozen=True)
class _Counted:
    """A word behind a number, none behind an age: "two adults and a child"."""

    count: int
    thing: frozenset[str]
    joined: bool
    """Whether it comes after an "and": then it is one of the party, and no ticket for it."""
    age: int | None = None
    """In years, of whom nothing else is said."""
    child: bool = False
    """Whether it is another word for children."""

    @property
    def certain(self) -> bool:
        """Whether it is surely one of the party, and no ticket for it."""
        return self.count > 1 or self.joined or self.age is not None


@dataclass(frozen=True)
class _Fare:
    name: str
    cell: str
    price: Amount


def tell_party_price(question: str, english: str, sources: Sequence[Source]) -> str:
    """`2 × Adult (£14.50) + 1 × Child (£8) = £37` with its passage's number; empty where nothing is to be added up.

    That is where a question counts several, and one passage has one price for each kind of what it counts. `english`
    is the question in English.
    """
    if expected_kind(english or question) is not Kind.PRICE or _OF_GROUP.search(f"{question} {english}"):
        return ""
    wordings = [(_counted(wording), word_stems(wording)) for wording in (question, english)]
    for source in sources:
        rows = table_rows(source.passage.text)
        fares = _fares_of(rows, _column_meant(rows, wordings))
        for things, said in wordings:
            party = [(one, _fare_for(one, fares, said)) for one in things if not _may_be_free(one, rows, fares)]
            if len(party) == len(things) and (told := _add_up(party)):
                return f"{told}{number_marks([source.number])}"
    return ""


def quote_party_prices(question: str, english: str, sources: Sequence[Source]) -> str:
    """`“A night is £24, for members £15; children pay half.” [2]`, where a question counts two kinds of people together
    and one sentence has prices of both; empty else. A small model tells the price of one for all.
    """
    if expected_kind(english or question) is not Kind.PRICE:
        return ""
    pairs = [pair for wording in (question, english) if (pair := _counted_together(wording))]
    for source in sources:
        for line in body_sentences(without_tables(source.passage.text)):
            said = word_stems(line)
            if len(set(money_in(line))) > 1 and any(all(share_form(one, said) for one in pair) for pair in pairs):
                return f"“{without_sign(line)}”{number_marks([source.number])}"
    return ""


def _counted_together(question: str) -> list[frozenset[str]]:
    """The last two that a question counts, joined by an "and", each by its words; empty where none are."""
    counted = [one for one in _counted(question) if one.thing]
    last = max((index for index, one in enumerate(counted) if one.joined), default=0)
    return [one.thing for one in counted[last - 1 : last + 1]] if last else []


def _column_meant(rows: Sequence[TableRow], wordings: Sequence[tuple[list[_Counted], frozenset[str]]]) -> str:
    """Of several columns of prices the only one of which a question says a word, "at the gate", that is neither of what
    it counts nor of any price, where each row has a price there; empty for none, and where something is denied."""
    said = frozenset[str]().union(*(words - _OF_ANY_PRICE for _, words in wordings))
    counted = frozenset[str]().union(*(one.thing for things, _ in wordings for one in things))
    columns = dict.fromkeys(column for row in rows for column, cell in row.cells[1:] if is_money(cell))
    meant = [column for column in columns if telling_words(column) & (said - counted)]
    whole = all(any(name in meant and is_money(cell) for name, cell in row.cells) for row in rows)
    return meant[0] if len(meant) == 1 and len(columns) > 1 and whole and not said & _DENIALS else ""


def _fares_of(rows: Sequence[TableRow], meant: str) -> dict[frozenset[str], _Fare]:
    """The price of each row, in the column that is `meant` if any is, by the words of its name; of rows that have
    several else, and where two have one name, none."""
    fares = dict[frozenset[str], _Fare]()
    for row in rows:
        prices = _prices_in([cell for cell in row.cells[1:] if not meant or cell[0] == meant])
        name = row.cells[0][1] if row.cells else ""
        words = word_stems(said_name(name))
        if len(prices) == 1 and words:
            if words in fares:
                return {}
            fares[words] = _Fare(name, *prices[0])
    return fares


def _prices_in(cells: Sequence[tuple[str, str]]) -> list[tuple[str, Amount]]:
    return [(cell, price) for _, cell in cells if is_money(cell) and (price := only_amount(cell))]


def _counted(question: str) -> list[_Counted]:
    """What a question counts; nothing where people are told by an age and not counted: "my 12-year-old"."""
    aged = []
    for told in _OF_AGE.finditer(question):
        count, age = counted_number(told["count"].casefold()), counted_number(told["age"].casefold())
        if not (0 < count <= MAX_COUNT and age):
            return []
        aged.append(_Counted(count, frozenset(), bool(told["joined"]), age))
    found = []
    words = _COUNTING_WORD.findall(_OF_AGE.sub(" ", question).casefold())
    for before, (number, thing) in zip(["", *words], pairwise([*words, ""]), strict=False):
        if 0 < (count := counted_number(number)) <= MAX_COUNT:
            stems = word_stems(_SINGULAR.get(thing, thing))
            found.append(_Counted(count, stems, before in _AND_WORDS, child=thing in _CHILDREN))
    return [*found, *aged]


def counted_number(word: str) -> int:
    """What a word counts; 0 for one that counts nothing."""
    return int(word) if word.isdecimal() else 1 if word in _ONE else load_lexicon().numbers.get(word, 0)


def _may_be_free(one: _Counted, rows: Sequence[TableRow], fares: dict[frozenset[str], _Fare]) -> bool:
    """Whether somebody told by their age is also of the age of a row without a price; or a child, where the rows of
    children are called by their ages."""
    priced = {fare.name for fare in fares.values()}
    unpriced = [row.cells[0][1] for row in rows if row.cells and row.cells[0][1] not in priced]
    named = any((_CHILD | one.thing) & name for name in fares)
    if one.age is None and (named or not (one.child or one.thing == _CHILD)):
        return False
    ages = range(GROWN_UP) if one.age is None else (one.age,)
    return any(is_of_age(name, age) for name in unpriced for age in ages)


def _fare_for(one: _Counted, fares: dict[frozenset[str], _Fare], said: frozenset[str]) -> _Fare | None:
    """The price of what is counted: of the row of its name, or of the only one whose other words a question says too,
    and of the only one of its age, or of children's ages. A row of "ten rides" is no price of one of ten.
    """
    if one.age is not None:
        meant = [fare for fare in fares.values() if is_of_age(fare.name, one.age)]
    else:
        things = [one.thing, *([_CHILD] if one.child else [])]
        meant = next(filter(None, (_fares_named(thing, fares, said) for thing in things)), [])
        meant = meant or (_fares_of_children(fares, said) if _CHILD in things else [])
    if len(meant) != 1 or one.count in map(counted_number, _COUNTING_WORD.findall(meant[0].name.casefold())):
        return None
    return meant[0]


def _fares_named(thing: frozenset[str], fares: dict[frozenset[str], _Fare], said: frozenset[str]) -> list[_Fare]:
    if thing in fares:
        return [fares[thing]]
    if not thing or any(map(counted_number, thing)):
        return []
    return [fare for name, fare in fares.items() if thing < name and name - thing <= said]


def _fares_of_children(fares: dict[frozenset[str], _Fare], said: frozenset[str]) -> list[_Fare]:
    """The price of the row that says of whom it is by the ages of children and nothing else that was not said, "Under
    16"; of none where several rows do: toddlers pay less."""
    of_age = [fare for fare in fares.values() if any(is_of_age(fare.name, age) for age in range(GROWN_UP))]
    young = [fare for fare in of_age if not is_of_age(fare.name, GROWN_UP)]
    if len(young) != 1 or not all(is_of_age(young[0].name, age) for age in _AGES_OF_CHILDREN):
        return []
    beside = {word for word in word_stems(young[0].name) if word.isalpha()} - _OF_AGES - said
    return [] if beside else young


def _add_up(party: Sequence[tuple[_Counted, _Fare | None]]) -> str:
    """The sum of what is counted, in words of the table; empty for one thing, and where something has no price.

    Of "a single ticket for two adults" the ticket is none of the party: its row is that of the adults.
    """
    of_party = {fare.name for one, fare in party if fare and one.certain}
    parts = [(one.count, fare) for one, fare in party if fare and (one.certain or fare.name not in of_party)]
    uncounted = any(not fare and one.certain for one, fare in party)
    units = {(fare.price.sign, fare.price.unit) for _, fare in parts}
    twice = len({fare.name for _, fare in parts}) < len(parts)
    if uncounted or twice or len(units) != 1 or sum(count for count, _ in parts) < 2:
        return ""
    total = sum((count * fare.price.value for count, fare in parts), Fraction(0))
    told = " + ".join(f"{count} × {fare.name} ({fare.cell})" for count, fare in parts)
    return f"{told} = {write_total(total, parts[0][1].price, parts[0][1].cell)}"


def write_total(total: Fraction, price: Amount, written: str) -> str:
    """A sum in the form of a price, as that is `written`."""
    number = str(total) if total.denominator == 1 else f"{float(total):.2f}"
    if re.search(r"\d,\d\d(?!\d)", written):
        number = number.replace(".", ",")
    spaced = f" {price.unit}" if price.unit else ""
    return f"{price.sign}{number}{spaced}"
