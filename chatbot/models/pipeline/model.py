"""A language model served in steps, for models that call tools badly: understand, look up, read, answer, check."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from chatbot.conversation.messages import SKILL_TOOL, Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Call, Done, LanguageModel, Piece, Quote, ReplyOptions, Text
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.comparing import asks_difference
from chatbot.models.pipeline.context import NO_CONTEXT, PipelineContext
from chatbot.models.pipeline.decision.arguments import reword_query
from chatbot.models.pipeline.decision.intent import IntentReader
from chatbot.models.pipeline.decision.places import speaks_of_oneself
from chatbot.models.pipeline.knowing import Knowledge
from chatbot.models.pipeline.lookups import tell_nothing
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.planning import Planner
from chatbot.models.pipeline.plans import Plan, Situation
from chatbot.models.pipeline.prefixes import PrefixedModel
from chatbot.models.pipeline.reading.answer_evidence import MIN_ANSWER_COSINE
from chatbot.models.pipeline.reading.attachments import OWN_WORDS
from chatbot.models.pipeline.reading.earlier_statements import statements_of_oneself
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.found_parts import (
    asked_by_itself,
    nearest_parts,
    other_parts,
    read_part,
)
from chatbot.models.pipeline.translations import language_of_translation
from chatbot.models.pipeline.worked_out.age import tell_age
from chatbot.models.pipeline.worked_out.difference import difference_of_parts
from chatbot.models.pipeline.worked_out.from_tables import sources_named, tell_worked_out
from chatbot.models.pipeline.writing.answering import AnswerWriter
from chatbot.models.pipeline.writing.given import BRIEF
from chatbot.models.pipeline.writing.rewriting import reply_changed, reply_translated
from chatbot.models.pipeline.writing.talking import (
    begin_talk,
    chat_prefix,
    chat_prompt,
    own_words,
    told_prompt,
    turns_talked_on,
)
from chatbot.models.pipeline.writing.wished_length import read_length, reply_within
from chatbot.models.wrapping import MeteredModel, RememberingModel, UsageMeter, WrappingModel
from chatbot.prompts.fewshot import load_prompt
from chatbot.prompts.phrases import fill_phrase
from rag.embedding.base import Embedder
from tools.base import ToolSchema
from utils.languages.detection import wanted_language

WITHHELD = frozenset({"find_tools", SKILL_TOOL})
"""The tool that brings in other tools: all are there already for a model in steps, whose prompt has none of them. The
one that brings in a skill: which one is followed is found by likeness."""
WARMED = ("read", "which_line", "stand_alone", "calculate", "date", "acts", "query", "verdict", "told")
"""Prompts whose fixed beginnings are read ahead of time, in the order in which they are needed most."""
WEB_SEARCHES = frozenset({"web_search", "news_search"})
"""Tools in whose place a server may search that can."""
RELEVANT = 0.25
"""Cosine of message and remembered fact from which on the model is told the fact when it talks."""

STEPS_ENDED = Done(Usage(), as_given=False)
"""The end of a way to serve a reply; what was sent on it is metered."""


class PipelineModel(WrappingModel):
    """A `LanguageModel` around one that calls tools badly.

    With tools offered it decides between calls and an answer; of the evidence that calls brought, what answers the
    question is read, and the numbers of the passages that say it are put behind what the model wrote.
    """

    def __init__(self, model: LanguageModel, embedder: Embedder, around: PipelineContext = NO_CONTEXT) -> None:
        beginnings = [load_prompt(name).prefix for name in WARMED]
        self._meter = UsageMeter()
        prefixed = PrefixedModel(model, beginnings, lambda: chat_prefix(around.instructions()))
        super().__init__(RememberingModel(MeteredModel(prefixed, self._meter.add)))
        self._around = around
        self._finder = EvidenceFinder(embedder)
        self._intents = IntentReader(self.model, self._finder, around.look)
        self._knowledge = Knowledge(self.model, around.instructions)
        self._planner = Planner(self.model, self._finder, around.compute, self._knowledge)

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """Have the fixed beginnings of the steps' prompts read; those of a native tool caller are not needed."""
        await asyncio.to_thread(wanted_language, "hello")
        await self.model.warm_up(messages)

    async def reword_query(self, question: str, found: str) -> str:
        """The next search query after one that found too little."""
        return await reword_query(self.model, question, found)

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Calls, or the answer's text with the numbers of what it was written from."""
        # What a reply took that was broken off is nobody's.
        self._meter.take_total()
        turns = read_turns(messages)
        offered = [tool for tool in tools if tool.name not in WITHHELD]
        intent = await self._intents.read_intent(turns, offered)
        at = Situation(turns, offered, intent.with_names_of(turns[-1].sources), await self._around.facts())
        if turns[-1].calls:
            found = await nearest_parts(self._finder, at)
            nearest = found[0].reading if found else None
            if nearest and nearest.quote and nearest.alike >= MIN_ANSWER_COSINE and nearest.passage_numbers:
                yield Quote(nearest.passage_numbers[0], nearest.quote)
            plan = await self._planner.plan_after(at, found)
        else:
            plan = Plan(made_up=True) if at.wants_made_up else await self._planner.plan_first(at)
        searches = await self._searches_itself(plan)
        way = self._search_itself(at, options) if searches else self._carry_out(plan, at, options)
        async with aclosing(way) as pieces:
            async for piece in pieces:
                # Steps that came before took something too, and replies that came to no answer.
                yield Done(self._meter.take_total(), piece.reason, as_given=False) if isinstance(piece, Done) else piece

    async def _searches_itself(self, plan: Plan) -> bool:
        """Whether the web alone is to be searched, and the model's server does that by itself."""
        calls = plan.calls or plan.unless_sure
        return bool(calls) and all(call.name in WEB_SEARCHES for call in calls) and (await self.describe()).searches

    async def _search_itself(self, at: Situation, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
        """The model's own answer from what its server finds, with the server's numbers."""
        turns = turns_talked_on(at.turns, at.intent.decision)
        prompt = chat_prompt(turns, self._around.instructions(), await self._relevant_facts(at), "")
        async with aclosing(self.model.reply(prompt, options=replace(options, search=True))) as pieces:
            async for piece in pieces:
                yield piece

    def _carry_out(self, plan: Plan, at: Situation, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
        if plan.calls or plan.said:
            return _planned(plan)
        serve = self._read_out if plan.parts else self._talk_freely
        return serve(plan, at, options)

    async def _read_out(self, plan: Plan, at: Situation, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
        """The answer from a reading; where nothing is borne out, the next way or the model's own words."""
        several = len(plan.parts) > 1
        pieces = self._read_out_parts(plan, at) if several else self._read_out_part(plan.parts[0], at)
        said = False
        async with aclosing(pieces):
            async for piece in pieces:
                said = said or isinstance(piece, Text)
                if isinstance(piece, Done) and not said:
                    break
                yield piece
            else:
                return
        onwards = self._carry_out(await self._planner.plan_onwards(at, plan), at, options)
        async with aclosing(onwards) as pieces:
            async for piece in pieces:
                yield piece

    async def _read_out_part(self, part: Part, at: Situation, said: str = "") -> AsyncGenerator[Piece, None]:
        """The answer from a reading, to the question or to the user's own words; else its best sentence; else from the
        readings that come next. `said` is what the message's other questions were answered.
        """
        english = at.english_of(part.question)
        answer = ""
        async with aclosing(self._attempt_readings(part, at, english, said)) as pieces:
            async for piece in pieces:
                answer += piece.delta if isinstance(piece, Text) else ""
                yield piece
        if age := tell_age(english or part.question, answer, self._around.today(), at.intent.language):
            yield Text(f"\n{age}")
        yield STEPS_ENDED

    async def _attempt_readings(
        self, part: Part, at: Situation, english: str, said: str
    ) -> AsyncGenerator[Piece, None]:
        """What the first reading that comes to an answer has to say, the part's own before the others."""
        waiting, silent, own = [part], list[AnswerWriter](), None
        while waiting:
            attempt = waiting.pop(0)
            asked = at.intent.own.english if at.intent.own and attempt is own else english
            sources = attempt.reading.sources if attempt is part else sources_named(attempt)
            if told := tell_worked_out(attempt, asked, sources, at.intent.language):
                yield Text(told)
                return
            writer = AnswerWriter(self.model, attempt, at.intent.language, asked, said)
            async with aclosing(writer.write_answer(self._around.supports)) as pieces:
                async for piece in pieces:
                    yield piece
            if writer.written.text.strip():
                return
            silent.append(writer)
            if attempt is part and (own := await asked_by_itself(self._finder, at, part)):
                waiting = [own]
                continue
            if quote := next(filter(None, (silent.pop(0).best_sentence() for _ in tuple(silent))), ""):
                yield Text(quote)
                return
            if attempt in (part, own):
                waiting = await other_parts(self._finder, at, part)

    async def _read_out_parts(self, plan: Plan, at: Situation) -> AsyncGenerator[Piece, None]:
        """The parts' answers one after the other, none twice; of those that nothing says, that; nothing of none.

        Which of two has more, and by how much, is worked out and not read.
        """
        said, answered, shown, waiting = dict[str, str](), list[Part](), list[str](), ""
        for part in plan.parts:
            if said and asks_difference(part.question) and difference_of_parts(said, at):
                continue
            ways = read_part(self.model, self._finder, at, part, answered[-1] if answered else None)
            way, text = await self._first_told(ways, at, " ".join(said.values()))
            answered += [way] if way else []
            text = text or f"{part.question} – {await self._nothing_of(part, at, ' '.join(shown))}"
            if text not in shown:
                shown.append(text)
                said.update({part.question: text} if way else {})
                waiting += f"{text.strip()}\n"
            if answered and waiting:
                yield Text(waiting)
                waiting = ""
        if difference := difference_of_parts(said, at):
            yield Text(f"{difference}\n")
        yield STEPS_ENDED

    async def _first_told(self, ways: AsyncGenerator[Part, None], at: Situation, said: str) -> tuple[Part | None, str]:
        """The first of some ways to read a part that comes to an answer, and this; None and no text of none."""
        async with aclosing(ways):
            async for way in ways:
                if told := await self._text_of_part(way, at, said):
                    return way, told
        return None, ""

    async def _nothing_of(self, part: Part, at: Situation, said: str) -> str:
        """That nothing surely answers one of several questions, with what comes nearest and was not `said`."""
        nothing = fill_phrase("nothing_found", at.intent.language)
        return await tell_nothing(self.model, self._finder, at, [part], nothing, said)

    async def _text_of_part(self, part: Part, at: Situation, said: str = "") -> str:
        """The whole answer from a reading; empty where nothing says it."""
        async with aclosing(self._read_out_part(part, at, said)) as pieces:
            return "".join([piece.delta async for piece in pieces if isinstance(piece, Text)])

    async def _talk_freely(self, plan: Plan, at: Situation, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
        """The model's own words; where a source was looked for in vain, that is said first."""
        if plan.unsourced and at.intent.decision.form in BRIEF:
            known = await self._knowledge.tell(at, trusting=True)
            told = own_words(known, at.intent.language) if known else fill_phrase("nothing_found", at.intent.language)
            yield Text(f"{plan.unsourced} {told}")
            yield STEPS_ENDED
            return
        if at.tells_of_life and not (plan.about or plan.unsourced or plan.unless_sure):
            prompt = told_prompt(at.last_turn.question.content, self._around.instructions())
        else:
            turns = turns_talked_on(at.turns, at.intent.decision)
            facts, guide = await self._relevant_facts(at), await self._around.guide(at.last_turn.question.content)
            prompt = chat_prompt(turns, self._around.instructions(), facts, plan.about, guide)
        asked = at.last_turn.question.content
        talk = await begin_talk(self.model, prompt, at.intent.language, asked, eager=plan.made_up)
        if plan.unsourced:
            yield Text(f"{plan.unsourced} {own_words('', at.intent.language)}")
        length = None if plan.unless_sure else read_length(at.last_turn.question.content)
        before = "" if plan.unless_sure else at.answer_before
        changed = reply_within(length, talk, options, before, asked) if length else None
        if before and not length and (language := language_of_translation(asked)):
            changed = reply_translated(at.source_text, language, talk, options)
        reply = changed or reply_changed(before, asked, talk, options, anew=at.wants_changed)
        async with aclosing(reply) as pieces:
            async for piece in pieces:
                if plan.unless_sure and talk.doubts_itself(piece):
                    break
                yield piece
            else:
                return
        for call in plan.unless_sure:
            yield Call(call)
        yield STEPS_ENDED

    async def _relevant_facts(self, at: Situation) -> list[str]:
        """What is remembered that the message may be about, and what users told of themselves."""
        message, form = at.last_turn.question.content, at.intent.decision.form
        told = statements_of_oneself(at.turns) if form == OWN_WORDS and speaks_of_oneself(message) else []
        if not at.facts:
            return told
        vectors = await self._finder.embed_texts([message, *at.facts])
        alike = vectors[1:] @ vectors[0]
        return [*(fact for fact, like in zip(at.facts, alike, strict=True) if like >= RELEVANT), *told]


async def _planned(plan: Plan) -> AsyncGenerator[Piece, None]:
    """The calls and the words that a plan has already."""
    for call in plan.calls:
        yield Call(call)
    if plan.said:
        yield Text(plan.said)
    yield STEPS_ENDED
