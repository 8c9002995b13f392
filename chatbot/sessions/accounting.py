"""What was spent: tokens by day and model, of all sessions or of one."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime

from chatbot.models.base import Usage
from chatbot.sessions.entries import Answered, Row, Spent, key_of
from chatbot.sessions.log import COLUMNS, read


@dataclass(frozen=True)
class Spending:
    """Tokens of one model on one day."""

    day: str
    """ISO 8601, by the clock of this machine."""
    model: str
    usage: Usage
    turns: int
    """Answers among what was spent."""


def spending(db: sqlite3.Connection, since: datetime | None, number: int | None) -> list[Spending]:
    """By day and model, from a moment on and of one session if given; turns that were undone were paid for as well."""
    begin = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if since else ""
    query = f"SELECT {COLUMNS} FROM entries WHERE label IN ('answered', 'spent') AND created >= ?"
    values: tuple[object, ...] = (begin,)
    if number is not None:
        # The span of one session is shorter than the index of all answers.
        query = query.replace("label IN", "+label IN") + " AND id >= ? AND id < ?"
        values = (begin, key_of(number), key_of(number + 1))
    sums: dict[tuple[str, str], tuple[Usage, int]] = {}
    for entry in read([Row(*row) for row in db.execute(query, values)])[0]:
        if isinstance(entry.value, Answered | Spent):
            key = (f"{datetime.fromisoformat(entry.row.created).astimezone():%Y-%m-%d}", entry.value.model)
            usage, turns = sums.get(key, (Usage(), 0))
            sums[key] = (usage + entry.value.usage, turns + isinstance(entry.value, Answered))
    return [Spending(day, model, usage, turns) for (day, model), (usage, turns) in sorted(sums.items())]
