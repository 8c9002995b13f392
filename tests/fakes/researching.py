"""A scripted model that plans, reads and rewords as research asks it to, and a chat on the loopback site with it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import FilledForm, ModelInfo, WordShares
from tests.fakes.model import ScriptedModel
from tests.fakes.site import Site
from tests.fakes.site_app import RunningChat, magpie

QUESTION = "What should I know of the Ostermark Bridge and of the ferry to Skerry Island?"
PLAN = (
    "Who designed the Ostermark Bridge?",
    "How long is the Ostermark Bridge?",
    "When does the first ferry to Skerry Island leave?",
)


@dataclass
class ResearchModel(ScriptedModel):
    """Is served as the 1.5B is; takes a passage for one with an answer where `holds` says so."""

    replies: list[Any] = field(default_factory=list)
    plan: Sequence[str] = PLAN
    follow_ups: list[Sequence[str]] = field(default_factory=list)
    """What it asks further, a round after the other."""
    query: str = ""
    sentence: Callable[[str], str] = lambda prompt: ""
    """The rewording of a sentence, from the last message of its prompt."""
    holds: Callable[[str], bool] = lambda prompt: True
    before: Callable[[str], Any] = lambda asked: None
    """Is awaited before anything is filled in."""
    asked: list[str] = field(default_factory=list)

    async def describe(self) -> ModelInfo:
        return ModelInfo("qwen2.5-coder-1.5b", "embedded", self.window)

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        yes = 0.95 if self.holds(messages[-1].content) else 0.05
        return WordShares({"yes": yes, "no": 1 - yes}, self.side_usage)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        [name], prompt = schema["properties"], messages[-1].content
        self.asked.append(name)
        if (waiting := self.before(prompt)) is not None:
            await waiting
        if name == "questions":
            planning = not prompt.startswith("Question:")
            return FilledForm({name: list(self.plan) if planning else list(self._next())}, self.side_usage)
        return FilledForm({name: self.query if name == "query" else self.sentence(prompt)}, self.side_usage)

    def _next(self) -> Sequence[str]:
        return self.follow_ups.pop(0) if self.follow_ups else ()


@asynccontextmanager
async def researching(data: Path, site: Site, model: ScriptedModel, **settings: Any) -> AsyncIterator[RunningChat]:
    """A chat whose web is the site and whose model is the scripted one; the library is off unless told."""
    data.mkdir(exist_ok=True)
    async with magpie(data, site, **{"rag.enabled": False, "backend": "embedded"} | settings) as app:
        app.chat.agent.use_model(model)
        yield app
