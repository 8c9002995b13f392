"""An answer of a model that calls tools itself has the language of the question, and says nothing that was not done."""

import pytest

from chatbot.conversation.events import AnswerDelta, Answered, AnswerWithdrawn
from chatbot.prompts.phrases import fill_phrase
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.system_prompt import Briefing
from tests.fakes.model import USAGE, ScriptedModel, calls, says
from tools.base import Toolbox, tool
from utils.errors import ReplyBroken

GERMAN = "Wie hoch ist der Turm am Hafen, und wer hat ihn gebaut?"
WRONG = "The tower at the harbour is 31 metres high and was built by the town."
RIGHT = "Der Turm am Hafen ist 31 Meter hoch und wurde von der Stadt gebaut."


async def set_reminder(text: str) -> str:
    """Remind the user.

    Args:
        text: Of what.
    """
    return f"The user will be reminded: {text}"


def agent(*replies: object, own: str = "") -> Agent:
    return Agent(ScriptedModel(list(replies)), Toolbox([tool(set_reminder)]), AgentSettings(), Briefing(own), 256)


async def answered(chat: Agent, question: str) -> Answered:
    last = [event async for event in chat.ask(question)][-1]
    assert isinstance(last, Answered)
    return last


async def test_a_promise_that_no_tool_keeps_is_replaced() -> None:
    chat = agent(says("Sure, I'll remind you in 20 minutes."))
    events = [event async for event in chat.ask("remind me in 20 minutes to stretch")]
    told = fill_phrase("cannot_act", "en")
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


async def test_an_answer_in_another_language_is_asked_for_once_more_without_the_conversation() -> None:
    chat = agent(says("Guten Morgen."), says(WRONG), says(RIGHT))
    await answered(chat, "Guten Morgen, wie geht es dir?")
    events = [event async for event in chat.ask(GERMAN)]
    last, model = events[-1], chat.model
    assert isinstance(last, Answered)
    assert isinstance(model, ScriptedModel)
    assert (last.text, chat.conversation.last_answer, last.usage) == (RIGHT, RIGHT, USAGE + USAGE)
    assert AnswerWithdrawn() in events
    sent, offered = model.sent[-1]
    assert ([message.content for message in sent[:2]], offered) == ([GERMAN, WRONG], ())
    assert [m.content for m in chat.conversation.messages if m.role == "user"][1:] == [GERMAN]


@pytest.mark.parametrize("again", [says(WRONG), [ReplyBroken("cut", "Try again.")], says("")])
async def test_an_answer_that_cannot_be_had_in_the_language_stands(again: list[object]) -> None:
    assert (await answered(agent(says(WRONG), again), GERMAN)).text == WRONG


@pytest.mark.parametrize(
    ("question", "own", "answer"),
    [
        ("How do you say 'the tower is too high for this road' in German?", "", RIGHT),
        (GERMAN, "Always answer in English.", WRONG),
        (
            "Please mend my letter, with no other changes: Der Turm am Hafen ist 31 Meter hoch, gebaut von Stadt.",
            "",
            RIGHT,
        ),
    ],
)
async def test_an_answer_in_a_language_that_the_user_named_or_wrote_stands(
    question: str, own: str, answer: str
) -> None:
    chat = agent(says(answer), own=own)
    events = [event async for event in chat.ask(question)]
    assert AnswerWithdrawn() not in events
