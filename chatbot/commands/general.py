"""The commands on the program itself: help, tools, settings, leaving."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, Notice, Quit
from utils.languages.spelling import nearest_name
from utils.local_time import local_time
from utils.log import log_path, read_log
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat

LOGGED, MOST_LOGGED = 20, 1000
"""Entries that are shown unless told, and at most."""


@command(argument="[on|off NAME]")
async def tools(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List the tools that the model which answers may use, or switch one off or on in this chat."""
    toolbox = chat.agent.toolbox
    if argument:
        yield _switch_tool(chat, argument)
        return
    if not chat.configuration.values.tools_enabled:
        yield Notice("Tools are off: the model is offered none. /toggle-tools switches them on.")
        return
    info = await chat.agent.model.describe()
    offered = [schema for schema in toolbox.schemas if schema.name not in info.withheld]
    rows = tuple((toolbox.shown_name(schema.name) or schema.name, schema.description) for schema in offered)
    how = f"Magpie calls them for {one_line(info.label)}" if info.in_steps else f"offered to {one_line(info.label)}"
    yield Listing(f"Tools ({how})", ("tool", "what it does"), rows)


@command()
async def toggle_tools(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Switch the tools on or off."""
    yield _toggle_setting(chat, "tools_enabled", "Tools are", "/toggle-tools")


@command()
async def toggle_thinking(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Show or hide what the model thinks."""
    yield _toggle_setting(chat, "show_thinking", "Showing what the model thinks is", "/toggle-thinking")


@command()
async def toggle_markdown(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Show answers as Markdown, or as they come."""
    yield _toggle_setting(chat, "markdown", "Markdown is", "/toggle-markdown")


@command()
async def offline(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Let nothing leave this machine, or let it again."""
    value = not chat.reach.offline
    saved = chat.set("offline", value)
    now = "Nothing leaves this machine from now on." if value else "Magpie reaches the network again."
    if value and (there := (await chat.retrieval.shelf.look()).archives):
        now += f" Searches are answered by the archives on it: {', '.join(archive.name for archive in there)}."
    yield Notice(f"{now} /offline again undoes it. {saved}")


@command()
async def save_config(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Write the settings in force to the configuration file."""
    chat.require_owner()
    yield Notice(chat.configuration.save_settings())


@command(argument="[number]")
async def _log(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Show the last entries of the log: calls, connections, consents, and what went wrong."""
    chat.require_owner()
    values = chat.configuration.values
    if values.private:
        yield Notice("This run is private: it has no log.")
        return
    count = int(argument.strip()[:9]) if argument.strip().isdecimal() else LOGGED
    entries = await asyncio.to_thread(read_log, values.data_folder, min(count, MOST_LOGGED))
    rows = tuple(_log_row(entry) for entry in entries)
    yield Listing(str(log_path(values.data_folder)), ("time", "what", "details"), rows)


def _log_row(entry: dict[str, object]) -> tuple[str, ...]:
    """An entry as a row: the local time, its event, and all of its data but the traceback."""
    when = local_time(str(entry.get("time")))
    beside = ("time", "level", "from", "event", "traceback")
    details = " · ".join(f"{name} {one_line(str(value), 200)}" for name, value in entry.items() if name not in beside)
    return f"{when:%H:%M:%S}" if when else "", one_line(str(entry.get("event", "")), 200), details


@command(aliases=("exit",), always=True)
async def _quit(_: object, __: str) -> AsyncIterator[Event]:
    """Leave."""
    yield Quit()


def _switch_tool(chat: "Chat", argument: str) -> Notice:
    """Switch a single tool off or on: the user decides over a profile, in this chat alone."""
    way, _, name = argument.partition(" ")
    way, name, toolbox = way.lower(), name.strip(), chat.agent.toolbox
    if way not in ("on", "off") or not name:
        return Notice("Write /tools, /tools off NAME or /tools on NAME.", "error")
    if name not in toolbox.names:
        meant = nearest_name(name, toolbox.names)
        near = f"Did you mean {meant}?" if meant else f"There are {', '.join(toolbox.names)}."
        return Notice(f"There is no tool {one_line(name, 60)!r}. {near}", "error")
    toolbox.switches.switch_tool(name, on=way == "on")
    if way == "off":
        return Notice(f"{name} is off in this chat; /tools on {name} switches it on again.")
    if not chat.configuration.values.tools_enabled:
        return Notice(f"{name} is on, but tools are off as a whole. /toggle-tools switches them on.", "warning")
    return Notice(f"{name} is on in this chat.")


def _toggle_setting(chat: "Chat", name: str, what: str, command_line: str) -> Notice:
    value = not getattr(chat.configuration.values, name)
    saved = chat.set(name, value)
    now, undone = ("on", "off") if value else ("off", "on")
    return Notice(f"{what} {now} now; {command_line} again switches back to {undone}. {saved}")
