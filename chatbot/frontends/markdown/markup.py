"""Which characters of an answer are markup, and which are what the model wrote: in doubt they are text, and shown."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, lheading, table
from markdown_it.rules_block.table import escapedSplit, getLine
from markdown_it.rules_inline import StateInline, emphasis, escape, link, strikethrough

# Nothing may vanish from an answer: raw HTML, link definitions, `&amp;` and `<https://...>` are shown as they stand.
_OFF = ("reference", "entity", "autolink")
# Characters of a word, on each side, by which is decided whether it is a path, a formula or an address.
_REACH = 200
_NAME = re.compile(r"\w{1,80}")
_ENDS, _BEGINS = frozenset(".,;:!?)]}>|=%/"), frozenset("([{")
_CLOSES_EMPHASIS = frozenset(")]},;")
_AFTER = frozenset(".,;:!?)]}>\"'*_~-|")
_ADDRESS = re.compile(r"[/#.?]|mailto:|[a-z]{1,20}://", re.IGNORECASE)
_SHORTEST_UNDERLINE = 3
_ESCAPABLE = frozenset("*_`~#")
_CODED = re.compile(r"\\[A-Za-z0-9\\]")
_NUMBERED_ITEM = re.compile(r"(?:\A|\n)[ ]{0,3}\d{1,9}\Z")


def answer_parser() -> MarkdownIt:
    """A parser of CommonMark, tables and strikes that takes nothing for markup that may be meant as text."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(_OFF)
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    parser.block.ruler.at("lheading", _underlined)
    parser.inline.ruler.at("escape", _escape)
    parser.inline.ruler.at("link", _link)
    parser.inline.ruler.at("emphasis", _marking(emphasis.tokenize))
    parser.inline.ruler.at("strikethrough", _marking(strikethrough.tokenize))
    parser.inline.ruler.before("emphasis", "name", _name)
    parser.inline.ruler2.after("balance_pairs", "uneven_pairs", _part_uneven)
    return parser


@dataclass(frozen=True)
class _Run:
    """A run of markers such as `**`, and what stands around it."""

    markers: str
    word: str
    """What stands before it without a space."""
    before: str
    after: str

    def opens(self) -> bool:
        """Whether emphasis may begin here; not in `a*b`, `f(x)*(y)`, `count(*)`, `*.py` or an address."""
        if _in_word(self.before) or self.before in ")]}" or (self.before == "/" and len(self.markers) == 1):
            return False
        if self.after in _CLOSES_EMPHASIS or _is_address(self.word):
            return False
        # **.NET** and **/etc/hosts** are emphasised, *.py is not.
        return self.after not in _ENDS or (len(self.markers) > 1 and self.before in " \n\t([{*_~")

    def closes(self) -> bool:
        """Whether emphasis may end here; not in `x**2` or `src/**`, but in `**S**tructured`."""
        if self.before in _BEGINS or self.before == "<":
            return False
        if self.before == "/":
            return self._opened_before("/")
        if self.after.isspace() or self.after in _AFTER:
            return True
        if _is_address(self.word) or (len(self.markers) == 1 and self.after in "/(["):
            return False
        return (not self.after.isascii() and not _in_word(self.after)) or self._opened_before()

    def _opened_before(self, but: str = "") -> bool:
        """Whether the word begins with such markers, and not in front of `but`."""
        ahead, found, rest = self.word.partition(self.markers)
        if not found or any(map(_in_word, ahead)):
            return False
        return not (but and rest.lstrip(self.markers).startswith(but))


def _marking(tokenize: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """A rule for markers that asks what stands around them too."""

    def rule(state: StateInline, silent: bool) -> bool:
        start, known = state.pos, len(state.delimiters)
        if not tokenize(state, silent):
            return False
        src, end = state.src, state.pos
        before, after = src[start - 1 : start] or " ", src[end : end + 1] or " "
        run = _Run(src[start:end], _word_before(src, start), before, after)
        for delimiter in state.delimiters[known:]:
            delimiter.open = delimiter.open and run.opens()
            delimiter.close = delimiter.close and run.closes()
        return True

    return rule


def _part_uneven(state: StateInline) -> None:
    """What begins with `**` does not end with `*`: both are text."""
    for delimiters in [
        state.delimiters,
        *(meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta),
    ]:
        for opening in delimiters:
            if opening.end >= 0 and {opening.length, delimiters[opening.end].length} == {1, 2}:
                opening.end = -1


def _name(state: StateInline, silent: bool) -> bool:
    """A name such as `__init__` is a name."""
    if not state.src.startswith("__", state.pos) or _in_word(state.src[state.pos - 1 : state.pos]):
        return False
    found = _NAME.match(state.src, state.pos, state.posMax)
    if found is None or not found[0].endswith("__") or not found[0].strip("_"):
        return False
    return _take(state, found[0], silent)


def _escape(state: StateInline, silent: bool) -> bool:
    r"""A backslash hides a marker, as in `\*`; in `C:\new`, `\(x\)`, `\\server` and at the end of a line it is text."""
    if state.src[state.pos] != "\\":
        return False
    following = state.src[state.pos + 1 : min(state.pos + 2, state.posMax)]
    if _is_escape(state, following):
        return escape(state, silent)
    # What follows is text with it, so that nothing else begins there.
    together = following if following and following in "\\[]!*_`~" else ""
    return _take(state, "\\" + together, silent)


def _is_escape(state: StateInline, following: str) -> bool:
    src, pos = state.src, state.pos
    if following in _ESCAPABLE:
        return not _CODED.search(_word_before(src, pos) + (src[pos : pos + _REACH].split() or [""])[0])
    if following and following in ".)":
        return bool(_NUMBERED_ITEM.search(src[max(0, pos - 14) : pos]))
    return bool(following) and following in "-+>" and src[max(0, pos - 1) : pos] in ("", "\n")


def _link(state: StateInline, silent: bool) -> bool:
    """A link leads to something like an address: `table[key](value)` is none."""
    src = state.src
    if src[state.pos] != "[":
        return False
    end = state.md.helpers.parseLinkLabel(state, state.pos, True)
    if end < 0 or src[end + 1 : end + 2] != "(":
        return False
    begin = end + 2
    while src[begin : begin + 1].isspace():
        begin += 1
    target = state.md.helpers.parseLinkDestination(src, begin, state.posMax)
    leads = _ADDRESS.match if _in_word(src[max(0, state.pos - 1) : state.pos]) else _ADDRESS.search
    return target.ok and leads(target.str) is not None and link(state, silent)


def _underlined(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A line below a paragraph makes it a heading; a single `-` or `=` is text."""
    known = len(state.tokens)
    if not lheading(state, first, last, silent):
        return False
    if len(getLine(state, state.line - 1).strip()) >= _SHORTEST_UNDERLINE:
        return True
    del state.tokens[known:]
    state.line = first
    return False


def _table(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A table; cells for which there is no column go into the last one."""
    if silent:
        # It is asked whether one begins here and ends what stands before it; nothing is made of it yet.
        return table(state, first, last, silent)
    known = len(state.tokens)
    if not table(state, first, last, silent):
        return False
    columns = sum(token.type == "th_open" for token in state.tokens[known:])
    cells = [token for token in state.tokens[known:] if token.type == "inline"]
    for ending in cells[2 * columns - 1 :: columns]:
        assert ending.map is not None
        row = _cells(getLine(state, ending.map[0]))
        if len(row) > columns:
            ending.content = " | ".join(row[columns - 1 :])
    return True


def _cells(line: str) -> list[str]:
    """The cells of a row, as the parser of tables takes it apart."""
    cells = [cell.strip() for cell in escapedSplit(line.strip())]
    return cells[cells[0] == "" : len(cells) - (cells[-1] == "" and len(cells) > 1)]


def _take(state: StateInline, text: str, silent: bool) -> bool:
    if not silent:
        state.append_pending(text)
    state.pos += len(text)
    return True


def _word_before(src: str, end: int) -> str:
    near = src[max(0, end - _REACH) : end]
    return near.split()[-1] if near and not near[-1].isspace() else ""


def _is_address(word: str) -> bool:
    return "://" in word or word.startswith("www.")


def _in_word(character: str) -> bool:
    """Whether words are set apart by spaces in its script, so that no emphasis begins within one."""
    return bool(character) and unicodedata.category(character) in {"Lu", "Ll", "Lt", "Nd"}
