"""A research run: plan, searches, notes, gaps, report; a step after the other, each written down when it is done."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.writing.given import Supports
from chatbot.models.wrapping import MeteredModel, UsageMeter
from chatbot.research.gaps import find_gaps
from chatbot.research.lookup import Lookup
from chatbot.research.notes import NoteTaker
from chatbot.research.plan import write_plan
from chatbot.research.state import STOPPED_BY_USER, ResearchState, Search, SubQuestion
from chatbot.settings import ResearchSettings

FOLLOW_UPS = 2
"""Sub-questions that each round may add to those of the settings."""


@dataclass(frozen=True)
class ResearchParts:
    """What a run is handed from outside."""

    model: Callable[[], LanguageModel]
    """The model that answers now."""
    finder: EvidenceFinder
    supports: Supports
    """Whether passages say a sentence, as surely as a number asks for."""
    lookup: Lookup
    settings: Callable[[], ResearchSettings]
    turns: asyncio.Semaphore | None = None
    """Each step takes one, where others are served meanwhile."""


@dataclass(frozen=True)
class StepBegun:
    """How far a run is."""

    said: str
    """What is done now, as a line for the user."""
    done: int
    total: int
    """Sub-questions that were looked up, and those of the plan so far."""
    waits: bool = False
    """Whether it is done only when it is its turn."""


class ResearchRun:
    """One run from its plan to the last gap; `keep` is awaited with the state after each step."""

    def __init__(
        self,
        state: ResearchState,
        parts: ResearchParts,
        keep: Callable[[ResearchState], Awaitable[None]],
        show: Callable[[StepBegun], None] = lambda step: None,
    ) -> None:
        self.state = state
        self._parts = parts
        self._keep = keep
        self._show = show
        self._meter = UsageMeter()
        self._taker = NoteTaker(self._model, parts.finder, parts.supports)
        self._step: asyncio.Task[None] | None = None
        self.waits = False
        """Whether others are served first."""

    def _model(self) -> LanguageModel:
        return MeteredModel(self._parts.model(), self._meter.add)

    async def make_plan(self) -> None:
        """Have the plan written, for the user to look at; raises a `MagpieError`."""
        self._parts.lookup.require_tools()
        questions = await write_plan(self._model(), self.state.question, self._parts.settings().questions)
        self.state.plan = [SubQuestion(text) for text in questions]
        self.state.usage += self._meter.take_total()

    async def run(self) -> None:
        """Look everything up; raises a `MagpieError`, and then what was done before can be gone on with."""
        state = self.state
        if not state.accepted:
            state.accepted, state.messages = True, [Message("user", state.question)]
            state.pending = [Search(place, question.text) for place, question in enumerate(state.plan)]
            await self._keep(state)
        while not state.stopped:
            while state.pending and not state.stopped:
                await self._do(partial(self._look_up, state.pending[0]))
            if state.round < self._parts.settings().rounds:
                await self._do(self._find_gaps)
            if not state.pending:
                break

    def stop(self) -> None:
        """Look nothing more up; what there is stays. The step that is under way is given up."""
        self.state.stopped = STOPPED_BY_USER
        if self._step is not None:
            self._step.cancel()

    async def _do(self, step: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Carry out a step unless the run was stopped or its time is up, and write down what became of it."""
        state, limit = self.state, self._parts.settings().minutes
        if not state.stopped and state.seconds >= 60 * limit:
            state.stopped = f"its {limit:g} minutes were up"
        if state.stopped:
            return
        self._step = asyncio.create_task(self._take_turn(step))
        try:
            await self._step
        except asyncio.CancelledError:
            # Stopped by the user, that ends the step alone; when the program leaves, it ends all.
            leaving = asyncio.current_task()
            if not state.stopped or (leaving is not None and leaving.cancelling()):
                raise
        finally:
            self._step = None
            state.usage += self._meter.take_total()
        await self._keep(state)

    async def _take_turn(self, step: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Carry out a step when it is its turn; the time until then is none of the run's."""
        turns = self._parts.turns
        try:
            if turns is not None and turns.locked():
                self.waits = True
                self._tell("Others are answered first")
            async with turns or nullcontext():
                self.waits = False
                began = time.monotonic()
                try:
                    await step()
                finally:
                    self.state.seconds += time.monotonic() - began
        finally:
            self.waits = False

    async def _look_up(self, search: Search) -> None:
        """Search for a sub-question and take notes of what is found."""
        state = self.state
        question = state.plan[search.question]
        self._tell(question.text)
        sources = await self._parts.lookup.search(state, question.text, search.query)
        known = (state.notes, state.question)
        state.notes += await self._taker.take_notes(search.question, question.text, sources, *known)
        # Only now: what is cut off before is done again.
        state.pending.remove(search)
        question.queries.append(search.query)
        question.outcome = "answered" if state.notes_of(search.question) else "unanswered"

    async def _find_gaps(self) -> None:
        """Begin another round: search anew for what was not found, and for what the notes leave open."""
        state = self.state
        self._tell("Looking for gaps")
        most = self._parts.settings().questions + FOLLOW_UPS * (state.round + 1)
        found = await find_gaps(self._model(), state, max(most, len(state.plan)))
        state.round += 1
        state.pending = found

    def _tell(self, said: str) -> None:
        plan = self.state.plan
        done = sum(question.outcome != "open" for question in plan)
        self._show(StepBegun(said, done, len(plan), self.waits))
