"""The whole: real search, ranking, fetching, indexing and answering, on a loopback web site."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatbot.conversation.events import Answered, ToolFinished, TurnEvent
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.site import Site
from tests.fakes.site_app import magpie
from utils.errors import ModelError

LIGHTHOUSE = "According to the web, how many steps lead up to the lantern room of the Gull Point lighthouse?"
BRIDGE = "According to the web, who designed the Ostermark Bridge?"
SEARCH = ("web_search", {"query": "Gull Point lighthouse lantern room steps"})


async def told(events: AsyncIterator[TurnEvent]) -> tuple[Answered, list[str]]:
    """The answer, and the names of the tools that were called, in order."""
    called: list[str] = []
    async for event in events:
        if isinstance(event, ToolFinished):
            called.append(event.call.name)
        if isinstance(event, Answered):
            return event, called
    raise AssertionError("no answer came")


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_the_embedded_model_searches_reads_cites_and_later_answers_from_the_library(
    prepared_dir: Path,
) -> None:
    embedded = {"backend": "embedded", "embedded.size": "0.5b", "context_window": 4096}
    async with Site() as site, magpie(prepared_dir, site, **embedded) as app:
        answered, called = await told(app.chat.agent.ask(BRIDGE))
        assert "web_search" in called
        assert "Halvorsen" in answered.text
        assert [source.passage.source for source in answered.cited] == [site.url("/bridge.html")]
        assert site.requests["/bridge.html"] == 1

        await app.chat.web.close()
        await site.switch_off()
        app.chat.agent.clear()
        answered, called = await told(app.chat.agent.ask(BRIDGE))
        assert "search_vector_db" in called, answered.text
        assert "Halvorsen" in answered.text
        assert [source.passage.source for source in answered.cited] == [site.url("/bridge.html")]


@pytest.mark.parametrize("late", [False, True])
async def test_a_model_of_ollama_searches_reads_and_cites(tmp_path: Path, late: bool) -> None:
    replies = [Turn(calls=(SEARCH,), late=late), Turn("It is 142 steps [1].")]
    async with Site() as site, FakeOllama(replies) as server:
        server.warming = True
        settings = {"backend": "ollama", "ollama.host": server.url, "model": "qwen3:8b"}
        async with magpie(tmp_path, site, **settings) as app:
            answered, called = await told(app.chat.agent.ask(LIGHTHOUSE))
            assert (answered.text, called) == ("It is 142 steps [1].", ["web_search"])
            assert [source.passage.source for source in answered.cited] == [site.url("/lighthouse-museum.html")]
            asked = server.questions[1]
            assert [message["role"] for message in asked["messages"]] == ["system", "user", "assistant", "tool"]
            assert "[1] Gull Point Lighthouse Museum" in asked["messages"][3]["content"]
            assert "142 steps" in asked["messages"][3]["content"]
            # What was read goes into the library once the answer is there.
            await app.chat.web.close()
            stats = await app.chat.library.stats() if app.chat.library else None
            assert stats and stats.origins["web"][0] >= 1


async def test_an_error_in_the_middle_of_a_reply_is_said_and_the_chat_goes_on(tmp_path: Path) -> None:
    replies = [Turn("It is 1", error="the engine crashed"), Turn("Hello.")]
    async with Site() as site, FakeOllama(replies) as server:
        server.warming = True
        settings = {"backend": "ollama", "ollama.host": server.url, "model": "qwen3:8b"}
        async with magpie(tmp_path, site, **settings) as app:
            with pytest.raises(ModelError, match="the engine crashed"):
                await told(app.chat.agent.ask(LIGHTHOUSE))
            kept = app.chat.agent.conversation.messages[-1]
            assert (kept.content, kept.interrupted) == ("It is 1", True)
            assert (await told(app.chat.agent.ask("hi")))[0].text == "Hello."


async def test_without_a_network_the_search_says_so_and_the_model_answers(tmp_path: Path) -> None:
    replies = [Turn(calls=(SEARCH,)), Turn("I cannot look that up now.")]
    async with Site() as site, FakeOllama(replies) as server:
        server.warming = True
        await site.switch_off()
        settings = {"backend": "ollama", "ollama.host": server.url, "model": "qwen3:8b"}
        async with magpie(tmp_path, site, **settings) as app:
            answered, called = await told(app.chat.agent.ask(LIGHTHOUSE))
            assert (answered.text, called) == ("I cannot look that up now.", ["web_search"])
            # One sentence on what happened and one on what to do, in their fence.
            assert len(server.questions[1]["messages"][3]["content"].splitlines()) == 5


async def test_two_magpies_on_one_data_folder_find_what_the_other_indexed(tmp_path: Path) -> None:
    from rag.documents import Document

    async with Site() as site, magpie(tmp_path, site) as one, magpie(tmp_path, site) as other:
        assert one.chat.library and other.chat.library
        await one.chat.library.add(Document("/a.md", "Tides", "High water at Marlow is at noon.", "file"))
        await other.chat.library.add(Document("/b.md", "Wind", "The wind at Marlow comes from the west.", "file"))
        found = [
            {passage.source for passage in await app.chat.library.search("Marlow")}
            for app in (one, other)
            if app.chat.library
        ]
        assert found == [{"/a.md", "/b.md"}, {"/a.md", "/b.md"}]
