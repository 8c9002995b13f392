"""The command on research: a plan that is agreed to, a run in the background, its report."""

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, MarkdownText, Notice
from chatbot.library.progress import counted
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from chatbot.research.desk import ResearchDesk
    from chatbot.research.state import ResearchState

_GOES_ON = "It goes on in the background: /research tells how far it is, /research stop ends it with what there is."


@command(argument="<question> | go | stop | report | resume | forget")
async def research(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Look a question up piece by piece and write a report with sources, in the background; alone: how far it is."""
    verb, words = _read_argument(argument)
    carry_out = _RESEARCH_VERBS[verb] if verb is not None else _plan
    async for event in carry_out(chat.research, words):
        yield event


def plans_research(argument: str) -> bool:
    """Whether the command has a model work, as what stands behind it is a question, or a change of its plan."""
    return _read_argument(argument)[0] is None


def _read_argument(argument: str) -> tuple[str | None, str]:
    """What is to be done and with which words; None for a question."""
    wanted = argument.strip()
    verb, _, rest = wanted.partition(" ")
    is_verb = verb.lower() in (_TAKES_WORDS if rest else _RESEARCH_VERBS)
    return (verb.lower(), rest.strip()) if is_verb else (None, wanted)


async def _plan(desk: "ResearchDesk", wanted: str) -> AsyncIterator[Event]:
    """Plan a question, or change the plan that waits."""
    from chatbot.research.plan import HOW_TO_CHANGE, is_change

    waits = desk.draft is not None and is_change(wanted)
    state = desk.change(wanted) if waits else await desk.plan(wanted)
    yield _plan_listing(state)
    change = HOW_TO_CHANGE.replace("`2", "`/research 2").replace("`drop", "`/research drop")
    yield Notice(f"/research go looks it up. {change.replace('`add', '`/research add')}")


async def _tell_state(desk: "ResearchDesk", _: str) -> AsyncIterator[Event]:
    if (state := desk.under_way) is not None:
        notes = counted(len(state.notes), "note")
        yield _plan_listing(state)
        waits = " It waits until others are answered." if desk.waits else ""
        yield Notice(
            f"“{_about(state)}” is being looked up: {notes} so far.{waits} /research stop ends it with a report."
        )
        return
    if desk.draft is not None:
        yield _plan_listing(desk.draft)
        yield Notice("This plan waits: /research go looks it up.")
    for state in await desk.unfinished():
        yield Notice(f"“{_about(state)}” was cut off: /research resume {state.id} goes on with it.")
    if desk.finished is not None:
        yield Notice(f"The report on “{_about(desk.finished.state)}” is there: /research report shows it.")
    elif desk.draft is None:
        yield Notice("Nothing is being researched. Write a question after the command: /research <question>")


async def _go(desk: "ResearchDesk", _: str) -> AsyncIterator[Event]:
    yield Notice(f"Looking up {counted(len(desk.begin().plan), 'question')}. {_GOES_ON}")


async def _stop(desk: "ResearchDesk", _: str) -> AsyncIterator[Event]:
    stopped = desk.stop()
    told = "Stopping: the report of what there is follows." if stopped else "No research is under way."
    yield Notice(told, "info" if stopped else "error")


async def _report(desk: "ResearchDesk", _: str) -> AsyncIterator[Event]:
    if desk.finished is None:
        yield Notice("There is no report in this chat yet; earlier ones are in /history.", "error")
    else:
        yield MarkdownText(desk.finished.report)


async def _resume(desk: "ResearchDesk", words: str) -> AsyncIterator[Event]:
    await desk.take_up(words)
    yield Notice(f"Going on with “{_about(desk.begin())}”. {_GOES_ON}")


async def _forget(desk: "ResearchDesk", _: str) -> AsyncIterator[Event]:
    yield Notice(f"Deleted {counted(await desk.forget(), 'run')} that had been cut off.")


def _plan_listing(state: "ResearchState") -> Listing:
    marks = {"open": "", "answered": "✓", "unanswered": "✗"}
    rows = tuple((str(number), one.text, marks[one.outcome]) for number, one in enumerate(state.plan, 1))
    return Listing(f"Plan: {_about(state)}", ("", "sub-question", ""), rows)


def _about(state: "ResearchState") -> str:
    return one_line(state.question, 60)


_RESEARCH_VERBS: dict[str, "Callable[[ResearchDesk, str], AsyncIterator[Event]]"] = {
    "": _tell_state,
    "go": _go,
    "stop": _stop,
    "report": _report,
    "resume": _resume,
    "forget": _forget,
}
_TAKES_WORDS = ("resume",)
