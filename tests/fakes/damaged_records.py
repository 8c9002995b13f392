"""Random damage to records and to files of conversations, and what becomes of them; a seed always does the same."""

import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from chatbot.conversation.messages import Message
from chatbot.history.entries import AnyValue
from chatbot.history.log import DAMAGED
from chatbot.history.recovery.backups import list_copies
from chatbot.history.sessions import Sessions
from tests.fakes.conversations import copied, flip, make, read_back
from tests.fakes.processes import Say
from utils.errors import SessionError

Said = dict[str, list[AnyValue]]
NAME = "sessions.db"
PAGE = 4096


async def prepare(say: Say, folder: Path) -> None:
    """A file that was closed in peace, with a copy; says what is in it."""
    said = await make(folder / NAME, 3, 6)
    await copied(folder / NAME)
    say(said)


async def damage_records(say: Say, sound: Path, folder: Path, seeds: Sequence[int], said: Said) -> None:
    """Damage records in files without a copy; says for each what was done, and what was wrong afterwards."""
    for seed in seeds:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(sound / NAME, folder)
        done = spoil(folder / NAME, random.Random(seed))
        say((seed, str(done)))
        say(await wrong_records(folder / NAME, said, done))


def spoil(path: Path, rng: random.Random) -> dict[int, str]:
    """Damage 1 to 5 records; what was done to which."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        ids = [key for (key,) in db.execute("SELECT id FROM entries WHERE label != 'session'")]
        return {key: _spoil(db, key, rng) for key in rng.sample(ids, rng.randint(1, 5))}


def _spoil(db: sqlite3.Connection, key: int, rng: random.Random) -> str:
    [payload] = db.execute("SELECT payload FROM entries WHERE id = ?", (key,)).fetchone()
    [other] = db.execute("SELECT payload FROM entries WHERE id < ? ORDER BY id DESC", (key,)).fetchone()
    at = rng.randrange(1, len(payload))
    bit = bytes([payload[at] ^ 1 << rng.randrange(8)])
    kinds: dict[str, object] = {
        "cut": payload[:at],
        "empty": b"",
        "zeros": bytes(len(payload)),
        "a zero": payload[:at] + b"\0" + payload[at + 1 :],
        "glued": payload + bytes(str(other), "utf-8"),
        "doubled": payload + payload,
        "U+2028": payload[:at] + "\u2028".encode() + payload[at:],
        "newline": payload + b"\n",
        "bit": payload[:at] + bit + payload[at + 1 :],
        "text": payload.decode(),
        "number": 7,
        "no UTF-8": payload[:at] + b"\xff\xfe" + payload[at:],
    }
    kind = rng.choice([*kinds, "bit", "bit", "label", "time", "mark", "digest"])
    if kind in kinds:
        db.execute("UPDATE entries SET payload = ? WHERE id = ?", (kinds[kind], key))
    elif kind == "digest":
        db.execute("UPDATE entries SET digest = zeroblob(?) WHERE id = ?", (rng.choice([0, 15, 16]), key))
    else:
        column = {"label": "label", "time": "created", "mark": "live"}[kind]
        value = rng.choice(["usur", 7, b"user", b"\xff\xfe"])
        db.execute(f"UPDATE entries SET {column} = CAST(? AS TEXT) WHERE id = ?", (value, key))
    return kind


async def wrong_records(path: Path, said: Said, done: dict[int, str]) -> list[str]:
    """What is wrong: every record that was left alone must be there, and every other one counted."""
    sessions = await Sessions.open(path, copy_after=1e9)
    wrong: list[str] = []
    for number, (session, values) in enumerate(said.items(), 1):
        # Labels and marks are found out by the digest, and are not lost.
        hit = {key & 0xFFFFFF for key, kind in done.items() if key >> 24 == number and kind not in ("label", "mark")}
        for attempt in ("first", "second"):
            loaded = await sessions.load(session)
            read = {entry.ordinal: entry.value for entry in loaded.entries if entry.ordinal}
            for ordinal, value in enumerate(values, 1):
                if ordinal not in hit and not _same(read.get(ordinal), value):
                    wrong.append(f"{attempt}: {ordinal} of {session} is {read.get(ordinal)}")
                elif ordinal in hit and not _honest(read.get(ordinal), value):
                    wrong.append(f"{attempt}: {ordinal} of {session} is taken for {read.get(ordinal)}")
            if loaded.damaged != len(hit):
                wrong.append(f"{attempt}: {loaded.damaged} counted of {hit} in {session}")
            wrong += ordered(loaded.messages)
    await sessions.append(next(iter(said)), Message("user", "more"), Message("assistant", "yes"))
    await sessions.close()
    return wrong


def _same(read: AnyValue | None, value: AnyValue) -> bool:
    if isinstance(read, Message) and isinstance(value, Message) and value.role == "assistant" and not value.tool_calls:
        # A call was made up for results whose own call was damaged.
        return (read.content, read.thinking) == (value.content, value.thinking)
    return read == value


def _honest(read: AnyValue | None, value: AnyValue) -> bool:
    return read is None or (isinstance(read, Message) and read.content == DAMAGED)


def ordered(messages: Sequence[Message]) -> list[str]:
    """What no model would accept: a turn without a question, a result without a call, a call without a result."""
    wrong: list[str] = []
    waiting: set[str] = set()
    for number, message in enumerate(messages):
        last = messages[number - 1] if number else None
        if (last is None) != (message.role == "user") and last is None:
            wrong.append("the first message is no question")
        if message.role == "tool":
            if message.call_id not in waiting:
                wrong.append(f"message {number} is the result of no call")
            waiting.discard(message.call_id)
        elif waiting:
            wrong.append(f"no result of {waiting} before message {number}")
            waiting = set()
        waiting |= {call.id for call in message.tool_calls}
    return wrong


async def damage_files(say: Say, sound: Path, folder: Path, seeds: Sequence[int], said: Said) -> None:
    """Damage files, with a copy and without; says for each what was done, what came of it, and what was wrong."""
    for seed in seeds:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sound, folder)
        rng = random.Random(seed)
        if not (with_copy := rng.random() < 0.6):
            list_copies(folder / NAME)[0].unlink()
        done, places = damage_file(folder / NAME, rng)
        say((seed, f"{done}, {'with' if with_copy else 'without'} a copy"))
        try:
            say(await wrong_files(folder, sound, said, places, with_copy))
        except SessionError as error:
            say(("an error", [f"{error}"]))


def damage_file(path: Path, rng: random.Random) -> tuple[str, set[int]]:
    """What was done, and the numbers of the pages that it was done to."""
    content = path.read_bytes()
    kind = rng.choice(["flip", "flip", "flip few", "cut", "zeros", "garbage", "swap", "destroyed"])
    every = set(range(len(content) // PAGE))
    if kind in ("flip", "flip few"):
        places = flip(path, rng, 100 if kind == "flip" else 3)
        return f"{len(places)} bytes", {place // PAGE for place in places}
    if kind == "destroyed":
        path.write_bytes(rng.choice([b"", bytes(len(content)), rng.randbytes(len(content)), b"SQLite format 3\0"]))
        return kind, every
    at = rng.randrange(len(content))
    length = min(rng.choice([512, 4096, 20_000]), len(content) - at)
    if kind == "cut":
        path.write_bytes(content[:at])
        return f"cut at {at}", {page for page in every if (page + 1) * PAGE > at}
    if kind == "swap":
        one, other = rng.sample(sorted(every), 2)
        pages = [content[page * PAGE : (page + 1) * PAGE] for page in sorted(every)]
        pages[one], pages[other] = pages[other], pages[one]
        path.write_bytes(b"".join(pages))
        return f"pages {one} and {other} swapped", {one, other}
    new = bytes(length) if kind == "zeros" else rng.randbytes(length)
    path.write_bytes(content[:at] + new + content[at + length :])
    return f"{length} bytes of {kind} at {at}", set(range(at // PAGE, (at + length - 1) // PAGE + 1))


async def wrong_files(
    folder: Path, sound: Path, said: Said, places: set[int], with_copy: bool
) -> tuple[str, list[str]]:
    """What came of it, and what is wrong: with a copy everything must come back, else what was not touched."""
    told: list[str] = []
    sessions = await Sessions.open(folder / NAME, tell=told.append, copy_after=-1)
    assert sessions._copying is not None
    await sessions._copying
    read = await read_back(sessions)
    await sessions.append("new", Message("user", "more"), Message("assistant", "yes"))
    again = await read_back(sessions)
    await sessions.close()
    wrong = [] if again.pop("new", None) else ["nothing can be added"]
    wrong += [] if again == read else ["it is another one when it is read again"]
    if with_copy:
        wrong += [f"{session} is not what was said" for session in said if read.get(session) != said[session]]
    else:
        wrong += _lost(read, said, untouched(sound / NAME, places))
    kept = [message for values in read.values() for message in values if _new(message, said)]
    wrong += [f"nobody said {message}" for message in kept]
    return ("told" if told else "right"), wrong


def _new(value: AnyValue, said: Said) -> bool:
    made_up = isinstance(value, Message) and value.interrupted
    return not made_up and not any(_same(value, each) for values in said.values() for each in values)


def _lost(read: Said, said: Said, there: set[tuple[int, int]]) -> list[str]:
    """Entries on pages that were not touched which are not read back."""
    found = [value for values in read.values() for value in values]
    return [
        f"{ordinal} of {session} was lost"
        for number, (session, values) in enumerate(said.items(), 1)
        for ordinal, value in enumerate(values, 1)
        if (number, ordinal) in there and not any(_same(each, value) for each in found)
    ]


def untouched(path: Path, places: set[int]) -> set[tuple[int, int]]:
    """Session and ordinal of entries whose whole payload stands on one page that was not touched."""
    content = path.read_bytes()
    there: Counter[tuple[int, int]] = Counter()
    with closing(sqlite3.connect(path)) as db:
        for key, payload in db.execute("SELECT id, payload FROM entries"):
            at = content.find(payload)
            while at >= 0:
                page, last = at // PAGE, (at + len(payload) - 1) // PAGE
                there[key >> 24, key & 0xFFFFFF] += page == last and page not in places
                at = content.find(payload, at + 1)
    return {place for place, count in there.items() if count}
