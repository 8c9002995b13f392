import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from chatbot.library import read_ahead
from chatbot.library.read_ahead import GROUP_CHARACTERS, GROUP_DOCUMENTS, ReadAhead
from rag.documents import Document
from utils.errors import DocumentError


class Shelf:
    """Targets that can be read: `many12` has twelve documents, `long` one of a whole group, `slow` waits."""

    def __init__(self) -> None:
        self.read = 0
        self.open = 0
        self.go_on = asyncio.Event()

    async def read_target(self, name: str) -> AsyncGenerator[Document, None]:
        self.open += 1
        try:
            if name == "slow":
                await self.go_on.wait()
            for number in range(int(name[4:]) if name.startswith("many") else 1):
                self.read += 1
                text = "x" * (GROUP_CHARACTERS + 1) if name == "long" else "short"
                yield Document(f"{name}#{number}", name, text, "file")
            if name.endswith("broken"):
                raise DocumentError(f"{name} cannot be read.")
        finally:
            self.open -= 1


async def shapes(shelf: Shelf, *names: str, fail_fast: bool = False) -> list[list[tuple[str, int, bool]]]:
    """By group its parts: name, number of documents, and whether nothing more of it follows."""
    async with aclosing(ReadAhead(shelf.read_target, fail_fast=fail_fast).groups(names)) as groups:
        return [[(one.name, len(one.documents), one.ended) for one in group] async for group in groups]


async def test_small_files_come_together_and_those_that_fail_among_them() -> None:
    names = ["a", "broken", "b"]
    assert await shapes(Shelf(), *names) == [[("a", 1, True), ("broken", 1, True), ("b", 1, True)]]
    assert await shapes(Shelf(), *names, fail_fast=True) == [[("a", 1, True), ("broken", 1, True)]]
    assert await shapes(Shelf()) == []


async def test_a_group_has_so_many_documents_or_characters_at_most() -> None:
    many = f"many{2 * GROUP_DOCUMENTS + 3}"
    assert [sum(count for _, count, _ in group) for group in await shapes(Shelf(), "a", many)] == [64, 64, 4]
    found = await shapes(Shelf(), "a", "long", "b")
    assert [[(name, count) for name, count, _ in group if count] for group in found] == [
        [("a", 1), ("long", 1)],
        [("b", 1)],
    ]


async def test_of_a_large_file_no_more_is_read_ahead_than_a_group() -> None:
    shelf = Shelf()
    async with aclosing(ReadAhead(shelf.read_target).groups(["many1000"])) as groups:
        async for _ in groups:
            for _ in range(5 * GROUP_DOCUMENTS):
                await asyncio.sleep(0)
            break
    assert GROUP_DOCUMENTS < shelf.read <= 2 * GROUP_DOCUMENTS + 1
    assert shelf.open == 0


async def test_a_small_file_does_not_wait_for_a_slow_one_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "GROUP_SECONDS", 0.01)
    shelf, found = Shelf(), []
    ahead = ReadAhead(shelf.read_target)
    async with aclosing(ahead.groups(["a", "slow", "b"])) as groups:
        async for group in groups:
            found.append([part.name for part in group])
            assert ahead.reading in ("slow", "b")
            shelf.go_on.set()
    assert found == [["a"], ["slow", "b"]]


async def test_once_it_is_stopped_nothing_more_comes_and_the_reading_ends() -> None:
    shelf = Shelf()
    ahead = ReadAhead(shelf.read_target)
    asyncio.get_running_loop().call_soon(ahead.stop)
    assert [group async for group in ahead.groups(["slow", "a"])] == []
    assert shelf.open == 0
