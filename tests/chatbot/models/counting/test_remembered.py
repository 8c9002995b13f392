"""Counts that are asked for once."""

from chatbot.models.counting.remembered import TEXTS_COUNTED, RememberedCounts


async def test_each_text_is_counted_once_and_the_oldest_gives_way() -> None:
    asked: list[str] = []

    async def count(text: str) -> int:
        asked.append(text)
        return len(text)

    counts = RememberedCounts(count)
    assert [await counts.count_tokens("tide") for _ in range(3)] == [4, 4, 4]
    assert asked == ["tide"]
    for number in range(TEXTS_COUNTED):
        await counts.count_tokens(f"text {number}")
    assert await counts.count_tokens("tide") == 4
    assert asked.count("tide") == 2


async def test_what_was_not_told_is_asked_for_again() -> None:
    told = iter([None, 3])

    async def count(text: str) -> int | None:
        return next(told)

    counts = RememberedCounts(count)
    assert (await counts.count_tokens("tide"), await counts.count_tokens("tide")) == (None, 3)
