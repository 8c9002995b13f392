"""An answer of a model that calls tools itself says nothing that was not done."""

from chatbot.agent import Agent
from chatbot.events import AnswerDelta, Answered, AnswerWithdrawn
from chatbot.phrases import phrase
from chatbot.prompts import Briefing
from chatbot.settings import AgentSettings
from tests.fakes.model import USAGE, ScriptedModel, calls, says
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


async def test_an_answer_in_another_language_is_asked_for_once_more() -> None:
    question = "Wie hoch ist der Turm am Hafen, und wer hat ihn gebaut?"
    wrong = "The tower at the harbour is 31 metres high and was built by the town."
    right = "Der Turm am Hafen ist 31 Meter hoch und wurde von der Stadt gebaut."
    chat = agent(says(wrong), says(right))
    events = [event async for event in chat.ask(question)]
    answered = events[-1]
    assert isinstance(answered, Answered)
    assert (answered.text, chat.conversation.last_answer) == (right, right)
    assert [m.content for m in chat.conversation.messages if m.role == "user"] == [question]
    assert AnswerWithdrawn() in events
    assert answered.usage == USAGE + USAGE


async def test_an_answer_that_stays_in_another_language_stands() -> None:
    wrong = "The tower at the harbour is 31 metres high and was built by the town."
    chat = agent(says(wrong), says(wrong))
    events = [event async for event in chat.ask("Wie hoch ist der Turm am Hafen, und wer hat ihn gebaut?")]
    assert isinstance(events[-1], Answered)
    assert events[-1].text == wrong


async def test_an_answer_in_the_language_that_the_question_names_stands() -> None:
    chat = agent(says("Der Turm ist viel zu hoch für diese Straße."))
    events = [event async for event in chat.ask("How do you say 'the tower is too high for this road' in German?")]
    assert AnswerWithdrawn() not in events


async def test_a_promise_that_a_tool_keeps_stands() -> None:
    promise = "I'll remind you to stretch."
    chat = agent(calls(("set_reminder", {"text": "stretch"})), says(promise))
    events = [event async for event in chat.ask("remind me to stretch")]
    assert isinstance(events[-1], Answered)
    assert events[-1].text == promise
