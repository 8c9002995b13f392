"""Lists of terms with what is said of each (`dl`): as text the one would stand in another line than the other."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rag.readers.website.page_text import element_text

MIN_TERMS, MAX_TERM_CHARS, MAX_TOLD_CHARS = 2, 80, 200
"""Terms of a list, characters of one and of what is said of it: a longer one is an entry of a book of reference."""
LINKS_OF_CONTENTS = 0.7
"""The share of a list's characters that are in links from which on it only leads somewhere."""
ALL_OF_LIST = 0.98
"""The share of a list's letters that its terms and what is said of them must have."""
_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_NO_CELL = ("table", "ul", "ol", "pre", "dl", "blockquote")
"""What stands in no cell of a table."""


def tabulate_terms(tree: Any) -> None:
    """Make each list of short terms of a page (lxml) a table, a row a term, "Dog", "3.50 a night", and of a longer one
    paragraphs that begin with the term: of an option and what it does trafilatura may keep the option alone."""
    for terms in list(tree.iter("dl")):
        if _is_contents(terms) or _says_more(terms):
            continue
        entries = list(_entries_of(terms))
        if len(entries) < MIN_TERMS or not all(_is_short(names, told) for names, told in entries):
            told_below = terms.makeelement("div")
            told_below.extend([part for names, told in entries for part in _told_of(names, told)])
        else:
            told_below = terms.makeelement("table")
            told_below.extend([_row_of(terms, names, told) for names, told in entries])
        told_below.tail = terms.tail
        terms.getparent().replace(terms, told_below)


def _is_contents(terms: Any) -> bool:
    """Whether nearly all that a list says, and its terms, are links, as in a table of contents."""
    return _is_of_links([terms]) and _is_of_links(list(terms.iter("dt")))


def _is_of_links(parts: Sequence[Any]) -> bool:
    links = [link for part in parts for link in part.iter("a") if link.get("href")]
    return _length_of(links) >= LINKS_OF_CONTENTS * max(1, _length_of(parts))


def _says_more(terms: Any) -> bool:
    """Whether something stands in a list beside its terms and what is said of them: a heading, or a loose paragraph."""
    return _length_of(_parts_of(terms)) < ALL_OF_LIST * _length_of([terms])


def _parts_of(terms: Any) -> list[Any]:
    """The terms of a list and what is said of them, without those of a list in it; each may be wrapped, for the looks
    of the page."""
    return [part for part in terms.iter("dt", "dd") if next(part.iterancestors("dl")) is terms]


def _length_of(parts: Sequence[Any]) -> int:
    """Letters of the words of some elements."""
    return sum(len("".join(element_text(part).split())) for part in parts)


def _told_of(names: Sequence[Any], told: Sequence[Any]) -> Iterator[Any]:
    """A paragraph with terms and what is said of them; where that has lists or several paragraphs, these behind it."""
    blocks = (*_NO_CELL, *_HEADING_TAGS)
    whole = not any(len(list(part.iter("p"))) > 1 or any(True for _ in part.iter(*blocks)) for part in told)
    term = _text_of(names, ", ")
    if term or whole:
        paragraph = (names or told)[0].makeelement("p")
        said = _text_of(told, " ") if whole else ""
        paragraph.text = ": ".join(filter(None, (term, said)))
        yield paragraph
    for part in () if whole else told:
        part.tag = "div"
        yield part


def _entries_of(terms: Any) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """The terms that stand together, and what is said of them; either may lack the other."""
    names: Sequence[Any] = ()
    for tag, group in groupby(_parts_of(terms), key=lambda part: part.tag):
        if tag == "dt":
            names = list(group)
        else:
            yield names, list(group)
            names = ()
    if names:
        yield names, ()


def _is_short(names: Sequence[Any], told: Sequence[Any]) -> bool:
    cells = [part for part in told if any(True for _ in part.iter(*_NO_CELL))]
    short = len(_text_of(names, ", ")) <= MAX_TERM_CHARS and len(_text_of(told, "; ")) <= MAX_TOLD_CHARS
    return bool(names and told) and short and not cells


def _row_of(table: Any, names: Sequence[Any], told: Sequence[Any]) -> Any:
    row, name, cell = (table.makeelement(tag) for tag in ("tr", "th", "td"))
    name.text, cell.text = _text_of(names, ", "), _text_of(told, "; ")
    row.extend([name, cell])
    return row


def _text_of(parts: Sequence[Any], between: str) -> str:
    return between.join(map(element_text, parts))
