"""A chat in which all that comes from outside is hostile, for a test to drive: `hostile_chat.py FOLDER PAYLOADS`."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from itertools import count
from pathlib import Path
from typing import Any

from chatbot.conversation.events import Notice, Progress
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage as Spent
from chatbot.frontends import terminal
from chatbot.history.entries import TurnAnswered
from chatbot.models.base import Call, Done, Piece, Text, Thinking
from rag.documents import Passage
from tests.fakes.app import FakeApp
from tests.fakes.model import USAGE, ScriptedModel
from tools.base import Toolbox, ToolContext, ToolResult, tool
from utils.errors import MagpieError, ToolError

PAYLOADS: list[str] = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
_next = count()


async def look(context: ToolContext, query: str) -> ToolResult:
    """Look something up.

    Args:
        query: What to look for.
    """
    context.report(query)
    await asyncio.sleep(0)
    if query.startswith("fail"):
        raise ToolError(query)
    page = Passage(query, f"https://a.example/{query}", query, "web")
    host = Passage(query, f"https://{query}.example/", query, "web")
    file = Passage(query, f"/home/me/{query}", query, "file")
    return ToolResult(query, (page, host, file))


class HostileModel(ScriptedModel):
    """Says, thinks and calls what it was given, cut at another place each time."""

    async def reply(self, messages: Any, tools: Any = (), *_: Any) -> AsyncGenerator[Piece, None]:
        asked = messages[-1]
        if asked.role == "tool":
            yield Text("Done " + " ".join(f"[{number}]" for number in range(1, 30)))
        elif "say" in asked.content:
            for payload in PAYLOADS:
                cut = next(_next) % (len(payload) + 1)
                for kind in (Thinking, Text):
                    yield kind(f"\n\nA {payload[:cut]}")
                    await asyncio.sleep(0.003)
                    yield kind(f"{payload[cut:]} Z")
        elif "call" in asked.content:
            begin = int(asked.content.split()[-1])
            for payload in PAYLOADS[begin : begin + 20]:
                yield Call(_call("look", query=f"fail {payload}"))
                yield Call(_call("look", query=payload))
                yield Call(_call(payload, **{payload or "x": payload}))
        elif "break" in asked.content:
            number = int(asked.content.split()[-1])
            raise MagpieError(PAYLOADS[number], PAYLOADS[-number])
        else:
            yield Text("Yes.")
        yield Done(USAGE)


def _call(name: str, **arguments: str) -> Any:
    from chatbot.conversation.messages import ToolCall

    return ToolCall(name, arguments)


async def keep(app: FakeApp) -> None:
    """Conversations, facts and reminders with the payloads."""
    sessions = app.chat.sessions
    for payload in PAYLOADS:
        name = sessions.new_id()
        await sessions.append(
            name,
            Message("user", payload),
            Message("assistant", payload),
            TurnAnswered(Spent(9, 2), 1.5, _paired(payload)),
        )
        await sessions.release(name)
    for payload in PAYLOADS[:40]:
        if len(payload) < 100 and payload.strip():
            await app.chat.memory.add_fact(f"I like {payload}")
            await app.chat.reminders.add_reminder(f"tomorrow 9:00 {payload} x")


def _paired(text: str) -> str:
    """Without halves of pairs of surrogates: the name of a model comes from a file or is checked by a server."""
    return text.encode("utf-8", "replace").decode()


async def tell_news(app: FakeApp) -> None:
    """News from the background, one after the other."""
    for begin in range(0, len(PAYLOADS), 10):
        app.show(Notice("\n".join(PAYLOADS[begin : begin + 10])))
        app.show(Progress(PAYLOADS[begin], 1, 2))
    app.show(Notice("No more news."))


async def main() -> int:
    app = FakeApp(HostileModel([], 1_000_000), Path(sys.argv[1]), show_thinking=True, verbose=True)
    app.chat.agent.toolbox = Toolbox([tool(look)])
    app.chat.models.current = PAYLOADS[0]
    await keep(app)
    news = asyncio.create_task(tell_news(app))
    try:
        return await terminal.run_chat(app.engine)
    finally:
        news.cancel()


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
