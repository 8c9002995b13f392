"""One question, one answer: the answer and its sources on standard output, everything else on standard error."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TextIO
from urllib.parse import urlsplit

from chatbot.attachments.reader import as_named
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
from chatbot.conversation.json_events import event_object, failure_object
from chatbot.conversation.messages import Attachment
from chatbot.conversation.sources import group_by_page
from chatbot.conversation.wrong_numbers import wrong_numbers
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.engine.startup import OpeningChat
from chatbot.frontends import asking
from chatbot.frontends.ending import run_to_end
from chatbot.frontends.links import shown_source
from chatbot.frontends.misplaced import misplaced_command
from chatbot.frontends.news import relayed
from chatbot.frontends.plain import print_clean
from chatbot.frontends.waiting import WaitingOutput
from rag.documents import Passage
from rag.zim.address import tell_archive
from utils.errors import MagpieError
from utils.files import MAX_FILE_BYTES_READ
from utils.text import clean, json_line, json_text, one_line

ALLOWING = 'To agree beforehand: --set approval=allow, or for one tool of an MCP server "allow" in mcp.json.'


@dataclass(frozen=True)
class OneShotQuestion:
    """What is asked, and how."""

    text: str
    files: Sequence[str] = ()
    """Files, folders and addresses of pages whose texts go with it."""
    resume: str = ""
    """The conversation to go on with, as `Chat.find` understands it; empty for a new one."""
    library_only: bool = False


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Answer the question of a command line; the exit code."""
    if problem := misplaced_command(arguments.question):
        print_clean(problem, sys.stderr)
        return 1
    question = OneShotQuestion(" ".join(arguments.question), arguments.file, arguments.resume or "")
    return await ask(engine, question, as_json=arguments.json)


async def ask(engine: Engine, question: OneShotQuestion, *, as_json: bool = False) -> int:
    """Answer a question with its files' texts and standard input added; the exit code.

    That is 1 as well where the answer is not in the form that was asked for.
    """
    out = WaitingOutput(JsonOutput(sys.stdout) if as_json else TextOutput(sys.stdout, sys.stderr), sys.stderr)
    return await run_to_end(show_answer(engine, question, out), out.fail)


async def show_answer(engine: Engine, question: OneShotQuestion, out: WaitingOutput) -> int:
    """Show the answer, and nothing more of what goes on; the exit code. Raises a `MagpieError`."""
    try:
        async with engine:
            answered = await answer(engine, question, out)
    finally:
        out.stop()
    return 1 if answered.unformed else 0


async def answer(engine: Engine, question: OneShotQuestion, out: WaitingOutput) -> Answered:
    """Show the answer as it comes; raises a `MagpieError`."""
    text, piped = await gather_input(question.text)
    out.start()
    async with relayed(out.show) as tell:
        opening = OpeningChat(
            engine, Face(tell, out.quiet_during(asking.ask_consent) if asking.somebody_is_there() else None)
        )
        try:
            chat = await opening.ready()
            if question.resume:
                await chat.resume(await chat.find(question.resume))
            settings = chat.agent.settings
            if settings.tools_enabled and settings.approval != "deny" and not question.library_only:
                # There is no later question for which the tools of other programs would be ready.
                await chat.remote.settled()
            named = [*map(as_named, question.files), *piped]
            attached = await chat.attachment_reader(out.show).read_all(named)
            for said in attached.left_out:
                out.show(Notice(said, "warning"))
            asked = chat.agent.ask(text, attachments=attached.attachments, library_only=question.library_only)
            async with aclosing(asked) as events:
                async for event in events:
                    out.show(event)
            assert isinstance(event, Answered)
            return event
        finally:
            await opening.close()


async def gather_input(question: str) -> tuple[str, list[Attachment]]:
    """The question, and the standard input that goes with it; that alone is the question itself."""
    attachments: list[Attachment] = []
    if not sys.stdin.isatty():
        data = await asyncio.to_thread(sys.stdin.buffer.read, MAX_FILE_BYTES_READ + 1)
        if len(data) > MAX_FILE_BYTES_READ:
            raise MagpieError(f"Standard input is larger than {MAX_FILE_BYTES_READ:,} bytes.", "Send less of it.")
        text = data.decode("utf-8", errors="replace").strip()
        if text and question:
            attachments.append(Attachment("standard input", text, is_source=False))
        question = question or text
    if not question.strip():
        raise MagpieError("There is no question and no terminal to ask it in.", 'Try: magpie "your question"')
    return question, attachments


class TextOutput:
    """Plain text for people and pipes: no colours, no control characters.

    An answer that was to be put into a form is that alone: nothing else goes to standard output.
    """

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

    def show_event(self, event: TurnEvent | Progress) -> None:
        """Print what a reader of the answer needs, and the rest aside."""
        match event:
            case Answered():
                self._print_answer(event)
                for wrong in [*wrong_numbers(event), event.unformed]:
                    if wrong:
                        self._print_aside(wrong, 1000)
                if event.denied:
                    self._print_aside(ALLOWING)
            case ToolStarted(call):
                self._print_aside(f"{call.label} {' '.join(str(value) for value in call.arguments.values())}")
            case ToolFinished(call, ok=False, text=text):
                self._print_aside(f"{call.label} failed: {text}")
            case Notice(text):
                self._print_aside(text)
            case _:
                pass

    def show_failure(self, error: MagpieError) -> None:
        """Print a failure."""
        self._print_aside(str(error), 1000)

    def _print_answer(self, event: Answered) -> None:
        """The form, and aside what is not in it; without one the answer, aside where a form was asked for."""
        summary = ["", one_line(event.summary)] if event.summary else []
        beside = [*source_lines(event), *denial_lines(event)]
        if event.form is None:
            whole = "\n".join([clean(event.text).strip(), *summary, *beside])
            print_clean(whole, self._aside if event.unformed else self._out)
            return
        print_clean(json_text(event.form), self._out)
        if rest := "\n".join([*summary, *beside]).strip():
            print_clean(rest, self._aside)

    def _print_aside(self, text: str, limit: int = 160) -> None:
        print_clean(one_line(text, limit), self._aside)


def source_lines(event: Answered) -> list[str]:
    """The cited sources, a line a page: numbers, title, address."""
    lines = [
        f"{''.join(f'[{source.number}]' for source in page)} {_passage_line(page[0].passage)}"
        for page in group_by_page(event.cited)
    ]
    return ["", "Sources:", *lines] if lines else []


def _passage_line(passage: Passage) -> str:
    told = f"found by {passage.found_by}, not opened here" if passage.found_by else ""
    told = told or tell_archive(passage.source, passage.fetched)
    return f"{page_line(passage.source, passage.title)}{f' ({one_line(told)})' if told else ''}"


def denial_lines(event: Answered) -> list[str]:
    """What was not done because nobody agreed to it."""
    return ["", *(one_line(denied, 2000) for denied in event.denied)] if event.denied else []


def page_line(source: str, title: str) -> str:
    """A page's title and address on one line; a file's name once."""
    where = shown_source(source)
    return where if not title or (not urlsplit(source).netloc and title in source) else f"{one_line(title)} - {where}"


class JsonOutput:
    """One JSON object a line, each an event."""

    unprinted: tuple[type, ...] = ()

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def show_event(self, event: TurnEvent | Progress) -> None:
        """Print an event."""
        print_clean(json_line(event_object(event)), self._out)

    def show_failure(self, error: MagpieError) -> None:
        """Print a failure."""
        print_clean(json_line(failure_object(error)), self._out)
