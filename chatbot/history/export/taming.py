"""A model's Markdown in which nothing is live: no HTML, no picture, no link that runs something, no open block of code.

What is code is what a Markdown parser takes for code, and stays as it is.
"""

import re
import secrets
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from utils.text import clean

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The backslashes before it are read too: an odd one would take the entity's own sign.
_LIVE = re.compile(r"(?<!\\)(\\*)(<(?!https?://[^\s<>]*>)(?=[A-Za-z/!?])|!(?=\[))")
_LINKING = re.compile(r"(?<!\\)(\\*)(\](?=[(\[:]))")
_CODE_FENCE = re.compile(r"`{3,}|~{3,}")
_SAFE = frozenset({"", "http", "https", "mailto"})


def tame_markdown(text: str) -> str:
    """The Markdown as something that any viewer may show, whatever is written before and behind it."""
    text = clean(text)
    shown = _disarm_outside_code(text)
    for markup in _left_open(shown)[:1]:
        shown += f"\n{markup}"
    if _left_open(shown):
        # What closes it for one kind of Markdown opens it for another: then it is shown as it was written.
        shown = _disarm_outside_code(_CODE_FENCE.sub(lambda found: f"&#{ord(found[0][0])};" * len(found[0]), text))
    return _disarm_signs(shown, _LINKING) if any(map(_runs_something, _linked_addresses(shown))) else shown


def _disarm_outside_code(text: str) -> str:
    """The text without HTML and pictures, but for what stands in code.

    What begins a line begins a block of HTML there, within code that goes over the line as well: where some is left,
    only blocks are taken for code, and where that leaves some, nothing is.
    """
    for kinds in (("fence", "code_inline"), ("fence",), ()):
        shown = _disarm_signs(text, _LIVE, kinds)
        if not any(_is_live(tokens) for tokens, _ in _parse_markdown(shown)):
            break
    return shown


def _is_live(tokens: Sequence["Token"]) -> bool:
    return any(
        token.type in ("html_block", "html_inline", "image") or _is_live(token.children or ()) for token in tokens
    )


def _disarm_signs(text: str, live: re.Pattern[str], kinds: Sequence[str] = ("fence", "code_inline")) -> str:
    """The text with entities in the place of such signs outside of code of these kinds."""
    # Each is tried as a word: to a parser it is as inert as the entity will be.
    word = f"q{secrets.token_hex(8)}q"
    numbers = iter(range(len(text)))
    marked = live.sub(lambda found: f"{_even_backslashes(found)}{word}{next(numbers)}q", text)
    # What one kind of Markdown takes for code and another does not is none.
    code = set.intersection(
        *(
            {int(n) for kept in _code_of_tokens(tokens, kinds) for n in re.findall(rf"{word}(\d+)q", kept)}
            for tokens, _ in _parse_markdown(marked)
        )
    )
    numbers = iter(range(len(text)))
    return live.sub(
        lambda found: found[0] if next(numbers) in code else f"{_even_backslashes(found)}&#{ord(found[2])};", text
    )


def _even_backslashes(found: re.Match[str]) -> str:
    return found[1][: len(found[1]) // 2 * 2]


def _left_open(text: str) -> list[str]:
    """What would close the block of code that a text ends in, for each kind of Markdown to which it ends in one."""
    word = f"q{secrets.token_hex(8)}q"
    tokens = (token for tokens, _ in _parse_markdown(f"{text}\n\n{word}") for token in tokens)
    return [token.markup for token in tokens if token.type == "fence" and word in token.content]


def _code_of_tokens(tokens: Sequence["Token"], kinds: Sequence[str]) -> Iterator[str]:
    """The code of these kinds in a text; not that which only its indentation makes one: in a list it makes none."""
    for token in tokens:
        if token.type in kinds:
            yield token.content
        yield from _code_of_tokens(token.children or (), kinds)


def _linked_addresses(text: str) -> Iterator[str]:
    for tokens, defined in _parse_markdown(text):
        yield from (
            str(child.attrGet("href")) for token in tokens for child in token.children or () if "href" in child.attrs
        )
        yield from (reference["href"] for reference in defined.values())


def _runs_something(address: str) -> bool:
    """Whether an address leads to what runs, or to a file: anything but a page, a mail or a place beside the text.

    What has a colon and no scheme that can be read is left to no viewer to make something of.
    """
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        return True
    return scheme not in _SAFE or (not scheme and ":" in address and not address.startswith("#"))


def _parse_markdown(text: str) -> Iterator[tuple[list["Token"], dict[str, Any]]]:
    """The tokens and the defined links of a text, as each kind of Markdown has them."""
    for parser in _markdown_parsers():
        known: dict[str, Any] = {}
        yield parser.parse(text, known), known.get("references", {})


@cache
def _markdown_parsers() -> "tuple[MarkdownIt, ...]":
    from markdown_it import MarkdownIt

    parsers = (
        MarkdownIt("commonmark"),
        MarkdownIt("commonmark").enable(["table", "strikethrough"]),
        # In a note, indented lines go on with the note.
        MarkdownIt("commonmark").disable("code"),
    )
    for parser in parsers:
        # Addresses are looked at here, as they are written.
        parser.validateLink = lambda url: True  # type: ignore[method-assign]
        parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return parsers
