"""Where a message says to look."""

import pytest

from chatbot.models.pipeline.decision.places import (
    asks_of_mine,
    in_files,
    obey_place,
    prefer_naming_files,
    says_mine,
    without_place,
)
from rag.documents import Origin, Passage

SHARES = {"web_search": 0.25, "search_vector_db": 0.2, "news_search": 0.1, "answer": 0.35, "remember": 0.1}


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("In my files: what does the lease say?", "search_vector_db"),
        ("Was steht in meinen Unterlagen über die Garage?", "search_vector_db"),
        ("我的文件里怎么说猫?", "search_vector_db"),
        ("Look on the web for the price of a ticket.", "web_search"),
        ("Suche im Internet nach dem Preis.", "web_search"),
        ("hm, look it up pls", "web_search"),
        ("Write a text for us to put on the Arlo site.", "answer"),
        ("There is a typo on the website, how do you spell accommodate?", "answer"),
        ("What do my notes say about parking on the Orla site?", "answer"),
        ("What risks are there for workers on the demolition site?", "answer"),
        ("On the Arlo site there is a comparison of kettles. Which one should I take?", "web_search"),
        ("My old kettle leaks. On the arlo site there are five, which one should I take?", "web_search"),
        ("Auf der Website von Arlo steht ein Vergleich.", "web_search"),
        ("We met on the building site. What should I call him?", "answer"),
        ("search the web for a cake without eggs", "web_search"),
        ("погугли, сколько это стоит", "web_search"),
        ("Three names for a boat, no need to search the web", "answer"),
        ("Donne trois idées de nom, pas besoin de chercher sur internet", "answer"),
        ("Such nicht im Netz, sag mir einen Reim", "answer"),
        ("How do I rename many files?", "answer"),
        ("Translate into Italian: How high is the tower of the town hall?", "answer"),
        ("Vertaal naar het Engels: De molen is morgen gesloten.", "answer"),
        ('Put it into Spanish, or translate "Where is the ferry?" into Spanish.', "answer"),
        ("Who translated 'The Mill' into Italian, says the web?", "answer"),
        ("Search the web for who translated 'The Mill' into Italian.", "web_search"),
        ("Is it in my notes or on the web?", "answer"),
    ],
)
def test_the_place_that_a_message_names_is_obeyed(question: str, best: str) -> None:
    shares = obey_place(SHARES, question)
    assert max(shares, key=shares.__getitem__) == best
    assert sum(shares.values()) == pytest.approx(1.0)


def test_a_place_that_is_switched_off_is_not_obeyed() -> None:
    shares = {"web_search": 0.6, "answer": 0.4}
    assert obey_place(shares, "What is in my files about cats?") == shares


@pytest.mark.parametrize(
    ("question", "kind", "similarity", "best"),
    [
        ("What did Mossop weigh in May?", "file", 0.44, "search_vector_db"),
        ("What did Mossop weigh in May?", "web", 0.44, "web_search"),
        ("What did Mossop weigh in May?", "file", 0.2, "web_search"),
        ("What did Mossop and Berta weigh in May?", "file", 0.44, "web_search"),
        ("What does a cat weigh?", "file", 0.44, "web_search"),
        ("How heavy is Mossop?", "file", 0.44, "search_vector_db"),
        ("How heavy is Mossop?", "file", 0.34, "web_search"),
        ("What is the latest news about Mossop?", "file", 0.44, "web_search"),
        ("What does Mossop weigh now, in May?", "file", 0.44, "search_vector_db"),
    ],
)
def test_what_a_file_of_the_users_names_is_looked_for_there_first(
    question: str, kind: Origin, similarity: float, best: str
) -> None:
    passage = Passage("Mossop, 3 May: 5.1 kg.", "/notes/cat.md", "Cat", kind, similarity=similarity)
    shares = prefer_naming_files({"web_search": 0.9, "search_vector_db": 0.02, "answer": 0.08}, question, [passage])
    assert max(shares, key=shares.__getitem__) == best
    assert sum(shares.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("In my files: what does make chat do?", "what does make chat do?"),
        ("And on the web: what does it cost now?", "what does it cost now?"),
        ("and on the web: what do they charge for a bed", "what do they charge for a bed"),
        ("What does the lease say, according to my notes?", "What does the lease say?"),
        ("May I index files over HTTP, according to my files?", "May I index files over HTTP?"),
        ("search the web for a cake without eggs", "for a cake without eggs"),
        ("Look in my files", "Look in my files"),
        ("What is a file?", "What is a file?"),
        ("Combien coûte un fichier ?", "Combien coûte un fichier ?"),
        ("Τι ώρα φεύγει το πλοίο;", "Τι ώρα φεύγει το πλοίο;"),
    ],
)
def test_a_question_is_searched_for_without_the_place(question: str, left: str) -> None:
    assert without_place(question) == left


@pytest.mark.parametrize(
    ("question", "language", "mine"),
    [
        ("What is my landlady's number?", "en", True),
        ("Wann endet mein Vertrag?", "de", True),
        ("Quand finit notre bail ?", "fr", True),
        ("我的合同什么时候到期？", "zh", True),
        ("Πότε λήγει το συμβόλαιό μου;", "el", True),
        ("Mikä on vuokranantajani numero?", "fi", True),
        ("So which locker is mine?", "en", True),
        ("Where is the mine?", "en", False),
        ("Is mine water toxic?", "en", False),
        ("How many min does it take?", "en", False),
        ("Wer hat die Mine gebaut?", "de", False),
        ("Che ma bella?", "it", False),
    ],
)
def test_a_question_about_something_of_the_users_own_says_so(question: str, language: str, mine: bool) -> None:
    assert says_mine(question, language) is mine


@pytest.mark.parametrize(
    ("question", "language", "mine"),
    [
        ("Which boiler do I have?", "en", True),
        ("What have we got in the cellar?", "en", True),
        ("How long do I have to wait?", "en", False),
        ("Welche Heizung habe ich?", "de", True),
        ("Was habe ich zu zahlen?", "de", False),
        ("¿Qué caldera tengo?", "es", True),
        ("¿Qué tengo que llevar?", "es", False),
        ("Какой у меня котёл?", "ru", True),
        ("Who is my landlord?", "en", True),
    ],
)
def test_a_question_of_what_the_user_has_is_about_something_of_their_own(
    question: str, language: str, mine: bool
) -> None:
    assert asks_of_mine(question, language) is mine


def test_files_are_named_unless_the_web_is_named_too() -> None:
    assert in_files("According to my notes, when is it?")
    assert not in_files("Is it in my notes or on the web?")
    assert not in_files("What is a file?")
