"""A chat without files and servers: the real agent with a scripted model and one scripted tool."""

import asyncio
import time
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chatbot.citations.checker import FittedChecker
from chatbot.config import Config, Configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.engine.assembly import make_supports
from chatbot.engine.chat import Chat
from chatbot.engine.face import Face
from chatbot.engine.network import make_fetcher
from chatbot.engine.people import Person
from chatbot.engine.profile_choice import prepare_turn
from chatbot.engine.retrieval import SharedRetrieval
from chatbot.history.recorder import Recording
from chatbot.history.sessions import Sessions
from chatbot.history.settings import HistorySettings
from chatbot.history.titles import Titler
from chatbot.library.opening import Embedders
from chatbot.library.watch import LibraryWatch, quietly
from chatbot.mcp.servers import RemoteServers
from chatbot.mcp.tools import RemoteTools
from chatbot.memory.facts import Memory
from chatbot.memory.profile import Profile
from chatbot.memory.reminders import Reminders
from chatbot.models.base import LanguageModel
from chatbot.models.embedded.backend import EMBEDDED_BACKEND
from chatbot.models.embedded.provider import EmbeddedProvider
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.ollama.backend import OLLAMA
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.provider import ModelSurroundings, UnaskedChoice
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from chatbot.profiles.active import ActiveProfile
from chatbot.profiles.folders import profile_folders
from chatbot.profiles.profile import ChatProfile
from chatbot.research.desk import ResearchDesk
from chatbot.research.lookup import Lookup
from chatbot.research.run import ResearchParts
from chatbot.research.state import ResearchFiles
from chatbot.trust.consent import Consent, Decision, Request
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.system_prompt import Briefing
from rag.documents import Passage
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.zim.shelf import ZimShelf
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, says
from tools.base import Toolbox, ToolContext, ToolResult, tool
from tools.mcp_client.elicitation.forms import Form, FormReply, Visit
from utils.network.access import NetworkAccess
from utils.sqlite import MEMORY

PAGE = Passage("The ferry leaves at nine.", "https://ferries.example/times", "Ferry timetable", "web")
NOTES = Passage("It costs four crowns.", "/home/me/notes.txt", "Notes", "file")


async def web_search(context: ToolContext, query: str) -> ToolResult:
    """Search the web.

    Args:
        query: What to look for.
    """
    context.report("iteration 1 of 1")
    return ToolResult("Found:", (PAGE, NOTES))


async def fetch_url_content(url: str) -> str:
    """Open a page.

    Args:
        url: Its address.
    """
    return f"Opened {url}."


class NewModels(EmbeddedProvider):
    """The embedded models without their weights."""

    def open(self, name: str) -> LanguageModel:
        return ScriptedModel([says("I am new.")])


class FakeApp:
    """One chat without files and servers, and what a test watches of it."""

    def __init__(
        self,
        model: LanguageModel,
        folder: Path,
        ollama: str = "http://127.0.0.1:9",
        sessions: Sessions | None = None,
        **settings: Any,
    ) -> None:
        configuration = Configuration(Config(data_dir=folder, **settings), folder / "config.json", {})
        config = configuration.values
        self.notices: asyncio.Queue[Notice | Progress] = asyncio.Queue()
        """What is told before a front end is there."""
        self.face = Face(self.notices.put_nowait, self._allow, self._fill)
        self.now: float | None = None
        """The time as a test sets it, in seconds since 1970."""
        person = self._person(folder, config, sessions)
        memory = Memory(person.profile, config.memory, lambda: agent.conversation.messages, self.show)
        titler = Titler(lambda: agent.model, person.sessions)
        recording = Recording(person.sessions, lambda: models.current, titler, self.show)
        toolbox = Toolbox([tool(web_search), tool(fetch_url_content)])
        self.servers = RemoteServers(configuration, NetworkAccess(), self)
        remote = RemoteTools(self.servers, toolbox, self.tell, ask=self._fill)
        consent = Consent(lambda: agent.settings.approval, remote=remote)
        hooks = Hooks(
            recorder=recording,
            consent=consent,
            seeing=lambda: models.list_seeing(),
            prepare=lambda: prepare_turn(self.chat),
        )
        agent = Agent(model, toolbox, config, Briefing(memory=lambda: memory.briefing), 100, hooks)
        wanted = WantedModel("auto", "", {"ollama": OllamaSettings(host=ollama), "embedded": EmbeddedSettings()})
        state = ModelState(folder)
        around = ModelSurroundings(folder, Generation(request_timeout=5), NetworkAccess(), state, self._tell_choice)
        models = Models(wanted, around, backends=[OLLAMA, replace(EMBEDDED_BACKEND, load=lambda: NewModels)])
        models.current = "scripted"
        embedder = WordEmbedder()
        here = EmbedderSurroundings(folder, NetworkAccess())
        embedders = Embedders(embedder, embedder, EmbeddingChoice("local", "words"), here)
        fetcher, shelf = make_fetcher(config, folder, NetworkAccess()), ZimShelf(config.search.zim_files)
        retrieval = SharedRetrieval(config, None, fetcher, Any, Any, embedders, shelf)  # type: ignore[arg-type]
        self.chat = Chat(
            configuration,
            person,
            agent,
            models,
            memory,
            consent,
            remote,
            recording,
            titler,
            retrieval,
            Nothing(),  # type: ignore[arg-type]
            NetworkAccess(),
            self._research(folder, person, agent, consent, embedder),
            profile=ActiveProfile(profile_folders(configuration), ChatProfile(), configuration),
            watching=LibraryWatch(None, fetcher, quietly(self.show)),
        )
        self.engine: Any = FakeEngine(self)
        self.ask_form: Any = None
        """How a test answers a server's questions where no front end does."""

    def _research(
        self, folder: Path, person: Person, agent: Agent, consent: Consent, embedder: WordEmbedder
    ) -> ResearchDesk:
        lookup, settings = Lookup(agent.toolbox, consent, lambda: agent.settings), Config().research
        supports = make_supports(FittedChecker(embedder))
        parts = ResearchParts(lambda: agent.model, EvidenceFinder(embedder), supports, lookup, lambda: settings)
        files = ResearchFiles(folder / "research")
        return ResearchDesk(parts, files, person.sessions, person.in_use, self.show)

    def _person(self, folder: Path, config: Config, sessions: Sessions | None) -> Person:
        if sessions is None:
            # Opened by hand: this is no coroutine.
            sessions = Sessions(MEMORY, HistorySettings(), self.tell)
            sessions._keeper.open()
            weakref.finalize(self, sessions._keeper.close).atexit = False
        profile = Profile(folder / "profile.db", read_only=config.private)
        reminders = Reminders(profile, lambda: time.time() if self.now is None else self.now)
        return Person("", sessions, profile, reminders)

    async def _allow(self, request: Request) -> Decision:
        raise AssertionError(f"nobody is there to allow {request}")

    def _tell_choice(self, choice: UnaskedChoice) -> None:
        if self.face.tell_choice:
            self.face.tell_choice(choice)
        else:
            self.tell(choice.sentence, False)

    async def _fill(self, question: Form | Visit) -> FormReply:
        fill = self.face.fill if self.face.fill != self._fill else self.ask_form
        return await fill(question) if fill else FormReply("decline")

    @property
    def attended(self) -> bool:
        return self.face.fill != self._fill or self.ask_form is not None

    def show(self, news: Notice | Progress) -> None:
        """Tell whoever is there."""
        self.face.show(news)

    def tell(self, said: str, warning: bool = True) -> None:
        self.show(Notice(said, "warning" if warning else "info"))

    @property
    def configuration(self) -> Configuration:
        return self.chat.configuration

    async def ready(self) -> Chat:
        return self.chat

    async def close(self) -> None:
        await self.servers.close()
        self.chat.person.profile.close()


class FakeEngine:
    """What a front end uses of an engine: its one chat is that of an app."""

    def __init__(self, app: FakeApp) -> None:
        self.app = app

    @property
    def configuration(self) -> Configuration:
        return self.app.configuration

    async def __aenter__(self) -> "FakeEngine":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def chat(self, face: Face, person: str = "") -> Chat:
        """The app's chat, with this face; what was told before is shown on it."""
        app, app.face = self.app, face
        app.chat.consent.ask = face.allow
        while not app.notices.empty():
            face.show(app.notices.get_nowait())
        return app.chat

    async def close(self) -> None:
        await self.app.close()


class Nothing:
    """The web of a chat without one."""

    async def close(self) -> None:
        """There is nothing under way."""


async def events_of(events: Any) -> Sequence[Any]:
    """All events of a command or a turn."""
    return [event async for event in events]
