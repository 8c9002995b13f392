"""The plan of a research run: the sub-questions that are looked up, written by the model and changed by the user."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.parts import may_be_several, split_question
from chatbot.prompts.fewshot import clip_middle, load_prompt
from chatbot.research.things import ask_of_each, name_subjects, names_in
from rag.search.rare_words import telling_words, word_stems
from utils.errors import MagpieError, ReplyBroken
from utils.languages.detection import language_of

MAX_RESEARCH_CHARS, MAX_SUB_QUESTION_CHARS = 600, 160
"""Letters of a question, and of a part of it."""
SAME_QUESTION = 0.8
"""Share of their words from which on two questions are one."""
_DROP = re.compile(r"(?:drop|delete|remove|-)\s*(\d{1,3})", re.IGNORECASE)
_REWORD = re.compile(r"(\d{1,3})[.):]?\s+(\S.*)", re.DOTALL)
_ADD = re.compile(r"(?:add\b|\+)\s*(\S.*)", re.IGNORECASE | re.DOTALL)
HOW_TO_CHANGE = "Write `2 other words`, `drop 2` or `add another question`."


async def write_plan(model: LanguageModel, question: str, most: int) -> list[str]:
    """The sub-questions of a question, so many at most; itself where the model writes none that are about it."""
    prompt = load_prompt("research_plan").make_prompt(question=clip_middle(question, MAX_RESEARCH_CHARS))
    asked = telling_words(question)
    written = [one for one in await fill_questions(model, prompt, most) if word_stems(one) & asked]
    plan = new_questions(written, ())
    parted = [part for one in (plan if len(plan) > 1 else [question]) for part in await _take_apart(model, one)]
    whole = ask_of_each(question, new_questions(parted, ()))
    return name_subjects(question, whole)[:most] or [question]


async def _take_apart(model: LanguageModel, question: str) -> tuple[str, ...]:
    """The questions of one that joins several things: a small model plans "when do the museum and the lido open"."""
    if not may_be_several(question, "fact", language_of(question) or "en"):
        return (question,)
    return await split_question(model, question) or (question,)


async def fill_questions(model: LanguageModel, prompt: Any, most: int) -> list[str]:
    """The questions that a model fills in, so many at most; none where it cannot."""
    item = {"type": "string", "maxLength": MAX_SUB_QUESTION_CHARS}
    questions = {"type": "array", "items": item, "maxItems": most}
    schema = {"type": "object", "properties": {"questions": questions}, "required": ["questions"]}
    try:
        filled = await model.fill_schema(prompt, schema)
    except ReplyBroken:
        return []
    found = filled.values.get("questions")
    return [" ".join(str(one).split()) for one in found[:most]] if isinstance(found, list) else []


def new_questions(written: Iterable[str], known: Sequence[str]) -> list[str]:
    """Those of some questions that ask nothing which one before them, or a known one, asks already."""
    found: list[str] = []
    for one in written:
        if word_stems(one) and not any(same_question(one, other) for other in [*known, *found]):
            found.append(one)
    return found


def same_question(one: str, other: str) -> bool:
    """Whether two questions have nearly the same words, and the same names."""
    ours, theirs = word_stems(one), word_stems(other)
    if word_stems(" ".join(names_in(one))) != word_stems(" ".join(names_in(other))):
        return False
    return len(ours & theirs) >= SAME_QUESTION * len(ours | theirs)


def is_change(line: str) -> bool:
    """Whether a line changes a plan rather than being a question of its own."""
    return any(form.fullmatch(line.strip()) for form in (_DROP, _REWORD, _ADD))


def change_plan(plan: Sequence[str], line: str) -> list[str]:
    """The plan as a line of the user changes it; raises a `MagpieError`."""
    line = line.strip()
    if drop := _DROP.fullmatch(line):
        changed = list(plan)
        del changed[_place_in(plan, drop[1])]
        if not changed:
            raise MagpieError("A plan has one question at least.", "Add another one first.")
        return changed
    if reword := _REWORD.fullmatch(line):
        place = _place_in(plan, reword[1])
        return [*plan[:place], _one_question(reword[2]), *plan[place + 1 :]]
    if added := _ADD.fullmatch(line):
        return [*plan, _one_question(added[1])]
    raise MagpieError("That changes no plan.", HOW_TO_CHANGE)


def _place_in(plan: Sequence[str], number: str) -> int:
    place = int(number) - 1
    if not 0 <= place < len(plan):
        raise MagpieError(f"The plan has no question {number}.", f"Its numbers are 1 to {len(plan)}.")
    return place


def _one_question(text: str) -> str:
    return clip_middle(" ".join(text.split()), MAX_RESEARCH_CHARS)


def told_plan(plan: Sequence[str]) -> str:
    """The plan as numbered lines."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(plan, 1))
