"""Which server is asked for Claude, what it lists, and that nothing goes there unasked."""

from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.models.anthropic.backend import ANTHROPIC
from chatbot.models.anthropic.settings import AnthropicSettings
from chatbot.models.backends import BACKENDS
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.named import read_named_models
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.openai import discovery
from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelEntry, ModelSurroundings, UnaskedChoice
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.anthropic import FakeAnthropic, Spoken, listed_model, refused
from tests.fakes.ollama import Raw, as_json
from utils.errors import ConfigError, ModelError, ModelNotFound, ModelUnavailable
from utils.network.access import NetworkAccess

KEY = "sk-ant-quiet-magpie-4815162342"
OPUS, SONNET, HAIKU = "claude-opus-5", "claude-sonnet-5", "claude-haiku-4-5-20251001"
THREE = [listed_model(name, thinks="adaptive disabled") for name in (OPUS, SONNET, HAIKU)]


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OLLAMA_HOST", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("chatbot.models.ollama.errors.DEFAULT_PORT", 9)
    monkeypatch.setattr(discovery, "KNOWN_PORTS", (9,))


class Bench:
    """Models of all backends, with what was said of the choice and of what goes where."""

    def __init__(
        self, folder: Path, base_url: str = "", *, backend: str = "auto", model: str = "", **more: Any
    ) -> None:
        self.choices: list[UnaskedChoice] = []
        self.told: list[str] = []
        self.state = ModelState(folder)
        reach = more.pop("reach", NetworkAccess())
        around = ModelSurroundings(
            folder, Generation(request_timeout=5), reach, self.state, self.choices.append, tell=self.told.append
        )
        sections = {
            "ollama": OllamaSettings(),
            "openai": OpenAISettings(),
            "anthropic": AnthropicSettings(base_url=base_url, **more),
            "embedded": EmbeddedSettings(),
        }
        self.models = Models(WantedModel(backend, model, sections), around, backends=BACKENDS)

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


async def test_neither_a_key_nor_an_address_in_the_environment_makes_auto_choose_claude(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with FakeAnthropic(listed=THREE) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url)
        bench = Bench(tmp_path)
        await bench.state.note_used(f"anthropic:{OPUS}")
        assert await bench.started() == "embedded:1.5b"
        assert await bench.names() == [] and server.requests == [] and bench.told == []
    # Nor is it told of to those who have none.
    assert bench.choices[-1].reason == "no Ollama, no other server"


async def test_a_server_elsewhere_that_the_settings_name_is_not_chosen_unasked_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    bench = Bench(tmp_path, "https://gate.example.com", reach=NetworkAccess(offline=True))
    assert await bench.started() == "embedded:1.5b"


async def test_a_server_on_this_machine_that_the_settings_name_is_taken_and_must_answer(tmp_path: Path) -> None:
    async with FakeAnthropic(listed=THREE) as server:
        bench = Bench(tmp_path, server.base_url)
        assert await bench.started() == f"anthropic:{OPUS}"
        assert bench.choices[-1].sentence == f"The model anthropic:{OPUS} is used; /model lists the others."
    with pytest.raises(ModelUnavailable, match=r"^Nothing answers at http://127\.0\.0\.1:\d+\. See whether"):
        await Bench(tmp_path, server.base_url).started()


@pytest.mark.parametrize("name", [SONNET, f"anthropic:{SONNET}"])
async def test_where_it_is_asked_for_it_is_the_server_that_is_named_and_its_model(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with FakeAnthropic(listed=THREE) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{server.base_url}/v1/")
        assert await Bench(tmp_path, backend="anthropic", model=name).started() == f"anthropic:{SONNET}"
        bench = Bench(tmp_path, backend="anthropic")
        await (await bench.models.use_model(HAIKU)).close()
        # What was chosen last is gone on with, where it is asked for.
        assert await Bench(tmp_path, backend="anthropic").started() == f"anthropic:{HAIKU}"
        with pytest.raises(ModelNotFound, match=r"no model 'claude-opus-4' here\. Nearest: anthropic:claude-opus-5"):
            await bench.models.use_model("claude-opus-4")
        await bench.models.close()


async def test_a_name_that_is_not_in_the_list_may_be_another_one_of_a_model(tmp_path: Path) -> None:
    paths = {"/v1/models/claude-haiku-4-5": as_json(listed_model(HAIKU, max_input_tokens=123_456))}
    async with FakeAnthropic(listed=THREE, paths=paths) as server:
        bench = Bench(tmp_path, server.base_url)
        model = await bench.models.use_model("anthropic:claude-haiku-4-5")
        assert (await model.describe()).context_window == 123_456
        await model.close()
        await bench.models.close()


async def test_without_a_key_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"no key for api\.anthropic\.com\. Set ANTHROPIC_API_KEY, or name"):
        await Bench(tmp_path, backend="anthropic").started()
    with pytest.raises(ModelUnavailable, match=r"no key for api\.anthropic\.com"):
        await Bench(tmp_path, model="anthropic:claude-opus-5").started()


async def test_with_a_key_it_is_anthropic_which_offline_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    bench = Bench(tmp_path, backend="anthropic", model=OPUS, reach=NetworkAccess(offline=True))
    with pytest.raises(ModelUnavailable, match=r"api\.anthropic\.com is not on this machine, and Magpie is offline"):
        await bench.started()


async def test_a_key_comes_from_the_environment_or_from_a_file_that_nobody_else_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    path.chmod(0o644)
    async with FakeAnthropic(listed=THREE[:1], key=KEY) as server:
        with pytest.raises(ConfigError, match="can be read by others"):
            await Bench(tmp_path, server.base_url, key_file=str(path)).started()
        path.chmod(0o600)
        # A key that the settings name beside an address is that server's.
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-another")
        assert await Bench(tmp_path, server.base_url, key_file=str(path)).started() == f"anthropic:{OPUS}"
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        assert await Bench(tmp_path, server.base_url).started() == f"anthropic:{OPUS}"
        monkeypatch.setenv("ANTHROPIC_API_KEY", f"{KEY}\nX-Evil: 1")
        with pytest.raises(ConfigError, match="The key in ANTHROPIC_API_KEY has a line break") as broken:
            await Bench(tmp_path, server.base_url).started()
    assert KEY not in str(broken.value)


def test_a_named_model_at_another_server_is_not_sent_the_key_of_the_settings() -> None:
    sections = {"anthropic": AnthropicSettings(base_url="https://one.example", key_file="~/key")}
    entries = {"two": {"backend": "anthropic", "model": OPUS, "base_url": "https://two.example"}}
    named = read_named_models(entries, sections, [ANTHROPIC])["two"]
    assert (named.settings.base_url, named.settings.key_file) == ("https://two.example", "")


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (Raw((b"<html>",), 200, "text/html"), ModelUnavailable, "is not Claude's API (it sends a web page)"),
        (as_json({"models": []}), ModelUnavailable, "is not Claude's API (its list of models is none)"),
        (refused(401, "invalid x-api-key", "authentication_error"), ModelUnavailable, "wants a key"),
        (as_json({"data": []}), ModelNotFound, "lists no model to chat with"),
    ],
)
async def test_a_named_server_that_is_something_else_is_said_with_a_remedy(
    answer: Raw, kind: type[ModelError], said: str, tmp_path: Path
) -> None:
    async with FakeAnthropic(listed=answer) as server:
        with pytest.raises(kind) as caught:
            await Bench(tmp_path, server.base_url).started()
    assert said in caught.value.problem and caught.value.remedy


@pytest.mark.parametrize("url", ["ftp://box", "http://", "http://me:pw@box", "http://b x"])
async def test_a_base_url_that_is_none_is_said(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="The base URL of anthropic cannot be used"):
        await Bench(tmp_path, url, backend="anthropic").started()


async def test_a_server_without_a_list_takes_any_name_and_wants_one(tmp_path: Path) -> None:
    async with FakeAnthropic(listed=refused(404, "Not Found", "not_found_error")) as server:
        bench = Bench(tmp_path, server.base_url, backend="anthropic", model="some")
        assert await bench.started() == "anthropic:some"
        with pytest.raises(ModelNotFound, match="lists no model to chat with"):
            await Bench(tmp_path, server.base_url, backend="anthropic").started()


async def test_a_list_of_several_pages_is_read_to_its_end(tmp_path: Path) -> None:
    async with FakeAnthropic(listed=THREE, page=2) as server:
        assert await Bench(tmp_path, server.base_url).names() == [f"anthropic:{name}" for name in (OPUS, SONNET, HAIKU)]
        assert [path for path, _ in server.requests] == [
            "/v1/models?limit=1000",
            f"/v1/models?limit=1000&after_id={SONNET}",
        ]


async def test_a_list_that_never_ends_is_left_off(tmp_path: Path) -> None:
    again = as_json({"data": [listed_model("a")], "has_more": True, "last_id": "a"})
    async with FakeAnthropic(listed=again) as server:
        assert "anthropic:a" in await Bench(tmp_path, server.base_url).names()
        assert len(server.requests) < 50


async def test_a_list_of_a_hundred_thousand_models_does_no_harm(tmp_path: Path) -> None:
    entries = [{"id": f"model-{number}", "type": "model"} for number in range(100_000)]
    async with FakeAnthropic(listed=as_json({"data": entries, "has_more": False})) as server:
        bench = Bench(tmp_path, server.base_url)
        await (await bench.models.use_model("anthropic:model-99999")).close()
        assert len(await bench.models.list_models()) < 600
        with pytest.raises(ModelNotFound, match=r"Nearest: anthropic:model-"):
            await bench.models.use_model("anthropic:modal-99999")
        await bench.models.close()


async def test_the_list_tells_what_a_model_is_good_for_and_settings_that_change_are_followed(tmp_path: Path) -> None:
    async with FakeAnthropic([Spoken("x")], THREE[:1]) as server:
        bench = Bench(tmp_path, server.base_url)
        model = await bench.models.start_model()
        entry = ModelEntry(f"anthropic:{OPUS}", "anthropic", tools=True, thinking=True)
        assert (await bench.models.list_models())[0] == entry
        where = server.url.removeprefix("http://")
        assert await bench.models.tell_ability(model) == f"at {where}, calls tools itself"
        bench.models.generate_by(Generation(max_tokens=77, thinking_enabled=False, request_timeout=5))
        [_ async for _ in model.reply([])]
        assert server.chats[0]["max_tokens"] == 77
        await model.close()
        await bench.models.close()


def test_its_server_is_closed_to_web_pages_and_its_section_is_read(tmp_path: Path) -> None:
    assert ANTHROPIC.server(AnthropicSettings(base_url="http://box:8000/v1")) == "http://box:8000"
    path = tmp_path / "config.json"
    path.write_text('{"anthropic": {"key_file": "~/key"}}')
    assert load_configuration(path).values.backends["anthropic"].key_file == "~/key"


async def test_a_model_that_a_server_here_calls_by_its_file_is_found_by_what_is_shown_of_it(tmp_path: Path) -> None:
    async with FakeAnthropic(listed=[listed_model("/srv/models/tern.gguf"), listed_model("owl")]) as server:
        bench = Bench(tmp_path, server.base_url)
        await (await bench.models.use_model("anthropic:tern")).close()
        assert (bench.models.current, bench.models.shown) == ("anthropic:/srv/models/tern.gguf", "anthropic:tern")
        await bench.models.close()
