"""An engine that gives no sign is given up, and what is said then."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from chatbot.models.embedded.engine_client import EngineClient
from chatbot.models.embedded.engine_timeout import ENGINE_CONNECT_SECONDS, make_timeout
from utils.errors import ReplyBroken


class SilentEngine:
    """The lease on an engine that takes connections and never answers."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def connect_engine(self) -> Any:
        return SimpleNamespace(url=self._url, key="key")

    def release_lease(self) -> None:
        pass


@pytest.fixture
async def silent() -> AsyncIterator[str]:
    ended = asyncio.Event()

    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ended.wait()
        writer.close()

    server = await asyncio.start_server(keep_silent, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    ended.set()
    server.close()


async def test_an_engine_without_a_sign_is_given_up_after_the_setting(silent: str) -> None:
    engine: Any = SilentEngine(silent)
    client = EngineClient(engine, 0.2)
    with pytest.raises(ReplyBroken) as raised:
        await client.get("/props")
    assert str(raised.value) == ("The language model gave no sign for 0 seconds. Ask again, or raise request_timeout.")
    await client.close()


def test_to_be_reached_it_has_less_time_than_to_answer() -> None:
    limits = make_timeout(300)
    assert (limits.read, limits.connect) == (300, ENGINE_CONNECT_SECONDS)
