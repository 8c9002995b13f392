"""Asks the user what an MCP server wants to know, one question after the other, while a turn waits."""

import codecs
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Protocol

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from chatbot.frontends.terminal.consent import IGNORED_KEYS_SECONDS, pressed_keys
from tools.mcp_client.elicitation.forms import Field, Form, FormReply, Value, Visit, WrongAnswer
from utils.text import clean, one_line, reveal_hidden

FORM_HINT = "Enter takes what stands in brackets or leaves a question out · Esc declines"
_SEND = "Enter sends this · Esc declines"
_VISIT = "y I open it in a browser · n no"
_ESCAPE_KEY, _ENTER = "\x1b", "\r"
_PASTE = re.compile(r"\x1b\[200~((?:(?!\x1b\[20[01]~).)*)\x1b\[201~", re.DOTALL)
_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO.")


class Declined(Exception):
    """The user wants to be asked no more."""


class FormScreen(Protocol):
    """What questions are shown on."""

    def show_question(self, block: RenderableType) -> None:
        """Print what is asked."""

    def show_answer(self, line: RenderableType) -> None:
        """Print what was answered."""

    def show_typing(self, line: RenderableType | None) -> None:
        """Show what is being typed; None: nothing is."""


class Questions:
    """The user at the keyboard."""

    def __init__(self, descriptor: int, screen: FormScreen, put_aside: Callable[[str], None]) -> None:
        """`put_aside` is given the keys that were meant for the next prompt."""
        self._descriptor = descriptor
        self._screen = screen
        self._put_aside = put_aside

    async def ask(self, question: Form | Visit) -> FormReply:
        """What the user says; where the terminal is gone, nothing."""
        keys = _after_a_pause(self._descriptor, self._put_aside)
        try:
            reply = await (
                self._fill_form(question, keys) if isinstance(question, Form) else self._ask_visit(question, keys)
            )
        except Declined:
            reply = FormReply("decline")
        finally:
            await keys.aclose()
            self._screen.show_typing(None)
        if reply.action == "decline":
            self._screen.show_answer(Text("  Declined.", "dim"))
        return reply

    async def _fill_form(self, form: Form, keys: AsyncIterator[str]) -> FormReply:
        self._screen.show_question(
            _question_block(f"The MCP server {form.server} asks:", form.message, FORM_HINT if form.fields else "")
        )
        values: dict[str, Value] = {}
        for one in form.fields:
            value = await self._read_value(one, keys)
            self._screen.show_answer(Text(f"  {one.title}: {one.show_value(value)}", "dim", overflow="fold"))
            if value is not None:
                values[one.name] = value
        self._screen.show_answer(Text(f"  To {form.server}. {_SEND}", "dim", overflow="fold"))
        await self._read_line("  ", keys)
        self._screen.show_answer(Text("  Sent.", "dim"))
        return FormReply("accept", values)

    async def _ask_visit(self, visit: Visit, keys: AsyncIterator[str]) -> FormReply:
        block = _question_block(f"The MCP server {visit.server} asks you to open an address:", visit.message, "")
        block.add_row("", Text(reveal_hidden(visit.address.url), "bold", overflow="fold"))
        block.add_row("", Text(f"That is the host {visit.address.host}.", "yellow", overflow="fold"))
        block.add_row("", Text(_VISIT, "dim", overflow="fold"))
        self._screen.show_question(block)
        async for key in keys:
            if key.casefold() == "y":
                self._screen.show_answer(Text("  Magpie tells the server that you open it.", "dim"))
                return FormReply("accept")
            if key.casefold() == "n":
                break
        return FormReply("decline")

    async def _read_value(self, one: Field, keys: AsyncIterator[str]) -> Value | None:
        """An answer that fits."""
        for line in _field_lines(one):
            self._screen.show_answer(line)
        while True:
            try:
                return one.read_value(await self._read_line("  › ", keys))
            except WrongAnswer as wrong:
                self._screen.show_answer(Text(f"  {wrong}", "yellow", overflow="fold"))

    async def _read_line(self, mark: str, keys: AsyncIterator[str]) -> str:
        """What is typed up to Enter; raises `Declined`."""
        typed = ""
        self._screen.show_typing(Text(mark, "cyan"))
        async for key in keys:
            if key == _ENTER:
                self._screen.show_typing(None)
                return typed
            if key in ("\x7f", "\b"):
                typed = typed[:-1]
            elif key == "\x15":
                typed = ""
            elif key.isprintable():
                typed += key
            # What does not fit on the line is at its end.
            self._screen.show_typing(Text(mark, "cyan").append(clean(typed)[-200:] + "▏", "default"))
        raise Declined


def _question_block(who: str, message: str, hint: str) -> Table:
    block = Table.grid(padding=(0, 1, 0, 0))
    block.add_row(Text("?", "bold yellow"), Text(clean(who), overflow="fold"))
    block.add_row("", Text(clean(message), "bold", overflow="fold"))
    if hint:
        block.add_row("", Text(f"What you enter goes to that server. {hint}.", "dim", overflow="fold"))
    return block


def _field_lines(one: Field) -> list[Text]:
    """A field, its choices, and what Enter takes."""
    line = Text(f"  {one.title}", "bold", overflow="fold")
    if one.about:
        line.append(f" – {one.about}", "not bold")
    taken = one.show_value(one.default) if one.default is not None else "" if one.required else "nothing"
    kinds = {"boolean": "y or n", "choices": "several, with commas between them"}
    notes = [kinds.get(one.kind, one_line(one.form, 20)), f"[{taken}]" if taken else ""]
    line.append(" " + " ".join(filter(None, notes)) if any(notes) else "", "not bold dim")
    return [line, *(Text(f"  {number} {one.shown}", overflow="fold") for number, one in enumerate(one.choices, 1))]


async def _after_a_pause(descriptor: int, put_aside: Callable[[str], None]) -> AsyncGenerator[str, None]:
    """The keys one by one, from the first pause on: what was typed ahead is no answer. Escape ends it."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    listening = False
    async with aclosing(pressed_keys(descriptor)) as pressed:
        async for seconds, data in pressed:
            text = decoder.decode(data)
            if not listening and seconds < IGNORED_KEYS_SECONDS:
                put_aside(_plain_keys(text).replace("\r", "\n"))
                continue
            listening = True
            if text == _ESCAPE_KEY:
                return
            for key in _plain_keys(text):
                yield key


def _plain_keys(text: str) -> str:
    """Keys without the sequences of arrows and the like; what is pasted stands on one line."""
    pasted = _PASTE.sub(lambda match: " ".join(match[1].split()), text)
    return _SEQUENCE.sub("", pasted)
