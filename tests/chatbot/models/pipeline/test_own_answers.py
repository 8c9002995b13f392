"""What the user said is told again word for word, and by the program."""

from collections.abc import Sequence
from typing import Any

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.base import WordShares
from chatbot.models.pipeline.context import PipelineContext
from chatbot.models.pipeline.model import PipelineModel
from tests.fakes.deciding import DecidingModel
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel
from tools.base import ToolSchema

SEARCH = ToolSchema("web_search", "Search the web.", {"properties": {"query": {}}, "required": ["query"]})
TALK = (
    Message("user", "My sister Odile keeps bees. The boiler is from 2011. Is that old?"),
    Message("assistant", "It is."),
    Message("user", "Write a haiku about frost."),
    Message("assistant", "White breath on the glass"),
)
NOTHING = "I find nothing about that in what you told me."


class KnowingOf(DecidingModel):
    """Says yes where a text has a word."""

    def __init__(self, word: str) -> None:
        super().__init__([])
        self.word = word

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        passage = messages[-1].content.partition("\nQuestion:")[0]
        yes = 0.9 if self.word in passage else 0.1
        return WordShares({word: yes if word == "yes" else 1 - yes for word in words}, self.side_usage)


async def answer(model: ScriptedModel, question: str, talk: Sequence[Message] = TALK, **around: Any) -> str:
    steps = PipelineModel(model, WordEmbedder(dimensions=384), PipelineContext(**around))
    pieces = [piece async for piece in steps.reply([*talk, Message("user", question)], [SEARCH])]
    assert model.sent == []
    return "".join(getattr(piece, "delta", "") for piece in pieces)


async def test_what_was_said_is_quoted() -> None:
    told = await answer(KnowingOf("sister"), "What did I tell you about my sister?")
    assert told == "You said: “My sister Odile keeps bees.”"


async def test_the_answer_is_in_the_language_of_the_question() -> None:
    talk = (Message("user", "Meine Schwester Odile hält Bienen."), Message("assistant", "Schön."))
    told = await answer(KnowingOf("Schwester"), "Was habe ich dir über meine Schwester erzählt?", talk)
    assert told == "Du hast gesagt: „Meine Schwester Odile hält Bienen.“"


async def test_several_sentences_are_quoted_in_the_order_in_which_they_were_said() -> None:
    talk = (*TALK, Message("user", "My sister moved to Cork."), Message("assistant", "I see."))
    told = await answer(KnowingOf("sister"), "What have I said about my sister?", talk)
    assert told == "You said: “My sister Odile keeps bees. … My sister moved to Cork.”"


async def test_that_nothing_was_said_is_told() -> None:
    assert await answer(KnowingOf("brother"), "What did I tell you about my brother?") == NOTHING


async def test_where_nothing_is_named_the_last_of_what_was_told_is_quoted() -> None:
    told = await answer(KnowingOf("nothing"), "What did I tell you a minute ago?")
    assert told == "You said: “My sister Odile keeps bees. … The boiler is from 2011. … Write a haiku about frost.”"


async def test_a_remembered_fact_is_among_what_was_said() -> None:
    async def facts() -> Sequence[str]:
        return ["I am allergic to peanuts."]

    told = await answer(KnowingOf("peanuts"), "What did I tell you about my allergies?", facts=facts)
    assert told == "You said: “I am allergic to peanuts.”"


async def test_of_what_is_known_of_oneself_all_that_is_remembered_is_told_where_no_sentence_says_it() -> None:
    async def facts() -> Sequence[str]:
        return ["I moved to Cork.", "My sister keeps bees."]

    asked = "What do you still remember of where I live?"
    told = await answer(KnowingOf("nothing"), asked, facts=facts)
    assert told == "This is what I know about you:\n- I moved to Cork.\n- My sister keeps bees."
    assert await answer(KnowingOf("Cork"), asked, facts=facts) == "You said: “I moved to Cork.”"


async def test_of_what_is_known_of_a_thing_what_has_its_word_is_told_where_no_sentence_says_it() -> None:
    async def facts() -> Sequence[str]:
        return ["I moved to Cork.", "I take oat milk in my coffee."]

    told = await answer(KnowingOf("nothing"), "What do you know about my coffee?", facts=facts)
    assert told == "This is what I know about you:\n- I take oat milk in my coffee."


async def test_a_wish_to_remember_is_quoted_as_the_fact_that_came_of_it() -> None:
    async def facts() -> Sequence[str]:
        return ["I am allergic to peanuts."]

    wish = Message("user", "Remember that I am allergic to peanuts.")
    talk = (wish, Message("assistant", "", tool_calls=(ToolCall("remember", {}),)))
    done = (*talk, Message("tool", "Remembered.", tool_name="remember"), Message("assistant", "I will remember this."))
    told = await answer(KnowingOf("peanuts"), "What did I tell you about my allergies?", done, facts=facts)
    assert told == "You said: “I am allergic to peanuts.”"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did I say about the boiler?", "You said: “The boiler is from 2011.”"),
        ("What did I say about the cellar?", NOTHING),
    ],
)
async def test_the_words_decide_where_the_word_of_the_model_was_not_measured(question: str, told: str) -> None:
    assert await answer(ScriptedModel([]), question) == told
