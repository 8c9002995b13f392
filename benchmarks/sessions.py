"""How fast conversations are kept, opened, listed and found: 10,000 turns in one, and 100,000 of them."""

import argparse
import asyncio
import itertools
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from chatbot.conversation.messages import Message, Source
from chatbot.conversation.usage import Usage
from chatbot.history import log
from chatbot.history.entries import AnyValue, Begun, TurnAnswered, encode_value, key_of, make_row
from chatbot.history.search.catalog import rebuild_catalog
from chatbot.history.sessions import Sessions
from rag.documents import Passage

WORDS = 30_000
FILTERS = 12
"""Words that are typed letter by letter."""


class Writer:
    """Makes texts whose words are as unevenly distributed as those of a language (Zipf)."""

    def __init__(self) -> None:
        self.rng = random.Random(1)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        self.words = ["".join(self.rng.choices(letters, k=self.rng.randint(2, 10))) for _ in range(WORDS)]
        self._weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(WORDS)))

    def text(self, words: int) -> str:
        """So many words."""
        return " ".join(self.rng.choices(self.words, cum_weights=self._weights, k=words))

    def turn(self, sources: int) -> tuple[AnyValue, ...]:
        """A question of 10 words and an answer of 60, with passages of 80 words between them."""
        handed = tuple(
            Source(n, Passage(self.text(80), f"https://a.example/{self.text(1)}", self.text(5), "web"))
            for n in range(1, sources + 1)
        )
        result = (Message("tool", self.text(80), tool_name="web_search", call_id="call", sources=handed),)
        return (
            Message("user", self.text(10)),
            *(result if sources else ()),
            Message("assistant", self.text(60)),
            TurnAnswered(Usage(900, 800, 80, 0.5, 4.0), 5.0, "qwen2.5-coder:1.5b"),
        )


def fill(path: Path, sessions: int, turns: int, sources_every: int) -> None:
    """Write sessions into an open file's log in one go, and derive the rest."""
    writer = Writer()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        for number in range(1, sessions + 1):
            name = f"bench-{number}"
            values: list[AnyValue] = [Begun(name)]
            for turn in range(turns):
                values += writer.turn(2 if turn % sources_every == 0 else 0)
            created = f"2026-01-01T00:00:00.{number:06}Z"
            rows = [(label, created, payload) for label, payload in map(encode_value, values)]
            log.insert_rows(db, [make_row(key_of(number, place), *row) for place, row in enumerate(rows)])
        rebuild_catalog(db)
        db.execute("COMMIT")


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


async def one_long_session(path: Path, turns: int) -> None:
    """Open a session of so many turns, and go on with it."""
    await (await Sessions.open(path)).close()
    fill(path, 1, turns, sources_every=4)
    sessions = await Sessions.open(path, copy_after=1e9)
    spent = [await timed(lambda: sessions.load("bench-1")) for _ in range(5)]
    loaded = await sessions.load("bench-1")
    size = path.stat().st_size / 1e6
    print(f"a session of {turns} turns ({len(loaded.messages)} messages, {size:.0f} MB): opened in", end=" ")
    print(f"{statistics.median(spent):.0f} ms (slowest {max(spent):.0f})")
    writer = Writer()
    values = [writer.turn(2) for _ in range(50)]
    spent = [await timed(lambda each=each: sessions.append("bench-1", *each)) for each in values]  # type: ignore[misc]
    print(f"a turn is written down in {statistics.median(spent):.1f} ms (slowest {max(spent):.1f})")
    text = writer.text(500)
    spent = [await timed(lambda: sessions.draft("bench-1", text)) for _ in range(50)]
    print(f"500 words of a reply are kept in {statistics.median(spent):.1f} ms (slowest {max(spent):.1f})")
    await sessions.close()


async def many_sessions(path: Path, count: int) -> None:
    """List and filter so many sessions of two turns."""
    await (await Sessions.open(path)).close()
    fill(path, count, 2, sources_every=10)
    began = time.perf_counter()
    sessions = await Sessions.open(path, copy_after=1e9)
    print(
        f"{count} sessions ({path.stat().st_size / 1e6:.0f} MB): open in {(time.perf_counter() - began) * 1000:.0f} ms"
    )
    spent = [await timed(sessions.list) for _ in range(9)]
    print(f"listed in {statistics.median(spent):.0f} ms (slowest {max(spent):.0f})")
    writer = Writer()
    rare = [writer.words[place] for place in writer.rng.sample(range(WORDS), FILTERS)]
    frequent = writer.words[:FILTERS]
    typed = {
        "rare words": [word[:end] for word in rare for end in range(1, len(word) + 1)],
        "frequent words": [word[:end] for word in frequent for end in range(1, len(word) + 1)],
        "two frequent words": [f"{one} {two}" for one, two in itertools.pairwise(frequent)],
        "a rare and a frequent word": [f"{one} {two}" for one, two in zip(rare, frequent, strict=True)],
        "three words of a message": [" ".join(writer.text(3).split()) for _ in range(FILTERS)],
        "words that no session has": ["xqzzqx", f"{frequent[0]} xqzzqx"],
    }
    for name, filters in typed.items():
        spent = [await timed(lambda text=text: sessions.list(text)) for text in filters]  # type: ignore[misc]
        print(f"filtered by {name}, as they are typed: {statistics.median(spent):.0f} ms (slowest {max(spent):.0f})")
    spent = [await timed(lambda text=text: sessions.search_answers(text, 5)) for text in rare]  # type: ignore[misc]
    print(f"answers searched in {statistics.median(spent):.0f} ms (slowest {max(spent):.0f})")
    spent = [await timed(sessions.usage) for _ in range(3)]
    print(f"tokens of all added up in {statistics.median(spent):.0f} ms")
    await sessions.close()


async def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        await one_long_session(Path(folder, "one.db"), options.turns)
        await many_sessions(Path(folder, "many.db"), options.sessions)


if __name__ == "__main__":
    asyncio.run(main())
