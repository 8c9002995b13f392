import json
from pathlib import Path

import pytest

from chatbot.commands.registry import run_command
from chatbot.conversation.events import Answered, Listing, Notice, Progress
from chatbot.models.base import ModelInfo
from tests.chatbot.models.openai.test_provider import Bench
from tests.fakes.app import FakeApp, events_of
from tests.fakes.model import ScriptedModel
from tests.fakes.ollama import FakeOllama, Raw, shown
from tests.fakes.openai import FakeOpenAI
from utils.errors import ModelNotFound, ModelUnavailable

TITLE = "Models (/model <name> goes on with another one)"
COLUMNS = ("", "name", "size", "abilities")


async def test_models_are_listed_with_the_one_in_use_marked(tmp_path: Path) -> None:
    async with FakeOllama(models={"qwen3:latest": shown(["completion", "tools", "thinking"])}) as server:
        app = FakeApp(ScriptedModel([]), tmp_path, server.url)
        app.chat.models.current = "embedded:0.5b"
        [listing] = await events_of(run_command(app.ready, "/model"))
        await app.chat.models.close()
    assert isinstance(listing, Listing)
    assert (listing.title, listing.columns) == (TITLE, COLUMNS)
    assert [(row[0], row[1], row[3]) for row in listing.rows] == [
        ("", "qwen3:latest", "tools, thinking"),
        ("●", "embedded:0.5b", ""),
        ("", "embedded:1.5b", ""),
    ]
    assert [row[2] for row in listing.rows][1:] == ["0.5 GB", "1.1 GB"]


async def test_another_model_answers_in_the_same_chat(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    assert await events_of(run_command(app.ready, "/model embedded:0.5b")) == [
        Notice("embedded:0.5b answers from now on.")
    ]
    answered = (await events_of(app.chat.agent.ask("Who are you?")))[-1]
    assert isinstance(answered, Answered)
    assert answered.text == "I am new."


async def test_a_model_that_is_not_there_is_answered_with_the_nearest_names(tmp_path: Path) -> None:
    async with FakeOllama(models={"qwen3:latest": shown()}) as server:
        app = FakeApp(ScriptedModel([]), tmp_path, server.url)
        with pytest.raises(ModelNotFound, match=r"qwen3:latest"):
            await events_of(run_command(app.ready, "/model qwen"))
        await app.chat.models.close()


@pytest.mark.parametrize(
    ("argument", "said", "settings"),
    [
        ("low", "Thinking is on, with low effort.", (True, "low")),
        ("HIGH", "Thinking is on, with high effort.", (True, "high")),
        ("on", "Thinking is on.", (True, None)),
        ("off", "Thinking is off.", (False, None)),
    ],
)
async def test_how_hard_a_model_thinks_is_set_and_saved(
    tmp_path: Path, argument: str, said: str, settings: tuple[bool, str | None]
) -> None:
    info = ModelInfo("gpt-oss", "ollama", 4096, can_think=True, takes_effort=True)
    app = FakeApp(ScriptedModel([], info=info), tmp_path)
    [notice] = await events_of(run_command(app.ready, f"/think {argument}"))
    assert isinstance(notice, Notice)
    assert notice.text.startswith(f"{said} Saved thinking_enabled in ")
    values = app.chat.configuration.values
    assert (values.thinking_enabled, values.thinking_effort) == settings
    assert await events_of(run_command(app.ready, "/think")) == [Notice(said)]


async def test_a_model_that_may_know_no_effort_is_said(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    events = await events_of(run_command(app.ready, "/think medium"))
    assert events[1:] == [Notice("scripted does not say that its effort can be chosen; it may take no notice.")]


async def test_an_effort_that_there_is_not_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    assert await events_of(run_command(app.ready, "/think harder")) == [
        Notice("'harder' is none of off, on, low, medium, high.", "error")
    ]
    assert app.chat.configuration.values.thinking_effort is None


async def test_a_named_server_that_does_not_answer_is_said(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9"):
        await events_of(run_command(app.ready, "/model"))


async def test_a_model_is_fetched_and_answers(tmp_path: Path) -> None:
    steps = [{"status": "pulling", "total": 10, "completed": 5}, {"status": "success"}]
    pieces = tuple(json.dumps(step).encode() + b"\n" for step in steps)
    async with FakeOllama(models={"qwen3:latest": shown()}, paths={"/api/pull": Raw(pieces)}) as server:
        app = FakeApp(ScriptedModel([]), tmp_path, server.url)
        events = await events_of(run_command(app.ready, "/pull qwen3"))
        await app.chat.agent.model.close()
        await app.chat.models.close()
    assert all(isinstance(event, Progress) for event in events[:-1])
    assert events[-1] == Notice("qwen3:latest is here and answers from now on.")


async def test_pull_alone_lists_what_is_worth_fetching_with_size_memory_and_licence(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    [listing] = await events_of(run_command(app.ready, "/pull"))
    assert isinstance(listing, Listing)
    assert [row[:4] for row in listing.rows] == [
        ("embedded:qwen3-4b", "2.5 GB", "4.5 GB", "Apache-2.0"),
        ("embedded:qwen3-8b", "5.0 GB", "7.0 GB", "Apache-2.0"),
        ("embedded:gpt-oss-20b", "12.1 GB", "14.1 GB", "Apache-2.0"),
    ]
    assert {row[4] for row in listing.rows} <= {"", "more memory than is free here"}


async def test_a_large_model_is_fetched_before_it_is_gone_on_with(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    with pytest.raises(ModelNotFound, match=r"/pull embedded:qwen3-8b fetches it \(5\.0 GB\)\."):
        await events_of(run_command(app.ready, "/model embedded:qwen3-8b"))


async def test_models_that_are_called_by_their_files_are_listed_readably_unless_two_would_read_alike(
    tmp_path: Path,
) -> None:
    files = ("/srv/one/qwen.gguf", "/srv/two/qwen.gguf", "/srv/gemma-3.gguf")
    async with FakeOpenAI(listed=[{"id": file, "owned_by": "llamacpp"} for file in files]) as server:
        app = FakeApp(ScriptedModel([]), tmp_path)
        app.chat.models = Bench(tmp_path, server.base_url).models
        assert await events_of(run_command(app.ready, "/model openai:gemma-3")) == [
            Notice("openai:gemma-3 answers from now on.")
        ]
        [listing] = await events_of(run_command(app.ready, "/model"))
        await app.chat.agent.model.close()
        await app.chat.models.close()
    assert [row[:2] for row in listing.rows if row[1].startswith("openai:")] == [
        ("", "openai:/srv/one/qwen.gguf"),
        ("", "openai:/srv/two/qwen.gguf"),
        ("●", "openai:gemma-3"),
    ]
