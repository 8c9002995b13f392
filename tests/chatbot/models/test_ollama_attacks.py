"""Every broken behaviour of the hostile Ollama server ends in a sound reply or in one clear sentence, and soon."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import Call, Done, ModelInfo, Piece, Text
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.settings import Generation
from tests.fakes.places import SHARED
from tests.fakes.text_calls import with_text_calls
from tools.base import ToolSchema
from utils.errors import ModelError

SERVER = SHARED / "attacks" / "ollama" / "fake_ollama.py"
SEARCH = ToolSchema(
    "web_search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
ENDS = {
    "ok": "Hello",
    "refuse500": "ModelError",
    "notfound404": "ModelNotFound",
    "html503": "ModelUnavailable",
    "hang-before-first": "ModelUnavailable",
    "hang-mid": "ModelUnavailable",
    "close-mid": "ReplyBroken",
    "rst-mid": "ReplyBroken",
    "half-line": "ReplyBroken",
    "badjson-line": "ReplyBroken",
    "error-mid": "ModelError",
    "nodone": "ReplyBroken",
    "dupdone": "Hello wor",
    "emptyline": "Hello wor",
    "slowtok": "a " * 30,
    "infinite": "ReplyBroken",
    "utf8split": "héllo 🌍",
    "latin1": "caf\ufffd",
    "ansi": "\x1b]52;c;cm0=\x07\x1b[2J[/red]",
    "nulls": "",
    "thinking-inf": "ReplyBroken",
    "tool-ok": "web_search",
    "tool-loop": "web_search",
    "tool-unknown": "rm_rf",
    "tool-args-str": "web_search",
    "tool-args-badjson": "web_search",
    "tool-args-list": "web_search",
    "tool-args-null": "web_search",
    "tool-args-missing": "web_search",
    "tool-args-nested": "web_search",
    "tool-huge-args": "ReplyBroken",
    "tool-1000": "ReplyBroken",
    "tool-name-null": "ReplyBroken",
    "tool-name-ansi": "web\x1b[8m_search",
    "tool-in-text": "web_search",
    "tool-exfil": "fetch_url_content",
}

pytestmark = pytest.mark.skipif(not SERVER.is_file(), reason="the hostile Ollama server is not beside the project")


@pytest.fixture
async def url() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(sys.executable, str(SERVER), "0", stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    port = (await process.stdout.readline()).split()[-1].decode()
    yield f"http://127.0.0.1:{port}"
    process.kill()
    await process.communicate()


class KnownModel(OllamaModel):
    """A model that need not be asked for: the hostile server is as broken on /api/show as on /api/chat."""

    async def describe(self) -> ModelInfo:
        return ModelInfo(self.name, "ollama", 8192, can_call_tools=True)


async def ending(url: str, mode: str) -> str:
    """A failure's kind, the names of the calls, or else the text."""
    model = KnownModel(f"f:{mode}", OllamaSettings(host=url), Generation(request_timeout=1.0))
    pieces: list[Piece] = []
    try:
        reply = model.reply([Message("user", "Hello?")], [SEARCH])
        async with aclosing(with_text_calls(reply, [SEARCH], lambda *_: True, "Hello?")) as sifted:
            pieces += [piece async for piece in sifted]
    except ModelError as error:
        assert error.problem
        assert error.remedy
        return type(error).__name__
    finally:
        await model.close()
    assert isinstance(pieces[-1], Done)
    called = [piece.call.name for piece in pieces if isinstance(piece, Call)]
    return " ".join(called) if called else "".join(piece.delta for piece in pieces if isinstance(piece, Text))


async def test_every_mode_ends_well(url: str) -> None:
    # That mode takes 30 s; it is a reply like any other, only slow.
    modes = [mode for mode in ENDS if mode != "slowtok"]
    assert {mode: await ending(url, mode) for mode in modes} == {mode: ENDS[mode] for mode in modes}


@pytest.mark.parametrize("mode", ["ok", "html503", "hang-before-first", "hang-mid", "rst-mid", "infinite", "nulls"])
async def test_a_description_that_is_none_is_one_sentence(url: str, mode: str) -> None:
    model = OllamaModel(f"f:{mode}", OllamaSettings(host=url), Generation(request_timeout=1.0))
    with pytest.raises(ModelError) as caught:
        await model.describe()
    await model.close()
    assert caught.value.remedy


async def test_a_line_of_fifty_megabytes_is_refused(url: str) -> None:
    # On a busy machine the server itself may be too late with it.
    assert await ending(url, "bigtok") in {"ReplyBroken", "ModelUnavailable"}
