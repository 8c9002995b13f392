"""The commands on the program itself: help, tools, settings, leaving."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.events import Event, Listing, Notice, Quit

if TYPE_CHECKING:
    from chatbot.app import App


@command()
async def tools(app: "App", _: str) -> AsyncIterator[Event]:
    """List the tools that the model may use."""
    rows = tuple((schema.name, schema.description) for schema in app.parts.agent.toolbox.schemas)
    state = "on" if app.configuration.values.tools_enabled else "off"
    yield Listing(f"Tools ({state})", ("tool", "what it does"), rows)


@command()
async def toggle_tools(app: "App", _: str) -> AsyncIterator[Event]:
    """Switch the tools on or off."""
    yield _toggle(app, "tools_enabled", "Tools are")


@command()
async def toggle_thinking(app: "App", _: str) -> AsyncIterator[Event]:
    """Show or hide what the model thinks."""
    yield _toggle(app, "show_thinking", "Showing what the model thinks is")


@command()
async def toggle_markdown(app: "App", _: str) -> AsyncIterator[Event]:
    """Show answers as Markdown, or as they come."""
    yield _toggle(app, "markdown", "Markdown is")


@command()
async def offline(app: "App", _: str) -> AsyncIterator[Event]:
    """Let nothing leave this machine, or let it again."""
    value = not app.configuration.values.offline
    saved = app.set("offline", value)
    now = "Nothing leaves this machine from now on." if value else "Magpie reaches the network again."
    yield Notice(f"{now} {saved}")


@command()
async def save_config(app: "App", _: str) -> AsyncIterator[Event]:
    """Write the settings in force to the configuration file."""
    yield Notice(app.configuration.save())


@command(aliases=("exit",))
async def _quit(app: "App", _: str) -> AsyncIterator[Event]:
    """Leave."""
    yield Quit()


def _toggle(app: "App", name: str, what: str) -> Notice:
    value = not getattr(app.configuration.values, name)
    saved = app.set(name, value)
    return Notice(f"{what} {'on' if value else 'off'} now. {saved}")
