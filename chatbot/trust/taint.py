"""What a conversation holds of the outside and of the user's own: by that is judged what may be sent without asking."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chatbot.conversation.messages import PAGE_ORIGIN, SKILL_TOOL, Message
from chatbot.models.dialogue import addresses_in
from chatbot.trust.authorship import is_typed
from chatbot.trust.leak_detection import Private
from utils.errors import AddressRefused
from utils.fence import CONVERSATION, fence_text, find_fences, has_outside
from utils.network.addresses import Target, parse_url
from utils.secrets import environment_secrets

EARLIER = "search_history"
INSIDE = frozenset(
    {
        "remember",
        "forget",
        "set_reminder",
        "list_reminders",
        "cancel_reminder",
        "calculate",
        "date_and_time",
        SKILL_TOOL,
    }
)
"""Tools whose results are Magpie's own words about what the user said, or about numbers and dates, or the user's."""


@dataclass(frozen=True)
class PrivateTexts:
    """What the user gave Magpie beside the conversation: what it remembers, and the instructions."""

    memory: Callable[[], str] = str
    instructions: Callable[[], str] = str
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def is_tainted(messages: Sequence[Message]) -> bool:
    """Whether text from outside is in a conversation, sent still or not: a tool's result, a file's text, a picture,
    a prompt."""
    return any(m.is_result and m.tool_name not in INSIDE and not m.interrupted for m in messages) or any(
        has_outside(message.note) or message.pictures or message.origin for message in messages
    )


def fence_said(text: str, said: Sequence[Message], *, tainted: bool = False) -> str:
    """What is told again of these messages, in a fence where it is `tainted` or text from outside is among them."""
    return fence_text(text, CONVERSATION) if tainted or is_tainted(said) else text


def known_addresses(messages: Sequence[Message]) -> list[str]:
    """The addresses that may be opened without asking, as they are sent, each once, those that came first first.

    They are typed by the user, found by a search engine, or in the library.
    """
    known: list[str] = []
    for message in messages:
        if is_typed(message):
            known += addresses_in(message.content)
        elif message.is_result and not message.origin:
            # What was opened before, and what the library knows: whoever wrote that address down had seen nothing.
            known += [*message.links, *(source.passage.source for source in message.sources)]
    return [address for address in dict.fromkeys(map(sent_address, known)) if address]


def as_known(address: str, messages: Sequence[Message]) -> str:
    """The known address that is meant by one which a model spelled another way; the same one where none is.

    Each way to spell what is known would tell its server something.
    """
    known, sent, key = known_addresses(messages), sent_address(address), address_key(address)
    return address if sent in known or not key else next((one for one in known if address_key(one) == key), address)


def sent_address(address: str) -> str:
    """An address as it is sent; empty if it is none."""
    target = _parse_target(address)
    return target.url if target else ""


def address_key(address: str) -> str:
    """What spellings of one address share, whether http or https, with last slashes or without; empty if it is none."""
    target = _parse_target(address)
    if not target:
        return ""
    port = "" if target.port in (80, 443) else f":{target.port}"
    return f"{target.host}{port}{target.path.rstrip('/')}"


def _parse_target(address: str) -> Target | None:
    try:
        return parse_url(address if "://" in address else f"https://{address}")
    except AddressRefused:
        return None


def private_texts(messages: Sequence[Message], kept: PrivateTexts) -> Iterator[Private]:
    """The texts of the user that no call may carry out unasked."""
    yield Private("what you asked Magpie to remember", kept.memory())
    yield Private("your instructions", kept.instructions())
    for name, value in environment_secrets(kept.environment).items():
        yield Private(f"the environment variable {name}", value, whole=True)
    for message in messages:
        if message.is_question:
            # What a page says is known to whoever opens it.
            fences = find_fences(message.note)
            yield from (Private(n, text) for n, text in fences if n != CONVERSATION and not n.startswith(PAGE_ORIGIN))
            yield from (Private(f"the picture {one.name}", one.text) for one in message.pictures if one.text)
        elif message.tool_name == EARLIER:
            yield Private("an earlier conversation", message.content)
        for source in message.sources:
            if message.is_result and source.passage.origin == "file":
                yield Private(f"the file {source.passage.title or source.passage.source}", source.passage.text)
