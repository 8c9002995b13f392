import pytest

from chatbot.config import Config
from chatbot.conversation.events import Progress
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
    assert "".join(str(part[1]) for part in status.toolbar_line()) == shown


def test_what_goes_on_in_the_background_stands_in_the_place_of_the_model_until_it_is_done() -> None:
    status = Status(Config, lambda: "qwen3")
    told = []
    for progress in (
        Progress("Loading the model", 0, 1),
        Progress("Reading instructions", 0, 1),
        Progress("Reading instructions", 512, 1024),
        Progress("Reading instructions", 1, 1),
        Progress("Loading the model", 1, 1),
    ):
        status.work.note(progress)
        told.append(str(status.toolbar_line()[0][1]))
    assert told == [
        "Loading the model",
        "Reading instructions",
        "Reading instructions 50%",
        "Loading the model",
        "qwen3",
    ]
