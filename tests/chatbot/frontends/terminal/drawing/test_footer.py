"""What stands below an answer."""

import pytest

from chatbot.conversation.events import Answered
from chatbot.conversation.usage import Usage
from chatbot.frontends.terminal.drawing.footer import cost_line


@pytest.mark.parametrize(
    ("reply_tokens", "reply_seconds", "told"),
    [(24, 2.0, "90 tokens in · 24 out · 12/s · 3.0 s"), (1, 1e-6, "90 tokens in · 1 out · 3.0 s")],
)
def test_a_speed_is_told_where_the_reply_took_time(reply_tokens: int, reply_seconds: float, told: str) -> None:
    usage = Usage(prompt_tokens=90, reply_tokens=reply_tokens, reply_seconds=reply_seconds)
    assert cost_line(Answered("No.", (), (), (), usage, 3.0)).plain == told
