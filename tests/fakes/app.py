"""An app without files and servers: the real agent with a scripted model and one scripted tool."""

import asyncio
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatbot.config import Config, Configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.engine.chat import Chats
from chatbot.engine.engine import Parts
from chatbot.history.recorder import Recording
from chatbot.history.sessions import Sessions
from chatbot.history.settings import HistorySettings
from chatbot.history.titles import Titler
from chatbot.mcp.tools import RemoteTools
from chatbot.memory.facts import Memory
from chatbot.memory.profile import Profile
from chatbot.memory.reminders import Reminders
from chatbot.models.base import LanguageModel
from chatbot.models.selection import Models, WantedModel
from chatbot.models.settings import EmbeddedSettings, Generation, OllamaSettings
from chatbot.trust.consent import Consent
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.system_prompt import Briefing
from rag.documents import Passage
from tests.fakes.model import ScriptedModel, says
from tools.base import Toolbox, ToolContext, ToolResult, tool
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


class FakeApp:
    """What front ends and commands use of an app."""

    def __init__(
        self,
        model: LanguageModel,
        folder: Path,
        ollama: str = "http://127.0.0.1:9",
        sessions: Sessions | None = None,
        **settings: Any,
    ) -> None:
        self.configuration = Configuration(Config(data_dir=folder, **settings), folder / "config.json", {})
        self.notices: asyncio.Queue[Notice | Progress] = asyncio.Queue()
        self.profile = Profile(folder / "profile.db", read_only=self.configuration.values.private)
        memory = Memory(
            self.profile,
            self.configuration.values.memory,
            lambda: agent.conversation.messages,
            self.notices.put_nowait,
        )
        self.now: float | None = None
        """The time as a test sets it, in seconds since 1970."""
        briefing = Briefing(memory=lambda: memory.briefing)
        if sessions is None:
            # Opened by hand: this is no coroutine.
            sessions = Sessions(
                MEMORY, HistorySettings(), lambda said: self.notices.put_nowait(Notice(said, "warning"))
            )
            sessions._keeper.open()
            weakref.finalize(self, sessions._keeper.close).atexit = False
        titler = Titler(lambda: agent.model, sessions)
        recording = Recording(sessions, lambda: models.current, titler, self.notices.put_nowait)
        toolbox = Toolbox([tool(web_search), tool(fetch_url_content)])
        remote = RemoteTools(
            self.configuration,
            NetworkAccess(),
            lambda said, warning: self.notices.put_nowait(Notice(said, "warning" if warning else "info")),
            toolbox,
        )
        consent = Consent(lambda: agent.settings.approval, remote=remote)
        hooks = Hooks(recorder=recording, consent=consent)
        agent = Agent(model, toolbox, self.configuration.values, briefing, 100, hooks)
        wanted = WantedModel("auto", "", OllamaSettings(host=ollama), EmbeddedSettings(), Generation(request_timeout=5))
        models = Models(wanted, folder, lambda settings: ScriptedModel([says("I am new.")]))
        models.current = "scripted"
        self.parts = Parts(
            agent,
            None,
            models,
            None,  # type: ignore[arg-type]
            None,  # type: ignore[arg-type]
            None,  # type: ignore[arg-type]
            self.profile,
            memory,
            Reminders(self.profile, lambda: time.time() if self.now is None else self.now),
            Chats(agent, sessions, recording, titler, memory, consent),
            consent,
            remote,
        )
        self.started = 0
        self.ask_consent: Any = None
        self.ask_form: Any = None

        self.resume = ""

    def start(self) -> None:
        self.started += 1
        self.parts.consent.ask = self.ask_consent

    async def announce_reminders(self, idle: asyncio.Event) -> None:
        await self.parts.reminders.announce(self.notices.put_nowait, idle)

    async def ready(self) -> None:
        return None

    def set(self, name: str, value: Any) -> str:
        self.configuration = self.configuration.changed(name, value)
        self.parts.configure(self.configuration.values)
        return self.configuration.store(name)

    async def close(self) -> None:
        self.profile.close()


async def events_of(events: Any) -> Sequence[Any]:
    """All events of a command or a turn."""
    return [event async for event in events]
