"""`magpie telegram`: runs the bot until it is told to end."""

import argparse
import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from chatbot.engine.engine import Engine
from chatbot.frontends.plain import print_clean
from chatbot.frontends.serving.ending import ended_by_sigterm
from chatbot.frontends.telegram.bot import (
    FIRST_PAUSE_SECONDS,
    LAST_PAUSE_SECONDS,
    UNREACHED,
    TelegramBot,
)
from chatbot.frontends.telegram.chat import BotParts
from chatbot.frontends.telegram.connection.client import (
    API_SECONDS,
    BotClient,
    BotIdentity,
    TelegramBusy,
    TelegramUnreachable,
)
from chatbot.frontends.telegram.connection.inbox import Inbox
from chatbot.frontends.telegram.connection.updates import sender_of
from chatbot.frontends.telegram.messages.sender import Sender
from chatbot.settings import TelegramSettings
from utils.errors import ConfigError
from utils.network.api_client import ApiEndpoint
from utils.network.api_keys import read_api_key
from utils.paths import private_dir

TOKEN_VARIABLE = "MAGPIE_TELEGRAM_TOKEN"
# It stands in the path of each address.
_TOKEN_FORM = re.compile(r"\d{1,20}:[\w-]{10,200}", re.ASCII)
WHO_SECONDS = 2.0
"""Between two looks at who writes: nothing is taken over, so Telegram answers at once."""


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Serve; the exit code. Raises a `MagpieError`."""
    settings = engine.configuration.values.telegram
    if not settings.allowed_users and not (arguments.who or arguments.delete_webhook):
        raise ConfigError(
            "No user may write to the bot: telegram.allowed_users has no id.",
            '`magpie telegram --who` shows yours; ["*"] lets everybody write.',
        )
    token, endpoint = read_token(settings), read_endpoint(settings)
    with ended_by_sigterm() as ended:
        try:
            async with engine:
                client = BotClient(token, endpoint, await engine.network(), settings.max_file_mb * 1_000_000)
                try:
                    await serve_bot(engine, client, arguments)
                finally:
                    await client.close()
        except asyncio.CancelledError:
            if not ended:
                raise
    return 0


async def serve_bot(engine: Engine, client: BotClient, arguments: argparse.Namespace) -> None:
    """Do what the command line wants; raises a `MagpieError`."""
    if arguments.delete_webhook:
        await client.delete_webhook()
        tell("The bot's messages wait for Magpie again.")
        return
    me = await reach_bot(client)
    if arguments.who:
        await show_senders(client, me)
    config = engine.configuration.values
    folder = private_dir(config.data_folder / "telegram") / str(me.id)
    with only_run(folder, me):
        inbox, turns = Inbox(None if config.private else folder), asyncio.Semaphore(config.telegram.max_answers)
        parts = BotParts(engine, client, Sender(client), inbox, turns)
        tell(f"@{me.username} answers. Ctrl-C ends it.")
        await TelegramBot(parts, me, tell).serve()


@contextmanager
def only_run(folder: Path, me: BotIdentity) -> Iterator[None]:
    """Keep other runs of this bot out, whose messages lie in the folder; raises `ConfigError`."""
    lock = FileLock(private_dir(folder) / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise ConfigError(f"Another Magpie runs @{me.username} already.", "Stop it first.") from error
    try:
        yield
    finally:
        lock.release()


def read_token(settings: TelegramSettings) -> str:
    """The bot's token; raises `ConfigError`."""
    token = read_api_key([TOKEN_VARIABLE], settings.token_file)
    if not token:
        raise ConfigError(
            "The bot has no token.",
            f"@BotFather gives one; put it into {TOKEN_VARIABLE}, or into a file of mode 0600: telegram.token_file.",
        )
    if not _TOKEN_FORM.fullmatch(token):
        raise ConfigError("That is no token of a bot.", "It looks like 123456789:AAE… and comes from @BotFather.")
    return token


def read_endpoint(settings: TelegramSettings) -> ApiEndpoint:
    """Where the Bot API is; raises `ConfigError`, also where the token could be read on its way."""
    endpoint = ApiEndpoint(settings.base_url, "telegram", API_SECONDS, "telegram.")
    if not endpoint.may_have_key:
        raise ConfigError(
            f"The bot's token would go to {endpoint.host} for all to read.", "Write telegram.base_url with https://."
        )
    return endpoint


async def reach_bot(client: BotClient) -> BotIdentity:
    """The bot, once Telegram is reached; raises a `MagpieError`."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            return await client.who_am_i()
        except (TelegramUnreachable, TelegramBusy) as error:
            if pause == FIRST_PAUSE_SECONDS:
                tell(UNREACHED)
            await asyncio.sleep(error.seconds if isinstance(error, TelegramBusy) else pause)
            pause = min(2 * pause, LAST_PAUSE_SECONDS)


async def show_senders(client: BotClient, me: BotIdentity, show: Callable[[str], None] | None = None) -> None:
    """Show the id of whoever writes to the bot, each once, until cancelled; what they wrote waits for an answer."""
    show = show or (lambda said: print_clean(said, sys.stdout))
    tell(f"Write something to @{me.username}. Ctrl-C ends this.")
    seen: set[int] = set()
    while True:
        for update in await client.fetch_updates(None, wait=False):
            user_id, name = sender_of(update)
            if user_id and user_id not in seen:
                seen.add(user_id)
                show(f"{user_id}  {name}")
        await asyncio.sleep(WHO_SECONDS)


def tell(said: str) -> None:
    """Say a sentence to whoever runs the bot."""
    print_clean(said, sys.stderr)
