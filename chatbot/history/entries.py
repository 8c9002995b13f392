"""What is written down of a conversation: entries as values, and as canonical JSON with a digest over all of it."""

import math
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from utils.text import one_line, well_formed

Kind = Literal[
    "session",
    "title",
    "message",
    "answered",
    "spent",
    "compaction",
    "pin",
    "feedback",
    "collections",
    "deleted",
    "unknown",
]
TitleBy = Literal["model", "user"]
Verdict = Literal["good", "bad"]
COMPACTION = "compaction"
"""What tokens beside the answers were used for, where an entry does not say it."""


@dataclass(frozen=True)
class Begun:
    """The first entry of every session."""

    id: str
    parent: str = ""
    """The session that it branched off."""


@dataclass(frozen=True)
class Titled:
    """A title was given."""

    text: str
    by: TitleBy


@dataclass(frozen=True)
class TurnAnswered:
    """Ends a turn that was answered."""

    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    model: str = ""
    cited: tuple[int, ...] = ()
    """Numbers of the sources that the answer cites."""
    unknown: tuple[int, ...] = ()
    """Numbers that the answer cited and that no source has."""
    truncated: bool = False
    unsupported: tuple[int, ...] = ()
    """Numbers behind a sentence that their source does not say."""
    form: dict[str, Any] | None = None
    """The answer as a JSON object, where it was put into one."""
    summary: str = ""
    """One line that says what it says."""


@dataclass(frozen=True)
class Spent:
    """Tokens that were used beside the answers."""

    usage: Usage
    model: str = ""
    purpose: str = COMPACTION
    """What they were used for, in a word or two, as /usage tells it."""


@dataclass(frozen=True)
class Pin:
    """A message is to survive compaction word for word, or no longer."""

    message: Annotated[int, Meta(ge=0)]
    """Its number in the session, the first being 0; it stays the same whatever is undone after it."""
    on: bool = True


@dataclass(frozen=True)
class Feedback:
    """What the user thinks of an answer; of several marks of one the last counts."""

    message: Annotated[int, Meta(ge=0)]
    """The number of its question in the session, as a pin has it."""
    verdict: Verdict
    why: str = ""

    def describe(self) -> str:
        """In words."""
        return f"You marked this answer as {self.verdict}{f': {one_line(self.why, 300)}' if self.why else '.'}"


@dataclass(frozen=True)
class ChosenCollections:
    """Collections of the library that are searched from now on, of which the first is added to."""

    names: tuple[str, ...] = ()
    """None: as the settings and the profile say."""

    def describe(self) -> str:
        """In words."""
        if not self.names:
            return "The library is searched and added to as the settings say from here on."
        others = f", and {', '.join(self.names[1:])} searched beside it" if self.names[1:] else ""
        return f"{self.names[0]} is searched and added to from here on{others}."


@dataclass(frozen=True)
class Deleted:
    """In the place of `Begun`: the session was deleted, and must not come back from a copy."""


@dataclass(frozen=True)
class Unknown:
    """An entry of a kind that only a newer Magpie knows; it is kept, and exported."""


Value = Message | TurnAnswered | Spent | Compaction | Pin | Feedback | ChosenCollections
"""What others write."""
AnyValue = Value | Begun | Titled | Deleted | Unknown

_VALUE_TYPES: dict[str, type] = {
    "session": Begun,
    "title": Titled,
    "answered": TurnAnswered,
    "spent": Spent,
    "compaction": Compaction,
    "pin": Pin,
    "feedback": Feedback,
    "collections": ChosenCollections,
    "deleted": Deleted,
}
ROLES = ("system", "user", "assistant", "tool")
_KIND_NAMES: dict[type, Kind] = {
    Begun: "session",
    Titled: "title",
    Message: "message",
    TurnAnswered: "answered",
    Spent: "spent",
    Compaction: "compaction",
    Pin: "pin",
    Feedback: "feedback",
    ChosenCollections: "collections",
    Deleted: "deleted",
    Unknown: "unknown",
}


class Entry(NamedTuple):
    """An entry as it was read back."""

    ordinal: int
    """Its place in the session, from 0."""
    created: str
    """When it was written, ISO 8601, UTC."""
    value: AnyValue

    @property
    def kind(self) -> Kind:
        """What it tells of."""
        return _KIND_NAMES[type(self.value)]


class EntryRow(NamedTuple):
    """An entry as the table has it. `label` is a message's role, else the entry's kind."""

    id: int
    label: str
    created: str
    live: int
    payload: bytes
    digest: bytes

    @property
    def is_sound(self) -> bool:
        """Whether it is what was written; whatever a damaged file gives may stand in it."""
        digest, payload = self.digest, self.payload
        return isinstance(digest, bytes) and isinstance(payload, bytes) and digest == digest_of(*self[:5])

    @property
    def mended_row(self) -> "EntryRow":
        """The row that was written, if only its label or its mark is damaged: the digest tells which they were."""
        for label in (self.label, *ROLES, *_VALUE_TYPES):
            for live in (0, 1):
                if (row := self._replace(label=label, live=live)).is_sound:
                    return row
        return self

    def with_key(self, key: int, live: int | None = None) -> "EntryRow":
        """The same under another id, or live or no longer."""
        body = (key, self.label, self.created, self.live if live is None else live, self.payload)
        return EntryRow(*body, digest_of(*body))


SPAN = 24
"""An id is the session's number and, in so many bits, the ordinal."""


def key_of(number: int, ordinal: int = 0) -> int:
    """The id of an entry; of a session's first one with `ordinal` 0."""
    return (number << SPAN) + ordinal


def number_of(key: int) -> int:
    """The number of the session that an entry belongs to."""
    return key >> SPAN


def ordinal_of(key: int) -> int:
    """Its place in the session."""
    return key & ((1 << SPAN) - 1)


def digest_of(key: object, label: object, created: object, live: object, payload: bytes) -> bytes:
    """BLAKE2b over everything that a row says."""
    head = f"{key} {label} {created} {live}\n".encode(errors="replace")
    return blake2b(head + payload, digest_size=16).digest()


def make_row(key: int, label: str, created: str, payload: bytes, live: int = 1) -> EntryRow:
    """A row with its digest."""
    return EntryRow(key, label, created, live, payload, digest_of(key, label, created, live, payload))


def encode_value(value: AnyValue) -> tuple[str, bytes]:
    """Label and payload: canonical JSON, its keys sorted, what has its default left out."""
    label = value.role if isinstance(value, Message) else _KIND_NAMES[type(value)]
    return label, canonical_json(tree_of(value))


def canonical_json(tree: Any) -> bytes:
    """The one way to write a tree as JSON."""
    return msgspec.json.encode(tree, order="sorted")


def decode_value(label: str, payload: bytes) -> AnyValue:
    """The value of a payload, fields that only a newer Magpie knows left out; raises `msgspec.MsgspecError`."""
    kind = Message if label in ROLES else _VALUE_TYPES.get(label)
    if kind is None:
        msgspec.json.decode(payload)
        return Unknown()
    value: AnyValue = _payload_decoder(kind).decode(payload)
    if isinstance(value, Message) and value.role != label:
        raise msgspec.ValidationError(f"Expected role `{label}`, got `{value.role}` - at `$.role`")
    return value


@cache
def _payload_decoder(kind: type) -> "msgspec.json.Decoder[Any]":
    return msgspec.json.Decoder(kind)


def tree_of(value: Any) -> Any:
    """A value as JSON can write it: lone surrogates become U+FFFD, what is no number null."""
    if isinstance(value, str):
        return well_formed(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: tree_of(inner)
            for each in fields(value)
            if (inner := getattr(value, each.name)) != _field_default(each)
        }
    if isinstance(value, Mapping):
        return {well_formed(str(key)): tree_of(inner) for key, inner in value.items()}
    return [tree_of(inner) for inner in value] if isinstance(value, list | tuple) else well_formed(str(value))


def _field_default(each: "Field[Any]") -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


def utc_now() -> str:
    """The time as entries have it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
