"""How likely each sentence of some passages answers a question."""

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.choosing.lines import (
    FEATURES,
    PassageQuery,
    likeliest_lines,
    likeness_of,
    line_features,
)
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.sentences import split_sentences
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.embedder import WordEmbedder

BATHS = "The Orla baths stand by the river and were built in 1911. A swim costs £4. Towels are lent at the desk."
POOL = "The pool of Vellin was built in 1930. A swim costs £9. It was shut for a year."


def sources(**texts: str) -> list[Source]:
    named = enumerate(texts.items(), 1)
    return [Source(n, Passage(text, f"https://{n}.test", title.replace("_", " "), "web")) for n, (title, text) in named]


async def lines_of(question: str, form: str = "fact", **texts: str) -> list[str]:
    finder, asked = EvidenceFinder(SentenceEmbedder()), PassageQuery(question, form)
    ranked = await finder.rank_evidence(question, sources(**texts))
    return [line.sentence for line in await likeliest_lines(finder, ranked, asked)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does a swim in the Orla baths cost?", "A swim costs £4."),
        ("What do they charge for a swim in the pool of Vellin?", "A swim costs £9."),
        ("What is lent to visitors in the Orla baths?", "Towels are lent at the desk."),
    ],
)
async def test_the_sentence_of_the_page_that_is_asked_about_comes_first(question: str, answer: str) -> None:
    assert (await lines_of(question, Orla_baths=BATHS, Pool_of_Vellin=POOL))[0] == answer


PARCELS = (
    "| Weight | Inland | Abroad |\n|---|---|---|\n| up to 2 kg | £4.10 | £9.80 |\n| 2-5 kg | £6.30 | £13.40 |\n"
    "| 5-10 kg | £8.20 | £21.50 |"
)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("how much is a parcel of 3 kilos", "Weight: 2-5 kg, Inland: £6.30, Abroad: £13.40"),
        ("What does a parcel of 7.5 kilos abroad cost?", "Weight: 5-10 kg, Inland: £8.20, Abroad: £21.50"),
    ],
)
async def test_of_the_rows_of_a_table_the_one_comes_first_whose_cell_answers(question: str, row: str) -> None:
    assert (await lines_of(question, Parcels=f"We send what you bring.\n\n{PARCELS}"))[0] == row


async def test_each_sentence_is_there_once_and_neither_headings_nor_questions_are() -> None:
    twice = f"# Prices\n\nWhat does a swim cost? {BATHS}"
    lines = await lines_of("What does a swim cost?", Orla_baths=twice, The_same_baths=BATHS)
    assert sorted(lines) == sorted(split_sentences(BATHS))


async def test_of_no_passages_there_are_no_lines() -> None:
    assert await lines_of("What does a swim cost?") == []


async def test_a_line_is_of_the_kind_that_is_asked_for_only_where_one_is() -> None:
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    for question, form, of_kind in (
        ("What does a swim cost?", "fact", {"A swim costs £4."}),
        ("What does a swim cost?", "explain", set()),
        ("What stands by the river?", "fact", set()),
    ):
        asked = PassageQuery(question, form)
        lines = await likeliest_lines(finder, await finder.rank_evidence(question, sources(Baths=BATHS)), asked)
        told = line_features(lines, await likeness_of(finder, lines), asked)
        assert told.shape == (len(lines), len(FEATURES))
        assert {line.sentence for line, row in zip(lines, told, strict=True) if row[FEATURES.index("kind")]} == of_kind


async def test_what_newer_minutes_say_comes_before_what_older_ones_said() -> None:
    older = "The spring fair of Orla is planned for Saturday 12 June 2027. The band plays at noon."
    newer = "The council cannot close the street on that day. New date of the fair: Saturday 19 June 2027."
    asked = "When will the spring fair of Orla take place?"
    minutes = {"Orla_fair_minutes_of_14_September_2026": older, "Orla_fair_minutes_of_9_November_2026": newer}
    assert (await lines_of(asked, **minutes))[0] == "New date of the fair: Saturday 19 June 2027."
    # What is not of the kind that is asked for takes nothing's place.
    assert (await lines_of("What time does the band of Orla play?", **minutes))[0] == "The band plays at noon."


async def test_who_does_something_now_is_not_who_did_it_by_older_minutes() -> None:
    older = "The posters of the Orla fair are painted by Ada Benn: 40 of them for £90."
    newer = "Benn is ill until June. We ask the Vellin Workshop: 40 posters for £75."
    minutes = {"Orla_fair_minutes_of_14_September_2026": older, "Orla_fair_minutes_of_9_November_2026": newer}
    assert "Vellin" in (await lines_of("Who paints the posters of the Orla fair now?", **minutes))[0]
    assert "Ada" in (await lines_of("Who paints the posters of the Orla fair?", **minutes))[0]
