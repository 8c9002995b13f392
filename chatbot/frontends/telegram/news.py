"""What is told in a chat beside its answers: reminders, notices of models and servers, what has to wait."""

import asyncio
import logging
from contextlib import suppress

from chatbot.conversation.events import Notice, Progress
from chatbot.frontends.telegram.connection.client import Place, TelegramUnreachable
from chatbot.frontends.telegram.messages.sender import Sender
from utils.faults import log_failure
from utils.text import one_line

log = logging.getLogger("magpie.telegram")

MAX_NEWS_CHARS = 3000
MAX_WAITING_NEWS = 100
"""Of one chat, while Telegram is not reached; what comes past these is in the log alone."""


class ChatNews:
    """Sends the news of one chat, one after the other, however long Telegram is not reached."""

    def __init__(self, sender: Sender, place: Place) -> None:
        self._sender = sender
        self._place = place
        self._waiting: asyncio.Queue[Notice] = asyncio.Queue(MAX_WAITING_NEWS)
        self._is_sending = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is still to be sent."""
        return self._waiting.empty() and not self._is_sending

    def put(self, news: Notice | Progress) -> None:
        """Have something told; how far the models are loaded is not."""
        if not isinstance(news, Notice):
            return
        try:
            self._waiting.put_nowait(news)
        except asyncio.QueueFull:
            log.warning("too much news", extra={"data": {"news": one_line(news.text)}})

    async def follow(self) -> None:
        """Send what comes, until cancelled."""
        while True:
            news = await self._waiting.get()
            self._is_sending = True
            try:
                await self._send(one_line(news.text, MAX_NEWS_CHARS))
            except Exception as error:  # noqa: BLE001 - the next news is sent whatever became of this
                log_failure(error, "Sending news to Telegram")
            finally:
                self._is_sending = False
                self._waiting.task_done()

    async def drain(self, seconds: float) -> None:
        """Wait until all is sent, but no longer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._waiting.join()

    async def _send(self, text: str) -> None:
        while True:
            try:
                await self._sender.send_text(self._place, text)
                return
            except TelegramUnreachable as error:
                # A reminder is told once, so it must not be given up.
                log_failure(error, "Sending news to Telegram")
