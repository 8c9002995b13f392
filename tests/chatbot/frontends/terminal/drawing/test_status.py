import pytest

from chatbot.config import Config
from chatbot.frontends.terminal.drawing.status import Status


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, "qwen3 · tools on · /help"),
        ({"offline": True}, "qwen3 · tools on · offline · /help"),
        ({"private": True, "offline": True, "tools_enabled": False}, "qwen3 · tools off · private · offline · /help"),
    ],
)
def test_the_line_below_the_prompt_tells_what_is_switched(settings: dict[str, bool], shown: str) -> None:
    status = Status(lambda: Config(**settings), lambda: "qwen3")
    assert "".join(str(part[1]) for part in status.toolbar()) == shown
