"""Models under names of the user's own: what they mean, what they differ in, and where they may stand."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.models.base import ModelInfo
from chatbot.models.named import NamedModel, read_named_models
from chatbot.models.ollama.backend import OLLAMA
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.openai.backend import OPENAI
from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelBackend, ModelEntry, ModelSurroundings, UnaskedChoice
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from chatbot.settings import Price
from tests.fakes.ollama import FakeOllama, Turn, shown
from tests.fakes.parrot import PARROT, ParrotSettings
from utils.errors import ConfigError, ModelError, ModelNotFound, ModelUnavailable
from utils.network.access import NetworkAccess

BACKENDS: list[ModelBackend] = [OLLAMA, PARROT]
SECTIONS = {"ollama": OllamaSettings(), "parrot": ParrotSettings()}
ENTRIES: dict[str, dict[str, Any]] = {
    "loud": {"backend": "parrot", "model": "coco", "word": "HELLO", "temperature": 0, "max_tokens": 64},
    "quiet": {"model": "parrot:coco", "price": {"prompt": 1, "reply": 2}},
    "any": {"backend": "parrot"},
    "tired": {"backend": "parrot", "asleep": True},
}


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    monkeypatch.setattr("chatbot.models.ollama.errors.DEFAULT_PORT", 9)


def chooser(folder: Path, told: list[UnaskedChoice] | None = None, **wanted: Any) -> Models:
    entries = wanted.get("entries", ENTRIES)
    named = read_named_models(entries, SECTIONS, BACKENDS)
    want = WantedModel(wanted.get("backend", "auto"), wanted.get("model", ""), SECTIONS, named)
    tell = (told if told is not None else []).append
    around = ModelSurroundings(folder, Generation(request_timeout=5), NetworkAccess(), ModelState(folder), tell)
    return Models(want, around, backends=BACKENDS)


async def say(model: Any) -> str:
    """The second reply of the parrot: the first one is a call."""
    async for _ in model.reply([]):
        pass
    return "".join([getattr(piece, "delta", "") async for piece in model.reply([])])


def test_a_name_means_a_model_of_a_backend_with_settings_of_its_own() -> None:
    assert read_named_models(ENTRIES, SECTIONS, BACKENDS) == {
        "loud": NamedModel(
            "parrot", "parrot:coco", ParrotSettings(word="HELLO"), {"temperature": 0.0, "max_tokens": 64}
        ),
        "quiet": NamedModel("parrot", "parrot:coco", ParrotSettings(), {}, Price(prompt=1, reply=2)),
        "any": NamedModel("parrot", "", ParrotSettings()),
        "tired": NamedModel("parrot", "", ParrotSettings(asleep=True)),
    }
    general = Generation(temperature=1.5, seed=7)
    loud = read_named_models(ENTRIES, SECTIONS, BACKENDS)["loud"]
    assert loud.generate_by(general) == Generation(temperature=0, seed=7, max_tokens=64)


@pytest.mark.parametrize(
    ("models", "told"),
    [
        (
            {"fast": {"backend": "olama"}},
            "models.fast.backend cannot be 'olama' (in {path}): it must be ollama, openai, anthropic or emb",
        ),
        (
            {"fast": {"model": "qwen3"}},
            "models.fast.backend cannot be '' (in {path}): it must be ollama, openai, anthropic or embedded",
        ),
        (
            {"fast": {"backend": "ollama", "hots": "x"}},
            "no setting models.fast.hots (in {path}). Did you mean models.f",
        ),
        (
            {"fast": {"backend": "ollama", "temprature": 1}},
            "temprature (in {path}). Did you mean models.fast.temperatur",
        ),
        ({"fast": {"backend": "ollama", "threads": 1}}, "There is no setting models.fast.threads (in {path}). "),
        (
            {"fast": {"backend": "embedded", "threads": -1}},
            "models.fast.threads cannot be -1 (in {path}): it must be a",
        ),
        ({"fast": {"backend": "ollama", "temperature": 9}}, "models.fast.temperature cannot be 9 (in {path}): it must"),
        ({"fast": {"backend": "ollama", "model": 5}}, "models.fast.model cannot be 5 (in {path}): it must be a text."),
        (
            {"fast": {"backend": "ollama", "price": {"promt": 1}}},
            "models.fast.price.promt (in {path}). Did you mean mo",
        ),
        ({"fast": {"backend": "ollama", "price": {"reply": -1}}}, "models.fast.price.reply cannot be -1 (in {path})"),
        (
            {"fast": {"backend": "ollama", "price": 3}},
            "models.fast.price cannot be 3 (in {path}): it must be an object",
        ),
        ({"fast": 3}, "models cannot be {{'fast': 3}} (in {path}): it must be an object."),
        ({"embedded:0.5b": {}}, "models cannot be 'embedded:0.5b' (in {path}): such a name means a model of embedded."),
        ({"model": {}}, "models cannot be 'model' (in {path}): for rag.reranker that is the model that answers."),
        (
            {" fast": {}},
            "models cannot be ' fast' (in {path}): a name must not be empty, nor begin or end with a space.",
        ),
        ({"": {}}, "models cannot be '' (in {path}): a name must not be empty"),
        ({"a\x1b[2J": {}}, "(in {path}): it must be a text without characters that cannot be shown. See config"),
        ([], "models cannot be [] (in {path}): it must be an object."),
    ],
)
def test_a_mistake_in_what_a_name_means_is_one_sentence(tmp_path: Path, models: Any, told: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"models": models}))
    with pytest.raises(ConfigError) as caught:
        load_configuration(path, {}, {})
    assert told.format(path=path) in str(caught.value)
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


def test_named_models_come_from_the_environment_and_are_saved_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"models": {"a": {"backend": "ollama", "host": "http://127.0.0.1:9", "seed": 1}}}))
    load_configuration(path, {}, {}).with_setting("temperature", 1).save_settings()
    assert json.loads(path.read_text())["models"] == {
        "a": {"backend": "ollama", "host": "http://127.0.0.1:9", "seed": 1}
    }
    environment = {"MAGPIE_MODELS": '{"b": {"model": "embedded:0.5b"}}'}
    assert list(load_configuration(path, {}, environment).values.named_models) == ["b"]


async def test_a_named_model_answers_by_its_own_settings_and_is_remembered(tmp_path: Path) -> None:
    models = chooser(tmp_path, model="loud")
    model = await models.start_model()
    assert models.current == "loud"
    assert await model.describe() == ModelInfo(
        "parrot:coco", "parrot", 8192, can_call_tools=True, cites=True, alias="loud", max_tokens=64
    )
    assert await say(model) == "HELLO from parrot:coco."
    assert await models.tell_ability(model) == "calls tools itself"
    quiet = await models.use_model("quiet")
    assert (models.current, await say(quiet)) == ("quiet", "Hello from parrot:coco.")
    assert (await quiet.describe()).label == "quiet"
    again = chooser(tmp_path)
    await again.start_model()
    assert again.current == "quiet"
    await models.use_model("any")
    assert models.current == "any"
    await models.close()


async def test_a_named_model_that_does_not_serve_any_more_is_said_and_another_one_answers(tmp_path: Path) -> None:
    await ModelState(tmp_path).note_used("tired")
    told: list[UnaskedChoice] = []
    models = chooser(tmp_path, told)
    await models.start_model()
    assert models.current == "parrot:polly" or models.current == "parrot:coco"
    assert told[0] == UnaskedChoice("The parrot is asleep. So tired is not gone on with.", "tired is not there")
    await models.close()


async def test_a_named_model_is_listed_with_what_it_means(tmp_path: Path) -> None:
    models = chooser(tmp_path, backend="parrot")
    entries = [ModelEntry("loud", "parrot", 10**9, stands_for="parrot:coco")]
    entries += [ModelEntry("quiet", "parrot", 10**9, stands_for="parrot:coco")]
    entries += [ModelEntry(name, "parrot", stands_for="any model") for name in ("any", "tired")]
    assert list(await models.list_models())[:4] == entries
    await models.close()


async def test_a_misspelt_name_is_answered_with_the_nearest_one_whatever_a_server_says(tmp_path: Path) -> None:
    models = chooser(tmp_path)
    with pytest.raises(ModelNotFound, match=r"^There is no model 'lout' here\. Nearest: loud\.$"):
        await models.use_model("lout")
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9"):
        await models.use_model("qwen3:8b")
    await models.close()


async def test_a_name_for_a_model_that_is_not_there_is_told_with_the_models_that_are(tmp_path: Path) -> None:
    models = chooser(tmp_path, entries={"bird": {"backend": "parrot", "model": "poly"}})
    with pytest.raises(ModelNotFound, match=r"^There is no model 'parrot:poly' here\. Nearest: parrot:polly,"):
        await models.use_model("bird")
    with pytest.raises(ModelError, match=r"^The model parrot:poly cannot be fetched with /pull\."):
        models.pull_model("bird")
    await models.close()


async def test_a_model_beside_the_one_in_use_may_be_a_named_one_and_is_opened_once(tmp_path: Path) -> None:
    models = chooser(tmp_path)
    other = await models.other_model("loud")
    assert other is await models.other_model("loud")
    assert (await other.describe()).label == "loud"
    await models.close()


async def test_two_servers_of_one_backend_answer_under_two_names(tmp_path: Path) -> None:
    told_apart = {"here": [Turn("From here.")], "there": [Turn("From there.")]}
    servers = {name: FakeOllama(turns, models={f"{name}:1b": shown()}) for name, turns in told_apart.items()}
    async with servers["here"] as here, servers["there"] as there:
        entries: dict[str, dict[str, Any]] = {
            "h": {"backend": "ollama", "model": "here:1b", "host": here.url, "temperature": 0.1, "max_tokens": 100},
            "t": {"backend": "ollama", "model": "there:1b", "host": there.url, "keep_alive": "1h"},
        }
        models = chooser(tmp_path, entries=entries)
        said = {}
        for name in entries:
            model = await models.use_model(name)
            said[name] = "".join([getattr(piece, "delta", "") async for piece in model.reply([])])
            models.generate_by(Generation(temperature=0.9, request_timeout=5))
            await model.close()
        assert said == {"h": "From here.", "t": "From there."}
        assert (here.chats[0]["options"]["temperature"], here.chats[0]["options"]["num_predict"]) == (0.1, 100)
        assert (there.chats[0]["options"]["temperature"], there.chats[0]["keep_alive"]) == (0.9, "1h")
        with pytest.raises(ModelNotFound, match=r"^There is no model 'there:1b' here\. Nearest: here:1b\."):
            await (wrong := chooser(tmp_path, entries={"x": entries["h"] | {"model": "there:1b"}})).use_model("x")
        await wrong.close()
        await models.close()


def test_the_key_of_one_server_does_not_go_to_a_named_models_other_one() -> None:
    section = OpenAISettings(base_url="https://one.test/v1", key_file="one.key")
    entries = {
        "other": {"backend": "openai", "base_url": "https://other.test/v1"},
        "own": {"backend": "openai", "base_url": "https://other.test/v1", "key_file": "other.key"},
        "same": {"backend": "openai", "temperature": 0},
    }
    named = read_named_models(entries, {"openai": section}, [OPENAI])
    assert [named[name].settings.key_file for name in entries] == ["", "other.key", "one.key"]
