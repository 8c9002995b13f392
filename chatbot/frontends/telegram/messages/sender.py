"""Messages on their way to Telegram: at the pace that it allows, again after a cut, plain where it refuses markup."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from chatbot.frontends.telegram.connection.client import (
    BotClient,
    Button,
    Place,
    TelegramBusy,
    TelegramRefusal,
    TelegramUnreachable,
)
from chatbot.frontends.telegram.messages.runs import StyledRun, plain_text, split_runs, write_html, write_plain

log = logging.getLogger("magpie.telegram")

T = TypeVar("T")

FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 0.5, 30.0
DELIVERY_SECONDS = 600.0
"""How long a message is tried to be delivered; what it says is in the conversation all the same."""
UNSHOWN = "(Telegram does not show this answer.)"
"""In the place of a text in which Telegram sees nothing that can be shown."""
_UNCHANGED = "message is not modified"


class Sender:
    """Sends and edits messages. Methods raise `TelegramRefusal` and what ends the bot: a token that is taken back."""

    def __init__(self, client: BotClient, delivery_seconds: float = DELIVERY_SECONDS) -> None:
        self._client = client
        self._delivery_seconds = delivery_seconds
        self._free_at: dict[int, float] = {}
        """When Telegram takes something for a chat again, on the loop's clock."""

    def wait_seconds(self, place: Place) -> float:
        """How long Telegram asks to wait before anything else is sent to a chat."""
        return max(0.0, self._free_at.get(place.chat_id, 0.0) - asyncio.get_running_loop().time())

    async def send_text(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> int:
        """Send plain text; the id of its last message, below which the buttons are."""
        *parts, last = split_runs([StyledRun(text)]) or [[StyledRun(UNSHOWN)]]
        for part in parts:
            await self._deliver(place, lambda part=part: self._client.send(place, plain_text(part)))  # type: ignore[misc]
        return await self._deliver(place, lambda: self._client.send(place, plain_text(last), buttons=buttons))

    async def send_part(self, place: Place, part: Sequence[StyledRun], reply_to: int = 0) -> int:
        """Send one message with its markup, or plain where Telegram refuses that; its id."""

        async def send(text: str, html: bool) -> int:
            return await self._deliver(place, lambda: self._client.send(place, text, html=html, reply_to=reply_to))

        return await self._with_fallback(part, send)

    async def edit_part(self, place: Place, message_id: int, part: Sequence[StyledRun]) -> None:
        """Put another text into a message of ours."""

        async def edit(text: str, html: bool) -> None:
            try:
                await self._deliver(place, lambda: self._client.edit(place, message_id, text, html=html))
            except TelegramRefusal as refusal:
                if _UNCHANGED not in refusal.problem:
                    raise

        await self._with_fallback(part, edit)

    async def delete(self, place: Place, message_id: int) -> None:
        """Take a message of ours away."""
        await self._deliver(place, lambda: self._client.delete(place, message_id))

    async def _with_fallback(self, part: Sequence[StyledRun], put: Callable[[str, bool], Awaitable[T]]) -> T:
        for text, html in ((write_html(part), True), (write_plain(part), False)):
            try:
                return await put(text, html)
            except TelegramRefusal as refusal:
                log.info("refused", extra={"data": {"why": refusal.problem, "html": html}})
        return await put(UNSHOWN, False)

    async def _deliver(self, place: Place, ask: Callable[[], Awaitable[T]]) -> T:
        """Have Telegram do something for a chat, as often as it takes; raises what does not pass."""
        loop = asyncio.get_running_loop()
        last, pause = loop.time() + self._delivery_seconds, FIRST_RETRY_SECONDS
        while True:
            await asyncio.sleep(self.wait_seconds(place))
            try:
                return await ask()
            except TelegramBusy as busy:
                self._free_at[place.chat_id] = loop.time() + busy.seconds
            except TelegramUnreachable:
                if loop.time() > last:
                    raise
                await asyncio.sleep(pause)
                pause = min(2 * pause, LAST_RETRY_SECONDS)
