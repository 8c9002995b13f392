"""What tortured processes do to a file of conversations; every text has a number of its own."""

import asyncio
import random
from pathlib import Path

from chatbot.conversation.messages import Message
from chatbot.history.sessions import Sessions
from tests.fakes.conversations import said, turn
from tests.fakes.processes import Say

BEGUN, DONE, DRAFT, READ = "begun", "done", "draft", "read"
PIECES = 12


def reply(number: int) -> str:
    """The answer of a turn, a word a piece."""
    return " ".join(f"word{number}x{piece}" for piece in range(PIECES))


async def converse(say: Say, path: Path, seed: int) -> None:
    """Go on with a session without end, as a streamed reply does; say what was acknowledged."""
    rng = random.Random(seed)
    sessions = await Sessions.open(path, copy_after=-1)
    session = "one"
    known = [info.id for info in await sessions.list()]
    say((READ, said(await sessions.load(session)) if session in known else []))
    for number in range(seed * 1000, seed * 1000 + 1000):
        question, *looked_up, _, answered = turn(number)
        say((BEGUN, [question]))
        await sessions.append(session, question)
        say((DONE, [question]))
        if rng.random() < 0.5:
            say((BEGUN, looked_up))
            await sessions.append(session, *looked_up)
            say((DONE, looked_up))
        words = reply(number).split(" ")
        for piece in range(1, PIECES):
            text = " ".join(words[:piece])
            if await sessions.draft(session, text, "thinking"):
                say((DRAFT, text))
            if rng.random() < 0.2:
                await asyncio.sleep(rng.random() / 100)
        end = [Message("assistant", reply(number), thinking="thinking"), answered]
        say((BEGUN, end))
        await sessions.append(session, *end, model="qwen")
        say((DONE, end))


async def write(say: Say, path: Path, name: str, turns: int) -> None:
    """Write turns into two sessions, one of one's own and one that all share."""
    sessions = await Sessions.open(path, copy_after=-1)
    for number in range(turns):
        await sessions.append(name, Message("user", f"{name}{number}"), Message("assistant", "yes"))
        await sessions.append("shared", Message("user", f"{name}{number}"), Message("assistant", "yes"))
        say((DONE, number))
    await sessions.close()
