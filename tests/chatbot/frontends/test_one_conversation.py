"""A face holds no logic: one conversation is told alike by the engine at every face, and shown as far as each can."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.browser import needs_chromium
from tests.fakes.embedder import WordEmbedder
from tests.fakes.faces import talks
from tests.fakes.faces.script import conversation, fill_library, must_be_seen, numbered_anew
from tests.fakes.faces.talks import Talk
from tests.fakes.site import Site

FACES: dict[str, Callable[[Path, Site], Awaitable[Talk]]] = {
    "terminal": talks.talk_in_terminal,
    "one-shot": talks.talk_in_one_shots,
    "http": talks.talk_over_http,
    "openai": talks.talk_in_openai_form,
    "page": talks.talk_in_page,
    "telegram": talks.talk_in_telegram,
    "mcp": talks.talk_with_mcp_server,
}
"""A further face is one more line: how the conversation is had there."""
STATELESS = ("openai",)
"""Where each question brings along what was said, and nothing is kept."""


@pytest.fixture(scope="module", autouse=True)
def embedded_by_words() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
        yield


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    made = Site()
    asyncio.run(made.__aenter__())
    yield made
    asyncio.run(made.switch_off())


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, embedded_by_words: None) -> Path:
    """A data folder with a note, of which each face has a copy."""
    folder = tmp_path_factory.mktemp("library")
    asyncio.run(fill_library(folder))
    return folder


@pytest.fixture(scope="module")
def by_engine(library: Path, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    """The conversation without a face."""
    folder = tmp_path_factory.mktemp("engine")
    shutil.copytree(library, folder, dirs_exist_ok=True)
    return asyncio.run(talks.talk_to_engine(folder, site))


@pytest.mark.parametrize("face", [pytest.param(one, marks=needs_chromium) if one == "page" else one for one in FACES])
async def test_one_conversation_has_the_same_events_at_every_face(
    face: str, by_engine: Talk, library: Path, site: Site, tmp_path: Path
) -> None:
    shutil.copytree(library, tmp_path, dirs_exist_ok=True)
    talk = await FACES[face](tmp_path, site)
    assert by_engine.told is not None
    told = numbered_anew(by_engine.told) if face in STATELESS else by_engine.told
    assert talk.told is None or talk.told == told
    assert talk.shown == [must_be_seen(*turn) for turn in zip(told, by_engine.asked, talk.shown, strict=True)]


def test_that_conversation_has_what_there_is_to_show(by_engine: Talk, site: Site) -> None:
    assert by_engine.told is not None
    told = {event["event"] for turn in by_engine.told for event in turn}
    assert told == {
        *("context_used", "answer_delta", "thinking_delta", "answer_withdrawn"),
        *("tool_started", "tool_finished", "answered"),
    }
    hello, steps, secret, colour, _ = (turn[-1] for turn in by_engine.told)
    assert (hello["cited"], steps["unknown"], len(secret["denied"])) == ([], [99], 1)
    assert steps["cited"][0]["passage"]["source"] == site.url("/lighthouse-museum.html")
    assert colour["cited"][0]["passage"]["source"] == "/notes/oyster.md"
    assert [event["ok"] for event in by_engine.told[-1] if event["event"] == "tool_finished"] == [False]
    assert [bool(asked) for asked in by_engine.asked] == [turn.asks for turn in conversation(site)]
