import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chatbot.config import Config
from chatbot.conversation.messages import Message
from chatbot.frontends.terminal.browsing.state import SESSIONS_PER_PAGE, Browsing
from chatbot.history.sessions import Sessions
from utils.sqlite import MEMORY


@dataclass
class Screen:
    room: tuple[int, int] = (60, 20)
    failed: list[BaseException] = field(default_factory=list)
    seen: asyncio.Event = field(default_factory=asyncio.Event)

    def refresh(self) -> None:
        self.seen.set()

    def fail(self, error: BaseException) -> None:
        self.failed.append(error)


@dataclass
class Kept:
    """What the browser uses of the conversations."""

    sessions: Any
    session: str = ""
    person: Any = field(default_factory=lambda: SimpleNamespace(in_use=set()))


class Watched(Sessions):
    """Remembers what was listed."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked: list[tuple[str, int, int]] = []

    async def list(self, filter: str = "", limit: int = 200, offset: int = 0) -> Any:
        self.asked.append((filter, limit, offset))
        return await super().list(filter, limit, offset)


@pytest.fixture
async def sessions() -> AsyncIterator[Watched]:
    opened = await Watched.open(MEMORY)
    assert isinstance(opened, Watched)
    yield opened
    await opened.close()


async def keep(sessions: Sessions, count: int) -> list[str]:
    names = []
    for number in range(count):
        names.append(sessions.new_id())
        await sessions.append(names[-1], Message("user", f"Number {number}?"), Message("assistant", "Yes."))
    return names


async def until(browsing: Browsing, reached: Callable[[], bool]) -> None:
    """Wait for something to be seen."""
    screen = browsing._screen
    assert isinstance(screen, Screen)
    async with asyncio.timeout(30):
        while not reached():
            screen.seen.clear()
            await screen.seen.wait()


async def test_only_what_is_looked_at_is_read(sessions: Watched) -> None:
    await keep(sessions, SESSIONS_PER_PAGE * 2 + 10)
    browsing = Browsing(Kept(sessions), Config(), Screen())  # type: ignore[arg-type]
    browsing.look_for("")
    await until(browsing, lambda: len(browsing.rows) == SESSIONS_PER_PAGE)
    browsing.move_selection(SESSIONS_PER_PAGE // 4)
    await until(browsing, lambda: browsing.conversation is not None)
    assert sessions.asked == [("", SESSIONS_PER_PAGE, 0)]
    browsing.move_selection(SESSIONS_PER_PAGE // 4)
    await until(browsing, lambda: len(browsing.rows) == 2 * SESSIONS_PER_PAGE)
    browsing.move_selection(10_000)
    await until(browsing, lambda: len(browsing.rows) == 2 * SESSIONS_PER_PAGE + 10)
    browsing.move_selection(10_000)
    assert browsing.row is not None
    assert browsing.row.title == "Number 0?"
    assert sessions.asked == [
        ("", SESSIONS_PER_PAGE, 0),
        ("", SESSIONS_PER_PAGE, SESSIONS_PER_PAGE),
        ("", SESSIONS_PER_PAGE, 2 * SESSIONS_PER_PAGE),
    ]
    await browsing.close()


async def test_what_is_typed_at_once_is_looked_for_once(sessions: Watched) -> None:
    await keep(sessions, 3)
    browsing = Browsing(Kept(sessions), Config(), Screen())  # type: ignore[arg-type]
    for words in ("n", "nu", "num", "numb", "number 1"):
        browsing.look_for(words)
    await until(browsing, lambda: bool(browsing.rows))
    assert sessions.asked == [("number 1", SESSIONS_PER_PAGE, 0)]
    assert [row.title for row in browsing.rows] == ["Number 1?"]
    await browsing.close()


async def test_an_error_is_told_and_the_browser_goes_on(sessions: Watched, tmp_path: Path) -> None:
    first, second = await keep(sessions, 2)
    screen = Screen()
    browsing = Browsing(Kept(sessions), Config(), screen)  # type: ignore[arg-type]
    browsing.look_for("")
    await until(browsing, lambda: browsing.conversation is not None)
    await sessions.delete(first)
    browsing.move_selection(1)
    await until(browsing, lambda: bool(browsing.told))
    assert browsing.told == f"There is no conversation {first}. /history lists them."
    browsing.move_selection(-1)
    await until(browsing, lambda: browsing.conversation is not None and browsing.conversation.info.id == second)
    assert screen.failed == []
    await browsing.close()


async def test_what_another_magpie_goes_on_with_is_not_deleted(tmp_path: Path) -> None:
    here, there = await Sessions.open(tmp_path / "sessions.db"), await Sessions.open(tmp_path / "sessions.db")
    (name,) = await keep(there, 1)
    browsing = Browsing(Kept(here), Config(), Screen())  # type: ignore[arg-type]
    browsing.look_for("")
    await until(browsing, lambda: bool(browsing.rows))
    browsing.ask_to_delete()
    browsing.answer_question(yes=True)
    await until(browsing, lambda: bool(browsing.told))
    assert browsing.told == "This conversation is open in another Magpie and was not deleted."
    await there.release(name)
    browsing.ask_to_delete()
    browsing.answer_question(yes=True)
    await until(browsing, lambda: not browsing.rows)
    assert await there.list() == []
    await browsing.close()
    await here.close()
    await there.close()


async def test_a_bug_ends_the_browser() -> None:
    class Broken:
        async def list(self, *arguments: Any) -> Any:
            raise RuntimeError("boom")

    screen = Screen()
    browsing = Browsing(Kept(Broken()), Config(), screen)  # type: ignore[arg-type]
    browsing.look_for("")
    await until(browsing, lambda: bool(screen.failed))
    assert [str(error) for error in screen.failed] == ["boom"]
    await browsing.close()


async def test_deleting_the_last_of_the_list_selects_the_one_before(sessions: Watched) -> None:
    first, second = await keep(sessions, 2)
    browsing = Browsing(Kept(sessions, second), Config(), Screen())  # type: ignore[arg-type]
    browsing.look_for("")
    await until(browsing, lambda: len(browsing.rows) == 2)
    browsing.move_selection(1)
    browsing.ask_to_delete()
    assert browsing.question == "Delete “Number 0?”? y/n"
    browsing.answer_question(yes=True)
    await until(browsing, lambda: len(browsing.rows) == 1)
    assert (browsing.selected, browsing.told) == (0, "Deleted “Number 0?”.")
    browsing.ask_to_delete()
    assert (browsing.question, browsing.told) == ("", "You are in this conversation; /clear begins a new one first.")
    await browsing.close()
    assert [info.id for info in await sessions.list()] == [second]
    assert first not in await sessions.list()
