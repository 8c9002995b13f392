import pytest

from chatbot.models.pipeline.decision.pointing import begins_in_another_language, certainly_points_back, points_back


@pytest.mark.parametrize(
    "message",
    [
        "Describe in two short paragraphs how he lived.",
        "Wie funktioniert sie?",
        "À quelle profondeur devient-elle noire ?",
        "¿Y cuánto cuesta su entrada?",
        "Кто его построил?",
        "他是谁？",
        "Which of the two is lighter, and by how much?",
        "Welches von beiden ist leichter?",
        "And what does the one cost that has a handle?",
        "and the other one?",
        "and which one has the better lining? numbers please",
        "How long do they have to stay in the water, and how cold may that be?",
    ],
)
def test_a_short_message_with_a_pronoun_points_back(message: str) -> None:
    assert points_back(message)


@pytest.mark.parametrize(
    "message",
    [
        "How deep is Lake Baikal?",
        "Können Sie mir helfen?",
        "What is on at the opera?",
        "What is the price of the two rooms in Vellin?",
        "Which of the two rooms in Vellin is larger?",
        "Who wrote the sign of the four?",
        "Who was the one person on Earth that knew?",
        "How much is the one-day ticket?",
        "Which hut is the one with a sauna?",
        "Hi, what is the history of the old mill and who were the people that owned it before they sold it?",
        "Please, when was the old bridge built and who paid for it at the time when the town had no money for it?",
        "How long do the dumplings from Ghent have to simmer with lid on and do they freeze?",
        "What is the rent of the two bedroom flat?",
        "Welcher von beiden Brüdern Roth war älter?",
        "What does the sauna cost, and is it mixed?",
        "Wann fährt der Bus und wie lange braucht er?",
        "My sister has moved to Ghent with her two cats and asked me whether I know a good vet there.",
    ],
)
def test_what_names_all_that_it_speaks_of_does_not(message: str) -> None:
    assert not points_back(message)


@pytest.mark.parametrize(
    ("message", "certainly"),
    [
        ("Et à quelle profondeur devient-elle noire ?", True),
        ("Where did she live?", True),
        ("Where did Ada and he live?", False),
        ("Is it going to snow tomorrow?", False),
        ("Quelle heure est-il ?", False),
        ("And how long does it simmer?", True),
        ("How do I get the lid off it?", True),
        ("How long does it take to learn to swim?", False),
        ("What does it cost to have a key cut?", False),
        ("Tell me where she lived.", False),
    ],
)
def test_a_question_with_a_pronoun_and_no_name_goes_on_from_before(message: str, certainly: bool) -> None:
    assert certainly_points_back(message) == certainly


@pytest.mark.parametrize(
    ("message", "earlier", "new"),
    [
        ("Wer hat die Dampfmaschine erfunden?", "¿Cuánto cuesta la entrada al museo?", True),
        ("蒸汽机是谁在什么时候发明的呢？", "Was kostet der Eintritt in das Museum?", True),
        ("Und was kostet eine Karte für Kinder?", "What does a ticket for the museum cost?", False),
        ("Wann wurde es denn eröffnet?", "What does a ticket for the museum cost?", False),
        ("Wie alt ist sie eigentlich?", "Who runs the museum in Vellin?", False),
        ("Und im Winter?", "When does the museum in Vellin open?", False),
        ("Wer leitet das Museum?", "Was kostet der Eintritt in das Museum?", False),
        ("Translate that into German please.", "Was kostet der Eintritt in das Museum?", False),
    ],
)
def test_a_question_in_another_language_that_points_at_nothing_begins_anew(
    message: str, earlier: str, new: bool
) -> None:
    assert begins_in_another_language(message, earlier) == new
