"""What was spent: tokens by day, model and purpose, of all sessions or of one."""

import sqlite3
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime

from chatbot.conversation.usage import Usage
from chatbot.history.entries import SPAN, Spent, TurnAnswered, key_of
from chatbot.history.log import Read

_USAGE_NAMES = tuple(one.name for one in fields(Usage))
_EARLIER_COPY = (
    "SELECT 1 FROM spent AS other WHERE other.created = spent.created"
    f" AND other.id < (spent.id >> {SPAN} << {SPAN})"
    + "".join(f" AND other.{name} = spent.{name}" for name in ("model", "answers", "purpose", *_USAGE_NAMES))
)
"""The same entry in an earlier session: the same tokens of a model for a purpose, written in the same microsecond."""


@dataclass(frozen=True)
class Spending:
    """Tokens of one model on one day, for one purpose."""

    day: str
    """ISO 8601, by the clock of this machine."""
    model: str
    usage: Usage
    answers: int
    """Answers among what was spent."""
    purpose: str = ""
    """As `Spent` has it; empty for answers."""


def note_spending(db: sqlite3.Connection, reads: Iterable[Read]) -> None:
    """Note what entries say that was spent."""
    rows = [
        (
            read.row.id,
            read.row.created,
            read.value.model,
            isinstance(read.value, TurnAnswered),
            read.value.purpose if isinstance(read.value, Spent) else "",
            *astuple(read.value.usage),
        )
        for read in reads
        if isinstance(read.value, TurnAnswered | Spent)
    ]
    names = ("id", "created", "model", "answers", "purpose", *_USAGE_NAMES)
    places = ", ".join("?" * len(names))
    db.executemany(f"INSERT OR REPLACE INTO spent ({', '.join(names)}) VALUES ({places})", rows)


def read_spending(db: sqlite3.Connection, since: datetime | None, number: int | None) -> list[Spending]:
    """By day, model and purpose, from a moment on and of one session if given; turns that were undone were paid for.

    What a branch brought along, or an import of a session that is here, counts once among all sessions. Of one session
    it counts as well: its answers stand there.
    """
    begin = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if since else ""
    where, values = "created >= ?", [begin]
    if number is not None:
        where, values = where + " AND id >= ? AND id < ?", [begin, str(key_of(number)), str(key_of(number + 1))]
    else:
        where += f" AND NOT EXISTS ({_EARLIER_COPY})"
    rows = db.execute(
        "SELECT coalesce(date(created, 'localtime'), substr(created, 1, 10)) AS day, model,"
        f" purpose, sum(answers), {', '.join(f'sum({name})' for name in _USAGE_NAMES)}"
        f" FROM spent WHERE {where} GROUP BY day, model, purpose ORDER BY day, model, purpose",
        values,
    )
    return [Spending(day, model, Usage(*sums), answers, purpose) for day, model, purpose, answers, *sums in rows]
