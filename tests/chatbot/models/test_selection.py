"""Which model answers: by the settings, by what was used last, by what is there; and never one in the cloud unasked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.events import Progress
from chatbot.models.base import LanguageModel, readable_name
from chatbot.models.disclosure import DisclosingModel
from chatbot.models.embedded.backend import EMBEDDED_BACKEND
from chatbot.models.embedded.provider import EmbeddedProvider
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.ollama.backend import OLLAMA
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.provider import ModelEntry, ModelSurroundings, PullOffered, UnaskedChoice
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.model import ScriptedModel
from tests.fakes.ollama import RECORDINGS, FakeOllama, Raw, Turn, as_json, recording, replay, shown
from utils.errors import ModelNotFound, ModelUnavailable
from utils.network.access import NetworkAccess

GENERATION = Generation(request_timeout=5)
NOBODY = "http://127.0.0.1:9"
EMBEDDED_ENTRIES = (
    ModelEntry("embedded:0.5b", "embedded", 491_400_064),
    ModelEntry("embedded:1.5b", "embedded", 1_117_320_768),
)


class Bench:
    """Models with what they said and which embedded models they made."""

    def __init__(self, folder: Path, host: str = "", **wanted: Any) -> None:
        self.told: list[UnaskedChoice] = []
        self.made: list[EmbeddedSettings] = []
        sections = {"ollama": OllamaSettings(host=host), "embedded": wanted.get("embedded", EmbeddedSettings())}
        want = WantedModel(wanted.get("backend", "auto"), wanted.get("model", ""), sections)
        self.reach = NetworkAccess()
        self.state = ModelState(folder)
        around = ModelSurroundings(folder, GENERATION, self.reach, self.state, self.told.append)
        made = self.made

        class Made(EmbeddedProvider):
            def open(self, name: str) -> LanguageModel:
                made.append(self.settings_of(name))
                return ScriptedModel([])

        self.models = Models(want, around, backends=[OLLAMA, replace(EMBEDDED_BACKEND, load=lambda: Made)])

    async def started(self) -> str:
        try:
            await (await self.models.start_model()).close()
        finally:
            await self.models.close()
        return self.models.current


@pytest.fixture(autouse=True)
def _no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


async def test_without_a_server_the_embedded_model_answers_and_says_so(tmp_path: Path, monkeypatch: Any) -> None:
    from chatbot.models.ollama import errors as ollama_errors

    monkeypatch.setattr(ollama_errors, "DEFAULT_PORT", 9)
    bench = Bench(tmp_path)
    assert await bench.started() == "embedded:1.5b"
    assert bench.made == [EmbeddedSettings()]
    said = "No Ollama server answers at http://127.0.0.1:9; the embedded model is used."
    assert bench.told == [UnaskedChoice(said, "no Ollama")]
    assert [entry.name for entry in await bench.models.list_models()] == ["embedded:0.5b", "embedded:1.5b"]
    await bench.models.close()


@pytest.mark.parametrize("by_setting", [True, False])
async def test_a_named_host_that_does_not_answer_is_an_error_with_its_name(
    by_setting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not by_setting:
        monkeypatch.setenv("OLLAMA_HOST", NOBODY)
    bench = Bench(tmp_path, NOBODY if by_setting else "")
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9"):
        await bench.models.start_model()
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9"):
        await bench.models.list_models()
    assert bench.made == []
    await bench.models.close()


async def test_a_port_that_is_not_ollama_is_said(tmp_path: Path) -> None:
    async with FakeOllama(paths={"/api/version": Raw((b"<html>",), 200, "text/html")}) as server:
        bench = Bench(tmp_path, server.url)
        with pytest.raises(ModelUnavailable, match="is not Ollama"):
            await bench.models.start_model()
        await bench.models.close()


async def test_an_installed_model_that_can_call_tools_is_picked_but_none_in_the_cloud(tmp_path: Path) -> None:
    installed = {
        "gpt-oss:120b-cloud": shown(),
        "deepseek": shown(remote_host="https://ollama.com:443"),
        "tinyllama:latest": shown(["completion"]),
        "qwen3:8b": shown(),
    }
    async with FakeOllama(models=installed) as server:
        bench = Bench(tmp_path, server.url)
        assert await bench.started() == "qwen3:8b"
        said = "The model qwen3:8b is used; /model lists the others."
        assert bench.told == [UnaskedChoice(said, "/model lists others")]
        again = Bench(tmp_path, server.url)
        assert await again.started() == "qwen3:8b"
        assert again.told == []


async def test_the_last_model_used_comes_first_and_a_model_that_writes_calls_as_text_last(tmp_path: Path) -> None:
    async with FakeOllama(models={"a:1b": shown(), "b:1b": shown(["completion"]), "c:1b": shown()}) as server:
        bench = Bench(tmp_path, server.url)
        await bench.state.saw_text_call("a:1b")
        assert await bench.started() == "c:1b"
        await bench.models.use_model("b:1b")
        assert await Bench(tmp_path, server.url).started() == "b:1b"
        del server.models["b:1b"]
        assert await Bench(tmp_path, server.url).started() == "c:1b"
        await bench.models.close()


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings of a live Ollama are not beside the project")
async def test_a_model_that_its_server_lists_without_its_tools_is_asked_about_and_picked(tmp_path: Path) -> None:
    tags = replay(recording("tags"))
    shown_by_name = {"magpie-native-15:latest": "show-model", "magpie-rendered-15:latest": "show-template"}

    def show(body: dict[str, Any]) -> Raw:
        return replay(recording(shown_by_name.get(body["model"], "show-bare")))

    async with FakeOllama(paths={"/api/tags": tags, "/api/show": show}) as server:
        bench = Bench(tmp_path, server.url)
        listed = {entry.name: entry.tools for entry in await bench.models.list_models()}
        asked = [body["model"] for path, body in server.requests if path == "/api/show"]
        await bench.models.list_models()
        await bench.models.close()
        assert listed["magpie-native-15:latest"]
        assert listed["magpie-rendered-15:latest"]
        assert not listed["magpie-bare:latest"]
        # Only what the list does not say, and once.
        assert "magpie-rendered-15:latest" not in asked
        assert [body["model"] for path, body in server.requests if path == "/api/show"] == asked


async def test_a_model_that_calls_no_tools_is_picked_where_there_is_none_that_does_and_that_is_said(
    tmp_path: Path,
) -> None:
    installed = {"nomic-embed": shown(["embedding"]), "tinyllama": shown(["completion"])}
    async with FakeOllama(models=installed) as server:
        bench = Bench(tmp_path, server.url)
        assert await bench.started() == "tinyllama"
    how = "which calls no tools by itself: Magpie looks things up for it"
    assert [choice.sentence for choice in bench.told] == [
        f"The model tinyllama is used, {how}; /model lists the others."
    ]


@pytest.mark.parametrize("models", [{}, {"nomic-embed": shown(["embedding"])}, {"x:cloud": shown()}])
async def test_a_server_that_nobody_named_and_that_has_no_model_leaves_the_embedded_one_to_answer(
    models: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chatbot.models.ollama import errors as ollama_errors

    async with FakeOllama(models=models) as server:
        monkeypatch.setattr(ollama_errors, "DEFAULT_PORT", int(server.url.rpartition(":")[2]))
        bench = Bench(tmp_path)
        assert await bench.started() == "embedded:1.5b"
        said = f"Ollama at {server.url} has no model that can chat; the embedded model is used."
        assert bench.told == [UnaskedChoice(said, "no Ollama model")]
        with pytest.raises(PullOffered):
            await Bench(tmp_path, backend="ollama").started()
        with pytest.raises(ModelNotFound, match="ollama pull qwen3"):
            await Bench(tmp_path, model="qwen3").started()


async def test_a_model_that_cannot_be_asked_about_is_listed_as_the_server_lists_it(tmp_path: Path) -> None:
    broken = {"/api/show": as_json({"error": "open /blobs/sha256-1: no such file"}, 500)}
    async with FakeOllama(models={"bare": shown(["completion"])}, paths=broken) as server:
        bench = Bench(tmp_path, server.url)
        assert (await bench.models.list_models())[0].tools is False
        await bench.models.close()


async def test_of_a_list_without_end_the_first_are_asked_about(tmp_path: Path) -> None:
    tags = [{"name": f"m{number}", "capabilities": ["completion"]} for number in range(5_000)]
    paths = {"/api/tags": as_json({"models": tags}), "/api/show": as_json(shown(["completion", "tools"]))}
    async with FakeOllama(paths=paths) as server:
        bench = Bench(tmp_path, server.url)
        listed = await bench.models.list_models()
        await bench.models.close()
    assert [entry.tools for entry in listed if entry.backend == "ollama"] == [True] * 100 + [False] * 4_900


async def test_a_server_without_a_model_offers_to_fetch_one(tmp_path: Path) -> None:
    async with FakeOllama(models={}) as server:
        bench = Bench(tmp_path, server.url)
        with pytest.raises(PullOffered) as caught:
            await bench.models.start_model()
        assert caught.value.name == "qwen3"
        progress = [step async for step in bench.models.pull_model("qwen3")]
        assert progress == [
            Progress("qwen3: pulling manifest", 0, 0),
            Progress("qwen3: pulling a3d", 0, 200),
            Progress("qwen3: pulling a3d", 100, 200),
            Progress("qwen3: pulling a3d", 200, 200),
            Progress("qwen3: success", 0, 0),
            Progress("qwen3", 1, 1),
        ]
        assert await bench.started() == "qwen3"


async def test_a_pull_that_fails_after_it_began_is_one_sentence(tmp_path: Path) -> None:
    steps = (b'{"status":"pulling manifest"}\n', b'{"error":"pull model manifest: file does not exist"}\n')
    async with FakeOllama(paths={"/api/pull": Raw(steps)}) as server:
        bench = Bench(tmp_path, server.url)
        with pytest.raises(Exception, match="Ollama says: pull model manifest: file does not exist"):
            _ = [step async for step in bench.models.pull_model("nothing")]
        await bench.models.close()


@pytest.mark.parametrize(
    ("wanted", "size"),
    [
        ({"backend": "embedded"}, "1.5b"),
        ({"backend": "embedded", "embedded": EmbeddedSettings(size="0.5b")}, "0.5b"),
        ({"model": "embedded:0.5b"}, "0.5b"),
        ({"model": "embedded"}, "1.5b"),
    ],
)
async def test_the_embedded_model_can_be_asked_for(wanted: dict[str, Any], size: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path, NOBODY, **wanted)
    assert await bench.started() == f"embedded:{size}"
    assert [settings.size for settings in bench.made] == [size]
    assert bench.told == []


async def test_the_list_has_what_is_there_with_its_abilities(tmp_path: Path) -> None:
    installed = {
        "qwen3:8b": shown(["completion", "tools", "thinking"]),
        "old": shown(None),
        "gpt-oss:cloud": shown(),
    }
    async with FakeOllama(models=installed) as server:
        bench = Bench(tmp_path, server.url)
        listed = await bench.models.list_models()
        await bench.models.close()
    size = 5_225_388_164
    assert listed == (
        ModelEntry("qwen3:8b", "ollama", size, tools=True, thinking=True),
        ModelEntry("old", "ollama", size, tools=True),
        ModelEntry("gpt-oss:cloud", "ollama", size, tools=True, elsewhere="runs in Ollama's cloud"),
        *EMBEDDED_ENTRIES,
    )


@pytest.mark.parametrize("name", ["qwen3:7b", "embedded:7b", "embeded:0.5b"])
async def test_an_unknown_name_is_answered_with_the_nearest_ones(name: str, tmp_path: Path) -> None:
    async with FakeOllama() as server:
        bench = Bench(tmp_path, server.url)
        with pytest.raises(ModelNotFound, match=r"Nearest: (qwen3:8b|embedded:)"):
            await bench.models.use_model(name)
        await bench.models.close()


async def test_a_switch_and_a_changed_setting_hold_at_once(tmp_path: Path) -> None:
    async with FakeOllama([Turn("a")], models={"qwen3:latest": shown(["completion", "thinking"])}) as server:
        bench = Bench(tmp_path, server.url)
        await bench.models.use_model("embedded:0.5b")
        model = await bench.models.use_model("qwen3")
        bench.models.generate_by(Generation(thinking_enabled=False, max_tokens=77))
        assert isinstance(model, DisclosingModel) and isinstance(model.model, OllamaModel)
        await model.warm_up([])
        assert (await model.describe()).name == bench.models.current == "qwen3:latest"
        await model.close()
        await bench.models.close()
        assert server.chats[0]["think"] is False
        assert await Bench(tmp_path, server.url).started() == "qwen3:latest"


async def test_a_model_that_ollama_calls_by_a_file_is_found_by_what_is_shown_of_it(tmp_path: Path) -> None:
    installed = ["hf.co/nest/Tern-GGUF:Tern-IQ3_M.gguf", "hf.co/nest/Owl:Q4.gguf", "hf.co/other/Owl:Q4.gguf", "qwen:Q4"]
    async with FakeOllama([Turn("a")], models={name: shown() for name in installed}) as server:
        bench = Bench(tmp_path, server.url)
        for name in (installed[0], readable_name(installed[0])):
            await (await bench.models.use_model(name)).close()
            assert (bench.models.current, bench.models.shown) == (installed[0], "Tern-GGUF:Tern-IQ3_M")
        await (await bench.models.use_model(installed[2])).close()
        with pytest.raises(ModelNotFound, match="Nearest: "):
            await bench.models.use_model("Owl:Q4")
        await bench.models.close()


async def test_a_list_of_a_foreign_shape_is_said(tmp_path: Path) -> None:
    async with FakeOllama(paths={"/api/tags": as_json(["a"])}) as server:
        bench = Bench(tmp_path, server.url)
        with pytest.raises(ModelUnavailable, match="is not Ollama"):
            await bench.models.list_models()
        await bench.models.close()


CLOUD = {
    "gpt-oss:120b-cloud": shown(),
    "mine:latest": shown(remote_host="https://ollama.com:443"),
    "here:latest": shown(),
}


@pytest.mark.parametrize("name", ["gpt-oss:120b-cloud", "mine"])
async def test_offline_no_model_in_the_cloud_is_used_though_the_server_is_here(tmp_path: Path, name: str) -> None:
    async with FakeOllama(models=CLOUD) as server:
        bench = Bench(tmp_path, server.url)
        bench.reach.offline = True
        with pytest.raises(ModelUnavailable, match=r"runs in Ollama's cloud, and Magpie is offline\. /offline lets it"):
            await bench.models.use_model(name)
        with pytest.raises(ModelUnavailable, match=r"would fetch qwen3 from elsewhere, and Magpie is offline\."):
            _ = [progress async for progress in bench.models.pull_model("qwen3")]
        bench.reach.offline = False
        await (await bench.models.use_model(name)).close()
        bench.reach.offline = True
        # The one that was used last is passed over.
        assert await bench.started() == "here:latest"


async def test_offline_a_model_in_the_cloud_that_is_in_use_answers_no_more(tmp_path: Path) -> None:
    async with FakeOllama(models=CLOUD) as server:
        bench = Bench(tmp_path, server.url)
        model = await bench.models.use_model("mine")
        await model.describe()
        asked = len(server.requests)
        bench.reach.offline = True
        with pytest.raises(ModelUnavailable, match="does not run on this machine, and Magpie is offline"):
            _ = [piece async for piece in model.reply([])]
        assert len(server.requests) == asked
        await model.close()
        await bench.models.close()


async def test_offline_a_server_elsewhere_is_not_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "http://ollama.example:11434")
    bench.reach.offline = True
    with pytest.raises(ModelUnavailable, match=r"^ollama\.example is not on this machine, and Magpie is offline\."):
        await bench.started()
