"""What goes to a model elsewhere is said before it goes: to which host, of texts once, of each picture once a run."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import ModelInfo
from chatbot.models.disclosure import DisclosingModel
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.provider import ModelSurroundings
from chatbot.models.providers import Providers, WantedModel
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.model import ScriptedModel, says
from tests.fakes.ollama import FakeOllama, shown
from tests.fakes.parrot import PARROT
from tests.fakes.pictures import attached
from utils.network.access import NetworkAccess

THERE = ModelInfo("gpt", "openai", 8192, can_see=True, host="api.example.com")
TEXTS = "What you ask, the conversation and the passages found for it go to {} from now on; /offline stops that."
ASK = [Message("user", "hello")]


def around(folder: Path, told: list[str], *, remember: bool = True, offline: bool = False) -> ModelSurroundings:
    state = ModelState(folder, remember=remember)
    return ModelSurroundings(folder, Generation(), NetworkAccess(offline=offline), state, tell=told.append)


@dataclass
class Watching(ScriptedModel):
    """Remembers what was told before each of its replies."""

    replies: list[Any] = field(default_factory=lambda: [says("So.") for _ in range(9)])
    told: list[str] = field(default_factory=list)
    before: list[list[str]] = field(default_factory=list)

    async def reply(self, *asked: Any) -> Any:  # type: ignore[override]
        self.before.append([*self.told])
        async for piece in super().reply(*asked):
            yield piece


async def ask(model: DisclosingModel, *messages: Message) -> None:
    assert [piece async for piece in model.reply(messages or ASK)]


async def test_it_is_said_once_for_each_server_also_by_later_runs(tmp_path: Path) -> None:
    told: list[str] = []
    first = around(tmp_path, told)
    await asyncio.gather(*(ask(DisclosingModel(Watching(info=THERE), first)) for _ in range(3)))
    await ask(DisclosingModel(Watching(info=THERE), around(tmp_path, told)))
    assert told == [TEXTS.format("api.example.com")]
    for info in (replace(THERE, host="other.example.com"), replace(THERE, backend="anthropic")):
        await ask(DisclosingModel(Watching(info=info), around(tmp_path, told)))
    assert len(told) == 3


async def test_whatever_a_model_is_asked_is_said_before_it_is(tmp_path: Path) -> None:
    for number, use in enumerate(
        (
            lambda model: ask(model),
            lambda model: model.weigh_words(ASK, ["yes", "no"]),
            lambda model: model.fill_schema(ASK, {}),
            lambda model: model.warm_up(ASK),
            lambda model: model.count_tokens("A long letter."),
        )
    ):
        told: list[str] = []
        inner = Watching(info=THERE, told=told)
        await use(DisclosingModel(inner, around(tmp_path / str(number), told)))
        assert told == [TEXTS.format("api.example.com")]
        assert all(inner.before)


async def test_what_is_told_is_told_before_anything_is_awaited(tmp_path: Path) -> None:
    told: list[str] = []
    run = around(tmp_path, told)
    first = asyncio.create_task(ask(DisclosingModel(Watching(info=THERE), run)))
    while not first.done() and not run.state._disclosed:
        await asyncio.sleep(0)
    assert told == [TEXTS.format("api.example.com")], "a second request would go out now, and Ctrl-C end this one"
    await first


async def test_a_picture_is_said_to_leave_before_it_does_and_once_a_run(tmp_path: Path) -> None:
    told: list[str] = []
    run = around(tmp_path, told)
    inner = Watching(info=THERE, told=told)
    model = DisclosingModel(inner, run)
    await ask(model)
    told.clear()
    both = Message("user", "What is this?", pictures=(attached("photo.png", "a"), attached("photo.png", "a")))
    await ask(model, both)
    await ask(model, both, Message("assistant", "A cat."), *ASK)
    assert told == ["photo.png goes to api.example.com as well."]
    assert inner.before[1] == told
    # Another chat of the run, or a later run, says it again; so does another host.
    elsewhere = DisclosingModel(Watching(info=replace(THERE, host="other.example.com")), run)
    await ask(elsewhere, both)
    assert told[1:] == [TEXTS.format("other.example.com"), "photo.png goes to other.example.com as well."]


@pytest.mark.parametrize(("info", "offline"), [(replace(THERE, host=""), False), (THERE, True)])
async def test_of_what_stays_here_nothing_is_said(info: ModelInfo, offline: bool, tmp_path: Path) -> None:
    told: list[str] = []
    model = DisclosingModel(Watching(info=info), around(tmp_path, told, offline=offline))
    await ask(model, Message("user", "What is this?", pictures=(attached(),)))
    assert told == []


async def test_a_private_run_says_it_and_remembers_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    for _ in range(2):
        run = around(tmp_path, told, remember=False)
        for _ in range(2):
            await ask(DisclosingModel(Watching(info=THERE), run))
    assert len(told) == 2 and not list(tmp_path.iterdir())


async def test_what_an_older_version_wrote_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "models.json").write_text('{"last_used": "qwen3:8b", "writes_calls_as_text": ["small"]}')
    told: list[str] = []
    await ask(DisclosingModel(Watching(info=THERE), around(tmp_path, told)))
    assert len(told) == 1
    later = ModelState(tmp_path)
    assert await later.last_used() == "qwen3:8b" and await later.writes_calls_as_text("small")


@pytest.mark.parametrize(
    ("told", "host"),
    [({"remote_host": "https://ollama.com:443"}, "ollama.com"), ({"remote_model": "x"}, "Ollama's cloud")],
)
async def test_where_a_model_of_ollama_s_cloud_runs_is_named(told: dict[str, str], host: str) -> None:
    async with FakeOllama(models={"big": shown(**told)}) as server:
        model = OllamaModel("big", OllamaSettings(host=server.url), Generation())
        assert (await model.describe()).host == host
        await model.close()


async def test_every_backend_s_models_are_opened_so_that_it_is_said(tmp_path: Path) -> None:
    wanted = WantedModel("parrot", "parrot:coco", {"parrot": PARROT.settings()})
    providers = Providers(wanted, around(tmp_path, []), [PARROT])
    assert isinstance((await providers.find("parrot:coco")).open_model(), DisclosingModel)
