"""What an answer is put into once it is there: a form, and a line that says what it says. Neither can hurt it."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chatbot.conversation.events import Answered, Progress
from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel
from chatbot.models.wrapping import MeteredModel, UsageMeter
from chatbot.prompts.fewshot import clip_middle, load_prompt
from chatbot.prompts.loader import read_prompt
from chatbot.settings import AnswerSettings
from chatbot.turn.answer_form import AnswerForm, keep_numbers, read_form, without_struck
from utils.errors import ReplyBroken
from utils.faults import record_fault
from utils.text import one_line

log = logging.getLogger(__name__)

FORMING, SUMMING = "Putting the answer into its form", "Summing up the answer"
FORM_TRIES = 2
"""How often a model is asked for a form: once more with what was wrong."""
MAX_MATERIAL_CHARS = 6000
"""Characters of the question with its texts that go with an answer into its form."""
LONG_ANSWER_CHARS = 800
"""Characters from which on an answer is given a line that says what it says."""
LINE_CHARS_READ = 4000
"""Characters of the answer that are read for that line."""
MAX_LINE_CHARS = 200
LINE_SECONDS = 60.0
"""Seconds after which that line is given up."""
LINE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string", "minLength": 3, "maxLength": MAX_LINE_CHARS}},
    "required": ["summary"],
}


@dataclass(frozen=True)
class Shaping:
    """What is to be made of an answer."""

    form: AnswerForm | None = None
    """The form that it is put into, by the model that answered."""
    line_writer: Callable[[], LanguageModel] | None = None
    """Gives the model that says in one line what it says; None: nothing does."""

    async def shape_answer(
        self, model: LanguageModel, question: Message, answered: Answered
    ) -> AsyncGenerator[Progress | Answered, None]:
        """How far it is, and at the end the answer with what was made of it; raises nothing."""
        if self.form is not None:
            yield Progress(FORMING, 0, 1)
            meter = UsageMeter()
            answered = await _put_in_form(MeteredModel(model, meter.add), self.form, question, answered)
            answered = replace(answered, usage=answered.usage + meter.take_total())
            yield Progress(FORMING, 1, 1)
        if self.line_writer is not None and len(answered.text.strip()) >= LONG_ANSWER_CHARS:
            yield Progress(SUMMING, 0, 1)
            line = await sum_up(self.line_writer(), question.content, without_struck(answered.text))
            answered = replace(answered, summary=line)
            yield Progress(SUMMING, 1, 1)
        yield answered


async def choose_shaping(settings: AnswerSettings, line_writer: Callable[[], LanguageModel]) -> Shaping:
    """What the settings want to be made of an answer; raises `ConfigError` where a schema cannot be used."""
    wanted = settings.answer_format == "json"
    form = await asyncio.to_thread(read_form, settings.answer_schema_file) if wanted else None
    return Shaping(form, line_writer if settings.answer_summary else None)


async def _put_in_form(model: LanguageModel, form: AnswerForm, question: Message, answered: Answered) -> Answered:
    try:
        if not answered.text.strip():
            raise ReplyBroken("There is no answer that could be put into a form.", "Ask again.")
        filled = await fill_form(model, form, form_prompt(form, question, answered), answered)
        return replace(answered, form=form.complete(filled, answered))
    except Exception as error:  # noqa: BLE001 - the answer is there, whatever becomes of its form
        return replace(answered, unformed=str(record_fault(error, FORMING)))


async def fill_form(
    model: LanguageModel, form: AnswerForm, prompt: Sequence[Message], answered: Answered
) -> dict[str, Any]:
    """What the model fills in, checked against the schema; it is asked once more with what was wrong.

    Raises a `ModelError`, `ReplyBroken` where it does not fit then either.
    """
    asked, problem = list(prompt), ""
    for _ in range(FORM_TRIES):
        try:
            filled = keep_numbers((await model.fill_schema(asked, dict(form.asked))).values, answered)
            problem = await asyncio.to_thread(form.find_problem, filled)
            if not problem:
                return dict(filled)
            asked = [*prompt, Message("assistant", json.dumps(filled, ensure_ascii=False))]
        except ReplyBroken as error:
            asked, problem = list(prompt), error.problem
        asked.append(Message("user", read_prompt("form_mended").format(problem=problem)))
    name = one_line((await model.describe()).label)
    told = f"{name} was asked twice for the answer in its form, which does not fit: {problem.rstrip('.')}."
    raise ReplyBroken(told, "Raise max_tokens, or take a larger model or a simpler schema.")


def form_prompt(form: AnswerForm, question: Message, answered: Answered) -> list[Message]:
    """What a model is asked for a form: its schema, the question with what came with it, and the answer."""
    schema: Mapping[str, Any] = form.asked
    parts = (
        f"Schema:\n{json.dumps(schema, ensure_ascii=False)}",
        f"Question:\n{clip_middle(question.prompt_text, MAX_MATERIAL_CHARS)}",
        f"Answer:\n{without_struck(answered.text).strip()}",
    )
    return [Message("system", read_prompt("form")), Message("user", "\n\n".join(parts))]


async def sum_up(model: LanguageModel, question: str, answer: str) -> str:
    """One line that says what an answer says; empty where there is none."""
    asked = load_prompt("summary").make_prompt(
        question=clip_middle(question, LONG_ANSWER_CHARS), answer=clip_middle(answer, LINE_CHARS_READ)
    )
    try:
        async with asyncio.timeout(LINE_SECONDS):
            filled = await model.fill_schema(asked, LINE_SCHEMA)
    except TimeoutError:
        log.warning("An answer has no summary: the model is too slow")
        return ""
    except Exception as error:  # noqa: BLE001 - the answer is there, whatever becomes of its summary
        log.warning("An answer has no summary: %s", record_fault(error, SUMMING))
        return ""
    return one_line(str(filled.values.get("summary", "")), MAX_LINE_CHARS)
