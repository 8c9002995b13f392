"""What comes next in a turn that is served in steps: calls, an answer from a reading, or words of the model's own."""

from collections.abc import Sequence

from chatbot.conversation.messages import ToolCall
from chatbot.conversation.wishes import asks_to_remember
from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import answer_text, attached_texts
from chatbot.models.pipeline.acts.calls import reread_moment, write_acts
from chatbot.models.pipeline.acts.corrections import next_correction
from chatbot.models.pipeline.acts.outcomes import tell_acts
from chatbot.models.pipeline.decision.arguments import choose_addresses, in_language, reword_query, write_calls
from chatbot.models.pipeline.decision.intent import write_query
from chatbot.models.pipeline.decision.names import has_digit, names_in
from chatbot.models.pipeline.decision.places import (
    LIBRARY,
    NEWS_SEARCH,
    OPENING_TOOL,
    REACHING,
    asks_of_mine,
    names_place,
)
from chatbot.models.pipeline.decision.recalled import asks_what_was_said
from chatbot.models.pipeline.decision.router import ACT_WORDS, ANSWER, COMPUTED, TAKEN_APART, TEXT, TOOL_WORDS
from chatbot.models.pipeline.knowing import Knowledge
from chatbot.models.pipeline.leave import asks_leave
from chatbot.models.pipeline.lookups import (
    is_own_affair,
    nothing_found,
    nothing_said,
    searched_again,
    tell_nothing,
    told_without_web,
)
from chatbot.models.pipeline.own_answers import answer_by_itself, facts_for_user
from chatbot.models.pipeline.parts import Part, asks_place, split_question
from chatbot.models.pipeline.plans import SAID, Plan, Situation
from chatbot.models.pipeline.reading.answer_evidence import APART, Reading
from chatbot.models.pipeline.reading.attachments import (
    LENIENT,
    OWN_WORDS,
    is_about_text,
    is_made_from,
    latest_texts,
    names_one,
    worked_on,
)
from chatbot.models.pipeline.reading.earlier_statements import read_told
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.found_parts import answering_parts, nearest_parts, part_of_texts, text_found
from chatbot.models.pipeline.reading.sentences import asks_reason, asks_something
from chatbot.models.pipeline.worked_out.computing import Compute, compute_answer, in_figures
from chatbot.models.pipeline.worked_out.from_tables import tell_read_off
from chatbot.models.pipeline.writing.talking import own_words
from chatbot.prompts.phrases import fill_phrase
from utils.languages.detection import language_of

TOLD_IN = "en"
"""The language in which the calendar says what it worked out; for another one a model puts it into that."""
NEXT = 0.03
"""The share that another tool must have to be tried after one that found nothing: "in my files" leaves the web less."""
MIN_SHARE_BESIDE_WEB = 0.05
"""The share that the library must have to be searched beside the web where it has a likely sentence."""
TOLD_BRIEFLY = ("fact", "several")
"""Forms of answers of the model's own that a sentence is enough for."""


class Planner:
    """Says what comes next; `compute` has a tool work something out at once."""

    def __init__(
        self, model: LanguageModel, finder: EvidenceFinder, compute: Compute | None, knowledge: Knowledge
    ) -> None:
        self._model = model
        self._finder = finder
        self._compute = compute
        self._knowledge = knowledge

    async def plan_first(self, at: Situation) -> Plan:
        """Before anything was called."""
        return await self._without_looking(at) or await self._plan_lookup(at)

    async def _without_looking(self, at: Situation) -> Plan | None:
        """What is carried out, worked out, or known from what was said and attached; None where that does not do."""
        decision = at.intent.decision
        if (put_right := next_correction(at.turns, at.facts)) and at.offers_tool(put_right.name):
            return Plan((put_right,))
        # Before wishes: "remind me what I said about the car" has nothing to be done later.
        if said := await answer_by_itself(self._model, self._finder, at):
            return Plan(said=said)
        if decision.best_wish in ACT_WORDS and (plan := await self._plan_act(at)):
            return plan
        best = decision.without_tools(*ACT_WORDS).best_wish
        if best in COMPUTED and not at.goes_on_from_text and (plan := await self._work_out(at, best)):
            return plan
        return await self._plan_from_talk(at)

    async def _plan_lookup(self, at: Situation) -> Plan:
        """What is looked up, and what the model says by itself unless it is not sure of it."""
        decision = at.intent.decision.without_tools(*ACT_WORDS, *COMPUTED, TEXT)
        if at.only_tells:
            return Plan()
        tool = decision.doubted_tool
        if (tool or decision.best_wish != ANSWER) and (told := await self._in_last_texts(at)):
            return told
        if decision.best_wish != ANSWER:
            return Plan(await self._look_up(at, decision.best_wish))
        if tool and decision.form == "yesno":
            # Of yes and no a small model is always sure.
            return Plan(await self._look_up(at, tool))
        if not tool or decision.certainly or decision.form not in TOLD_BRIEFLY:
            return Plan(unless_sure=await self._look_up(at, tool) if tool else ())
        # In a talk a small model is sure of what it makes up ("the market opens at 9:30"); asked alone it is not.
        known = await self._knowledge.tell(at, trusting=True)
        return Plan(said=known) if known else Plan(await self._look_up(at, tool))

    async def _plan_from_talk(self, at: Situation) -> Plan | None:
        """The answer from a text that came with the message, from what the user said, or from a text that came earlier.

        What came with this message is what it is about; what came with an earlier one the user may have left.
        """
        if attached_texts(at.last_turn):
            return await self._of_texts(at) or await self._plan_from_told(at)
        return await self._plan_from_told(at) or await self._of_texts(at)

    async def _work_out(self, at: Situation, tool: str) -> Plan | None:
        """What arithmetic or a calendar says; None where they say nothing."""
        message = at.last_turn.question.content
        if tool == "date_and_time" and asks_leave(at.said_in_english):
            return None  # No calendar knows whether Jo may play on the 20th, nor a birthday.
        if tool == "date_and_time" and not has_digit(message) and (plan := await self._plan_from_told(at)):
            return plan
        if self._compute is None:
            return None
        told = await compute_answer(self._model, at.turns, tool, at.intent.decision.follows, self._compute)
        if told and tool == "date_and_time" and at.intent.language != TOLD_IN:
            reading = Reading(told, outside=False, quote=in_figures(told), certain=True)
            return Plan(parts=at.as_one_part(reading))
        return Plan(said=told) if told else None

    async def _plan_from_told(self, at: Situation) -> Plan | None:
        """The answer from what the user said earlier; None where that says none, or nothing was asked.

        Of two things of the user's own each may have been said by itself.
        """
        message = at.intent.said
        if at.intent.decision.form in SAID and not asks_something(message):
            return None
        told = await read_told(self._model, self._finder, at.turns, message, at.facts)
        if told:
            return Plan(parts=(Part(at.intent.question, "told", told, read=True),))
        several = at.intent.decision.form in APART or asks_what_was_said(message)
        if not several or not asks_of_mine(message, at.intent.language):
            return None
        parts, questions = [], at.intent.parts
        if at.intent.decision.best_wish not in TAKEN_APART:
            questions = await split_question(self._model, message)
        for question in questions if len(questions) > 1 else ():
            if not (told := await read_told(self._model, self._finder, at.turns, question, at.facts)):
                return None
            parts.append(Part(question, "told", told, read=True))
        return Plan(parts=tuple(parts)) if parts else None

    async def plan_after(self, at: Situation, found: Sequence[Part]) -> Plan:
        """After calls: what they did is told, what they found is read; `found` is what `nearest_parts` says of them."""
        if any(call.name in ACT_WORDS for call in at.last_turn.calls):
            again = next_correction(at.turns, at.facts) or await reread_moment(self._model, at.last_turn)
            return Plan((again,)) if again else Plan(said=tell_acts(at.last_turn, at.intent.language))
        if told := tell_read_off(at):
            return Plan(said=told)
        if parts := await answering_parts(self._model, self._finder, at, found):
            return Plan(parts=parts, unsourced=told_without_web(at))
        return await self.plan_onwards(at, Plan())

    async def plan_onwards(self, at: Situation, tried: Plan) -> Plan:
        """Where nothing answers the question: another way is tried, or given up; `tried` is what was read in vain."""
        called = [call.name for call in at.last_turn.calls]
        if tried.unsourced:
            return Plan(unsourced=tried.unsourced)
        if not called:
            return await self._give_up(at, tried.parts, nothing_said(at))
        if unsourced := told_without_web(at):
            # Nothing is searched again: the library, which keeps pages too, is looked into once; then the model speaks.
            looked = any(call.name == LIBRARY and "files_only" not in call.arguments for call in at.last_turn.calls)
            inside = at.offers_tool(LIBRARY) and not looked
            return Plan((ToolCall(LIBRARY, {"query": at.intent.question}),)) if inside else Plan(unsourced=unsourced)
        own = is_own_affair(at, called)
        following = None if own else at.intent.decision.next_lookup(called, NEXT)
        if following and following != NEWS_SEARCH:
            return Plan(await self._look_up(at, following))
        # What the web says nothing of, its news hardly do: before them the model is asked, and once.
        once = len({call.name for call in at.last_turn.calls if call.name in REACHING}) == 1 and not searched_again(at)
        if once and not own and (known := await self._knowledge.tell(at)):
            return Plan(said=own_words(known, at.intent.language))
        if following:
            return Plan(await self._look_up(at, following))
        return await self._other_words(at) or await self._give_up(
            at, await nearest_parts(self._finder, at), nothing_found(called, at.intent.language)
        )

    async def _give_up(self, at: Situation, parts: Sequence[Part], otherwise: str) -> Plan:
        """That nothing surely answers, with what comes nearest; `otherwise` where nothing does, and what is remembered
        where something was asked for the user."""
        return Plan(said=await tell_nothing(self._model, self._finder, at, parts, otherwise + facts_for_user(at)))

    def _relevant_texts(self, at: Situation) -> list[tuple[str, str]]:
        """The attached texts that the message may be about."""
        decision = at.intent.decision
        if now := attached_texts(at.last_turn):
            return now
        texts = latest_texts(at.turns)
        if decision.best_wish in (TEXT, ANSWER) and names_one(at.last_turn.question.content, texts):
            return texts
        # "Make it rhyme" is about the last answer, and about a text only if that was made from one.
        if decision.form == OWN_WORDS and len(at.turns) > 1 and not is_made_from(answer_text(at.turns[-2]), texts):
            texts = latest_texts(at.turns[-2:])
        return texts if decision.best_wish == TEXT or (decision.follows and is_about_text(at.turns)) else []

    async def _of_texts(self, at: Situation) -> Plan | None:
        """What an attached text has to say; None where the message is not about one."""
        texts, best = self._relevant_texts(at), at.intent.decision.best_wish
        if not texts:
            return None
        if at.looks_elsewhere and not asks_place(at.intent.decision.form, at.said_in_english):
            return None
        if not at.looks_elsewhere and (whole := await worked_on(self._finder, texts, at.intent.decision.form)):
            return Plan(about=whole)
        parts = [await part_of_texts(self._model, self._finder, at, texts, question) for question in at.intent.parts]
        if any(part.read for part in parts):
            return Plan(parts=tuple(parts))
        # Of a text that came earlier a message that may as well be looked up, stands alone, or goes on from what was
        # looked up since, need not speak any more.
        decision = at.intent.decision
        goes_on = decision.follows and is_about_text(at.turns)
        left = not attached_texts(at.last_turn) and (decision.lookup_tool or not goes_on)
        if best in (TEXT, ANSWER) and not left:
            return await self._give_up(at, parts, fill_phrase("nothing_in_attachment", at.intent.language))
        return None

    async def _in_last_texts(self, at: Situation) -> Plan | None:
        """The answer from texts that were talked of until now, where they surely say it; None else.

        A question that could be looked up is often one about what was just read: nobody names the letter twice.
        """
        elsewhere = names_place(at.last_turn.question.content) or at.intent.decision.best_wish == OPENING_TOOL
        form = at.intent.form_of(at.intent.parts[0])
        asked = asks_place(form, at.said_in_english) or (form == "explain" and asks_reason(at.said_in_english))
        texts = latest_texts(at.turns)
        if elsewhere or not asked or not is_about_text(at.turns):
            return None
        # Of what names nothing the web would know nothing, and need not hear.
        leniency = 0.0 if names_in(at.last_turn.question.content) else LENIENT
        parts = [
            await part_of_texts(self._model, self._finder, at, texts, question, leniency)
            for question in at.intent.parts
        ]
        return Plan(parts=tuple(parts)) if all(part.read for part in parts) else None

    async def _plan_act(self, at: Situation) -> Plan | None:
        """What carries out a wish; None where the message names nothing that could be done."""
        calls = await write_acts(self._model, self._finder, at.turns, at.intent.decision, at.facts)
        if offered := tuple(call for call in calls if at.offers_tool(call.name)):
            return Plan(offered)
        # What is only told would be remembered where that is on; that it is not is nobody's question.
        wished = any(call.name != "remember" or asks_to_remember(at.last_turn.question.content) for call in calls)
        return Plan(said=fill_phrase("nothing_kept", at.intent.language)) if wished else None

    async def _look_up(self, at: Situation, name: str) -> tuple[ToolCall, ...]:
        """The calls of one tool, and the library beside it where it has something."""
        if name == OPENING_TOOL:
            return tuple(ToolCall(name, {"url": url}) for url in await choose_addresses(self._model, at.turns))
        if name not in TOOL_WORDS:
            tool = next(tool for tool in at.tools if tool.name == name)
            return tuple(await write_calls(self._model, at.turns, tool))
        decision = at.intent.decision
        beside = decision.in_library and decision.share_of(LIBRARY) >= MIN_SHARE_BESIDE_WEB and name != LIBRARY
        asked = any(call.name == LIBRARY for call in at.last_turn.calls)
        names = (LIBRARY, name) if beside and not asked else (name,)
        queries = [await write_query(self._model, question) for question in at.intent.parts]
        files = {"files_only": True} if at.looks_in_files else {}
        return tuple(
            ToolCall(name, {"query": query, **(files if name == LIBRARY else {})})
            for name in names
            for query in queries
        )

    async def _other_words(self, at: Situation) -> Plan | None:
        """The last search once more with another query, in the language of what it found; unless that was done."""
        last = at.last_turn.calls[-1]
        queries = [call.arguments.get("query") for call in at.last_turn.calls if call.name == last.name]
        if len(queries) != 1 or not queries[0] or not at.offers_tool(last.name):
            return None
        found = "\n".join(source.passage.title for source in at.last_turn.sources) or "nothing"
        spoken = language_of(text_found(at.last_turn))
        if spoken and spoken != at.intent.language:
            query = await in_language(self._model, at.intent.question, spoken)
        else:
            query = await reword_query(self._model, at.intent.question, found)
        return None if not query or query == queries[0] else Plan((ToolCall(last.name, {"query": query}),))
