"""An answer of a model that calls tools itself says nothing that was not done."""

from chatbot.agent import Agent
from chatbot.events import AnswerDelta, Answered, AnswerWithdrawn
from chatbot.phrases import phrase
from chatbot.prompts import Briefing
from chatbot.settings import AgentSettings
from tests.fakes.model import ScriptedModel, calls, says
from tools.base import Toolbox, tool


async def set_reminder(text: str) -> str:
    """Remind the user.

    Args:
        text: Of what.
    """
    return f"The user will be reminded: {text}"


def agent(*replies: object) -> Agent:
    return Agent(ScriptedModel(list(replies)), Toolbox([tool(set_reminder)]), AgentSettings(), Briefing(), 256)


async def test_a_promise_that_no_tool_keeps_is_replaced() -> None:
    chat = agent(says("Sure, I'll remind you in 20 minutes."))
    events = [event async for event in chat.ask("remind me in 20 minutes to stretch")]
    told = phrase("cannot_act", "en")
    assert [event for event in events if isinstance(event, AnswerWithdrawn | AnswerDelta)][-2:] == [
        AnswerWithdrawn(),
        AnswerDelta(told),
    ]
    assert isinstance(events[-1], Answered)
    assert (events[-1].text, chat.conversation.last_answer) == (told, told)


async def test_a_promise_that_a_tool_keeps_stands() -> None:
    promise = "I'll remind you to stretch."
    chat = agent(calls(("set_reminder", {"text": "stretch"})), says(promise))
    events = [event async for event in chat.ask("remind me to stretch")]
    assert isinstance(events[-1], Answered)
    assert events[-1].text == promise
