"""A small grammar of Strudel's mini-notation: says whether a pattern can be read, and where not.

stack     sequence  { "," sequence }   |   sequence  { "|" sequence }   |   sequence  { "." sequence }
sequence  [ "^" ]  item  { item }
item      atom  { operator }
atom      word   |   "[" stack "]"   |   "<" stack ">"   |   "{" stack "}" [ "%" atom ]
operator  "*" atom  |  "/" atom  |  "!" [number]  |  "@" [number]  |  "_"  |  "?" [number]  |  ":" atom  |  ".." atom
          |  "(" item "," item [ "," item ] ")"
"""

import re

_STEP_WORD = re.compile(r"[\w~#.^-]+")
_STEP_NUMBER = re.compile(r"-?\d*\.?\d+(?:[eE][+-]?\d+)?")
_STEP_COMMENT = re.compile(r"//[^\n]*")
_CLOSES = {"[": "]", "<": ">", "{": "}"}
_STEP_SEPARATORS = ",|."
MAX_DEPTH = 50
"""Brackets within brackets: no pattern that is played has a tenth of them."""


class NotationError(Exception):
    """A pattern cannot be read; says in a few words why, without a period."""


def check_notation(pattern: str) -> None:
    """Raise `NotationError` where a pattern cannot be read; an empty one is silence."""
    reader = _Reader(_STEP_COMMENT.sub("", pattern))
    if reader.peek():
        reader.read_stack("")
    if left := reader.peek():
        raise NotationError(f"{left} closes nothing" if left in "]>})" else f"{left} cannot stand here")


class _Reader:
    """Reads a pattern from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        return self._text[self._at : self._at + 1]

    def read_stack(self, opened: str) -> None:
        """Sequences side by side, up to what closes the bracket that was `opened`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotationError(f"it is nested more than {MAX_DEPTH} deep")
        self._read_sequence(opened)
        separator = self._peek_separator()
        while separator and self._peek_separator() == separator:
            self._at += 1
            self._read_sequence(opened)
        if other := self._peek_separator():
            raise NotationError(f"{separator} and {other} cannot stand beside each other without brackets")
        self._depth -= 1

    def _read_sequence(self, opened: str) -> None:
        if self.peek() == "^" and self._text[self._at + 1 : self._at + 2].isspace():
            self._at += 1
        read = 0
        while (found := self.peek()) and not self._peek_separator() and found not in "]>})":
            self._read_item()
            read += 1
        if not read:
            where = f"between {opened} and {_CLOSES[opened]}" if opened else "beside a separator"
            raise NotationError(f"there is nothing {where}")

    def _peek_separator(self) -> str:
        """The separator that comes next; a dot is one where it stands alone."""
        found = self.peek()
        if found == "." and _word_at(self._text, self._at) != ".":
            return ""
        return found if found and found in _STEP_SEPARATORS else ""

    def _read_item(self) -> None:
        self._read_atom()
        while self._read_operator():
            pass

    def _read_atom(self) -> None:
        opened = self.peek()
        if opened and opened in _CLOSES:
            self._read_brackets(opened)
            return
        word = _word_at(self._text, self._at)
        if not word or word in (".", "_"):
            raise NotationError(f"{opened or 'the end'} cannot stand where a sound, note or number is wanted")
        self._at += len(word)

    def _read_brackets(self, opened: str) -> None:
        self._at += 1
        self.read_stack(opened)
        closed = self.peek()
        if closed != _CLOSES[opened]:
            told = f"{closed} stands where {_CLOSES[opened]} is wanted" if closed else f"the {opened} is not closed"
            raise NotationError(told)
        self._at += 1
        if opened == "{" and self._text[self._at : self._at + 1] == "%":
            self._at += 1
            self._read_atom()

    def _read_operator(self) -> bool:
        """Read the operator behind an item; False where there is none."""
        sign = self._text[self._at : self._at + 1]
        if sign and sign in "*/:":
            self._at += 1
            self._read_atom()
        elif sign == "(":
            self._read_rhythm()
        elif sign == "?" or self.peek() in ("!", "@"):
            self._at += 1
            self._read_number()
        elif _word_at(self._text, self._at) in ("_", ".."):
            range_follows = _word_at(self._text, self._at) == ".."
            self._at += 2 if range_follows else 1
            if range_follows:
                self._read_atom()
        else:
            return False
        return True

    def _read_rhythm(self) -> None:
        """Pulses, steps and where to begin: (3,8) or (3,8,2)."""
        self._at += 1
        self._read_item()
        counted = 1
        while self.peek() == ",":
            self._at += 1
            self._read_item()
            counted += 1
        if self.peek() != ")":
            raise NotationError("the ( is not closed")
        if counted not in (2, 3):
            raise NotationError("in ( ) stand two or three numbers, as in (3,8) or (3,8,2)")
        self._at += 1

    def _read_number(self) -> None:
        if found := _STEP_NUMBER.match(self._text, self._at):
            self._at = found.end()


def _word_at(text: str, at: int) -> str:
    found = _STEP_WORD.match(text, at)
    return found[0] if found else ""
