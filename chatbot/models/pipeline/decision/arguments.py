"""The arguments of a tool call, written one call at a time by a model that calls tools badly."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.turns import Turn
from chatbot.models.base import LanguageModel, ReplyOptions, Text
from chatbot.models.dialogue import addresses_in, answer_text, known_addresses, standing_question
from chatbot.prompts.fewshot import clip_middle, load_prompt
from tools.base import ToolSchema
from utils.errors import ReplyBroken
from utils.fence import fence_text, without_marks
from utils.languages.language_names import language_name

QUERY_TOKENS = 48
"""A line of a query: the longest in 70 measured had 22 tokens."""
QUERY, MAX_ENGLISH_CHARS = 120, 300
"""Letters of a query that is filled in, and of a message in English."""
MAX_QUESTION_CHARS = 600
OPENED = 3
"""Addresses of one message that are opened at once."""
MAX_ADDRESSES_OFFERED = 12
"""Addresses of a conversation that are chosen from."""
MAX_FOUND_CHARS = 400
"""Characters of what was found that the next query is written from."""


async def write_calls(model: LanguageModel, turns: Sequence[Turn], tool: ToolSchema) -> list[ToolCall]:
    """The calls of one tool for the last turn: one, or one an address where the message holds several."""
    names = set(tool.parameters.get("required") or tool.parameters.get("properties", {}))
    if names == {"query"}:
        return [ToolCall(tool.name, {"query": await write_query(model, turns)})]
    if names == {"url"}:
        return [ToolCall(tool.name, {"url": url}) for url in await choose_addresses(model, turns)]
    message = load_prompt("arguments").make_prompt(
        name=tool.name, description=tool.description, **_last_two_questions(turns)
    )
    return [ToolCall(tool.name, (await model.fill_schema(message, tool.parameters)).values)]


async def write_query(model: LanguageModel, turns: Sequence[Turn]) -> str:
    """One line that can be understood without the conversation."""
    query = await write_line(model, load_prompt("query").make_prompt(**_last_two_questions(turns)))
    return query or clip_middle(turns[-1].question.content, MAX_QUESTION_CHARS)


async def choose_addresses(model: LanguageModel, turns: Sequence[Turn]) -> list[str]:
    """The addresses of the message, else the one of the conversation that it means; never one made up."""
    here = addresses_in(turns[-1].question.content)
    known = list(dict.fromkeys(here))[:OPENED] or known_addresses(turns)[:1]
    if here or len(choice := known_addresses(turns)[:MAX_ADDRESSES_OFFERED]) < 2:
        return [_complete_url(url) for url in known]
    schema = {"type": "object", "properties": {"url": {"type": "string", "enum": choice}}, "required": ["url"]}
    filled = await model.fill_schema(
        load_prompt("address").make_prompt(addresses=fence_text("\n".join(choice)), **_last_two_questions(turns)),
        schema,
    )
    return [_complete_url(filled.values["url"] if filled.values.get("url") in choice else known[0])]


async def reword_query(model: LanguageModel, question: str, found: str) -> str:
    """The next search query after one that found too little; empty when the model has none.

    Filled in, not replied: so it may be asked of a model however it is served.
    """
    found = fence_text(clip_middle(found, MAX_FOUND_CHARS))
    return await fill_query(
        model, load_prompt("reword").make_prompt(found=found, question=clip_middle(question, MAX_QUESTION_CHARS))
    )


async def in_english(model: LanguageModel, message: str) -> str:
    """A message in English, in which the embedding model and the decision know more; empty where it fails."""
    try:
        return await _fill_line(
            model, load_prompt("english").make_prompt(message=message), "english", MAX_ENGLISH_CHARS
        )
    except ReplyBroken:
        return ""


async def in_language(model: LanguageModel, question: str, language: str) -> str:
    """A question in a language (ISO 639-1) in which more may be found; empty where it fails."""
    try:
        prompt = load_prompt("translated").make_prompt(
            language=language_name(language), question=clip_middle(question, MAX_QUESTION_CHARS)
        )
        return await fill_query(model, prompt)
    except ReplyBroken:
        return ""


async def fill_query(model: LanguageModel, messages: Sequence[Message]) -> str:
    """The query that a model fills in, on one line; empty when it has none."""
    return await _fill_line(model, messages, "query", QUERY)


async def _fill_line(model: LanguageModel, messages: Sequence[Message], name: str, longest: int) -> str:
    filled = await model.fill_schema(messages, text_fields(**{name: longest}))
    # A small model that has no name to add likes to add the brackets for it, and one that has nothing a fence's mark.
    return without_marks(" ".join(str(filled.values.get(name, "")).replace("( )", " ").split()))


def text_fields(**longest: int) -> dict[str, Any]:
    """The schema of an object of texts that must all be there, each with the letters that it may have."""
    fields = {name: {"type": "string", "maxLength": letters} for name, letters in longest.items()}
    return {"type": "object", "properties": fields, "required": list(fields)}


async def write_line(model: LanguageModel, messages: Sequence[Message]) -> str:
    """The first line of a model's reply, without quotation marks around it."""
    written = ""
    pieces = model.reply(messages, options=ReplyOptions(QUERY_TOKENS))
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, Text):
                written += piece.delta
            if "\n" in written.lstrip():
                break
    return written.strip().partition("\n")[0].strip().strip("\"'“”„«»<>")


def _last_two_questions(turns: Sequence[Turn]) -> dict[str, str]:
    return asked_after(turns[-2].question.content if len(turns) > 1 else "", turns[-1].question.content)


def asked_after(earlier: str, message: str) -> dict[str, str]:
    """A message and the one before it, empty where there is none, as prompts have them."""
    before = f"Earlier: <<<{clip_middle(earlier, MAX_QUESTION_CHARS // 3)}>>>\n" if earlier else ""
    return {"earlier": before, "message": clip_middle(message, MAX_QUESTION_CHARS)}


def going_on(before: Turn, message: str) -> dict[str, str]:
    """A message with the turn before it, its question as it stands alone and its answer, as prompts have them."""
    asked = asked_after(standing_question(before), message)
    answer = clip_middle(answer_text(before), MAX_QUESTION_CHARS // 3)
    if answer:
        # Its own words, as they stand in the chat: between the marks of a page a small model passes over them.
        asked["earlier"] += f"Answer: <<<{answer}>>>\n"
    return asked


def _complete_url(url: str) -> str:
    return url if "://" in url else f"https://{url}"
