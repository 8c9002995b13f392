"""The Bot API through Telegram's library: the one importer of it, and where its errors become ours."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

import telegram
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, InvalidToken, RetryAfter, TelegramError

from chatbot.frontends.telegram.connection.requests import GuardedRequest
from utils.errors import AddressRefused, ConfigError, MagpieError, NetworkError, Offline
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

POLL_SECONDS = 25
"""How long Telegram holds a request for news open while there are none."""
API_SECONDS = 15.0
"""Without a sign from Telegram after which a request has failed."""
MAX_UPDATES_BYTES = 16_000_000
"""Of an answer that is no file: 100 updates, the most that come at once, have some 500 kB."""
TAKEN_UPDATES: Final = ("message", "callback_query")
NO_PREVIEW = telegram.LinkPreviewOptions(is_disabled=True)
"""Telegram would open the first address of a text by itself, whoever put it there and whatever it carries out."""


class TelegramBusy(NetworkError):
    """Telegram asks to wait for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Telegram asks to wait for {seconds:g} s.")
        self.seconds = seconds


class TelegramRefusal(NetworkError):
    """Telegram cannot do what a request wants, and says why; the same again brings the same."""


class TelegramUnreachable(NetworkError):
    """Nothing usable came from Telegram; the same may succeed later."""


class BotConflict(NetworkError):
    """Somebody else gets the bot's messages; `webhook`: a web server to which Telegram sends them."""

    def __init__(self, webhook: bool) -> None:
        super().__init__(
            "Telegram sends this bot's messages to a web server (a webhook is set)."
            if webhook
            else "Another program gets the messages of this bot at the same time.",
            "`magpie telegram --delete-webhook` takes the bot back."
            if webhook
            else "Stop the other one, or give it a token of its own.",
        )
        self.webhook = webhook


@dataclass(frozen=True)
class BotIdentity:
    """The bot itself."""

    id: int
    username: str
    """Without the @."""


@dataclass(frozen=True)
class Place:
    """Where a message stands: a chat, and in a group with topics one of these."""

    chat_id: int
    thread_id: int | None = None


@dataclass(frozen=True)
class Button:
    """A button below a message; `data` comes back when it is pressed (at most 64 bytes)."""

    text: str
    data: str


class BotClient:
    """What Magpie asks of Telegram. Each method raises the errors above, and `Offline`."""

    def __init__(self, token: str, endpoint: ApiEndpoint, reach: NetworkAccess, max_file_bytes: int) -> None:
        base = endpoint.base_url.rstrip("/")
        # Two clients: a request for news, which is held open, keeps no answer waiting.
        self._requests = [
            GuardedRequest(endpoint, reach, most) for most in (max_file_bytes + 1_000_000, MAX_UPDATES_BYTES)
        ]
        self._bot = telegram.Bot(
            token,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=self._requests[0],
            get_updates_request=self._requests[1],
        )

    async def close(self) -> None:
        """Close all connections."""
        for request in self._requests:
            await request.shutdown()

    async def who_am_i(self) -> BotIdentity:
        """The bot that the token is for."""
        async with translated_errors():
            user = await self._bot.get_me()
            return BotIdentity(user.id, user.username or "")

    async def delete_webhook(self) -> None:
        """Have messages wait for us again; those that wait are kept."""
        async with translated_errors():
            await self._bot.delete_webhook(drop_pending_updates=False)

    async def set_commands(self, commands: Sequence[tuple[str, str]]) -> None:
        """Have Telegram offer commands, each with what it does."""
        async with translated_errors():
            await self._bot.set_my_commands(commands)

    async def fetch_updates(self, offset: int | None, *, wait: bool = True) -> list[dict[str, Any]]:
        """What came, from an update's id on, as Telegram's own JSON; all before that is forgotten there.

        Not by way of the library's objects: what one of them does not know, in a message from anybody, would fail all.
        """
        seconds = POLL_SECONDS if wait else 0
        wanted = {"timeout": str(seconds), "allowed_updates": json.dumps(TAKEN_UPDATES)}
        asked = urlencode(wanted if offset is None else {**wanted, "offset": str(offset)})
        async with translated_errors():
            found: Any = await self._requests[1].post(
                f"{self._bot.base_url}/getUpdates?{asked}", read_timeout=API_SECONDS + seconds
            )
        updates = found if isinstance(found, list) else []
        return [one for one in updates if isinstance(one, dict) and isinstance(one.get("update_id"), int)]

    async def send(
        self, place: Place, text: str, *, html: bool = False, buttons: Sequence[Button] = (), reply_to: int = 0
    ) -> int:
        """Send a message; its id. `reply_to` is the message that it answers, if that is to be seen."""
        reply = telegram.ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None
        async with translated_errors():
            sent = await self._bot.send_message(
                place.chat_id,
                text,
                parse_mode="HTML" if html else None,
                message_thread_id=place.thread_id,
                reply_markup=_keyboard(buttons),
                reply_parameters=reply,
                link_preview_options=NO_PREVIEW,
            )
            return sent.message_id

    async def edit(self, place: Place, message_id: int, text: str, *, html: bool = False) -> None:
        """Put another text into a message of ours, and take its buttons away."""
        async with translated_errors():
            await self._bot.edit_message_text(
                text,
                place.chat_id,
                message_id,
                parse_mode="HTML" if html else None,
                link_preview_options=NO_PREVIEW,
            )

    async def delete(self, place: Place, message_id: int) -> None:
        """Take a message of ours away."""
        async with translated_errors():
            await self._bot.delete_message(place.chat_id, message_id)

    async def show_typing(self, place: Place) -> None:
        """Show for some five seconds that we are writing."""
        async with translated_errors():
            await self._bot.send_chat_action(place.chat_id, "typing", message_thread_id=place.thread_id)

    async def answer_press(self, press_id: str, text: str = "") -> None:
        """Take note of a pressed button; a text is shown to who pressed it alone."""
        async with translated_errors():
            await self._bot.answer_callback_query(press_id, text or None)

    async def download(self, file_id: str) -> bytes:
        """The bytes of a file that was sent to the bot.

        Not by way of the library's object: a file of this machine that is called alike would be read in its place.
        """
        request = self._requests[0]
        async with translated_errors():
            found: Any = await request.post(f"{self._bot.base_url}/getFile?{urlencode({'file_id': file_id})}")
            path = found.get("file_path") if isinstance(found, dict) else None
            if not isinstance(path, str) or path.startswith("/"):
                # A server that was started with --local names files of its own disk.
                raise TelegramRefusal("Telegram's server hands that file out to nobody.", "Start it without --local.")
            return await request.retrieve(f"{self._bot.base_file_url}/{quote(path)}")


def _keyboard(buttons: Sequence[Button]) -> telegram.InlineKeyboardMarkup | None:
    """Two buttons a row."""
    made = [telegram.InlineKeyboardButton(one.text, callback_data=one.data) for one in buttons]
    return telegram.InlineKeyboardMarkup([made[at : at + 2] for at in range(0, len(made), 2)]) if made else None


@asynccontextmanager
async def translated_errors() -> AsyncIterator[None]:
    """Turn the library's errors into ours; no message has the token, for the library's own may have an address."""
    try:
        yield
    except TelegramError as error:
        raise _translate(error) from error


def _translate(error: TelegramError) -> MagpieError:
    match error:
        case RetryAfter():
            seconds = error.retry_after
            return TelegramBusy(seconds if isinstance(seconds, int) else seconds.total_seconds())
        case InvalidToken():
            return ConfigError(
                "Telegram does not know the bot's token.",
                "Ask @BotFather for it (/mybots), and put it into MAGPIE_TELEGRAM_TOKEN or telegram.token_file.",
            )
        case Conflict():
            return BotConflict("webhook" in error.message.lower())
        case BadRequest() | Forbidden() | ChatMigrated():
            return TelegramRefusal(f"Telegram refuses that: {error.message}.")
    # What the guard refuses comes as the cause: the library takes it for a failure of its own.
    if isinstance(error.__cause__, Offline | AddressRefused):
        return error.__cause__
    return TelegramUnreachable(f"Telegram cannot be reached ({type(error).__name__}).", "Check the network.")
