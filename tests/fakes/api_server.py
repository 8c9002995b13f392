"""The real HTTP API on loopback, in this process, over a real engine whose models say what a test tells them to."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from chatbot.config import Configuration, load_configuration
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends.http_api.application import guard_api, make_api
from chatbot.frontends.http_api.service import ApiService
from chatbot.frontends.serving.address import ListenAddress
from chatbot.frontends.serving.listening import serve_application
from chatbot.models.base import LanguageModel
from tests.fakes.app import NOTES, PAGE
from tests.fakes.model import ScriptedModel, calls, says
from tools.base import ToolContext, ToolResult, tool

LOOKING = ("look_up", {"query": "ferry"})
MakeModel = Callable[[str], LanguageModel]


async def fetch_url_content(url: str) -> str:
    """Open a page.

    Args:
        url: Its address.
    """
    return f"Opened {url}."


async def look_up(context: ToolContext, query: str) -> ToolResult:
    """Look something up.

    Args:
        query: What to look for.
    """
    context.report("iteration 1 of 1")
    return ToolResult("Found:", (PAGE, NOTES))


def ferry_model(_: str = "") -> ScriptedModel:
    """Looks the ferry up and answers, twice."""
    answers = [calls(LOOKING), says("It leaves ", "at nine [1]."), calls(LOOKING), says("Four crowns [2].")]
    return ScriptedModel(answers)


class ScriptedEngine(Engine):
    """A real engine; each chat has a model of the test's and a tool that needs no network."""

    def __init__(self, configuration: Configuration, make_model: MakeModel = ferry_model) -> None:
        super().__init__(configuration)
        self.make_model = make_model
        self.opened: list[Chat] = []

    async def chat(self, face: Face, person: str = "", **options: Any) -> Chat:
        chat = await super().chat(face, person, **options)
        chat.agent.use_model(self.make_model(person))
        chat.agent.toolbox.drop_tools(["fetch_url_content"])
        chat.agent.toolbox.add_tools([tool(look_up), tool(fetch_url_content)])
        self.opened.append(chat)
        return chat


def configured(data: Path, **settings: Any) -> Configuration:
    """Settings of a run on a data folder."""
    (data / "config.json").write_text("{}")
    chosen = {"data_dir": str(data), "backend": "embedded", "citations.check": False}
    return load_configuration(data / "config.json", chosen | settings, {})


@dataclass
class ServedApi:
    """A server, and a client of it."""

    service: ApiService
    url: str
    client: httpx.AsyncClient

    async def ask(self, message: str, **fields: Any) -> list[dict[str, Any]]:
        """The events of an answer."""
        headers = fields.pop("headers", {})
        response = await self.client.post("/api/chat", json={"message": message, **fields}, headers=headers)
        assert response.status_code == 200, response.text
        return [event for _, event in sent_events(response.text)]


@dataclass
class RunningApi(ServedApi):
    """The same over the scripted engine."""

    engine: ScriptedEngine


def sent_events(text: str) -> list[tuple[int, dict[str, Any]]]:
    """Server-sent events with their ids."""
    found: list[tuple[int, dict[str, Any]]] = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            fields = json.loads(lines["data"])
            assert fields["event"] == lines["event"]
            found.append((int(lines["id"]), fields))
    return found


@asynccontextmanager
async def serving_api(engine: Engine, host: str = "127.0.0.1") -> AsyncIterator[ServedApi]:
    """A server of an engine that is open, on a free port, which ends with the context."""
    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    service = ApiService(engine)
    address = ListenAddress(host, 0)

    def told(number: int) -> None:
        service.close_port(number)
        port.set_result(number)

    serving = asyncio.create_task(serve_application(guard_api(make_api(service), service, address), address, told))
    url = f"http://127.0.0.1:{await asyncio.wait_for(port, 60)}"
    try:
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as client:
            yield ServedApi(service, url, client)
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving


@asynccontextmanager
async def running_api(
    configuration: Configuration, make_model: MakeModel = ferry_model, host: str = "127.0.0.1"
) -> AsyncIterator[RunningApi]:
    """The same with the scripted engine."""
    async with ScriptedEngine(configuration, make_model) as engine, serving_api(engine, host) as served:
        yield RunningApi(served.service, served.url, served.client, engine)
