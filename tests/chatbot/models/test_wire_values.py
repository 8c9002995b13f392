import pytest

from chatbot.models.settings import Generation
from chatbot.models.wire_values import can_think, takes_effort, thinking_arguments


@pytest.mark.parametrize(
    ("template", "thinks", "effort"),
    [
        ("{% if enable_thinking %}", True, False),
        ('{{ "Reasoning: " + reasoning_effort }}', True, True),
        ("{{ messages }}", False, False),
    ],
)
def test_a_template_tells_what_of_thinking_can_be_chosen(template: str, thinks: bool, effort: bool) -> None:
    assert (can_think(template), takes_effort(template)) == (thinks, effort)


def test_a_model_that_is_not_to_think_is_told_no_effort() -> None:
    told = thinking_arguments(Generation(thinking_enabled=False, thinking_effort="high"))
    assert told == {"chat_template_kwargs": {"enable_thinking": False}}


def test_what_is_left_to_the_model_is_not_told() -> None:
    assert thinking_arguments(Generation()) == {}
