"""Sessions named on the command line, answers of earlier ones, sums of tokens, and what is deleted with the years."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.history.accounting import Spending
from chatbot.history.entries import Spent, TurnAnswered
from chatbot.history.recovery.backups import list_copies
from chatbot.history.search.sessions import FREQUENT
from chatbot.history.session_id import Names
from chatbot.history.sessions import Sessions
from chatbot.history.settings import HistorySettings


@pytest.fixture
async def sessions(tmp_path: Path):
    opened = await Sessions.open(tmp_path / "sessions.db", HistorySettings(keep_days=30))
    yield opened
    await opened.close()


async def talk(sessions: Sessions, session: str, question: str, answer: str) -> None:
    await sessions.append(session, Message("user", question), Message("assistant", answer), TurnAnswered())


async def test_a_session_is_found_by_its_id_a_unique_beginning_its_title_and_its_words(sessions):
    await talk(sessions, "261122-aaaaaaa", "What is a nest?", "A home of twigs.")
    await talk(sessions, "261122-aaabbbb", "Where do twigs grow?", "On a tree.")
    await talk(sessions, "261123-ccccccc", "And the other one?", "Nest boxes.")
    expected = {
        "261122-aaaaaaa": "261122-aaaaaaa",
        "261122-AAAB": "261122-aaabbbb",
        "261122": None,
        "261123": "261123-ccccccc",
        "nest": "261122-aaaaaaa",
        "what nest": "261122-aaaaaaa",
        "twigs": "261122-aaabbbb",
        "zebra": None,
        "": None,
        " ?": None,
        "\udcff": None,
    }
    assert {text: await sessions.find(text) for text in expected} == expected
    assert await sessions.latest() == "261123-ccccccc"


async def test_there_is_no_latest_session_at_first(sessions):
    assert (await sessions.latest(), await sessions.list(), await sessions.usage()) == (None, [], [])


async def test_answers_of_earlier_sessions_are_found_with_their_question_rare_words_first(sessions):
    await talk(sessions, "one", "How do storks build?", "Storks build nests of branches.")
    await talk(sessions, "two", "How do swallows build?", "Swallows build with mud.")
    await talk(sessions, "now", "Do swallows build nests?", "Swallows build nests.")
    found = await sessions.search_answers("how do swallows make nests", 5, exclude_session="now")
    assert [(each.session, each.question, each.answer) for each in found] == [
        ("two", "How do swallows build?", "Swallows build with mud."),
        ("one", "How do storks build?", "Storks build nests of branches."),
    ]
    assert found[0].title == "How do swallows build?"
    assert datetime.now(UTC) - datetime.fromisoformat(found[0].created) < timedelta(minutes=1)
    assert await sessions.search_answers("zebra") == []


async def test_frequent_words_are_found_in_the_newest_and_in_the_oldest_sessions(sessions):
    await talk(sessions, "old", "frequently a zebra", "yes")
    await talk(sessions, "middle", "a zebra alone", "yes")
    await sessions.append("new", *[Message("user", f"frequently {number}") for number in range(FREQUENT + 1)])
    lists = {typed: [info.id for info in await sessions.list(typed)] for typed in ("freq", "zebra frequ", "zebra ")}
    assert lists == {"freq": ["new", "old"], "zebra frequ": ["old"], "zebra ": ["middle", "old"]}


async def test_tokens_are_added_up_by_day_model_and_session_undone_turns_too(sessions):
    today = f"{datetime.now().astimezone():%Y-%m-%d}"
    for session, model, tokens in (("one", "small", 10), ("one", "large", 100), ("two", "small", 1)):
        usage = Usage(tokens, tokens // 2, 5, 0.5, 0.25)
        await sessions.append(session, Message("user", "q"), Message("assistant", "a"), TurnAnswered(usage, 1.0, model))
    await sessions.append("one", Spent(Usage(1000), "small"))
    await sessions.undo("one")
    small = Spending(today, "small", Usage(11, 5, 10, 1.0, 0.5), 2)
    summed = Spending(today, "small", Usage(1000), 0, "compaction")
    large = Spending(today, "large", Usage(100, 50, 5, 0.5, 0.25), 1)
    assert await sessions.usage() == [large, small, summed]
    assert await sessions.usage(session="two") == [Spending(today, "small", Usage(1, 0, 5, 0.5, 0.25), 1)]
    assert await sessions.usage(since=datetime.now(UTC) + timedelta(minutes=1)) == []


async def test_old_sessions_are_deleted_once_their_days_are_over(sessions, tmp_path):
    await talk(sessions, "old", "a", "b")
    await talk(sessions, "young", "a", "b")
    with closing(sqlite3.connect(tmp_path / "sessions.db", isolation_level=None)) as db:
        db.execute("UPDATE sessions SET updated = '2020-01-01T00:00:00.000000Z' WHERE id = 'old'")
    await sessions.append("open", Message("user", "old as well, but not left"))
    with closing(sqlite3.connect(tmp_path / "sessions.db", isolation_level=None)) as db:
        db.execute("UPDATE sessions SET updated = '2020-01-01T00:00:00.000000Z' WHERE id = 'open'")
    await sessions.release("old")
    again = await Sessions.open(tmp_path / "sessions.db", HistorySettings(keep_days=30))
    await again._copying
    await again.close()
    assert [info.id for info in await sessions.list()] == ["young", "open"]
    assert await sessions.expire(30) == 0
    assert [info.id for info in await sessions.list("a ")] == ["young"]
    assert await sessions.usage() == await sessions.usage(session="young")


async def put(sessions: Sessions, moments: dict[str, str]) -> None:
    """Give sessions the times at which a clock that was wrong said that they were begun and gone on with."""
    with closing(sqlite3.connect(sessions.path, isolation_level=None)) as db:
        for session, moment in moments.items():
            db.execute("UPDATE sessions SET created = ?1, updated = ?1 WHERE id = ?2", (moment, session))


async def listed(sessions: Sessions, words: str = "") -> list[str]:
    return [info.id for info in await sessions.list(words)]


async def test_after_a_clock_that_was_ahead_what_was_begun_since_stands_first(sessions):
    await talk(sessions, "before", "Is it a nest?", "Yes.")
    await talk(sessions, "ahead", "Is it a nest there?", "Yes.")
    await talk(sessions, "further", "Is it a nest then?", "Yes.")
    await put(sessions, {"ahead": "2099-01-01T08:00:00.000000Z", "further": "2099-01-01T09:00:00.000000Z"})
    assert (await listed(sessions), await sessions.latest()) == (["further", "ahead", "before"], "further")
    await talk(sessions, "since", "And a nest now?", "Yes.")
    await talk(sessions, "imported", "Was it a nest?", "Yes.")
    await put(sessions, {"imported": "2020-01-01T08:00:00.000000Z"})
    expected = ["since", "further", "ahead", "before", "imported"]
    assert (await listed(sessions), await listed(sessions, "nest"), await sessions.latest()) == (
        expected,
        expected,
        "since",
    )
    assert [info.id for info in await sessions.list("", 2, 1)] == expected[1:3]
    await talk(sessions, "ahead", "Are you sure of the nest?", "Yes.")
    assert await listed(sessions) == ["ahead", "since", "further", "before", "imported"]


async def test_where_the_clock_is_behind_the_list_has_its_order_and_what_is_begun_stands_first(sessions):
    for session in ("one", "two", "three"):
        await talk(sessions, session, "A nest?", "Yes.")
    later = {"one": "2099-01-03T00:00:00.000000Z", "two": "2099-01-01T00:00:00.000000Z"}
    await put(sessions, later | {"three": "2099-01-02T00:00:00.000000Z"})
    assert await listed(sessions) == ["one", "three", "two"]
    await talk(sessions, "now", "A nest?", "Yes.")
    assert (await listed(sessions), await listed(sessions, "nest")) == (["now", "one", "three", "two"],) * 2


def test_a_clock_that_is_put_back_keeps_no_name_waiting():
    moments = [datetime(2026, 11, 24, hour, tzinfo=UTC) for hour in (12, 9, 9, 9, 15)]
    names = Names(iter(moments).__next__)
    made = [names.new_name() for _ in moments]
    assert made == sorted(set(made))
    assert {name[:6] for name in made} == {"261124"}


async def test_a_copy_of_a_time_that_is_yet_to_come_is_followed_by_another(tmp_path):
    path = tmp_path / "sessions.db"
    first = await Sessions.open(path)
    await talk(first, "one", "A nest?", "Yes.")
    await first.close()
    for _ in range(2):
        opened = await Sessions.open(path)
        await opened._copying
        await opened.close()
        os.utime(list_copies(path)[0], (4e9, 4e9))
    assert [copy.exists() for copy in list_copies(path)] == [True, True, False]
