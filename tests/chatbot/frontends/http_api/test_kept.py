"""What is kept, over HTTP: conversations, facts, the library; and passages for programs."""

from pathlib import Path
from typing import Any

import pytest

from chatbot.engine.people import OWNER
from chatbot.frontends.http_api.uploads import UPLOADS_FOLDER
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.api_server import configured, running_api, sent_events
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, says
from tests.fakes.site import Site

HERONS = "# Herons\n\nHerons wait for fish in shallow water. They nest in tall trees.\n"


@pytest.fixture(autouse=True)
def quick_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())


async def test_conversations_are_listed_read_named_copied_and_deleted(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        asked = await api.client.post("/api/chat", json={"message": "When does the ferry leave?"})
        session = asked.headers["magpie-session"]
        path = f"/api/sessions/{session}"
        [listed] = (await api.client.get("/api/sessions", params={"search": "ferry"})).json()["sessions"]
        assert (listed["id"], listed["messages"]) == (session, 4)
        assert (await api.client.get("/api/sessions", params={"search": "whale"})).json() == {"sessions": []}
        events = (await api.client.get(path)).json()["events"]
        assert [event["event"] for event in events] == ["asked", "tool_finished", "answer_delta", "answered"]
        assert events[-1]["cited"] == sent_events(asked.text)[-1][1]["cited"]
        assert (await api.client.patch(path, json={"title": "Ferries"})).status_code == 204
        assert (await api.client.get(path)).json()["session"]["title"] == "Ferries"
        for mark in ({"verdict": "good"}, {"verdict": "bad", "why": "Too late.", "question": 1}):
            assert (await api.client.put(f"{path}/feedback", json=mark)).status_code == 204
        marked = [{"verdict": "bad", "why": "Too late.", "question": 1}]
        assert (await api.client.get(path)).json()["feedback"] == marked
        refused = await api.client.put(f"{path}/feedback", json={"verdict": "good", "question": 7})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_answered")
        assert (await api.client.put(f"{path}/feedback", json={"verdict": "fine"})).status_code in (400, 422)
        copy = (await api.client.post(f"{path}/branch")).json()["id"]
        for form, beginning in (("md", "# Ferries"), ("html", "<!"), ("json", "{")):
            exported = await api.client.get(f"{path}/export", params={"form": form})
            assert exported.text.startswith(beginning) and "attachment" in exported.headers["content-disposition"]
        assert (await api.client.post(f"{path}/undo")).status_code == 204
        assert (await api.client.post(f"{path}/undo")).status_code in (404, 409)
        # Nobody else has any of them.
        assert (await api.client.get("/api/sessions", headers=ann)).json() == {"sessions": []}
        assert (await api.client.put(f"{path}/feedback", json=mark, headers=ann)).status_code == 404
        for method, where in (("GET", ""), ("DELETE", ""), ("POST", "/undo"), ("POST", "/branch"), ("GET", "/export")):
            address = f"/api/sessions/{copy}{where}"
            assert (await api.client.request(method, address, headers=ann)).status_code == 404
        assert (await api.client.delete(f"/api/sessions/{copy}")).status_code == 204
        assert (await api.client.get(f"/api/sessions/{copy}")).status_code == 404


async def test_facts_are_a_persons_own(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        added = await api.client.post("/api/memory", json={"text": "I am vegetarian"}, headers=ann)
        assert (added.status_code, added.json()["text"]) == (201, "I am vegetarian")
        number = added.json()["number"]
        changed = await api.client.patch(f"/api/memory/{number}", json={"text": "I am vegan"}, headers=ann)
        assert changed.json() == {"number": number, "text": "I am vegan", "kept": True}
        assert (await api.client.get("/api/memory")).json() == {"facts": []}
        assert (await api.client.delete(f"/api/memory/{number}")).status_code == 404
        await api.ask("What do I eat?", headers=ann)
        model: Any = api.engine.opened[-1].agent.model
        assert "I am vegan" in model.sent[0][0][0].prompt_text
        assert (await api.client.delete(f"/api/memory/{number}", headers=ann)).status_code == 204
        assert (await api.client.get("/api/memory", headers=ann)).json() == {"facts": []}


async def test_reminders_are_listed_cancelled_and_given_once_when_they_are_due(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        reminders = (await api.service.chats.desk(OWNER)).reminders
        now = reminders.clock()
        await reminders.add_reminder("in 20 minutes tea")
        await reminders.add_reminder("in 3 hours ring Ann")
        listed = (await api.client.get("/api/reminders")).json()["reminders"]
        assert [one["text"] for one in listed] == ["tea", "ring Ann"]
        assert (await api.client.get("/api/reminders", headers=ann)).json() == {"reminders": []}
        assert (await api.client.delete(f"/api/reminders/{listed[1]['number']}", headers=ann)).status_code == 404
        assert (await api.client.delete(f"/api/reminders/{listed[1]['number']}")).status_code == 204
        assert (await api.client.post("/api/reminders/due")).json() == {"due": []}
        reminders.clock = lambda: now + 1201
        assert (await api.client.post("/api/reminders/due", headers=ann)).json() == {"due": []}
        assert (await api.client.post("/api/reminders/due")).json() == {"due": ["Reminder: tea"]}
        assert (await api.client.post("/api/reminders/due")).json() == {"due": []}


async def test_what_is_sent_is_read_found_shown_and_taken_out(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        sent = [("files", ("../../birds.md", HERONS.encode())), ("files", ("odd.bin", b"\0\1" * 50))]
        result = (await api.client.post("/api/library/files", files=sent, headers=ann)).json()
        assert (result["documents"], len(result["failures"])) == (1, 1)
        text = {"text": "Terns dive for fish.", "title": "<img onerror=x>", "collection": "birds"}
        assert (await api.client.post("/api/library/ingest", json=text)).json()["documents"] == 1
        again = await api.client.post("/api/library/ingest", json=text | {"stream": True})
        assert [event for _, event in sent_events(again.text)][-1]["unchanged"] == 1
        state = (await api.client.get("/api/library")).json()
        assert {one["name"]: one["documents"] for one in state["collections"]} == {state["collection"]: 1, "birds": 1}
        asked = {"query": "herons", "mode": "bm25"}
        [found] = (await api.client.get("/api/library/search", params=asked)).json()["passages"]
        assert "wait for fish" in found["text"] and found["similarity"] is None
        [listed] = (await api.client.get("/api/library/documents", params={"words": "birds.md"})).json()["documents"]
        source = listed["source"]
        assert source == found["source"] and Path(source).is_relative_to(tmp_path / UPLOADS_FOLDER)
        place = {"source": source, "start": found["start"], "end": found["end"], "around": 10}
        assert "Herons" in (await api.client.get("/api/library/document", params=place)).json()["text"]
        taking = {"source": source}
        assert (await api.client.delete("/api/library/document", params=taking, headers=ann)).status_code == 403
        assert (await api.client.delete("/api/library/document", params=taking)).status_code == 204
        assert not Path(source).exists()
        assert (await api.client.get("/api/library/document", params=taking)).status_code == 404
        assert (await api.client.delete("/api/library/collections/birds")).status_code == 204
        for wrong in (
            {"url": "/etc/passwd"},
            {"url": "file:///etc/passwd"},
            {},
            {"text": "a", "url": "https://a.b"},
            {"text": "a", "collection": "G"},
        ):
            assert (await api.client.post("/api/library/ingest", json=wrong)).status_code == 422
        private = (await api.client.post("/api/library/ingest", json={"url": "http://127.0.0.1:1/"})).json()
        assert private["documents"] == 0 and len(private["failures"]) == 1


async def test_programs_get_passages_times_and_what_failed(tmp_path: Path) -> None:
    async with Site() as site:
        web = {"search.searxng_url": site.searxng_url, "search.engines": [], "fetch.allow_hosts": [site.host]}
        async with running_api(configured(tmp_path, **web), lambda _: ScriptedModel([])) as api:
            await api.client.post("/api/library/ingest", json={"text": HERONS, "title": "birds"})
            asked: dict[str, Any] = {"query": "What do herons wait for?", "mode": "hybrid"}
            result = (await api.client.post("/api/retrieve", json=asked)).json()
            assert "wait for fish" in result["passages"][0]["text"] and result["passages"][0]["score"] > 0
            assert (result["rewritten"], result["failed"]) == (asked["query"], [])
            assert set(result["times"]) == {"library", "total"}
            both = asked | {"query": "Who designed the Ostermark Bridge?", "parts": ["web", "library"]}
            result = (await api.client.post("/api/retrieve", json=both)).json()
            assert any("Halvorsen" in passage["text"] for passage in result["passages"])
            numbers = [passage["number"] for passage in result["passages"]]
            assert numbers == list(range(1, len(numbers) + 1))
            await site.switch_off()
            result = (await api.client.post("/api/retrieve", json=both | {"query": "herons fish"})).json()
            assert [failed["part"] for failed in result["failed"]] == ["web"]
            assert "wait for fish" in result["passages"][0]["text"]
            unknown = await api.client.post("/api/retrieve", json=asked | {"collection": "whales"})
            assert unknown.status_code == 404


async def test_a_question_that_does_not_stand_alone_is_worded_anew_by_the_model(tmp_path: Path) -> None:
    worded = ScriptedModel([says("x")], filled=[{"query": "herons nest where"}])
    async with running_api(configured(tmp_path), lambda _: worded) as api:
        await api.client.post("/api/library/ingest", json={"text": HERONS, "title": "birds"})
        asked = {"query": "Where do they nest?", "earlier": "What are herons?", "mode": "bm25"}
        result = (await api.client.post("/api/retrieve", json=asked)).json()
        assert "herons" in result["rewritten"].lower() and "tall trees" in result["passages"][0]["text"]
