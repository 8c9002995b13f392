"""What gives way first when room is short, and what then."""

import itertools

import pytest

from chatbot.conversation.events import Notice
from chatbot.conversation.messages import Message, ToolCall
from chatbot.window.assemble import (
    REDUCTIONS,
    condense_results,
    drop_turns,
    hide_older_pictures,
    remove_passages,
    summarise_turns,
)
from chatbot.window.shrinking import numbered_passage
from tests.fakes.model import ScriptedModel, says
from tests.fakes.window import assembled, assembler, searched, sendable, source, words
from utils.errors import QuestionTooLong


async def test_the_newest_evidence_shrinks_first_and_the_best_passages_stay() -> None:
    old = [*searched("one", [source(1), source(2)], "c1"), Message("assistant", "a")]
    new = searched("two", [source(number, 60) for number in range(3, 20)], "c2")
    prompt = await assembled(assembler(), sendable(*old, *new))
    assert [found.number for found in prompt.messages[3].sources] == [1, 2]
    kept = [found.number for found in prompt.messages[-1].sources]
    assert kept == list(range(3, 3 + len(kept)))
    assert 1 < len(kept) < 17
    assert prompt.messages[-1].content == "\n\n".join(["Found:", *map(numbered_passage, prompt.messages[-1].sources)])


async def test_then_older_results_become_one_line_each_the_oldest_first() -> None:
    turns = [m for n in range(1, 5) for m in [*searched(f"q{n}", [source(n, 150)], f"c{n}"), Message("assistant", "a")]]
    prompt = await assembled(assembler(), sendable(*turns, Message("user", words(200))))
    results = [message.content.split("\n")[0] for message in prompt.messages if message.role == "tool"]
    assert results[:2] == [f"(Result shortened; it gave: [{n}] Page {n})" for n in (1, 2)]
    assert results[-1] == "Found:"
    assert next(message.content for message in prompt.messages if message.role == "user") == "q1"


async def test_at_last_the_oldest_turns_are_left_out_and_that_is_told_once() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", "a"))]
    made, asked = assembler(), sendable(*turns, Message("user", "now"))
    assert not (await made.budget.assemble_unshrunk(asked)).fits
    prompt = await assembled(made, asked)
    assert prompt.messages[1].content.startswith("q4")
    assert made.budget.tell_loss(asked.conversation) == (
        "The window is full: the model no longer sees the first 4 questions of this chat."
    )
    assert made.budget.tell_loss(asked.conversation) == ""


async def test_what_was_left_out_stays_left_out_so_that_prompts_begin_alike() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", "a"))]
    made, asked = assembler(), sendable(*turns, Message("user", "now"))
    first = await assembled(made, asked)
    asked.conversation.messages += [Message("assistant", "a"), Message("user", "and now")]
    second = await assembled(made, asked)
    assert second.messages[: len(first.messages)] == first.messages


async def test_turns_that_were_taken_back_take_their_shrinking_with_them() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", "a"))]
    made, asked = assembler(), sendable(*turns, Message("user", "now"))
    await assembled(made, asked)
    del asked.conversation.messages[2:]
    prompt = await assembled(made, asked)
    assert [message.content.split()[0] for message in prompt.messages] == ["Be", "q0", "a"]


async def test_pinned_turns_stay_when_others_are_left_out() -> None:
    turns = [m for n in range(8) for m in (Message("user", f"q{n} {words(120)}"), Message("assistant", f"a{n}"))]
    prompt = await assembled(assembler(), sendable(*turns, Message("user", "now"), pins={2}))
    assert [message.content.split()[0] for message in prompt.messages[1:3]] == ["q1", "a1"]
    assert prompt.messages[3].content.split()[0] not in ("q1", "q2")


async def test_a_result_without_passages_is_cut_to_what_fits() -> None:
    said = [
        Message("user", "read it"),
        Message("assistant", "", tool_calls=(ToolCall("read", {}, "c1"),)),
        Message("tool", words(5000), tool_name="read", call_id="c1"),
    ]
    prompt = await assembled(assembler(), sendable(*said))
    assert (
        prompt.messages[-1].content.endswith("word\n(The rest did not fit.)")
        or "(The rest" in prompt.messages[-1].content
    )
    assert prompt.used.total_tokens <= 1024 - 100


async def test_a_question_that_cannot_fit_is_refused() -> None:
    with pytest.raises(QuestionTooLong, match="has about 5006 tokens; the window has room for"):
        await assembled(assembler(), sendable(Message("user", words(5000))))


def test_the_reductions_have_one_order() -> None:
    assert list(dict.fromkeys(REDUCTIONS)) == [
        remove_passages,
        condense_results,
        hide_older_pictures,
        summarise_turns,
        drop_turns,
    ]


@pytest.mark.parametrize(
    ("window", "passages", "first", "condensed", "summaries"),
    [
        (1700, 6, "q1", 0, 0),
        (1536, 3, "q1", 0, 0),
        (1300, 1, "q1", 5, 0),
        (1200, 1, "q3", 3, 1),
        (800, 1, "no", 0, 1),
    ],
)
async def test_each_reduction_is_tried_only_where_all_before_it_were_not_enough(
    window: int, passages: int, first: str, condensed: int, summaries: int
) -> None:
    turns = [
        [*searched(f"q{n} {words(100)}", [source(n, 30)], f"c{n}"), Message("assistant", f"a{n} {words(20)}")]
        for n in range(1, 6)
    ]
    last = searched(f"now {words(200)}", [source(number, 60) for number in range(6, 12)], "c6")
    asked = sendable(*itertools.chain(*turns), *last)
    made = assembler(model=ScriptedModel([says("Short.")], window=window), compact=True)
    told = [event async for event in made.make_fit(asked) if isinstance(event, Notice)]
    prompt = await made.assemble(asked)
    assert prompt.fits
    assert len(prompt.messages[-1].sources) == passages
    assert next(message.content for message in prompt.messages if message.content[:1] in ("q", "n"))[:2] == first
    assert sum("Result shortened" in message.content for message in prompt.messages) == condensed
    assert len(told) == len(asked.conversation.compactions) == summaries
