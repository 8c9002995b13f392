"""Answers that must fit a form, where the server holds to it or the model is only asked for it; no I/O."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.wire_values import find_object, find_word
from utils.errors import ReplyBroken

FILL_IN = "Answer with one JSON object and nothing else. It must fit this schema:\n{schema}"


def word_schema(words: Sequence[str]) -> dict[str, Any]:
    """The schema of an answer that is one of some words."""
    return {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": list(words)}},
        "required": ["word"],
        "additionalProperties": False,
    }


def read_word(text: str, words: Sequence[str], model: str) -> dict[str, float]:
    """1 for the word that an answer has chosen and 0 for the others; raises `ReplyBroken` where it is none."""
    named = (find_object(text) or {}).get("word")
    chosen = named if named in words else find_word(text, words)
    if not chosen:
        raise ReplyBroken(f"The model {model} chose none of the words that it was given.", "Ask again.")
    return {word: float(word == chosen) for word in words}


def read_form(text: str, model: str) -> dict[str, Any]:
    """The object that an answer is; raises `ReplyBroken` where it is none."""
    value = find_object(text)
    if value is None:
        raise ReplyBroken(f"The model {model} did not fill in the form that it was given.", "Ask again.")
    return value


def ask_in_words(messages: Sequence[Message], schema: dict[str, Any]) -> list[Message]:
    """The messages with the schema in words behind the last one."""
    *before, last = messages
    note = "\n\n".join(filter(None, (last.note, FILL_IN.format(schema=json.dumps(schema)))))
    return [*before, replace(last, note=note)]
