from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import FilledForm
from chatbot.models.pipeline.parts import (
    asks_of_another_time,
    joins_questions,
    may_be_several,
    split_at_question_word,
    split_question,
    with_circumstances,
    with_subject,
)
from tests.fakes.deciding import DecidingModel


@dataclass
class FillingModel(DecidingModel):
    """One that keeps what it was to fill in."""

    asked: list[str] = field(default_factory=list)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        self.asked.append(messages[-1].content)
        return await super().fill_schema(messages, schema)


async def test_a_comparison_that_goes_on_is_taken_apart_by_what_was_compared_before() -> None:
    parts = ["How long is the guarantee of the Arlo 2?", "How long is the guarantee of the Benn X5?"]
    model = FillingModel([], filled={"questions": parts})
    earlier = "Which is heavier, the Arlo 2 or the Benn X5?"
    assert await split_question(model, "And which of them has the longer guarantee?", earlier) == tuple(parts)
    assert model.asked == [f"Earlier: <<<{earlier}>>>\nMessage: <<<And which of them has the longer guarantee?>>>"]


async def test_where_it_is_is_asked_beside_when_it_was_asked_before() -> None:
    earlier, parts = "When is the fair of Ardle?", ("Where is the fair of Ardle?", "Who runs the fair of Ardle?")
    model = DecidingModel([], filled={"questions": parts})
    assert await split_question(model, "Where is it, and who runs it?", earlier) == parts


async def test_the_question_that_was_asked_before_is_not_asked_again_beside_the_parts() -> None:
    earlier, parts = "Does the gym take children?", ("When does the gym open?", "Who runs the gym?")
    model = DecidingModel([], filled={"questions": [earlier, *parts]})
    assert await split_question(model, "When does the gym open, and who runs it?", earlier) == parts
    model = DecidingModel([], filled={"questions": ["Do the gym take a child?", *parts]})
    assert (
        await split_question(model, "When does the gym open, and who runs it?", "Does the gym take a child?") == parts
    )


async def test_a_part_that_names_what_nobody_named_is_not_asked() -> None:
    invented = ["How long is the guarantee of the Lumo A?", "How long is the guarantee of the Lumo B?"]
    model = DecidingModel([], filled={"questions": invented})
    assert await split_question(model, "Which of them has the longer guarantee, and how long is it?") == ()


async def test_a_part_in_a_script_without_capitals_may_say_more_than_the_message() -> None:
    parts = ["青石桥有多长？", "白石桥有多长？"]
    model = DecidingModel([], filled={"questions": parts})
    assert await split_question(model, "青石桥和白石桥哪座桥更长？") == tuple(parts)


@pytest.mark.parametrize(
    ("message", "parts", "asked"),
    [
        (
            "Who won the race in Tarn in 2024, and by how many points?",
            ["Who won the race in Tarn in 2024?", "By how many points?"],
            ["Who won the race in Tarn in 2024?", "By how many points? (Who won the race in Tarn in 2024?)"],
        ),
        (
            "What did the boat to Tarn cost in 2024, and how much is it now?",
            ["What did the boat to Tarn cost in 2024?", "How much is it now?"],
            ["What did the boat to Tarn cost in 2024?", "How much is it now? (What did the boat to Tarn cost?)"],
        ),
        (
            "Who won the race in Tarn, and how many people came to see it this time?",
            ["Who won the race in Tarn?", "How many people came to see it this time?"],
            ["Who won the race in Tarn?", "How many people came to see it this time? (Tarn)"],
        ),
        (
            "when does our book come out, and who was to print it at first?",
            ["When does our book come out?", "Who was to print it at first?"],
            ["When does our book come out?", "Who was to print it at first? (When does our book come out?)"],
        ),
    ],
)
async def test_a_part_that_names_nothing_is_asked_with_what_the_message_names(
    message: str, parts: list[str], asked: list[str]
) -> None:
    model = DecidingModel([], filled={"questions": parts})
    assert await split_question(model, message) == tuple(asked)


async def test_two_things_that_a_message_does_not_name_are_no_first_and_second_one() -> None:
    parts = ["What does the first quote cost?", "What does the second quote cost?"]
    model = DecidingModel([], filled={"questions": parts})
    assert await split_question(model, "Which of my two quotes is cheaper, and by how much?") == ()
    asked = "What does the first quote cost, and what does the second one?"
    assert len(await split_question(model, asked)) == 2


async def test_parts_of_a_message_that_names_nothing_have_the_names_of_what_it_goes_on_from() -> None:
    parts = ["How long does it take in the end?", "At which temperature is it done?"]
    model = DecidingModel([], filled={"questions": parts})
    said = await split_question(model, "How long does it take, and at which temperature?", "How do I bake Tarn bread?")
    assert said == tuple(f"{part} (Tarn)" for part in parts)


def test_two_questions_are_joined_by_a_word() -> None:
    assert joins_questions("What is her name, and where does she work?")
    assert joins_questions("When does it open and at what price?")
    assert not joins_questions("What are the names of Ann and Ben?")
    assert not joins_questions("Do I like tea or coffee?")


@pytest.mark.parametrize(
    ("message", "several"),
    [
        ("How do I join the choir? What do I need to bring?", True),
        ("Wer leitet den Chor? Wann probt er?", True),
        ("My son is ten. How do I sign him up for the choir?", False),
        ("How do I join the choir? It is for my son.", False),
        ("Really? When does the choir rehearse?", False),
        ("What does it cost? When is it open?", True),
        ("I look for a light bike; which weighs less?", False),
        ("Qui a réalisé « Où sont-ils ? » en 1972 ?", False),
        ('Who directed "Where are they now?" in 1972? ', False),
    ],
)
def test_two_questions_in_one_message_ask_for_several_things_without_a_word_that_joins_them(
    message: str, several: bool
) -> None:
    assert may_be_several(message, "explain", "de" if message.startswith("Wer") else "en") is several


async def test_what_is_told_before_a_question_is_not_asked() -> None:
    parts = ["How old is my sister?", "May my sister row without a vest?", "Must my sister take the course?"]
    model = DecidingModel([], filled={"questions": parts})
    message = "My sister is 30 and has a badge. May she row without a vest, and must she take the course?"
    assert await split_question(model, message) == tuple(parts[1:])


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("Is the Arlo 2 heavier than the Benn X5?", ["How heavy is the Arlo 2?", "How heavy is the Benn X5?"]),
        ("Tell me the prices of the gym. Is parking free?", ["What are the prices of the gym?", "Is parking free?"]),
    ],
)
async def test_what_is_wished_or_compared_is_asked_in_other_words(message: str, parts: list[str]) -> None:
    asked = await split_question(DecidingModel([], filled={"questions": parts}), message)
    assert [part.partition(" (")[0] for part in asked] == parts


@pytest.mark.parametrize(
    ("message", "form", "several"),
    [
        ("My son is 12 and has a badge. Must he take the course?", "yesno", False),
        ("My son is 12 and has a badge. Must he take the course and wear a vest?", "yesno", True),
        ("Tell me when the gym opens and closes. Is parking free?", "yesno", True),
        ("I have two questions. When does it open, what does it cost?", "several", True),
        ("What do Mr. Bell and Mrs. Roth teach?", "fact", True),
        ("I cannot choose between the Arlo and the Beam. How much does each of them weigh?", "fact", True),
        ("The Arlo and the Beam are nice. Are both waterproof?", "yesno", True),
        ("The Arlo and the Beam are nice. How much does each cost?", "fact", True),
        ("I like Bell and Roth. How do they know each other?", "explain", False),
        ("In which week did we walk the most, and how many kilometres was it?", "several", False),
        ("In which week did we walk the most, and how many birds did Jo see?", "several", True),
        ("Jo and I take the two o'clock ferry. Does it stop in Vellin?", "yesno", False),
        ("Quiero ir con Ana y Luis. ¿Está abierto a las dos?", "yesno", False),
    ],
)
def test_what_is_told_before_a_question_joins_no_second_one_to_it(message: str, form: str, several: bool) -> None:
    assert may_be_several(message, form, "en") is several


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "Wie viel muss ich zahlen, und wann wird es abgebucht?",
            ("Wie viel muss ich zahlen?", "wann wird es abgebucht? (Wie viel muss ich zahlen?)"),
        ),
        (
            "Who won the cup in Arden, and by how many points?",
            ("Who won the cup in Arden?", "by how many points? (Who won the cup in Arden?)"),
        ),
        (
            "Wer hat das Rennen gewonnen und mit wie viel Vorsprung?",
            (
                "Wer hat das Rennen gewonnen?",
                "mit wie viel Vorsprung? (Wer hat das Rennen gewonnen?)",
            ),
        ),
        ("Who wrote the letter and when?", ()),
        ("What is bread and butter pudding made of?", ()),
        ("Quel est le train qui part de Lyon et qui arrive avant midi ?", ()),
        ("How do I get to the hut and come down again by train?", ()),
        ("How do I know when and where to vote?", ()),
        ("Which of them has the longer guarantee, and how long is it?", ()),
    ],
)
def test_two_questions_that_a_word_joins_are_taken_apart_as_they_stand(message: str, parts: tuple[str, ...]) -> None:
    assert split_at_question_word(message) == parts


@pytest.mark.parametrize(
    ("question", "before", "another"),
    [
        ("How much is the ferry now?", "How much was the ferry in 2025?", True),
        ("How much is the ferry?", "How much was the ferry in 2025?", False),
        ("How much is the ferry now?", "How long is the ferry?", False),
        ("How much is the ferry in 2026?", "How much was the ferry in 2025?", True),
        ("How much was the ferry back in 2025?", "How much was the ferry in 2025?", False),
    ],
)
def test_how_it_is_now_is_not_asked_of_a_year_that_was(question: str, before: str, another: bool) -> None:
    assert asks_of_another_time(question, before) is another


@pytest.mark.parametrize(
    ("message", "parts", "asked"),
    [
        (
            "Harrow campsite, small tent in high season: price 2026 and price 2027?",
            ("What did a small tent cost in 2026?", "What will a small tent cost in 2027?"),
            "(in high season)",
        ),
        (
            "What do the pool and the sauna cost for students?",
            ("What does the pool cost?", "What does the sauna cost?"),
            "",
        ),
        ("Where is the pool and when does it open, in French?", ("Where is the pool?", "When does it open?"), ""),
        ("Where is the pool and when does it open on Sundays?", ("Where is it?", "When does it open on Sundays?"), ""),
    ],
)
def test_when_and_for_whom_something_is_asked_is_lost_in_no_part(
    message: str, parts: tuple[str, ...], asked: str
) -> None:
    asked = asked or ("(for students)" if "students" in message else "")
    assert with_circumstances(parts, message) == tuple(f"{part} {asked}".strip() for part in parts)


@pytest.mark.parametrize(
    ("message", "parts", "whole"),
    [
        (
            "Who prints it now, and for how much?",
            ("Who prints the book?", "For how much?"),
            ("Who prints the book? (now)", "For how much? (now)"),
        ),
        (
            "What did the boat cost in 2024, and how much is it now?",
            ("What did the boat cost in 2024?", "How much is the boat?"),
            ("What did the boat cost in 2024?", "How much is the boat? (now)"),
        ),
        (
            "Who prints it now, and for how much?",
            ("Who prints it now?", "For how much?"),
            ("Who prints it now?", "For how much?"),
        ),
        (
            "We are three now. When is it open, and for whom?",
            ("When is it?", "For whom?"),
            ("When is it?", "For whom?"),
        ),
    ],
)
def test_what_is_asked_of_now_is_asked_so_in_its_parts(
    message: str, parts: tuple[str, ...], whole: tuple[str, ...]
) -> None:
    assert with_circumstances(parts, message) == whole


@pytest.mark.parametrize(
    ("question", "parts", "whole"),
    [
        (
            "How long do they bake, and how hot? (Rye buns)",
            ("How long do they bake?", "How hot?"),
            ("How long do they bake? (Rye buns)", "How hot? (Rye buns)"),
        ),
        ("How long do they bake, and how hot?", ("How long do they bake?",), ("How long do they bake?",)),
        (
            "How long do they bake, and how hot? (Rye buns)",
            ("How long do the Cobs bake?",),
            ("How long do the Cobs bake?",),
        ),
    ],
)
def test_each_part_of_what_goes_on_is_asked_of_what_that_is_about(
    question: str, parts: tuple[str, ...], whole: tuple[str, ...]
) -> None:
    assert with_subject(parts, question, "How long do they bake, and how hot?") == whole


def test_a_part_in_german_is_asked_of_what_that_is_about_though_it_has_a_noun_of_its_own() -> None:
    asked = "Wie lange müssen die Brötchen backen, und bei welcher Temperatur?"
    parts = ("Wie lange backen die Roggenbrötchen?", "Bei welcher Temperatur?", "Was kostet die Fähre nach Amrum?")
    whole = (parts[0], "Bei welcher Temperatur? (Roggenbrötchen)", parts[2])
    assert with_subject(parts, f"{asked} (Roggenbrötchen)", asked) == whole
