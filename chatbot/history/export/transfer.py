"""A session as one readable JSON document, and back; docs/sessions.md describes the form."""

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import msgspec

from chatbot.history import log
from chatbot.history.entries import ROLES, Begun, canonical_json, decode_value, encode_value, key_of, make_row, tree_of
from chatbot.history.search import catalog
from chatbot.history.search.catalog import Line
from utils.errors import SessionError
from utils.files import parse_json
from utils.local_time import local_time
from utils.text import one_line

DOCUMENT_FORM = "magpie-session"
VERSION = 1
SESSION_NAME = re.compile(r"[0-9a-z][0-9a-z-]{0,39}")
"""What can be the id of a session: files are named after it."""
OUTSIDE = "an imported conversation"
"""The origin of what was imported, before that which it had itself: nobody knows who wrote it."""
_MARKED = (*ROLES, "compaction")
_NEVER = frozenset({"deleted", "system"})
"""Kinds that no conversation of Magpie's has: its instructions are never a part of one."""
_ENTRY_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


@dataclass(frozen=True)
class Imported:
    """The session that a document was read into."""

    id: str
    known: bool = False
    """The session was there already, with the same content."""


class Item(NamedTuple):
    """An entry of a document."""

    label: str
    created: str
    payload: bytes


def export_session(db: sqlite3.Connection, line: Line) -> str:
    """All that was not undone in a session; fields that only a newer Magpie knows are there as well."""
    sound, _ = log.read_rows(log.rows_of(db, line.number))
    return _make_document(
        [_unmark_outside(Item(read.row.label, read.row.created, read.row.payload)) for read in sound if read.row.live]
    )


def _make_document(items: Sequence[Item]) -> str:
    entries = [
        {"kind": item.label, "created": item.created, "payload": msgspec.json.decode(item.payload)} for item in items
    ]
    document = {"form": DOCUMENT_FORM, "version": VERSION, "entries": entries}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def parse_document(text: str) -> list[Item]:
    """The entries of a document, the session's first one first; raises `SessionError` that says where it is wrong."""
    try:
        document = parse_json(text)
    except ValueError as error:
        _refuse_document(str(error))
    if not isinstance(document, dict) or document.get("form") != DOCUMENT_FORM:
        _refuse_document(f'it must be one JSON object with "form": "{DOCUMENT_FORM}"')
    if document.get("version") != VERSION:
        _refuse_document(f"version {one_line(str(document.get('version')), 20)} is not known here, only {VERSION}")
    entries = document.get("entries")
    if not isinstance(entries, list) or not entries:
        _refuse_document("entries must be a list that is not empty")
    items = [_read_item(entry, place) for place, entry in enumerate(entries)]
    if not SESSION_NAME.fullmatch(begun_value(items[0]).id):
        _refuse_document("entry 0: the id must be of small letters, digits and hyphens")
    if not any(item.label in ROLES for item in items):
        _refuse_document("nothing is said in it")
    return items


def _read_item(entry: Any, place: int) -> Item:
    if not isinstance(entry, dict) or not isinstance(entry.get("payload"), dict):
        _refuse_document(f"entry {place}: it must be an object with kind, created and payload")
    label, created = entry.get("kind"), entry.get("created")
    if not isinstance(created, str) or not _ENTRY_TIME.fullmatch(created) or local_time(created) is None:
        _refuse_document(f"entry {place}: created must be a time like 2026-01-31T12:00:00.000000Z")
    if not isinstance(label, str) or (label == "session") != (place == 0) or label in _NEVER:
        _refuse_document(f"entry {place}: its kind cannot be {one_line(str(label), 20)}")
    try:
        payload = canonical_json(tree_of(entry["payload"]))
        decode_value(label, payload)
    except (msgspec.MsgspecError, RecursionError) as error:
        _refuse_document(f"entry {place}: {error}")
    return Item(str(tree_of(label)), created, payload)


def begun_value(item: Item) -> Begun:
    """The first entry of a session."""
    value = decode_value(item.label, item.payload)
    assert isinstance(value, Begun)
    return value


def write_imported(db: sqlite3.Connection, items: Sequence[Item], new: str) -> Imported:
    """Write a parsed document into the log; under the id `new` where its own is that of another session."""
    first = begun_value(items[0])
    line = catalog.line_of(db, first.id)
    if line is not None:
        if export_session(db, line) == _make_document(items):
            return Imported(first.id, known=True)
        first = Begun(new, first.parent)
        items = [Item(*encode_first(first, items[0].created)), *items[1:]]
    number = log.next_number(db)
    rows = [make_row(key_of(number, place), *_mark_outside(item)) for place, item in enumerate(items)]
    log.insert_rows(db, rows)
    catalog.add_entries(db, Line(number), log.read_rows(rows)[0])
    return Imported(first.id)


def _mark_outside(item: Item) -> Item:
    """An entry with the mark that it was not said here."""
    if item.label not in _MARKED:
        return item
    tree = msgspec.json.decode(item.payload)
    was = tree.get("origin", "")
    return item._replace(payload=canonical_json({**tree, "origin": f"{OUTSIDE}: {was}" if was else OUTSIDE}))


def _unmark_outside(item: Item) -> Item:
    """An entry without that mark."""
    tree = msgspec.json.decode(item.payload)
    if item.label not in _MARKED or not tree.get("origin", "").startswith(OUTSIDE):
        return item
    was = tree.pop("origin").removeprefix(OUTSIDE).removeprefix(": ")
    return item._replace(payload=canonical_json({**tree, "origin": was} if was else tree))


def encode_first(first: Begun, created: str) -> tuple[str, str, bytes]:
    """A first entry as an item."""
    label, payload = encode_value(first)
    return label, created, payload


def _refuse_document(reason: str) -> NoReturn:
    raise SessionError(f"This is no conversation that can be read: {reason}.", "/export json writes one that can.")
