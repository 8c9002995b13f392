"""What becomes of pictures is said: what a model is told that does not see them, and which ones do."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from chatbot.conversation.events import Notice
from chatbot.conversation.messages import Attachment
from chatbot.models.base import ModelInfo
from chatbot.settings import AgentSettings
from chatbot.trust.taint import is_tainted
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.system_prompt import Briefing
from rag.documents import Picture
from tests.fakes.model import ScriptedModel, says
from tests.fakes.pictures import attached
from tools.base import Toolbox
from utils.errors import ModelError

SEEING, BLIND = ModelInfo("gemma3", "ollama", 8192, can_see=True), ModelInfo("qwen3", "ollama", 8192)
READ = attached("scan.png", "Total due 318.40")


def agent(info: ModelInfo, *replies: Any, seeing: Sequence[str] = ("gemma3", "llava")) -> Agent:
    async def list_seeing() -> Sequence[str]:
        return seeing

    model = ScriptedModel(list(replies) or [says("A cat.")], info=info)
    return Agent(model, Toolbox([]), AgentSettings(), Briefing(), 100, Hooks(seeing=list_seeing))


def sent_by(asked: Agent) -> list[Any]:
    assert isinstance(asked.model, ScriptedModel)
    return asked.model.sent


async def notices(asked: Agent, *pictures: Picture, question: str = "What is this?") -> list[str]:
    files = [Attachment(one.name, one.text, picture=one) for one in pictures]
    events = [event async for event in asked.ask(question, attachments=files)]
    return [event.text for event in events if isinstance(event, Notice)]


async def test_a_picture_goes_to_a_model_that_sees_without_a_word() -> None:
    asked = agent(SEEING)
    assert await notices(asked, attached()) == []
    assert sent_by(asked)[0][0][-1].pictures == (attached(),)
    assert asked.conversation.messages[0].pictures == (attached(),)


async def test_a_question_whose_picture_nobody_can_read_is_not_asked_and_models_that_see_are_named() -> None:
    asked = agent(BLIND)
    with pytest.raises(ModelError) as refused:
        await notices(asked, attached("photo.png"), READ)
    assert str(refused.value) == (
        "qwen3 does not see pictures, and no text was read in photo.png. These do (/model <name>): gemma3, llava."
    )
    assert asked.conversation.messages == [] and sent_by(asked) == []
    assert await notices(asked, question="Hello") == []


async def test_why_no_text_was_read_is_said_once_where_the_text_was_needed_and_not_where_it_was_not() -> None:
    cause = "The program tesseract broke down: Error opening data file."
    unread = [replace(attached(name), unread=cause) for name in ("one.png", "two.png")]
    with pytest.raises(ModelError) as refused:
        await notices(agent(BLIND, seeing=()), *unread)
    assert refused.value.problem == (f"{cause} qwen3 does not see pictures, and no text was read in one.png, two.png.")
    assert await notices(agent(SEEING), *unread) == []


async def test_where_no_model_sees_it_is_said_where_to_get_one() -> None:
    with pytest.raises(ModelError, match="/pull gemma3"):
        await notices(agent(BLIND, seeing=()), attached())


async def test_a_model_that_does_not_see_answers_from_the_text_in_a_picture_and_that_is_said() -> None:
    asked = agent(BLIND)
    assert await notices(asked, READ) == [
        "qwen3 does not see pictures: it is told the text in scan.png. These do (/model <name>): gemma3, llava."
    ]
    assert "Total due 318.40" in sent_by(asked)[0][0][-1].note


async def test_a_model_taken_in_mid_talk_that_does_not_see_is_said_not_to_once() -> None:
    asked = agent(SEEING)
    await notices(asked, attached())
    asked.use_model(ScriptedModel([says("So."), says("So.")], info=BLIND))
    assert await notices(asked, question="And the colour?") == [
        "qwen3 does not see the pictures of this conversation: it is told their names. "
        "These do (/model <name>): gemma3, llava."
    ]
    assert await notices(asked, question="Really?") == []
    assert not any(message.pictures for message in sent_by(asked)[0][0])
    asked.use_model(ScriptedModel([says("Red.")], info=SEEING))
    assert await notices(asked, question="And the colour?") == []
    assert [message.pictures for message in sent_by(asked)[0][0] if message.pictures] == [(attached(),)]


async def test_a_conversation_with_a_picture_holds_something_from_outside() -> None:
    asked = agent(SEEING)
    await notices(asked, attached())
    assert is_tainted(asked.conversation.messages)
