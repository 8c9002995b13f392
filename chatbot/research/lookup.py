"""Searching for a sub-question: web and library, by the same tools, guard and consent as a turn's calls."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.sources import SourceTable
from chatbot.research.state import ResearchState
from chatbot.settings import AgentSettings
from chatbot.trust.consent import Consent
from chatbot.turn.tool_calls import ToolRunner, TurnCalls
from chatbot.window.shrinking import numbered_passage
from tools.base import Outcome, Toolbox, ToolContext
from utils.errors import ConfigError

SEARCHING_TOOLS = ("web_search", "search_vector_db")
"""The tools by which a sub-question is looked up, all at once."""


@dataclass(frozen=True)
class Lookup:
    """Carries out the searches of a run."""

    toolbox: Toolbox
    consent: Consent
    settings: Callable[[], AgentSettings]

    def require_tools(self) -> list[str]:
        """The names of the tools that can search; raises `ConfigError` where there are none."""
        names = {schema.name for schema in self.toolbox.schemas}
        usable = [name for name in SEARCHING_TOOLS if name in names] if self.settings().tools_enabled else []
        if not usable:
            raise ConfigError("Research needs tools, and they are switched off.", "/toggle-tools switches them on.")
        return usable

    async def search(self, state: ResearchState, question: str, query: str) -> list[Source]:
        """The passages that were found for a sub-question, numbered; the search is added to the state's messages."""
        answered, table = asyncio.Event(), state.make_table()
        context = ToolContext(question, answered=answered)
        runner = ToolRunner(lambda: self.toolbox, self.consent, lambda: state.messages)
        turn = runner.begin_turn(context, self.settings().max_fetches_per_turn)
        try:
            calls = await self._allowed_calls(state, query)
            if not calls:
                return []
            # Written into the state at once: what was cut off is searched anew, and leaves no call without a result.
            outcomes = await _carry_out(runner, turn, calls)
            results = [_record_result(call, outcome, table) for call, outcome in outcomes]
        finally:
            answered.set()
        state.messages += [Message("assistant", "", tool_calls=tuple(calls)), *results]
        state.denied += [one for one in turn.denied if one not in state.denied]
        for call, outcome in outcomes:
            first_line, _, _ = outcome.result.text.partition("\n")
            told = f"{call.label}: {first_line}"
            if not outcome.ok and told not in state.failures and not turn.denied:
                state.failures.append(told)
        return list({source.number: source for result in results for source in result.sources}.values())

    async def _allowed_calls(self, state: ResearchState, query: str) -> list[ToolCall]:
        """The calls for a query that may leave the machine: what neither user nor plan said is looked through for
        what is private.
        """
        said = "\n".join([state.question, *(one.text for one in state.plan if not one.round)])
        allowed: list[ToolCall] = []
        for name in self.require_tools():
            call = ToolCall(name, {"query": query}, f"call_{state.searches + len(allowed) + 1}")
            if refusal := await self.consent.refusal_reason(call, said, state.messages):
                state.denied += [refusal] if refusal not in state.denied else []
            else:
                allowed.append(call)
        return allowed


async def _carry_out(runner: ToolRunner, turn: TurnCalls, calls: Sequence[ToolCall]) -> list[tuple[ToolCall, Outcome]]:
    async with aclosing(runner.run_calls(turn, calls)) as results:
        return [result async for result in results if isinstance(result, tuple)]


def _record_result(call: ToolCall, outcome: Outcome, table: SourceTable) -> Message:
    """What a call brought as a conversation keeps it, its passages numbered."""
    result = outcome.result
    sources = tuple(table.add_passage(passage) for passage in result.passages)
    text = "\n\n".join([result.text, *map(numbered_passage, sources)])
    said = Message("tool", text, tool_name=call.name, call_id=call.id, sources=sources, links=result.links)
    return replace(said, failed=not outcome.ok, seconds=outcome.seconds)
