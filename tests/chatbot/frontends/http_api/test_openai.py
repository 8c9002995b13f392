"""The stock client of OpenAI's API talks to Magpie: streaming and not, with sources, tools, embeddings."""

import asyncio
import base64
import gc
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest

from chatbot.conversation.messages import ToolCall
from chatbot.frontends.http_api.openai_form.answers import listed_sources
from chatbot.models.base import Call, Done, ModelInfo, Text
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.api_server import LOOKING, RunningApi, configured, ferry_model, running_api
from tests.fakes.app import NOTES, PAGE
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import USAGE, ScriptedModel, calls, says
from utils.errors import ModelUnavailable

QUESTION: Any = [{"role": "user", "content": "When does the ferry leave?"}]
WEATHER: Any = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather.",
            "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
        },
    }
]


def client_of(api: RunningApi, token: str = "none") -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    return openai.AsyncOpenAI(base_url=f"{api.url}/v1", api_key=token, max_retries=0, http_client=http)


@asynccontextmanager
async def connected(api: RunningApi) -> AsyncIterator[openai.AsyncOpenAI]:
    async with client_of(api, api.service.tokens.add("ann")) as client:
        yield client


async def test_an_answer_comes_with_its_sources(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api, connected(api) as client:
        done = await client.chat.completions.create(model="magpie", messages=QUESTION)
        [choice] = done.choices
        assert (choice.message.content, choice.finish_reason) == ("It leaves at nine [1].", "stop")
        [annotation] = choice.message.annotations or []
        cited = annotation.url_citation
        assert (annotation.type, cited.url, cited.title) == ("url_citation", PAGE.source, PAGE.title)
        assert (choice.message.content or "")[cited.start_index : cited.end_index] == "[1]"
        own: Any = done.model_extra
        assert [source["text"] for source in own["magpie"]["sources"]] == [PAGE.text]
        assert done.usage and done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens == 24
    # Nothing of it is kept.
    assert not list((tmp_path / "people" / "ann").glob("sessions.db")) or not await sessions_of(tmp_path)


async def sessions_of(data: Path) -> list[Any]:
    async with running_api(configured(data)) as api:
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        listed: list[Any] = (await api.client.get("/api/sessions", headers=ann)).json()["sessions"]
        return listed


async def test_an_answer_streams_to_the_same_text_and_sources(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api, connected(api) as client:
        options: Any = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = [
            one async for one in await client.chat.completions.create(model="magpie", messages=QUESTION, **options)
        ]
        deltas = [one.choices[0].delta for one in chunks if one.choices]
        assert "".join(delta.content or "" for delta in deltas) == "It leaves at nine [1]."
        last: Any = [one for one in chunks if one.choices][-1]
        assert last.choices[0].finish_reason == "stop"
        assert last.choices[0].delta.annotations[0]["url_citation"]["url"] == PAGE.source
        assert last.magpie["sources"][0]["source"] == PAGE.source
        assert chunks[-1].usage and chunks[-1].usage.completion_tokens == 4


async def test_what_was_said_before_and_instructions_reach_the_model(tmp_path: Path) -> None:
    models: list[ScriptedModel] = []

    def make(_: str) -> ScriptedModel:
        models.append(ScriptedModel([says("Four crowns.")]))
        return models[-1]

    sent: Any = [
        {"role": "system", "content": "Answer like a pirate."},
        {"role": "user", "content": [{"type": "text", "text": "When does it leave?"}]},
        {"role": "assistant", "content": "At nine."},
        {"role": "user", "content": "And the price?"},
    ]
    async with running_api(configured(tmp_path), make) as api, connected(api) as client:
        done = await client.chat.completions.create(model="magpie", messages=sent, temperature=0, max_tokens=50)
        assert done.choices[0].message.content == "Four crowns."
    [messages] = [one.sent[0][0] for one in models if one.sent]
    assert "Answer like a pirate." in messages[0].prompt_text
    assert [(one.role, one.content) for one in messages[1:]] == [
        ("user", "When does it leave?"),
        ("assistant", "At nine."),
        ("user", "And the price?"),
    ]


async def test_a_file_that_is_cited_stands_in_magpies_own_field_alone(tmp_path: Path) -> None:
    def make(_: str) -> ScriptedModel:
        return ScriptedModel([calls(LOOKING), says("Four crowns [2].")])

    async with running_api(configured(tmp_path), make) as api, connected(api) as client:
        done: Any = await client.chat.completions.create(model="magpie", messages=QUESTION)
        assert done.choices[0].message.annotations == []
        assert done.magpie["sources"][0]["source"] == NOTES.source


def test_a_title_that_is_listed_below_the_text_shows_no_picture() -> None:
    page = {"source": "https://ferries.example/a b", "title": "Times ![x](https://evil.example/a.png)\n# <b>"}
    cited = [{"number": number, "passage": page} for number in (1, 3)]
    listed = listed_sources({"cited": cited})
    assert listed == (
        "\n\nSources:\n\n- [1][3] Times &#33;[x](https://evil.example/a.png) # &#60;b>: https://ferries.example/a%20b"
    )
    assert listed_sources({"cited": []}) == ""


async def test_tools_of_the_caller_are_called_by_the_caller(tmp_path: Path) -> None:
    info = ModelInfo("scripted", "embedded", 4096, can_call_tools=True, cites=True)
    asked = [Text("Let me see."), Call(ToolCall("weather", {"place": "Skerry"}, "c1")), Done(USAGE)]
    models: list[ScriptedModel] = []

    def make(_: str) -> ScriptedModel:
        models.append(ScriptedModel([asked if len(models) < 3 else says("Sunny.")], info=info))
        return models[-1]

    async with running_api(configured(tmp_path), make) as api, connected(api) as client:
        done = await client.chat.completions.create(model="magpie", messages=QUESTION, tools=WEATHER)
        [call] = done.choices[0].message.tool_calls or []
        assert done.choices[0].finish_reason == "tool_calls" and call.type == "function"
        assert (call.id, call.function.name, call.function.arguments) == ("c1", "weather", '{"place": "Skerry"}')
        assert models[-1].sent[0][1] == ("weather",)
        streamed = await client.chat.completions.create(model="magpie", messages=QUESTION, tools=WEATHER, stream=True)
        pieces = [one.choices[0] async for one in streamed]
        told = [piece.delta.tool_calls[0] for piece in pieces if piece.delta.tool_calls]
        assert [(one.index, one.id) for one in told] == [(0, "c1")] and pieces[-1].finish_reason == "tool_calls"
        while len(models) < 3:
            make("")
        went_on: Any = [
            *QUESTION,
            done.choices[0].message.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        ]
        last = await client.chat.completions.create(model="magpie", messages=went_on, tools=WEATHER)
        assert last.choices[0].message.content == "Sunny."
        result = models[-1].sent[0][0][-1]
        assert (result.role, result.tool_name, result.call_id) == ("tool", "weather", "c1")


async def test_a_model_that_calls_no_tools_says_so(tmp_path: Path) -> None:
    info = ModelInfo("small", "embedded", 4096)
    small = ScriptedModel([], info=info)
    async with running_api(configured(tmp_path), lambda _: small) as api, connected(api) as client:
        with pytest.raises(openai.BadRequestError, match="small calls no tools of a program that asks it"):
            await client.chat.completions.create(model="magpie", messages=QUESTION, tools=WEATHER)


async def test_what_cannot_be_heeded_is_refused_in_the_clients_own_words(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api, connected(api) as client:
        create: Any = client.chat.completions.create
        for wrong in ({"n": 2}, {"stop": "x"}, {"response_format": {"type": "json_object"}}):
            with pytest.raises(openai.BadRequestError, match="Magpie cannot heed this value"):
                await create(model="magpie", messages=QUESTION, **wrong)
        picture = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}]
        with pytest.raises(openai.BadRequestError, match="no content of the type image_url"):
            await create(model="magpie", messages=picture)
        with pytest.raises(openai.BadRequestError, match="The last message must be the user's"):
            await create(model="magpie", messages=[*QUESTION, {"role": "assistant", "content": "At nine."}])
        with pytest.raises(openai.NotFoundError, match="There is no model gpt-9"):
            await create(model="gpt-9", messages=QUESTION)
        with pytest.raises(openai.AuthenticationError):
            async with client_of(api, "wrong") as stranger:
                await stranger.models.list()


async def test_a_failure_reaches_the_client_whole_and_in_a_stream(tmp_path: Path) -> None:
    def make(_: str) -> ScriptedModel:
        return ScriptedModel([[Text("It "), ModelUnavailable("The model has gone.", "Start it.")]])

    async with running_api(configured(tmp_path), make) as api, connected(api) as client:
        with pytest.raises(openai.InternalServerError, match=r"The model has gone\. Start it\.") as failed:
            await client.chat.completions.create(model="magpie", messages=QUESTION)
        assert failed.value.status_code == 503
        with pytest.raises(openai.APIError, match="The model has gone"):
            async for _ in await client.chat.completions.create(model="magpie", messages=QUESTION, stream=True):
                pass


async def test_a_client_that_leaves_a_stream_has_its_answer_stopped(tmp_path: Path) -> None:
    held = ScriptedModel([[Text("It leaves "), None]])
    configuration = configured(tmp_path, **{"serve.grace_seconds": 0.05})
    async with running_api(configuration, lambda _: held) as api, connected(api) as client:
        stream = await client.chat.completions.create(model="magpie", messages=QUESTION, stream=True)
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        assert api.service.answering.running == 1
        await stream.close()
        async with asyncio.timeout(20):
            while api.service.answering.running:
                await asyncio.sleep(0.02)


async def test_what_is_kept_of_no_one_takes_no_memory(tmp_path: Path) -> None:
    configuration = configured(tmp_path, **{"serve.keep_seconds": 0.05})
    async with running_api(configuration) as api, connected(api) as client:
        for _ in range(5):
            await client.chat.completions.create(model="magpie", messages=QUESTION)
        chats = [weakref.ref(chat) for chat in api.engine.opened]
        api.engine.opened.clear()
        async with asyncio.timeout(20):
            while any(chat() for chat in chats):
                await asyncio.sleep(0.1)
                gc.collect()


async def test_responses_come_in_their_simple_form(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api, connected(api) as client:
        done = await client.responses.create(model="magpie", input="When?", tools=[{"type": "web_search"}])
        assert (done.status, done.output_text) == ("completed", "It leaves at nine [1].")
        message: Any = done.output[0]
        assert message.content[0].annotations[0].url == PAGE.source
        events = [one async for one in await client.responses.create(model="magpie", input=QUESTION, stream=True)]
        kinds = [event.type for event in events]
        assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        last: Any = events[-1]
        assert text == last.response.output_text == "It leaves at nine [1]."
        with pytest.raises(openai.BadRequestError, match="Magpie keeps no responses"):
            await client.responses.create(model="magpie", input="And?", previous_response_id=done.id)


async def test_models_are_listed_and_texts_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
    async with running_api(configured(tmp_path), ferry_model) as api, connected(api) as client:
        names = [one.id async for one in client.models.list()]
        assert names[:2] == ["magpie", "magpie-embedding"]
        assert (await client.models.retrieve("magpie")).id == "magpie"
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("a/b")
        made = await client.embeddings.create(model="magpie-embedding", input=["heron", "tern"])
        plain = await client.embeddings.create(model="magpie-embedding", input="heron", encoding_format="float")
        first, second = (np.array(one.embedding) for one in made.data)
        assert np.allclose(first, plain.data[0].embedding) and not np.allclose(first, second)
        assert np.isclose(np.linalg.norm(first), 1, atol=1e-5) and made.usage.prompt_tokens > 0
        raw = await api.client.post("/v1/embeddings", json={"input": "heron", "encoding_format": "base64"})
        vector = np.frombuffer(base64.b64decode(raw.json()["data"][0]["embedding"]), "<f4")
        assert np.allclose(vector, first, atol=1e-6)
