"""A piece that is made up is told from one that is known, or for which something has to be known."""

import pytest

from chatbot.models.pipeline.decision.made_up import wants_made_up


@pytest.mark.parametrize(
    "message",
    [
        "Write a story about a fox and a lighthouse.",
        "Tell me a story about a dragon who is afraid of fire",
        "tell us another short bedtime story",
        "Please write me a poem about rain",
        "Compose two verses for my mother's birthday",
        "Make up a limerick on tax law",
        "Come up with a good joke about cats",
        "a short story about two robots in love",
    ],
)
def test_a_piece_that_nobody_could_look_up(message: str) -> None:
    assert wants_made_up(message)


@pytest.mark.parametrize(
    "message",
    [
        "Tell me the story of Apollo 13",
        "Tell me a true story about Apollo 13",
        "Tell me a poem by Goethe",
        "Write a poem about the latest news",
        "Write a story from my notes",
        "Write a song based on https://example.org/a",
        "What is a limerick?",
        "What is the story of Hamlet?",
        "Write a summary of the story",
        "Who wrote a story about a whale?",
        "Which poem has a raven?",
        "Give me a source for the story",
        "Remind me to write a story at nine",
    ],
)
def test_what_is_known_or_has_to_be_known_is_not_made_up(message: str) -> None:
    assert not wants_made_up(message)
