"""A session as Markdown, and as one HTML page that loads nothing and runs nothing."""

import html
import re
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message, Source
from chatbot.conversation.sources import by_number
from chatbot.history.entries import Feedback, TurnAnswered
from chatbot.history.export.taming import tame_markdown
from chatbot.history.store import Loaded
from rag.documents import Passage
from rag.zim.address import tell_archive
from utils.local_time import local_time
from utils.text import clean, one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_CITED_NUMBERS = re.compile(r"\[\d{1,3}(?:, ?\d{1,3})*\](?![(\[:])")
_INDENT = re.compile("^ +")
_SOURCE_EXCERPT_CHARS = 300
"""Characters of a passage in the list of sources."""


@dataclass(frozen=True)
class _Part:
    """Something that is said: by whom, Markdown (of the user: plain text), and a line below it."""

    who: str
    text: str
    thinking: str = ""
    below: str = ""


def to_markdown(loaded: Loaded) -> str:
    """The conversation as Markdown, its sources numbered at the end."""
    lines = [f"# {_escape_markdown(_session_title(loaded))}", "", _begun_line(loaded), ""]
    for part in _iter_parts(loaded):
        lines += [f"## {part.who}", ""]
        if part.thinking:
            lines += ["<details><summary>Thinking</summary>", "", _quote_lines(part.thinking), "", "</details>", ""]
        lines += [_quote_lines(part.text) if part.who == "You" else tame_markdown(part.text), ""]
        lines += [f"*{_escape_markdown(part.below)}*", ""] if part.below else []
    if sources := _numbered_sources(loaded):
        lines += ["## Sources", ""]
        lines += [f"{source.number}. {_linked_source(source)}" for source in sources]
    return "\n".join(lines).rstrip() + "\n"


def to_html(loaded: Loaded) -> str:
    """The conversation as a page of its own: its style is in it, its sources are linked, nothing else is loaded."""
    sources = _numbered_sources(loaded)
    known = {source.number for source in sources}
    body = [
        f"<h1>{html.escape(_session_title(loaded))}</h1>",
        f'<p class="when">{html.escape(_begun_line(loaded))}</p>',
    ]
    for part in _iter_parts(loaded):
        kind = {"You": "you", "Summary": "summary"}.get(part.who, "answer")
        body.append(f'<section class="{kind}"><h2>{html.escape(part.who)}</h2>')
        if part.thinking:
            body.append(f"<details><summary>Thinking</summary><div>{_plain_html(part.thinking)}</div></details>")
        body.append(f"<div>{_plain_html(part.text)}</div>" if kind == "you" else _render_markdown(part.text, known))
        body.append(f'<p class="below">{html.escape(part.below)}</p>' if part.below else "")
        body.append("</section>")
    if sources:
        body.append(
            f'<section class="sources"><h2>Sources</h2><ol>{"".join(map(_source_item, sources))}</ol></section>'
        )
    return _PAGE.format(
        title=html.escape(_session_title(loaded)), style=_PAGE_STYLE, body="\n".join(filter(None, body))
    )


def _session_title(loaded: Loaded) -> str:
    return one_line(loaded.info.title) or "Conversation"


def _begun_line(loaded: Loaded) -> str:
    began = local_time(loaded.info.created)
    return f"{began:%Y-%m-%d %H:%M}, {loaded.info.model or 'no model'}" if began else loaded.info.model or "no model"


def _iter_parts(loaded: Loaded) -> Iterator[_Part]:
    for entry in loaded.entries:
        match entry.value:
            case Message(role="user", content=content, pictures=pictures):
                told = "; ".join(f"picture {one.name}, {one.size}" for one in pictures)
                yield _Part("You", content, below=told)
            case Message(role="assistant", tool_calls=calls) as message if calls:
                told = "; ".join(f"{call.label} {_arguments_text(call.arguments)}".strip() for call in calls)
                yield _Part("Magpie", message.content, message.thinking, f"Looked up: {one_line(told)}")
            case Message(role="assistant", interrupted=interrupted) as message:
                yield _Part("Magpie", message.content, message.thinking, "interrupted" if interrupted else "")
            case Compaction(summary=summary, covers=covers):
                yield _Part("Summary", summary, below=f"In the place of the first {covers} messages from here on.")
            case Feedback() as mark:
                yield _Part("You", "", below=mark.describe())
            case TurnAnswered() as answered if told := _ending_note(answered):
                yield _Part("Magpie", "", below=told)


def _ending_note(answered: TurnAnswered) -> str:
    """What a reader must know of an answer that its text does not say."""
    cut = "The answer was cut at the number of tokens that it may have." if answered.truncated else ""
    numbers = ", ".join(map(str, answered.unsupported))
    struck = f"Struck, for the source does not say what the number stood behind: {numbers}." if numbers else ""
    return " ".join(filter(None, (cut, struck)))


def _arguments_text(arguments: dict[str, object]) -> str:
    return ", ".join(f"{value}" for value in arguments.values())


def _numbered_sources(loaded: Loaded) -> list[Source]:
    """The numbered passages of the conversation, each number once."""
    found = by_number(loaded.messages)
    return [found[number] for number in sorted(found)]


def _linkable_address(address: str) -> str:
    """The address if it can be linked: a web page and nothing that runs or reads files."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme in ("http", "https") and parts.netloc else ""


def _linked_source(source: Source) -> str:
    passage = source.passage
    title = _escape_markdown(one_line(passage.headed_title or passage.source))
    address = re.sub(r"[\s<>\\]", lambda found: f"%{ord(found[0]):02X}", clean(_linkable_address(passage.source)))
    where = f"[{title}](<{address}>)" if address else f"{title} ({_escape_markdown(_plain_place(passage))})"
    return f"{where}: {_escape_markdown(one_line(passage.text, _SOURCE_EXCERPT_CHARS))}"


def _plain_place(passage: Passage) -> str:
    """A source's address or path as it is, with the archive that an article is from."""
    told = tell_archive(passage.source, passage.fetched)
    return one_line(f"{passage.source}, {told}" if told else passage.source)


def _escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&])", r"\\\1", clean(text))


def _quote_lines(text: str) -> str:
    """Lines that Markdown shows as they are, as a quotation."""
    lines = (
        _INDENT.sub(lambda spaces: "\u00a0" * len(spaces[0]), line.expandtabs(4)) for line in clean(text).split("\n")
    )
    return "\n".join(f"> {_escape_markdown(line)}\\" if line.strip() else ">" for line in lines).removesuffix("\\")


def _plain_html(text: str) -> str:
    return html.escape(clean(text)).replace("\n", "<br>\n")


def _render_markdown(text: str, known: set[int]) -> str:
    """Markdown as HTML: HTML in it is shown as text, pictures become links, citations lead to the sources."""
    rendered: str = _markdown_parser().render(clean(text), {"known": known})
    return rendered.strip()


def _source_item(source: Source) -> str:
    passage = source.passage
    title = html.escape(one_line(passage.headed_title or passage.source))
    address = _linkable_address(passage.source)
    where = f'<a href="{html.escape(address)}" rel="noopener noreferrer">{title}</a>' if address else title
    shown = html.escape(_plain_place(passage))
    excerpt = html.escape(one_line(passage.text, _SOURCE_EXCERPT_CHARS))
    return (
        f'<li id="source-{source.number}" value="{source.number}">{where}<br><code>{shown}</code><p>{excerpt}</p></li>'
    )


@cache
def _markdown_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

    class Renderer(RendererHTML):
        """Links leave no trace of the page they are on; pictures are not loaded; numbers of sources are linked."""

        def link_open(self, tokens: Sequence[Token], place: int, options: object, env: object) -> str:
            href = str(tokens[place].attrGet("href") or "")
            if not _linkable_address(href):
                return "<span>"
            return f'<a href="{html.escape(href)}" rel="noopener noreferrer">'

        def link_close(self, tokens: Sequence[Token], place: int, options: object, env: object) -> str:
            opened = next(token for token in reversed(tokens[:place]) if token.type == "link_open")
            return "</a>" if _linkable_address(str(opened.attrGet("href") or "")) else "</span>"

        def image(self, tokens: Sequence[Token], place: int, options: object, env: object) -> str:
            source, name = str(tokens[place].attrGet("src") or ""), html.escape(tokens[place].content or "picture")
            return (
                f'<a href="{html.escape(source)}" rel="noopener noreferrer">{name}</a>'
                if _linkable_address(source)
                else name
            )

        def text(self, tokens: Sequence[Token], place: int, options: object, env: MutableMapping[str, Any]) -> str:
            return _CITED_NUMBERS.sub(
                lambda group: _link_citations(group[0], env["known"]), html.escape(tokens[place].content)
            )

    return (
        MarkdownIt("commonmark", {"html": False}, renderer_cls=Renderer)
        .enable(["table", "strikethrough"])
        .disable(
            # A definition of a link would vanish from the answer.
            "reference"
        )
    )


def _link_citations(group: str, known: set[int]) -> str:
    def link_number(number: re.Match[str]) -> str:
        return f'<a href="#source-{int(number[0])}">{number[0]}</a>' if int(number[0]) in known else number[0]

    return re.sub(r"\d+", link_number, group)


_PAGE_STYLE = """
:root { color-scheme: light dark; --line: #8885; --soft: #8882; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { font-size: .85rem; margin: 0 0 .5rem; opacity: .65; }
section { margin: 1.25rem 0; }
.you, .summary { background: var(--soft); border-radius: .5rem; padding: .75rem 1rem; }
.when, .below, .sources p, summary { font-size: .85rem; opacity: .7; }
details { margin: .5rem 0; }
pre { overflow-x: auto; background: var(--soft); border-radius: .5rem; padding: .75rem 1rem; }
code { font-size: .9em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--line); padding: .25rem .6rem; }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
.sources { border-top: 1px solid var(--line); padding-top: 1rem; }
:target { background: #fd06; }
""".strip()

_PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""
