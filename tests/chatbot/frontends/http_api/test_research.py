"""Research over HTTP: planned, changed, carried out in the background, stopped, and kept as a conversation."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatbot.engine.people import OWNER
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.api_server import RunningApi, configured, running_api
from tests.fakes.embedder import WordEmbedder
from tests.fakes.researching import PLAN, QUESTION, ResearchModel
from tests.fakes.site import Site


@pytest.fixture(autouse=True)
def quick_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())


@asynccontextmanager
async def researching_api(data: Path, **model: Any) -> AsyncIterator[RunningApi]:
    """A server whose web is the loopback site."""
    async with Site() as site:
        web = {"search.searxng_url": site.searxng_url, "search.engines": [], "fetch.allow_hosts": [site.host]}
        options = {"rag.enabled": False, "research.rounds": 0} | web
        async with running_api(configured(data, **options), lambda _: ResearchModel([], **model)) as api:
            yield api


async def standing_of(api: RunningApi) -> dict[str, Any]:
    """How far it is."""
    told: dict[str, Any] = (await api.client.get("/api/research")).json()
    return told


async def until_ended(api: RunningApi) -> dict[str, Any]:
    """How it stands once nothing is under way."""
    async with asyncio.timeout(120):
        while (standing := await standing_of(api))["under_way"]:
            await asyncio.sleep(0.05)
    return standing


async def begin_held(api: RunningApi, question: str) -> asyncio.Event:
    """A run that is under way, and reads nothing until the event is set."""
    reading, going = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        reading.set()
        await going.wait()

    await api.client.post("/api/research", json={"question": question})
    desk = await api.service.chats.desk(OWNER)
    desk.agent.use_model(ResearchModel([], before=lambda _: hold()))
    await api.client.post("/api/research/begin")
    await asyncio.wait_for(reading.wait(), 60)
    return going


async def cut_off(data: Path, question: str) -> None:
    """A run that is under way when the server ends."""
    async with researching_api(data) as api:
        await begin_held(api, question)


async def test_a_plan_is_changed_carried_out_and_its_report_kept_as_a_conversation(tmp_path: Path) -> None:
    async with researching_api(tmp_path) as api:
        nothing: dict[str, Any] = {"draft": None, "under_way": None, "finished": None, "failure": "", "unfinished": []}
        assert await standing_of(api) == nothing
        assert (await api.client.post("/api/research/begin")).status_code == 400
        assert (await api.client.delete("/api/research")).status_code == 409
        planned = await api.client.post("/api/research", json={"question": QUESTION})
        assert planned.status_code == 201 and [one["text"] for one in planned.json()["plan"]] == list(PLAN)
        changed = await api.client.patch("/api/research", json={"change": "drop 2"})
        assert [one["text"] for one in changed.json()["plan"]] == [PLAN[0], PLAN[2]]
        assert (await api.client.patch("/api/research", json={"change": "drop 9"})).status_code == 400
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        assert (await api.client.get("/api/research", headers=ann)).json()["draft"] is None
        assert (await api.client.post("/api/research/begin")).json()["question"] == QUESTION
        standing = await until_ended(api)
        assert "Halvorsen" in standing["finished"]["report"] and standing["failure"] == ""
        [kept] = (await api.client.get("/api/sessions")).json()["sessions"]
        assert kept["id"] == standing["finished"]["id"] and kept["title"].startswith("Research: ")


async def test_a_run_is_stopped_and_reports_what_it_has(tmp_path: Path) -> None:
    async with researching_api(tmp_path) as api:
        going = await begin_held(api, QUESTION)
        assert (await api.client.post("/api/research", json={"question": QUESTION})).status_code == 400
        assert (await api.client.delete("/api/research")).status_code == 204
        going.set()
        standing = await until_ended(api)
        assert standing["finished"], standing
        assert standing["finished"]["question"] == QUESTION


async def test_a_run_that_the_end_of_the_server_cut_off_is_told_gone_on_with_or_deleted(tmp_path: Path) -> None:
    for question in (QUESTION, "Who designed the Ostermark Bridge?"):
        await cut_off(tmp_path, question)
    async with researching_api(tmp_path) as api:
        told = [one["question"] for one in (await standing_of(api))["unfinished"]]
        assert sorted(told) == sorted([QUESTION, "Who designed the Ostermark Bridge?"])
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        assert (await api.client.get("/api/research", headers=ann)).json()["unfinished"] == []
        [id] = [one["id"] for one in (await standing_of(api))["unfinished"] if one["question"] == QUESTION]
        assert (await api.client.post("/api/research/resume", json={"id": id}, headers=ann)).status_code == 404
        assert (await api.client.post("/api/research/resume", json={"id": id})).json()["question"] == QUESTION
        standing = await until_ended(api)
        assert standing["finished"]["id"] == id and "Halvorsen" in standing["finished"]["report"]
        assert len(standing["unfinished"]) == 1
        assert (await api.client.delete("/api/research/unfinished")).status_code == 204
        assert (await standing_of(api))["unfinished"] == []
