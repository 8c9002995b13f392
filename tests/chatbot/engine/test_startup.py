"""A chat that cannot be opened is tried again, and everybody who waits for it hears the same."""

import asyncio
from pathlib import Path
from typing import Any

from chatbot.engine.face import Face
from chatbot.engine.startup import OpeningChat
from tests.fakes.app import FakeApp
from tests.fakes.model import ScriptedModel
from utils.errors import LibraryError, MagpieError


class Unwilling:
    """An engine whose first chat cannot be opened."""

    def __init__(self, app: FakeApp) -> None:
        self._app = app
        self.tries = 0

    async def chat(self, face: Face, person: str = "") -> Any:
        self.tries += 1
        await asyncio.sleep(0)
        if self.tries == 1:
            raise LibraryError("The library is damaged.", "/rag-doctor checks it.")
        return await self._app.engine.chat(face)


async def test_who_waits_for_a_chat_that_cannot_be_opened_hears_why_and_the_next_one_opens_it(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    engine, told = Unwilling(app), list[MagpieError]()
    opening = OpeningChat(engine, Face(lambda news: None), told.append)  # type: ignore[arg-type]
    heard = await asyncio.gather(*(opening.ready() for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in heard] == [LibraryError] * 3
    assert [str(error) for error in told] == [str(heard[0])]
    assert await opening.ready() is app.chat
    assert engine.tries == 2
    await opening.close()
    await app.close()
