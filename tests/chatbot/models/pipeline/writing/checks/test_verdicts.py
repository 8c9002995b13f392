"""Answers to questions for yes or no."""

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import WordShares
from chatbot.models.pipeline.writing.checks.verdicts import (
    affirms_what_is_denied,
    answer_plainly,
    charges_for_what_is_free,
    contradicts,
    loses_only,
    without_word,
    words_by_language,
)
from chatbot.prompts.phrases import phrase_languages
from tests.fakes.deciding import DecidingModel

QUESTION = "May I bring my dog in August?"
BANNED, ALLOWED = "Dogs are banned in August.", "You may bring your dog in August."


class JudgingModel(DecidingModel):
    """Says of each text what it is told to say of it."""

    def __init__(self, *allowing: str, sure: float = 0.95) -> None:
        super().__init__([])
        self.allowing = allowing
        self.sure = sure

    async def weigh_words(self, messages: list[Message], words: tuple[str, ...]) -> WordShares:  # type: ignore[override]
        allows = any(text in messages[-1].content for text in self.allowing)
        sure = self.sure if allows else 1 - self.sure
        return WordShares({"yes": sure, "no": 1 - sure})


async def test_a_clear_no_stands_before_what_the_passage_says() -> None:
    said = await answer_plainly(JudgingModel(), "Yes, dogs are banned in August.", BANNED, QUESTION, "en")
    assert said == "No. Dogs are banned in August."


async def test_a_clear_yes_is_said_in_the_language_of_the_answer() -> None:
    told = "Im August dürfen Hunde mit."
    said = await answer_plainly(JudgingModel(told), f"Ja, {told}", told, "Darf mein Hund im August mit?", "de")
    assert said == f"Ja. {told}"


async def test_an_answer_that_says_the_contrary_of_the_passage_is_none() -> None:
    assert await answer_plainly(JudgingModel(ALLOWED), ALLOWED, BANNED, QUESTION, "en") is None


async def test_where_it_is_not_clear_no_word_is_said() -> None:
    assert await answer_plainly(JudgingModel(sure=0.6), BANNED, BANNED, QUESTION, "en") == BANNED


@pytest.mark.parametrize("sentence", ["Yes, you may bring your dog in August.", "No, you may not bring your dog."])
async def test_where_it_is_not_clear_nothing_is_only_affirmed_or_denied(sentence: str) -> None:
    stays = "In August animals stay at home."
    assert await answer_plainly(JudgingModel("stay", sure=0.6), sentence, stays, QUESTION, "en") is None
    assert await answer_plainly(JudgingModel("bring", "stay"), sentence, stays, QUESTION, "en") is not None


async def test_which_of_two_it_is_is_said_where_yes_and_no_are_unclear() -> None:
    asked, told = "Is the deadline on Friday or on Saturday?", "The deadline is on Friday."
    assert await answer_plainly(JudgingModel(sure=0.6), told, told, asked, "en") == told


async def test_a_no_that_passage_and_answer_have_in_common_is_said_though_it_is_not_clear() -> None:
    denied = "Dogs are not allowed."
    assert await answer_plainly(JudgingModel(sure=0.6), denied, denied, "Are dogs allowed?", "en") == denied


@pytest.mark.parametrize(
    ("sentence", "language", "bare"),
    [
        ("Yes, you may.", "en", "You may."),
        ("Nein: Hunde bleiben draußen.", "de", "Hunde bleiben draußen."),
        ("No puedes entrar.", "es", "No puedes entrar."),
        ("是的，可以。", "zh", "可以。"),
        ("No dogs are allowed.", "en", "No dogs are allowed."),
    ],
)
def test_the_word_that_a_model_begins_with_is_left_out(sentence: str, language: str, bare: str) -> None:
    assert without_word(sentence, language) == bare


def test_there_are_words_in_every_language_of_the_phrases() -> None:
    assert set(words_by_language()) == phrase_languages()


@pytest.mark.parametrize(
    ("quote", "sentence", "lost"),
    [
        ("A lamp comes with the large tent only.", "The small tent comes with a lamp.", True),
        ("A lamp comes with the large tent only.", "A lamp comes only with the large tent.", False),
        ("Hunde sind nur im Garten erlaubt.", "Hunde sind erlaubt.", True),
        ("A lamp comes with it.", "It comes with a lamp.", False),
        ("It is only open from May on.", "It is not open in April.", False),
        ("この券は土曜日のみ使えます。", "この券は日曜日に使えます。", True),
    ],
)
def test_what_is_said_of_one_thing_alone_is_not_said_of_another(quote: str, sentence: str, lost: bool) -> None:
    assert loses_only(quote, sentence) is lost


@pytest.mark.parametrize(
    ("quote", "sentence", "charged"),
    [
        ("The dealer changes the tyre free of charge.", "You have to pay to have the tyre changed.", True),
        ("Der Verleih ist kostenlos.", "Ja, der Verleih kostet etwas.", True),
        ("L'entrée est gratuite le dimanche.", "Il faut payer l'entrée.", True),
        ("The dealer changes the tyre free of charge.", "You do not have to pay for it.", False),
        ("The dealer changes the tyre free of charge.", "The tyre is changed free of charge.", False),
        ("Parking is free; a day ticket costs £4.", "You have to pay for a day ticket.", False),
        ("The path is free of snow.", "You have to pay at the gate.", False),
        ("The map is free.", "You find it on the page for customers of platform 2.", False),
        ("A day ticket costs £4.", "You have to pay.", False),
    ],
)
def test_what_a_passage_gives_for_nothing_need_not_be_paid(quote: str, sentence: str, charged: bool) -> None:
    assert charges_for_what_is_free(quote, sentence) is charged


@pytest.mark.parametrize(
    ("quote", "sentence", "question", "affirmed"),
    [
        (
            "Si paga in contanti: la carta non funziona.",
            "Si può pagare con la carta.",
            "Si può pagare con carta?",
            True,
        ),
        (
            "Si paga in contanti: la carta non funziona.",
            "Non si può pagare con la carta.",
            "Si può pagare con carta?",
            False,
        ),
        ("It is open on Mondays but not on Sundays.", "It is open on Mondays.", "Is it open on Mondays?", False),
        ("The mill is closed on Mondays.", "It is open on Tuesdays.", "Is it open on Tuesdays?", False),
        ("The pool is not only open in summer.", "The pool is open.", "Is the pool open?", False),
        ("There is no charge for parking.", "Parking is free.", "Is parking free?", False),
        ("Hunde sind auf der Wiese da, im See nicht.", "Hunde sind da.", "Sind Hunde auf der Wiese da?", False),
        ("Dogs are not allowed in the hut.", "Dogs are allowed.", "Are dogs allowed in the hut?", True),
        ("Dogs may not enter, but sleep in the porch.", "Dogs may sleep in the porch.", "May I bring my dog?", False),
        ("Dogs are allowed.", "Dogs are allowed.", "Are dogs allowed in the hut?", False),
        ("It is not closed on Mondays.", "It is closed on Mondays.", "Is it not closed on Mondays?", False),
    ],
)
def test_what_was_asked_is_not_just_affirmed_where_the_passage_denies(
    quote: str, sentence: str, question: str, affirmed: bool
) -> None:
    assert affirms_what_is_denied(quote, sentence, question) is affirmed


def test_a_yes_before_it_does_not_make_an_affirmation_of_what_is_denied_another() -> None:
    denied, asked = "Dogs are not allowed in the hut.", "Are dogs allowed in the hut?"
    assert contradicts(denied, "Yes, dogs are allowed.", asked, "en")
    assert not contradicts(denied, "No, dogs are not allowed.", asked, "en")
