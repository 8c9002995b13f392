"""Many chats in one engine: what one of them says, allows or chooses no other one sees."""

import asyncio
import gc
import json
import weakref
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chatbot.commands.registry import run_command
from chatbot.config import Configuration, load_configuration
from chatbot.conversation.events import Answered, Notice, Progress
from chatbot.conversation.messages import Message, ToolCall
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.models.base import BY_SETTINGS, Call, Done, Piece, ReplyOptions, Text
from chatbot.trust.consent import Decision, Request
from rag.documents import Passage
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import USAGE, ScriptedModel
from tools.base import ToolResult, ToolSchema, tool
from utils.errors import ConfigError, MagpieError, SessionError

COUNT = 50
PACKAGES = ("chatbot", "tools", "rag", "utils")
SECRET = "gate code {}-{}"


class Sent:
    """What left the machine, by the person in whose chat it did."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, str]] = []


class Worker(ScriptedModel):
    """The model of one person's chat: looks something up, has it sent out, remembers it, answers."""

    def __init__(self, number: int) -> None:
        super().__init__([])
        self.number = number

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        self.sent.append((tuple(messages), tuple(one.name for one in tools)))
        await asyncio.sleep(0)
        done = sum(message.role == "tool" for message in messages[_last_question(messages) :])
        steps: list[ToolCall] = [
            ToolCall(f"look_{self.number}", {"query": messages[_last_question(messages)].content}),
            ToolCall("fetch_url_content", {"url": f"https://collect.example/{self.number}"}),
            ToolCall("remember", {"fact": SECRET.format(self.number, self.number)}),
        ]
        if done < len(steps) and tools:
            yield Call(steps[done])
        else:
            yield Text(f"Answer {self.number} [1].")
        yield Done(USAGE)


def _last_question(messages: Sequence[Message]) -> int:
    return max(index for index, message in enumerate(messages) if message.role == "user")


class Somebody:
    """A person at a front end: what they were asked and told; every other one agrees."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.asked: list[Request] = []
        self.told: list[Notice | Progress] = []
        self.face = Face(self.told.append, self.allow)

    async def allow(self, request: Request) -> Decision:
        self.asked.append(request)
        return "session" if self.number % 2 else "never"


def looking(number: int, sent: Sent) -> Any:
    """A tool that only this person's chat has."""

    async def look(query: str) -> ToolResult:
        """Look something up.

        Args:
            query: What to look for.
        """
        await asyncio.sleep(0)
        text = f"Passage of {number}: {query}"
        return ToolResult("Found:", (Passage(text, f"https://pages.example/{number}", f"Page {number}", "web"),))

    look.__name__ = f"look_{number}"
    return tool(look)


def opening_pages(chat: Chat, number: int, sent: Sent) -> None:
    """Have the chat's pages opened by the test, which notes in whose chat that was."""

    async def fetch_url_content(url: str) -> str:
        """Open a page.

        Args:
            url: Its address.
        """
        sent.calls.append((number, url))
        return "Opened."

    chat.agent.toolbox.drop_tools(["fetch_url_content"])
    chat.agent.toolbox.add_tools([tool(fetch_url_content)])


@pytest.fixture
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configuration:
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
    (tmp_path / "config.json").write_text("{}")
    settings = {"data_dir": str(tmp_path), "backend": "embedded", "citations.check": False}
    return load_configuration(tmp_path / "config.json", settings, {})


async def begun(engine: Engine, number: int, sent: Sent) -> tuple[Somebody, Chat, Worker]:
    somebody = Somebody(number)
    chat = await engine.chat(somebody.face, f"person-{number}")
    model = Worker(number)
    chat.agent.use_model(model)
    chat.agent.toolbox.add_tools([looking(number, sent)])
    opening_pages(chat, number, sent)
    return somebody, chat, model


async def talk(chat: Chat, number: int) -> None:
    """Two turns in which the person says what nobody else may see."""
    for turn in range(2):
        question = f"Remember: {SECRET.format(number, number)}. Turn {turn} of person {number}?"
        events = [event async for event in chat.agent.ask(question)]
        assert isinstance(events[-1], Answered) and events[-1].text.startswith(f"Answer {number}")


async def test_fifty_chats_at_once_see_nothing_of_each_other(configuration: Configuration) -> None:
    sent = Sent()
    async with Engine(configuration) as engine:
        chats = await asyncio.gather(*(begun(engine, number, sent) for number in range(COUNT)))
        await asyncio.gather(*(talk(chat, number) for number, (_, chat, _) in enumerate(chats)))
        for number, (somebody, chat, model) in enumerate(chats):
            others = [SECRET.format(other, other) for other in range(COUNT) if other != number]
            seen = [message.prompt_text for messages, _ in model.sent for message in messages]
            assert not [other for other in others if any(other in text for text in seen)]
            offered = {name for _, names in model.sent for name in names}
            assert [name for name in offered if name.startswith("look_")] == [f"look_{number}"]
            titles = [chat.agent.conversation.sources.get(1), chat.agent.conversation.sources.get(2)]
            assert [source.passage.title for source in titles if source] == [f"Page {number}"] * 2
            assert [fact.text for fact in await chat.memory.list_facts()] == [SECRET.format(number, number)]
            [session] = await chat.sessions.list()
            assert f"person {number}?" in session.title
            # Who agreed for the session was asked once, who did not neither; what others said counted for nobody.
            assert [request.sent for request in somebody.asked] == [f"https://collect.example/{number}"]
        assert sorted(sent.calls) == sorted(
            (number, f"https://collect.example/{number}") for number in range(1, COUNT, 2) for _ in range(2)
        )


async def test_what_one_chat_chooses_counts_there_alone(configuration: Configuration) -> None:
    async with Engine(configuration) as engine:
        mine, other = [await engine.chat(Face(lambda news: None), name) for name in ("", "ann")]
        mine.set("tools_enabled", False)
        assert other.set("markdown", False) == "It counts in this chat alone."
        assert (mine.agent.settings.tools_enabled, other.agent.settings.tools_enabled) == (False, True)
        assert (mine.configuration.values.markdown, other.configuration.values.markdown) == (True, False)
        await mine.use_model("embedded:0.5b")
        assert (mine.models.current, other.models.current) == ("embedded:0.5b", "")
        with pytest.raises(ConfigError, match="Only whom Magpie belongs to"):
            other.set("offline", True)
    assert "markdown" not in configuration.path.read_text()


async def test_a_conversation_that_is_open_in_another_chat_goes_on_in_a_copy(configuration: Configuration) -> None:
    async with Engine(configuration) as engine:
        one, two = [await engine.chat(Face(lambda news: None)) for _ in "ab"]
        one.agent.use_model(ScriptedModel([[Text("At nine."), Done(USAGE)]]))
        _ = [event async for event in one.agent.ask("When?")]
        told = list(await two.resume(await two.find("last")))
        assert told[-1] == Notice("This conversation is open elsewhere; you go on in a copy of it.", "warning")
        assert two.session != one.session
        await engine.end(one)
        with pytest.raises(SessionError):
            await two.find("no such words")


async def test_a_name_that_is_no_name_of_a_person_opens_nothing(configuration: Configuration) -> None:
    async with Engine(configuration) as engine:
        for name in ("../ann", "Ann", "a/b", "-"):
            with pytest.raises(ConfigError, match="is no name of a person"):
                await engine.chat(Face(lambda news: None), name)
    assert not (configuration.values.data_folder / "people").exists()


async def test_what_concerns_the_process_is_told_to_everybody_who_is_there(configuration: Configuration) -> None:
    people = [Somebody(number) for number in range(3)]
    async with Engine(configuration) as engine:
        engine.audience.tell("Early.")
        chats = [await engine.chat(somebody.face, f"person-{somebody.number}") for somebody in people]
        await engine.end(chats[2])
        engine.audience.tell("Late.")
    told = [[str(getattr(news, "text", "")) for news in somebody.told] for somebody in people]
    assert told == [["Early.", "Late."], ["Late."], []]


async def test_chats_that_have_ended_take_no_memory(configuration: Configuration) -> None:
    sent, ended = Sent(), list[weakref.ref[Any]]()

    async def some(engine: Engine) -> None:
        chats = await asyncio.gather(*(begun(engine, number, sent) for number in range(5)))
        await asyncio.gather(*(talk(chat, number) for number, (_, chat, _) in enumerate(chats)))
        await asyncio.gather(*(engine.end(chat) for _, chat, _ in chats))
        ended.extend(weakref.ref(one) for _, chat, _ in chats for one in (chat, chat.agent, chat.person))

    def ours() -> Counter[str]:
        """How many of each class of Magpie's there are."""
        gc.collect()
        kinds = [type(one) for one in gc.get_objects()]
        return Counter(kind.__qualname__ for kind in kinds if str(kind.__module__).partition(".")[0] in PACKAGES)

    async with Engine(configuration) as engine:
        await some(engine)
        before = ours()
        for _ in range(3):
            await some(engine)
        left = ours()
    assert len(ended) == 60 and not [one for one in ended if one() is not None]
    # A few of the last texts that were looked through for what is private are remembered, whoever's they are.
    assert max((left - before).values(), default=0) < 10


async def test_what_is_the_owners_nobody_else_changes_or_sees(configuration: Configuration) -> None:
    async with Engine(configuration) as engine:
        owner, guest = [await engine.chat(Face(lambda news: None), name) for name in ("", "ann")]
        before = configuration.path.read_text()
        for line in ("/offline", "/save-config", "/log", "/mcp", "/mcp enable weather"):
            with pytest.raises(ConfigError, match="Only whom Magpie belongs to"):
                _ = [event async for event in run_command(partial(_chat, guest), line)]
        assert (configuration.path.read_text(), owner.reach.offline) == (before, False)
        await guest.use_model("embedded:0.5b")
        assert not (configuration.values.data_folder / "models.json").exists()


async def _chat(chat: Chat) -> Chat:
    return chat


async def test_another_setting_leaves_the_network_as_another_chat_has_switched_it(configuration: Configuration) -> None:
    async with Engine(configuration) as engine:
        one, two = [await engine.chat(Face(lambda news: None)) for _ in "ab"]
        one.set("offline", True)
        two.set("markdown", False)
        assert one.reach.offline


async def test_what_other_programs_do_is_told_to_the_owner_alone(configuration: Configuration) -> None:
    servers = {"weather": {"command": "weather", "env": {"TOKEN": "sesame"}}}
    (configuration.path.parent / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    owner, guest = Somebody(0), Somebody(1)
    async with Engine(configuration) as engine:
        chats = [await engine.chat(guest.face, "ann"), await engine.chat(owner.face)]
        for chat in chats:
            await chat.remote.settled()
    assert ["sesame" in str(somebody.told) for somebody in (owner, guest)] == [True, False]


async def ended_conversation(engine: Engine) -> str:
    """The id of a conversation with an answer, whose chat has ended."""
    chat = await engine.chat(Face(lambda news: None))
    chat.agent.use_model(ScriptedModel([[Text("At nine."), Done(USAGE)]]))
    _ = [event async for event in chat.agent.ask("When?")]
    await engine.end(chat)
    return chat.session


async def test_two_chats_that_resume_one_conversation_at_once_do_not_both_go_on_with_it(
    configuration: Configuration,
) -> None:
    async with Engine(configuration) as engine:
        session = await ended_conversation(engine)
        chats = [await engine.chat(Face(lambda news: None)) for _ in "abc"]
        await asyncio.gather(*(chat.resume(session) for chat in chats))
        assert len({chat.session for chat in chats}) == 3


async def test_a_conversation_whose_resuming_was_stopped_is_free_afterwards(
    configuration: Configuration,
) -> None:
    async with Engine(configuration) as engine:
        session = await ended_conversation(engine)
        chat = await engine.chat(Face(lambda news: None))
        stopped = asyncio.create_task(chat.resume(session))
        await asyncio.sleep(0)
        stopped.cancel()
        await asyncio.wait({stopped})
        list(await chat.resume(session))
        assert chat.session == session


async def test_an_engine_that_is_closed_while_a_chat_is_opened_leaves_nothing_open(
    configuration: Configuration,
) -> None:
    engine = Engine(configuration)
    opening = asyncio.create_task(engine.chat(Face(lambda news: None)))
    await asyncio.sleep(0)
    await engine.close()
    with suppress(MagpieError):
        chat = await opening
        with pytest.raises(RuntimeError):
            # Its thread has ended with it.
            await chat.sessions.list()
    with pytest.raises(MagpieError, match="is being closed"):
        await engine.chat(Face(lambda news: None))
