"""A window by itself: what is assembled for a conversation, without an agent around it."""

from collections.abc import Sequence
from typing import Any

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.history.entries import Spent
from chatbot.models.base import LanguageModel
from chatbot.settings import AgentSettings
from chatbot.window.assemble import PromptAssembler
from chatbot.window.compaction import Compactor
from chatbot.window.context import AssembledPrompt, ContextBudget, Sendable
from chatbot.window.shrinking import numbered_passage
from rag.documents import Passage
from tests.fakes.model import ScriptedModel
from tools.base import ToolSchema

SYSTEM = Message("system", "Be brief.")
TOOL = ToolSchema("search", "Search.", {"type": "object", "properties": {}})


def words(count: int) -> str:
    """So many tokens."""
    return " ".join(["word"] * count)


def source(number: int, size: int = 40) -> Source:
    """A passage of so many words and its number."""
    return Source(number, Passage(f"{words(size)} {number}", f"https://x.test/{number}", f"Page {number}", "web"))


def searched(question: str, sources: Sequence[Source], call: str) -> list[Message]:
    """A question that was searched for, with what was found."""
    text = "\n\n".join(["Found:", *map(numbered_passage, sources)])
    return [
        Message("user", question),
        Message("assistant", "", tool_calls=(ToolCall("search", {}, call),)),
        Message("tool", text, tool_name="search", call_id=call, sources=tuple(sources)),
    ]


def sendable(*messages: Message, **more: Any) -> Sendable:
    """What a call has to say in a conversation of these messages."""
    return Sendable(SYSTEM, Conversation(list(messages), **more), (TOOL,))


def assembler(window: int = 1024, model: LanguageModel | None = None, *, compact: bool = False) -> PromptAssembler:
    """What assembles prompts for a model with a reserve of 100 tokens; it summarises only if it is told to."""
    answering = model or ScriptedModel([], window=window)
    settings = AgentSettings(compact=compact)

    async def summariser() -> LanguageModel:
        return answering

    async def keep(_: Compaction | Spent) -> None:
        return None

    budget = ContextBudget(answering, 100)
    return PromptAssembler(budget, Compactor(budget, lambda: settings, summariser, keep), lambda: settings)


async def assembled(made: PromptAssembler, sendable: Sendable) -> AssembledPrompt:
    """The prompt after all that had to give way; nobody is told of anything."""
    assert [event async for event in made.make_fit(sendable)] == []
    return await made.assemble(sendable)
