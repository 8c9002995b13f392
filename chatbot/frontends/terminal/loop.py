"""The chat in a terminal: read a line, run it, show what comes, until the user leaves."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from functools import partial

from rich.console import Console

from chatbot.app import App
from chatbot.commands.registry import is_command, run_command
from chatbot.events import Event, Notice
from chatbot.frontends.terminal.keyboard import held_back
from chatbot.frontends.terminal.prompt import Prompt
from chatbot.frontends.terminal.screen import Screen
from chatbot.frontends.terminal.status import Status
from chatbot.frontends.terminal.theme import THEME
from chatbot.frontends.terminal.view import View
from utils.errors import DocumentError, MagpieError

_LEAVE = ("exit", "quit")


async def run(app: App) -> int:
    """Chat until the user leaves; the exit code."""
    chat = Chat(app, Console(theme=THEME, highlight=False))
    try:
        await chat.run()
    finally:
        await chat.close()
        await app.close()
    return 0


class Chat:
    """One chat of one user."""

    def __init__(self, app: App, console: Console) -> None:
        self._app = app
        self._status = Status(lambda: app.configuration.values)
        self._view = View(Screen(console), self._status, lambda: app.configuration.values)
        self._prompt = Prompt(app.configuration.values.data_folder, self._status, self._begin)
        self._draft = ""
        self._aside: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Read and answer until the user leaves."""
        while not self._view.leaving:
            self._view.new_line()
            draft, self._draft = self._draft, ""
            try:
                line = (await self._prompt.read(draft)).strip()
            except EOFError:
                return
            if line in _LEAVE:
                return
            if line:
                await self._carry_out(line)

    async def close(self) -> None:
        """Stop what runs beside the chat."""
        for task in self._aside:
            task.cancel()
        await asyncio.gather(*self._aside, return_exceptions=True)

    def _begin(self) -> None:
        """Start the rest of Magpie, now that the prompt is there."""
        self._app.start()
        self._aside += [asyncio.create_task(self._relay_news()), asyncio.create_task(self._learn_model())]

    async def _relay_news(self) -> None:
        """Show the news from the background, above what is being typed."""
        while True:
            await self._prompt.above(partial(self._view.show, await self._app.notices.get()))

    async def _learn_model(self) -> None:
        """Find the model's name out for the status line."""
        # What is wrong with library or model is said by the warm-up, and again by the first question.
        with suppress(MagpieError):
            await self._app.ready()
            self._status.model = (await self._app.parts.agent.model.describe()).name
            self._prompt.refresh()

    async def _carry_out(self, line: str) -> None:
        """Run a command or ask a question; Ctrl-C stops it."""
        task = asyncio.create_task(self._show(line))
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            with held_back():
                async with self._view.running():
                    await asyncio.wait({task})
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            task.cancel()
        if task.cancelled():
            self._view.show(Notice("Stopped."))
        else:
            task.result()

    async def _show(self, line: str) -> None:
        events = run_command(self._app, line) if is_command(line) else self._ask(line)
        try:
            async with aclosing(events):
                async for event in events:
                    self._view.show(event)
        except DocumentError as error:
            self._draft = line
            self._view.fail(error)
        except MagpieError as error:
            self._view.fail(error)

    async def _ask(self, line: str) -> AsyncGenerator[Event, None]:
        from chatbot.frontends.terminal.attachments import read_attachments, without_escapes

        attachments = await read_attachments(line)
        await self._app.ready()
        async with aclosing(self._app.parts.agent.ask(without_escapes(line), attachments=attachments)) as events:
            async for event in events:
                yield event
