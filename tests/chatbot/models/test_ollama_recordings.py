"""Every exchange recorded from a live Ollama, replayed piece by piece through the real code."""

import json
import math
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, Piece, ReplyOptions, Text, Thinking
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.ollama.wire import Server
from chatbot.models.settings import Generation
from tests.fakes.ollama import RECORDINGS, FakeOllama, recording, replay, shown
from tools.base import ToolSchema
from utils.errors import MagpieError, ModelError, ModelNotFound, PromptTooLong, ReplyBroken, ToolsUnsupported
from utils.fence import fence_text

pytestmark = pytest.mark.skipif(
    not RECORDINGS.is_dir(), reason="the recordings of a live Ollama are not beside the project"
)

NAMES = sorted(path.stem for path in RECORDINGS.glob("*.json")) if RECORDINGS.is_dir() else []
CHATS = [name for name in NAMES if recording(name)["request"]["path"] == "/api/chat"]
REFUSED = [name for name in CHATS if recording(name)["response"]["status"] != 200]
STREAMED = [name for name in CHATS if name not in REFUSED and name != "cancelled"]
TOO_LONG = {
    "overlong-model-default": (9378, 1024),
    "overlong-model-history": (1024, 1024),
    "overlong-model-history-no-truncate": (2312, 1024),
    "overlong-model-no-shift": (9378, 1024),
    "overlong-model-no-truncate": (9378, 1024),
    "overlong-template-history-no-truncate": (2312, 1024),
    "overlong-template-no-truncate": (9378, 1024),
    "overlong-template-no-shift": (0, 0),
}
WORDS = {
    "chat-no-body": "missing request body",
    "chat-no-model": "model is required",
    "format-bad-schema": "JSON schema conversion failed",
    "keep-alive-bad": "missing unit in duration",
    "option-wrong-type": 'option "temperature" must be of type float32',
    "think-bare": "This model cannot think",
    "think-bogus": "invalid think value",
    "think-true": "This model cannot think",
}


@dataclass
class Expected:
    """What a recording's lines say, read without any code of Magpie's; neighbouring texts are joined."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    reason: str = ""


def lines_of(name: str) -> Iterator[dict[str, Any]]:
    body = "".join(text for _, text in recording(name)["response"]["pieces"])
    yield from (json.loads(line) for line in body.splitlines() if line)


def expected(name: str) -> Expected:
    result = Expected()
    for chunk in lines_of(name):
        message = chunk["message"]
        result.text += message["content"]
        result.thinking += message.get("thinking", "")
        for call in message.get("tool_calls", []):
            function = call["function"]
            result.calls.append((function["name"], function["arguments"], call["id"]))
        if chunk["done"]:
            nanoseconds = [chunk.get(key, 0) for key in ("prompt_eval_duration", "eval_duration")]
            counts = [chunk.get(key, 0) for key in ("prompt_eval_count", "eval_count")]
            result.usage = Usage(counts[0], 0, counts[1], nanoseconds[0] / 1e9, nanoseconds[1] / 1e9)
            result.reason = "length" if chunk["done_reason"] == "length" else "stop"
    return result


def joined(pieces: list[Piece]) -> Expected:
    result = Expected()
    for piece in pieces:
        match piece:
            case Text(delta):
                result.text += delta
            case Thinking(delta):
                result.thinking += delta
            case Call(call):
                result.calls.append((call.name, call.arguments, call.id))
            case Done(usage, reason):
                result.usage, result.reason = usage, reason
    return result


def messages_of(body: dict[str, Any]) -> list[Message]:
    messages = []
    # Long histories say in a string how many messages were left out.
    for sent in (sent for sent in body.get("messages", []) if isinstance(sent, dict)):
        asked = [call["function"] for call in sent.get("tool_calls", [])]
        calls = tuple(ToolCall(call["name"], call["arguments"]) for call in asked)
        messages.append(Message(sent["role"], sent["content"], tool_calls=calls, tool_name=sent.get("tool_name", "")))
    return messages


async def replayed(name: str) -> tuple[list[Piece], dict[str, Any], ModelError | None]:
    """The pieces that the real code makes of a recording, what it asked, and how it failed."""
    exchange = recording(name)
    body = exchange["request"]["body"] or {}
    functions = [tool["function"] for tool in body.get("tools", [])]
    tools = [ToolSchema(item["name"], item["description"], item["parameters"]) for item in functions]
    options = body.get("options", {})
    generation = Generation(
        temperature=0,
        seed=1,
        context_window=max(1024, options.get("num_ctx", 4096)),
        thinking_enabled=body.get("think", True) is not False,
    )
    model_name = body.get("model", "magpie-native-15")
    thinks = "thinking" in model_name
    show = shown(["completion", "tools", *(["thinking"] if thinks else [])], model_info={})
    pieces: list[Piece] = []
    async with FakeOllama([replay(exchange)], {model_name: show, "magpie-native-15": show}) as server:
        model = OllamaModel(model_name, OllamaSettings(host=server.url), generation)
        try:
            limit = max(0, options.get("num_predict", 0))
            async with aclosing(model.reply(messages_of(body), tools, options=ReplyOptions(limit))) as stream:
                async for piece in stream:
                    pieces.append(piece)
        except ModelError as error:
            return pieces, server.chats[0], error
        finally:
            await model.close()
        return pieces, server.chats[0], None


@pytest.mark.parametrize("name", STREAMED)
async def test_the_same_pieces_and_usage_come_out(name: str) -> None:
    pieces, _, error = await replayed(name)
    assert error is None
    assert isinstance(pieces[-1], Done)
    assert joined(pieces) == expected(name)


@pytest.mark.parametrize(
    "name", [name for name in STREAMED if name.startswith(("calls-", "tool-result-", "thinking-o"))]
)
async def test_what_was_asked_of_the_live_server_is_what_magpie_asks(name: str) -> None:
    _, asked, _ = await replayed(name)
    body = recording(name)["request"]["body"]
    assert asked["messages"] == [
        message | {"content": fence_text(message["content"], message["tool_name"])}
        if message["role"] == "tool"
        else message
        for message in body["messages"]
    ]
    assert asked.get("tools") == body.get("tools")
    assert asked["options"].items() >= {"num_ctx": body["options"]["num_ctx"], "seed": 1, "temperature": 0.0}.items()


async def test_a_cancelled_recording_is_an_incomplete_reply() -> None:
    pieces, _, error = await replayed("cancelled")
    assert "".join(piece.delta for piece in pieces if isinstance(piece, Text)).startswith("Sure")
    assert type(error) is ReplyBroken


@pytest.mark.parametrize("name", REFUSED)
async def test_the_same_errors_come_out(name: str) -> None:
    pieces, _, error = await replayed(name)
    assert pieces == []
    match name, error:
        case _, PromptTooLong():
            assert (error.prompt_tokens, error.window) == TOO_LONG[name]
        case "chat-unknown", ModelNotFound():
            assert "no-such-model" in error.problem
        case "tools-bare", ToolsUnsupported():
            pass
        case _, ModelError():
            assert WORDS[name] in str(error)
        case _:
            pytest.fail(f"{name}: {error!r}")


@pytest.mark.parametrize("name", [name for name in NAMES if recording(name)["request"]["path"] != "/api/chat"])
async def test_the_other_exchanges_are_understood(name: str) -> None:
    exchange = recording(name)
    path, body = exchange["request"]["path"], exchange["request"]["body"] or {}
    answers = {path: replay(exchange)}
    async with FakeOllama(paths=answers) as fake:
        server = Server(fake.url, 5)
        try:
            got = await understood(server, path, body.get("model", ""))
        except MagpieError as error:
            got = str(error)
        finally:
            await server.close()
    assert got == outcome(name, exchange)


async def understood(server: Server, path: str, model: str) -> Any:
    """What Magpie's code for that path makes of the answer; None where it never asks."""
    match path:
        case "/api/version":
            return await server.read_version()
        case "/api/show":
            return await server.show_model(model)
        case "/api/tags":
            return await server.installed_models()
        case "/api/ps":
            return await server.running_models()
        case "/api/pull":
            return [step async for step in server.pull_model(model)]
    return None


def outcome(name: str, exchange: dict[str, Any]) -> Any:
    """What must come out: the answer as it was recorded, or the failure's words."""
    path, answer = exchange["request"]["path"], exchange["response"]["pieces"][-1][1]
    if path not in ("/api/version", "/api/show", "/api/tags", "/api/ps", "/api/pull"):
        return None
    match name:
        case "pull-unknown":
            said = json.loads(answer)["error"]
            return f"Ollama says: {said}. Ask again, or see the server's log."
        case "show-unknown":
            said = json.loads(answer)["error"]
            return f"Ollama says: {said}. See `ollama list`, or fetch it with `ollama pull`."
    value = json.loads(answer)
    return value["version"] if path == "/api/version" else value.get("models", value)


async def test_the_recorded_distribution_of_a_first_token_is_shared_out_among_the_words() -> None:
    async with FakeOllama([replay(recording("route-logprobs"))]) as server:
        model = OllamaModel("qwen3:8b", OllamaSettings(host=server.url), Generation())
        shares = (await model.weigh_words([Message("user", "x")], ["search", "fetch", "answer"])).shares
        await model.close()
    top = next(lines_of("route-logprobs"))["logprobs"][0]["top_logprobs"]
    told = {entry["token"]: math.exp(entry["logprob"]) for entry in top}
    wanted = {
        "search": told["search"] + told["Search"],
        "fetch": told["fetch"] + told["Fetch"],
        "answer": told["answer"],
    }
    total = sum(wanted.values())
    assert shares == pytest.approx({word: share / total for word, share in wanted.items()})
