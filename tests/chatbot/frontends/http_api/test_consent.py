"""Consent over HTTP: what waits is listed for its person, and decided by them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.api_server import LOOKING, RunningApi, configured, running_api, sent_events
from tests.fakes.model import ScriptedModel, calls, says

URL = "https://collect.example/4471"


def sending(_: str = "") -> ScriptedModel:
    """Looks something up, then would open an address that nobody named."""
    opening = calls(("fetch_url_content", {"url": URL}))
    return ScriptedModel([calls(LOOKING), opening, says("Done."), opening, says("Done again.")])


async def waiting(api: RunningApi, headers: dict[str, str]) -> dict[str, Any]:
    """The request that waits, once there is one."""
    async with asyncio.timeout(20):
        while True:
            requests: Sequence[dict[str, Any]] = (await api.client.get("/api/consent", headers=headers)).json()[
                "requests"
            ]
            if requests:
                return requests[0]
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("decision", "told"), [("allow", f"Opened {URL}."), ("deny", "Not done")], ids=["allowed", "denied"]
)
async def test_what_would_leave_waits_for_its_person(tmp_path: Path, decision: str, told: str) -> None:
    async with running_api(configured(tmp_path), sending) as api:
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        asking = asyncio.create_task(api.client.post("/api/chat", json={"message": "When?"}, headers=ann))
        request = await waiting(api, ann)
        assert request["sent"] == URL and request["question"].startswith(
            "Magpie would open this address, and neither you"
        )
        assert (await api.client.get("/api/consent")).json() == {"requests": []}
        decide = f"/api/consent/{request['id']}"
        assert (await api.client.post(decide, json={"decision": "allow"})).status_code == 404
        decided = {"decision": decision, "for_session": True}
        assert (await api.client.post(decide, json=decided, headers=ann)).status_code == 204
        assert (await api.client.post(decide, json=decided, headers=ann)).status_code == 404
        response = await asking
        events = [event for _, event in sent_events(response.text)]
        [asked] = [event for event in events if event["event"] == "consent_asked"]
        [answered] = [event for event in events if event["event"] == "consent_decided"]
        assert (asked["id"], answered["allowed"]) == (request["id"], decision == "allow")
        assert [event for event in events if event["event"] == "tool_finished"][-1]["text"].startswith(told)
        # What was decided for the conversation counts in it, also for its next question.
        more = {"message": "And again?", "session": response.headers["magpie-session"]}
        again = [event for _, event in sent_events((await api.client.post("/api/chat", json=more, headers=ann)).text)]
        assert "consent_asked" not in {event["event"] for event in again}
        assert again[-1]["text"] == "Done again."


async def test_without_an_answer_it_is_denied_after_a_while(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path, **{"serve.consent_seconds": 0.2}), sending) as api:
        events = await api.ask("When?")
        assert [event["allowed"] for event in events if event["event"] == "consent_decided"] == [False]
        assert len(events[-1]["denied"]) == 1
        assert (await api.client.get("/api/consent")).json() == {"requests": []}


async def test_an_answer_that_is_stopped_asks_for_nothing_any_more(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path), sending) as api:
        asking = asyncio.create_task(api.client.post("/api/chat", json={"message": "When?"}))
        request = await waiting(api, {})
        await api.client.delete(f"/api/chat/{request['chat']}")
        await asking
        assert (await api.client.get("/api/consent")).json() == {"requests": []}
