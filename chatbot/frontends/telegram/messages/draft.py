"""An answer that is written into its messages while it grows."""

import asyncio
from collections.abc import Callable, Sequence

from chatbot.frontends.telegram.connection.client import Place, TelegramRefusal
from chatbot.frontends.telegram.messages.runs import StyledRun, plain_text, split_runs
from chatbot.frontends.telegram.messages.sender import UNSHOWN, Sender
from utils.errors import MagpieError
from utils.faults import log_failure

PRIVATE_EDIT_SECONDS, GROUP_EDIT_SECONDS = 1.1, 3.2
"""Between two edits: a chat takes about one message a second, a group twenty a minute (Bot API, FAQ)."""


class Draft:
    """The messages of one answer; `pause` are the seconds between two edits.

    `compose` gives what is to be seen now: it is called when `note_change` was, and as often as the pace allows.
    """

    def __init__(
        self, sender: Sender, place: Place, reply_to: int, compose: Callable[[], Sequence[StyledRun]], pause: float
    ) -> None:
        self._sender = sender
        self._place = place
        self._reply_to = reply_to
        self._compose = compose
        self._pause = pause
        self._changed = asyncio.Event()
        self._showing = asyncio.Lock()
        self._shown: list[tuple[int, list[StyledRun]]] = []
        """The messages by their ids, with what is in them."""

    def note_change(self) -> None:
        """There is something else to be seen."""
        self._changed.set()

    async def follow(self) -> None:
        """Show what changes until this is cancelled; what cannot be shown now is shown with the next change."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            # A message that is being sent is sent to its end: cut off, it would stand there twice.
            await asyncio.shield(asyncio.create_task(self._look()))
            await asyncio.sleep(max(self._pause, self._sender.wait_seconds(self._place)))

    async def finish(self) -> None:
        """Show the whole, however long Telegram has it wait."""
        async with self._showing:
            await self._show(self._compose() or [StyledRun(UNSHOWN)])

    async def _look(self) -> None:
        async with self._showing:
            try:
                await self._show(self._compose())
            except MagpieError:
                # The whole answer comes at its end, with what is wrong: one look less on the way is no loss.
                self._changed.set()

    async def _show(self, runs: Sequence[StyledRun]) -> None:
        parts = split_runs(runs) or ([[StyledRun(UNSHOWN)]] if plain_text(runs) else [])
        for at, part in enumerate(parts):
            if at == len(self._shown):
                sent = await self._sender.send_part(self._place, part, 0 if at else self._reply_to)
                self._shown.append((sent, part))
            elif self._shown[at][1] != part:
                self._shown[at] = (await self._replace(self._shown[at][0], part), part)
        while len(self._shown) > len(parts) > 0:
            message_id, _ = self._shown.pop()
            try:
                await self._sender.delete(self._place, message_id)
            except TelegramRefusal as refusal:
                log_failure(refusal, "Taking a message away")

    async def _replace(self, message_id: int, part: Sequence[StyledRun]) -> int:
        """Put another text into a message; where somebody has deleted it, into a new one. Its id."""
        try:
            await self._sender.edit_part(self._place, message_id, part)
        except TelegramRefusal:
            return await self._sender.send_part(self._place, part, self._reply_to)
        return message_id
