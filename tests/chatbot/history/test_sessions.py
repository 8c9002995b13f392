"""Conversations are written down, read back, found, undone, branched and named."""

import asyncio
from base64 import b64encode
from pathlib import Path

import pytest

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.turns import INTERRUPTED_MARK, unanswered_result
from chatbot.conversation.usage import Usage
from chatbot.history.entries import Pin, Spent, TurnAnswered
from chatbot.history.sessions import Sessions
from rag.documents import Passage
from tests.fakes.pictures import attached
from utils.errors import SessionError
from utils.sqlite import MEMORY

CALL = ToolCall("web_search", {"query": "Rome", "limit": 3}, "call_1")
PASSAGE = Passage("Rome was not built in a day.", "https://rome.example/", "Rome", "web", 2, 5, 0.5, heading=("A", "B"))
TURN = (
    Message("user", "How old is Rome?", note="Today is Sunday."),
    Message("assistant", "", thinking="Let me look.", tool_calls=(CALL,)),
    Message("tool", "[1] Rome was not ...", tool_name="web_search", call_id="call_1", sources=(Source(1, PASSAGE),)),
    Message("assistant", "Old [1].", thinking="Hm."),
    TurnAnswered(Usage(10, 5, 3, 0.5, 0.25), 1.5, "qwen", (1,), (7,), True),
)


@pytest.fixture
async def sessions(tmp_path: Path):
    opened = await Sessions.open(tmp_path / "sessions.db")
    yield opened
    await opened.close()


async def reopened(sessions: Sessions) -> Sessions:
    await sessions.close()
    return await Sessions.open(sessions.path)


def values(loaded):
    return [entry.value for entry in loaded.entries if entry.kind not in ("session", "title")]


async def talk(sessions: Sessions, *questions: str) -> str:
    session = sessions.new_id()
    for question in questions:
        await sessions.append(session, Message("user", question))
        await sessions.append(session, Message("assistant", f"About {question}"), TurnAnswered(model="qwen"))
    return session


async def test_everything_of_a_turn_is_read_back_as_it_was_said(sessions, tmp_path):
    session = sessions.new_id()
    await sessions.append(session, *TURN, Compaction("Rome is old.", 4, 900, 90), Pin(0), model="qwen")
    again = await Sessions.open(tmp_path / "sessions.db")
    loaded = await again.load(session)
    await again.close()
    assert values(loaded) == [*TURN, Compaction("Rome is old.", 4, 900, 90), Pin(0)]
    assert loaded.messages == list(TURN[:4])
    info = loaded.info
    assert (info.id, info.title, info.messages, info.model) == (session, "How old is Rome?", 4, "qwen")
    assert loaded.damaged == 0


async def test_what_is_kept_in_memory_is_on_no_disk_and_gone_with_the_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = await Sessions.open(MEMORY)
    session = await talk(kept, "How old is Rome?")
    assert [info.title for info in await kept.list("rome")] == ["How old is Rome?"]
    assert (await kept.claim(session), (await kept.load(session)).damaged) == (True, 0)
    await kept.close()
    assert list(tmp_path.iterdir()) == []
    fresh = await Sessions.open(MEMORY)
    assert await fresh.list() == []
    await fresh.close()


async def test_a_session_that_was_never_written_to_is_not_kept(sessions):
    session = sessions.new_id()
    await sessions.draft(session, "text")
    assert await sessions.list() == []
    with pytest.raises(SessionError, match=f"There is no conversation {session}"):
        await sessions.load(session)


async def test_names_sort_by_time_and_are_short(sessions):
    names = [sessions.new_id() for _ in range(20)]
    assert (names, {len(name) for name in names}) == (sorted(set(names)), {14})


async def test_the_file_and_its_folder_belong_to_the_owner_alone(tmp_path):
    sessions = await Sessions.open(tmp_path / "data" / "sessions.db")
    await talk(sessions, "hello")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").iterdir() if path.is_file()}
    assert modes.keys() >= {"sessions.db", "sessions.db-wal", "sessions.db-shm"}
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    await sessions.close()


async def test_the_draft_of_a_process_that_died_becomes_an_interrupted_answer(tmp_path):
    first = await Sessions.open(tmp_path / "sessions.db")
    session = first.new_id()
    await first.append(session, *TURN[:3])
    await first.draft(session, "Rome is", "Let me")
    await first.draft(session, "Rome is very", "Let me see")
    await first.release(session)
    second = await Sessions.open(tmp_path / "sessions.db")
    ending = Message("assistant", "Rome is very", thinking="Let me see", interrupted=True)
    assert values(await second.load(session)) == [*TURN[:3], ending]
    assert values(await second.load(session)) == [*TURN[:3], ending]
    for each in (first, second):
        await each.close()


async def test_a_call_that_was_cut_off_gets_a_result(tmp_path):
    first = await Sessions.open(tmp_path / "sessions.db")
    session = first.new_id()
    await first.append(session, *TURN[:2])
    await first.close()
    second = await Sessions.open(tmp_path / "sessions.db")
    ending = [unanswered_result(CALL), Message("assistant", INTERRUPTED_MARK, interrupted=True)]
    assert values(await second.load(session)) == [*TURN[:2], *ending]
    await second.close()


async def test_a_turn_under_way_is_left_alone_here_and_in_another_process(sessions, tmp_path):
    session = sessions.new_id()
    await sessions.append(session, TURN[0])
    other = await Sessions.open(tmp_path / "sessions.db")
    assert values(await other.load(session)) == [TURN[0]]
    assert values(await sessions.load(session)) == [TURN[0]]
    assert (await other.claim(session), await sessions.claim(session)) == (False, True)
    await sessions.release(session)
    assert (await other.claim(session), await sessions.claim(session)) == (True, False)
    await other.close()


async def test_the_list_is_by_date_and_told_in_pages(sessions):
    first, second, third = [await talk(sessions, question) for question in ("one", "two", "three")]
    await sessions.append(first, Message("user", "again"), Message("assistant", "yes"))
    assert [each.id for each in await sessions.list()] == [first, third, second]
    assert [each.id for each in await sessions.list(limit=1, offset=1)] == [third]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("built", "rome"), ("BUIL", "rome"), ("day rome", "rome"), ("rome paris", ""), ("bui day", ""),
        ("東", "tokyo"), ("京", "tokyo"), ("東京", "tokyo"), ("京都の塔", "tokyo"), ("塔京", ""), ("ものが", "tokyo"),
        ("Creme", "cafe"), ("crème br", "cafe"), ("CRÈME", "cafe"), ("हिन्दी", "hindi"), ("हिन", "hindi"),
        ('"', "all"), ("rome OR paris", ""), ('say "day"', ""), ("NEAR(", ""), ("max_tok", "code"), ("tokens", "code"),
        ("bui*", "rome"), ("terms:rome", ""), ("qwen", ""), ("한국", "korean"),
        ("straße", "german"), ("STRASSE", "german"),
    ],
)  # fmt: skip
async def test_a_filter_finds_what_is_being_typed_and_is_never_syntax(sessions, typed, found):
    said = {
        "rome": "Rome was not built in a day",
        "tokyo": "東京都の塔というものがある",
        "cafe": "Crème brûlée",
        "hindi": "हिन्दी में",
        "code": "max_tokens is 5",
        "korean": "한국어로",
        "german": "Die Straße",
    }
    names = {await talk(sessions, text): name for name, text in said.items()}
    expected = set(said) if found == "all" else {found} - {""}
    assert {names[each.id] for each in await sessions.list(typed)} == expected


async def test_words_of_a_filter_may_stand_in_several_messages_and_in_the_title(sessions):
    session = await talk(sessions, "How old is Rome?", "And Paris?")
    assert await sessions.title(session, "Ancient cities")
    assert [each.id for each in await sessions.list("ancient rome paris")] == [session]
    [info] = await sessions.list("paris")
    assert (info.title, info.snippet) == ("Ancient cities", "And Paris?")


async def test_undo_takes_back_turns_and_compactions_one_by_one(sessions):
    session = await talk(sessions, "one", "two")
    await sessions.append(session, Pin(0), Pin(2))
    await sessions.append(session, Compaction("short", 2, 900, 90))
    undone = [await sessions.undo(session) for _ in range(3)]
    assert [(each.kind, each.question) for each in undone] == [
        ("compaction", ""),
        ("message", "two"),
        ("message", "one"),
    ]
    assert [entry.value for entry in undone[1].entries] == [
        Message("user", "two"), Message("assistant", "About two"), TurnAnswered(model="qwen"), Pin(2)
    ]  # fmt: skip
    assert await sessions.undo(session) is None
    assert (values(await sessions.load(session)), await sessions.list(), await sessions.list("two")) == ([], [], [])
    await sessions.append(session, Message("user", "three"), Message("assistant", "3"))
    assert [each.title for each in await sessions.list()] == ["three"]


async def test_a_branch_goes_on_by_itself_and_names_its_parent(sessions):
    session = await talk(sessions, "one", "two")
    branch = await sessions.branch(session, upto=1)
    whole = await sessions.branch(session)
    await sessions.append(branch, Message("user", "three"), Message("assistant", "3"))
    assert [m.content for m in (await sessions.load(branch)).messages] == ["one", "About one", "three", "3"]
    assert (await sessions.load(whole)).messages == (await sessions.load(session)).messages
    assert {each.id: each.parent for each in await sessions.list()} == {session: "", branch: session, whole: session}


async def test_what_was_spent_before_a_branch_counts_once_among_all_and_in_each_of_the_two(sessions):
    session = sessions.new_id()
    await sessions.append(session, *TURN, Spent(Usage(7, 0, 2), "qwen", "title"))
    branch = await sessions.branch(session)
    again = await sessions.branch(branch)
    await sessions.append(again, *TURN)

    async def spent(session: str = "") -> tuple[int, int]:
        found = await sessions.usage(session=session)
        return sum(each.answers for each in found), sum(each.usage.prompt_tokens for each in found)

    assert [await spent(each) for each in (session, branch, again)] == [(1, 17), (1, 17), (2, 27)]
    assert await spent() == (2, 27)
    # Where the first of them is deleted, the others still tell it.
    await sessions.delete(session)
    assert await spent() == (2, 27)


async def test_a_branch_of_a_turn_under_way_has_an_end_of_its_own(sessions):
    session = sessions.new_id()
    await sessions.append(session, *TURN[:2])
    branch = await sessions.branch(session)
    ending = [unanswered_result(CALL), Message("assistant", INTERRUPTED_MARK, interrupted=True)]
    assert (await sessions.load(branch)).messages == [*TURN[:2], *ending]
    assert (await sessions.load(session)).messages == list(TURN[:2])


async def test_the_models_title_never_takes_the_place_of_the_users(sessions):
    session = await talk(sessions, "one")
    assert await sessions.title(session, "by the model", by="model")
    assert await sessions.title(session, "by me", by="user")
    assert not await sessions.title(session, "by the model again", by="model")
    assert [each.title for each in await sessions.list("me")] == ["by me"]
    assert await sessions.list("model") == []


async def test_appends_that_are_not_waited_for_keep_their_order(sessions):
    session = sessions.new_id()
    said = [Message(role, str(number)) for number in range(25) for role in ("user", "assistant")]
    await asyncio.gather(*(sessions.append(session, message) for message in said))
    assert (await sessions.load(session)).messages == said


SHOWN = Message("user", "What is this?", pictures=(attached("photo.png", "Halden"), attached("b.png")))


async def test_pictures_stay_with_their_conversation_and_go_with_it(tmp_path: Path) -> None:
    path, data = tmp_path / "sessions.db", b64encode(SHOWN.pictures[0].data)
    sessions = await Sessions.open(path)
    await sessions.append("one", SHOWN, Message("assistant", "A cat."))
    await sessions.close()
    assert data in path.read_bytes()
    sessions = await Sessions.open(path)
    assert (await sessions.load("one")).messages[0] == SHOWN
    copy = await sessions.branch("one")
    assert (await sessions.load(copy)).messages[0].pictures == SHOWN.pictures
    for session in ("one", copy):
        await sessions.delete(session)
    await sessions.close()
    assert data not in path.read_bytes()


async def test_a_conversation_with_pictures_is_exported_as_json_and_taken_in_again(sessions: Sessions) -> None:
    await sessions.append("one", SHOWN, Message("assistant", "A cat."))
    document = await sessions.export_json("one")
    await sessions.delete("one")
    loaded = await sessions.load((await sessions.import_json(document)).id)
    assert loaded.messages[0].pictures == SHOWN.pictures


async def test_a_picture_of_a_size_that_none_has_is_not_taken_in(sessions: Sessions) -> None:
    await sessions.append("one", SHOWN)
    document = (await sessions.export_json("one")).replace('"width": 300', '"width": 300000')
    with pytest.raises(SessionError, match="width"):
        await sessions.import_json(document)
