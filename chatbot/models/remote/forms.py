"""Answers that must fit a form, where the server holds to it or the model is only asked for it; no I/O."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, FilledForm, Piece, Text, WordShares
from chatbot.models.wire_values import find_object, find_word
from utils.errors import ReplyBroken

FILL_IN = "Answer with one JSON object and nothing else. It must fit this schema:\n{schema}"


@dataclass(frozen=True)
class HeldReply:
    """What a model wrote under a schema, and what that took."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)


async def read_held(pieces: AsyncGenerator[Piece, None]) -> HeldReply:
    """A whole reply that is a form: its text, or the arguments of the call that it was filled in by."""
    text, usage, filled = "", Usage(), ""
    async with aclosing(pieces):
        async for piece in pieces:
            match piece:
                case Text(delta):
                    text += delta
                case Call(call):
                    filled = filled or json.dumps(call.arguments)
                case Done():
                    usage += piece.usage
                case _:
                    pass
    return HeldReply(filled or text, usage)


def word_schema(words: Sequence[str]) -> dict[str, Any]:
    """The schema of an answer that is one of some words."""
    return {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": list(words)}},
        "required": ["word"],
        "additionalProperties": False,
    }


def read_word(held: HeldReply, words: Sequence[str], model: str) -> WordShares:
    """1 for the word that an answer has chosen and 0 for the others; raises `ReplyBroken` where it is none."""
    named = (find_object(held.text) or {}).get("word")
    chosen = named if named in words else find_word(held.text, words)
    if not chosen:
        raise ReplyBroken(f"The model {model} chose none of the words that it was given.", "Ask again.")
    return WordShares({word: float(word == chosen) for word in words}, held.usage)


def read_form(held: HeldReply, model: str) -> FilledForm:
    """The object that an answer is; raises `ReplyBroken` where it is none."""
    value = find_object(held.text)
    if value is None:
        raise ReplyBroken(f"The model {model} did not fill in the form that it was given.", "Ask again.")
    return FilledForm(value, held.usage)


def ask_in_words(messages: Sequence[Message], schema: dict[str, Any]) -> list[Message]:
    """The messages with the schema in words behind the last one."""
    *before, last = messages
    note = "\n\n".join(filter(None, (last.note, FILL_IN.format(schema=json.dumps(schema)))))
    return [*before, replace(last, note=note)]
