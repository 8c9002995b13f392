"""Source code as a tree of its definitions, found by the line that begins each and by how far it is indented."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE_CHARS = 300
"""Characters of a line that are looked at."""
_MAX_NESTED_DEFINITIONS = 20
_MODIFIERS = (
    r"(?:(?:abstract|async|case|const|data|default|declare|export|extern(?:[ ]\"C\")?|final|inline|internal|local|open"
    r"|override|partial|private|protected|pub(?:\([a-z]{1,20}\))?|public|sealed|static|suspend|unsafe|virtual)[ ]){0,6}"
)
# With a word that says what is defined, as most languages have it.
_KEYWORD_LINE = re.compile(
    rf"{_MODIFIERS}(class|def|enum|extension|fn|fun|func|function\*?|impl|instance|interface|module|namespace|object"
    r"|protocol|record|struct|sub|trait|type|union)(?:<[^<>]{0,80}>)?[ ](?:\([^()]{0,80}\)[ ])?(?:<[^<>]{0,80}>[ ])?"
    r"([\w.$:~'-]{1,100})"
)
# `const wait = async (minutes) => {`
_ARROW_LINE = re.compile(
    r"(?:export[ ])?(?:default[ ])?(?:const|let|var)[ ]([\w$]{1,100})\b[^=]{0,80}=[ ](?:async[ ])?[(\w].{0,200}=>"
)
# `int wait(int minutes) {`, `public List<String> names() {`; not `return f(x)`, and no call.
_TYPED_LINE = re.compile(r"(?:[\w<>\[\]:*&,?@.~]{1,80}[ ]{1,4}[*&]?){0,6}?([\w:~$]{1,100})[ ]?\([^;]{0,250}$")
_NO_DEFINITION = re.compile(
    r"(?:if|else|elif|for|foreach|while|switch|match|when|do|return|catch|case|try|throw|throws|new|await|yield|assert"
    r"|using|lock|with|unless|until|elsif|guard|defer|go|select|in|not|and|or|goto|sizeof|print|println)\b"
)
# Lines that end a block which began above them.
_CLOSING_LINE = re.compile(r"(?:[)\]}]|end\b|\{$|where\b)")
_LEADING_SIGNS = ("@", "#[", "///", "//", "/*", "*", "#", "--", "[", "template")
"""What stands in front of a definition and belongs to it: decorators, attributes, comments."""
_UNTYPED = frozenset({"python", "ruby", "go", "rust", "haskell", "lua"})


@dataclass
class Definition:
    """A stretch of code that defines something, with what is defined in it; the whole text has no name."""

    start: int
    end: int
    name: str = ""
    indent: int = -1
    inner: list["Definition"] = field(default_factory=list)


@dataclass(frozen=True)
class _Line:
    start: int
    indent: int
    text: str
    """Without white space around it; not all of a long one."""


def find_definitions(text: str, language: str) -> Definition:
    """The text as the definition of all that is in it."""
    root = Definition(0, len(text))
    open_ones = [root]
    above = -1
    last = 0
    for line in _iter_lines(text):
        if not line.text:
            # An empty line parts a comment from what comes below it.
            above = -1
            continue
        while len(open_ones) > 1 and _is_over(open_ones[-1], line):
            open_ones.pop().end = last
        name = _defined_name(line.text, language)
        if name and len(open_ones) <= _MAX_NESTED_DEFINITIONS:
            begun = Definition(above if above >= 0 else line.start, len(text), name, line.indent)
            open_ones[-1].inner.append(begun)
            open_ones.append(begun)
        leading = not name and line.text.startswith(_LEADING_SIGNS)
        above = -1 if not leading else above if above >= 0 else line.start
        last = _line_end(text, line.start)
    for each in open_ones[1:]:
        each.end = max(last, each.start)
    return root


def _is_over(definition: Definition, line: _Line) -> bool:
    """Whether a line stands behind a definition: no deeper than its first line, and none that closes it."""
    return line.indent < definition.indent or (line.indent == definition.indent and not _CLOSING_LINE.match(line.text))


def _defined_name(line: str, language: str) -> str:
    """What a line begins to define, `class Heron` or `wait`; empty for other lines."""
    if found := _KEYWORD_LINE.match(line):
        return f"{found[1]} {found[2].rstrip(':')}"
    if language in _UNTYPED or _NO_DEFINITION.match(line):
        return ""
    if language in {"js", "ts"} and (found := _ARROW_LINE.match(line)):
        return found[1]
    if not line.endswith(("{", ")", ",", "(", "const", "override")) or "=" in line.partition("(")[0]:
        return ""
    found = _TYPED_LINE.match(line)
    # Without a body behind it, it is a call; methods of JavaScript have no type.
    return found[1] if found and (line.endswith("{") or " " in line.partition("(")[0].strip()) else ""


def _iter_lines(text: str) -> Iterator[_Line]:
    start = 0
    while start < len(text):
        end = _line_end(text, start)
        line = text[start : min(end, start + _LINE_CHARS)]
        bare = line.lstrip(" \t")
        yield _Line(start, len(line[: len(line) - len(bare)].expandtabs(4)), bare.rstrip())
        start = end


def _line_end(text: str, start: int) -> int:
    """The place behind the newline that ends a line."""
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1
