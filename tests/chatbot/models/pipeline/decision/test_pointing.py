import pytest

from chatbot.models.pipeline.decision.pointing import certainly_points_back, points_back


@pytest.mark.parametrize(
    "message",
    [
        "Describe in two short paragraphs how he lived.",
        "Wie funktioniert sie?",
        "À quelle profondeur devient-elle noire ?",
        "¿Y cuánto cuesta su entrada?",
        "Кто его построил?",
        "他是谁？",
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
        ("Tell me where she lived.", False),
    ],
)
def test_a_question_with_a_pronoun_and_no_name_goes_on_from_before(message: str, certainly: bool) -> None:
    assert certainly_points_back(message) == certainly
