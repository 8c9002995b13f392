"""The tool calls of a turn: which are carried out, at once and reported as they go."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace

from chatbot.conversation.events import Notice, ToolProgress
from chatbot.conversation.messages import Message, ToolCall
from chatbot.library.progress import counted
from chatbot.trust.consent import Consent
from tools.base import Allowance, Keeping, Outcome, Toolbox, ToolContext, ToolResult
from utils.errors import MagpieError
from utils.faults import record_fault

# The same call this often in one turn is refused: small models repeat themselves without end (nanobot#2298).
REPEATS = 2
WAYS = 3
"""Servers that have the same tool and are tried, where the ones before could not be reached."""


@dataclass
class TurnCalls:
    """What the calls of one turn have in common."""

    context: ToolContext
    seconds: Callable[[], float]
    """How long the turn takes so far, without the time in which the user decided something."""
    repeats: Counter[str] = field(default_factory=Counter)
    denied: list[str] = field(default_factory=list)
    """What was not done for want of the user's consent."""
    capped: bool = False
    """Whether the user was told that the turn may open no more pages."""
    keeping_told: bool = False
    """Whether the user was told, in this turn or before it, that what the web gives goes into the library."""

    def take_news(self) -> list[Notice]:
        """What the user is told of the calls so far, each thing once."""
        allowance, keeping, news = self.context.allowance, self.context.keeping, []
        if allowance.refused and not self.capped:
            self.capped = True
            news.append(Notice(allowance.limit_reached, "warning"))
        if (keeping.pages or keeping.results) and not self.keeping_told:
            self.keeping_told = True
            news.append(Notice(told_keeping(keeping)))
        return news


class ToolRunner:
    """Carries out calls: none for ever, and none that may not leave the machine."""

    def __init__(
        self, toolbox: Callable[[], Toolbox], consent: Consent, messages: Callable[[], Sequence[Message]]
    ) -> None:
        self._toolbox = toolbox
        self._consent = consent
        self._messages = messages

    def begin_turn(self, context: ToolContext, pages: int) -> TurnCalls:
        """What the calls of a turn that begins now will share; it opens so many pages at most."""
        began, waited = time.monotonic(), self._consent.waited

        def may_send(query: str) -> bool:
            return self._consent.may_search(query, context.question, self._messages())

        def turn_seconds() -> float:
            return time.monotonic() - began - (self._consent.waited - waited)

        context = replace(context, allowance=Allowance(pages), may_send=may_send)
        return TurnCalls(context, turn_seconds, keeping_told=any(map(is_from_web, self._messages())))

    async def run_calls(
        self, turn: TurnCalls, calls: Sequence[ToolCall]
    ) -> AsyncGenerator[ToolProgress | tuple[ToolCall, Outcome], None]:
        """Progress as it comes, and each call with its outcome, in the order of the calls.

        Closing the generator cancels what still runs.
        """
        news: asyncio.Queue[ToolProgress | None] = asyncio.Queue()

        async def run_one(call: ToolCall) -> Outcome:
            context = replace(turn.context, report=lambda text: news.put_nowait(ToolProgress(call, text)))
            try:
                return await self._carry_out(turn, call, context)
            except MagpieError:
                raise
            except Exception as error:  # noqa: BLE001 - what nobody foresaw, in asking the user for one, ends one call
                told = f"{record_fault(error, f'The call of {call.name}').problem} Do without it."
                return Outcome(ToolResult(told), False, 0.0)
            finally:
                news.put_nowait(None)

        tasks = [asyncio.create_task(run_one(call)) for call in calls]
        try:
            handed = 0
            while handed < len(tasks):
                item = await news.get()
                if item is not None:
                    yield item
                while handed < len(tasks) and tasks[handed].done():
                    yield calls[handed], tasks[handed].result()
                    handed += 1
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry_out(self, turn: TurnCalls, call: ToolCall, context: ToolContext) -> Outcome:
        call = self._consent.meant_call(call, self._messages())
        key = call.name + json.dumps(call.arguments, sort_keys=True)
        turn.repeats[key] += 1
        if turn.repeats[key] > REPEATS:
            text = "You made exactly this call twice already. Use what it gave, or call with other arguments."
            return Outcome(ToolResult(text), False, 0.0)
        for _ in range(WAYS):
            if refusal := await self._consent.refusal_reason(call, context.question, self._messages()):
                turn.denied.append(refusal)
                return Outcome(ToolResult(refusal), False, 0.0)
            # Nothing may wait here: consent is about the server that is called now.
            outcome = await self._toolbox().execute_call(call.name, call.arguments, context)
            if not outcome.unsent:
                break
            context.report(f"not reached, now {self._toolbox().shown_name(call.name)}")
        return outcome


def is_from_web(message: Message) -> bool:
    """Whether it is what a search or a page of the web gave in this conversation, not what the library knew of it.

    Of that the user was told. A conversation that is gone on with, taken back or branched off says so by itself.
    """
    found = any(source.passage.origin != "file" and not source.passage.collection for source in message.sources)
    return message.role == "tool" and not message.origin and (found or bool(message.links))


def told_keeping(keeping: Keeping) -> str:
    """What goes into the library, how it is seen, and how that is switched off."""
    pages = [counted(keeping.pages, "web page")] if keeping.pages else []
    results = [counted(keeping.results, "search result")] if keeping.results else []
    return (
        f"Kept in the library: {', '.join([*pages, *results])}."
        " /library lists them; --set rag.web_search_rag_enabled=false keeps none."
    )
