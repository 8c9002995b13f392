"""A loopback Bot API for the tests of the Telegram bot."""

from collections.abc import AsyncIterator

import pytest

from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.embedder import WordEmbedder
from tests.fakes.telegram import TOKEN, FakeTelegram


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeTelegram]:
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
    monkeypatch.setenv("MAGPIE_TELEGRAM_TOKEN", TOKEN)
    async with FakeTelegram() as started:
        yield started
