"""An answer that is to be valid is shown when it was checked: as it is, mended, or marked."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from chatbot.conversation.events import AnswerDelta, Answered, AnswerWithdrawn, Progress
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, Text
from chatbot.profiles.validation import make_validator
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.system_prompt import Briefing
from tests.fakes.app import events_of
from tests.fakes.model import USAGE, ScriptedModel, calls, says
from tools.base import Toolbox, tool
from utils.errors import ModelError

RIGHT, WRONG = '```js\ns("bd*4")\n```', '```js\ns("bd [sd")\n```'
WHY = 'line 1: in the pattern "bd [sd" the [ is not closed'


async def look_up(query: str) -> str:
    """Look something up.

    Args:
        query: What.
    """
    return f"Nothing on {query}."


def agent_of(*replies: Any) -> Any:
    validator = make_validator("strudel", "You write Strudel.")
    briefing = Briefing(now=lambda: datetime(2026, 11, 22, 9, 0))
    hooks = Hooks(validator=lambda: validator)
    return Agent(ScriptedModel(list(replies)), Toolbox([tool(look_up)]), AgentSettings(), briefing, 200, hooks)


async def shown_of(agent: Any, question: str = "A beat, please.") -> tuple[Sequence[Any], str]:
    """The events that show something of the answer, and the answer at the end."""
    events = await events_of(agent.ask(question))
    shown = [event for event in events if isinstance(event, AnswerDelta | AnswerWithdrawn | Progress)]
    assert isinstance(events[-1], Answered)
    return shown, events[-1].text


async def test_a_valid_answer_is_shown_at_once_when_it_is_whole() -> None:
    agent = agent_of(says("Four:\n", RIGHT))
    assert await shown_of(agent) == ([AnswerDelta(f"Four:\n{RIGHT}")], f"Four:\n{RIGHT}")
    assert len(agent.model.sent) == 1


async def test_an_answer_without_code_is_shown_as_it_is() -> None:
    assert (await shown_of(agent_of(says("Hello."))))[1] == "Hello."


async def test_a_wrong_answer_is_asked_for_once_more_with_what_is_wrong() -> None:
    agent = agent_of(says(WRONG), says(RIGHT))
    shown, answer = await shown_of(agent)
    assert [event for event in shown if not isinstance(event, Progress)] == [AnswerDelta(RIGHT)]
    assert answer == RIGHT
    messages, offered = agent.model.sent[1]
    assert [message.content for message in messages[:3]] == ["You write Strudel.", "A beat, please.", WRONG]
    assert messages[3].content.startswith(f"The code in your answer is not valid: {WHY}. ")
    assert offered == ()
    assert agent.conversation.messages[-1].content == RIGHT


@pytest.mark.parametrize(
    "second",
    [says(WRONG), [ModelError("The server is gone.", "")], [Text("```js\ns("), Done(Usage(), "length")], says("")],
)
async def test_one_that_stays_wrong_is_marked(second: Any) -> None:
    shown, answer = await shown_of(agent_of(says(WRONG), second))
    assert answer == f"{WRONG}\n\n**Not valid Strudel:** {WHY}."
    assert shown[-1] == AnswerDelta(answer)


async def test_what_the_mending_took_is_counted() -> None:
    events = await events_of(agent_of(says(WRONG), says(RIGHT)).ask("A beat?"))
    assert events[-1].usage.prompt_tokens == 2 * USAGE.prompt_tokens


async def test_tools_are_shown_as_they_run_and_nothing_of_the_words_before_them() -> None:
    agent = agent_of(calls(("look_up", {"query": "bd"}), text="Let me look."), says(RIGHT))
    events = await events_of(agent.ask("A beat?"))
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("ToolFinished") < kinds.index("AnswerDelta")
    assert [event.text for event in events if isinstance(event, AnswerDelta)] == [RIGHT]
