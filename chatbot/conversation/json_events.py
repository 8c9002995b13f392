"""Events as JSON objects, for programs: one form, whoever writes them."""

import dataclasses
import re
from typing import Any

from chatbot.conversation.events import Answered, Event
from chatbot.conversation.wrong_numbers import wrong_numbers
from utils.errors import MagpieError

SCHEMA_VERSION = 1


def event_object(event: Event) -> dict[str, Any]:
    """An event: `v` (the schema's version), `event` (its name), and its fields.

    The end of an answer has the sentences on its wrong numbers as well, which every front end shows.
    """
    told = {"wrong_numbers": wrong_numbers(event)} if isinstance(event, Answered) else {}
    return versioned_object(snake_case(type(event).__name__), dataclasses.asdict(event) | told)


def failure_object(error: MagpieError) -> dict[str, Any]:
    """A failure, which is the last that comes."""
    return versioned_object("error", {"problem": error.problem, "remedy": error.remedy})


def versioned_object(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """An object of that name with its fields, as all of them are."""
    return {"v": SCHEMA_VERSION, "event": name, **fields}


def snake_case(name: str) -> str:
    """AnswerDelta becomes answer_delta."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
