"""Which sentence answers a question: the model's choice beside what the vectors say."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chatbot.conversation.messages import Message, Source
from chatbot.models.base import WordShares
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.choosing.likeliest import LINES, likeliest_readings, with_chosen_quote
from chatbot.models.pipeline.reading.choosing.lines import PassageQuery
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.documents import Passage
from tests.fakes.deciding import ReadingModel
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel

QUESTION = "Who conducts the Harrow Band?"
WON = "The Harrow Band has won the finals in Westering."
LED = "The conductor, Ada Brook, had them rehearse in the dark."
PAID = "The trip of the band was paid by pasties."


def sources(*texts: str) -> list[Source]:
    return [Source(n, Passage(text, f"https://{n}.test", "Harrow Band", "web")) for n, text in enumerate(texts, 1)]


async def quotes(model: ScriptedModel, *texts: str, question: str = QUESTION) -> list[str]:
    finder, asked = EvidenceFinder(WordEmbedder(dimensions=384)), PassageQuery(question, "fact")
    readings = await likeliest_readings(model, finder, sources(*texts), asked)
    return [reading.quote for reading in readings]


async def test_the_sentence_that_the_model_chooses_comes_first_and_the_others_by_how_near_they_are() -> None:
    assert (await quotes(ReadingModel([], chooses="pasties"), WON, LED, PAID))[0] == PAID
    assert (await quotes(ReadingModel([]), WON, LED, PAID))[0] == LED


async def test_a_reading_has_the_models_share_for_its_sentence_and_what_was_too_far_to_be_chosen_the_least() -> None:
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    found = sources(WON, LED, PAID, "The Harrow Band plays.", "The Harrow Band sings.", "Nothing of that kind.")
    model = ReadingModel([], chooses="conductor")
    led, *others, last = await likeliest_readings(model, finder, found, PassageQuery(QUESTION, "fact"))
    assert led.quote == LED and led.share > max(other.share for other in others)
    assert last.quote == "Nothing of that kind." and last.share == min(other.share for other in others)


async def test_of_one_passage_the_sentence_that_is_chosen_is_the_one_that_is_read() -> None:
    assert await quotes(ReadingModel([], chooses="conductor"), f"{WON} {PAID} {LED}") == [LED]


async def test_a_passage_stands_where_its_likeliest_sentence_does_whatever_else_it_says() -> None:
    said = await quotes(ReadingModel([], chooses="conductor"), f"{WON} {PAID}", LED)
    assert said == [LED, WON]


async def test_for_a_model_that_was_not_measured_the_likeliest_line_comes_first_without_asking_it() -> None:
    class Unasked(ScriptedModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            raise AssertionError("asked")

    assert await quotes(Unasked([]), WON, LED) == [LED, WON]


STREETS = "The water is off in these streets:\n- Mill Lane, all numbers\n- Old Quay\n- Weir Road up to the bridge"


@pytest.mark.parametrize(
    ("question", "form", "together"),
    [
        ("Where is no water?", "list", True),
        ("Which streets have no water?", "fact", True),
        ("What does the trip cost?", "fact", False),
    ],
)
async def test_of_a_list_the_items_have_the_shares_of_all(question: str, form: str, together: bool) -> None:
    class Undecided(ReadingModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            return WordShares({word: 1 / len(words) for word in words})

    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    found = await likeliest_readings(Undecided([]), finder, sources(STREETS, PAID), PassageQuery(question, form))
    shares = {reading.sources[0].number: reading.share for reading in found}
    assert (shares[1] > 0.5) is together


async def test_a_sentence_that_is_far_nearer_than_the_next_is_taken_without_asking() -> None:
    question = "Has the Harrow Band won the finals in Westering?"
    said = await quotes(ReadingModel([], chooses="conductor"), WON, LED, PAID, question=question)
    assert said[0] == WON


async def test_a_sentence_that_has_not_what_is_asked_for_is_put_to_the_choice_however_near_it_is() -> None:
    question = "Who had the Harrow Band win the finals in Westering?"
    said = await quotes(ReadingModel([], chooses="conductor"), WON, LED, PAID, question=question)
    assert said[0] == LED


@pytest.mark.parametrize("texts", [(), (WON,)])
async def test_where_there_is_nothing_to_choose_nobody_is_asked(texts: tuple[str, ...]) -> None:
    assert await quotes(ReadingModel([]), *texts) == []


async def test_a_row_that_the_question_names_is_not_put_to_the_choice() -> None:
    table = "| Ticket | Price |\n|---|---|\n| Child | £3 |\n| Adult | £6 |"
    assert await quotes(ReadingModel([], chooses="Child"), table, question="What is the price for an adult?") == []


HOURS = "| Day | Ice | Disco |\n|---|---|---|\n| Friday | 9:00 | 19:00 |\n| Saturday | 10:00 | 20:00 |"


@pytest.mark.parametrize(
    ("hours", "question", "taken"),
    [
        (HOURS, "open on saturdays", True),
        ("- Friday: 9:00 - 17:00\n- Saturday: 10:00 - 18:00", "open on saturdays", True),
        (HOURS, "open", False),
        ("| Day | Sweeper |\n|---|---|\n| Friday | Tom |\n| Saturday | Ida |", "open on saturdays", False),
        ("- Saturday: 10:00 - 18:00\n- Saturday before Easter: 9:00", "open on saturdays", False),
    ],
)  # fmt: skip
async def test_the_one_row_of_the_day_that_is_asked_for_is_not_put_to_the_choice(
    hours: str, question: str, taken: bool
) -> None:
    season = "There is ice from 17 October to 14 March."
    said = await quotes(ReadingModel([], chooses="17 October"), hours, season, question=f"When does it {question}?")
    assert (said[0] != season) is taken


async def test_in_a_language_that_no_vector_knows_what_has_no_hour_is_not_said_to_tell_one() -> None:
    asked = PassageQuery("A que horas fecha o mercado?", "fact", "At what time does the market close?")
    found = sources("O mercado abriu em 1927.", "Sexta-feira: 7h00 - 19h00.", "O mercado tem 43 bancas.")
    for foreign, quote in (("A que horas", found[1].passage.text), ("\0", found[0].passage.text)):
        finder = EvidenceFinder(WordEmbedder(dimensions=384, foreign=foreign))
        first, *_ = await likeliest_readings(ReadingModel([], chooses="1927"), finder, found, asked)
        assert first.quote == quote


async def test_only_the_nearest_sentences_are_put_to_the_choice_and_no_headings() -> None:
    asked = list[str]()

    class Noting(ReadingModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            asked.append(messages[-1].content)
            return await super().weigh_words(messages, words)

    await quotes(Noting([]), "# Harrow Band\n\nThe band plays.", *[f"The band has player {n}." for n in range(9)])
    assert "# Harrow" not in asked[0]
    assert [line[0] for line in asked[0].splitlines() if line[1:3] == ". "] == [str(n + 1) for n in range(LINES)]


async def test_of_frequent_questions_what_answers_is_put_to_the_choice_with_its_question() -> None:
    asked = list[str]()

    class Noting(ReadingModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            asked.append(messages[-1].content)
            return await super().weigh_words(messages, words)

    faq = (
        "- Who is it that leads the band now?\n- Ada Brook does, since the year 1998.\n"
        "- What does a lesson of the band cost?\n- Nothing at all for its members.\n"
    )
    assert await quotes(Noting([], chooses="Nothing"), faq, WON, question="What must I pay for lessons of the band?")
    lines = [line.partition(". ")[2] for line in asked[0].splitlines() if line[1:3] == ". "]
    assert any("What does a lesson of the band cost? - Nothing at all for its members." in line for line in lines)
    assert not any(line.endswith("cost?") for line in lines)


async def test_of_a_text_that_was_attached_the_model_chooses_the_sentence_that_is_quoted() -> None:
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    [source] = sources(f"{WON} {PAID} {LED}")
    reading = Reading(source.passage.text, (source,), quote=WON)
    chosen = await with_chosen_quote(ReadingModel([], chooses="conductor"), finder, reading, QUESTION, "")
    assert (chosen.quote, chosen.text) == (LED, reading.text)
    worked_out = replace(reading, certain=True)
    assert (
        await with_chosen_quote(ReadingModel([], chooses="conductor"), finder, worked_out, QUESTION, "") == worked_out
    )
