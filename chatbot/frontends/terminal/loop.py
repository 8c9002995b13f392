"""The chat in a terminal: read a line, run it, show what comes, until the user leaves."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.engine.startup import OpeningChat
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.typing.completion import from_thread
from chatbot.frontends.terminal.typing.keyboard import held_back
from chatbot.frontends.terminal.typing.prompt import InputPrompt, was_used
from chatbot.frontends.terminal.welcome import Welcome
from utils.errors import MagpieError, SessionError
from utils.faults import in_background, record_fault

if TYPE_CHECKING:
    from chatbot.conversation.events import Event, Notice, Progress
    from chatbot.engine.chat import Chat
    from chatbot.frontends.terminal.view import View
    from chatbot.mcp.resources import RemoteResources
    from chatbot.trust.consent import Decision, Request
    from tools.mcp_client.elicitation.forms import Form, FormReply, Visit

_LEAVE = ("exit", "quit")


class TerminalChat:
    """One chat of whoever sits at the terminal."""

    def __init__(self, engine: Engine, resume: str) -> None:
        self._resume_at = resume
        self._news: asyncio.Queue[Notice | Progress] = asyncio.Queue()
        """From the background, to be shown without disturbing what is being typed."""
        config = engine.configuration.values
        self._welcome = Welcome(self._news.put_nowait, first=not resume and not was_used(config.data_folder))
        face = Face(self._news.put_nowait, self._ask_consent, self._ask_form, self._welcome.note_choice)
        self._opening = OpeningChat(engine, face, self._tell_unready)
        self._asking = asyncio.Lock()
        self._status = Status(lambda: self._opening.configuration.values)
        self._prompt = InputPrompt(None if config.private else config.data_folder, self._status, self._begin)
        self._draft = ""
        self._typed = ""
        """What was typed ahead while a question of a turn had the keyboard."""
        self._idle = asyncio.Event()
        self._aside: list[asyncio.Task[None]] = []
        self._resuming: asyncio.Task[None] | None = None
        self._opened = asyncio.Event()
        self._resources: RemoteResources | None = None

    async def run(self) -> None:
        """Read and answer until the user leaves."""
        while (line := await self._read()) not in _LEAVE:
            if line:
                try:
                    await self._take(line)
                except Exception as error:  # noqa: BLE001 - what nobody foresaw ends one line, and not the chat
                    self._view.show_failure(record_fault(error, "This"))
            if self._view.leaving:
                return

    async def _take(self, line: str) -> None:
        """Do what a line says, and make ready for the next one."""
        await self._carry_out(line)
        await self._browse()
        self._draft = (self._draft or self._view.drafted) + self._typed
        self._view.drafted = self._typed = ""
        self._view.before_prompt()

    async def _browse(self) -> None:
        """Let the user look through the kept conversations if they asked to, and go on with the chosen one."""
        words, self._view.browsing = self._view.browsing, None
        if words is None:
            return
        # Loaded when it is first opened.
        from chatbot.frontends.terminal.browsing.browser import browse_history

        async with self._prompt.screen_lock():
            chosen = await browse_history(await self._opening.ready(), self._opening.configuration.values, words)
        if chosen:
            await self._carry_out(f"/resume {chosen}")

    async def _read(self) -> str:
        draft, self._draft = self._draft, ""
        self._idle.set()
        try:
            return (await self._prompt.read_input(draft)).strip()
        except EOFError:
            return "quit"
        finally:
            self._idle.clear()

    @cached_property
    def _view(self) -> "View":
        # Rich is loaded while the user types.
        from chatbot.frontends.terminal.drawing.screen import standard_screen
        from chatbot.frontends.terminal.view import View

        return View(standard_screen(), self._status, lambda: self._opening.configuration.values)

    async def close(self) -> None:
        """Stop what runs beside the chat."""
        for task in self._aside:
            task.cancel()
        await asyncio.gather(*self._aside, return_exceptions=True)
        await self._opening.close()

    def _begin(self) -> None:
        """Start the rest of Magpie, now that the prompt is there."""
        self._opening.start()
        self._resuming = in_background(self._resume(), "Going on with the conversation")
        beside = {
            "Showing news": self._relay_news(),
            "Learning the model's name": self._learn_model(),
            "Telling reminders": self._announce_reminders(),
        }
        self._aside += [self._resuming, *(in_background(work, doing) for doing, work in beside.items())]

    async def _ready(self) -> "Chat":
        """The chat for a question or command, once it goes on with what was asked for; raises a `MagpieError`."""
        chat = await self._opening.ready()
        self._opened.set()
        if self._resuming is not None:
            await asyncio.wait({self._resuming})
        return chat

    async def _first_opened(self) -> "Chat":
        """The chat once it is open: where that fails, after the question or command with which it does not."""
        with suppress(MagpieError):
            await self._opening.ready()
            self._opened.set()
        await self._opened.wait()
        return await self._opening.ready()

    async def _resume(self) -> None:
        """Go on with the conversation that was asked for, and show it above what is being typed."""
        chat = await self._first_opened()
        try:
            events = list(await chat.start(self._resume_at, chat.configuration.values.history))
        except SessionError as error:
            await self._prompt.run_above(partial(self._view.show_failure, error))
            return

        def show() -> None:
            for event in events:
                self._view.show_event(event)
            self._view.before_prompt()

        if events:
            await self._prompt.run_above(show)

    async def _relay_news(self) -> None:
        """Show the news from the background, above what is being typed."""
        from chatbot.conversation.events import Progress

        while True:
            event = await self._news.get()
            try:
                if isinstance(event, Progress):
                    self._status.work.note(event)
                    self._prompt.redraw_status()
                else:
                    await self._prompt.run_above(partial(self._view.show_event, event))
            except Exception as error:  # noqa: BLE001 - the next news is shown whatever became of this
                record_fault(error, "Showing news")

    def _tell_unready(self, error: MagpieError) -> None:
        """Tell what could not be loaded, but not beside a question that tells it itself."""
        from chatbot.conversation.events import Notice

        if self._idle.is_set():
            self._news.put_nowait(Notice(str(error), "warning"))

    async def _learn_model(self) -> None:
        """Have the model chosen, and its name in the status line."""
        chat = await self._first_opened()
        resources = self._resources_of(chat)
        self._prompt.completer.resources = from_thread(resources.complete_mention, asyncio.get_running_loop())
        self._status.model = lambda: chat.models.shown
        await self._greet(chat)
        # What is wrong with the model is said by the warm-up, and again by the first question.
        with suppress(MagpieError):
            await chat.agent.model.describe()
            self._prompt.redraw_status()

    async def _announce_reminders(self) -> None:
        """Put reminders among the news when they are due, only while nothing is answered, until cancelled."""
        chat = await self._first_opened()
        await chat.reminders.announce_due(self._news.put_nowait, self._idle)

    async def _greet(self, chat: "Chat") -> None:
        """Say what answers and where to begin, above what is being typed and below a conversation that goes on."""
        if self._resuming is not None:
            await asyncio.wait({self._resuming})
        rows = await self._welcome.rows(chat, self._idle)

        def show() -> None:
            self._view.greet(rows)
            if self._idle.is_set():
                self._view.before_prompt()

        if rows:
            await self._prompt.run_above(show)

    async def _carry_out(self, line: str) -> None:
        """Run a command or ask a question; Ctrl-C stops it."""
        from chatbot.conversation.events import Notice

        task = asyncio.create_task(self._show(line))
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            with held_back():
                async with self._view.keep_live():
                    await asyncio.wait({task})
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            task.cancel()
        if task.cancelled():
            self._view.show_event(Notice("Stopped."))
        else:
            task.result()

    async def _show(self, line: str) -> None:
        from chatbot.commands.registry import is_command, run_command

        events = run_command(self._ready, line) if is_command(line) else self._ask(line)
        try:
            async with aclosing(events):
                async for event in events:
                    self._view.show_event(event)
        except MagpieError as error:
            self._draft = _remedy_command(error) or self._draft
            self._view.show_failure(error)

    def _resources_of(self, chat: "Chat") -> "RemoteResources":
        if self._resources is None:
            from chatbot.mcp.resources import RemoteResources

            self._resources = RemoteResources(chat.remote)
        return self._resources

    async def _ask(self, line: str) -> "AsyncGenerator[Event, None]":
        from chatbot.attachments.reader import attached_note
        from chatbot.conversation.events import Notice
        from chatbot.frontends.terminal.typing.attachments import find_named, without_escapes

        # It comes back to be sent again where it is not even asked: without a model, a file that it names, ...
        self._draft = line
        chat = await self._ready()
        resources, allows = self._resources_of(chat), chat.consent.ask_user
        named = await find_named(line, resources, self._prompt.pasted, allows)
        attached = await chat.attachment_reader(self._view.show_event).read_all(named)
        if attached.told:
            yield Notice(attached_note(attached))
        for said in attached.left_out:
            yield Notice(said, "warning")
        async with aclosing(chat.agent.ask(without_escapes(line), attachments=attached.attachments)) as events:
            async for event in events:
                self._draft = ""
                yield event
        await chat.agent.prepare_room()

    async def _ask_consent(self, request: "Request") -> "Decision":
        """Show what would leave the machine, and have the user decide."""
        from chatbot.frontends.terminal.consent import decision_line, read_decision, request_block

        async with self._asking:
            with self._view.hold_still():
                self._view.show_question(request_block(request))
                decision = await read_decision(sys.stdin.fileno(), self._put_aside)
                self._view.show_answer(decision_line(decision))
        return decision

    async def _ask_form(self, question: "Form | Visit") -> "FormReply":
        """Have the user answer what an MCP server wants to know."""
        from chatbot.frontends.terminal.forms import Questions

        async with self._asking:
            with self._view.hold_still():
                return await Questions(sys.stdin.fileno(), self._view, self._put_aside).ask(question)

    def _put_aside(self, keys: str) -> None:
        self._typed += keys
        # Whether it was typed or pasted cannot be told any more.
        self._prompt.pasted.note_pasted(self._typed)


def _remedy_command(error: MagpieError) -> str:
    """The command that mends this, to be sent with Enter; empty where there is none."""
    from chatbot.models.provider import PullOffered

    return f"/pull {error.name}" if isinstance(error, PullOffered) else ""
