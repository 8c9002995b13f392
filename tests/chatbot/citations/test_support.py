import pytest

from chatbot.citations.claims import is_foreign, read_claim, read_passages
from chatbot.citations.sentences import Cited, cited_text
from chatbot.citations.support import FEATURE_NAMES, Likeness, align_claim, support_features
from chatbot.citations.texts import consonant_skeleton, word_key
from rag.documents import Passage
from utils.languages.quantities import all_offered, find_quantities, normalize_text

SAME = [
    ("1,490", "1.490"),
    ("1,490", "1490"),
    ("1,490.5", "1490,5 m"),
    ("21:00", "9 pm"),
    ("9 pm", "21 Uhr"),
    ("9 p.m.", "21h"),
    ("9:30 am", "9.30 Uhr"),
    ("7 February 2016", "2016-02-07"),
    ("February 7, 2016", "7. Februar 2016"),
    ("7 de febrero de 2016", "7 февраля 2016 г."),
    ("2016年2月7日", "ngày 7 tháng 2 năm 2016"),
    ("March", "März"),
    ("five", "5"),
    ("twenty-four", "24"),
    ("fünf", "пять"),
    ("二十四", "24"),
    ("1.2 million", "1,200,000"),
    ("120万", "1.2 million"),
    ("१९९०", "1990"),
    ("٢٠١٦", "2016"),
    ("6½", "6.5"),
    ("Monday", "понедельник"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_quantity_is_the_same_however_it_is_written(one: str, other: str) -> None:
    said = all_offered(find_quantities(normalize_text(other)))
    found = find_quantities(normalize_text(one))
    assert found and all(quantity.required & said for quantity in found)


def test_no_one_is_no_number() -> None:
    assert find_quantities(normalize_text("No one was hurt, and no-one slept.")) == []


OTHER = [
    ("1,490", "1,491"),
    ("9 pm", "9 am"),
    ("21:00", "9 am"),
    ("5 million", "5 billion"),
    ("12 March", "13 March"),
    ("12 March", "12 May"),
    ("1914", "1915"),
]


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_quantity_is_not_taken_for_it(one: str, other: str) -> None:
    said = all_offered(find_quantities(normalize_text(other)))
    assert not all(quantity.required & said for quantity in find_quantities(normalize_text(one)))


FERRY = "The ferry Aurora leaves the harbour of Bergen at 9 pm on 12 March and carries 1,490 people before Easter."


def seen(sentence: str, passage: str = FERRY, question: str = "") -> dict[str, float]:
    claim, text = read_claim(sentence, question), read_passages([Passage(passage, "a", "", "web")])
    features = support_features(claim, text, align_claim(claim, text), Likeness(1, 1))
    return {name: round(float(value), 2) for name, value in zip(FEATURE_NAMES, features, strict=True) if value}


def test_a_sentence_that_the_passage_says_shows_nothing_amiss() -> None:
    found = seen("The ferry Aurora leaves Bergen at 21:00 and carries 1490 people.")
    assert {
        name: value for name, value in found.items() if name not in ("short", "number not near") and value > 0.25
    } == {}


FLIPS = [
    ("The ferry Aurora leaves Bergen at 8 pm.", "number missing"),
    ("The ferry Aurora carries 1,940 people.", "number missing"),
    ("The ferry Aurora leaves on 12 May.", "number missing"),
    ("The ferry Borealis leaves Bergen at 9 pm.", "name missing"),
    ("The ferry Aurora never leaves the harbour of Bergen.", "negation added"),
    ("The ferry Aurora carries 1,490 people after Easter.", "opposite"),
    ("The ferry Aurora carries 9 people.", "number in another's place"),
    ("Elephants sleep badly in winter.", "uncovered"),
]


@pytest.mark.parametrize(("sentence", "feature"), FLIPS)
def test_a_flipped_fact_is_seen(sentence: str, feature: str) -> None:
    assert seen(sentence).get(feature, 0) >= 0.5


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("Die Fähre fährt nicht.", "Die Fähre fährt um neun Uhr."),
        ("El ferry no sale.", "El ferry sale a las nueve."),
        ("Паром не отходит.", "Паром отходит в девять."),
        ("渡轮不在九点开。", "渡轮在九点开。"),
        ("फेरी नहीं चलती है।", "फेरी चलती है।"),
    ],
)
def test_a_denial_is_seen_in_many_languages(sentence: str, passage: str) -> None:
    assert seen(sentence, passage)["negation added"] == 1


def test_a_denial_that_is_left_out_is_seen() -> None:
    assert seen("The ferry runs on Sunday.", "The ferry does not run on Sunday.")["negation lost"] >= 0.5


def test_what_the_question_says_already_is_no_news() -> None:
    claim = read_claim("Aurora leaves Bergen at 9 pm in 2016.", "Did the Aurora leave Bergen in 2016?")
    assert [token.word for token in claim.new_names] == []
    assert [sorted(quantity.required) for quantity in claim.new_quantities] == [["t1260"]]


def test_a_name_is_known_in_its_other_forms_and_in_another_script() -> None:
    assert (
        word_key("Erosionen") == word_key("Erosion")[: len(word_key("Erosionen"))] or word_key("Erosion") in "erosionen"
    )
    assert consonant_skeleton("Москва") == consonant_skeleton("Moskva")
    assert consonant_skeleton("Sokrates") == consonant_skeleton("Σωκράτης")


@pytest.mark.parametrize(
    ("sentence", "passage", "foreign"),
    [
        ("The ferry leaves the harbour at nine in the evening.", FERRY, False),
        ("Паром отходит из гавани в девять вечера.", FERRY, True),
        ("Die Fähre verlässt den Hafen am Abend und befördert viele Menschen.", FERRY, True),
        ("Elephants sleep badly in winter, which was found by the zoo.", FERRY, False),
        ("1490", FERRY, False),
    ],
)
def test_a_passage_in_another_language_is_recognised(sentence: str, passage: str, foreign: bool) -> None:
    assert is_foreign(read_claim(sentence), read_passages([Passage(passage, "a", "", "web")])) is foreign


@pytest.mark.parametrize(
    ("before", "cited"),
    [
        ("It opens at nine ", Cited("It opens at nine")),
        ("It is old. It opens at nine ", Cited("It opens at nine")),
        ("It was built in 1871. ", Cited("It was built in 1871.")),
        ("It opens at nine [1], and closes at six ", Cited("and closes at six", "It opens at nine")),
        ("Hours:\n- from nine to six ", Cited("from nine to six", "Hours:")),
        ("| Aurora | 9 pm ", Cited("Aurora 9 pm")),
        ("## The **ferry** of Bergen ", Cited("The ferry of Bergen")),
        ("", Cited("")),
    ],
)
def test_the_sentence_before_a_number_is_found(before: str, cited: Cited) -> None:
    assert cited_text(before) == cited
