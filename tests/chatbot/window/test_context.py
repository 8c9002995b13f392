"""What is sent as things are, in which order, and what it takes of the window."""

from dataclasses import replace

import pytest

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, ModelInfo
from chatbot.settings import Mark
from chatbot.window.context import STEPWISE_RESULT_TOKENS, ContextBudget, Sendable
from chatbot.window.shrinking import shrink_result
from tests.fakes.model import ScriptedModel
from tests.fakes.window import SYSTEM, searched, sendable, source, words
from utils.errors import PromptTooLong


def budget(window: int = 1024) -> ContextBudget:
    return ContextBudget(ScriptedModel([], window=window), 100)


async def test_the_parts_stand_in_a_fixed_order_and_are_counted_apart() -> None:
    said = [Message("user", "old"), Message("assistant", "older answer"), *searched("one", [source(1)], "c1")]
    said += [Message("assistant", "At nine [1]."), Message("user", "two")]
    made = Compaction("Short.", 2, 0, 0)
    prompt = await budget().assemble_unshrunk(sendable(*said, compactions=[made], pins={0, 1}))
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


async def test_without_history_only_the_last_turn_is_sent() -> None:
    said = [Message("user", "one"), Message("assistant", "a"), Message("user", "two")]
    made = Sendable(SYSTEM, Conversation(said, compactions=[Compaction("Short.", 2, 0, 0)]), history=False)
    assert (await budget().assemble_unshrunk(made)).messages == (SYSTEM, Message("user", "two"))


async def test_an_exact_count_corrects_the_estimate_at_once() -> None:
    made, asked = budget(2000), sendable(Message("user", words(1500)))
    prompt = await made.assemble_unshrunk(asked)
    await made.learn_excess(asked, prompt, PromptTooLong(2100, 2000))
    assert abs((await made.assemble_unshrunk(asked)).used.total_tokens - 2100) <= 2


async def test_without_a_count_less_is_sent_by_a_guess() -> None:
    made, asked = budget(2000), sendable(Message("user", words(1500)))
    prompt, limit = await made.assemble_unshrunk(asked), await made.prompt_limit()
    await made.learn_excess(asked, prompt, PromptTooLong(0, 0))
    assert await made.prompt_limit() == limit - prompt.used.total_tokens // 10


async def test_the_window_is_the_one_that_the_server_allocated() -> None:
    model = ScriptedModel([], info=ModelInfo("m", "ollama", 8192))
    made = ContextBudget(model, 100)
    assert await made.prompt_limit() == 8092
    model.info = ModelInfo("m", "ollama", 1024)
    assert await made.prompt_limit() == 924


async def test_the_cached_share_is_that_of_the_last_call() -> None:
    made, asked = budget(), sendable(Message("user", "one"))
    prompt = await made.assemble_unshrunk(asked)
    await made.learn_count(asked, prompt, Done(Usage(20, 15, 3)))
    used = (await made.assemble_unshrunk(asked)).used
    assert (used.cached, used.last_prompt, used.total_tokens) == (15, 20, 20)


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
    assert await budget().passes_mark(sendable(*said), mark) == passes


def test_passages_are_taken_from_the_end() -> None:
    result = searched("one", [source(1), source(2), source(3)], "c1")[2]
    assert shrink_result(result, 1) == searched("one", [source(1), source(2)], "c1")[2]
    assert shrink_result(result, 9) == searched("one", [source(1)], "c1")[2]


async def test_of_a_model_in_steps_only_what_it_reads_is_counted() -> None:
    said = searched("one", [source(number, 60) for number in range(1, 9)], "c1")
    info = ModelInfo("m", "embedded", 1024)
    plain, in_steps = (ContextBudget(ScriptedModel([], info=i), 100) for i in (info, replace(info, in_steps=True)))
    whole, read = [(await made.assemble_unshrunk(sendable(*said))).used.parts for made in (plain, in_steps)]
    assert whole["evidence"] > STEPWISE_RESULT_TOKENS == read["evidence"]
    assert whole["tools"] > 0 == read["tools"]


async def test_a_question_has_the_room_that_is_not_sent_in_any_case() -> None:
    said = [Message("user", words(200)), Message("assistant", words(100)), Message("user", "two")]
    made = budget(2000)
    free, beginning = await made.question_room(sendable(*said)), await made.assemble_unshrunk(sendable(*said))
    assert free == beginning.limit - beginning.used.parts["system"] - beginning.used.parts["tools"]
    pinned = await made.question_room(sendable(*said, pins={0}))
    assert pinned == free - beginning.used.parts["history"]
    assert await budget(20).question_room(sendable(*said)) == 0
