"""Older turns become a summary when the window fills, and nothing of the conversation is lost by it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks.eval_memory import FACTS, conversation_turns
from chatbot.conversation.events import AnswerDelta, Answered, ContextUsed, Notice, Progress, TurnEvent
from chatbot.conversation.messages import Message
from chatbot.history.entries import Pin, Spent
from chatbot.models.base import Done, LanguageModel, Text, Thinking
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.summaries import goes_round, without_repeats
from chatbot.window.system_prompt import Briefing
from rag.documents import Passage
from tests.fakes.model import USAGE, ScriptedModel, says
from tools.base import Toolbox
from utils.errors import ConfigError, ModelUnavailable, ReplyBroken

FILLER = " ".join(["word"] * 150)
CIRCLE = "Odile lives in Ghent. She has a brown dog. "
LABEL = "Summarising older turns"


def agent(*replies: Any, window: int = 1024, hooks: Hooks | None = None, **settings: Any) -> Agent:
    briefing = Briefing(now=lambda: datetime(2026, 11, 22, 9, 0))
    model = ScriptedModel(list(replies), window=window)
    return Agent(model, Toolbox([]), AgentSettings(**settings), briefing, 100, hooks)


def talked(chat: Agent, turns: int, filler: str = FILLER) -> Agent:
    for number in range(1, turns + 1):
        chat.conversation.messages += [
            Message("user", f"Question {number}: {filler}"),
            Message("assistant", f"Answer {number}.", thinking="secret thoughts"),
        ]
    return chat


def sent(chat: Agent, which: int = -1) -> list[str]:
    """What a call sent after the system message, the first words of each message."""
    assert isinstance(chat.model, ScriptedModel)
    return [" ".join(message.content.split()[:4]) for message in chat.model.sent[which][0][1:]]


async def told(events: AsyncGenerator[TurnEvent, None]) -> list[TurnEvent]:
    shown = [event async for event in events if not isinstance(event, ContextUsed)]
    return [replace(event, seconds=0.0) if isinstance(event, Answered) else event for event in shown]


async def test_older_turns_are_summarised_when_use_passes_the_mark() -> None:
    chat = talked(agent(says("The user ", "counts."), says("Yes.")), 5)
    before = list(chat.conversation.messages)
    events = await told(chat.ask("And now?"))
    assert events == [
        Progress(LABEL, 0, 500),
        Progress(LABEL, 1, 500),
        Progress(LABEL, 2, 500),
        Progress(LABEL, 500, 500),
        Notice("Summarised 2 older turns: 870 tokens became 637."),
        AnswerDelta("Yes."),
        Answered("Yes.", usage=USAGE),
    ]
    assert sent(chat) == [
        "The conversation so far,",
        "I know this and",
        "Question 3: word word",
        "Answer 3.",
        "Question 4: word word",
        "Answer 4.",
        "Question 5: word word",
        "Answer 5.",
        "And now?",
    ]
    assert chat.conversation.messages[:10] == before
    (made,) = chat.conversation.compactions
    assert (made.covers, made.tokens_before, made.tokens_after) == (4, 870, 637)
    assert made.summary.startswith("The user counts.\n\nSaid word for word:\n- User: Question 1: word word")


async def test_undoing_it_sends_the_originals_again_exactly() -> None:
    chat = talked(agent(says("Short."), says("a"), says("b"), window=2048), 5)
    whole = [*chat.conversation.messages]
    assert isinstance((await told(chat.compact_now()))[-1], Notice)
    await told(chat.ask("One?"))
    chat.conversation.compactions.pop()
    await told(chat.ask("Two?"))
    assert isinstance(chat.model, ScriptedModel)
    assert list(chat.model.sent[-1][0][1:11]) == whole


async def test_the_next_summary_is_made_of_the_last_one_and_what_came_since() -> None:
    chat = talked(agent(says("First."), says("Second."), window=4096), 5)
    await told(chat.compact_now())
    talked(chat, 3)
    await told(chat.compact_now())
    assert isinstance(chat.model, ScriptedModel)
    material = chat.model.sent[-1][0][-1].content
    assert "First." in material
    assert "Question 2: word word" in material
    assert [made.covers for made in chat.conversation.compactions] == [4, 10]


async def test_thinking_is_never_summarised() -> None:
    chat = talked(agent(says("Short."), window=4096), 5)
    await told(chat.compact_now())
    assert isinstance(chat.model, ScriptedModel)
    assert "secret" not in str(chat.model.sent) + chat.conversation.compactions[0].summary


async def test_pinned_turns_survive_word_for_word() -> None:
    chat = talked(agent(says("Short."), says("Yes."), window=4096), 6)
    await chat.pin_messages([2, 3], on=True)
    await told(chat.compact_now())
    await told(chat.ask("And now?"))
    assert sent(chat)[:5] == [
        "The conversation so far,",
        "I know this and",
        "Question 2: word word",
        "Answer 2.",
        "Question 4: word word",
    ]
    assert "Question 2" not in chat.conversation.compactions[0].summary


async def test_sources_keep_their_numbers_and_are_named_in_the_summary() -> None:
    chat = talked(agent(says("Short."), window=4096), 5)
    source = chat.conversation.sources.add_passage(Passage("At nine.", "https://ferry.example/", "Ferry", "web"))
    chat.conversation.messages[1] = Message("assistant", "It leaves at nine [1].")
    await told(chat.compact_now())
    assert chat.conversation.sources.get(1) is source
    assert chat.conversation.compactions[0].summary.endswith("Sources cited: [1] Ferry (https://ferry.example/)")


async def test_a_model_that_fails_leaves_the_oldest_turns_out_with_a_note() -> None:
    chat = talked(agent([ModelUnavailable("The server is gone.")], says("Yes.")), 5)
    events = await told(chat.ask("And now?"))
    assert events == [
        Progress(LABEL, 0, 500),
        Progress(LABEL, 1, 1),
        Notice(
            "The older turns could not be summarised and are left out: The server is gone.",
            "warning",
        ),
        Notice("The window is full: the model no longer sees the first 2 questions of this chat.", "warning"),
        AnswerDelta("Yes."),
        Answered("Yes.", usage=USAGE),
    ]
    assert sent(chat)[0] == "Question 3: word word"
    assert chat.conversation.compactions == []


@pytest.mark.parametrize("reply", [says("  "), [Thinking("hm"), Done(USAGE)], [Text("Half"), ReplyBroken("Cut.")]])
async def test_by_hand_a_failure_changes_nothing(reply: Any) -> None:
    chat = talked(agent(reply, says("Yes."), window=4096), 5)
    with pytest.raises(ReplyBroken):
        await told(chat.compact_now())
    await told(chat.ask("And now?"))
    assert chat.conversation.compactions == []
    assert len(sent(chat)) == 11


async def test_stopping_it_leaves_everything_as_it_was() -> None:
    chat = talked(agent([Text("The user "), None]), 5)
    before = list(chat.conversation.messages)
    started = asyncio.Event()

    async def run() -> None:
        async with aclosing(chat.ask("And now?")) as events:
            async for _ in events:
                started.set()

    task = asyncio.create_task(run())
    await started.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert chat.conversation.messages == [
        *before,
        Message("user", "And now?", note="(Today is Sunday, 22 November 2026.)"),
    ]
    assert chat.conversation.compactions == []


async def test_switched_off_the_oldest_turns_are_left_out_when_the_window_is_full() -> None:
    chat = talked(agent(says("Yes."), compact=False), 5)
    events = await told(chat.ask(f"And now? {FILLER}"))
    assert [type(event) for event in events] == [Notice, AnswerDelta, Answered]
    assert events[0] == Notice(
        "The window is full: the model no longer sees the first 3 questions of this chat.", "warning"
    )


@pytest.mark.parametrize(
    ("mark", "summarised"),
    [("12 messages", False), ("10 messages", True), ("30%", True), ("90%", False), ("300 tokens", True)],
)
async def test_the_mark_may_be_a_share_or_a_number(mark: str, summarised: bool) -> None:
    chat = talked(agent(says("Short."), says("Yes."), window=2048, compact_at=mark), 5)
    await told(chat.ask("And now?"))
    assert bool(chat.conversation.compactions) == summarised


async def test_the_last_three_turns_always_stay() -> None:
    chat = talked(agent(window=4096), 3)
    assert await told(chat.compact_now()) == [
        Notice("There is nothing to summarise yet: the last 3 turns always stay as they are.")
    ]


async def test_a_summary_that_saves_nothing_is_not_used() -> None:
    chat = talked(agent(says(FILLER), window=4096), 5, filler="")
    events = await told(chat.compact_now())
    assert events[-1] == Notice("The summary would be no shorter than the turns, so they stay as they are.")
    assert chat.conversation.compactions == []


async def test_what_saved_nothing_is_not_tried_again_at_every_question() -> None:
    chat = talked(agent(says(FILLER), *[says("Yes.")] * 3, window=4096, compact_at="4 messages"), 4, filler="")
    asked = [await told(chat.ask("And now?")) for _ in range(3)]
    assert [any(isinstance(event, Progress) for event in events) for events in asked] == [True, False, False]


async def test_with_nothing_to_summarise_nothing_is_said_of_it() -> None:
    chat = talked(agent(says("Yes."), compact_at="2 messages"), 3, filler="")
    assert [type(event) for event in await told(chat.ask("And now?"))] == [AnswerDelta, Answered]


async def test_it_has_settings_and_a_model_of_its_own(tmp_path: Path) -> None:
    own = ScriptedModel([says("Short.")], window=4096)
    asked: list[str] = []

    async def summariser(name: str) -> LanguageModel:
        asked.append(name)
        return own

    words = tmp_path / "words.md"
    words.write_text("Fasse zusammen.", encoding="utf-8")
    settings = {"compact_model": "small", "compact_prompt_file": words, "compact_max_tokens": 64}
    chat = talked(agent(window=4096, hooks=Hooks(summariser=summariser), **settings), 5)
    await told(chat.compact_now())
    assert (asked, own.manners) == (["small"], [(64, 0.3)])
    assert own.sent[0][0][0] == Message("system", "Fasse zusammen.")


async def test_a_prompt_file_that_is_gone_is_a_wrong_setting(tmp_path: Path) -> None:
    chat = talked(agent(window=4096, compact_prompt_file=tmp_path / "none.md"), 5)
    with pytest.raises(ConfigError, match=r"none\.md cannot be read"):
        await told(chat.compact_now())


async def test_what_the_model_reads_fits_its_window() -> None:
    chat = talked(agent(says("Short."), window=1024, compact_max_tokens=200), 60)
    await told(chat.compact_now())
    assert isinstance(chat.model, ScriptedModel)
    assert sum(len(message.content.split()) for message in chat.model.sent[0][0]) < 1024 - 200


async def test_what_is_made_and_pinned_is_told_to_the_recorder() -> None:
    class Recorder:
        def __init__(self) -> None:
            self.written: list[Any] = []

        async def add(self, *messages: Message) -> None:
            return None

        async def draft(self, text: str, thinking: str) -> None:
            return None

        async def answered(self, answered: Answered) -> None:
            return None

        async def write(self, *values: Any) -> None:
            self.written += values

    recorder = Recorder()
    chat = talked(agent(says("Short."), window=4096, hooks=Hooks(recorder=recorder)), 5)
    await chat.pin_messages([0, 1], on=True)
    await chat.pin_messages([1], on=True)
    await chat.pin_messages([0, 5], on=False)
    await told(chat.compact_now())
    made = chat.conversation.compactions[0]
    assert recorder.written == [Pin(0), Pin(1), Pin(0, False), Spent(USAGE, "scripted"), made]


@pytest.mark.parametrize("window", [2048, 4096, 8192])
async def test_twenty_facts_told_in_a_long_chat_survive_word_for_word_whatever_the_model_writes(window: int) -> None:
    chat = agent(says("They talked about this and that."), window=window)
    for asked, answered in (turn for turns in conversation_turns() for turn in turns):
        chat.conversation.messages += [Message("user", asked), Message("assistant", answered)]
    await told(chat.compact_now())
    summary = chat.conversation.compactions[0].summary
    assert [said for said, _, _ in FACTS if said not in summary] == []
    assert len(FACTS) == 20


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_with_a_real_model_what_was_said_survives_and_tokens_are_counted_right(
    small_model: EmbeddedModel,
) -> None:
    said = ["The code of the garden gate is 4471.", "hi", "hi again", "thanks", "well"]
    chat = Agent(small_model, Toolbox([]), AgentSettings(compact_max_tokens=32), Briefing(), 16)
    for text in said:
        answer = "Noted. There is more to say about that, but it would take too long here and now. " * 8
        chat.conversation.messages += [Message("user", text), Message("assistant", answer)]
    await told(chat.compact_now())
    assert said[0] in chat.conversation.compactions[0].summary
    seen = [event async for event in chat.ask("What is the code?") if isinstance(event, ContextUsed)]
    guessed, counted = seen[0].total_tokens, seen[-1].total_tokens
    assert abs(guessed - counted) < 0.05 * counted


async def test_a_model_that_goes_round_in_circles_is_stopped_and_says_each_thing_once() -> None:
    circle = ["The user counts words. ", "There are many of them. "]
    chat = talked(agent(says(*(circle * 40)), says("Yes.")), 5)
    events = await told(chat.ask("And now?"))
    assert chat.conversation.compactions[-1].summary.startswith(
        "The user counts words. There are many of them.\n\nSaid"
    )
    assert max(event.done for event in events if isinstance(event, Progress) and event.done < 500) == 6


def test_the_third_time_is_a_circle() -> None:
    assert [goes_round(CIRCLE * times + "Odile") for times in (0, 1, 2, 3)] == [False, False, False, True]


def test_a_sentence_that_is_still_being_written_is_not_counted() -> None:
    assert not goes_round("Odile lives in Ghent. Odile lives in Ghent. Odile lives in Ghent.")


def test_each_sentence_stays_once_and_lines_stay_lines() -> None:
    assert without_repeats(f"{CIRCLE}{CIRCLE}\n\n- The gate has a code.\n- {CIRCLE}") == (
        "Odile lives in Ghent. She has a brown dog.\n\n- The gate has a code.\n- Odile lives in Ghent."
    )
