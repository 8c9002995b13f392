"""Values with a hostile text in every place, and the check of what came out of a front end."""

import dataclasses
import re
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from chatbot.frontends.links import web_address
from utils.text import clean

_SCALARS: dict[Any, Any] = {int: 1, float: 1.0, bool: True}
_SEQUENCE = re.compile(
    r"\x1b\[(?P<colours>[0-9;]*)m"
    r"|\x1b\]8;(?:id=\d+;(?P<link>[^\x1b\x07]+)|;)\x1b\\"
    r"|\x1b(?:\[[0-?]*[ -/]*[@-~])?"
)
# Nothing hidden, nothing blinking, no fonts, no colour on its own ground.
_COLOURS = re.compile(r"(?:(?:0|[1-4]|7|9|2[1-49]|3[1-79]|4[79]|9[0-7]|[34]8;5;\d+)(?:;|$))*")
# What Magpie and prompt_toolkit do to a terminal beside colours: cursor moves, erasing, synchronized output, wrapping,
# cursor shown or hidden, bracketed paste, the other screen, the question where the cursor is.
_OWN = re.compile(r"\x1b\[(?:\d*[ABCDGJK]|(?:\d+;\d+)?H|6n|\?(?:7|25|12|2026|2004|1049|1)[hl]|(?:\?12;25h)|0? q)")


def hostile(hint: Any, text: str) -> Any:
    """A value of the type that has the text wherever it has a text."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return hostile(next(each for each in arguments if each is not type(None)), text)
    if origin in (tuple, list, Sequence):
        return tuple(hostile(each, text) for each in arguments if each is not Ellipsis)
    if origin in (dict, Mapping):
        return {hostile(arguments[0], text): hostile(arguments[1], text)}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        return hint(**{field.name: hostile(hints[field.name], text) for field in dataclasses.fields(hint)})
    return _SCALARS.get(hint, text)


def foreign(written: str, *, moves: bool = False) -> list[str]:
    """What is in an output that is neither text, nor a colour, nor a link to the web, nor with `moves` a move."""
    found: list[str] = []

    def judge(match: "re.Match[str]") -> str:
        own = (match["colours"] is not None and _COLOURS.fullmatch(match["colours"])) or (
            match[0].startswith("\x1b]8;") and web_address(match["link"] or "") == (match["link"] or "")
        )
        if not own and not (moves and _OWN.fullmatch(match[0])):
            found.append(match[0])
        return ""

    text = _SEQUENCE.sub(judge, written)
    plain = text.replace("\r\n", "\n").replace("\r", "").replace("\b", "") if moves else text
    # What is laid out may break a sequence of joined characters, but shows nothing that is hidden.
    return [*found, *(c for c in plain if c not in clean(f"क{c}") and c not in clean(f"❤{c}"))]
