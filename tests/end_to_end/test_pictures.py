"""A photograph from a file on disk to what a server is sent: small, and saying nothing of where it was taken."""

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from chatbot.frontends.oneshot import OneShotQuestion, ask
from chatbot.models.base import LanguageModel
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.app import FakeApp
from tests.fakes.ollama import FakeOllama, Turn, shown
from tests.fakes.openai import FakeOpenAI, Said
from tests.fakes.pictures import PLACE, declared_png, photograph
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

SETTINGS = Generation(request_timeout=5)


@pytest.fixture
def photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Keyboard())
    (tmp_path / "photo.jpg").write_bytes(photograph())
    return tmp_path / "photo.jpg"


def of_openai(server: FakeOpenAI, name: str = "qwen2.5-vl-7b") -> LanguageModel:
    state = ModelState(Path("/nowhere"), remember=False)
    around = ModelSurroundings(Path("/nowhere"), SETTINGS, NetworkAccess(), state)
    where = Destination(ApiEndpoint(server.base_url, "openai", 5), "")
    return OpenAIModel(name, ApiServer(where, around), SETTINGS)


def check_sent(data: bytes) -> None:
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.size) == ("JPEG", (1568, 1045))
    assert not image.getexif() and PLACE.encode() not in data


async def test_ollama_is_sent_the_picture_as_an_image_of_the_question(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = {"gemma3:4b": shown(("completion", "vision"))}
    async with FakeOllama([Turn("Half of it is red.")], models) as server:
        server.warming = True
        model = OllamaModel("gemma3:4b", OllamaSettings(host=server.url), SETTINGS)
        app = FakeApp(model, tmp_path, tools_enabled=False)
        assert await ask(app.engine, OneShotQuestion("What is this?", [str(photo)])) == 0
        [body] = server.questions
    assert capsys.readouterr().out == "Half of it is red.\n"
    [image] = body["messages"][-1]["images"]
    check_sent(base64.b64decode(image))
    loaded = await app.chat.sessions.load(app.chat.session)
    assert [picture.name for picture in loaded.messages[0].pictures] == ["photo.jpg"]


async def test_a_server_of_openai_s_protocol_is_sent_the_picture_as_a_part(photo: Path, tmp_path: Path) -> None:
    async with FakeOpenAI([Said("Half of it is red.")], [{"id": "qwen2.5-vl-7b", "object": "model"}]) as server:
        server.warming = True
        app = FakeApp(of_openai(server), tmp_path, tools_enabled=False)
        assert await ask(app.engine, OneShotQuestion("What is this?", [str(photo)])) == 0
        body = server.questions[0]
    words, picture = body["messages"][-1]["content"]
    assert words["text"].startswith("What is this?")
    kind, _, data = picture["image_url"]["url"].partition(";base64,")
    assert kind == "data:image/jpeg"
    check_sent(base64.b64decode(data))


async def test_a_model_that_does_not_see_is_not_asked_and_those_that_do_are_named(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models: dict[str, Any] = {"qwen3:8b": shown(), "gemma3:4b": shown(("completion", "vision"))}
    async with FakeOllama([], models) as server:
        model = OllamaModel("qwen3:8b", OllamaSettings(host=server.url), SETTINGS)
        app = FakeApp(model, tmp_path, ollama=server.url, tools_enabled=False)
        assert await ask(app.engine, OneShotQuestion("What is this?", [str(photo)])) == 1
        assert server.questions == []
    assert capsys.readouterr().err.splitlines()[-1] == (
        "qwen3:8b does not see pictures, and no text was read in photo.jpg. These do (/model <name>): gemma3:4b."
    )


async def test_a_bomb_is_one_sentence_and_nothing_is_sent(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo.write_bytes(declared_png(60_000, 60_000))
    async with FakeOllama() as server:
        app = FakeApp(OllamaModel("qwen3:8b", OllamaSettings(host=server.url), SETTINGS), tmp_path)
        assert await ask(app.engine, OneShotQuestion("What is this?", [str(photo)])) == 1
        assert server.questions == []
    assert capsys.readouterr().err == (
        "photo.jpg has 60,000×60,000 pixels; the limit is 100 million. Make it smaller.\n"
    )
