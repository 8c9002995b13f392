from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.answer_evidence import choose_passages, read_sources
from chatbot.models.pipeline.reading.evidence import EvidenceFinder, fitting_sentences
from chatbot.models.pipeline.reading.repeated_snippets import without_repeated_snippets
from chatbot.models.pipeline.reading.sentences import body_sentences, is_head, split_sentences, trim_sentences
from rag.documents import Passage
from tests.fakes.embedder import WordEmbedder

JAPANESE = "塔の高さは三十一メートルで、今も使われています。一八七一年に建てられ、白く塗られました。"


def source(number: int, text: str) -> Source:
    return Source(number, Passage(text, f"https://{number}.test", "Title", "web"))


def test_sentences_end_in_any_script() -> None:
    assert split_sentences("The tower is 31 metres tall. It was built in 1871!\nOpen on Sundays") == [
        "The tower is 31 metres tall.",
        "It was built in 1871!",
        "Open on Sundays",
    ]
    assert split_sentences(
        "塔の高さは三十一メートルで、今も使われています。一八七一年に建てられ、白く塗られました。"
    ) == [
        "塔の高さは三十一メートルで、今も使われています。",
        "一八七一年に建てられ、白く塗られました。",
    ]


def test_the_day_of_a_month_ends_no_sentence() -> None:
    told = ["Abgeholt wird am 3. Dezember und am 18. Mai.", "Es beginnt um 18.", "Danach ist Ruhe."]
    assert split_sentences(" ".join(told)) == told
    assert split_sentences("Otevřeno je od 3. prosince do 15. ledna.") == ["Otevřeno je od 3. prosince do 15. ledna."]


def test_an_initial_is_no_sentence() -> None:
    assert split_sentences("J. R. Harrow built the light in 1871.") == ["J. R. Harrow built the light in 1871."]


def test_a_long_passage_is_trimmed_to_whole_sentences_around_the_best_one() -> None:
    sentences = ["a b c", "d e f", "g h i", "j k l"]
    assert list(trim_sentences(sentences, 1, 6)) == ["d e f", "g h i"]
    assert list(trim_sentences(sentences, 3, 3)) == ["j k l"]
    assert list(trim_sentences(sentences, 0, 100)) == sentences


async def test_what_a_search_told_of_a_page_is_not_read_beside_the_page_unless_it_says_more() -> None:
    address, told = "https://boats.test", "Lund 4 Lund 6 Weight 2."
    page = Source(1, Passage("The boats. | Lund 4 | Lund 6 |\nWeight 2.1 t, 2.9 t", address, "Boats", "web"))
    found = [page, *(Source(2, Passage(text, address, "Boats", "snippet")) for text in (told, "Price on request."))]
    assert [one.passage.text for one in without_repeated_snippets(found)] == [page.passage.text, "Price on request."]
    assert without_repeated_snippets(found[1:]) == found[1:]


async def test_a_passage_whose_language_takes_more_tokens_is_trimmed_to_fewer_words() -> None:
    finder = EvidenceFinder(WordEmbedder())
    lengths = []
    for sentence in ("The ferry leaves the old harbour at nine. ", "Το πλοίο φεύγει από το παλιό λιμάνι στις εννέα. "):
        [evidence] = await finder.rank_evidence("ferry", [Source(1, Passage(sentence * 60, "", "", "file"))])
        lengths.append(len(evidence.text.split()))
    assert lengths[1] < 0.8 * lengths[0] < 160


async def test_the_passage_with_the_best_sentence_comes_first() -> None:
    finder = EvidenceFinder(WordEmbedder())
    sources = [source(1, "Ferries leave at noon. The café is closed."), source(2, "Ferries run. The tower is tall.")]
    ranked = await finder.rank_evidence("the tower is tall", sources)
    assert [(evidence.source.number, evidence.sentences[evidence.best]) for evidence in ranked] == [
        (2, "Ferries run. The tower is tall."),
        (1, "The café is closed."),
    ]


async def test_a_sentence_is_embedded_once() -> None:
    embedder = WordEmbedder()
    finder = EvidenceFinder(embedder)
    for _ in range(2):
        await finder.rank_evidence("the tower", [source(1, "The tower is tall, as towers go.")])
    assert embedder.texts == ["the tower", "The tower is tall, as towers go."]


async def test_a_passage_of_an_older_edition_is_not_read_beside_the_newer_one() -> None:
    old = Source(1, Passage("The concert is on Saturday in the church.", "a", "Minutes, 14 September 2026", "file"))
    new = Source(2, Passage("Moved: the concert is on Sunday in the canteen.", "b", "Minutes, 2 November 2026", "file"))
    finder, question = EvidenceFinder(WordEmbedder()), "When and where is the concert?"
    ranked = await finder.rank_evidence(question, [old, new])
    asked = (await finder.embed_texts([question]))[0]
    assert [e.source.number for e in choose_passages(asked, ranked, "several")] == [2]


async def test_a_fact_in_a_row_that_the_question_names_is_read_there_alone() -> None:
    hours = "| Day | Open |\n|---|---|\n| Friday | 8-17 |\n| Saturday | 9-13 |"
    finder, question = EvidenceFinder(WordEmbedder()), "When is the toll house open on Saturday?"
    season = source(2, "The toll house is open when the snow is gone, on or about the first of May.")
    ranked = await finder.rank_evidence(question, [source(1, hours), season])
    # By a model of meaning the row comes first; here each word counts as much as any other.
    ranked.sort(key=lambda one: not one.named)
    asked = (await finder.embed_texts([question]))[0]
    assert [one.source.number for one in choose_passages(asked, ranked, "fact")] == [1]
    assert [one.source.number for one in choose_passages(asked, ranked, "several")] == [1, 2]


async def test_the_row_of_a_pages_table_with_the_most_of_what_is_asked_is_read_alone() -> None:
    table = "| Model | Weight | Runs |\n|---|---|---|\n| Orla 3 | 40 g | 9 hours |\n| Orla 5 | 52 g | 14 hours |\n"
    page = Passage(f"{table}| Orla Mini | 31 g | 6 hours |", "https://orla.test", "Orla lamps", "web")
    finder = EvidenceFinder(WordEmbedder())
    longest = await read_sources(finder, [Source(4, page)], "Which Orla lamp runs longest?", "fact")
    assert longest is not None and longest.certain and longest.passage_numbers == (4,)
    assert longest.quote == "Model: Orla 5, Weight: 52 g, Runs: 14 hours"
    lightest = await read_sources(finder, [Source(4, page)], "Which lamp has the lowest weight?", "fact")
    assert lightest is not None and lightest.quote == "Model: Orla Mini, Weight: 31 g, Runs: 6 hours"
    other = await read_sources(finder, [Source(4, page)], "Which Benn lamp runs longest?", "fact")
    assert other is not None and not other.certain
    plain = await read_sources(finder, [Source(4, page)], "What is the weight of the Orla 3?", "fact")
    assert plain is not None and not plain.certain


async def test_a_passage_that_says_the_month_and_year_of_the_question_comes_first() -> None:
    pages = [
        source(1, "What we grind in the mill: wheat, rye and spelt, but for the flood in May."),
        source(2, "12 May 2026\nA flood in the mill spoiled ten tonnes of flour."),
    ]
    finder = EvidenceFinder(WordEmbedder())
    for asked, first in (("What happened in the mill in May 2026?", 2), ("What of the flood in the mill?", 1)):
        assert (await finder.rank_evidence(asked, pages))[0].source.number == first


async def test_how_heavy_something_is_the_row_of_its_weight_says() -> None:
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    told = "It is of brass and needs no key.\n\n| What | Arlo |\n|---|---|\n| Depth | 9 cm |\n| Weight | 310 g |"
    source = Source(1, Passage(told, "https://clock.test", "Arlo clock", "web"))
    asked = (("How heavy is the Arlo clock?", "310 g"), ("How deep is the Arlo clock?", "9 cm"))
    for question, row in (*asked, ("How far down does the Arlo clock go?", "9 cm")):
        [evidence] = await finder.rank_evidence(question, [source])
        assert row in evidence.sentences[evidence.best]


def test_prose_that_has_the_word_of_a_measure_and_other_questions_for_how_much_get_nothing_for_it() -> None:
    prose, labelled = "Visitors under the age of 12 pay 4 pounds.", "Age: 684 years"
    looked = [(source(1, f"{prose} {labelled}"), [prose, labelled])]
    told = fitting_sentences("How old is the castle?", "How old is the castle?", looked)
    assert told[1] > told[0]
    fee = [(source(1, "Height: 2.4 m"), ["Height: 2.4 m", "Deposit: £200"])]
    told = fitting_sentences("How high is the deposit for a van?", "How high is the deposit for a van?", fee)
    assert told[0] == told[1]


async def test_no_row_of_prices_is_read_for_leave() -> None:
    page = source(1, "| Pass | Child |\n|---|---|\n| Day pass | £8 |\n\nA child below ten swims with a parent only.")
    finder = EvidenceFinder(WordEmbedder())
    for asked, best in (("May my child swim alone?", 1), ("What does a day pass for a child cost?", 0)):
        found = (await finder.rank_evidence(asked, [page]))[0]
        assert (found.best, found.named) == (best, not best)


async def test_of_two_editions_the_newer_one_comes_first_unless_the_question_names_the_year() -> None:
    finder = EvidenceFinder(WordEmbedder())
    old = Source(1, Passage("The ferry leaves at 7 in the morning.", "https://a.test/1", "Ferry timetable 2025", "web"))
    new = Source(
        2, Passage("The ferry leaves at 6 in the morning.", "https://a.test/2", "Ferry timetable of 2026", "web")
    )
    other = Source(3, Passage("The cafe of the ferry is closed.", "https://a.test/3", "The great fire of 1871", "web"))

    async def first(question: str) -> int:
        return (await finder.rank_evidence(question, [old, new, other]))[0].source.number

    assert await first("When the ferry leaves in the morning") == 2
    assert await first("When the ferry leaves in the morning 2025") == 1
    assert await first("The cafe of the ferry is closed") == 3


def test_long_rows_of_a_table_and_long_headings_are_lines_of_their_own() -> None:
    text = (
        "# Baths\n\n## Opening hours of the public pool and of the sauna that is beside it\nChildren swim for free.\n\n"
        "## Hours\n\n| Day | Opens | Closes |\n|---|---|---|\n"
        "| Monday, where it is not in the holidays | closed | closed |\n"
        "| Tuesday, where it is not in the holidays | 7:00 | 20:00 |\n"
    )
    assert body_sentences(text) == [
        "Children swim for free.",
        "Hours – Day: Monday, where it is not in the holidays, Opens: closed, Closes: closed",
        "Hours – Day: Tuesday, where it is not in the holidays, Opens: 7:00, Closes: 20:00",
    ]


async def test_a_sentence_does_not_come_before_others_for_naming_what_the_title_names() -> None:
    table = "# Linden alpine hut\n\n| Bed | Guests |\n|---|---|\n| Dormitory | 25 |\n\nThe ascent takes three hours."
    passage = Passage(table, "", "Linden alpine hut", "web")
    finder = EvidenceFinder(WordEmbedder())
    [evidence] = await finder.rank_evidence("How long is the ascent to the Linden alpine hut?", [Source(1, passage)])
    assert evidence.sentences[evidence.best] == "The ascent takes three hours."


def test_where_and_when_a_page_was_written_says_nothing_by_itself() -> None:
    assert is_head("Bergen, 9. November 2026.")
    assert is_head("17 November 2026")
    assert is_head("Bergen, le 9 novembre 2026")
    assert is_head("Madrid, 9 de noviembre de 2026")
    assert not is_head("It closed in 1963.")
    assert not is_head("Opened: 3 May 2026")
    assert not is_head("Schlüsselübergabe am 8. Mai 2026")
    assert not is_head("Opening Day 3 May 2026")
    assert not is_head("Leistung 2000 Watt")
    assert not is_head("Adults 12 euros, pupils 6 euros")


async def test_of_two_things_that_are_compared_the_page_of_the_other_one_is_read_too() -> None:
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    question = "Which stove boils water faster, the Arlo or the Benn?"
    texts = [
        Passage("The Arlo stove boils water in three minutes and faster.", "/arlo", "Arlo", "web"),
        Passage("A stove for water.", "/stoves", "Stoves", "web"),
        Passage("Which stove boils faster, nobody says of the Benn stove.", "/benn", "Benn", "web"),
    ]
    sources = [Source(number, passage) for number, passage in enumerate(texts, 1)]
    reading = await read_sources(finder, sources, question, "several")
    assert reading is not None
    assert {1, 3} <= set(reading.passage_numbers)


async def test_the_page_of_a_sister_comes_behind_that_of_what_is_asked_about() -> None:
    finder = EvidenceFinder(WordEmbedder(dimensions=384))
    told = ("The wall is 16 metres high.", "At 13 metres its wall is high.")
    pages = [
        Source(number, Passage(text, f"https://{name}.test", f"Orla {name}", "web"))
        for number, (name, text) in enumerate(zip(("Oldham", "Newham"), told, strict=True), 1)
    ]
    first, second = await finder.rank_evidence("How high is the wall of the Orla hall in Newham?", pages)
    assert first.source.number == 2 and second.older


async def test_of_two_tables_with_a_stop_the_one_comes_first_that_goes_the_way_asked_for(
    minilm: EvidenceFinder,
) -> None:
    head = "| Stop | First bus | Last bus |\n|---|---|---|"
    there = f"## From Vellin to Orla\n{head}\n| Station | 6:10 | 23:05 |\n| Orla quay | 6:40 | 23:35 |"
    back = f"## From Orla to Vellin\n{head}\n| Orla quay | 5:50 | 22:20 |\n| Station | 6:20 | 22:50 |"
    asked = "when does the last bus leave vellin station"
    for texts in ((there, back), (back, there), (f"{back}\n\n{there}",)):
        one_page = [Source(number, Passage(text, "/bus", "Bus", "web")) for number, text in enumerate(texts, 1)]
        ranked = await minilm.rank_evidence(asked, one_page)
        assert "23:05" in ranked[0].sentences[ranked[0].best]


async def test_the_page_of_what_is_asked_stays_before_another_one_with_a_likelier_cell(minilm: EvidenceFinder) -> None:
    prices = "| Ticket | Price |\n|---|---|\n| Day ticket | {} |\n| Evening ticket | £4 |"
    museum = f"{prices.format('£5')}\n| Year ticket | £30 |\n| Group ticket | £3 |\n| Child ticket | £2 |"
    sources = [
        Source(1, Passage(museum, "/museum", "Harbour Museum: prices", "web")),
        Source(2, Passage(prices.format("£12"), "/castle", "Orla Castle: prices", "web")),
    ]
    ranked = await minilm.rank_evidence("How much is a day ticket at Orla Castle?", sources)
    assert ranked[0].source is sources[1]


async def test_a_row_is_found_by_words_that_were_typed_without_their_accents(minilm: EvidenceFinder) -> None:
    trains = (
        "| Tren | Sábados | Domingos |\n|---|---|---|\n| Primer tren | 9:45 | 10:00 |\n| Último tren | 18:40 | 17:50 |"
    )
    ranked = await minilm.rank_evidence("a que hora sale el ultimo tren los sabados", [source(1, trains)])
    assert "18:40" in ranked[0].sentences[ranked[0].best] and ranked[0].named
