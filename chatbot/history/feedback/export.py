"""Marked answers as the fittings read them: messages for the router, a collection for what judges passages."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from chatbot.conversation.messages import LIBRARY_TOOL
from chatbot.conversation.turns import Turn, split_turns
from chatbot.history.entries import Feedback, TurnAnswered
from chatbot.history.feedback.marks import marked_turns
from chatbot.history.store import Loaded
from chatbot.history.turns import split_entries
from chatbot.models.pipeline.decision.router import ANSWER
from chatbot.models.pipeline.decision.tool_choice import ROUTER_WORDS
from utils.errors import SessionError
from utils.paths import write_private

EARLIER_TURNS = 4
"""Turns before a question that its message for the router has."""
MARKS_FILE = "feedback.jsonl"
"""All marks, whatever becomes of them; tells a folder of an export from others."""
ATTACHED_TEXT = "attached"
"""The label of a message whose attached text answers it."""
_Rows = list[dict[str, Any]]


class FeedbackExport:
    """The rows of each file, filled conversation by conversation."""

    def __init__(self) -> None:
        self.marks: _Rows = []
        self._messages: _Rows = []
        self._corpus: _Rows = []
        self._queries: _Rows = []
        self._judged = ["query-id\tcorpus-id\tscore"]

    def add(self, loaded: Loaded) -> None:
        """Take the marked turns of a conversation; not those whose words the user did not write here."""
        turns = split_turns(loaded.messages)
        for number, turn, mark in marked_turns(loaded.entries):
            if turn.question.origin:
                continue
            key = f"{loaded.info.id}-{number}"
            self.marks.append(_describe_mark(loaded, number, turn, mark))
            if mark.verdict == "good":
                self._messages += _router_row(key, loaded.info.id, turns[:number])
            self._add_passages(key, loaded.info.id, turn, mark)

    def _add_passages(self, key: str, session: str, turn: Turn, mark: Feedback) -> None:
        """The passages of a turn and, where its answer is good, those that it cites as the right ones."""
        cited = {source.number for source in turn.cited_sources}
        handed = {source.number: source.passage for source in [*turn.question.sources, *turn.sources]}
        known = {row["_id"] for row in self._corpus}
        named = {f"{session}/{number}": passage for number, passage in handed.items()}
        self._corpus += [
            {"_id": name, "title": passage.title, "text": passage.text}
            for name, passage in named.items()
            if name not in known
        ]
        if mark.verdict == "good" and cited:
            self._queries.append({"_id": key, "text": turn.question.content})
            self._judged += [f"{key}\t{session}/{number}\t{int(number in cited)}" for number in handed]

    def write(self, folder: Path) -> None:
        """Write all files into a folder, in the place of an earlier export; raises `SessionError`."""
        try:
            if not (folder / MARKS_FILE).exists() and any(folder.glob("*")):
                raise SessionError(
                    f"There are other files in {folder}.", "Name an empty folder, or one that is not there."
                )
            for name, rows in self._files().items():
                write_private(folder / name, "".join(f"{row}\n" for row in rows))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its name cannot be one"
            raise SessionError(f"{folder} cannot be written: {reason}.", "Name another folder.") from error

    def _files(self) -> dict[str, Iterable[str]]:
        return {
            MARKS_FILE: _as_lines(self.marks),
            "router.jsonl": _as_lines(self._messages),
            "corpus.jsonl": _as_lines(self._corpus),
            "queries.jsonl": _as_lines(self._queries),
            "qrels/test.tsv": self._judged,
        }


def _as_lines(rows: _Rows) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) for row in rows)


def _describe_mark(loaded: Loaded, number: int, turn: Turn, mark: Feedback) -> dict[str, Any]:
    cited = {source.number for source in turn.cited_sources}
    ended = [entry.value for entry in split_entries(loaded.entries)[number - 1]]
    return {
        "session": loaded.info.id,
        "question_number": number,
        "verdict": mark.verdict,
        "why": mark.why,
        "question": turn.question.content,
        "answer": turn.answer.content if turn.answer else "",
        "model": next((value.model for value in ended if isinstance(value, TurnAnswered)), ""),
        "tools": [call.name for call in turn.calls],
        "sources": [
            {
                "number": one.number,
                "source": one.passage.source,
                "title": one.passage.title,
                "cited": one.number in cited,
            }
            for one in [*turn.question.sources, *turn.sources]
        ],
    }


def _router_row(key: str, session: str, turns: Sequence[Turn]) -> _Rows:
    """The message of the last of these turns, where what came of it is something that the router decides."""
    turn = turns[-1]
    wanted = turn.calls[0].name if turn.calls else ATTACHED_TEXT if turn.question.sources else ANSWER
    if wanted not in {*ROUTER_WORDS, ATTACHED_TEXT, ANSWER}:
        return []
    earlier = [
        each for one in turns[-1 - EARLIER_TURNS : -1] for each in (one.question, one.answer) if each is not None
    ]
    found = [source.passage.title for said in turn.results if said.tool_name == LIBRARY_TOOL for source in said.sources]
    return [
        {
            "id": key,
            "subject": session,
            "history": [{"role": said.role, "content": said.content} for said in earlier if said.is_said],
            "library": list(dict.fromkeys(found)),
            "attached": [source.passage.title for source in turn.question.sources],
            "question": turn.question.content,
            "accept": [wanted],
        }
    ]
