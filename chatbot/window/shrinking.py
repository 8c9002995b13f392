"""What is sent in the place of messages that have no room: a summary, a line, or less of the same."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.messages import Message, Source
from chatbot.conversation.turns import turn_at
from chatbot.prompts.loader import read_prompt
from chatbot.trust.taint import fence_said
from rag.zim.address import tell_origin

# A result without passages is not cut to fewer characters than this.
_LEAST = 400
_REST = "(The rest did not fit.)"


def summary_turn(compaction: Compaction, covered: Sequence[Message]) -> list[Message]:
    """A summary of the covered messages as a turn of its own, as every model's template takes it."""
    asked, answered = (read_prompt(name) for name in ("carried", "carried_on"))
    summary = fence_said(compaction.summary, covered, tainted=bool(compaction.origin))
    return [Message("user", asked.format(summary=summary)), Message("assistant", answered)]


def pinned_turns(conversation: Conversation, before: int) -> list[Message]:
    """The pinned turns among the messages before that index: each question with its answer."""
    messages = conversation.messages
    turns = [turn_at(messages, pin, before) for pin in conversation.pins if pin < before]
    return [messages[index] for index in sorted({index for turn in turns for index in turn.spoken})]


def condense_result(message: Message) -> Message:
    """An older result as one line: what was called stays, what it said can be looked up again."""
    numbers = ", ".join(f"[{source.number}] {source.passage.title}" for source in message.sources)
    text = f"(Result shortened; it gave: {numbers})" if numbers else "(Result shortened)"
    return replace(message, content=text, sources=())


def can_be_less(message: Message) -> bool:
    """Whether anything of a result can still be left out."""
    return len(message.sources) > 1 or (not message.sources and len(message.content) > _LEAST + len(_REST) + 1)


def shrink_result(message: Message, steps: int) -> Message:
    """A result with so many passages less, the last first, or with its text halved so many times."""
    if not message.sources:
        kept = message.content[: max(_LEAST, len(message.content) >> steps)]
        return replace(message, content=f"{kept}\n{_REST}")
    sources = message.sources[: max(1, len(message.sources) - steps)]
    text = message.content
    for source in reversed(message.sources[len(sources) :]):
        text = text.removesuffix(numbered_passage(source)).rstrip("\n")
    return replace(message, content=text, sources=sources)


def numbered_passage(source: Source) -> str:
    """A passage as the model reads it."""
    passage = source.passage
    told = tell_origin(passage)
    when = f", {told}" if told else ""
    by = f" of {passage.found_by}" if passage.found_by else ""
    kind = f", search result{by}, not opened" if passage.origin == "snippet" else ""
    return f"[{source.number}] {passage.headed_title} ({passage.source}{when}{kind})\n{passage.text}"
