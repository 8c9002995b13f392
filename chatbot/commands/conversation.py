"""The commands on the conversation: its sources, its questions, its answers."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, MarkdownText, Notice
from chatbot.conversation.messages import LIBRARY_TOOL, Source
from rag.zim.address import tell_origin
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat

# No conversation has sources with this many digits; Python refuses to read numbers of thousands.
_MAX_SOURCE_DIGITS = 10


@command(argument="<number>")
async def source(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Show a numbered source in its surroundings, and where it came from."""
    digits = argument.strip().strip("[]")
    known = digits.isdecimal() and len(digits) < _MAX_SOURCE_DIGITS
    found = chat.agent.conversation.sources.get(int(digits)) if known else None
    if found is None:
        yield Notice(_no_source(chat, digits), "error")
        return
    yield MarkdownText(await _describe_source(chat, found))


@command()
async def good(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Mark the last answer as good; the mark stays on this machine."""
    await chat.mark_answer("good")
    yield Notice("The last answer is marked as good. /bad changes that.")


@command(argument="[why]")
async def bad(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Mark the last answer as bad, and say why if you like."""
    await chat.mark_answer("bad", argument)
    yield Notice("The last answer is marked as bad. /good changes that.")


def _no_source(chat: "Chat", digits: str) -> str:
    table = chat.agent.conversation.sources
    if not table.get(1):
        return "Nothing was read in this conversation yet, so there are no sources."
    return f"There is no source {one_line(digits, 20)!r}. Sources have numbers, for instance /source 1."


async def _describe_source(chat: "Chat", found: Source) -> str:
    passage = found.passage
    whole = await chat.library.surroundings(passage) if chat.library else passage.text
    before, _, after = whole.partition(passage.text)
    blocks = [_source_heading(found)]
    if before.strip():
        blocks += ["Before it:", _fence_text(before)]
    if before.strip() or after.strip():
        blocks += ["**The passage:**"]
    blocks += [_fence_text(passage.text)]
    if after.strip():
        blocks += ["After it:", _fence_text(after)]
    return "\n\n".join(blocks)


def _source_heading(found: Source) -> str:
    """Number, title, address, and which part of what was read when."""
    passage = found.passage
    facts = [f"part {passage.chunk_index + 1} of {passage.total_chunks}"] if passage.total_chunks > 1 else []
    facts += [told] if (told := tell_origin(passage, characters=16)) else []
    facts += ["a search result's snippet"] if passage.origin == "snippet" else []
    facts += [f"found by {passage.found_by}, not opened here"] if passage.found_by else []
    lines = [
        f"**[{found.number}] {_escape_markdown(passage.title)}**",
        _escape_markdown(passage.source),
        _escape_markdown(", ".join(facts)),
    ]
    return "\\\n".join(line for line in lines if line)


def _fence_text(text: str) -> str:
    """The text as it is, whatever Markdown is in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text.strip()}\n{fence}"


def _escape_markdown(text: str) -> str:
    line = one_line(text, 500)
    return "".join(f"\\{character}" if character in "\\`*_[]<>#&~!|" else character for character in line)


@command(argument="<question>", aliases=("rag",))
async def ask(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Answer a question from the library alone, without the web."""
    if not argument:
        yield Notice("Write the question after the command: /ask <question>", "error")
        return
    if chat.library and not chat.agent.toolbox.is_on(LIBRARY_TOOL):
        yield Notice(f"{LIBRARY_TOOL} is off in this chat; /tools on {LIBRARY_TOOL} switches it on again.", "error")
        return
    events = chat.agent.ask(argument, library_only=True)
    try:
        async for event in events:
            yield event
    finally:
        await events.aclose()
