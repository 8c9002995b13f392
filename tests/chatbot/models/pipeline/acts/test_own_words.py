"""What is remembered is in the user's own words."""

import pytest

from chatbot.models.pipeline.acts.own_words import own_clause


@pytest.mark.parametrize(
    ("what", "message", "kept"),
    [
        ("take oat milk in tea", "remember that i take oat milk in tea", "i take oat milk in tea"),
        ("sister lives in Cork", "Remember that my sister lives in Cork.", "my sister lives in Cork."),
        ("I am allergic to nuts", "Please remember that I am allergic to nuts", "I am allergic to nuts"),
        ("take oat milk in tea", "remember i take oat milk in tea", "take oat milk in tea"),
    ],
)
def test_who_does_it_is_not_left_out_of_what_is_remembered(what: str, message: str, kept: str) -> None:
    assert own_clause(what, message) == kept
