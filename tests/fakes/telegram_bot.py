"""The bot on a loopback Bot API, with the real engine and scripted models."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from chatbot.config import Configuration, load_configuration
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends.telegram.arguments import make_parser
from chatbot.frontends.telegram.command import run
from chatbot.models.base import LanguageModel
from tests.fakes.model import ScriptedModel
from tests.fakes.telegram import ANN, BOB, FakeTelegram


class ScriptedEngine(Engine):
    """The real engine, whose chats are answered by scripted models: `models` has one by the person's name."""

    def __init__(self, configuration: Configuration, models: dict[str, LanguageModel]) -> None:
        super().__init__(configuration)
        self.models = models
        self.opened: dict[str, Chat] = {}
        self.prepare: Callable[[Chat], None] = lambda chat: None

    async def chat(self, face: Face, person: str = "", **options: Any) -> Chat:
        chat = await super().chat(face, person, **options)
        chat.agent.use_model(self.models.setdefault(person, ScriptedModel([])))
        self.prepare(chat)
        self.opened[person] = chat
        return chat


def configure(folder: Path, server: FakeTelegram, **settings: Any) -> Configuration:
    """The settings of a bot that serves Ann and Bob."""
    (folder / "config.json").write_text("{}")
    decided = {
        "data_dir": str(folder),
        "backend": "embedded",
        "citations.check": False,
        "telegram.allowed_users": [ANN, BOB],
        "telegram.base_url": server.url,
        **settings,
    }
    return load_configuration(folder / "config.json", decided, {})


def person(chat: int = ANN) -> str:
    """The name of a chat's person."""
    return f"telegram-{chat}"


@asynccontextmanager
async def running(engine: Engine, *options: str) -> AsyncIterator["asyncio.Task[int]"]:
    """The bot while it runs; at the end it is ended as Ctrl-C does. Raises what ended it before."""
    task = asyncio.create_task(run(engine, make_parser().parse_args(options)))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
