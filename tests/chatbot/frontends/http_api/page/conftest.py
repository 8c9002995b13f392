"""A Chromium for the tests of the page, and an embedder that is there at once."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.browser import running_chromium
from tests.fakes.embedder import WordEmbedder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Browser]:
    """One for all tests of a file: it takes two seconds of a processor to start."""
    async with running_chromium() as browser:
        yield browser


@pytest.fixture
def quick_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors by words, in the place of MiniLM."""
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
