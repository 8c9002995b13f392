"""A front end of its own: it answers on a postcard. `magpie postcard NAME QUESTION`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatbot.conversation.events import Answered, Notice, Progress
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends.base import FrontEnd
from chatbot.trust.consent import Decision, Request


def parse(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of a postcard; None where none is wanted."""
    if argv[:1] != ["postcard"]:
        return None
    made = argparse.ArgumentParser(prog="magpie postcard")
    made.set_defaults(config=None, set=[], settings=settings)
    made.add_argument("name")
    made.add_argument("question")
    made.add_argument("--card", type=Path)
    return made.parse_args(argv[1:])


def settings(_: argparse.Namespace) -> dict[str, Any]:
    """A postcard has little room."""
    return {"max_tokens": 100}


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Write the answer on the card, with what was told and asked on the way."""
    lines: list[str] = []

    def show(news: Notice | Progress) -> None:
        lines.append(f"P.S. {getattr(news, 'text', '')}")

    async def allow(request: Request) -> Decision:
        lines.append(f"May I send {request.sent}? I take it as a no.")
        return "no"

    async with engine:
        chat = await engine.chat(Face(show, allow), arguments.name)
        async for event in chat.agent.ask(arguments.question):
            if isinstance(event, Answered):
                lines.append(f"Dear {arguments.name}, {event.text}")
    arguments.card.write_text("\n".join(lines))
    return 0


POSTCARD = FrontEnd(parse, __name__)
