"""Marks of answers: put to a turn, and found again with it."""

from collections.abc import Sequence

from chatbot.conversation.messages import Message
from chatbot.conversation.turns import Turn, split_turns
from chatbot.history.entries import Entry, Feedback, Verdict, utc_now
from chatbot.history.store import SessionStore
from chatbot.history.writing import add_values
from utils.errors import SessionError
from utils.text import well_formed

LONGEST_REASON = 2000
"""Characters of why an answer is bad."""


class NotAnswered(SessionError):
    """There is no such answer to be marked."""


def mark_turn(store: SessionStore, session: str, verdict: Verdict, why: str, question: int | None) -> Feedback:
    """Mark the answer to the question of a number, from 1, or the last answer; raises `NotAnswered`."""
    turns = list(enumerate(split_turns(store.load(session, going_on=True).messages), 1))
    answered = [(number, turn) for number, turn in turns if turn.answer is not None]
    found = [turn for number, turn in answered if question in (None, number)]
    if not found:
        told = "There is no answer yet" if question is None else f"There is no answered question {question}"
        raise NotAnswered(f"{told} in this conversation that could be marked.", "Ask something first.")
    mark = Feedback(found[-1].start, verdict, well_formed(why.strip())[:LONGEST_REASON])
    with store.writing() as db:
        add_values(db, store.line(db, session), [mark], utc_now())
    return mark


def marked_turns(entries: Sequence[Entry]) -> list[tuple[int, Turn, Feedback]]:
    """The turns that are marked, each with the number of its question, from 1, and its last mark."""
    marks = {entry.value.message: entry.value for entry in entries if isinstance(entry.value, Feedback)}
    turns = split_turns([entry.value for entry in entries if isinstance(entry.value, Message)])
    return [(number, turn, marks[turn.start]) for number, turn in enumerate(turns, 1) if turn.start in marks]
