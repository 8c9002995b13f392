"""The research of one chat: a plan that waits to be agreed to, the run under way, and those that were cut off."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from chatbot.conversation.events import Notice, Progress
from chatbot.conversation.messages import Message
from chatbot.history.entries import Spent, TurnAnswered, utc_now
from chatbot.history.sessions import Sessions
from chatbot.research.plan import change_plan
from chatbot.research.report import cited_sources, write_report
from chatbot.research.run import ResearchParts, ResearchRun, StepBegun
from chatbot.research.state import ResearchFiles, ResearchState, SubQuestion, find_state
from chatbot.trust.consent import Ask
from utils.errors import MagpieError, ModelError, SessionError
from utils.faults import in_background, record_fault
from utils.text import one_line

RESEARCHING = "Researching"
OTHERS_ARE_FIRST = "Others are answered first; the research goes on by itself between them."
MAX_TITLE_OF_RESEARCH = 60
"""Characters of a question as it is told in a sentence, and as the title of its conversation."""


@dataclass(frozen=True)
class FinishedResearch:
    """What came of a run."""

    state: ResearchState
    report: str
    """Markdown."""


class ResearchDesk:
    """Plans, runs and keeps the research of a chat, one run at a time; every method may raise a `MagpieError`."""

    def __init__(
        self,
        parts: ResearchParts,
        files: ResearchFiles,
        sessions: Sessions,
        in_use: set[str],
        show: Callable[[Notice | Progress], None],
        allow: Ask | None = None,
    ) -> None:
        """`in_use` are the person's conversations that are under way here; `show` tells news from the background;
        `allow` asks what may leave, where a run is waited for.
        """
        self._parts = parts
        self._files = files
        self._sessions = sessions
        self._in_use = in_use
        self._show = show
        self._allow = allow
        self._run: ResearchRun | None = None
        self._task: asyncio.Task[None] | None = None
        self.draft: ResearchState | None = None
        """What was planned and waits to be agreed to."""
        self.finished: FinishedResearch | None = None
        """The last run that ended in this chat."""
        self.failure = ""
        """Why the last run in the background was cut off; empty where it was not."""

    @property
    def under_way(self) -> ResearchState | None:
        """The run that goes on now, as it stands."""
        return self._run.state if self._run else None

    @property
    def waits(self) -> bool:
        """Whether the run under way waits until others are answered."""
        return self._run is not None and self._run.waits

    async def plan(self, question: str) -> ResearchState:
        """Have the model write a plan for a question; it takes the place of another one that waits."""
        self._require_idle()
        state = ResearchState(self._sessions.new_id(), question, utc_now())
        await ResearchRun(state, self._parts, self._files.write).make_plan()
        self.draft = state
        return state

    def change(self, line: str) -> ResearchState:
        """Change the plan that waits, as a line of the user says."""
        state = self._require_draft()
        state.plan = [SubQuestion(text) for text in change_plan([one.text for one in state.plan], line)]
        return state

    def begin(self) -> ResearchState:
        """Carry out the plan that waits, in the background: what would have to be asked about is not done then."""
        self._require_idle()
        state = self._require_draft()
        self.draft = None
        self._begin(state)
        return state

    async def carry_out(self, show: Callable[[StepBegun], None]) -> FinishedResearch:
        """Carry out the plan that waits, and wait for its report."""
        self._require_idle()
        state = self._require_draft()
        self.draft = None
        self._run = self._make_run(state, show)
        return await self._finish(self._run, self._allow)

    async def take_up(self, named: str = "") -> ResearchState:
        """Have a run that was cut off wait to be gone on with: the one that is named, or the last."""
        self._require_idle()
        states, _ = await self._files.load_all()
        state = find_state(states, named)
        if state is None:
            told = f"No research that was cut off is about {one_line(named, 60)!r}." if named else ""
            raise MagpieError(told or "There is no research that was cut off.", "/research <question> begins one.")
        if await self._is_elsewhere(state):
            raise MagpieError("That research goes on elsewhere.", "Wait for its report there.")
        self.draft = state
        return state

    async def unfinished(self) -> list[ResearchState]:
        """The runs that were cut off; a file that cannot be read is told of."""
        states, damaged = await self._files.load_all()
        for told in damaged:
            self._show(Notice(told, "warning"))
        return [state for state in states if not await self._is_elsewhere(state)]

    async def forget(self) -> int:
        """Delete the runs that were cut off; how many."""
        states = await self.unfinished()
        for state in states:
            await self._files.remove(state)
        self.draft = None
        return len(states)

    def stop(self) -> bool:
        """End the run under way, which then reports what it has; whether there was one."""
        if self._run is None:
            return False
        self._run.stop()
        return True

    async def close(self) -> None:
        """Leave what is under way as it is on disk, to be gone on with."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _begin(self, state: ResearchState) -> None:
        told_to_wait = False

        def show(step: StepBegun) -> None:
            nonlocal told_to_wait
            if step.waits and not told_to_wait:
                told_to_wait = True
                self._show(Notice(OTHERS_ARE_FIRST))
            # A total that is reached would say that all is done.
            self._show(Progress(RESEARCHING, step.done, step.total + 1))

        self.failure = ""
        run = self._run = self._make_run(state, show)

        async def work() -> None:
            try:
                await self._finish(run, None)
            finally:
                self._show(Progress(RESEARCHING, 1, 1))
            self._show(Notice(_told_end(state)))

        def told(error: MagpieError) -> None:
            remedy = "" if self._files.keeps_nothing else " /research resume goes on with it."
            self.failure = f"The research was cut off: {error}{remedy}"
            self._show(Notice(self.failure, "warning"))

        self._task = in_background(work(), "The research", told)

    def _make_run(self, state: ResearchState, show: Callable[[StepBegun], None]) -> ResearchRun:
        return ResearchRun(state, self._parts, self._files.write, show)

    async def _finish(self, run: ResearchRun, allow: Ask | None) -> FinishedResearch:
        """Carry out the run under way, keep it as a conversation, and give its report."""
        state = run.state
        self._in_use.add(state.id)
        self._parts.lookup.consent.ask = allow
        try:
            await self._sessions.claim(state.id)
            await run.run()
            report = write_report(state)
            self.finished = FinishedResearch(state, report)
            await self._keep_conversation(state, report)
        finally:
            self._run = None
            self._in_use.discard(state.id)
            await self._sessions.release(state.id)
        return self.finished

    async def _keep_conversation(self, state: ResearchState, report: str) -> None:
        """Write a run down as a conversation; where that fails it stays among those that can be gone on with."""
        cited = tuple(source.number for source in cited_sources(state))
        name = await self._model_name()
        ended = TurnAnswered(seconds=state.seconds, model=name, cited=cited)
        said = [*state.messages, Message("assistant", report)]
        try:
            await self._sessions.append(state.id, *said, Spent(state.usage, name, "research"), ended, model=name)
            title = f"Research: {one_line(state.question, MAX_TITLE_OF_RESEARCH)}"
            await self._sessions.title(state.id, title)
        except SessionError as error:
            self._show(Notice(str(record_fault(error, "Keeping the research")), "warning"))
            return
        await self._files.remove(state)

    async def _model_name(self) -> str:
        """What answers now; empty where it is gone, which the report is there without."""
        try:
            return (await self._parts.model().describe()).known_by
        except ModelError:
            return ""

    async def _is_elsewhere(self, state: ResearchState) -> bool:
        """Whether a run goes on: in this chat, in another one, or in another process."""
        if state.id in self._in_use or not await self._sessions.claim(state.id):
            return True
        await self._sessions.release(state.id)
        return False

    def _require_draft(self) -> ResearchState:
        if self.draft is None:
            raise MagpieError("No research is planned.", "/research <question> plans one.")
        return self.draft

    def _require_idle(self) -> None:
        if self._run is not None:
            raise MagpieError("A research run is under way already.", "/research stop ends it with what there is.")


def _told_end(state: ResearchState) -> str:
    """What the user is told when a run in the background has ended."""
    about = one_line(state.question, MAX_TITLE_OF_RESEARCH)
    ended = f" ({state.stopped})" if state.stopped else ""
    return f"The report on “{about}” is there{ended}: /research report shows it, /resume {state.id} goes on with it."
