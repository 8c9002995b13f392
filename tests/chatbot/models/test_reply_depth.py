"""How many generators of Magpie's hand on each word of a reply, from the model's server to who asked."""

import inspect
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from httpcore._backends.anyio import AnyIOStream

from chatbot.conversation.events import AnswerDelta
from tests.chatbot.models.test_same_events import BACKENDS, Reply
from tests.fakes.site import Site
from tests.fakes.site_app import magpie

MOST = 8
OWN = str(Path(__file__).parents[3] / "chatbot")
"""httpx has some of its own below these."""


def own_generators() -> list[str]:
    """The generators of Magpie's that wait for whoever calls this."""
    frame: FrameType | None = sys._getframe(1)
    found = []
    while frame := frame and frame.f_back:
        flags, file = frame.f_code.co_flags, frame.f_code.co_filename
        if flags & (inspect.CO_ASYNC_GENERATOR | inspect.CO_GENERATOR) and file.startswith(OWN):
            found.append(f"{Path(file).name}: {frame.f_code.co_name}")
    return found


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_word_goes_through_few_generators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    seen: list[list[str]] = []
    original = AnyIOStream.read

    async def watched(stream: Any, *args: Any, **options: Any) -> bytes:
        seen.append(own_generators())
        return await original(stream, *args, **options)

    monkeypatch.setattr(AnyIOStream, "read", watched)
    async with (
        Site() as site,
        BACKENDS[backend](tmp_path, [Reply("Hello. What shall we look at?")]) as settings,
        magpie(tmp_path, site, **settings, **{"rag.enabled": False}) as app,
    ):
        app.chat.titler.leave_untitled(app.chat.session)
        told = [event async for event in app.chat.agent.ask("Hello!")]
    assert any(isinstance(event, AnswerDelta) for event in told)
    deepest = max(seen, key=len)
    assert 4 < len(deepest) <= MOST, deepest
