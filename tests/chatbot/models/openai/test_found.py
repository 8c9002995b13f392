"""What Perplexity searches for by itself: where it may, what comes of it, what its numbers stand for."""

from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from chatbot.citations.checker import FittedChecker
from chatbot.conversation.events import Answered, ToolFinished
from chatbot.frontends.oneshot import source_lines
from chatbot.frontends.terminal.drawing.sources import sources_block
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import Piece, ReplyOptions, ServerCited, ServerFound, Text
from chatbot.models.openai.endpoints import ServerKind
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.pipeline.model import PipelineModel
from chatbot.models.remote.destination import Destination
from chatbot.models.state import ModelState
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.system_prompt import Briefing
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.openai import END, HEAD, FakeOpenAI, Said, event, stream_of
from tests.fakes.reply_bench import ASK, ReplyBench
from tools.base import Toolbox, ToolResult, tool
from utils.errors import ModelUnavailable
from utils.network.api_client import ApiEndpoint

TOWER = {
    "title": "Harrow Lighthouse",
    "url": "https://harrow.test/light",
    "date": "2026-03-01",
    "snippet": "The tower of the Harrow light is 31 metres tall.",
}
FERRY = {"title": "Ferry", "url": "https://ferry.test/", "snippet": "A ferry leaves twice a day."}
FOUND = {"citations": [TOWER["url"], FERRY["url"]], "search_results": [TOWER, FERRY]}
QUESTION = "How tall is the tower of the Harrow light?"


class Bench(ReplyBench):
    """A model of a scripted Perplexity."""

    def __init__(self, server: FakeOpenAI, **generation: Any) -> None:
        super().__init__(server.base_url, "openai", "", **generation)
        at = ApiServer(self.where, self.around, ServerKind.PERPLEXITY)
        self.model = OpenAIModel("sonar", at, self.settings, {"id": "sonar"})


def passage(told: dict[str, str], host: str) -> Passage:
    date = f" ({told['date']})" if "date" in told else ""
    return Passage(f"{told['snippet']}{date}", told["url"], told["title"], "snippet", found_by=host)


def wire(*parts: str, found: dict[str, Any], at: int = 0) -> Any:
    """A reply of these parts; with the part of that place, or the end, come the results."""
    chunks = []
    for place, part in enumerate([*parts, ""]):
        choice = {"index": 0, "delta": {"content": part}, "finish_reason": "stop" if place == len(parts) else None}
        chunks.append(event({**HEAD, "model": "sonar", "choices": [choice]} | (found if place >= at else {})))
    return stream_of(*chunks, END)


async def pieces_of(reply: Any, *, search: bool = True) -> tuple[list[Piece], dict[str, Any], str]:
    async with FakeOpenAI([reply]) as server:
        bench = Bench(server)
        pieces = [piece async for piece in bench.model.reply(ASK, options=ReplyOptions(search=search))]
        await bench.model.close()
        return pieces, server.chats[0], bench.where.host


@pytest.mark.parametrize("at", [0, 3, 5])
async def test_its_results_come_before_its_numbers_which_stand_apart_from_the_text(at: int) -> None:
    parts = ("It is 31 ", "metres tall [", "1][2", "]. So [1, 2] it", " is.")
    pieces, body, host = await pieces_of(wire(*parts, found=FOUND, at=at))
    assert "disable_search" not in body
    [results] = [piece for piece in pieces if isinstance(piece, ServerFound)]
    assert results == ServerFound({1: passage(TOWER, host), 2: passage(FERRY, host)}, host)
    said = "".join(
        piece.delta if isinstance(piece, Text) else f"<{piece.numbers}>"
        for piece in pieces
        if isinstance(piece, Text | ServerCited)
    )
    assert said == "It is 31 metres tall <(1,)><(2,)>. So <(1, 2)> it is."
    places = [type(piece) for piece in pieces]
    assert places.index(ServerFound) < places.index(ServerCited)


async def test_addresses_alone_are_results_and_a_number_without_one_is_dropped() -> None:
    urls = ["https://a.test/", "javascript:alert(1)", "https://b.test/"]
    pieces, _, host = await pieces_of(wire("So [1]", "[2][3][9].", found={"citations": urls}))
    [results] = [piece for piece in pieces if isinstance(piece, ServerFound)]
    assert dict(results.passages) == {
        number: Passage(url, url, url, "snippet", found_by=host) for number, url in ((1, urls[0]), (3, urls[2]))
    }
    assert [piece.numbers for piece in pieces if isinstance(piece, ServerCited)] == [(1,), (3,)]
    assert "".join(piece.delta for piece in pieces if isinstance(piece, Text)) == "So ."


async def test_brackets_in_code_are_no_numbers_of_results() -> None:
    code = "Read `row[1]` [1]:\n\n```python\nprint(row[1], row[0])\n```\n"
    pieces, _, _ = await pieces_of(wire(*(code[at : at + 5] for at in range(0, len(code), 5)), found=FOUND))
    assert [piece.numbers for piece in pieces if isinstance(piece, ServerCited)] == [(1,)]
    assert "".join(piece.delta for piece in pieces if isinstance(piece, Text)) == code.replace(" [1]:", " :")


@pytest.mark.parametrize(
    "found",
    [{"search_results": 7, "citations": {}}, {"search_results": [7, {"url": 3}], "citations": [None, 5]}, {}],
)
async def test_results_that_are_none_leave_the_text_without_numbers(found: dict[str, Any]) -> None:
    pieces, _, _ = await pieces_of(wire("It is 31 metres tall [1", "].", found=found))
    assert not any(isinstance(piece, ServerFound | ServerCited) for piece in pieces)
    assert "".join(piece.delta for piece in pieces if isinstance(piece, Text)) == "It is 31 metres tall ."


async def test_it_searches_for_nothing_but_a_reply_that_allows_it() -> None:
    pieces, body, _ = await pieces_of(wire("It is 31 metres tall [1].", found=FOUND), search=False)
    assert body["disable_search"] is True
    assert not any(isinstance(piece, ServerFound | ServerCited) for piece in pieces)
    async with FakeOpenAI([Said('{"a": 1}'), Said('{"word": "yes"}'), Said('{"word": "yes"}')]) as server:
        model = Bench(server).model
        await model.fill_schema(ASK, {"type": "object"})
        await model.weigh_words(ASK, ["yes", "no"])
        await model.close()
        assert all(body["disable_search"] is True for body in server.chats)
        assert (await model.describe()).searches


async def web_search(query: str) -> ToolResult:
    """Search the web.

    Args:
        query: What to look for.
    """
    raise AssertionError("its server searches")


def chat(server: FakeOpenAI, embedder: SentenceEmbedder, folder: Path, bench: Bench) -> Agent:
    """An agent whose model is a scripted Perplexity, served in steps as in a real chat."""
    steps = PipelineModel(bench.model, embedder)
    toolbox = Toolbox([tool(web_search)])
    model = AdaptiveModel(bench.model, steps, toolbox.accepts_call, ModelState(folder))
    briefing = Briefing(now=lambda: datetime(2026, 11, 22, 9, 0))
    hooks = Hooks(checker=FittedChecker(embedder))
    return Agent(model, toolbox, AgentSettings(), briefing, 1024, hooks)


async def ask(agent: Agent, question: str = QUESTION) -> list[Any]:
    return [event async for event in agent.ask(question)]


def perplexity(*replies: Any) -> list[Any]:
    """Searched replies one after the other; whatever else is asked is answered with no."""
    left = list(replies)
    return [lambda body: Said('{"word": "no"}') if "disable_search" in body else left.pop(0)] * 40


async def test_what_it_finds_is_numbered_kept_and_cited_as_the_servers_and_checked(
    embedder: SentenceEmbedder, tmp_path: Path
) -> None:
    first = wire(
        "The tower of the Harrow light is 31 metres tall [1]. ", "The ferry was painted blue in 1987 [2].", found=FOUND
    )
    again = wire("The tower of the Harrow light is 31 metres tall [2].", found={"search_results": [FERRY, TOWER]})
    async with FakeOpenAI(perplexity(first, again)) as server:
        bench = Bench(server)
        agent = chat(server, embedder, tmp_path, bench)
        events = await ask(agent)
        later = (await ask(agent))[-1]
        searched = [body for body in server.chats if "disable_search" not in body]
        await bench.model.close()
    last = events[-1]
    assert isinstance(last, Answered) and isinstance(later, Answered)
    assert (
        last.text == "The tower of the Harrow light is 31 metres tall [1]. The ferry was painted blue in 1987 ~~[2]~~."
    )
    assert [source.number for source in last.cited] == [1] and last.unsupported == (2,)
    assert last.cited[0].passage == passage(TOWER, bench.where.host)
    assert later.text == "The tower of the Harrow light is 31 metres tall [1].", "a page keeps its number"
    assert len(searched) == 2
    by = f"found by {bench.where.host}, not opened here"
    assert source_lines(last)[-1] == f"[1] Harrow Lighthouse - https://harrow.test/light ({by})"
    drawn = Console(width=160, file=StringIO())
    for block in sources_block(last, links=False):
        drawn.print(block)
    assert isinstance(drawn.file, StringIO)
    assert by in drawn.file.getvalue() and "Also found by the server, not opened: Ferry" in drawn.file.getvalue()
    [told] = [event for event in events if isinstance(event, ToolFinished)]
    assert told.call.label == f"search by {bench.where.host}" and "none was opened here" in told.text
    assert f"search result of {bench.where.host}, not opened" in told.text
    roles = [message.role for message in agent.conversation.messages]
    assert roles == ["user", "assistant", "tool", "assistant"] * 2
    assert [source.number for source in agent.conversation.messages[2].sources] == [1, 2]


async def test_offline_nothing_is_searched_by_it_either(embedder: SentenceEmbedder, tmp_path: Path) -> None:
    async with FakeOpenAI(perplexity()) as server:
        bench = Bench(server)
        where = Destination(ApiEndpoint("https://api.perplexity.ai", "openai", 5), "key")
        away = ApiServer(where, bench.around)
        bench.model = OpenAIModel("sonar", away, bench.settings, {"id": "sonar"})
        bench.around.reach.offline = True
        with pytest.raises(ModelUnavailable):
            await ask(chat(server, embedder, tmp_path, bench))
        assert server.chats == []
