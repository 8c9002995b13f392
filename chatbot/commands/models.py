"""The commands on language models: what is there, which one answers, fetching another one."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, get_args

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, Notice, Progress
from chatbot.models.base import readable_name
from chatbot.models.settings import Effort
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from chatbot.models.probe.results import ProbeResult
    from chatbot.models.provider import FetchableModel, ModelEntry

EFFORTS: tuple[Effort, ...] = get_args(Effort)
_FETCHABLE = "Models that Magpie runs itself (/pull <name> fetches one, or any other of Ollama's)"


@command(argument="[name]")
async def model(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List the models, or go on with another one."""
    models = chat.models
    if argument:
        await chat.use_model(argument)
        yield Notice(f"{models.shown} answers from now on.")
        return
    listed = await models.list_models()
    shown = Counter(readable_name(entry.name) for entry in listed)
    rows = []
    for entry in listed:
        readable = readable_name(entry.name)
        # Of two files of one name each is shown whole: /model could not tell which is meant.
        name = readable if shown[readable] == 1 else entry.name
        found = await models.find_probe(entry.stands_for or entry.name)
        rows.append(_model_row(entry, name, entry.name == models.current, found))
    yield Listing("Models (/model <name> goes on with another one)", ("", "name", "size", "abilities"), tuple(rows))


@command(argument="[name]")
async def pull(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Fetch a model and go on with it, or list some that are worth it."""
    if not argument:
        rows = tuple(_fetchable_row(one) for one in await chat.models.list_fetchable())
        yield Listing(_FETCHABLE, ("name", "size", "memory", "licence", ""), rows)
        return
    async with aclosing(chat.models.pull_model(argument)) as steps:
        async for progress in steps:
            yield progress
    await chat.use_model(argument)
    yield Notice(f"{chat.models.shown} is here and answers from now on.")


@command(argument="[name]")
async def probe(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Ask a model 21 short questions, tell what it can do, and serve it by that."""
    from chatbot.engine.probing import Probing
    from chatbot.models.probe.checks import CHECKS

    probing = Probing(chat, argument)
    yield Progress(CHECKS[0].name, 0, len(CHECKS))
    async with aclosing(probing.run()) as outcomes:
        async for _ in outcomes:
            done = len(probing.outcomes)
            yield Progress(CHECKS[min(done, len(CHECKS) - 1)].name, done, len(CHECKS))
    marks = {True: "✓", False: "✗", None: "–"}
    rows = tuple((marks[one.passed], one.check.name, one.said) for one in probing.outcomes)
    yield Listing(
        f"What {readable_name(probing.name)} can do ({probing.result.score})", ("", "check", "what was wrong"), rows
    )
    yield Notice(probing.verdict)


@command(argument="[off | on | low | medium | high]")
async def think(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Show or set whether the model thinks before it answers, and how hard."""
    wanted = argument.lower()
    if wanted not in ("", "off", "on", *EFFORTS):
        yield Notice(f"{one_line(argument, 20)!r} is none of off, on, {', '.join(EFFORTS)}.", "error")
        return
    changes: dict[str, bool | str | None] = {"thinking_enabled": wanted != "off"}
    if wanted != "off":
        changes["thinking_effort"] = wanted if wanted in EFFORTS else None
    saved = [chat.set(name, value) for name, value in changes.items()] if wanted else []
    values = chat.configuration.values
    how = f"Thinking is on, with {values.effort} effort." if values.effort else "Thinking is on."
    yield Notice(" ".join([how if values.thinking_enabled else "Thinking is off.", *dict.fromkeys(saved)]))
    info = await chat.agent.model.describe()
    if values.effort and not info.takes_effort:
        yield Notice(f"{one_line(info.label)} does not say that its effort can be chosen; it may take no notice.")


def _fetchable_row(one: "FetchableModel") -> tuple[str, str, str, str, str]:
    sizes = (f"{one.size / 1e9:.1f} GB", f"{one.memory / 1e9:.1f} GB")
    return one.name, *sizes, one.licence, "" if one.fits else "more memory than is free here"


def _model_row(entry: "ModelEntry", name: str, current: bool, probe: "ProbeResult | None") -> tuple[str, str, str, str]:
    abilities = (
        f"{readable_name(entry.stands_for)} of {entry.backend}" if entry.stands_for else "",
        entry.elsewhere,
        "" if entry.chats else "only embeds",
        "tools" if entry.tools else "",
        "thinking" if entry.thinking else "",
        "sees" if entry.sees else "",
        "served in steps" if probe and entry.tools and not probe.native else "",
        f"probe: {probe.score}" if probe and probe.whole else "",
    )
    size = f"{entry.size / 1e9:.1f} GB" if entry.size else ""
    return "●" if current else "", name, size, ", ".join(filter(None, abilities))
