"""The tool loop: a question goes in, events come out; it knows nothing of looks, files or servers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from chatbot.citations.sentences import SentenceJudge
from chatbot.citations.stream import CitationCheck
from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.events import Answered, ContextUsed, ToolFinished, ToolStarted
from chatbot.conversation.messages import LIBRARY_TOOL, Attachment, Message, Source, ToolCall
from chatbot.history.entries import Pin, Spent
from chatbot.models.base import LanguageModel
from chatbot.settings import AgentSettings
from chatbot.trust.consent import Consent
from chatbot.turn.answer_form import AnswerForm
from chatbot.turn.library_query import make_query
from chatbot.turn.model_call import ModelCall
from chatbot.turn.model_reply import ModelReply
from chatbot.turn.ports import Hooks
from chatbot.turn.second_look import look_again
from chatbot.turn.seeing import PictureNews
from chatbot.turn.shaping import Shaping, choose_shaping
from chatbot.turn.tool_calls import ToolRunner
from chatbot.turn.under_way import TurnStep, TurnUnderWay
from chatbot.turn.validation import validated_steps
from chatbot.window.assemble import PromptAssembler
from chatbot.window.compaction import Compactor
from chatbot.window.context import ContextBudget, Sendable
from chatbot.window.shrinking import numbered_passage
from chatbot.window.system_prompt import Briefing
from tools.base import Outcome, Toolbox, ToolContext, ToolSchema
from utils.text import well_formed


class Agent:
    """One conversation with a model and its tools."""

    def __init__(
        self,
        model: LanguageModel,
        toolbox: Toolbox,
        settings: AgentSettings,
        briefing: Briefing,
        max_tokens: int,
        hooks: Hooks | None = None,
    ) -> None:
        self.model = model
        self.toolbox = toolbox
        self.settings = settings
        self.conversation = Conversation()
        self._budget = ContextBudget(model, max_tokens)
        self.compactor = Compactor(self._budget, lambda: self.settings, self._choose_summariser, self._record_values)
        self._assembler = PromptAssembler(self._budget, self.compactor, lambda: self.settings)
        self._briefing = briefing
        self._hooks = hooks or Hooks()
        self._replier = ModelCall(self._assembler, self._hooks.recorder)
        consent = self._hooks.consent or Consent(lambda: "ask")
        self._caller = ToolRunner(lambda: self.toolbox, consent, lambda: self.conversation.messages)
        self._calls = 0
        self._picture_news = PictureNews(self._hooks.seeing)

    def ask(
        self, question: str, *, attachments: Sequence[Attachment] = (), library_only: bool = False, origin: str = ""
    ) -> TurnStep:
        """Answer a question; raises a `MagpieError` when that cannot be done.

        Where no model can be had nobody is asked, and the conversation stays as it was. However it ends after that, it
        keeps the question and all that had arrived. With `library_only` the answer comes from the library alone;
        `origin` says whose words the question is made of, if not the user's.
        """

        async def noted(form: AnswerForm | None) -> Message:
            pictures = await self._picture_news.take_readable(await self.model.describe(), attachments)
            sources = self.conversation.sources.add_attached(attachments)
            note = await self._make_note(attachments, sources, form)
            return Message("user", well_formed(question), note, sources=sources, pictures=pictures, origin=origin)

        return self._answer(noted, library_only)

    def ask_again(self, question: Message, *, library_only: bool = False) -> TurnStep:
        """Answer a question that comes with its note, as it was asked before."""

        async def noted(_: AnswerForm | None) -> Message:
            return question

        return self._answer(noted, library_only)

    async def _answer(self, noted: Callable[[AnswerForm | None], Awaitable[Message]], library_only: bool) -> TurnStep:
        if self._hooks.prepare:
            async with aclosing(self._hooks.prepare()) as news:
                async for told in news:
                    yield told
        shaping = await choose_shaping(self.settings, self._hooks.line_writer or (lambda: self.model))
        question = await noted(shaping.form)
        turn = self._start_turn(question, shaping)
        async with aclosing(self._begin_turn(question)) as events:
            async for event in events:
                yield event
        try:
            for step in self._steps(turn, library_only):
                async with aclosing(step):
                    async for event in step:
                        yield event
        finally:
            turn.answered.set()
            if not turn.ended:
                await self._add_messages(*self.conversation.end_turn(turn.reply.text, turn.reply.thinking))

    def _steps(self, turn: TurnUnderWay, library_only: bool) -> Iterator[TurnStep]:
        """What a turn is made of; each step begins when the one before it has ended."""
        steps = self._answer_from_library(turn) if library_only else self._run_rounds(turn)
        yield from validated_steps(steps, turn, self._hooks.validator(), lambda: self.model)
        yield self._finish_turn(turn)

    def _answer_from_library(self, turn: TurnUnderWay) -> Iterator[TurnStep]:
        yield self._look_up(turn)
        yield from self._model_reply(turn, ())

    def _run_rounds(self, turn: TurnUnderWay) -> Iterator[TurnStep]:
        for done in range(self.settings.max_tool_rounds + 1):
            yield from self._model_reply(turn, () if done == self.settings.max_tool_rounds else self._offered())
            if not turn.reply.calls:
                break
            yield self._run_calls(turn)
        yield look_again(self.model, turn.reply, self.conversation, self._briefing.wishes)

    def use_model(self, model: LanguageModel) -> None:
        """Go on with another model; the conversation stays."""
        self.model = model
        self._budget.use_model(model)

    async def warm_up(self) -> None:
        """Have the model read the beginning that every prompt shares, the tools with it."""
        await self.model.warm_up([self._system_message()], self._offered())

    @property
    def whole_beginning(self) -> tuple[Message, tuple[ToolSchema, ...]]:
        """The beginning of a prompt that offers all tools, whether or not they are switched on."""
        return self._briefing.system_message(self.toolbox.schemas), self.toolbox.schemas

    @property
    def left_out(self) -> int:
        """How many of the conversation's messages are not sent any more, from the first one on."""
        return self._budget.left_out(self.conversation)

    async def context_used(self) -> ContextUsed:
        """How full the window is with the conversation so far."""
        return (await self._budget.assemble_unshrunk(self._sendable())).used

    async def question_room(self) -> int:
        """Tokens that the next question may have with what is attached to it and what is found for it."""
        return await self._budget.question_room(self._sendable())

    async def prepare_room(self) -> None:
        """Have the summary begun that the next question would have to wait for, if there is one."""
        await self._assembler.prepare_room(self._sendable())

    def compact_now(self) -> TurnStep:
        """Have the older turns summarised now; raises a `MagpieError`, and then everything is as it was."""
        return self.compactor.compact_now(self._sendable())

    def clear(self) -> None:
        """Begin a new conversation."""
        self.conversation.clear()
        self._budget.reset()

    def restore(self, messages: Sequence[Message], compactions: Sequence[Compaction], pins: Iterable[int]) -> None:
        """Go on with an earlier conversation."""
        self.clear()
        self.conversation.restore_messages(messages, compactions, pins)
        self._calls = sum(len(message.tool_calls) for message in messages)

    async def _add_messages(self, *messages: Message) -> None:
        self.conversation.add_messages(messages)
        if self._hooks.recorder:
            await self._hooks.recorder.add(*messages)

    async def pin_messages(self, indexes: Iterable[int], *, on: bool) -> None:
        """Have messages sent word for word whatever is summarised, or no longer."""
        pins = self.conversation.pins
        changed = [index for index in indexes if (index in pins) != on]
        (pins.update if on else pins.difference_update)(changed)
        await self._record_values(*(Pin(index, on) for index in changed))

    async def _record_values(self, *values: Compaction | Pin | Spent) -> None:
        if self._hooks.recorder:
            await self._hooks.recorder.write(*values)

    def _offered(self) -> tuple[ToolSchema, ...]:
        return self.toolbox.schemas if self.settings.tools_enabled else ()

    def _system_message(self) -> Message:
        return self._briefing.system_message(self._offered())

    def _sendable(self) -> Sendable:
        return Sendable(self._system_message(), self.conversation, self._offered(), self.settings.use_history)

    async def _choose_summariser(self) -> LanguageModel:
        name = self.settings.compact_model
        return await self._hooks.summariser(name) if name and self._hooks.summariser else self.model

    async def _begin_turn(self, question: Message) -> TurnStep:
        """Make room for the question, and put it into the conversation with what earlier turns had for it."""
        conversation = self.conversation
        try:
            for notice in await self._picture_news.tell(await self.model.describe(), conversation.messages, question):
                yield notice
            await self.toolbox.choose_tools(conversation.first_question or question.content, conversation.called_tools)
            coming = replace(conversation, messages=[*conversation.messages, question])
            async with aclosing(self._assembler.make_room(replace(self._sendable(), conversation=coming))) as events:
                async for event in events:
                    yield event
            left_out = conversation.messages[: self.left_out]
            if left_out and self._hooks.recall and self.settings.use_history:
                recalled = await self._hooks.recall(question.content, left_out)
                question = replace(question, note=f"{recalled}\n\n{question.note}".strip())
        finally:
            await self._add_messages(question)

    async def _make_note(self, given: Sequence[Attachment], sources: Sequence[Source], form: AnswerForm | None) -> str:
        texts = self._briefing.attach_texts(given, sources, self._offered())
        return "\n\n".join(filter(None, [*texts, await self._briefing.turn_news(), form.wishes if form else ""]))

    def _start_turn(self, question: Message, shaping: Shaping) -> TurnUnderWay:
        judge = SentenceJudge(self._hooks.checker, question.content) if self._hooks.checker else None
        check = CitationCheck(self.conversation.sources, judge)
        answered = asyncio.Event()
        context = ToolContext(question.content, reword=self._hooks.reword, answered=answered)
        calls = self._caller.begin_turn(context, self.settings.max_fetches_per_turn)
        return TurnUnderWay(question.content, check, ModelReply(check, self._numbered_call), calls, answered, shaping)

    async def _look_up(self, turn: TurnUnderWay) -> TurnStep:
        questions = self.conversation.questions if self.settings.use_history else ()
        query = await make_query(turn.question, questions, self._hooks.stand_alone)
        turn.reply.calls = [self._numbered_call(ToolCall(LIBRARY_TOOL, {"query": query}))]
        async with aclosing(self._run_calls(turn)) as events:
            async for event in events:
                yield event

    def _model_reply(self, turn: TurnUnderWay, tools: Sequence[ToolSchema]) -> Iterator[TurnStep]:
        """One model call, which may call `tools`."""
        turn.reply = ModelReply(turn.check, self._numbered_call)
        return self._replier.steps(self.model, turn.reply, self._sendable(), tools)

    def _numbered_call(self, call: ToolCall) -> ToolCall:
        self._calls += 1
        return ToolCall(call.name, call.arguments, f"call_{self._calls}", self.toolbox.shown_name(call.name))

    async def _run_calls(self, turn: TurnUnderWay) -> TurnStep:
        """Carry out the calls of one round at once; their results enter the conversation in order."""
        reply, turn.reply = turn.reply, ModelReply(turn.check, self._numbered_call)
        calls, turn.usage = tuple(reply.calls), turn.usage + reply.usage
        await self._add_messages(Message("assistant", reply.text, thinking=reply.thinking, tool_calls=calls))
        for call in calls:
            yield ToolStarted(call)
        async with aclosing(self._caller.run_calls(turn.calls, calls)) as results:
            async for result in results:
                if not isinstance(result, tuple):
                    yield result
                    continue
                call, outcome = result
                yield await self._record_result(call, outcome, calls)
        for notice in turn.calls.take_news():
            yield notice

    async def _record_result(self, call: ToolCall, outcome: Outcome, calls: Sequence[ToolCall]) -> ToolFinished:
        """Number as many passages as this call's share of the free window holds, and keep the result."""
        prompt = await self._budget.assemble_unshrunk(self._sendable())
        room = (await self._budget.prompt_limit() - prompt.used.total_tokens) // (len(calls) - calls.index(call))
        result = outcome.result
        count = await self._budget.count_fitting(result.text, result.passages, room)
        sources = tuple(self.conversation.sources.add_passage(passage) for passage in result.passages[:count])
        text = "\n\n".join([result.text, *map(numbered_passage, sources)])
        said = Message("tool", text, tool_name=call.name, call_id=call.id, sources=sources, links=result.links)
        await self._add_messages(replace(said, failed=not outcome.ok, seconds=outcome.seconds))
        return ToolFinished(call, outcome.ok, text, outcome.seconds, sources)

    async def _finish_turn(self, turn: TurnUnderWay) -> TurnStep:
        turn.ended = True
        await self._add_messages(Message("assistant", turn.reply.text, thinking=turn.reply.thinking))
        answered = turn.sum_up(self.conversation)
        if answered.cited and self._hooks.cite:
            await self._hooks.cite([source.passage for source in answered.cited])
        question = self.conversation.last_turn.question
        try:
            async with aclosing(turn.shaping.shape_answer(self.model, question, answered)) as shaped:
                async for event in shaped:
                    if isinstance(event, Answered):
                        answered = event
                    else:
                        yield event
        finally:
            if self._hooks.recorder:
                await self._hooks.recorder.answered(answered)
        for notice in turn.failings():
            yield notice
        yield answered
