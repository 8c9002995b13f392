"""Prices in lines of their own."""

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.choosing.lines import PassageQuery, likeliest_lines
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.sentences import body_sentences
from chatbot.models.pipeline.reading.tables.priced_lines import is_priced, priced_lines
from rag.documents import Passage
from tests.fakes.embedder import WordEmbedder

BATHS = """The baths are heated all year. We are closed on Mondays.

Adults £9.00

Children 4-15 £5.50

Under 4 free

Pensioners from 65 £7.00

Lockers take a pound coin."""
PARCELS = (
    "Der Bus fährt auch sonntags.\n\n- Pakete bis 2 kg: 4,90 €\n- Pakete bis 5 kg: 6,70 €\n- Pakete bis 10 kg: 9,20 €"
)


def test_each_price_in_a_line_of_its_own_is_a_row_with_whom_it_is_for() -> None:
    sentences = body_sentences(BATHS)
    assert sentences[2:6] == ["Adults £9.00", "Children 4-15 £5.50", "Under 4 free", "Pensioners from 65 £7.00"]
    [rows] = priced_lines(sentences)
    assert [[cell for _, cell in row.cells] for row in rows][2:] == [
        ["Under 4", "free"],
        ["Pensioners from 65", "£7.00"],
    ]
    assert [row.spoken for row in rows] == sentences[2:6]


@pytest.mark.parametrize(
    "line",
    [
        "The bridge cost £9.00",
        "It is free.",
        "£9.00",
        "Adults pay nine pounds",
        "Open 9:00",
        "Room 12",
        "See 4. It is £3",
    ],
)
def test_a_sentence_or_a_figure_alone_is_no_list_of_prices(line: str) -> None:
    assert priced_lines([line, "Lockers take a pound coin."]) == []


def test_a_list_without_signs_of_money_is_one_if_it_is_long_enough_and_its_heading_is_kept() -> None:
    bikes = ["Children's bike, from 55", "City bike, from 140", "E-bike, rear wheel ........ 26.50"]
    [rows] = priced_lines(bikes, "Used bikes")
    assert [(row.heading, row.cells[0][1], row.cells[1][1]) for row in rows] == [
        ("Used bikes", "Children's bike", "from 55"),
        ("Used bikes", "City bike", "from 140"),
        ("Used bikes", "E-bike, rear wheel", "26.50"),
    ]
    assert priced_lines(bikes[:2]) == []


async def test_prices_below_another_heading_are_another_list() -> None:
    text = "### Summer\n\nAdults 9.00 €\n\nChildren 5.00 €\n\n### Winter\n\nAdults 7.00 €\n\nChildren 4.00 €"
    found = [Source(1, Passage(text, "/pool", "Pool", "web"))]
    [evidence] = await EvidenceFinder(WordEmbedder(dimensions=384)).rank_evidence(
        "What do adults pay in winter?", found
    )
    assert [(one.row.heading, one.row.cells[1][1]) for one in evidence.rows] == [
        ("Summer", "9.00 €"),
        ("Summer", "5.00 €"),
        ("Winter", "7.00 €"),
        ("Winter", "4.00 €"),
    ]


@pytest.mark.parametrize(
    ("line", "name", "price"),
    [
        ("Warsztaty – 30 zł od osoby", "Warsztaty", "30 zł"),
        ("- Mezza pensione: 58 € (soci CEM 46 €)", "Mezza pensione", "58 €"),
        ("Dzieci do lat 5 – wstęp wolny", "Dzieci do lat 5", "wstęp wolny"),
        ("Cot: £3 / night", "Cot", "£3"),
    ],
)
def test_what_a_price_is_for_may_stand_behind_it(line: str, name: str, price: str) -> None:
    [rows] = priced_lines(["Bilet – 22 zł", line])
    assert [cell for _, cell in rows[1].cells] == [name, price]


@pytest.mark.parametrize(
    "lines",
    [
        ["Montag bis Freitag 9-17", "Samstag im Sommer 10-14", "Sonntag im Sommer 11-15"],
        ["Police emergency: 110", "Fire brigade: 112", "Call the doctor: 116117"],
        ["Hauptstraße 12", "Bahnhofstraße 5", "Ringstraße 107"],
        ["Bus zum Hafen ab 8.15", "Bus zur Schule ab 9.30", "Bus ins Tal ab 14.00"],
        ["Number of rooms: 24", "Year of building: 1968", "Founded by monks 1204"],
        ["Ajax - PSV 3-1", "Feyenoord - Twente 2-2", "Utrecht - Breda 0-4"],
        ["## Winter season from 2026", "## Summer season from 2027", "## Season from 2028"],
    ],
)
def test_lists_of_other_figures_are_no_prices(lines: list[str]) -> None:
    assert priced_lines(lines) == []


def test_dots_that_lead_to_a_price_end_no_sentence() -> None:
    told = "Front wheel ........ 18.00\n\nRear wheel ........ 26.50\n\nNew chain ........ 34.00"
    assert body_sentences(told) == told.split("\n\n")


def test_what_costs_nothing_is_free_in_words() -> None:
    assert is_priced("Under 4: free") and is_priced("Moins de 4 ans : gratuit")
    assert not is_priced("Freezer") and not is_priced("It is smoke-free inside")


@pytest.mark.parametrize(
    ("text", "question", "line"),
    [
        (BATHS, "my son is 3, what does he pay?", "Under 4 free"),
        (BATHS, "my gran is 71, how much is it for her?", "Pensioners from 65 £7.00"),
        (BATHS, "what do i pay for my daughter, shes 12?", "Children 4-15 £5.50"),
        (PARCELS, "was kostet ein paket mit 1,5 kg?", "- Pakete bis 2 kg: 4,90 €"),
        (PARCELS, "was kostet ein paket mit 3 kilo?", "- Pakete bis 5 kg: 6,70 €"),
    ],
)
async def test_of_a_list_of_prices_the_one_for_such_a_number_is_read_first(
    minilm: EvidenceFinder, text: str, question: str, line: str
) -> None:
    ranked = await minilm.rank_evidence(question, [Source(1, Passage(text, "https://x.test", "The place", "web"))])
    known = await minilm.knows_language(question)
    lines = await likeliest_lines(minilm, ranked, PassageQuery(question, "fact"), known=known)
    assert lines[0].sentence == line
