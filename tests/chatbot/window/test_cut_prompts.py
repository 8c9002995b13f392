"""Servers that cut a prompt without a word: no answer is given as if all had been read."""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from chatbot.conversation.events import AnswerDelta, Answered, AnswerWithdrawn, Notice, TurnEvent
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.system_prompt import Briefing
from tests.fakes.cutting import CuttingServer, Manner, words_of
from tests.fakes.model import ScriptedModel
from tests.fakes.ollama import FakeOllama, shown
from tools.base import Toolbox
from utils.errors import PromptCut, QuestionTooLong

SECRET = "zimmerblue"
UNNOTICED = 0.1
"""The share of a prompt that may be cut once without being noticed: where it has just outgrown an unusual window."""
TEXTS = {
    "lines": "Line {n}: the quick brown fox number {n} jumps over lazy dog number {n}. ",
    "prose": "After a while she walked down to the harbour, where the boats were tied up for winter, and waited. ",
    "deutsch": "Nach einer Weile ging sie hinunter zum Hafen, wo die Boote über den Winter lagen, und wartete {n}. ",
    "code": "def f{n}(x, y={n}):\n    return [x[i] + y for i in range({n}) if i % 2 == 0]\n",
    "中文": "过了一会儿,她走到港口,那里的船已经为过冬系好了,她等了{n}分钟。",
    "numbers": "{n};{n}5.71;2026-11-{n};0x{n}ff\n",
}
SHAPES: list[tuple[int, Manner]] = [
    (1024, "half"),
    (2048, "half"),
    (2048, "tail"),
    (4096, "half"),
    (2048, "oldest"),
    (4096, "head"),
    (3000, "half"),
    (3000, "tail"),
]


@dataclass(frozen=True)
class Case:
    """A text far over the window of a server that does not say how small it is."""

    text: str
    window: int
    manner: Manner
    history: bool

    def __str__(self) -> str:
        return f"{self.text}-{self.window}-{self.manner}-{'history' if self.history else 'question'}"

    @property
    def filler(self) -> str:
        """Two and a half windows of text, by the vocabulary of the server."""
        one = TEXTS[self.text]
        count = self.window * 5 // 2 // len(words_of(one.replace("{n}", "10"))) + 1
        return "".join(one.replace("{n}", str(n)) for n in range(10, 10 + count))


CASES = [Case(text, *shape, history) for shape, text, history in itertools.product(SHAPES, TEXTS, (False, True))]


def answer(read: list[str]) -> str:
    return f"The secret word is {SECRET if 'zimmer' in read else 'lazy dog'}."


def agent(server: FakeOllama, folder: Path) -> Agent:
    generation = Generation(context_window=32_768, max_tokens=500, request_timeout=5)
    native = OllamaModel("qwen3:8b", OllamaSettings(host=server.url), generation)
    toolbox = Toolbox([])
    model = AdaptiveModel(native, ScriptedModel([]), toolbox.accepts_call, ModelState(folder))
    return Agent(model, toolbox, AgentSettings(), Briefing(), 500)


@dataclass
class Outcome:
    """What came of the last question, and of all of them which answers were given from a prompt that was cut."""

    events: list[TurnEvent]
    cutting: CuttingServer
    chat: Agent
    answered_from_cut: list[str]


async def asked(case: Case, folder: Path) -> Outcome:
    """The secret at the head of all, then a text far over the window, then the question for the secret."""
    cutting = CuttingServer(case.window, case.manner, answer)
    head = f"The secret word is {SECRET}. Remember it. "
    pieces = [head + case.filler + " What is the secret word?"]
    if case.history:
        size = len(case.filler) // 10
        parts = [case.filler[start : start + size] for start in range(0, len(case.filler), size)]
        pieces = [head + parts[0], *parts[1:], "What is the secret word?"]
    async with FakeOllama([cutting] * 60, {"qwen3:8b": shown()}) as server:
        outcome = Outcome([], cutting, agent(server, folder), [])
        for piece in pieces:
            outcome.events = []
            try:
                async for event in outcome.chat.ask(piece):
                    outcome.events.append(event)
                    if isinstance(event, Answered) and cutting.cuts[-1] > UNNOTICED:
                        outcome.answered_from_cut.append(event.text)
            except (PromptCut, QuestionTooLong) as error:
                outcome.events.append(Notice(str(error), "error"))
        await outcome.chat.model.close()
    return outcome


def test_there_are_more_than_fifty() -> None:
    assert len(CASES) == 96


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_no_answer_is_given_as_if_a_cut_text_had_been_read(case: Case, tmp_path: Path) -> None:
    outcome = await asked(case, tmp_path)
    last, conversation = outcome.events[-1], outcome.chat.conversation
    assert any(outcome.cutting.cuts)
    assert outcome.answered_from_cut == []
    if isinstance(last, Answered):
        assert SECRET in last.text or SECRET not in str(conversation.messages[outcome.chat.left_out :])
    else:
        assert isinstance(last, Notice)
        assert last.level == "error"
        assert conversation.last_answer == "" or case.history


async def test_what_was_shown_is_withdrawn_and_the_user_is_told(tmp_path: Path) -> None:
    outcome = await asked(Case("lines", 1024, "half", history=False), tmp_path)
    told = [event for event in outcome.events if isinstance(event, AnswerDelta | AnswerWithdrawn | Notice)]
    withdrawn = told.index(AnswerWithdrawn())
    assert "".join(event.text for event in told[:withdrawn] if isinstance(event, AnswerDelta)).startswith("The secret")
    notice = told[withdrawn + 1]
    assert isinstance(notice, Notice) and notice.level == "warning"
    # The name of the day is in the prompt, and some names are longer than others.
    assert re.fullmatch(
        r"The server read only 514 of some 3,26\d tokens and cut off the rest. What it answered to that does not "
        r"count; it is asked again with less\.",
        notice.text,
    )
    last = outcome.events[-1]
    assert isinstance(last, Notice) and last.level == "error"
    assert re.fullmatch(
        r"The question with what belongs to it has about 32[23]\d tokens; the window has room for 731\. Shorten it, "
        r"index the text with /rag-index and ask about it, or raise context_window\.",
        last.text,
    )
    assert outcome.cutting.counts == [514]
    assert outcome.chat.conversation.last_answer == ""
