"""A message tells what it is in its turn."""

import pytest

from chatbot.conversation.messages import Message, ToolCall

CALLS = (ToolCall("search", {}, "c1"),)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (Message("system", "Be brief."), ""),
        (Message("user", "When?"), "question said"),
        (Message("user", "  "), "question"),
        (Message("assistant", "At nine."), "answer said"),
        (Message("assistant", "At n", interrupted=True), "answer"),
        (Message("assistant", "I search.", tool_calls=CALLS), ""),
        (Message("tool", "found", call_id="c1"), "result"),
    ],
)
def test_a_message_is_a_question_an_answer_a_result_or_none_of_them(message: Message, told: str) -> None:
    kinds = {
        "question": message.is_question,
        "answer": message.is_answer,
        "result": message.is_result,
        "said": message.is_said,
    }
    assert " ".join(kind for kind, holds in kinds.items() if holds) == told
