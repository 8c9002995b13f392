"""Conversations of every kind of entry, each text with a word of its own; and what is read back of them."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.history.entries import AnyValue, Pin, TurnAnswered, Value
from chatbot.history.sessions import Sessions
from rag.documents import Passage


def turn(number: int, sources: int = 2) -> tuple[Value, ...]:
    """A question, a search with sources, an answer, and what it took."""
    call = ToolCall("web_search", {"query": f"query{number}", "limit": 3}, f"call_{number}")
    handed = tuple(
        Source(place, Passage(f"passage{number}x{place} " * 20, f"https://a.example/{number}", "Nests", "web", place))
        for place in range(1, sources + 1)
    )
    return (
        Message("user", f"question{number} how do birds build?", note="Today is Sunday."),
        Message("assistant", "", thinking=f"thought{number}", tool_calls=(call,)),
        Message("tool", f"result{number}", tool_name="web_search", call_id=call.id, sources=handed),
        Message("assistant", f"answer{number} with twigs [1]."),
        TurnAnswered(Usage(100 + number, 50, 10, 0.5, 0.25), 1.5, "qwen", (1,)),
    )


async def make(path: Path, sessions: int, turns: int, copies: int = 0) -> dict[str, list[AnyValue]]:
    """Sessions that were closed in peace: what was said in each."""
    opened = await Sessions.open(path, copy_after=1e9)
    said: dict[str, list[AnyValue]] = {}
    for session in range(sessions):
        name = opened.new_id()
        said[name] = []
        for number in range(turns):
            values = turn(session * 100 + number)
            await opened.append(name, *values)
            said[name] += values
        await opened.append(name, Compaction(f"summary{session}", 2, 900, 90), Pin(1))
        said[name] += [Compaction(f"summary{session}", 2, 900, 90), Pin(1)]
    await opened.close()
    for _ in range(copies):
        await copied(path)
    return said


def make_older(path: Path) -> None:
    """Bring a closed file back to the form that its first version had."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for name in ("purpose", "written_tokens", "hour_tokens"):
            db.execute(f"ALTER TABLE spent DROP COLUMN {name}")
        db.execute("PRAGMA user_version = 1")


async def copied(path: Path) -> None:
    """Wait until a copy is made."""
    opened = await Sessions.open(path, copy_after=-1)
    assert opened._copying is not None
    await opened._copying
    await opened.close()


async def read_back(sessions: Sessions) -> dict[str, list[AnyValue]]:
    """What is in each session, by its id."""
    return {info.id: said(await sessions.load(info.id)) for info in await sessions.list(limit=1_000_000)}


def said(loaded: object) -> list[AnyValue]:
    """The entries without those that Magpie makes itself."""
    return [entry.value for entry in loaded.entries if entry.kind not in ("session", "title")]  # type: ignore[attr-defined]


def flip(path: Path, rng: random.Random, most: int = 100) -> list[int]:
    """Change random bytes; where."""
    content = bytearray(path.read_bytes())
    places = rng.sample(range(len(content)), min(len(content), rng.randint(1, most)))
    for place in places:
        content[place] ^= rng.randint(1, 255)
    path.write_bytes(content)
    return places
