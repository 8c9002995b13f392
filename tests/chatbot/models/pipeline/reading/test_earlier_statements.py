"""What the user said earlier answers a question before any tool is asked."""

from collections.abc import Sequence

import pytest

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, ModelInfo
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.model import PipelineModel
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.earlier_statements import read_told, text_statements
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.window.compaction import excerpt_line
from chatbot.window.excerpts import Excerpt
from tests.fakes.deciding import DecidingModel
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, says
from tools.base import ToolSchema

GATE = Message("user", "The code of the garden gate is 4471. Is that a good one?")
THANKS = Message("assistant", "It is hard to guess.")
ASKED = Message("user", "What is the code of the garden gate?")
CHAT = (GATE, THANKS, ASKED)
SEARCH = ToolSchema("web_search", "Search the web.", {"properties": {"query": {}}, "required": ["query"]})


async def reading(model: ScriptedModel, *messages: Message, facts: Sequence[str] = ()) -> Reading | None:
    asked = messages[-1].content
    return await read_told(model, EvidenceFinder(WordEmbedder(dimensions=384)), read_turns(messages), asked, facts)


async def test_the_sentence_that_the_model_takes_for_the_answer_is_read() -> None:
    assert await reading(DecidingModel([], words=("yes",)), *CHAT) == Reading(
        "The user said: The code of the garden gate is 4471.",
        outside=False,
        certain=True,
        quote="The code of the garden gate is 4471.",
    )


async def test_a_sentence_that_does_not_answer_is_not_read() -> None:
    assert await reading(DecidingModel([], words=("no",)), *CHAT) is None


async def test_a_statement_with_all_words_of_a_question_of_the_users_own_is_believed_without_the_model() -> None:
    told = "My garden gate has the code 4471."
    model = DecidingModel([], words=("no",))
    found = await reading(model, Message("user", told), THANKS, Message("user", "What code has my garden gate?"))
    assert found is not None and found.quote == told
    assert (
        await reading(model, Message("user", told), THANKS, Message("user", "What colour has my garden gate?")) is None
    )


@pytest.mark.parametrize(
    ("said", "asked", "told"),
    [
        ("My locker is 79.", "Which locker is mine?", True),
        ("My locker is 79.", "And what is my locker number?", True),
        ("Mon casier est le 79.", "Quel est le numéro de mon casier ?", True),
        ("Meine Hutgröße ist 57.", "Welche Hutgröße hab ich nochmal?", True),
        ("My locker is broken.", "And what is my locker number?", False),
        ("My phone has 64 GB.", "What is my phone number?", False),
        ("I opened my bank account in 2015.", "What is my bank account number?", False),
        ("My order was £40.", "What is my order number?", False),
        ("Jana's locker is 41.", "Which locker is mine?", False),
        ("My seat was uncomfortable.", "Which seat is mine?", False),
        ("My permit number is AB-4471.", "What was my permit number again?", True),
        ("My locker is 79.", "Which bench is mine?", False),
        ("My locker is 79.", "Which one is mine?", False),
    ],
)
async def test_which_one_is_mine_and_its_number_what_was_told_of_it_says(said: str, asked: str, told: bool) -> None:
    model = DecidingModel([], words=("no",))
    found = await reading(model, Message("user", said), THANKS, Message("user", asked))
    assert (found is not None) is told


async def test_what_the_user_has_is_told_from_what_is_remembered_without_the_model() -> None:
    fact, model = "I have a Halden boiler.", DecidingModel([], words=("no",))
    asked = (GATE, THANKS, Message("user", "Which boiler do I have?"))
    assert await reading(model, *asked, facts=(fact,)) is not None
    assert await reading(model, *asked, facts=("I have a dog.",)) is None


async def test_the_model_is_not_asked_where_nothing_is_like_the_question() -> None:
    assert await reading(DecidingModel([], words=("yes",)), GATE, THANKS, Message("user", "Who wrote Emma?")) is None


async def test_a_first_question_has_nothing_before_it() -> None:
    assert await reading(DecidingModel([], words=("yes",)), ASKED) is None


async def test_the_word_of_a_model_that_was_not_measured_is_not_taken() -> None:
    model = ScriptedModel([], info=ModelInfo("other-7b", "embedded", 4096))
    assert await reading(model, *CHAT) is None


def test_what_the_user_asked_is_no_statement_in_any_script() -> None:
    said = text_statements("I live in Ghent. Where is the ferry to it? フェリーはどこですか？")
    assert list(said) == [("I live in Ghent.", False)]


def test_a_short_question_takes_nothing_away_from_the_statement_before_it() -> None:
    said = list(text_statements("The boiler is from 2011. Is it old? Well? It hums at night."))
    assert said == [("The boiler is from 2011.", False), ("It hums at night.", False)]
    assert list(text_statements("The boiler is from 2011. Old, no?")) == [("The boiler is from 2011.", False)]


async def test_no_tool_is_called_for_what_the_user_said_before() -> None:
    model = DecidingModel([says("It is 4471.")], words=("yes", "search"))
    steps = PipelineModel(model, WordEmbedder(dimensions=384))
    pieces = [piece async for piece in steps.reply(CHAT, [SEARCH])]
    assert "".join(getattr(piece, "delta", "") for piece in pieces) == "It is 4471."
    assert not any(isinstance(piece, Done) and piece.usage == Usage() for piece in pieces)
    assert "Passage: The user said: The code of the garden gate is 4471." in model.sent[0][0][-3].content


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("when was ida's birthday again?", True),
        ("When was Ida born?", True),
        ("When was Tom born?", False),
        ("When were you born?", False),
        ("Where was Ida born?", False),
        ("When is the exhibition for Ida's birthday?", False),
    ],
)
async def test_a_remembered_birthday_is_told_whichever_word_is_asked_with(asked: str, told: bool) -> None:
    facts = ["The user's sister Ida was born on 3 May 1990"]
    found = await reading(DecidingModel([], words=("no",)), *CHAT[:2], Message("user", asked), facts=facts)
    assert (found is not None and found.quote == facts[0]) is told


def test_of_a_summary_the_notes_of_what_the_user_said_are_statements_and_not_those_of_answers() -> None:
    told = [("User", "Our wedding was in June."), ("Assistant", "Rain falls from clouds.")]
    told += [("User", "I tune old pianos in Odo.")]
    notes = "\n".join(excerpt_line(Excerpt(place, *one)) for place, one in enumerate(told))
    said = [said for said, _ in text_statements(notes)]
    assert said == ["Our wedding was in June.", "I tune old pianos in Odo."]
