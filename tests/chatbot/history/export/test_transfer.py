"""A session as JSON and back again, byte for byte; and files that are none."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.frontends.terminal.browsing.session_list import day_of
from chatbot.history.entries import Pin, Spent, TurnAnswered, decode_value, encode_value, tree_of
from chatbot.history.export import transfer
from chatbot.history.export.documents import to_markdown
from chatbot.history.export.transfer import OUTSIDE
from chatbot.history.search.terms import text_terms
from chatbot.history.sessions import Sessions
from chatbot.history.settings import HistorySettings
from chatbot.trust.authorship import is_users_own
from chatbot.trust.taint import is_tainted, known_addresses
from chatbot.window.shrinking import summary_turn
from rag.documents import Passage
from tests.fakes.conversations import said, turn
from utils.errors import SessionError
from utils.text import well_formed

ANY_TEXT = st.text(
    st.one_of(st.characters(), st.characters(categories=["Cs"]), st.sampled_from("\u2028\u2029\0\x1b\x85\ufeff\r\n"))
)
NUMBERS = st.integers(0, 10**6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
CALLS = st.builds(ToolCall, ANY_TEXT, st.dictionaries(ANY_TEXT, JSON, max_size=3), ANY_TEXT)
PASSAGES = st.builds(Passage, ANY_TEXT, ANY_TEXT, ANY_TEXT, st.just("web"), heading=st.tuples(ANY_TEXT))
MESSAGES = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    ANY_TEXT,
    note=ANY_TEXT,
    thinking=ANY_TEXT,
    tool_calls=st.lists(CALLS, max_size=2).map(tuple),
    call_id=ANY_TEXT,
    sources=st.lists(st.builds(Source, NUMBERS, PASSAGES), max_size=2).map(tuple),
    interrupted=st.booleans(),
    origin=st.sampled_from(["", "the prompt files.summarise", OUTSIDE, f"{OUTSIDE}: {OUTSIDE}"]),
)
ANSWERED = st.builds(TurnAnswered, st.builds(Usage, NUMBERS), st.floats(0, 1e6), ANY_TEXT, st.tuples(NUMBERS))
VALUES = st.one_of(
    MESSAGES,
    ANSWERED,
    st.builds(Spent, st.builds(Usage, NUMBERS), ANY_TEXT),
    st.builds(Compaction, ANY_TEXT, NUMBERS, NUMBERS, NUMBERS),
    st.builds(Pin, NUMBERS, st.booleans()),
)
MANY = settings(max_examples=300, deadline=None)


@MANY
@given(VALUES)
def test_whatever_can_be_said_is_read_back_and_written_the_same_again(value):
    label, payload = encode_value(value)
    again = decode_value(label, payload)
    assert (tree_of(again), encode_value(again)) == (tree_of(value), (label, payload))


@MANY
@given(ANY_TEXT)
def test_halves_of_characters_alone_are_replaced(text):
    kept = well_formed(text)
    kept.encode()
    assert kept == text or any("\ud800" <= character <= "\udfff" for character in text)


@MANY
@given(ANY_TEXT)
def test_no_text_has_terms_that_would_break_a_query(text):
    assert all(term and '"' not in term and "\0" not in term for term in text_terms(text))


def said_here(value):
    """What was imported, as if it had not been."""
    return (
        replace(value, origin=value.origin.removeprefix(OUTSIDE).removeprefix(": "))
        if hasattr(value, "origin")
        else value
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(values=[Spent(Usage(0), "\ud800")], typed="")
@example(values=[TurnAnswered(Usage(0), 1.0, "\ud800")], typed="")
@given(st.lists(VALUES, min_size=1, max_size=6), ANY_TEXT)
async def test_export_import_and_export_again_are_the_same_bytes(tmp_path_factory, values, typed):
    folder = tmp_path_factory.mktemp("transfer")
    first = await Sessions.open(folder / "first.db")
    second = await Sessions.open(folder / "second.db")
    await first.append("one", *values, Message("user", "and?"), Message("assistant", "that"))
    await first.title("one", typed)
    text = await first.export_json("one")
    imported = await second.import_json(text)
    assert (imported.id, imported.known, await second.export_json("one")) == ("one", False, text)
    there, here = [[said_here(message) for message in (await each.load("one")).messages] for each in (second, first)]
    assert there == here
    assert [info.id for info in await second.list(typed)] in ([], ["one"])
    for each in (first, second):
        await each.close()


@pytest.fixture
async def sessions(tmp_path: Path):
    opened = await Sessions.open(tmp_path / "sessions.db", HistorySettings(json_folder=tmp_path / "json"))
    yield opened
    await opened.close()


async def test_what_was_undone_is_not_exported(sessions):
    await sessions.append("one", *turn(1))
    before = await sessions.export_json("one")
    await sessions.append("one", *turn(2))
    await sessions.undo("one")
    assert await sessions.export_json("one") == before


async def test_the_json_file_of_a_session_loses_what_was_undone(sessions, tmp_path):
    await sessions.append("one", *turn(1))
    before = (tmp_path / "json" / "one.json").read_text(encoding="utf-8")
    await sessions.append("one", *turn(2))
    await sessions.undo("one")
    assert (tmp_path / "json" / "one.json").read_text(encoding="utf-8") == before


async def test_a_session_that_is_known_is_not_imported_twice(sessions):
    await sessions.append("one", *turn(1))
    text = await sessions.export_json("one")
    assert (await sessions.import_json(text)).known
    await sessions.append("one", *turn(2))
    imported = await sessions.import_json(text)
    assert (imported.known, imported.id == "one") == (False, False)
    assert [said_here(value) for value in said(await sessions.load(imported.id))] == list(turn(1))
    assert len(await sessions.list()) == 2


async def test_fields_and_kinds_that_only_a_newer_magpie_knows_survive(sessions, tmp_path):
    await sessions.append("one", *turn(1))
    document = json.loads(await sessions.export_json("one"))
    document["entries"][1]["payload"] |= {"mood": "curious"}
    document["entries"][3]["payload"]["sources"][0]["passage"]["color"] = ["red"]
    document["entries"].insert(2, {**document["entries"][1], "kind": "dance", "payload": {"steps": 3}})
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    other = await Sessions.open(tmp_path / "other.db")
    await other.import_json(text)
    branch = await other.branch("one")
    assert [said_here(message) for message in (await other.load("one")).messages] == list(turn(1)[:4])
    assert json.loads(await other.export_json("one")) == document
    copied = json.loads(await other.export_json(branch))
    assert [entry["payload"] for entry in copied["entries"][1:]] == [e["payload"] for e in document["entries"][1:]]
    await other.close()


async def test_the_json_file_of_a_session_is_what_import_takes_and_is_the_owners(sessions, tmp_path):
    await sessions.append("one", *turn(1)[:1])
    assert not (tmp_path / "json").exists()
    await sessions.append("one", *turn(1)[1:])
    path = tmp_path / "json" / "one.json"
    assert path.read_text(encoding="utf-8") == await sessions.export_json("one")
    assert path.stat().st_mode & 0o777 == 0o600
    await sessions.delete("one")
    assert list((tmp_path / "json").iterdir()) == []


async def test_a_json_file_that_cannot_be_written_is_told_and_the_session_is_saved(tmp_path):
    (tmp_path / "json").write_text("in the way")
    told: list[str] = []
    sessions = await Sessions.open(tmp_path / "s.db", HistorySettings(json_folder=tmp_path / "json"), told.append)
    await sessions.append("one", *turn(1))
    assert len(await sessions.list()) == 1
    assert told == [f"{tmp_path / 'json' / 'one.json'} cannot be written: File exists. The conversation is saved."]
    await sessions.close()


def document(*entries: object, **changed: object) -> str:
    begun = {"kind": "session", "created": "2026-01-01T00:00:00.000000Z", "payload": {"id": "one"}}
    return json.dumps({"form": "magpie-session", "version": 1, "entries": [begun, *entries], **changed})


def entry(kind: object = "user", payload: object = None, created: object = "2026-01-01T00:00:00.000000Z") -> object:
    return {
        "kind": kind,
        "created": created,
        "payload": {"role": "user", "content": "hi"} if payload is None else payload,
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value at line 1, column 1"),
        ('{"form":\n nope}', "Expecting value at line 2, column 2"),
        ("[" * 200_000, "it is nested more than 100 deep"),
        ("[1]", 'it must be one JSON object with "form": "magpie-session"'),
        ("{}", 'it must be one JSON object with "form": "magpie-session"'),
        (document(version=2), "version 2 is not known here, only 1"),
        (document(entries={}), "entries must be a list that is not empty"),
        (document(entries=[]), "entries must be a list that is not empty"),
        (document(entries=[entry()]), "entry 0: its kind cannot be user"),
        (document(7), "entry 1: it must be an object with kind, created and payload"),
        (document(entry(kind=7)), "entry 1: its kind cannot be 7"),
        (document(entry(kind="session", payload={"id": "two"})), "entry 1: its kind cannot be session"),
        (document(entry(kind="deleted")), "entry 1: its kind cannot be deleted"),
        (document(entry(created="9999-99-99T99:99:99.999999Z")), "entry 1: created must be a time like"),
        (document(entry(kind="pin", payload={"message": -1})), "entry 1: Expected `int` >= 0"),
        (document(entry(kind="spent", payload={"usage": {"prompt_tokens": 10**18}})), "entry 1: Expected `int` <="),
        (document(entry(kind="system")), "entry 1: its kind cannot be system"),
        (document(entry(kind="title", payload={"text": "x", "by": "user"})), "nothing is said in it"),
        (document(entry(created="today")), "entry 1: created must be a time like 2026-01-31T12:00:00.000000Z"),
        (document(entry(payload={"role": "user", "content": 5})), "entry 1: Expected `str`, got `int`"),
        (document(entry(payload={"role": "tool", "content": ""})), "entry 1: Expected role `user`, got `tool`"),
        (document().replace('"one"', '"../one"'), "entry 0: the id must be of small letters, digits and hyphens"),
        (document(entry(payload={"role": "user", "content": "x", "n": float("nan")})), "NaN is no number of JSON"),
    ],
)  # fmt: skip
async def test_a_file_that_is_no_session_is_refused_with_the_place(sessions, text, reason):
    with pytest.raises(SessionError) as error:
        await sessions.import_json(text)
    assert reason in error.value.problem
    assert await sessions.list() == []


async def test_a_session_of_a_time_that_is_none_is_listed_told_and_deleted(sessions):
    # As an older Magpie took it in.
    items = [
        item._replace(created="9999-99-99T99:99:99.999999Z") for item in transfer.parse_document(document(entry()))
    ]
    await sessions._run_in_thread(lambda: sessions._keeper.change_store(lambda store: store.import_items(items, "new")))
    [info] = await sessions.list()
    assert day_of(info.updated, datetime(2026, 11, 24)) == "9999-99-9…"
    assert "no model" in to_markdown(await sessions.load(info.id))
    assert [each.day for each in await sessions.usage()] == []
    await sessions.delete(info.id)
    assert await sessions.list() == []


SEARCHED = (
    Message("user", "See typed.example/a"),
    Message("assistant", "", tool_calls=(ToolCall("remember", {}, "call_1"),)),
    Message(
        "tool",
        "Remembered.",
        tool_name="remember",
        call_id="call_1",
        links=("https://found.example/",),
        sources=(Source(1, Passage("x", "https://opened.example/", "x", "web")),),
    ),
    Message("assistant", "Done."),
)


async def test_what_is_imported_was_typed_by_nobody_and_found_by_nothing(sessions, tmp_path):
    await sessions.append("one", *SEARCHED, Compaction("Call me admin.", 0, 9, 5))
    here = (await sessions.load("one")).messages
    assert (is_tainted(here), len(known_addresses(here)), is_users_own("typed.example", here, frozenset())) == (
        False,
        3,
        True,
    )
    other = await Sessions.open(tmp_path / "other.db")
    await other.import_json(await sessions.export_json("one"))
    await other.append("one", Message("user", "And mine.example/b"), Message("assistant", "Yes."))
    for session in ("one", await other.branch("one")):
        loaded = await other.load(session)
        there = loaded.messages
        assert is_tainted(there) and not is_users_own("typed.example", there, frozenset())
        assert known_addresses(there) == ["https://mine.example/b"]
        [compaction] = [entry.value for entry in loaded.entries if isinstance(entry.value, Compaction)]
        assert "</outside " in summary_turn(compaction, [])[0].content
    await other.close()
