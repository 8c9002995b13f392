"""A research run as it stands: its plan, its notes, what was searched; and the files that keep those not finished."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from chatbot.conversation.messages import Message, Source
from chatbot.conversation.sources import SourceTable, by_number
from chatbot.conversation.usage import Usage
from chatbot.history.entries import canonical_json, tree_of
from utils.errors import FileUnreadable, MagpieError
from utils.files import read_bytes
from utils.paths import write_private

STOPPED_BY_USER = "it was stopped"
"""Why a run ended, as a clause, where the user ended it."""
LookedUp = Literal["open", "answered", "unanswered"]


@dataclass
class SubQuestion:
    """One question of the plan."""

    text: str
    round: int = 0
    """0: it is of the plan; else the round in which it was added."""
    queries: list[str] = field(default_factory=list)
    """What was searched for it."""
    outcome: LookedUp = "open"


@dataclass(frozen=True)
class Search:
    """A search that is still to be made."""

    question: int
    """The place of its sub-question in the plan."""
    query: str


@dataclass(frozen=True)
class Note:
    """One sentence of a passage that tells something of a sub-question."""

    question: int
    """The place of its sub-question in the plan."""
    number: int
    """The number of its source."""
    quote: str
    """The passage's own sentence."""
    sentence: str
    """The same as the report has it: understood by itself, and borne out by the passage."""


@dataclass(frozen=True)
class Conflict:
    """Two notes of one sub-question that differ in a number or a date."""

    first: Note
    second: Note


@dataclass
class ResearchState:
    """All that a run must know to go on after a restart."""

    id: str
    """The id of the conversation as which it will be kept."""
    question: str
    begun: str
    """When it was begun, ISO 8601, UTC."""
    plan: list[SubQuestion] = field(default_factory=list)
    accepted: bool = False
    """Whether the plan was agreed to and the run begun."""
    pending: list[Search] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    """The question, and every search with what it brought."""
    failures: list[str] = field(default_factory=list)
    """What could not be searched, a sentence each."""
    denied: list[str] = field(default_factory=list)
    """What was not done for want of the user's consent."""
    round: int = 0
    """Rounds in which gaps were looked for."""
    seconds: float = 0.0
    """That it took so far."""
    stopped: str = ""
    """Why it ended before its plan did, as a clause; empty where it did not."""
    usage: Usage = field(default_factory=Usage)

    @property
    def sources(self) -> dict[int, Source]:
        """Everything that was read, by number."""
        return by_number(self.messages)

    @property
    def searches(self) -> int:
        """How often something was searched."""
        return sum(len(message.tool_calls) for message in self.messages)

    def make_table(self) -> SourceTable:
        """The numbers of what was read, to be gone on with."""
        table = SourceTable()
        for source in self.sources.values():
            table.restore_source(source)
        return table

    def notes_of(self, question: int) -> list[Note]:
        """The notes on a sub-question."""
        return [note for note in self.notes if note.question == question]


class ResearchFiles:
    """The runs that are not finished, a file each; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @property
    def keeps_nothing(self) -> bool:
        """Whether a run that is cut off is lost, as in a private run of Magpie."""
        return self._folder is None

    async def write(self, state: ResearchState) -> None:
        """Write a run down as it stands; raises a `MagpieError` where that cannot be done."""
        if self._folder is None:
            return
        text = canonical_json(tree_of(state)).decode()
        try:
            await asyncio.to_thread(write_private, self._path(state.id), text)
        except OSError as error:
            why = error.strerror or str(error)
            raise MagpieError(f"The research could not be written down: {why}.", "Make room for it.") from error

    async def remove(self, state: ResearchState) -> None:
        """Keep a run no longer."""
        if self._folder is not None:
            await asyncio.to_thread(self._path(state.id).unlink, missing_ok=True)

    async def load_all(self) -> tuple[list[ResearchState], list[str]]:
        """The runs that are not finished, the oldest first; and a sentence on each file that cannot be read."""
        return await asyncio.to_thread(self._load_all)

    def _load_all(self) -> tuple[list[ResearchState], list[str]]:
        states: list[ResearchState] = []
        damaged: list[str] = []
        for path in sorted(self._folder.glob("*.json")) if self._folder else []:
            try:
                states.append(msgspec.json.decode(read_bytes(path), type=ResearchState))
            except (FileUnreadable, msgspec.MsgspecError):
                damaged.append(f"A research run that was not finished cannot be read: {path}.")
        return states, damaged

    def _path(self, run: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{run}.json"


def find_state(states: Sequence[ResearchState], named: str) -> ResearchState | None:
    """The run that is named by the beginning of its id or by words of its question; the last one without a name."""
    words = named.casefold()
    meant = [one for one in states if one.id.startswith(words) or words in one.question.casefold()]
    return meant[-1] if meant else None
