"""A language model served in steps, for models that call tools badly: decide, write the arguments, read, answer."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from chatbot.messages import Message, ToolCall
from chatbot.models.base import Call, Done, LanguageModel, ModelInfo, Piece, Text, Usage
from chatbot.models.dialogue import Turn, read_turns
from chatbot.models.fewshot import load_prompt
from chatbot.models.pipeline.answer_evidence import Reading, cited_reading, read
from chatbot.models.pipeline.arguments import reword, write_calls, write_line
from chatbot.models.pipeline.earlier_statements import read_told
from chatbot.models.pipeline.evidence import EvidenceFinder
from chatbot.models.pipeline.tool_choice import Decision, LibraryLook, decide
from rag.embedding import Embedder
from tools.base import ToolSchema

LIBRARY = "search_vector_db"
WRONGLY, RIGHTLY = 0.09, 0.62
"""How often evidence is refused that holds the answer, and that does not: 9 of 100 and 31 of 50 in the measurement."""
WITHHELD = frozenset({"remember", "forget", "set_reminder", "find_tools"})
"""Tools that act on a wish rather than look something up: the decision has no training question that calls them. And
the one that brings in other tools: all are there already for a model in steps, whose prompt has none of them.

By the likeness of their descriptions 3 of 14 wishes were seen, and 4 of 120 other questions were taken for one.
"""
WARMED = ("decide", "answer", "query", "check")


@dataclass(frozen=True)
class _Plan:
    """What the next reply is: calls, an answer from a reading or from the model itself, or that nothing was found."""

    calls: tuple[ToolCall, ...] = ()
    reading: Reading | None = None
    nothing: bool = False


class Stepwise:
    """A `LanguageModel` around one that calls tools badly.

    With tools offered it decides between a call and an answer; the evidence that calls brought is inlined in the
    user's turn, and the number of what was read is put behind the answer.
    """

    def __init__(
        self,
        model: LanguageModel,
        embedder: Embedder,
        look: Callable[[str], Awaitable[LibraryLook]] | None = None,
        instructions: str = "",
        memory: Callable[[], str] = str,
    ) -> None:
        self.model = model
        self._finder = EvidenceFinder(embedder)
        self._look = look
        self._instructions = instructions
        self._memory = memory
        self._decision: tuple[tuple[str, ...], Decision] | None = None

    async def describe(self) -> ModelInfo:
        """The wrapped model's description."""
        return await self.model.describe()

    async def choose(self, messages: Sequence[Message], words: Sequence[str]) -> dict[str, float]:
        """As the wrapped model does."""
        return await self.model.choose(messages, words)

    async def fill(self, messages: Sequence[Message], schema: dict[str, Any]) -> dict[str, Any]:
        """As the wrapped model does."""
        return await self.model.fill(messages, schema)

    async def count_tokens(self, text: str) -> int:
        """As the wrapped model does."""
        return await self.model.count_tokens(text)

    async def warm_up(self, messages: Sequence[Message]) -> None:
        """Have the fixed beginnings of the steps' prompts read; those of a native tool caller are not needed."""
        for name in WARMED:
            await self.model.warm_up(self._prefix() if name == "answer" else load_prompt(name).prefix)

    async def close(self) -> None:
        """Close the wrapped model."""
        await self.model.close()

    async def reword(self, question: str, found: str) -> str:
        """The next search query after one that found too little."""
        return await reword(self.model, question, found)

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        max_tokens: int = 0,
        temperature: float | None = None,
    ) -> AsyncGenerator[Piece, None]:
        """Calls, or the answer's text with the numbers of what it was written from."""
        turns = read_turns(messages)
        plan = await self._plan(turns, [tool for tool in tools if tool.name not in WITHHELD])
        for call in plan.calls:
            yield Call(call)
        if plan.calls:
            yield Done(Usage())
            return
        if plan.nothing:
            yield Text(await self._say_nothing_found(turns[-1]))
            yield Done(Usage())
            return
        prompt = await self._prompt(turns, plan.reading)
        pieces = self.model.reply(prompt, max_tokens=max_tokens, temperature=temperature)
        async with aclosing(_with_numbers(pieces, plan.reading)) as numbered:
            async for piece in numbered:
                yield replace(piece, as_given=False) if isinstance(piece, Done) else piece

    async def _plan(self, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> _Plan:
        turn = turns[-1]
        if not turn.calls:
            reading = await read_told(self.model, self._finder, turns)
            return await self._first_step(turns, tools) if tools and not reading else _Plan(reading=reading)
        reading = await read(self.model, self._finder, turn)
        if reading:
            return _Plan(reading=reading)
        decision = await self._decide(turns, tools) if tools else None
        if decision is None:
            return _Plan(nothing=True)
        return await self._next_step(turns, tools, decision)

    async def _first_step(self, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> _Plan:
        decision = await self._decide(turns, tools)
        calls = await self._calls(turns, tools, decision.best)
        if decision.in_library and decision.best != LIBRARY and any(tool.name == LIBRARY for tool in tools):
            calls.insert(0, ToolCall(LIBRARY, {"query": _written(turns, calls)}))
        return _Plan(tuple(calls))

    async def _next_step(self, turns: Sequence[Turn], tools: Sequence[ToolSchema], decision: Decision) -> _Plan:
        """After calls that brought no evidence: another tool, the same with other words, or an end."""
        tried = [call.name for call in turns[-1].calls]
        following = decision.following(tried)
        if following:
            return _Plan(tuple(await self._calls(turns, tools, following)))
        if decision.answer * RIGHTLY > sum(decision.shares.get(name, 0) for name in set(tried)) * WRONGLY:
            return _Plan()
        return await self._other_words(turns[-1], tools) or _Plan(nothing=True)

    async def _other_words(self, turn: Turn, tools: Sequence[ToolSchema]) -> _Plan | None:
        """The last search once more with another query, unless that was done already."""
        last = turn.calls[-1]
        queries = [call.arguments.get("query") for call in turn.calls if call.name == last.name]
        if len(queries) != 1 or not queries[0] or not any(tool.name == last.name for tool in tools):
            return None
        found = "\n".join(source.passage.title for source in turn.sources) or "nothing"
        query = await reword(self.model, turn.question.content, found)
        return None if not query or query == queries[0] else _Plan((ToolCall(last.name, {"query": query}),))

    async def _calls(self, turns: Sequence[Turn], tools: Sequence[ToolSchema], name: str) -> list[ToolCall]:
        tool = next((tool for tool in tools if tool.name == name), None)
        return await write_calls(self.model, turns, tool) if tool else []

    async def _decide(self, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> Decision:
        """The decision of this turn, made once."""
        key = (*(turn.question.content for turn in turns), *(tool.name for tool in tools))
        if not self._decision or self._decision[0] != key:
            self._decision = (key, await decide(self.model, self._finder, turns, tools, self._look))
        return self._decision[1]

    async def _say_nothing_found(self, turn: Turn) -> str:
        return await write_line(self.model, load_prompt("nothing").ask(question=turn.question.content))

    def _prefix(self) -> list[Message]:
        prefix = load_prompt("answer").prefix
        if self._instructions:
            prefix[0] = Message("system", f"{prefix[0].content}\n\n{self._instructions}")
        return prefix

    async def _prompt(self, turns: Sequence[Turn], reading: Reading | None) -> list[Message]:
        """The fixed beginning, past turns exactly as they were sent, and the question with what was read for it."""
        prompt = self._prefix()
        for turn in turns[:-1]:
            past = await cited_reading(self._finder, turn)
            prompt += [_asked(turn, past), Message("assistant", turn.answer_text)]
        prompt.append(_asked(turns[-1], reading))
        if memory := self._memory():
            # Behind the part that is kept on disk once it was read: what is remembered is to be forgotten again.
            first = len(self._prefix())
            prompt[first] = Message("user", f"{memory}\n\n{prompt[first].content}")
        return prompt


def _written(turns: Sequence[Turn], calls: Sequence[ToolCall]) -> str:
    """What to search for: a follow-up as a call already has it, so that it stands alone, else the question itself."""
    queries = [str(call.arguments["query"]) for call in calls if call.arguments.get("query")]
    return queries[0] if queries and len(turns) > 1 else turns[-1].question.content


def _asked(turn: Turn, reading: Reading | None) -> Message:
    """The user's turn; news of the day come first, so that the question stands last, where small models look."""
    question = turn.question.content
    text = question
    if reading:
        text = load_prompt("answer").fill(passage=reading.prompt_text, question=question)
    return Message("user", f"{turn.question.note}\n\n{text}" if turn.question.note else text)


async def _with_numbers(pieces: AsyncGenerator[Piece, None], reading: Reading | None) -> AsyncGenerator[Piece, None]:
    """A reply with the numbers of its sources behind its last word."""
    numbers = "".join(f" [{number}]" for number in reading.numbers) if reading else ""
    held = written = ""
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, Text):
                text = held + piece.delta
                kept = text.rstrip() if numbers else text
                held = text[len(kept) :]
                written += kept
                if kept:
                    yield Text(kept)
            else:
                if isinstance(piece, Done) and written and numbers:
                    yield Text(numbers)
                yield piece
