"""Asks with buttons below a message what may leave the machine; only whoever asked the question can press them."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from chatbot.frontends.links import web_address
from chatbot.frontends.telegram.connection.client import BotClient, Button, Place
from chatbot.frontends.telegram.connection.updates import ButtonPress
from chatbot.frontends.telegram.messages.runs import StyledRun
from chatbot.frontends.telegram.messages.sender import Sender
from chatbot.trust.consent import Decision, Request
from utils.errors import MagpieError
from utils.faults import log_failure
from utils.network.addresses import host_of
from utils.text import clean, one_line, reveal_hidden

BUTTON_TEXTS: dict[Decision, str] = {
    "once": "Once",
    "session": "For this conversation",
    "no": "No",
    "never": "Never in this conversation",
}
_DECIDED: dict[Decision, str] = {
    "once": "Allowed this once.",
    "session": "Allowed for this conversation.",
    "no": "Not allowed.",
    "never": "Not allowed, and not asked again in this conversation.",
}
NOT_YOURS = "Only who asked the question can decide this."
TOO_LATE = "Nobody answered in time: not allowed."
OVER = "This question is over."


@dataclass(frozen=True)
class _Pending:
    user_id: int
    decided: "asyncio.Future[Decision]"


class ButtonConsent:
    """The questions of one chat. `asker` says where the question under way stands, and who asked it."""

    def __init__(
        self, client: BotClient, sender: Sender, seconds: float, asker: Callable[[], tuple[Place, int]]
    ) -> None:
        self._client = client
        self._sender = sender
        self._seconds = seconds
        self._asker = asker
        self._pending: dict[str, _Pending] = {}

    async def ask(self, request: Request) -> Decision:
        """What the person decides in time; otherwise, and where they cannot be asked, it is a no."""
        place, user_id = self._asker()
        key = secrets.token_hex(8)
        pending = self._pending[key] = _Pending(user_id, asyncio.get_running_loop().create_future())
        buttons = [Button(text, f"{key}:{decision}") for decision, text in BUTTON_TEXTS.items()]
        message_id, said = 0, OVER
        try:
            message_id = await self._sender.send_text(place, request_text(request), buttons)
            async with asyncio.timeout(self._seconds):
                decision = await pending.decided
            said = _DECIDED[decision]
            return decision
        except TimeoutError:
            said = TOO_LATE
        except MagpieError as error:
            log_failure(error, "Asking for consent")
        finally:
            del self._pending[key]
            if message_id:
                await self._close(place, message_id, request, said)
        return "no"

    async def take_press(self, press: ButtonPress) -> None:
        """Take a pressed button in; raises a `MagpieError` where Telegram cannot be told."""
        key, _, decision = press.data.partition(":")
        pending = self._pending.get(key)
        if pending is None or pending.decided.done():
            await self._client.answer_press(press.id, OVER)
        elif press.user_id != pending.user_id:
            await self._client.answer_press(press.id, NOT_YOURS)
        else:
            decisions: dict[str, Decision] = {one: one for one in BUTTON_TEXTS}
            pending.decided.set_result(decisions.get(decision, "no"))
            await self._client.answer_press(press.id)

    async def _close(self, place: Place, message_id: int, request: Request, said: str) -> None:
        """Say below the question what was decided, and take its buttons away."""
        told = f"{one_line(request.question, 1000)}\n\n{one_line(reveal_hidden(request.sent), 1000)}\n\n{said}"
        try:
            await self._sender.edit_part(place, message_id, [StyledRun(told)])
        except MagpieError as error:
            log_failure(error, "Closing a question")


def request_text(request: Request) -> str:
    """What is asked, and all of what would be sent; of an address that hides its host, that too."""
    told = f"{clean(request.question)}\n\n{reveal_hidden(request.sent)}"
    host = host_of(web_address(request.sent))
    return told if host in request.sent.lower() else f"{told}\n\nThat is the host {host}."
