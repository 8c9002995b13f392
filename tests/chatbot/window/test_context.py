"""What is sent, in which order, and what gives way first when room is short."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, ModelInfo
from chatbot.settings import Mark
from chatbot.window.context import READ, ContextBudget, Sendable
from chatbot.window.shrinking import less, numbered
from rag.documents import Passage
from tests.fakes.model import ScriptedModel
from tools.base import ToolSchema
from utils.errors import PromptTooLong, QuestionTooLong

SYSTEM = Message("system", "Be brief.")
TOOL = ToolSchema("search", "Search.", {"type": "object", "properties": {}})


def words(count: int) -> str:
    return " ".join(["word"] * count)


def source(number: int, size: int = 40) -> Source:
    return Source(number, Passage(f"{words(size)} {number}", f"https://x.test/{number}", f"Page {number}", "web"))


def searched(question: str, sources: Sequence[Source], call: str) -> list[Message]:
    """A question that was searched for, with what was found."""
    text = "\n\n".join(["Found:", *map(numbered, sources)])
    return [
        Message("user", question),
        Message("assistant", "", tool_calls=(ToolCall("search", {}, call),)),
        Message("tool", text, tool_name="search", call_id=call, sources=tuple(sources)),
    ]


def budget(window: int = 1024) -> ContextBudget:
    return ContextBudget(ScriptedModel([], window=window), 100)


def sendable(*messages: Message, **more: Any) -> Sendable:
    return Sendable(SYSTEM, Conversation(list(messages), **more), (TOOL,))


async def test_the_parts_stand_in_a_fixed_order_and_are_counted_apart() -> None:
    said = [Message("user", "old"), Message("assistant", "older answer"), *searched("one", [source(1)], "c1")]
    said += [Message("assistant", "At nine [1]."), Message("user", "two")]
    made = Compaction("Short.", 2, 0, 0)
    prompt = await budget().assemble(sendable(*said, compactions=[made], pins={0, 1}))
    assert [message.content.split("\n")[0] for message in prompt.messages] == [
        "Be brief.",
        "The conversation so far, in short; it goes on below.",
        "I know this and go on from there.",
        "old",
        "older answer",
        "one",
        "",
        "Found:",
        "At nine [1].",
        "two",
    ]
    assert {part for part, tokens in prompt.used.parts.items() if tokens} == set(prompt.used.parts)
    assert (prompt.used.window, prompt.used.reserve) == (1024, 100)


async def test_the_newest_evidence_shrinks_first_and_the_best_passages_stay() -> None:
    old = [*searched("one", [source(1), source(2)], "c1"), Message("assistant", "a")]
    new = searched("two", [source(number, 60) for number in range(3, 20)], "c2")
    prompt = await budget().assemble(sendable(*old, *new))
    assert [found.number for found in prompt.messages[3].sources] == [1, 2]
    kept = [found.number for found in prompt.messages[-1].sources]
    assert kept == list(range(3, 3 + len(kept)))
    assert 1 < len(kept) < 17
    assert prompt.messages[-1].content == "\n\n".join(["Found:", *map(numbered, prompt.messages[-1].sources)])


async def test_then_older_results_become_one_line_each_the_oldest_first() -> None:
    turns = [m for n in range(1, 5) for m in [*searched(f"q{n}", [source(n, 150)], f"c{n}"), Message("assistant", "a")]]
    prompt = await budget().assemble(sendable(*turns, Message("user", words(200))))
    results = [message.content.split("\n")[0] for message in prompt.messages if message.role == "tool"]
    assert results[:2] == [f"(Result shortened; it gave: [{n}] Page {n})" for n in (1, 2)]
    assert results[-1] == "Found:"
    assert next(message.content for message in prompt.messages if message.role == "user") == "q1"


async def test_at_last_the_oldest_turns_are_left_out_and_that_is_told_once() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", "a"))]
    made, asked = budget(), sendable(*turns, Message("user", "now"))
    assert not await made.fits(asked)
    prompt = await made.assemble(asked)
    assert prompt.messages[1].content.startswith("q4")
    assert made.loss(asked.conversation) == (
        "The window is full: the model no longer sees the first 4 questions of this chat."
    )
    assert made.loss(asked.conversation) == ""


async def test_what_was_left_out_stays_left_out_so_that_prompts_begin_alike() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", "a"))]
    made, asked = budget(), sendable(*turns, Message("user", "now"))
    first = await made.assemble(asked)
    asked.conversation.messages += [Message("assistant", "a"), Message("user", "and now")]
    second = await made.assemble(asked)
    assert second.messages[: len(first.messages)] == first.messages


async def test_turns_that_were_taken_back_take_their_shrinking_with_them() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", "a"))]
    made, asked = budget(), sendable(*turns, Message("user", "now"))
    await made.assemble(asked)
    del asked.conversation.messages[2:]
    prompt = await made.assemble(asked)
    assert [message.content.split()[0] for message in prompt.messages] == ["Be", "q0", "a"]


async def test_pinned_turns_stay_when_others_are_left_out() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", f"a{n}"))]
    prompt = await budget().assemble(sendable(*turns, Message("user", "now"), pins={2}))
    assert [message.content.split()[0] for message in prompt.messages[1:3]] == ["q1", "a1"]
    assert prompt.messages[3].content.split()[0] not in ("q1", "q2")


async def test_a_result_without_passages_is_cut_to_what_fits() -> None:
    said = [
        Message("user", "read it"),
        Message("assistant", "", tool_calls=(ToolCall("read", {}, "c1"),)),
        Message("tool", words(5000), tool_name="read", call_id="c1"),
    ]
    prompt = await budget().assemble(sendable(*said))
    assert (
        prompt.messages[-1].content.endswith("word\n(The rest did not fit.)")
        or "(The rest" in prompt.messages[-1].content
    )
    assert prompt.used.used <= 1024 - 100


async def test_a_question_that_cannot_fit_is_refused() -> None:
    with pytest.raises(QuestionTooLong, match="has about 5006 tokens; the window has room for"):
        await budget().assemble(sendable(Message("user", words(5000))))


async def test_without_history_only_the_last_turn_is_sent() -> None:
    said = [Message("user", "one"), Message("assistant", "a"), Message("user", "two")]
    made = Sendable(SYSTEM, Conversation(said, compactions=[Compaction("Short.", 2, 0, 0)]), history=False)
    assert (await budget().assemble(made)).messages == (SYSTEM, Message("user", "two"))


async def test_an_exact_count_corrects_the_estimate_at_once() -> None:
    made, asked = budget(2000), sendable(Message("user", words(1500)))
    prompt = await made.assemble(asked)
    await made.learn_excess(asked, prompt, PromptTooLong(2100, 2000))
    assert abs((await made.used(asked)).used.used - 2100) <= 2


async def test_without_a_count_less_is_sent_by_a_guess() -> None:
    made, asked = budget(2000), sendable(Message("user", words(1500)))
    prompt, limit = await made.assemble(asked), await made.limit()
    await made.learn_excess(asked, prompt, PromptTooLong(0, 0))
    assert await made.limit() == limit - prompt.used.used // 10


async def test_the_window_is_the_one_that_the_server_allocated() -> None:
    model = ScriptedModel([], info=ModelInfo("m", "ollama", 8192))
    made = ContextBudget(model, 100)
    assert await made.limit() == 8092
    model.info = ModelInfo("m", "ollama", 1024)
    assert await made.limit() == 924


async def test_the_cached_share_is_that_of_the_last_call() -> None:
    made, asked = budget(), sendable(Message("user", "one"))
    prompt = await made.assemble(asked)
    await made.learn(asked, prompt, Done(Usage(20, 15, 3)))
    used = (await made.used(asked)).used
    assert (used.cached, used.last_prompt, used.used) == (15, 20, 20)


@pytest.mark.parametrize(
    ("mark", "passes"),
    [
        (Mark(0.8, "share"), False),
        (Mark(0.2, "share"), True),
        (Mark(200, "tokens"), True),
        (Mark(800, "tokens"), False),
        (Mark(2, "messages"), True),
        (Mark(3, "messages"), False),
    ],
)
async def test_the_mark_is_passed_by_tokens_or_by_messages(mark: Mark, passes: bool) -> None:
    said = [Message("user", words(300)), Message("assistant", "a"), Message("user", "two")]
    assert await budget().passes(sendable(*said), mark) == passes


def test_passages_are_taken_from_the_end() -> None:
    result = searched("one", [source(1), source(2), source(3)], "c1")[2]
    assert less(result, 1) == searched("one", [source(1), source(2)], "c1")[2]
    assert less(result, 9) == searched("one", [source(1)], "c1")[2]


async def test_of_a_model_in_steps_only_what_it_reads_is_counted() -> None:
    said = searched("one", [source(number, 60) for number in range(1, 9)], "c1")
    info = ModelInfo("m", "embedded", 1024)
    plain, in_steps = (ContextBudget(ScriptedModel([], info=i), 100) for i in (info, replace(info, in_steps=True)))
    whole, read = [(await made.used(sendable(*said))).used.parts for made in (plain, in_steps)]
    assert whole["evidence"] > READ == read["evidence"]
    assert whole["tools"] > 0 == read["tools"]
