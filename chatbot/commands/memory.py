"""The command on what is remembered of the user."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, Notice
from utils.errors import MagpieError

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat

_MEMORY_USAGE = "Write /memory, /memory add TEXT, /memory edit 2 TEXT, /memory forget 2 or /memory keep 2."
# No fact has a number of this many digits; Python refuses to read numbers of thousands.
_MAX_FACT_DIGITS = 10


@command(argument="[add|edit|forget|keep ...]")
async def memory(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List what is remembered of you; add to it, correct it, forget it, agree to a proposal."""
    action, _, rest = argument.partition(" ")
    if not action:
        for event in await _list_facts(chat):
            yield event
    else:
        yield Notice(await _change_memory(chat, action.lower(), rest.strip()))


async def _change_memory(chat: "Chat", action: str, rest: str) -> str:
    """Carry out what changes the memory, and say what was done; raises a `MagpieError`."""
    kept = chat.memory
    first, _, text = rest.partition(" ")
    match action:
        case "add" if rest:
            return f"Remembered: {(await kept.add_fact(rest)).text}"
        case "edit" if text.strip():
            return f"Remembered instead: {(await kept.edit_fact(_read_number(first), text)).text}"
        case "forget" if rest:
            return f"Forgotten: {(await kept.drop_fact(rest)).text}"
        case "keep" if first:
            return f"Remembered: {(await kept.keep_proposal(_read_number(first))).text}"
        case _:
            raise MagpieError("That is no way to use /memory.", _MEMORY_USAGE)


async def _list_facts(chat: "Chat") -> list[Event]:
    from chatbot.memory.facts import select_facts

    kept = chat.memory
    facts, settings = await kept.list_facts(), kept.settings
    chosen = select_facts(facts, settings.max_tokens)
    events: list[Event] = []
    rows = tuple((str(f.number), f.text, "" if f in chosen.told else "no room") for f in facts if f.kept)
    if rows:
        title = f"Remembered (about {chosen.tokens} of {settings.max_tokens} tokens in every prompt)"
        events.append(Listing(title, ("", "fact", ""), rows))
    if len(chosen.told) < len(rows):
        told = "There is room for the newest only; raise memory.max_tokens, or forget some."
        events.append(Notice(told, "warning"))
    if proposals := tuple((str(fact.number), fact.text) for fact in facts if not fact.kept):
        events.append(
            Listing("Proposed, not told to the model (/memory keep <number> agrees)", ("", "fact"), proposals)
        )
    if not settings.enabled:
        events.append(Notice("memory.enabled is false: nothing of this is told to the model.", "warning"))
    return events or [Notice("Nothing is remembered yet. /memory add I am vegetarian")]


def _read_number(text: str) -> int:
    if not text.isdecimal() or len(text) >= _MAX_FACT_DIGITS:
        raise MagpieError(
            f'"{text[:_MAX_FACT_DIGITS]}" is no number of a fact.', "/memory lists the facts with their numbers."
        )
    return int(text)
