"""Which server of OpenAI's protocol answers: the one that was named, else one on this machine, never OpenAI unasked."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import readable_name
from chatbot.models.embedded.backend import EMBEDDED_BACKEND
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.ollama.backend import OLLAMA
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.openai import discovery
from chatbot.models.openai.backend import OPENAI
from chatbot.models.openai.endpoints import OFFICIAL_URL, destination
from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelEntry, ModelSurroundings, UnaskedChoice
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.ollama import FakeOllama, Raw, as_json
from tests.fakes.openai import FakeOpenAI, Said, failure
from utils.errors import ConfigError, ModelError, ModelNotFound, ModelUnavailable
from utils.network.access import NetworkAccess

KEY = "sk-quiet-magpie-4815162342"
LM_STUDIO = {"id": "qwen3-4b", "object": "model", "owned_by": "organization_owner"}
LLAMA = {"id": "gemma", "object": "model", "owned_by": "llamacpp"}
VLLM = {"id": "org/big", "object": "model", "owned_by": "vllm", "max_model_len": 9000}
ANYBODY = {"id": "some", "object": "model", "owned_by": "me"}


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OLLAMA_HOST", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("chatbot.models.ollama.errors.DEFAULT_PORT", 9)
    monkeypatch.setattr(discovery, "KNOWN_PORTS", (9,))


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Has these servers stand where those of this machine are looked for."""

    def stand(*servers: FakeOllama) -> None:
        ports = tuple(int(server.url.rpartition(":")[2]) for server in servers)
        monkeypatch.setattr(discovery, "KNOWN_PORTS", ports)

    return stand


class Bench:
    """Models with what was said of the choice and of what goes where."""

    def __init__(
        self, folder: Path, base_url: str = "", *, backend: str = "auto", model: str = "", **more: Any
    ) -> None:
        self.choices: list[UnaskedChoice] = []
        self.told: list[str] = []
        self.reach = more.get("reach", NetworkAccess())
        self.state = ModelState(folder)
        around = ModelSurroundings(
            folder, Generation(request_timeout=5), self.reach, self.state, self.choices.append, tell=self.told.append
        )
        sections = {
            "ollama": OllamaSettings(),
            "openai": OpenAISettings(base_url=base_url, key_file=more.get("key_file", "")),
            "embedded": EmbeddedSettings(),
        }
        wanted = WantedModel(backend, model, sections)
        self.models = Models(wanted, around, backends=[OLLAMA, OPENAI, EMBEDDED_BACKEND])

    async def started(self) -> str:
        """The name of the model that is begun with."""
        try:
            await (await self.models.start_model()).close()
        finally:
            await self.models.close()
        return self.models.current

    async def names(self) -> list[str]:
        """The names that are listed, without those of the embedded engine."""
        listed = [entry.name for entry in await self.models.list_models()]
        await self.models.close()
        return [name for name in listed if not name.startswith("embedded:")]


@pytest.mark.parametrize(
    ("entry", "name", "kind"),
    [
        (LM_STUDIO, "openai:qwen3-4b", "LM Studio"),
        (LLAMA, "openai:gemma", "llama-server"),
        (VLLM, "openai:org/big", "vLLM"),
        (ANYBODY, "openai:some", "A server"),
    ],
)
async def test_a_server_on_this_machine_is_found_by_what_it_answers_and_said(
    entry: dict[str, Any], name: str, kind: str, tmp_path: Path, listening: Any
) -> None:
    async with FakeOpenAI(listed=[entry]) as server:
        listening(server)
        bench = Bench(tmp_path)
        assert await bench.started() == name
        assert bench.choices[0].sentence == (
            f"No Ollama server answers at http://127.0.0.1:9; {kind} at {server.base_url} is used."
        )
        assert bench.reach.own_servers == {server.url.removeprefix("http://")}


async def test_servers_that_are_found_are_asked_for_their_list_alone_and_without_a_key(
    tmp_path: Path, listening: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with FakeOpenAI(listed=[VLLM]) as one, FakeOpenAI(listed=[LM_STUDIO]) as other:
        listening(one, other)
        assert await Bench(tmp_path).started() == "openai:qwen3-4b"
        assert one.requests == [("/v1/models", {})]
        assert {path for path, _ in other.requests} == {"/v1/models"}
        assert "authorization" not in json.dumps([one.headers, other.headers])


@pytest.mark.parametrize(
    "answer",
    [
        Raw((b"<html>It works!</html>",), 200, "text/html"),
        Raw((b"<html>It works!</html>",), 200, "application/json"),
        as_json({"data": []}),
        as_json({"data": [{"name": "no id"}]}),
        as_json({"data": [{"id": "of something else"}]}),
        as_json({"data": {"id": "x"}}),
        as_json([{"id": "x", "title": "a todo"}]),
        as_json({"data": [{"id": 7, "object": "model"}]}),
        as_json("models"),
        as_json({"data": [ANYBODY]}, 401),
        Raw((b"",), 302, "text/plain"),
        Raw((b"[" * 100_000,), 200, "application/json"),
        Raw((b"{",), 200, "application/json", cut=True),
        Raw((b"{",), 200, "application/json", hang=True),
    ],
)
async def test_what_answers_there_and_is_something_else_is_passed_by(
    answer: Raw, tmp_path: Path, listening: Any
) -> None:
    async with FakeOpenAI(listed=answer) as server:
        listening(server)
        bench = Bench(tmp_path)
        assert await bench.started() == "embedded:1.5b"
        assert bench.choices[-1] == UnaskedChoice(
            "No Ollama server answers at http://127.0.0.1:9; no LM Studio, llama-server or vLLM answers on this "
            "machine; the embedded model is used.",
            "no Ollama, no other server",
        )


async def test_a_key_alone_never_makes_auto_choose_openai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    bench = Bench(tmp_path)
    await bench.state.note_used("openai:gpt-5")
    assert await bench.started() == "embedded:1.5b"
    assert await bench.names() == []
    assert bench.told == []


@pytest.mark.parametrize("by_setting", [True, False])
async def test_a_server_that_is_named_is_taken_and_must_answer(
    by_setting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with FakeOpenAI(listed=[ANYBODY]) as server:
        if not by_setting:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert await Bench(tmp_path, server.base_url if by_setting else "").started() == "openai:some"
    with pytest.raises(ModelUnavailable, match=r"^Nothing answers at http://127\.0\.0\.1:\d+/v1\. Start it\."):
        await Bench(tmp_path, server.base_url if by_setting else "").started()


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (Raw((b"<html>",), 200, "text/html"), ModelUnavailable, "is no API for models (it sends a web page)"),
        (as_json({"models": []}), ModelUnavailable, "is no API for models (its list of models is none)"),
        (failure(401, "No."), ModelUnavailable, "wants a key (No)"),
        (as_json({"data": []}), ModelNotFound, "lists no model to chat with"),
    ],
)
async def test_a_named_server_that_is_something_else_is_said_with_a_remedy(
    answer: Raw, kind: type[ModelError], said: str, tmp_path: Path
) -> None:
    async with FakeOpenAI(listed=answer) as server:
        with pytest.raises(kind) as caught:
            await Bench(tmp_path, server.base_url).started()
    assert said in caught.value.problem and caught.value.remedy


@pytest.mark.parametrize("url", ["ftp://box/v1", "http://", "http://me:pw@box/v1", "http://b x/v1"])
async def test_a_base_url_that_is_none_is_said(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="The base URL of openai cannot be used"):
        await Bench(tmp_path, url).started()


async def test_a_key_in_the_wrong_place_or_form_is_said_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\nX-Evil: 1")
    with pytest.raises(ConfigError, match="The key in OPENAI_API_KEY has a line break") as refused:
        await Bench(tmp_path, "http://127.0.0.1:9/v1").started()
    assert KEY not in str(refused.value)


async def test_the_environments_key_goes_to_a_server_of_the_settings_and_that_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with FakeOpenAI(listed=[ANYBODY], key=KEY) as server:
        bench, later = Bench(tmp_path, server.base_url), Bench(tmp_path, server.base_url)
        assert await bench.started() == await later.started() == "openai:some"
        host = server.url.removeprefix("http://")
    said = f"The key in OPENAI_API_KEY goes to {host}, which the settings name; openai.key_file names another"
    assert bench.told == [f"{said} key's file."] and later.told == []


async def test_a_key_that_is_for_the_server_is_no_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(0o600)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with FakeOpenAI(listed=[ANYBODY], key=KEY) as server:
        by_file = Bench(tmp_path, server.base_url, key_file=str(path))
        assert await by_file.started() == "openai:some"
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        for bench in (by_file, Bench(tmp_path), Bench(tmp_path, server.url)):
            assert await bench.started() == "openai:some"
            assert bench.told == []


@pytest.mark.parametrize(
    ("base_url", "beside", "lent"),
    [
        ("https://api.openai.com/v1", "", ""),
        ("", "", ""),
        ("https://models.example/v1", "", "OPENAI_API_KEY"),
        ("https://models.example/v1", "https://models.example", ""),
        ("https://models.example:8443/v1", "https://models.example", "OPENAI_API_KEY"),
        ("https://api.openai.com.example/v1", "no address", "OPENAI_API_KEY"),
        ("http://127.0.0.1:8000/v1", "", "OPENAI_API_KEY"),
    ],
)
def test_a_key_is_for_its_maker_and_for_the_address_beside_it(
    base_url: str, beside: str, lent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", beside)
    settings = OpenAISettings(base_url=base_url)
    where = destination(base_url or OFFICIAL_URL, settings, 5)
    assert (where.key, where.lent_from) == (KEY, lent)


async def test_a_key_that_is_sent_to_nobody_is_no_news_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for url in ("https://models.example/v1", "http://models.example/v1"):
        bench = Bench(tmp_path, url, reach=NetworkAccess(offline=True))
        with pytest.raises(ModelUnavailable):
            await bench.started()
        assert bench.told == []


async def test_asked_for_without_address_and_key_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"there is no key for api\.openai\.com\. Set OPENAI_API_KEY"):
        await Bench(tmp_path, backend="openai").started()


async def test_asked_for_with_a_key_it_is_openai_which_offline_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    bench = Bench(tmp_path, backend="openai", model="gpt-5", reach=NetworkAccess(offline=True))
    with pytest.raises(ModelUnavailable, match=r"api\.openai\.com is not on this machine, and Magpie is offline"):
        await bench.started()


@pytest.mark.parametrize("name", ["some", "openai:some"])
async def test_where_it_is_asked_for_the_plain_name_is_taken_too(name: str, tmp_path: Path) -> None:
    async with FakeOpenAI(listed=[VLLM, ANYBODY]) as server:
        assert await Bench(tmp_path, server.base_url, backend="openai", model=name).started() == "openai:some"
        bench = Bench(tmp_path, server.base_url, backend="openai")
        await (await bench.models.use_model("org/big")).close()
        assert bench.models.current == "openai:org/big"
        with pytest.raises(ModelNotFound, match=r"no model 'org/bug' here\. Nearest: openai:org/big"):
            await bench.models.use_model("org/bug")
        await bench.models.close()


async def test_what_was_used_last_is_gone_on_with_while_its_server_is_there(tmp_path: Path, listening: Any) -> None:
    async with FakeOpenAI(
        listed=[LM_STUDIO, {**LM_STUDIO, "id": "text-embedding-nomic"}, {**LM_STUDIO, "id": "b"}]
    ) as one:
        listening(one)
        bench = Bench(tmp_path)
        await (await bench.models.use_model("openai:b")).close()
        await bench.models.close()
        again = Bench(tmp_path)
        assert (await again.started(), again.choices) == ("openai:b", [])
        one.listed = [LM_STUDIO]
        assert await Bench(tmp_path).started() == "openai:qwen3-4b"


async def test_a_model_for_chats_is_begun_with_and_the_others_are_named(tmp_path: Path, listening: Any) -> None:
    names = ("text-embedding-nomic", "whisper-1", "qwen3-4b", "gemma-3")
    async with FakeOpenAI(listed=[{**LM_STUDIO, "id": name} for name in names]) as server:
        listening(server)
        bench = Bench(tmp_path)
        assert await bench.started() == "openai:qwen3-4b"
        assert bench.choices[-1].sentence == "The model openai:qwen3-4b is used; /model lists the others."
        assert await bench.names() == ["openai:qwen3-4b", "openai:gemma-3"]


async def test_a_server_without_a_list_takes_any_name_and_wants_one(tmp_path: Path) -> None:
    async with FakeOpenAI(listed=failure(404, "Not Found")) as server:
        bench = Bench(tmp_path, server.base_url, backend="openai", model="sonar")
        assert await bench.started() == "openai:sonar"
        with pytest.raises(ModelNotFound, match="lists no model to chat with"):
            await Bench(tmp_path, server.base_url, backend="openai").started()


async def test_a_list_of_a_hundred_thousand_models_does_no_harm(tmp_path: Path) -> None:
    entries = [{"id": f"model-{number}", "object": "model", "owned_by": "me"} for number in range(100_000)]
    async with FakeOpenAI(listed=entries) as server:
        bench = Bench(tmp_path, server.base_url)
        await (await bench.models.use_model("openai:model-99999")).close()
        assert bench.models.current == "openai:model-99999"
        assert len(await bench.models.list_models()) < 600
        with pytest.raises(ModelNotFound, match=r"Nearest: openai:model-"):
            await bench.models.use_model("openai:modal-99999")
        await bench.models.close()


async def test_the_list_tells_size_and_what_a_model_is_good_for(tmp_path: Path) -> None:
    entry = {**LLAMA, "meta": {"size": 491_400_064}}
    async with FakeOpenAI([Said("x")], [entry]) as server:
        bench = Bench(tmp_path, server.base_url)
        model = await bench.models.start_model()
        assert (await bench.models.list_models())[0] == ModelEntry("openai:gemma", "openai", 491_400_064, tools=True)
        assert await bench.models.tell_ability(model) == "on llama-server, calls tools itself"
        await model.close()
        await bench.models.close()


def test_the_model_s_server_is_closed_to_web_pages() -> None:
    assert OPENAI.server(OpenAISettings(base_url="http://box:8000")) == "http://box:8000/v1"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("openai:/srv/models/Qwen3-8B-Q4_K_M.gguf", "openai:Qwen3-8B-Q4_K_M"),
        ("openai:C:\\models\\qwen.GGUF", "openai:qwen"),
        ("openai:qwen.gguf", "openai:qwen"),
        ("openai:org/model-1.5", "openai:org/model-1.5"),
        ("qwen3:8b", "qwen3:8b"),
        ("openai:/models/folder", "openai:/models/folder"),
        ("openai:.gguf", "openai:.gguf"),
    ],
)
def test_a_model_that_is_called_by_its_file_is_shown_without_folders_and_ending(name: str, shown: str) -> None:
    assert readable_name(name) == shown


PATHS = ("/srv/one/qwen.gguf", "/srv/two/qwen.gguf", "/srv/gemma-3.gguf")


async def test_a_model_is_found_by_its_file_and_by_what_is_shown_of_it_and_asked_by_its_servers_name(
    tmp_path: Path,
) -> None:
    async with FakeOpenAI([Said("x")] * 9, [{**LLAMA, "id": path} for path in PATHS]) as server:
        bench = Bench(tmp_path, server.base_url)
        for name in (f"openai:{PATHS[2]}", "openai:gemma-3", "openai:gemma-3.gguf"):
            model = await bench.models.use_model(name)
            assert (bench.models.current, bench.models.shown) == (f"openai:{PATHS[2]}", "openai:gemma-3")
            info = await model.describe()
            assert (info.label, info.known_by, info.name) == ("openai:gemma-3", *[f"openai:{PATHS[2]}"] * 2)
            assert [piece async for piece in model.reply([Message("user", "hello")])]
            await model.close()
        assert {body["model"] for body in server.chats} == {PATHS[2]}
        assert await bench.state.last_used() == f"openai:{PATHS[2]}"
        with pytest.raises(ModelNotFound, match="Nearest: "):
            await bench.models.use_model("openai:qwen")
        await (await bench.models.use_model(f"openai:{PATHS[1]}")).close()
        await bench.models.close()
