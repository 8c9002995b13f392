"""A destroyed file comes back from what can be read of it and from its newest copy, and it says so."""

import asyncio
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chatbot.conversation.messages import Message
from chatbot.history.entries import utc_now
from chatbot.history.recovery import self_healing
from chatbot.history.recovery.backups import _check_derived, list_copies
from chatbot.history.recovery.page_recovery import carve_entries
from chatbot.history.recovery.reopen import open_store
from chatbot.history.recovery.session_locks import lock_of
from chatbot.history.sessions import Sessions
from chatbot.history.store import Batch
from tests.fakes.conversations import copied, make, make_older, read_back, turn
from utils.errors import SessionError


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A closed file with three sessions, its folder, and what was said."""
    import asyncio

    folder = tmp_path_factory.mktemp("kept")
    return folder, asyncio.run(make(folder / "sessions.db", 3, 8, copies=1))


@pytest.fixture
def path(kept, tmp_path):
    shutil.copytree(kept[0], tmp_path / "data")
    return tmp_path / "data" / "sessions.db"


async def opened(path: Path) -> tuple[Sessions, list[str]]:
    said: list[str] = []
    return await Sessions.open(path, tell=said.append, copy_after=1e9), said


def test_every_entry_can_be_carved_out_of_the_bare_pages(kept):
    folder, said = kept
    rows = {row.id for row in carve_entries(folder / "sessions.db")}
    with closing(sqlite3.connect(folder / "sessions.db")) as db:
        assert rows == {key for (key,) in db.execute("SELECT id FROM entries")}
    assert len(rows) == sum(len(values) + 1 for values in said.values())


def test_a_conversation_that_begins_while_the_file_is_examined_is_no_damage(path):
    store, _ = open_store(path)
    begun: list[Batch] = []

    def stopped() -> bool:
        if not begun:
            begun.append(Batch("new", (Message("user", "hello"),), "", utc_now()))
            store.append(begun)
        return False

    _check_derived(path, stopped)
    assert store.load("new", going_on=True).messages == [Message("user", "hello")]
    store.close()


async def test_entries_in_the_write_ahead_log_alone_can_be_carved(tmp_path):
    sessions = await Sessions.open(tmp_path / "sessions.db")
    big = Message("assistant", "x" * 50_000)
    await sessions.append("one", Message("user", "hello"), big)
    shutil.copytree(tmp_path, tmp_path.with_name("killed"))
    await sessions.close()
    rows = list(carve_entries(tmp_path.with_name("killed") / "sessions.db"))
    assert sorted(row.label for row in rows) == ["assistant", "session", "user"]


@pytest.mark.parametrize(
    "destroy",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b"garbage " * 5000),
        lambda path: path.write_bytes(bytes(path.stat().st_size)),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(bytes(4096) + path.read_bytes()[4096:]),
        lambda path: path.write_bytes(path.read_bytes()[:60] + b"\0\0\0\x09" + path.read_bytes()[64:]),
        lambda path: path.write_bytes(path.read_bytes()[:60] + b"\0\0\0\0" + path.read_bytes()[64:]),
    ],
    ids=["emptied", "gone", "garbage", "zeros", "cut", "half", "no first page", "version 9", "version 0"],
)
async def test_a_destroyed_file_comes_back_whole_from_its_copy_and_it_says_so(kept, path, destroy):
    destroy(path)
    sessions, told = await opened(path)
    assert await read_back(sessions) == kept[1]
    assert [info.title for info in await sessions.list("answer203")] == ["question200 how do birds build?"]
    assert len(told) == 1
    await sessions.append("new", *turn(7))
    await sessions.close()
    sessions, told = await opened(path)
    assert (len(await read_back(sessions)), told) == (4, [])
    await sessions.close()


async def test_without_a_copy_all_that_stands_on_whole_pages_comes_back(kept, path):
    list_copies(path)[0].unlink()
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    sessions, told = await opened(path)
    assert await read_back(sessions) == kept[1]
    [sentence] = told
    [aside] = path.parent.glob("*.damaged-*")
    assert sentence.endswith(f"129 records were read from it. The damaged file is kept as {aside}.")
    await sessions.close()


async def test_a_file_of_a_newer_magpie_is_left_as_it_is(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA user_version = 9")
        db.execute("UPDATE meta SET value = '9' WHERE key = 'version'")
    before = path.read_bytes()
    with pytest.raises(SessionError, match="was written by a newer Magpie"):
        await opened(path)
    assert path.read_bytes() == before


def places_of(word: bytes, path: Path) -> list[str]:
    """The files of the folder, its log and copies among them, in whose bytes a whole word stands."""
    whole = re.compile(rb"(?<!\w)%b(?!\w)" % word)
    return [file.name for file in path.parent.rglob("*") if file.is_file() and whole.search(file.read_bytes())]


async def test_a_deleted_conversation_leaves_no_byte_in_any_file_while_others_stay_open(tmp_path):
    path = tmp_path / "sessions.db"
    sessions = await Sessions.open(path, copy_after=1e9)
    for number in range(40):
        await sessions.append(f"s{number % 8}", *turn(number))
    await sessions.title("s3", "Heronry of Halden")
    await sessions.draft("s3", "draftword came")
    await sessions.undo("s3")
    await sessions.close()
    for _ in range(3):
        await copied(path)
    sessions = await Sessions.open(path, copy_after=1e9)
    other = await Sessions.open(path, copy_after=1e9)
    await sessions.append("s3", *turn(99))
    words = [b"heronry", b"Heronry", b"draftword", b"question99", b"answer99"]
    words += [f"{word}{number}".encode() for number in range(3, 40, 8) for word in ("question", "answer", "thought")]
    assert {"sessions.db", "sessions.db.copy1", "sessions.db.copy3"} <= set(places_of(b"question3", path))
    await sessions.delete("s3")
    assert {word: places_of(word, path) for word in words if places_of(word, path)} == {}
    assert "sessions.db.copy2" in places_of(b"question4", path)
    assert {info.id for info in await other.list()} == {f"s{number}" for number in (0, 1, 2, 4, 5, 6, 7)}
    assert [info.id for info in await other.list("question4")] == ["s4"]
    for one in (sessions, other):
        await one.close()


async def test_a_copy_is_not_made_while_a_conversation_is_deleted_and_one_that_was_cut_off_is_gone(kept, path):
    first = next(iter(kept[1]))
    path.with_name("sessions.db.copying").write_bytes(path.read_bytes())
    lock = lock_of(path, "copying")
    lock.acquire()
    sessions, _ = await opened(path)
    deleting = asyncio.create_task(sessions.delete(first))
    await asyncio.sleep(0.2)
    # As if another process had been copying since before.
    shutil.copyfile(path.parent / "sessions.db.copying", list_copies(path)[1])
    assert not deleting.done()
    lock.release()
    await deleting
    assert places_of(b"question0", path) == []
    await sessions.close()


async def test_what_was_deleted_is_taken_out_of_a_copy_by_the_next_run_where_that_was_cut_off(kept, path):
    first = next(iter(kept[1]))
    store, _ = open_store(path)
    store.delete([first])
    store.close()
    assert set(places_of(b"question0", path)) == {copy.name for copy in list_copies(path) if copy.exists()}
    await copied_later(path)
    assert places_of(b"question0", path) == []


async def copied_later(path: Path) -> None:
    """A run whose newest copy is new enough."""
    sessions = await Sessions.open(path, copy_after=1e9)
    assert sessions._copying is not None
    await sessions._copying
    await sessions.close()


async def test_what_is_deleted_goes_from_the_copy_that_was_made_before_the_file_had_its_newest_form(kept, path):
    first, second, _ = kept[1]
    make_older(path)
    sessions, _ = await opened(path)
    assert "sessions.db.v1" in places_of(b"question0", path)
    path.with_name("sessions.db.v1.4000000").write_bytes(b"cut off before question0 was")
    await sessions.delete(first)
    assert places_of(b"question0", path) == places_of(b"passage0x1", path) == []
    assert "sessions.db.v1" in places_of(b"question100", path)
    await sessions.close()
    store, _ = open_store(path)
    store.delete([second])
    store.close()
    assert "sessions.db.v1" in places_of(b"question100", path)
    await copied_later(path)
    assert places_of(b"question100", path) == []
    assert "sessions.db.v1" in places_of(b"question200", path)


async def test_a_copy_that_is_too_damaged_to_be_written_goes_with_what_is_deleted(kept, path):
    copy = list_copies(path)[0]
    content = bytearray(copy.read_bytes())
    content[4096 : 3 * 4096] = b"\xff" * (2 * 4096)
    copy.write_bytes(content)
    sessions, _ = await opened(path)
    await sessions.delete(next(iter(kept[1])))
    await sessions.close()
    assert places_of(b"question0", path) == []


async def test_what_was_deleted_does_not_come_back_from_a_copy(kept, path):
    first, *others = kept[1]
    sessions, _ = await opened(path)
    await sessions.delete(first)
    assert places_of(b"question0", path) == places_of(b"passage0x1", path) == []
    await sessions.close()
    assert all(b"question0 " not in each.read_bytes() for each in path.parent.glob("sessions.db*") if each.is_file())
    path.write_bytes(b"garbage")
    sessions, _ = await opened(path)
    assert sorted(await read_back(sessions)) == others
    await sessions.close()


async def test_three_copies_are_kept_and_only_of_a_sound_file(path, kept):
    for _ in range(4):
        await copied(path)
    assert [copy.exists() for copy in list_copies(path)] == [True, True, True]
    assert {copy.stat().st_mode & 0o777 for copy in list_copies(path)} == {0o600}
    assert sorted(each.name for each in path.parent.iterdir() if each.is_file()) == [
        "sessions.db", "sessions.db.copy1", "sessions.db.copy2", "sessions.db.copy3"
    ]  # fmt: skip
    before = [copy.read_bytes() for copy in list_copies(path)]
    content = bytearray(path.read_bytes())
    content[3 * 4096 : 4 * 4096] = bytes(4096)
    path.write_bytes(content)
    said: list[str] = []
    sessions = await Sessions.open(path, tell=said.append, copy_after=-1)
    await sessions._copying
    assert await read_back(sessions) == kept[1]
    assert len(said) == 1
    assert [copy.read_bytes() for copy in list_copies(path)] == before
    await sessions.close()


async def test_a_copy_is_made_only_when_the_last_one_is_old_enough(path):
    before = list_copies(path)[0].stat().st_mtime_ns
    sessions = await Sessions.open(path)
    await sessions._copying
    assert list_copies(path)[0].stat().st_mtime_ns == before
    await sessions.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE words_data SET block = zeroblob(40) WHERE id > 10",
        "DELETE FROM words_data WHERE id > 10",
        "UPDATE sessions SET id = 'other' WHERE number = 1",
        "DELETE FROM sessions WHERE number = 2",
    ],
)
async def test_what_is_derived_is_made_anew_when_the_daily_check_finds_it_damaged(kept, path, damage):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(damage)
    said: list[str] = []
    sessions = await Sessions.open(path, tell=said.append, copy_after=-1)
    await sessions._copying
    assert [info.title for info in await sessions.list("answer203")] == ["question200 how do birds build?"]
    assert (await read_back(sessions), said) == (kept[1], [])
    await sessions.close()


async def test_another_process_that_has_the_file_open_goes_on_in_the_new_one(path, kept):
    other, _ = await opened(path)
    path.write_bytes(b"garbage " * 5000)
    sessions, _ = await opened(path)
    await other.append("other", *turn(1))
    await sessions.append("mine", *turn(2))
    assert set(await read_back(sessions)) == {*kept[1], "other", "mine"} == set(await read_back(other))
    for each in (sessions, other):
        await each.close()


async def test_a_file_that_vanishes_while_it_is_open_comes_back(path, kept):
    sessions, told = await opened(path)
    for name in ("sessions.db", "sessions.db-wal", "sessions.db-shm"):
        (path.parent / name).unlink()
    await sessions.append("new", *turn(1))
    assert set(await read_back(sessions)) == {*kept[1], "new"}
    assert told == [f"The history {path} is gone. 0 records were read from it, 129 more come from its newest copy."]
    await sessions.close()


async def test_what_cannot_be_brought_back_now_is_brought_back_later_and_nothing_said_meanwhile_is_lost(path, kept):
    sessions, _ = await opened(path)
    path.write_bytes(b"garbage " * 5000)
    path.with_name("sessions.db-wal").write_bytes(b"")
    in_the_way = path.with_name("sessions.db.mending")
    in_the_way.mkdir()
    for number in range(2):
        with pytest.raises(SessionError):
            await sessions.append("new", Message("user", f"{number}"), Message("assistant", "yes"))
    in_the_way.rmdir()
    await sessions.append("new", Message("user", "2"), Message("assistant", "yes"))
    assert [message.content for message in (await sessions.load("new")).messages[::2]] == ["0", "1", "2"]
    assert set(await read_back(sessions)) == {*kept[1], "new"}
    await sessions.close()


def swap_indexes(path: Path) -> None:
    """Two pages change places that are alike to SQLite: an index of the sessions and one of their words."""
    with closing(sqlite3.connect(path)) as db:
        names = ("sessions_by_time", "words_idx")
        [one, other] = [
            db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0] - 1 for name in names
        ]
    content = path.read_bytes()
    pages = [content[at : at + 4096] for at in range(0, len(content), 4096)]
    pages[one], pages[other] = pages[other], pages[one]
    path.write_bytes(b"".join(pages))


def misspell_a_column(path: Path) -> None:
    """The table of drafts has another column than the one that is asked for."""
    before, drafts, after = path.read_bytes().partition(b"CREATE TABLE drafts")
    path.write_bytes(before + drafts + after.replace(b"digest", b"dijest", 1))


@pytest.mark.parametrize("damage", [swap_indexes, misspell_a_column])
async def test_damage_that_leaves_sound_pages_is_found_out_by_the_daily_check(path, kept, damage):
    damage(path)
    told: list[str] = []
    sessions = await Sessions.open(path, tell=told.append, copy_after=-1)
    await sessions._copying
    assert (await read_back(sessions), len(told)) == (kept[1], 1)
    await sessions.close()


async def test_a_column_that_is_misspelt_is_found_out_when_it_is_asked_for(path, kept):
    misspell_a_column(path)
    sessions, told = await opened(path)
    assert (await read_back(sessions), len(told)) == (kept[1], 1)
    await sessions.close()


async def test_a_deletion_goes_on_where_the_log_cannot_be_emptied(kept, path, monkeypatch):
    first = next(iter(kept[1]))

    def fail(db):
        raise SessionError("sessions.db cannot be written: disk I/O error.")

    monkeypatch.setattr(self_healing, "empty_log", fail)
    sessions, _ = await opened(path)
    with pytest.raises(SessionError, match="disk I/O error"):
        await sessions.delete(first)
    # What the log would be written into is as it was; the copies and all else are clean.
    assert set(places_of(b"question0", path)) <= {"sessions.db", "sessions.db-wal"}
    await sessions.close()
