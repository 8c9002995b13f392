"""One question, one answer: the answer and its sources on standard output, everything else on standard error."""

import argparse
import asyncio
import dataclasses
import re
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    ContextUsed,
    Notice,
    Progress,
    Quoted,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEvent,
)
from chatbot.conversation.messages import Attachment
from chatbot.conversation.sources import pages
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.engine.startup import OpeningChat
from chatbot.frontends import asking
from chatbot.frontends.links import shown_source
from chatbot.frontends.misplaced import misplaced_command
from chatbot.frontends.news import relayed
from chatbot.frontends.plain import say
from chatbot.frontends.waiting import WaitingOutput
from chatbot.frontends.wrong_numbers import wrong_numbers
from rag.readers import read_text_of
from utils.errors import MagpieError
from utils.files import LARGEST
from utils.text import clean, json_line, one_line

SCHEMA_VERSION = 1
ALLOWING = 'To agree beforehand: --set approval=allow, or for one tool of an MCP server "allow" in mcp.json.'


@dataclasses.dataclass(frozen=True)
class OneShotQuestion:
    """What is asked, and how."""

    text: str
    files: Sequence[Path] = ()
    """Files whose texts go with it."""
    resume: str = ""
    """The conversation to go on with, as `Chat.find` understands it; empty for a new one."""
    library_only: bool = False


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Answer the question of a command line; the exit code."""
    if problem := misplaced_command(arguments.question):
        say(problem, sys.stderr)
        return 1
    question = OneShotQuestion(" ".join(arguments.question), arguments.file, arguments.resume or "")
    return await ask(engine, question, as_json=arguments.json)


async def ask(engine: Engine, question: OneShotQuestion, *, as_json: bool = False) -> int:
    """Answer a question with its files' texts and standard input added; the exit code."""
    out = WaitingOutput(JsonOutput(sys.stdout) if as_json else TextOutput(sys.stdout, sys.stderr), sys.stderr)
    try:
        async with engine:
            await answer(engine, question, out)
    except MagpieError as error:
        out.fail(error)
        return 1
    except BrokenPipeError:
        # Whoever read us has gone (`magpie ... | head -1`): nothing is left to say, to nobody.
        sys.stdout = None
        return 1
    finally:
        out.stop()
    return 0


async def answer(engine: Engine, question: OneShotQuestion, out: WaitingOutput) -> None:
    """Show the answer as it comes; raises a `MagpieError`."""
    text, attachments = await gather(question.text, question.files)
    out.start()
    async with relayed(out.show) as tell:
        opening = OpeningChat(engine, Face(tell, out.quiet_during(asking.ask) if asking.somebody_is_there() else None))
        try:
            chat = await opening.ready()
            if question.resume:
                await chat.resume(await chat.find(question.resume))
            settings = chat.agent.settings
            if settings.tools_enabled and settings.approval != "deny" and not question.library_only:
                # There is no later question for which the tools of other programs would be ready.
                await chat.remote.settled()
            asked = chat.agent.ask(text, attachments=attachments, library_only=question.library_only)
            async with aclosing(asked) as events:
                async for event in events:
                    out.show(event)
        finally:
            await opening.close()


async def gather(question: str, files: Sequence[Path]) -> tuple[str, list[Attachment]]:
    """The question, and what goes with it; standard input alone is the question itself."""
    attachments = [Attachment(path.name, await read_text_of(path)) for path in files]
    if not sys.stdin.isatty():
        data = await asyncio.to_thread(sys.stdin.buffer.read, LARGEST + 1)
        if len(data) > LARGEST:
            raise MagpieError(f"Standard input is larger than {LARGEST:,} bytes.", "Send less of it.")
        text = data.decode("utf-8", errors="replace").strip()
        if text and question:
            attachments.append(Attachment("standard input", text))
        question = question or text
    if not question.strip():
        raise MagpieError("There is no question and no terminal to ask it in.", 'Try: magpie "your question"')
    return question, attachments


class TextOutput:
    """Plain text for people and pipes: no colours, no control characters."""

    unprinted: tuple[type, ...] = (
        ContextUsed,
        AnswerDelta,
        ThinkingDelta,
        Quoted,
        AnswerWithdrawn,
        ToolProgress,
        Progress,
    )

    def __init__(self, out: TextIO, aside: TextIO) -> None:
        self._out = out
        self._aside = aside

    def show(self, event: TurnEvent | Progress) -> None:
        """Print what a reader of the answer needs, and the rest aside."""
        match event:
            case Answered():
                say("\n".join([clean(event.text).strip(), *sources(event), *denials(event)]), self._out)
                for wrong in wrong_numbers(event):
                    self._say(wrong)
                if event.denied:
                    self._say(ALLOWING)
            case ToolStarted(call):
                self._say(f"{call.label} {' '.join(str(value) for value in call.arguments.values())}")
            case ToolFinished(call, ok=False, text=text):
                self._say(f"{call.label} failed: {text}")
            case Notice(text):
                self._say(text)
            case _:
                pass

    def fail(self, error: MagpieError) -> None:
        """Print a failure."""
        self._say(str(error), 1000)

    def _say(self, text: str, limit: int = 160) -> None:
        say(one_line(text, limit), self._aside)


def sources(event: Answered) -> list[str]:
    """The cited sources, a line a page: numbers, title, address."""
    lines = [
        f"{''.join(f'[{source.number}]' for source in page)} {line(page[0].passage.source, page[0].passage.title)}"
        for page in pages(event.cited)
    ]
    return ["", "Sources:", *lines] if lines else []


def denials(event: Answered) -> list[str]:
    """What was not done because nobody agreed to it."""
    return ["", *(one_line(denied, 2000) for denied in event.denied)] if event.denied else []


def line(source: str, title: str) -> str:
    """A page's title and address on one line; a file's name once."""
    where = shown_source(source)
    return where if not title or (not urlsplit(source).netloc and title in source) else f"{one_line(title)} - {where}"


class JsonOutput:
    """One JSON object a line: `v` (the schema's version), `event`, and the event's fields."""

    unprinted: tuple[type, ...] = ()

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def show(self, event: TurnEvent | Progress) -> None:
        """Print an event."""
        self._print(snake_case(type(event).__name__), dataclasses.asdict(event))

    def fail(self, error: MagpieError) -> None:
        """Print a failure."""
        self._print("error", {"problem": error.problem, "remedy": error.remedy})

    def _print(self, name: str, fields: dict[str, Any]) -> None:
        say(json_line({"v": SCHEMA_VERSION, "event": name, **fields}), self._out)


def snake_case(name: str) -> str:
    """AnswerDelta becomes answer_delta."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
