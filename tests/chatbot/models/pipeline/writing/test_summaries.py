from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.writing.summaries import lead_of, left_out
from rag.documents import Passage

MILL = (
    "Ardle has 390 inhabitants and lies on the river Wend.",
    "The mill was built in 1871 by the carpenter Joan Tarrant.",
    "It may be seen on Sundays, and a visit costs four crowns.",
    "The mill burned down in 1920 and was built again by the village.",
)


def test_what_a_summary_said_in_other_words_is_not_added_to_it() -> None:
    reading = Reading("\n".join(MILL), (Source(1, Passage(" ".join(MILL), "https://ardle.test", "", "web")),))
    told = "It was built in 1871 by Joan Tarrant."
    added = [sentence for sentence, _ in left_out(reading, "Summarise it.", told, [1], "en")]
    assert added == [MILL[0], MILL[2], MILL[3]]


def test_what_a_summary_lacks_is_told_in_the_order_of_the_text_and_without_signs_of_items() -> None:
    method = "2. Add the rest of the flour and let the dough rise for two hours."
    sources = [Source(1, Passage(" ".join(MILL[:2]), "https://ardle.test", "", "web"))]
    sources.append(Source(2, Passage(method, "https://ardle.test", "", "web")))
    told = "It lies on the river Wend and has 390 inhabitants."
    added = left_out(Reading("", tuple(sources)), "Summarise it.", told, [1], "en")
    assert added == [(MILL[1], 1), (method.removeprefix("2. "), 2)]


def test_of_a_summary_in_which_all_is_said_nothing_was_left_out() -> None:
    reading = Reading("\n".join(MILL), (Source(1, Passage(" ".join(MILL), "https://ardle.test", "", "web")),))
    assert left_out(reading, "Summarise it.", " ".join(MILL), [1], "en") == []


def test_where_a_text_bears_out_nothing_of_a_summary_its_own_sentences_are_told() -> None:
    reading = Reading("\n".join(MILL), (Source(1, Passage(" ".join(MILL), "https://ardle.test", "", "web")),))
    assert [one for one, _ in left_out(reading, "Summarise it in 3 sentences.", "", [], "en")] == list(MILL)
    assert left_out(reading, "Summarise it in 3 sentences.", "Ardle has a mill.", [1], "en") == []
    assert left_out(reading, "Fasse es zusammen.", "", [], "de") == []


def test_a_summary_begins_with_the_sentence_that_the_document_begins_with() -> None:
    text = f"# Ardle\n\nBy our reporter Ines Brook, on the second of May\n\n{' '.join(MILL)}"
    page = Source(3, Passage(text, "https://ardle.test", "Ardle", "web"))
    later = Source(4, Passage(" ".join(MILL), "https://ardle.test", "Ardle", "web", 1))
    assert lead_of(Reading("", (page, later)), "Summarise it.", "en") == (MILL[0], 3)
    for reading, question, language in (
        (Reading("", (later,)), "Summarise it.", "en"),
        (Reading("", (page,)), "Summarise it in one sentence.", "en"),
        (Reading("", (page,)), "Summarise it in 2 sentences.", "en"),
        (Reading("", (page,)), "Fasse es zusammen.", "de"),
        (Reading(text), "Summarise it.", "en"),
    ):
        assert lead_of(reading, question, language) is None
