"""Tool calls that come in pieces: put together by their index, and by their id where a server leaves that out."""

from dataclasses import dataclass, field
from typing import Any

from chatbot.conversation.messages import ToolCall
from chatbot.models.remote.reply import check_calls, make_calls


@dataclass
class _Growing:
    """A call of which some has arrived."""

    index: int | None
    id: str = ""
    name: str = ""
    text: list[str] = field(default_factory=list)
    whole: dict[str, Any] | None = None
    """Arguments that came as an object and not as its text."""


class CallCollector:
    """Takes the pieces of calls and gives the calls; raises `ReplyBroken` for too many and for one without a name."""

    def __init__(self) -> None:
        self._calls: list[_Growing] = []

    def feed(self, piece: Any) -> None:
        """Take a piece as it stands in a chunk; what is none is passed over."""
        function = piece.get("function") if isinstance(piece, dict) else None
        if not isinstance(function, dict):
            return
        index, identity, name = piece.get("index"), piece.get("id"), function.get("name")
        index = index if isinstance(index, int) else None
        identity, name = _text_of(identity), _text_of(name)
        call = self._find_call(index, identity, name)
        call.id, call.name = call.id or identity, call.name or name
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call.text.append(arguments)
        elif isinstance(arguments, dict):
            call.whole = arguments

    def take_calls(self) -> list[ToolCall]:
        """The calls, each with an id of its own or none; arguments that cannot be read become none."""
        return make_calls(
            (call.name, "".join(call.text) if call.whole is None else call.whole, call.id) for call in self._calls
        )

    def _find_call(self, index: int | None, identity: str, name: str) -> _Growing:
        """The call that a piece belongs to: a name with another index, or another id, begins a new one."""
        if index is None:
            same = [call for call in self._calls if identity and call.id == identity]
            found = same[-1] if same else self._calls[-1] if self._calls and not name else None
        else:
            found = next((call for call in reversed(self._calls) if call.index == index), None)
            if found and name and identity and found.id and found.id != identity:
                found = None
        if found is None:
            found = _Growing(index)
            self._calls.append(found)
            check_calls(len(self._calls))
        return found


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""
