"""Replies of models that went wrong, made from good ones: whatever they hold, no parser of ours crashes or hangs.

failures = await run_replies(10_000)
"""

import json
import random
import time
from collections.abc import Iterator

from chatbot.models.base import Call
from chatbot.models.ollama.values import message_pieces
from chatbot.models.text_calls.parser import find_calls
from chatbot.models.text_calls.stream import Sieve
from chatbot.models.wire_values import parse_object
from tests.fakes.attacks import ATTACKS, naughty_strings
from tools.base import Toolbox, ToolContext, tool
from utils.errors import MagpieError, ReplyBroken

SUITE = ATTACKS / "text" / "jsontestsuite" / "test_parsing"
QUESTION = "What is the weather in Oslo?"
SECONDS = 5.0
"""After which a reply counts as hung."""
_CALL = '{"name": "web_search", "arguments": {"query": "weather in Oslo", "limit": 3}}'
FORMS = (
    _CALL,
    f"```json\n{_CALL}\n```",
    f"<tool_call>\n{_CALL}\n</tool_call>",
    f"I will look. [{_CALL}, {_CALL}]",
    '{"tool_calls": [{"type": "function", "function": {"name": "web_search", "arguments": "{\\"query\\": \\"x\\"}"}}]}',
    '{"web_search": {"query": "weather"}}',
    '{"tool": "web_search", "query": "weather"}',
    '[web_search(query="weather in Oslo", limit=3)]',
    '<function=web_search>{"query": "weather"}</function>',
    '{{"name": "web_search", "arguments": {"query": "weather"}}}',
    '<|tool_call|>[{"name": "web_search", "parameters": {"query": "x"}}]',
    "It is 7 degrees in Oslo [1].\n\n| a | b |\n|---|---|\n| {x} | [y] |",
)
_SPLINTERS: tuple[str, ...] = (
    '"',
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "```",
    "<tool_call>",
    "</tool_call>",
    "\x00",
    "\x1b[2J",
)
_SPLINTERS += ("\ud800", "\u2028", "\u202e", "null", "NaN", "1e999", "-", "9" * 5000, "(", ")", "=", "\n", " " * 200)


async def web_search(query: str, limit: int = 5) -> str:
    """Search the web.

    Args:
        query: What to look for.
        limit: How many results.
    """
    return f"{query[:10]} {limit}"


TOOLS = Toolbox([tool(web_search)])
CONTEXT = ToolContext(QUESTION)


def json_kinds() -> dict[str, str]:
    """The texts of JSONTestSuite: what must be read, what must not, what may."""
    return {path.name: path.read_bytes().decode("utf-8", "surrogateescape") for path in sorted(SUITE.glob("*.json"))}


def wrapped(kind: str) -> Iterator[str]:
    """A JSON text in every place that a reply has for one."""
    yield kind
    yield f"```json\n{kind}\n```"
    yield f'{{"name": "web_search", "arguments": {kind}}}'
    yield f'{{"name": {kind}, "arguments": {{"query": "x"}}}}'
    yield f'<tool_call>{{"name": "web_search", "arguments": {{"query": {kind}, "limit": {kind}}}}}</tool_call>'
    yield json.dumps({"name": "web_search", "arguments": kind})
    yield f"[web_search(query={kind})]"


def mutated(seed: int) -> str:
    """A reply with some damage, always the same for a seed."""
    chance = random.Random(seed)
    text = chance.choice(FORMS)
    for _ in range(chance.randint(1, 8)):
        at, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
        match chance.randrange(7):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + text[at:end] * chance.randint(2, 20) + text[end:]
            case 2:
                text = text[:at] + chance.choice(_SPLINTERS) + text[at:]
            case 3:
                text = text[:at]
            case 4:
                text = text[:at] + chance.choice(FORMS) + text[end:]
            case 5:
                text = text[:at] + chr(chance.randrange(0x110000)) + text[at + 1 :]
            case _:
                text = text[:at] + text[at:end].replace('"', chance.choice(_SPLINTERS)) + text[end:]
    return text[:100_000]


async def run_replies(count: int) -> list[str]:
    """So many damaged replies, and every kind of JSON in every place, as a stream and to their calls' end.

    What failed, and how; a reply that took longer than `SECONDS` has.
    """
    failures = []
    kinds = (reply for kind in json_kinds().values() for reply in wrapped(kind))
    naughty = (reply for text in naughty_strings() for reply in wrapped(json.dumps(text)))
    for number, reply in enumerate((*map(mutated, range(count)), *kinds, *naughty)):
        began = time.monotonic()
        try:
            said = await _tried(reply, random.Random(number))
        except MagpieError as error:
            said = f"{error} reached nobody"
        except Exception as error:  # noqa: BLE001 - what is looked for
            said = f"{type(error).__name__}: {error}"
        if time.monotonic() - began > SECONDS:
            said = f"took {time.monotonic() - began:.0f} s"
        failures += [f"{said}: {reply[:200]!r}"] if said else []
    return failures


async def _tried(reply: str, chance: random.Random) -> str:
    """What is wrong with how a reply is taken, in words; empty for nothing."""
    sieve = Sieve(TOOLS.schemas, TOOLS.accepts_call, QUESTION)
    shown, at = "", 0
    while at < len(reply):
        step = chance.choice((1, 3, 10, 1000))
        shown += sieve.feed(reply[at : at + step])
        at += step
    rest, calls = sieve.finish()
    if not (reply.startswith(shown) if calls else shown + rest == reply):
        return "text was lost"
    for call in calls or find_calls(reply, TOOLS.schemas, TOOLS.accepts_call):
        outcome = await TOOLS.execute_call(call.name, call.arguments, CONTEXT)
        if not outcome.ok:
            return f"a call that was accepted failed: {outcome.result.text}"
    return await _as_sent(reply)


async def _as_sent(text: str) -> str:
    """A text as a line that a server sends, and as the arguments of a call in one: read, or told to the model."""
    chunks = [parse_object(text) or {}]
    for arguments in (text, {"query": text, "limit": text, text: [text]}, {"query": text}, [text], None):
        chunks.append(
            {"message": {"content": text, "tool_calls": [{"function": {"name": "web_search", "arguments": arguments}}]}}
        )
    for chunk in chunks:
        try:
            pieces = list(message_pieces(chunk))
        except ReplyBroken:
            continue
        for piece in pieces:
            if isinstance(piece, Call):
                await TOOLS.execute_call(piece.call.name, piece.call.arguments, CONTEXT)
    return ""
