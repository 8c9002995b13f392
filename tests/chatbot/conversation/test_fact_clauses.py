"""A remembered fact that says several things."""

import pytest

from chatbot.conversation.fact_clauses import clauses_of, without_clause


@pytest.mark.parametrize(
    ("fact", "clauses"),
    [
        ("my dog is called Bo, he's 4 and he hates cats", ["my dog is called Bo", "he's 4", "he hates cats"]),
        ("mein Hund heißt Bo und er mag keine Katzen", ["mein Hund heißt Bo", "er mag keine Katzen"]),
        ("I like tea and black coffee", ["I like tea and black coffee"]),
        ("I live in Ghent, near the river", ["I live in Ghent, near the river"]),
        ("my sister is Ada and my brother is Bo", ["my sister is Ada", "my brother is Bo"]),
        ("Trabajo en mi casa", ["Trabajo en mi casa"]),
        ("I am a vegan, I have a cat", ["I am a vegan", "I have a cat"]),
        ("I sing", ["I sing"]),
        ("", [""]),
    ],
)
def test_a_clause_says_something_by_itself(fact: str, clauses: list[str]) -> None:
    assert clauses_of(fact) == clauses


@pytest.mark.parametrize(
    ("which", "rest"),
    [
        ("he hates cats", "my dog is called Bo, he's 4"),
        ("He's 4.", "my dog is called Bo, he hates cats"),
        ("my dog is called Bo", ""),
        ("cats", ""),
        ("my dog is called Bo, he's 4 and he hates cats", ""),
    ],
)
def test_without_one_of_its_clauses_the_others_are_left(which: str, rest: str) -> None:
    assert without_clause("my dog is called Bo, he's 4 and he hates cats", which) == rest


def test_what_is_said_of_somebody_goes_with_them() -> None:
    fact = "I live in Bern, my sister is Ada and she has a cat"
    assert without_clause(fact, "my sister is Ada") == "I live in Bern"
    assert without_clause(fact, "she has a cat") == "I live in Bern, my sister is Ada"
