"""Larger models of the embedded engine: listed, fetched from a hub with /pull, checked, and only then opened."""

import hashlib
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.conversation.events import Progress
from chatbot.models.embedded import catalogue
from chatbot.models.embedded.catalogue import KNOWN, GgufFile
from chatbot.models.embedded.gguf_files import weights_identity
from chatbot.models.embedded.provider import EmbeddedProvider
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.probe.results import ProbeResult
from chatbot.models.provider import FetchableModel, ModelEntry, ModelSurroundings
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.chatbot.models.embedded.test_gguf_files import CONTENT, FakeHub, hub
from utils.errors import ModelNotFound, ModelUnavailable
from utils.network.access import NetworkAccess

__all__ = ["hub"]

LARGE = GgufFile(
    name="Heron-4B",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    repository="nest/heron",
    revision="0123456789012345678901234567890123456789",
)


@pytest.fixture(autouse=True)
def _one_more(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in list(KNOWN)[2:]:
        monkeypatch.delitem(catalogue.KNOWN, name)
    monkeypatch.setitem(catalogue.KNOWN, "heron", LARGE)
    yield


def provider(
    folder: Path, monkeypatch: pytest.MonkeyPatch, endpoint: str, *, offline: bool = False
) -> EmbeddedProvider:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", endpoint)
    # As utils.network.telemetry has it in the product.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_TELEMETRY", True)
    template = f"{endpoint}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
    reach = NetworkAccess(offline=offline)
    around = ModelSurroundings(folder, Generation(), reach, ModelState(folder))
    return EmbeddedProvider(EmbeddedSettings(), around)


async def test_a_large_model_is_fetched_checked_and_there(
    tmp_path: Path, hub: tuple[str, type[FakeHub]], monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, kind = hub
    one = provider(tmp_path, monkeypatch, endpoint)
    small = [ModelEntry(f"embedded:{name}", "embedded", KNOWN[name].size) for name in ("0.5b", "1.5b")]
    assert list(await one.list_models()) == small
    [found] = await one.list_fetchable()
    assert replace(found, fits=True) == FetchableModel("embedded:heron", LARGE.size, LARGE.memory, "Apache-2.0", True)
    assert await one.find_model("embedded:heron") == ""
    assert await one.tell_larger("embedded:1.5b") == "/pull lists larger models that run without Ollama"
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / ".Heron-4B.gguf.download").write_bytes(CONTENT[:5000])
    steps = [step async for step in one.pull("embedded:heron")]
    assert steps[-1] == Progress("Downloading Heron-4B", LARGE.size, LARGE.size)
    assert all(step.done < step.total for step in steps[:-1])
    assert kind.ranges == [f"/nest/heron/resolve/{LARGE.revision}/Heron-4B.gguf bytes=5000-"]
    assert list(await one.list_models()) == [*small, ModelEntry("embedded:heron", "embedded", LARGE.size)]
    assert (await one.list_fetchable(), await one.find_model("embedded:heron")) == ((), "embedded:heron")
    assert await one.tell_larger("embedded:1.5b") == ""
    assert one.settings_of("embedded:heron").size == "heron"


async def test_what_the_hub_sends_instead_is_thrown_away_and_said(
    tmp_path: Path, hub: tuple[str, type[FakeHub]], monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, kind = hub
    kind.content = b"x" + CONTENT[1:]
    one = provider(tmp_path, monkeypatch, endpoint)
    with pytest.raises(ModelUnavailable, match="What the hub sent as Heron-4B is not the file that it must be"):
        _ = [step async for step in one.pull("embedded:heron")]
    assert [entry.name for entry in await one.list_models()] == ["embedded:0.5b", "embedded:1.5b"]


async def test_a_fetching_that_is_left_stops_and_one_that_cannot_be_is_a_sentence(
    tmp_path: Path, hub: tuple[str, type[FakeHub]], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = provider(tmp_path, monkeypatch, endpoint := hub[0])
    async with aclosing(one.pull("embedded:heron")) as steps:
        async for _ in steps:
            break
    offline = provider(tmp_path / "offline", monkeypatch, endpoint, offline=True)
    with pytest.raises(ModelUnavailable, match=r"for Magpie is offline \(/offline\)\. Try again while this machine is"):
        _ = [step async for step in offline.pull("embedded:heron")]
    with pytest.raises(ModelNotFound, match=r"Nearest: embedded:heron"):
        _ = [step async for step in one.pull("embedded:herin")]


def test_what_is_known_is_whole_and_told_apart() -> None:
    assert len({weights.sha256 for weights in KNOWN.values()}) == len(KNOWN)
    for weights in KNOWN.values():
        assert (len(weights.sha256), len(weights.revision)) == (64, 40)


@pytest.mark.parametrize("native", [True, False, None])
async def test_a_file_of_the_users_is_listed_with_what_was_found_of_it(tmp_path: Path, native: bool | None) -> None:
    file = tmp_path / "jay-8b.gguf"
    file.write_bytes(b"GGUF and more")
    state = ModelState(tmp_path)
    if native is not None:
        await state.note_probe(ProbeResult("jay-8b", weights_identity(file), native, (), (), "2026-11-26"))
    around = ModelSurroundings(tmp_path, Generation(), NetworkAccess(), state)
    own, *known = await EmbeddedProvider(EmbeddedSettings(model_path=file), around).list_models()
    assert own == ModelEntry("embedded:jay-8b.gguf", "embedded", 13, tools=native is True)
    assert [entry.name for entry in known] == ["embedded:0.5b", "embedded:1.5b"]
    file.unlink()
    assert known == list(await EmbeddedProvider(EmbeddedSettings(model_path=file), around).list_models())


async def test_a_file_of_the_users_that_is_called_like_a_known_model_does_not_stand_in_its_place(
    tmp_path: Path,
) -> None:
    file = tmp_path / "heron.gguf"
    file.write_bytes(b"GGUF and more")
    around = ModelSurroundings(tmp_path, Generation(), NetworkAccess(), ModelState(tmp_path))
    one = EmbeddedProvider(EmbeddedSettings(model_path=file), around)
    # While the known one is not here nothing else is shown by that name.
    assert await one.find_model("embedded:heron") == "embedded:heron.gguf"
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "Heron-4B.gguf").write_bytes(CONTENT)
    found = await one.find_model("embedded:heron")
    assert (found, one.settings_of(found).size, one.settings_of(found).model_path) == ("embedded:heron", "heron", None)
    assert [await one.find_model(name) for name in ("embedded", "embedded:heron.gguf")] == ["embedded:heron.gguf"] * 2


async def test_a_large_model_that_was_fetched_is_listed_as_calling_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(catalogue.KNOWN, "heron", replace(LARGE, calls_tools=True))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "Heron-4B.gguf").write_bytes(CONTENT)
    around = ModelSurroundings(tmp_path, Generation(), NetworkAccess(), ModelState(tmp_path))
    listed = await EmbeddedProvider(EmbeddedSettings(), around).list_models()
    assert [(entry.name, entry.tools) for entry in listed] == [
        ("embedded:0.5b", False),
        ("embedded:1.5b", False),
        ("embedded:heron", True),
    ]
