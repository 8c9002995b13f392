"""Asking models the questions of `magpie bench-models`, through a whole engine on a data folder of its own."""

import shutil
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatbot.config import Configuration
from chatbot.conversation.events import Answered, Notice, Progress, ToolFinished
from chatbot.engine.bench.questions import BenchQuestion, bench_questions
from chatbot.engine.bench.site import BenchSite
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from utils.errors import MagpieError
from utils.paths import private_dir

SHARED_FOLDERS = ("models", "onnx", "engine")
"""Of the user's data folder: weights, and what is made of them once, which take long to come by; nothing of theirs."""
SHARED_FILES = ("probes.json",)
"""What was found out of models, by which they are served here as in a chat."""


@dataclass(frozen=True)
class BenchOutcome:
    """What became of one question."""

    question: BenchQuestion
    text: str
    """The answer, or the sentence why there is none."""
    right: bool
    served: bool
    """Whether the tools were called that are to be."""
    cited: bool | None
    """Whether the right pages are cited and every number holds; None where no page has to be."""
    seconds: float
    tokens: int
    """Of all prompts and replies."""


@dataclass
class BenchReport:
    """What became of the questions that a model was asked so far."""

    model: str
    outcomes: list[BenchOutcome] = field(default_factory=list)

    @property
    def right(self) -> tuple[int, int]:
        """Right answers, and answers."""
        return sum(outcome.right for outcome in self.outcomes), len(self.outcomes)

    @property
    def served(self) -> tuple[int, int]:
        """Questions for which the right tools were called, and questions."""
        return sum(outcome.served for outcome in self.outcomes), len(self.outcomes)

    @property
    def cited(self) -> tuple[int, int]:
        """Questions whose pages are cited, and those that have pages."""
        judged = [outcome.cited for outcome in self.outcomes if outcome.cited is not None]
        return sum(judged), len(judged)

    @property
    def seconds(self) -> float:
        """Seconds for all questions."""
        return sum(outcome.seconds for outcome in self.outcomes)

    @property
    def tokens(self) -> int:
        """Tokens of all questions."""
        return sum(outcome.tokens for outcome in self.outcomes)


def bench_settings(configuration: Configuration, site: BenchSite, folder: Path, model: str) -> Configuration:
    """The user's settings with a web of the site alone, and with a data folder that is empty.

    Nothing but what goes to the model's server leaves the machine, and nothing of the user's is read or kept.
    """
    (folder / "mcp.json").write_text('{"mcpServers": {}}\n', encoding="utf-8")
    settings: dict[str, Any] = {
        "data_dir": str(folder),
        "history.path": None,
        "history.json_folder": None,
        "rag.folder": None,
        "rag.web_search_rag_enabled": False,
        "mcp.config": str(folder / "mcp.json"),
        "approval": "deny",
        "profile": "",
        "tools_enabled": True,
        "search.searxng_url": site.url,
        "search.engines": [],
        "search.news_engines": [],
        "fetch.allow_hosts": [site.host],
    }
    if model:
        settings["model"] = model
    for name, value in settings.items():
        configuration = configuration.with_setting(name, value)
    return configuration


def make_bench_folder(folder: Path, own: Path) -> None:
    """Make the data folder of a model's run: what takes long to come by is that of the user's data folder `own`."""
    private_dir(folder)
    for name in SHARED_FOLDERS:
        (folder / name).symlink_to(private_dir(own / name).absolute(), target_is_directory=True)
    for name in SHARED_FILES:
        if (own / name).is_file():
            shutil.copyfile(own / name, folder / name)


async def ask_model(
    configuration: Configuration, show: Callable[[Notice | Progress], None], site: BenchSite, report: BenchReport
) -> AsyncGenerator[BenchOutcome, None]:
    """Ask the model of a configuration all questions; each outcome as soon as it is there, and in the report.

    Raises a `MagpieError` where there is no such model; what a single question fails by is its outcome.
    """

    def show_news(news: Notice | Progress) -> None:
        # That a page of the site is opened though it is on this machine is what was asked for.
        if not (isinstance(news, Notice) and site.host in news.text):
            show(news)

    async with Engine(configuration) as engine:
        chat = await engine.chat(Face(show_news))
        info = await chat.agent.model.describe()
        report.model = report.model or info.label
        for question in bench_questions():
            outcome = await ask_question(chat, question, site.url)
            report.outcomes.append(outcome)
            yield outcome


async def ask_question(chat: Chat, question: BenchQuestion, site: str) -> BenchOutcome:
    """Ask a question in a conversation of its own."""
    await chat.begin()
    # A title would be asked for beside the next question, and its seconds counted there.
    chat.titler.leave_untitled(chat.session)
    began, called = time.monotonic(), list[str]()
    try:
        async with aclosing(chat.agent.ask(question.question)) as events:
            async for event in events:
                if isinstance(event, ToolFinished):
                    called.append(event.call.name)
                elif isinstance(event, Answered):
                    usage = event.usage
                    return BenchOutcome(
                        question,
                        event.text,
                        question.is_right(event.text),
                        question.is_served(called),
                        question.is_cited(event, site),
                        time.monotonic() - began,
                        usage.prompt_tokens + usage.reply_tokens,
                    )
    except MagpieError as error:
        said = str(error)
    else:
        said = "There is no answer."
    cited = False if question.pages else None
    return BenchOutcome(question, said, False, question.is_served(called), cited, time.monotonic() - began, 0)
