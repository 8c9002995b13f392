from collections.abc import Sequence
from dataclasses import replace

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.base import Done, Text
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.reading.answer_evidence import FOREIGN_LIKENESS, Reading
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.tables.cell_features import CellQuery
from chatbot.models.pipeline.reading.tables.cells import weigh_cells
from chatbot.models.pipeline.writing.answering import AnswerWriter
from chatbot.models.pipeline.writing.given import Supports
from chatbot.prompts.phrases import fill_phrase
from rag.chunking.tables import table_rows
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel
from tests.fakes.model import USAGE, says

STREET = (
    "The council decided by eleven votes to six that Market Street is closed to cars.",
    "The rule begins on the first of March and holds from ten to six.",
    "Lorries may deliver until ten, and residents get a permit.",
    "Benches and trees will cost the town four hundred thousand pounds.",
    "The shopkeepers collected many signatures against the whole plan.",
)


async def test_a_summary_begins_as_its_text_does_and_is_filled_with_sentences_from_all_of_it() -> None:
    sources = tuple(Source(n, Passage(said, "https://town.test", "", "web")) for n, said in enumerate(STREET, 1))

    async def supports(sentence: str, found: Sequence[Source], question: str) -> bool:
        return any(sentence.strip() in source.passage.text for source in found)

    model = DecidingModel([says(STREET[4], " The mayor has resigned over it.")])
    reading = Reading("\n".join(STREET), sources, certain=True)
    writer = AnswerWriter(model, Part("Summarise it.", "summary", reading, read=True), "en")
    said = await said_by(writer, supports)
    assert said == f"{STREET[0]} [1] {STREET[4]} [5] {STREET[1]} [2] {STREET[2]} [3] {STREET[3]} [4]"
    assert writer.written.cited == [1, 5, 2, 3, 4]
    brief = Part("Summarise https://town.test/2026 in 2 sentences.", "summary", reading, read=True)
    writer = AnswerWriter(DecidingModel([says(STREET[4])]), brief, "en")
    assert await said_by(writer, supports) == f"{STREET[4]} [5]"
    alone = replace(reading, sources=sources[:1])
    writer = AnswerWriter(DecidingModel([says(STREET[0])]), Part("Summarise it.", "summary", alone, read=True), "en")
    assert await said_by(writer, supports) == f"{STREET[0]} [1]"


async def test_an_offer_to_help_is_no_summary_of_a_text() -> None:
    sources = (Source(0, Passage(" ".join(STREET), "street.md", "street.md", "file")),)
    reading = Reading(" ".join(STREET), sources, certain=True)
    model = DecidingModel([says("I would be glad to help.", " Could you give me the text?", f" {STREET[0]}")])
    writer = AnswerWriter(model, Part("Summarise it in four sentences.", "summary", reading, read=True), "en")
    said = await said_by(writer, always)
    assert said.strip().startswith(STREET[0]) and "glad" not in said and "?" not in said
    model = DecidingModel([says("Sure, I would be glad to help with the town.")])
    writer = AnswerWriter(model, Part("Summarise it in four sentences.", "summary", reading, read=True), "en")
    assert STREET[1] in await said_by(writer, always)


async def said_by(writer: AnswerWriter, supports: Supports) -> str:
    """What an answer says, or what is quoted in its place."""
    said = "".join([piece.delta async for piece in writer.write_answer(supports) if isinstance(piece, Text)])
    return said or writer.best_sentence()


async def never(sentence: str, found: Sequence[Source], question: str) -> bool:
    return False


async def always(sentence: str, found: Sequence[Source], question: str) -> bool:
    return True


async def test_a_question_said_again_is_no_answer() -> None:
    question, told = "When does the fair begin?", "The fair begins on the fifth of December."
    source = Source(1, Passage(told, "https://fair.test", "", "web"))
    reading = Reading(told, (source,), alike=0.8, quote=told)
    for again in (question, f'{question} (Harrow fair)? "\n'):
        writer = AnswerWriter(DecidingModel([says(again)]), Part(question, "fact", reading, read=True), "en")
        said = await said_by(writer, always)
        assert said == f"“{told}” [1]"


async def test_in_a_language_that_no_vector_knows_the_line_is_quoted_that_an_answer_in_english_means() -> None:
    told = "Εισιτήρια – Επιβάτης: Ενήλικας, Τιμή: 18,50"
    source = Source(1, Passage(told, "https://ferry.test", "", "web"))
    for coverage, price, english, shown in (
        (0.7, "19,50", "It costs 19.50 euros.", f"“{told}” [1]"),
        (0.2, "19,50", "It costs 18.50 euros.", f"“{told}” [1]"),
        (0.2, "18,50", "It costs 19.50 euros.", ""),
    ):
        reading = Reading(told, (source,), alike=FOREIGN_LIKENESS, coverage=coverage, quote=told)
        part = Part("Πόσο κοστίζει το εισιτήριο ενήλικα;", "fact", reading, read=True)
        replies = [says(f"Κοστίζει {price} ευρώ."), says(english)]
        writer = AnswerWriter(DecidingModel(replies), part, "el")
        said = await said_by(writer, never)
        assert said == shown


async def test_an_answer_that_stays_in_another_language_gives_way_to_the_passage_in_the_users() -> None:
    told, wrong = (
        "L'orto chiude alle 16:30 in tutti i mesi d'inverno.",
        "The garden closes at 16:30 all through winter.",
    )
    source = Source(1, Passage(told, "https://orto.test", "", "web"))
    reading = Reading(told, (source,), alike=0.8, quote=told)
    part = Part("A che ora chiude d'inverno l'orto?", "fact", reading, read=True)
    writer = AnswerWriter(DecidingModel([says(wrong), says(wrong)]), part, "it")
    assert await said_by(writer, always) == f"“{told}” [1]"


async def test_from_a_passage_in_another_language_an_answer_is_written_and_checked_in_that_and_told_in_the_users() -> (
    None
):
    passage = "L'orto chiude alle 16:30 in tutti i mesi d'inverno, e il mercoledì resta chiuso tutto il giorno."
    source = Source(1, Passage(passage, "https://orto.test", "", "web"))
    reading = Reading(passage, (source,), alike=0.8, quote=passage)
    part = Part("When does the garden close in winter?", "fact", reading, read=True)
    own, checked = "L'orto chiude alle 16:30 d'inverno.", list[str]()

    async def supports(sentence: str, found: Sequence[Source], question: str) -> bool:
        checked.append(sentence)
        return True

    for told, shown in (
        ("The garden closes at 16:30 in winter.", "The garden closes at 16:30 in winter. [1]"),
        ("The garden closes at 18:30 in winter.", f"“{passage}” [1]"),
        ("The garden closes at 16:30 on a Monday in winter.", f"“{passage}” [1]"),
        ("L'orto chiude alle 16:30.", f"“{passage}” [1]"),
    ):
        writer = AnswerWriter(DecidingModel([says(own), says(told)]), part, "en")
        assert await said_by(writer, supports) == shown
    assert set(checked) == {own}


async def test_of_a_list_the_line_with_the_figures_of_the_answer_is_quoted() -> None:
    told = "- Contract with Wren Mobile, since May\n- £13.50 a month, 18 GB\n- until 30 June 2027, not before"
    source = Source(1, Passage(told, "/home/me/phone.md", "My phone", "file"))
    reading = Reading(told, (source,), alike=0.4, quote="- Contract with Wren Mobile, since May")
    part = Part("What do I pay a month for my phone?", "fact", reading, read=True)
    for answer, shown in (
        ("You pay £13.50 a month for it.", "“£13.50 a month, 18 GB” [1]"),
        ("You pay £15 a month for it.", ""),
        ("You pay it until June.", ""),
    ):
        writer = AnswerWriter(DecidingModel([says(answer)]), part, "en")
        assert await said_by(writer, never) == shown


async def test_a_line_that_has_but_a_date_of_the_answer_is_not_quoted_before_what_it_is_the_date_of() -> None:
    news = "On Monday 9 May 2027 the guild decided by a vote to move the fish market to the old quay."
    told = f"{news} The move begins on 3 June 2028."
    source = Source(1, Passage(told, "https://fish.test", "Fish market", "web"))
    part = Part(
        "What is new about the fish market?", "fact", Reading(told, (source,), alike=0.7, quote=news), read=True
    )
    writer = AnswerWriter(DecidingModel([says("The fish market will move to the old quay in 2028.")]), part, "en")
    assert await said_by(writer, never) == f"“{news}” [1]"


async def test_a_row_of_a_table_that_says_no_is_quoted_behind_the_word_for_it_in_the_users_language() -> None:
    table = "| Case | Covered |\n|---|---|\n| Breakage, packed | yes |\n| Breakage, not packed | no |"
    row = "Case: Breakage, not packed, Covered: no"
    reading = Reading(table, (Source(1, Passage(table, "/home/me/vase.md", "", "file")),), alike=0.5, quote=row)
    part = Part("Ist die Vase versichert, wenn sie nicht verpackt war?", "yesno", reading, read=True)
    english = "Is the vase insured if it was not packed?"
    writer = AnswerWriter(DecidingModel([says("The vase is insured.")]), part, "de", english)
    assert await said_by(writer, never) == f"Nein. “{row}” [1]"


async def test_a_sentence_of_a_passage_about_something_else_is_not_quoted() -> None:
    """The check of each answer has refused what the model said; the nearest sentence is of another thing."""
    for about, quoted in (("Arnholt", False), ("Corvey", True)):
        passage = Passage(f"A ticket for the {about} tower costs 4 euros.", "https://tower.test", "Tickets", "web")
        reading = Reading(passage.text, (Source(1, passage),), alike=0.8, quote=passage.text)
        part = Part("What does a ticket for the Corvey tower cost?", "fact", reading, read=True)
        writer = AnswerWriter(DecidingModel([says("It costs 9 euros.")]), part, "en")
        assert await said_by(writer, never) == (f"“{passage.text}” [1]" if quoted else "")


async def test_nothing_is_quoted_where_the_model_said_that_the_passage_says_nothing_of_it() -> None:
    told = "A tram to the mill runs every 8 minutes."
    for said, form, quoted in (
        ("The passage does not provide the answer.", "fact", False),
        ("The passage does not provide the answer.", "several", True),
        ("The tram takes 34 minutes.", "fact", True),
    ):
        reading = Reading(told, (Source(1, Passage(told, "https://tram.test", "", "web")),), alike=0.8, quote=told)
        part = Part("How long does the tram to the mill take?", form, reading, read=True)
        writer = AnswerWriter(DecidingModel([says(said)]), part, "en")
        assert await said_by(writer, never) == (f"“{told}” [1]" if quoted else "")


async def test_signs_alone_are_no_answer() -> None:
    told = "The fair begins on the fifth of December."
    source = Source(1, Passage(told, "https://fair.test", "", "web"))
    reading = Reading(told, (source,), alike=0.8, quote=told)
    part = Part("When does the fair begin?", "fact", reading, read=True)
    writer = AnswerWriter(DecidingModel([says('"')]), part, "en")
    said = await said_by(writer, always)
    assert said == f"“{told}” [1]"


async def test_to_who_does_something_a_sentence_that_has_neither_a_name_nor_what_is_done_is_not_quoted() -> None:
    for told, quoted in (
        ("The orchestra was founded in 1971 by five students and has 60 players.", False),
        ("The orchestra is led by Pia Renner.", True),
        ("A different guest conducts the orchestra each year.", True),
    ):
        source = Source(1, Passage(told, "https://town.test", "Arnholt orchestra", "web"))
        reading = Reading(told, (source,), alike=0.8, quote=told)
        part = Part("Who conducts the Arnholt orchestra?", "fact", reading, read=True)
        writer = AnswerWriter(DecidingModel([says("Ines Varga.")]), part, "en")
        assert await said_by(writer, never) == (f"“{told}” [1]" if quoted else "")


async def test_which_of_two_has_more_is_not_said_by_what_is_about_one_of_them_alone() -> None:
    one = Source(1, Passage("The Vexa 10 runs for nine hours.", "https://shop.test/10", "Vexa 10", "web"))
    other = Source(2, Passage("The Lumo 7 runs for twelve hours.", "https://shop.test/7", "Lumo 7", "web"))
    for sources, shown in (((one,), ""), ((one, other), "The Vexa 10 runs longer. [1]")):
        text = "\n".join(source.passage.text for source in sources)
        part = Part("Which of them runs longer? (Vexa 10, Lumo 7)", "fact", Reading(text, sources), read=True)
        writer = AnswerWriter(DecidingModel([says("The Vexa 10 runs longer.")]), part, "en")
        assert await said_by(writer, always) == shown


async def test_a_sentence_with_no_word_of_which_things_are_asked_for_answers_nothing() -> None:
    told = "The school is open, but its kitchen has nothing but cold food. Pea Row and Elm Lane lack power."
    source = Source(1, Passage(told, "https://town.test", "", "web"))
    for answer, shown in (
        ("The school is open, but its kitchen has nothing but cold food.", ""),
        ("Pea Row and Elm Lane.", "Pea Row and Elm Lane. [1]"),
        ("On that day Pea Row and Elm Lane will lack power.", "On that day Pea Row and Elm Lane will lack power. [1]"),
    ):
        part = Part("Which streets lack power on 3 May?", "fact", Reading(told, (source,)), read=True)
        assert await said_by(AnswerWriter(DecidingModel([says(answer)]), part, "en"), always) == shown


async def test_a_sentence_that_was_cut_at_the_length_of_an_answer_is_not_said() -> None:
    told = "The bridge is called Heron Bridge."
    source = Source(1, Passage(told, "https://town.test", "", "web"))
    part = Part("Why is it closed?", "fact", Reading(told, (source,)), read=True)
    for answer, shown in (("It is", ""), ("It is old. It", "It is old. [1]")):
        cut = [Text(answer), Done(USAGE, "length")]
        assert await said_by(AnswerWriter(DecidingModel([cut]), part, "en"), always) == shown


async def test_what_the_user_said_is_quoted_where_the_model_says_nothing_of_it() -> None:
    told = "Meine Tochter Lene hat am 12. Mai Geburtstag."
    reading = Reading(f"The user said: {told}", outside=False, certain=True, quote=told)
    part = Part("Wann hat meine Tochter Geburtstag?", "told", reading, read=True)
    quoted = fill_phrase("you_said", "de", statement=told)
    for answer, shown in (("Du.", quoted), ("Deine Tochter hat am 12. Mai Geburtstag.",) * 2):
        writer = AnswerWriter(DecidingModel([says(answer)]), part, "de")
        assert await said_by(writer, never) == shown


async def test_of_two_things_that_were_asked_of_what_the_user_said_both_are_told() -> None:
    told = "My name is Anneke and I work in Delmont, by the canal."
    reading = Reading(f"The user said: {told}", outside=False, certain=True, quote=told)
    part = Part("What is my name, and where do I work?", "told", reading, read=True)
    quoted = fill_phrase("you_said", "en", statement=told)
    for answer, shown in (
        ("Your name is Anneke.", quoted),
        ("Your name is Anneke, and you work in Delmont.",) * 2,
    ):
        assert await said_by(AnswerWriter(DecidingModel([says(answer)]), part, "en"), never) == shown
    alone = replace(part, question="What is my name?")
    writer = AnswerWriter(DecidingModel([says("Your name is Anneke.")]), alone, "en")
    assert await said_by(writer, never) == "Your name is Anneke."


async def test_what_answered_one_question_of_a_message_does_not_answer_the_next() -> None:
    told = "The bridge opens on 4 May (not on 2 April as planned)."
    source = Source(1, Passage(told, "https://town.test", "", "web"))
    part = Part("Which date was planned before?", "fact", Reading(told, (source,), alike=0.8, quote=told), read=True)
    answer = "The bridge opens on 4 May."
    for again in (answer, "The new bridge opens on 4 May."):
        writer = AnswerWriter(DecidingModel([says(again)]), part, "en", said=f"{answer} [1]")
        assert await said_by(writer, always) == f"“{told}” [1]"
    writer = AnswerWriter(DecidingModel([says("It was 2 April.")]), part, "en", said=f"{answer} [1]")
    assert await said_by(writer, always) == "It was 2 April. [1]"


async def test_the_name_of_an_attached_file_is_no_answer_from_it() -> None:
    told = "Open tasks: Ben asks for offers by 30 November."
    source = Source(0, Passage(told, "notes.md", "notes.md", "file"))
    reading = Reading(told, (source,), alike=0.7, quote=told, certain=True)
    part = Part("Who has open tasks in @/tmp/notes.md ?", "fact", reading, read=True)
    for answer, shown in (("notes.md", f"“{told}”"), ("Ben has one.", "Ben has one.")):
        writer = AnswerWriter(DecidingModel([says(answer)]), part, "en")
        assert await said_by(writer, never) == shown


async def test_a_sentence_without_a_figure_does_not_answer_how_much() -> None:
    told = "Deposit – City bike: none, E-bike: £20. E-bikes cost half for members."
    source = Source(1, Passage(told, "https://bikes.test", "", "web"))
    reading = Reading(told, (source,), alike=0.8, quote="Deposit – City bike: none, E-bike: £20.")
    for question, answer, shown in (
        ("How much is an e-bike?", "E-bikes cost half.", f"“{reading.quote}” [1]"),
        ("How much is an e-bike?", "An e-bike costs £20.", "An e-bike costs £20. [1]"),
        ("How high is the deposit for a city bike?", "There is none.", "There is none. [1]"),
        ("How loud is an e-bike?", "E-bikes have no display.", f"“{reading.quote}” [1]"),
        ("Who pays less?", "Members do.", "Members do. [1]"),
    ):
        writer = AnswerWriter(DecidingModel([says(answer)]), Part(question, "fact", reading, read=True), "en")
        assert await said_by(writer, always) == shown


async def test_a_sentence_without_a_time_answers_when_only_where_the_passage_has_none() -> None:
    dated = "The estimate is to be sent by 12 April."
    part = Part("By when is the estimate to be sent?", "fact", Reading(""), read=True)
    for told, answer, shown in (
        (dated, "The carpet is not insured.", f"“{dated}” [1]"),
        (dated, "By 12 April.", "By 12 April. [1]"),
        ("The estimate is to be sent at once.", "It is to be sent at once.", "It is to be sent at once. [1]"),
    ):
        source = Source(1, Passage(told, "https://letter.test", "", "web"))
        for read, mark in ((source, " [1]"), (replace(source, number=0), "")):
            asked = replace(part, reading=Reading(told, (read,), alike=0.8, quote=told))
            said = await said_by(AnswerWriter(DecidingModel([says(answer)]), asked, "en"), always)
            assert said == shown.replace(" [1]", mark)


async def test_what_a_foreign_question_asks_for_is_told_by_its_english() -> None:
    told = "Το πρακτορείο ανοίγει πριν από κάθε αναχώρηση."
    source = Source(1, Passage(told, "https://ship.test", "", "web"))
    part = Part("Τι ώρα φεύγει το πλοίο;", "fact", Reading(told, (source,), alike=0.8, quote=told), read=True)
    writer = AnswerWriter(DecidingModel([says(told)]), part, "el", "What time does the ship leave?")
    assert await said_by(writer, always) == ""


SISTER = "My sister Ada lives in Ghent."


@pytest.mark.parametrize(
    ("language", "stated", "written", "shown"),
    [
        ("en", SISTER, "Your sister Ada lives in Ghent.", "Your sister Ada lives in Ghent."),
        ("en", SISTER, "She lives in the town of Ghent.", "She lives in the town of Ghent."),
        ("en", SISTER, "My sister lives in Ghent.", f"You said: “{SISTER}”"),
        (
            "en",
            "I live in the old town of Ghent.",
            "I live in the old town of Ghent",
            "You said: “I live in the old town of Ghent.”",
        ),
        ("en", SISTER, "She lives in Paris, France, in 1999.", f"You said: “{SISTER}”"),
        ("de", "Meine Schwester wohnt in Gent.", "Meine Schwester wohnt in Gent.", None),
        ("ja", "私の妹はゲントに住んでいます。", "私の妹はゲントに住んでいます。", None),
    ],
)
async def test_what_the_user_said_is_never_said_as_if_it_were_the_programs_own(
    language: str, stated: str, written: str, shown: str | None
) -> None:
    reading = Reading(f"The user said: {stated}", outside=False, quote=stated, certain=True)
    part = Part("Where does my sister live?", "told", reading, read=True)
    writer = AnswerWriter(DecidingModel([says(written)]), part, language)
    assert await said_by(writer, always) == (shown or fill_phrase("you_said", language, statement=stated))


GAS = (
    "There is no gas here on 3 May:\n- Mill Road, numbers 1 to 9\n- Old Quay\n- Finch Yard up to the gate\n- Bell Lane"
)


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("fact", "There is no gas in Mill Road, Old Quay and Bell Lane."),
        ("list", "- Mill Road, numbers 1 to 9\n- Old Quay\n- Bell Lane"),
    ],
)
async def test_the_item_of_a_list_that_an_answer_forgets_is_told_as_it_stands(form: str, written: str) -> None:
    source = Source(1, Passage(GAS, "https://gas.test", "", "web"))
    reading = Reading(GAS, (source,), alike=0.8, quote="There is no gas here on 3 May:")
    part = Part("Which roads have no gas on 3 May?", form, reading, read=True)
    said = await said_by(AnswerWriter(DecidingModel([says(written)]), part, "en"), never)
    lines = ["- Mill Road, numbers 1 to 9", "- Old Quay", "- Finch Yard up to the gate", "- Bell Lane"]
    assert sorted(said.removesuffix(" [1]").splitlines()) == sorted(lines)


async def test_a_page_of_this_year_that_names_another_one_says_nothing_of_that_one() -> None:
    passage = Passage(
        "It replaces the one of 2025. The lift carries 95 people.", "https://ferry.test", "Lift 2026", "web"
    )
    reading = Reading(passage.text, (Source(1, passage),), alike=0.8, quote="The lift carries 95 people.")
    for year, shown in (("2025", ""), ("2026", "The lift carried 95 people in 2026. [1]")):
        part = Part(f"How many people did the lift carry in {year}?", "fact", reading, read=True)
        model = DecidingModel([says(f"The lift carried 95 people in {year}.")])
        assert await said_by(AnswerWriter(model, part, "en"), always) == shown


async def test_a_line_with_the_answers_figures_is_not_quoted_where_it_is_of_another_kind() -> None:
    passage = Passage(
        "The train has 310 seats and a small bar. Tickets are sold on the platform.", "https://ferry.test", "", "web"
    )
    reading = Reading(passage.text, (Source(1, passage),), alike=0.4, quote="Tickets are sold on the platform.")
    model = DecidingModel([says("An adult pays 310 euros for it.")])
    part = Part("What does a ticket for an adult cost?", "fact", reading, read=True)
    assert await said_by(AnswerWriter(model, part, "en"), never) == ""


async def test_the_row_that_a_question_names_is_quoted_before_a_line_with_the_answers_figures(
    minilm: EvidenceFinder,
) -> None:
    text = (
        "| Day | Opens | Closes |\n|---|---|---|\n| Friday | 9:00 | 19:15 |\n\nThe fountain plays at noon and at 14:00."
    )
    source = Source(1, Passage(text, "https://park.test", "The park", "web"))
    row = "Day: Friday, Opens: 9:00, Closes: 19:15"
    asked = "When does the park close on Friday?"
    rows = tuple(await weigh_cells(minilm.embed_texts, CellQuery(asked), table_rows(text), known=True))
    part = Part(asked, "fact", Reading(text, (source,), alike=0.5, quote=row, rows=rows), read=True)
    writer = AnswerWriter(DecidingModel([says("The fountain plays at noon and at 14:00.")]), part, "en")
    assert await said_by(writer, always) == "“Day: Friday, Closes: 19:15” [1]"


async def test_of_something_that_has_a_name_the_sentence_with_the_name_is_quoted() -> None:
    told = "Uit 87 voorstellen koos de raad de naam Reigerbrug. Zij gaat in de zomer open voor fietsers."
    source = Source(1, Passage(told, "https://brug.test", "De nieuwe brug", "web"))
    reading = Reading(told, (source,), alike=FOREIGN_LIKENESS, coverage=0.6, quote=told.partition(". ")[2])
    part = Part("Hoe wordt de nieuwe brug genoemd?", "fact", reading, read=True)
    replies = [says("De nieuwe brug wordt genoemd als Uit 87 voorstellen."), says("The bridge is called Reigerbrug.")]
    english = "What is the new bridge called?"
    writer = AnswerWriter(DecidingModel(replies), part, "nl", english)
    assert await said_by(writer, always) == "“Uit 87 voorstellen koos de raad de naam Reigerbrug.” [1]"


async def test_a_unit_that_nobody_worked_out_is_not_said() -> None:
    told = "The kind with the most amount is bread: 19; fish: 18, cheese: 12.5."
    reading = Reading(told, outside=False, quote=told, certain=True)
    part = Part("Which kind cost the most?", "fact", reading, read=True)
    for answer, shown in (("Bread cost the most, with 19%.", told), ("Bread cost the most: 19.",) * 2):
        assert await said_by(AnswerWriter(DecidingModel([says(answer)]), part, "en"), never) == shown


@pytest.mark.parametrize(
    ("page", "sentence", "is_said"),
    [
        ("The Orla cinema opens at dusk. It has a red door.", "The Orla cinema opens at dusk.", True),
        (
            "The Orla cinema was taken apart. Bergen, 9 May 2026.",
            "The Orla cinema opens, as it was taken apart.",
            False,
        ),
    ],
)
async def test_an_answer_to_when_without_a_time_is_one_only_where_the_page_says_none(
    page: str, sentence: str, is_said: bool
) -> None:
    source = Source(1, Passage(page, "https://orla.test", "Orla", "web"))
    reading = Reading(page, (source,), alike=0.4, quote=page.partition(". ")[0])
    part = Part("When does the Orla cinema open again?", "fact", reading, read=True)
    said = await said_by(AnswerWriter(DecidingModel([says(sentence)]), part, "en"), always)
    assert said == (f"{sentence} [1]" if is_said else "")


FARES = """# Fares

| Ticket | Adults | Children | Over 65 |
|---|---|---|---|
| Single | £9.50 | £5.00 | £7.50 |
| Return | £15.00 | £8.00 | £12.50 |"""


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("The return costs £8.00 for children.", "The return costs £8.00 for children. [2]"),
        ("The return costs £15.00.", "“Fares – Ticket: Return, Children: £8.00” [2]"),
    ],
)
async def test_of_the_row_that_answers_the_cell_that_clearly_does_is_read_and_told_alone(
    minilm: EvidenceFinder, written: str, answer: str
) -> None:
    asked, source = (
        "What does the return cost for children?",
        Source(2, Passage(FARES, "https://lift.test", "Lift", "web")),
    )
    rows = tuple(await weigh_cells(minilm.embed_texts, CellQuery(asked), table_rows(FARES), known=True))
    reading = Reading(FARES, (source,), alike=0.6, quote=rows[1].row.spoken, rows=rows)
    model = DecidingModel([says(written)])
    writer = AnswerWriter(model, Part(asked, "fact", reading, read=True), "en")
    assert await said_by(writer, always) == answer
    assert "£8.00" in model.sent[0][0][-3].content and "£15.00" not in model.sent[0][0][-3].content


async def test_of_what_has_to_be_done_sentences_are_wished_for_and_those_that_do_not_stand_there_left_out() -> None:
    letter = "Empty the cupboard below the meter. Leave the key with Mrs Ferro. The work takes forty minutes."
    reading = Reading(letter, (Source(0, Passage(letter, "letter.txt", "letter.txt", "file")),))
    replied = says(
        "Empty the cupboard below the meter.\n", "Leave the key with Mrs Ferro.\n", "Feed the cat next door."
    )
    model = DecidingModel([replied])
    question = "What do I have to do before the fitter comes?"
    said = await said_by(AnswerWriter(model, Part(question, "list", reading, read=True), "en"), always)
    assert said == "Empty the cupboard below the meter.\nLeave the key with Mrs Ferro.\n"
    assert "has to be done" in model.sent[-1][0][-1].content
