"""Questions over HTTP: their events, going on after a cut, stopping, and many at once."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatbot.frontends.http_api.chats import held_chats
from chatbot.models.base import Done, Text
from tests.fakes.api_server import configured, running_api, sent_events
from tests.fakes.model import USAGE, ScriptedModel, says
from utils.errors import ModelUnavailable

PATIENCE = 60.0
HELD = [Text("It leaves "), None]
"""A reply that begins and never ends."""


async def test_an_answer_comes_at_once_with_the_events_that_are_streamed(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        whole = (await api.client.post("/api/chat", json={"message": "When?", "stream": False})).json()
        streamed = await api.client.get(f"/api/chat/{whole['id']}/events")
        names = [event["event"] for event in whole["events"]]
    assert whole["events"] == [event for _, event in sent_events(streamed.text)]
    assert names[-1] == "answered" and {"tool_started", "tool_finished", "answer_delta"} <= set(names)


async def test_a_conversation_goes_on_and_another_one_knows_nothing_of_it(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        first = await api.client.post("/api/chat", json={"message": "When does the ferry leave?"})
        session = first.headers["magpie-session"]
        second = await api.client.post("/api/chat", json={"message": "And the price?", "session": session})
        assert second.headers["magpie-session"] == session
        assert sent_events(second.text)[-1][1]["text"] == "Four crowns [2]."
        other = await api.client.post("/api/chat", json={"message": "Hello?"})
        assert other.headers["magpie-session"] != session
        unknown = await api.client.post("/api/chat", json={"message": "Hello?", "session": "nothing"})
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "no_session")


async def test_a_cut_client_goes_on_after_the_last_event_that_it_has(tmp_path: Path) -> None:
    going = asyncio.Event()

    class Waiting(ScriptedModel):
        async def reply(self, *args: Any, **options: Any) -> Any:
            yield Text("It leaves ")
            await going.wait()
            yield Text("at nine.")
            yield Done(USAGE)

    async with running_api(configured(tmp_path), lambda _: Waiting([])) as api:
        heard = ""
        async with api.client.stream("POST", "/api/chat", json={"message": "When?", "resumable": True}) as response:
            chat = response.headers["magpie-chat"]
            async for piece in response.aiter_text():
                heard += piece
                if "It leaves" in heard:
                    break
        going.set()
        seen = sent_events(heard)
        last = seen[-1][0]
        rest = await api.client.get(f"/api/chat/{chat}/events", headers={"Last-Event-ID": str(last)})
        events = seen + sent_events(rest.text)
        assert [number for number, _ in events] == list(range(1, len(events) + 1))
        assert events[-1][1]["event"] == "answered" and events[-1][1]["text"] == "It leaves at nine."
        again = await api.client.get(f"/api/chat/{chat}/events")
        assert sent_events(again.text) == events
        assert (await api.client.get(f"/api/chat/{chat}")).json()["done"]
        for wrong in ("-1", "99999", "x", "١"):
            headers = {"Last-Event-ID": wrong.encode()}
            assert (await api.client.get(f"/api/chat/{chat}/events", headers=headers)).status_code == 400


async def begin_and_leave(api: Any, **fields: Any) -> str:
    """Ask, hear the beginning, and close the connection."""
    async with httpx.AsyncClient(base_url=api.url, trust_env=False, timeout=PATIENCE) as client:
        async with client.stream("POST", "/api/chat", json={"message": "When?", **fields}) as response:
            async for piece in response.aiter_text():
                if "It leaves" in piece:
                    break
        return str(response.headers["magpie-chat"])


async def until(condition: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.02)


async def test_who_leaves_has_the_answer_stopped_and_what_had_arrived_kept(tmp_path: Path) -> None:
    settings = {"serve.grace_seconds": 0.1}
    async with running_api(configured(tmp_path, **settings), lambda _: ScriptedModel([HELD])) as api:
        chat = await begin_and_leave(api)
        await until(lambda: api.service.answering.running == 0)
        events = sent_events((await api.client.get(f"/api/chat/{chat}/events")).text)
        assert events[-1][1] == {
            "v": 1,
            "event": "error",
            "problem": "The answer was stopped.",
            "remedy": "Ask again to go on.",
        }
        session = (await api.client.get(f"/api/chat/{chat}")).json()["session"]
        desk = await api.service.chats.desk("")
        said = [message.content for message in (await desk.sessions.load(session)).messages]
        assert said[0] == "When?" and said[1].startswith("It leaves")


async def test_two_hundred_cut_connections_leave_no_generation_running(tmp_path: Path) -> None:
    settings = {"serve.grace_seconds": 0.05, "serve.max_chats": 200, "serve.requests_per_minute": 10_000}
    async with running_api(configured(tmp_path, **settings), lambda _: ScriptedModel([HELD])) as api:
        for _ in range(10):
            await asyncio.gather(*(begin_and_leave(api) for _ in range(20)))
        await until(lambda: api.service.answering.running == 0)


async def test_an_answer_is_stopped_by_its_own_person_alone(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path), lambda _: ScriptedModel([HELD])) as api:
        token = api.service.tokens.add("ann")
        chat = await begin_and_leave(api, resumable=True)
        ann = {"Authorization": f"Bearer {token}"}
        assert (await api.client.delete(f"/api/chat/{chat}", headers=ann)).status_code == 404
        assert (await api.client.get(f"/api/chat/{chat}/events", headers=ann)).status_code == 404
        assert api.service.answering.running == 1
        assert (await api.client.delete(f"/api/chat/{chat}")).status_code == 204
        await until(lambda: api.service.answering.running == 0)
        assert (await api.client.delete(f"/api/chat/{chat}")).status_code == 204


async def test_a_conversation_of_an_earlier_run_goes_on_once_at_a_time(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        begun = await api.client.post("/api/chat", json={"message": "When does the ferry leave?"})
    async with running_api(configured(tmp_path), lambda _: ScriptedModel([HELD])) as api:
        session = begun.headers["magpie-session"]
        asked = {"session": session, "resumable": True}
        chat = await begin_and_leave(api, **asked)
        assert (await api.client.get(f"/api/chat/{chat}")).json()["session"] == session
        assert (await api.client.post("/api/chat", json={"message": "And?", "session": session})).status_code == 409
        await api.client.delete(f"/api/chat/{chat}")


async def test_a_conversation_is_answered_once_at_a_time(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path), lambda _: ScriptedModel([says("Yes."), HELD])) as api:
        begun = await api.client.post("/api/chat", json={"message": "Are you there?"})
        session = begun.headers["magpie-session"]
        chat = await begin_and_leave(api, session=session, resumable=True)
        refused = await api.client.post("/api/chat", json={"message": "And now?", "session": session})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "busy")
        await api.client.delete(f"/api/chat/{chat}")


async def test_too_many_chats_at_once_are_told_to_come_again(tmp_path: Path) -> None:
    settings = {"serve.max_chats": 2}
    async with running_api(configured(tmp_path, **settings), lambda _: ScriptedModel([HELD])) as api:
        chats = [await begin_and_leave(api, resumable=True) for _ in range(2)]
        refused = await api.client.post("/api/chat", json={"message": "And me?"})
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        for chat in chats:
            await api.client.delete(f"/api/chat/{chat}")
        await until(lambda: api.service.answering.running == 0)


async def test_the_failure_of_one_answer_touches_no_other(tmp_path: Path) -> None:
    replies: Any = iter([[[ModelUnavailable("No model.", "Start one.")]], [[RuntimeError("a bug")]], [says("Well.")]])
    async with running_api(configured(tmp_path)) as api:
        await api.service.chats.desk("")
        api.engine.make_model = lambda _: ScriptedModel(list(next(replies)))
        failed, broken, well = [(await api.ask("Are you well?"))[-1] for _ in range(3)]
        assert failed == {"v": 1, "event": "error", "problem": "No model.", "remedy": "Start one."}
        assert broken["event"] == "error" and "a bug of Magpie's own (RuntimeError)" in broken["problem"]
        assert "Traceback" not in json.dumps(broken)
        assert (well["event"], well["text"]) == ("answered", "Well.")


async def test_fifty_chats_at_once_are_neither_lost_nor_mixed_up(tmp_path: Path) -> None:
    class Echo(ScriptedModel):
        async def reply(self, messages: Any, *args: Any, **options: Any) -> Any:
            for word in next(one.content for one in reversed(messages) if one.role == "user").split():
                await asyncio.sleep(0)
                yield Text(word + " ")
            yield Done(USAGE)

    settings = {"serve.max_chats": 50, "serve.requests_per_minute": 1000}
    async with running_api(configured(tmp_path, **settings), lambda _: Echo([])) as api:
        limits = httpx.Limits(max_connections=60)
        async with httpx.AsyncClient(base_url=api.url, trust_env=False, limits=limits, timeout=120) as client:
            asked = [f"number {number} asks" for number in range(50)]
            answers = await asyncio.gather(*(client.post("/api/chat", json={"message": one}) for one in asked))
        told = [sent_events(one.text)[-1][1] for one in answers]
        assert [event["text"].strip() for event in told] == asked
        assert len({one.headers["magpie-session"] for one in answers}) == 50


async def test_who_leaves_before_the_whole_answer_is_there_has_it_stopped_as_well(tmp_path: Path) -> None:
    settings = {"serve.grace_seconds": 0.05}
    async with running_api(configured(tmp_path, **settings), lambda _: ScriptedModel([HELD])) as api:
        for path, asked in (
            ("/api/chat", {"message": "When?", "stream": False}),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": "When?"}]}),
            ("/v1/responses", {"input": "When?"}),
        ):
            with pytest.raises(httpx.ReadTimeout):
                await api.client.post(path, json=asked, timeout=httpx.Timeout(20, read=0.5))
            await until(lambda: api.service.answering.running == 0)
        metrics = (await api.client.get("/api/metrics")).text
        assert 'magpie_answers_total{outcome="left"} 3.0' in metrics and "magpie_answers_running 0.0" in metrics


async def test_a_conversation_whose_chat_was_closed_for_others_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_chats, "MAX_IDLE_CHATS", 1)
    async with running_api(configured(tmp_path)) as api:
        sessions = [
            (await api.client.post("/api/chat", json={"message": f"Question {number}?"})).headers["magpie-session"]
            for number in range(3)
        ]
        for session in sessions:
            asked = {"message": "And the price?", "session": session}
            went_on = await api.client.post("/api/chat", json=asked)
            assert went_on.headers["magpie-session"] == session
            assert sent_events(went_on.text)[-1][1]["event"] == "answered"
