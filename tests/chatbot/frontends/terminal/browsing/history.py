"""A chat with kept conversations, for a test to drive through a pseudo-terminal: `history.py FOLDER COUNT`."""

import asyncio
import sys
from pathlib import Path

from chatbot.conversation.events import Notice
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.frontends import terminal
from chatbot.history.entries import TurnAnswered
from tests.chatbot.frontends.terminal.chat import EchoModel
from tests.fakes.app import FakeApp

SAID = (
    ("How do storks build?", "With **twigs** and clay."),
    ("When does the ferry leave?", "At nine, \x1b[31mevery\x1b]0;owned\x07 day."),
    ("What is a sonata?", "A piece that is *played*; a cantata is sung."),
)


async def keep(app: FakeApp, count: int) -> None:
    sessions = app.chat.sessions
    for question, answer in SAID[:count]:
        name = sessions.new_id()
        await sessions.append(
            name, Message("user", question), Message("assistant", answer), TurnAnswered(Usage(100, 20), 1.5, "qwen")
        )
        if "ferry" in question:
            for number in range(30):
                await sessions.append(
                    name, Message("user", f"Is {number} late?"), Message("assistant", f"Yes, {number}."), TurnAnswered()
                )
        await sessions.release(name)


async def tell_news(app: FakeApp, file: Path) -> None:
    """Pass on what is written to a file."""
    while not file.exists():
        await asyncio.sleep(0.05)
    app.show(Notice(file.read_text()))
    # Whoever waits for it has it by now.
    await asyncio.sleep(0.05)
    file.unlink()


async def main() -> int:
    app = FakeApp(EchoModel([]), Path(sys.argv[1]))
    await keep(app, int(sys.argv[2]))
    news = asyncio.create_task(tell_news(app, Path(sys.argv[1]) / "news"))
    try:
        return await terminal.run_chat(app.engine)
    finally:
        news.cancel()


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
