from collections.abc import Sequence
from dataclasses import replace

import pytest

from chatbot.conversation.messages import Message, Source
from chatbot.models.base import Done, Piece, Text
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import Intent, Wording
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.knowing import Knowledge
from chatbot.models.pipeline.plans import Situation
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel
from tests.fakes.model import USAGE

ASKED, ENGLISH = "Bei wie viel Grad schmilzt Kupfer?", "At what temperature does copper melt?"
SURE, UNSURE = (-0.1, -0.2), (-1.9, -1.4)


def says(text: str, logs: Sequence[float]) -> list[Piece]:
    return [Text(text, logs=tuple(logs)), Done(USAGE)]


def at(asked: str = ASKED, english: str = ENGLISH, form: str = "fact") -> Situation:
    decision = Decision({"web_search": 1.0}, form=form)
    intent = Intent(asked, decision, "de" if english else "en", (asked,), english)
    return Situation(read_turns([Message("user", asked)]), (), intent)


async def test_a_model_is_asked_in_english_and_tells_it_in_the_language_of_the_question() -> None:
    known, told = "Copper melts at 1085 degrees Celsius.", "Kupfer schmilzt bei 1085 Grad Celsius."
    model = DecidingModel([says(known, SURE), says(told, SURE)])
    assert await Knowledge(model, str).tell(at()) == told
    first, second = (messages for messages, *_ in model.sent)
    assert first[-1].content == ENGLISH
    assert known in second[-3].content and ASKED in second[-3].content


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (says("Copper melts at 900 degrees.", UNSURE), says("Kupfer schmilzt bei 900 Grad.", SURE)),
        (says("Copper melts at 1085 degrees.", SURE), says("Kupfer schmust bei 1085 Grad.", UNSURE)),
        (says("Copper melts at 1085 degrees.", SURE), says("Kupfer schmilzt bei 108 Grad.", SURE)),
    ],
)
async def test_what_a_model_is_not_sure_of_or_says_amiss_in_the_users_language_is_not_told(
    known: list[Piece], told: list[Piece]
) -> None:
    assert await Knowledge(DecidingModel([known, told]), str).tell(at()) == ""


async def test_a_figure_of_the_question_may_be_a_word_in_one_of_the_languages() -> None:
    model = DecidingModel([says("15 percent of 360 is 54.", SURE), says("360的百分之十五是54。", SURE)])
    asked = at("360的百分之十五是多少？", "What is 15 percent of 360?")
    asked = replace(asked, intent=replace(asked.intent, language="zh"))
    assert await Knowledge(model, str).tell(asked) == "360的百分之十五是54。"


async def test_a_question_in_english_is_asked_once() -> None:
    model = DecidingModel([says("Copper melts at 1085 degrees.", SURE)])
    assert await Knowledge(model, str).tell(at(ENGLISH, "")) == "Copper melts at 1085 degrees."


async def test_a_model_that_tells_no_likelihoods_is_believed_only_where_it_is_trusted() -> None:
    for trusting, told in ((False, ""), (True, "Kupfer schmilzt bei 1085 Grad.")):
        model = DecidingModel([says("Copper melts at 1085 degrees.", ()), says("Kupfer schmilzt bei 1085 Grad.", ())])
        assert await Knowledge(model, str).tell(at(), trusting=trusting) == told


async def test_whether_something_is_so_at_a_place_that_is_named_no_model_knows() -> None:
    for asked, told in (("May dogs go into the zoo of Vellin?", ""), ("Can dogs swim?", "Yes, they can.")):
        model = DecidingModel([says("Yes, they can.", SURE)])
        assert await Knowledge(model, str).tell(at(asked, "", "yesno")) == told
    # By its words, whatever form it is taken to be of.
    model = DecidingModel([says("Yes, you can.", SURE)])
    assert await Knowledge(model, str).tell(at("Can I leave tins of paint at the tip of Vellin?", "")) == ""


async def test_what_is_allowed_no_model_knows() -> None:
    for asked in ("Can I take my bike on the tram at half past seven?", "May I take both pills together?"):
        model = DecidingModel([says("Yes, you can.", SURE)])
        assert await Knowledge(model, str).tell(at(asked, "", "yesno")) == ""


async def test_what_is_allowed_where_the_talk_goes_on_from_no_model_knows() -> None:
    for message, english, told in (
        ("May my dog come along in August?", "", ""),
        ("Can dogs swim in August?", "", "Yes, they can."),
    ):
        model = DecidingModel([says("Yes, they can.", SURE)])
        asked = at(f"{message} (the zoo)", english, "yesno")
        own = Wording(message, f"{message} (the zoo)", "")
        asked = replace(asked, intent=replace(asked.intent, own=own), turns=read_turns([Message("user", message)]))
        assert await Knowledge(model, str).tell(asked) == told


async def test_a_question_with_a_name_of_its_own_is_not_asked_together_with_the_one_before() -> None:
    decision = Decision({"web_search": 1.0}, going_on=0.3)
    for asked, alone in (("Who painted The Night Watch?", True), ("And who painted it in Holland?", False)):
        model = DecidingModel([says("Rembrandt painted it.", SURE)])
        turns = read_turns(
            [Message("user", "How far is the mill?"), Message("assistant", "A mile."), Message("user", asked)]
        )
        await Knowledge(model, str).tell(Situation(turns, (), Intent(asked, decision, "en", (asked,))))
        sent = [message.content for message in model.sent[0][0]]
        assert ("How far is the mill?" not in sent) is alone


@pytest.mark.parametrize(
    ("message", "answer", "told"),
    [
        ("who scored for them", "The Rovers won by three goals. [1]", ""),
        ("who scored for them", "The Rovers won by three goals.", "Nobody did."),
        ("who scored for Vellin", "The Rovers won by three goals. [1]", "Nobody did."),
        ("who scores in the dark", "The Rovers won by three goals. [1]", "Nobody did."),
    ],
)
async def test_of_what_a_page_told_no_model_knows_more(message: str, answer: str, told: str) -> None:
    page = Source(1, Passage("The Rovers won by three goals.", "https://news.test", "The derby", "web"))
    before = [Message("user", "Who won the derby?", sources=(page,)), Message("assistant", answer)]
    decision = Decision({"web_search": 1.0}, going_on=0.9)
    turns = read_turns([*before, Message("user", message)])
    asked = Situation(turns, (), Intent(message, decision, "en", (message,)))
    assert await Knowledge(DecidingModel([says("Nobody did.", SURE)]), str).tell(asked) == told


async def test_what_something_costs_or_when_it_opens_no_model_knows() -> None:
    for asked in ("What does an adult pay at the zoo of Vellin?", "At what time does the zoo close?"):
        model = DecidingModel([says("It is ten.", SURE)])
        assert await Knowledge(model, str).tell(at(asked, ""), trusting=True) == ""
    model = DecidingModel([says("It cost $7.2 million.", SURE)])
    assert await Knowledge(model, str).tell(at("How much did Alaska cost?", "")) == "It cost $7.2 million."
