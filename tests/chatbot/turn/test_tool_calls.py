from pathlib import Path

from chatbot.conversation.events import Notice
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.system_prompt import Briefing
from tests.fakes.model import ScriptedModel, calls, says
from tests.tools.web.test_search import Desk, desk
from tools.base import Toolbox, tool
from tools.library_search import LibrarySearch

SWITCHED_OFF = "/library lists them; --set rag.web_search_rag_enabled=false keeps none."
KEPT = Notice(f"Kept in the library: 1 web page. {SWITCHED_OFF}")


def talk(d: Desk) -> Agent:
    """A conversation with the tools of the desk, on a model that says what `asked` wants of it."""
    tools = (d.web.web_search, d.web.fetch_url_content, LibrarySearch(d.library).search_vector_db)
    return Agent(ScriptedModel([]), Toolbox(list(map(tool, tools))), AgentSettings(), Briefing(), 100)


async def asked(agent: Agent, question: str, name: str, **arguments: str) -> list[Notice]:
    """What the user is told in a turn that calls a tool."""
    assert isinstance(agent.model, ScriptedModel)
    agent.model.replies += [calls((name, arguments)), says("So it is.")]
    return [event async for event in agent.ask(question) if isinstance(event, Notice)]


async def opened(agent: Agent, url: str) -> list[Notice]:
    return await asked(agent, f"Open {url}", "fetch_url_content", url=url)


async def test_a_page_that_was_kept_is_told_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        chat = talk(d)
        assert await opened(chat, d.site.url("/bridge.html")) == [KEPT]
        assert await opened(chat, d.site.url("/flood.html")) == []


async def test_each_conversation_of_a_process_tells_for_itself_what_is_kept(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        for chat in (talk(d), talk(d)):
            assert await opened(chat, d.site.url("/bridge.html")) == [KEPT]
        chat.clear()
        assert await opened(chat, d.site.url("/bridge.html")) == [KEPT]


async def test_a_conversation_that_is_gone_on_with_does_not_tell_again_what_is_kept(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        before, chat = talk(d), talk(d)
        await opened(before, d.site.url("/bridge.html"))
        chat.restore(before.conversation.messages, [], [])
        assert await opened(chat, d.site.url("/flood.html")) == []


async def test_search_results_that_are_kept_are_counted_beside_the_pages(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        question = "Who designed the Ostermark Bridge?"
        assert await asked(talk(d), question, "web_search", query="Ostermark Bridge designer") == [
            Notice(f"Kept in the library: 1 web page, 1 search result. {SWITCHED_OFF}")
        ]


async def test_what_the_library_knew_of_the_web_is_not_what_this_conversation_keeps(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        await d.use("fetch_url_content", "", url=d.site.url("/bridge.html"))
        chat = talk(d)
        question = "Who designed the Ostermark Bridge?"
        assert await asked(chat, question, "search_vector_db", query=question) == []
        assert any(
            source.passage.origin == "web" for message in chat.conversation.messages for source in message.sources
        )
        assert await opened(chat, d.site.url("/flood.html")) == [KEPT]


async def test_nothing_is_told_where_nothing_is_kept(tmp_path: Path) -> None:
    async with desk(tmp_path) as d:
        assert await opened(talk(d), d.site.url("/missing.html")) == []
        d.web._library = None
        assert await opened(talk(d), d.site.url("/bridge.html")) == []
