from collections.abc import Sequence
from dataclasses import replace

import pytest

from chatbot.conversation.messages import Message, Source
from chatbot.models.base import ModelInfo, WordShares
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.answerability import holds_answer
from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from rag.chunking.tables import table_rows
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel


class DoubtingModel(DecidingModel):
    """Says no as small models say it: not surely."""

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        return WordShares({"yes": 0.25, "no": 0.75})


@pytest.mark.parametrize(
    ("quote", "form", "holds"),
    [
        ("Dogs are not allowed in the hall.", "yesno", True),
        ("Hunde sind in der Halle verboten.", "yesno", True),
        ("Les chiens ne sont pas admis.", "yesno", True),
        ("大厅内禁止带狗。", "yesno", True),
        ("Dogs are not allowed in the hall.", "fact", False),
        ("The hall has a green door.", "yesno", False),
    ],
)
async def test_a_sentence_that_forbids_answers_whether_one_may_though_the_model_says_no(
    quote: str, form: str, holds: bool
) -> None:
    reading = Reading(quote, alike=0.9, coverage=0.5, quote=quote)
    model = DoubtingModel([])
    assert await holds_answer(model, reading, "May I bring my dog into the hall?", form) == holds


async def test_a_row_of_the_day_and_the_season_answers_when_something_closes() -> None:
    pool = "| Day | May to September | October to April |\n|---|---|---|\n| Saturday | 8-20 | 10-16 |"
    row = "Day: Saturday, May to September: 8-20, October to April: 10-16"
    reading = Reading(row, (Source(1, Passage(pool, "/pool", "Pool", "file")),), alike=0.9, coverage=0.3, quote=row)
    model = DoubtingModel([])
    assert await holds_answer(model, reading, "When does it close on a Saturday in winter?")
    assert not await holds_answer(model, reading, "Who sweeps the hall on a Saturday?")


async def test_a_cell_that_is_clearly_ahead_in_a_row_with_a_word_of_the_question_is_believed() -> None:
    shop = "# Tip\n\n| Waste | Charge |\n|---|---|\n| Car tyres | £4 each |\n| Rubble | £3 per bag |"
    row = "Tip – Waste: Car tyres, Charge: £4 each"
    tyres, rubble = table_rows(shop)
    weighed = (WeighedRow(tyres, (0.0, 9.0)), WeighedRow(rubble, (0.0, 4.0)))
    source = Source(1, Passage(shop, "/tip", "Tip", "web"))
    reading = Reading(row, (source,), alike=0.5, coverage=0.3, quote=row, rows=weighed)
    doubting = DoubtingModel([])
    assert await holds_answer(doubting, reading, "What do old tyres cost?")
    assert not await holds_answer(doubting, reading, "What does a fridge cost?")
    assert not await holds_answer(doubting, reading, "Who made the tyres?")
    near = replace(reading, rows=(weighed[0], WeighedRow(rubble, (0.0, 8.9))))
    assert not await holds_answer(doubting, near, "What do old tyres cost?")


@pytest.mark.parametrize(
    ("quote", "question", "form", "holds"),
    [
        ("Horses may stay in the yard only.", "May I take my horse with me to the Orla barn?", "yesno", True),
        ("Reiten darf man im Hof nur mit Helm.", "Darf meine Tochter dort allein reiten?", "yesno", True),
        ("Children use the pool only with an adult.", "Is the pool heated in the Orla barn?", "yesno", False),
        ("The Orla barn may be closed in winter.", "May I take my horse with me to the Orla barn?", "yesno", False),
        (
            "« La Lampe » : vendredi à 20 h, dimanche à 17 h",
            "À quelle heure passe « La Lampe » le dimanche ?",
            "fact",
            True,
        ),
        ("« La Lampe » : vendredi à 20 h", "À quelle heure passe « La Lampe » le dimanche ?", "fact", False),
    ],
)
async def test_a_rule_about_what_is_asked_and_the_times_of_its_day_answer_though_the_model_says_no(
    quote: str, question: str, form: str, holds: bool
) -> None:
    source = Source(1, Passage(quote, "/barn", "The Orla barn, Reitenhof", "file"))
    reading = Reading(quote, (source,), alike=0.62, coverage=0.4, quote=quote)
    assert await holds_answer(DoubtingModel([]), reading, question, form) == holds


@pytest.mark.parametrize(
    ("question", "off"),
    [
        ("Who painted Boy with a Red Cap?", True),
        ("How many rooms has the Orla Museum?", False),
        ("Wie viele Räume hat das Haus in Bergen?", False),
        ("How many rooms has it?", False),
        ("What happens if I'm late and I've paid already?", False),
        ("Is English or French spoken there?", False),
    ],
)
def test_a_passage_without_any_name_of_a_question_is_of_something_else(question: str, off: bool) -> None:
    passage = Passage("The museum has nine rooms.", "/orla", "The museum of Orla", "web")
    assert Reading(passage.text, (Source(1, passage),), alike=0.6).is_off_subject(question) is off


@pytest.mark.parametrize(
    ("question", "english", "off"),
    [
        ("Was kostet eine Nacht in der Alder Hut?", "How much is a night in the Alder Hut?", True),
        ("Wie viele Räume hat das Orla Museum?", "How many rooms has the Orla Museum?", False),
        ("Wie viele Räume hat das Museum von Wien Mitte?", "How many rooms has the museum of Vienna?", False),
        ("Was kostet eine Nacht in der Alder Hut?", "", False),
    ],
)
def test_of_a_german_question_the_names_count_that_it_has_in_english_too(
    question: str, english: str, off: bool
) -> None:
    passage = Passage("The museum has nine rooms.", "/orla", "The museum of Orla", "web")
    assert Reading(passage.text, (Source(1, passage),), alike=0.6).is_off_subject(question, english) is off


async def test_leniency_does_not_make_up_for_a_passage_that_is_like_nothing_where_the_model_is_not_asked() -> None:
    class Unmeasured(DecidingModel):
        async def describe(self) -> ModelInfo:
            return ModelInfo("other-7b", "embedded", 4096)

    rule = "Horses may stay in the yard only."
    reading = Reading(rule, (Source(1, Passage(rule, "/barn", "Barn", "file")),), alike=0.1, coverage=0.1, quote=rule)
    assert not await holds_answer(Unmeasured([]), reading, "May I take my horse there?", "yesno")


@pytest.mark.parametrize(("alike", "coverage", "holds"), [(0.9, 0.2, False), (0.4, 0.9, True)])
async def test_words_and_the_models_word_tell_whether_a_passage_answers_and_not_how_like_the_question_it_is(
    alike: float, coverage: float, holds: bool
) -> None:
    reading = Reading("The hall has a green door.", alike=alike, coverage=coverage, quote="The hall has a green door.")
    # Of yes and no it knows nothing: both are as likely.
    assert await holds_answer(DecidingModel([], words=("yes", "no")), reading, "Who painted the door?") is holds


@pytest.mark.parametrize(("share", "holds"), [(0.9, True), (0.5, True), (0.05, False)])
async def test_a_sentence_that_the_model_did_not_choose_hardly_answers(share: float, holds: bool) -> None:
    reading = Reading("The hall has a green door.", coverage=0.5, quote="The hall has a green door.", share=share)
    assert await holds_answer(DecidingModel([], words=("yes", "no")), reading, "Who painted the door?") is holds


class MisledBy(DecidingModel):
    """Says no of what is asked with some words, and yes of all else."""

    def __init__(self, misleading: str) -> None:
        super().__init__([])
        self.misleading = misleading

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        share = 0.1 if self.misleading in messages[-1].content else 0.9
        return WordShares({"yes": share, "no": 1 - share})


async def test_what_is_told_behind_a_question_does_not_stand_in_the_way_of_its_answer() -> None:
    quote = "The door was painted by Ada Brook."
    reading = Reading(quote, coverage=0.5, quote=quote)
    remark = "Who painted the door of the hall? She taught me to paint."
    assert await holds_answer(MisledBy("She taught me"), reading, remark)
    assert await holds_answer(
        MisledBy("She taught me"), reading, "Who painted the door of the hall? I have to know. She taught me."
    )
    assert not await holds_answer(
        MisledBy("She taught me"), reading, "Who painted the door of the hall? I have to use a chair. She taught me."
    )
    assert not await holds_answer(
        MisledBy("She taught me"), reading, "Who painted the door? I want to know what She taught me."
    )
    assert not await holds_answer(MisledBy("She taught me"), reading, f"{remark} She is a painter.")


async def test_nor_does_what_is_told_before_it_unless_it_may_be_a_condition() -> None:
    quote = "A fridge costs 12 pounds."
    reading = Reading(quote, coverage=0.5, quote=quote)
    assert await holds_answer(MisledBy("old fridge"), reading, "My old fridge broke down. What does a fridge cost?")
    assert not await holds_answer(
        MisledBy("old fridge"), reading, "My old fridge is 30 years old. What does a fridge cost?"
    )


async def test_nor_does_where_it_is_to_be_looked_up() -> None:
    quote = "The name Orla is made of two others."
    reading = Reading(quote, coverage=0.5, quote=quote)
    assert await holds_answer(
        MisledBy("according to"), reading, "Where does the name Orla come from, according to the town's pages?"
    )
    assert not await holds_answer(MisledBy("according to"), reading, "Who, according to the rules, lives there?")


async def test_nor_does_the_and_before_it_though_it_has_a_figure() -> None:
    quote = "On 24 December the baths close at 14:00."
    reading = Reading(quote, coverage=0.5, quote=quote)
    assert await holds_answer(MisledBy("and until"), reading, "and until when are the baths open on 24 December?")
