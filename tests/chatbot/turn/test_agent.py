import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    ContextUsed,
    Notice,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEvent,
)
from chatbot.conversation.messages import Attachment, Message, Source, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, Text, Thinking
from chatbot.prompts.loader import read_prompt
from chatbot.settings import AgentSettings
from chatbot.trust.consent import Consent
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.system_prompt import Briefing
from rag.documents import Passage
from tests.fakes.mcp_offered import Offered, StandIn, listed
from tests.fakes.model import USAGE, ScriptedModel, calls, says
from tools.base import Toolbox, ToolContext, ToolResult, tool
from utils.errors import LibraryError, PromptTooLong, QuestionTooLong, ReplyBroken, ToolError
from utils.fence import fence_text

FERRY = Passage("The ferry leaves at nine.", "https://ferry.example/", "Ferry", "web", similarity=0.8)


async def search_vector_db(context: ToolContext, query: str) -> ToolResult:
    """Look in the library.

    Args:
        query: What to look for.
    """
    if query == "nothing":
        raise ToolError("Nothing found. Try other words.")
    context.report("looking")
    if query == "slow":
        await asyncio.sleep(30)
    return ToolResult(f"1 passage for {query}", (replace(FERRY, text=f"{FERRY.text} {query}"),))


def agent(
    *replies: Any, window: int = 4096, max_tokens: int = 100, hooks: Hooks | None = None, **settings: Any
) -> Agent:
    model = ScriptedModel(list(replies), window=window)
    briefing = Briefing(now=lambda: datetime(2026, 11, 22, 9, 0))
    return Agent(model, Toolbox([tool(search_vector_db)]), AgentSettings(**settings), briefing, max_tokens, hooks)


def sent(agent: Agent) -> list[tuple[tuple[Message, ...], tuple[str, ...]]]:
    assert isinstance(agent.model, ScriptedModel)
    return agent.model.sent


async def told(events: AsyncIterator[TurnEvent]) -> list[TurnEvent]:
    """The events, times set to 0 and the fullness of the window left out."""
    return [
        replace(event, seconds=0.0) if isinstance(event, ToolFinished | Answered) else event
        async for event in events
        if not isinstance(event, ContextUsed)
    ]


async def test_an_answer_streams_and_is_kept_with_its_question() -> None:
    chat = agent([Thinking("hm"), Text("Hel"), Text("lo."), Done(USAGE)])
    assert await told(chat.ask("hi")) == [
        ThinkingDelta("hm"),
        AnswerDelta("Hel"),
        AnswerDelta("lo."),
        Answered("Hello.", usage=USAGE),
    ]
    assert chat.conversation.messages == [
        Message("user", "hi", note="(Today is Sunday, 22 November 2026.)"),
        Message("assistant", "Hello.", thinking="hm"),
    ]


async def test_a_tool_is_called_and_its_passage_cited_by_number() -> None:
    chat = agent(calls(("search_vector_db", {"query": "ferry"})), says("At nine [1], not [4]."))
    call = ToolCall("search_vector_db", {"query": "ferry"}, "call_1")
    source = Source(1, replace(FERRY, text="The ferry leaves at nine. ferry"))
    text = "1 passage for ferry\n\n[1] Ferry (https://ferry.example/)\nThe ferry leaves at nine. ferry"
    assert await told(chat.ask("When does it leave?")) == [
        ToolStarted(call),
        ToolProgress(call, "looking"),
        ToolFinished(call, True, text, 0.0, (source,)),
        AnswerDelta("At nine [1], not ~~[4]~~."),
        Answered("At nine [1], not ~~[4]~~.", (source,), (), (4,), USAGE + USAGE),
    ]
    assert chat.conversation.messages[1:3] == [
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", text, tool_name="search_vector_db", call_id="call_1", sources=(source,)),
    ]


async def test_what_an_answer_cited_is_told() -> None:
    told_of: list[str] = []

    async def cite(passages: Sequence[Passage]) -> None:
        told_of.extend(passage.text for passage in passages)

    chat = agent(calls(("search_vector_db", {"query": "ferry"})), says("At nine [1]."), hooks=Hooks(cite=cite))
    await told(chat.ask("When does it leave?"))
    assert told_of == ["The ferry leaves at nine. ferry"]


async def test_calls_of_one_round_run_at_once_and_return_in_order() -> None:
    barrier = asyncio.Barrier(2)

    async def meet(who: str) -> str:
        """Wait for the other.

        Args:
            who: A name.
        """
        await barrier.wait()
        await asyncio.sleep(0.02 if who == "first" else 0)
        return f"{who} was there"

    chat = agent(calls(("meet", {"who": "first"}), ("meet", {"who": "second"})), says("Both."))
    chat.toolbox = Toolbox([tool(meet)])
    finished = [event.text for event in await told(chat.ask("?")) if isinstance(event, ToolFinished)]
    assert finished == ["first was there", "second was there"]


async def test_a_failed_call_is_told_to_the_model() -> None:
    chat = agent(calls(("search_vector_db", {"query": "nothing"}), ("serch", {})), says("Sorry."))
    await told(chat.ask("?"))
    assert [m.content for m in chat.conversation.messages if m.role == "tool"] == [
        "Nothing found. Try other words.",
        "There is no tool 'serch'. The tools are: search_vector_db.",
    ]


async def test_the_same_call_is_refused_the_third_time() -> None:
    again = calls(("search_vector_db", {"query": "x"}))
    chat = agent(again, again, again, says("Done."))
    finished = [event.ok for event in await told(chat.ask("?")) if isinstance(event, ToolFinished)]
    assert finished == [True, True, False]


async def test_after_the_last_round_the_model_answers_without_tools() -> None:
    replies = [calls(("search_vector_db", {"query": str(n)})) for n in range(2)]
    chat = agent(*replies, says("From what I have."), max_tool_rounds=2)
    await told(chat.ask("?"))
    assert [offered for _, offered in sent(chat)] == [("search_vector_db",), ("search_vector_db",), ()]


async def test_text_before_a_call_is_withdrawn_and_kept_with_the_call() -> None:
    chat = agent(calls(("search_vector_db", {"query": "x"}), text="Let me look."), says("So."))
    events = await told(chat.ask("?"))
    assert events[:2] == [AnswerDelta("Let me look."), AnswerWithdrawn()]
    assert chat.conversation.messages[1].content == "Let me look."


async def test_a_cancelled_reply_stays_as_it_was() -> None:
    chat = agent([Thinking("so"), Text("The fer"), None], says("Yes."))
    task = asyncio.create_task(told(chat.ask("When?")))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert chat.conversation.messages[-1] == Message("assistant", "The fer", thinking="so", interrupted=True)
    await told(chat.ask("again"))
    assert [m.role for m in chat.conversation.messages] == ["user", "assistant", "user", "assistant"]


async def test_a_cancelled_call_gets_a_result_and_finished_ones_stay() -> None:
    chat = agent(calls(("search_vector_db", {"query": "ferry"}), ("search_vector_db", {"query": "slow"})))
    task = asyncio.create_task(told(chat.ask("When?")))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    kept = [(m.role, m.call_id, m.interrupted) for m in chat.conversation.messages[1:]]
    assert kept == [
        ("assistant", "", False),
        ("tool", "call_1", False),
        ("tool", "call_2", True),
        ("assistant", "", True),
    ]


async def test_a_broken_reply_keeps_question_and_what_had_arrived() -> None:
    chat = agent([Text("Half an ans"), ReplyBroken("The server went away.")])
    with pytest.raises(ReplyBroken):
        await told(chat.ask("?"))
    assert [(m.content, m.interrupted) for m in chat.conversation.messages] == [("?", False), ("Half an ans", True)]


async def test_a_prompt_that_the_server_counts_as_too_long_is_shrunk_and_sent_again() -> None:
    filler = " ".join(["word"] * 250)
    chat = agent(says("a"), says("b"), [PromptTooLong(950, 1024)], says("c"), window=1024)
    for question in (f"one {filler}", f"two {filler}", "three"):
        events = await told(chat.ask(question))
    assert events == [
        Notice("The window is full: the model no longer sees the first question of this chat.", "warning"),
        AnswerDelta("c"),
        Answered("c", usage=USAGE),
    ]
    assert [m.content[:3] for m in sent(chat)[-1][0][1:]] == ["two", "b", "thr"]


async def test_a_question_larger_than_the_window_is_refused_before_it_is_sent() -> None:
    chat = agent(window=1024)
    with pytest.raises(QuestionTooLong, match="has about 5011 tokens; the window has room for"):
        await told(chat.ask(" ".join(["word"] * 4999)))
    assert sent(chat) == []


async def test_older_results_become_one_line_before_a_turn_is_left_out() -> None:
    filler = " ".join(["word"] * 500)
    chat = agent(calls(("search_vector_db", {"query": filler})), says("a"), says("b"), window=3100)
    await told(chat.ask("one"))
    await told(chat.ask(f"two {' '.join(['word'] * 1350)}"))
    results = [[m.content[:40] for m in messages if m.role == "tool"] for messages, _ in sent(chat)]
    assert results == [[], ["1 passage for word word word word word w"], ["(Result shortened; it gave: [1] Ferry)"]]
    assert [m.role for m in sent(chat)[-1][0]] == ["system", "user", "assistant", "tool", "assistant", "user"]


async def test_a_warm_up_reads_what_every_question_begins_with() -> None:
    asked = agent([says("Hello.")])
    await asked.warm_up()
    await told(asked.ask("Good morning"))
    assert isinstance(asked.model, ScriptedModel)
    ((beginning, tools),), ((messages, offered),) = asked.model.warmed_up, sent(asked)
    assert (beginning, tools) == (messages[:1], offered)
    assert tools


async def test_the_prompt_begins_as_the_one_before() -> None:
    chat = agent(calls(("search_vector_db", {"query": "ferry"})), says("At nine [1]."), says("Ten."))
    await told(chat.ask("When?"))
    await told(chat.ask("And back?"))
    prompts = [messages for messages, _ in sent(chat)]
    assert prompts[1][: len(prompts[0])] == prompts[0]
    assert prompts[2][: len(prompts[1])] == prompts[1]


async def test_without_history_each_question_stands_alone() -> None:
    chat = agent(says("a"), says("b"), use_history=False)
    await told(chat.ask("one"))
    await told(chat.ask("two"))
    assert [m.content for m in sent(chat)[-1][0][1:]] == ["two"]


async def test_the_library_alone_is_asked_when_told_to() -> None:
    chat = agent(says("At nine [1]."))
    events = await told(chat.ask("ferry", library_only=True))
    assert [type(event) for event in events] == [ToolStarted, ToolProgress, ToolFinished, AnswerDelta, Answered]
    assert [offered for _, offered in sent(chat)] == [()]


async def test_a_follow_up_to_the_library_is_searched_as_it_stands_alone() -> None:
    async def stand_alone(question: str, earlier: str) -> str:
        return f"{question} after {earlier}"

    chat = agent(says("At nine [1]."), says("At ten [2]."), hooks=Hooks(stand_alone=stand_alone))
    await told(chat.ask("one", library_only=True))
    await told(chat.ask("two", library_only=True))
    calls = [call.arguments for message in chat.conversation.messages for call in message.tool_calls]
    assert calls == [{"query": "one"}, {"query": "two after one"}]


async def test_an_attached_file_goes_with_the_question_below_its_number() -> None:
    chat = agent(says("a"))
    await told(chat.ask("What is in it?", attachments=[Attachment("notes.txt", "Milk")]))
    text = f"{read_prompt('attached_numbers')}\n\n[1]\n{fence_text('Milk', 'the file notes.txt')}"
    told_first = f"What is in it?\n\n{read_prompt('attached')}\n\n{text}"
    assert sent(chat)[0][0][1].prompt_text == f"{told_first}\n\n(Today is Sunday, 22 November 2026.)"


async def test_what_is_attached_is_cited_with_its_name_or_its_address() -> None:
    chat = agent(says("At nine [1], and milk is there [2]. Both say so [3]."), says("At nine [1]."))
    page = Attachment("Ferries (https://h.example/times)", "At nine.", "page", address="https://h.example/times")
    answered = (await told(chat.ask("When?", attachments=[page, Attachment("notes.txt", "Milk")])))[-1]
    assert isinstance(answered, Answered)
    assert answered.cited == (
        Source(1, Passage("At nine.", "https://h.example/times", "Ferries", "web")),
        Source(2, Passage("Milk", "notes.txt", "notes.txt", "file")),
    )
    assert (answered.unknown, answered.unused) == ((3,), ())
    # It keeps its number for the rest of the conversation, and is the same source when it is attached again.
    again = (await told(chat.ask("When again?", attachments=[page])))[-1]
    assert isinstance(again, Answered)
    assert again.cited == answered.cited[:1]


async def test_an_attached_text_that_is_not_cited_is_not_told_of_as_read() -> None:
    chat = agent(says("a"))
    answered = (await told(chat.ask("?", attachments=[Attachment("notes.txt", "Milk")])))[-1]
    assert answered == Answered("a", usage=USAGE)


async def test_standard_input_is_a_part_of_the_question_and_no_source() -> None:
    chat = agent(says("a"))
    await told(chat.ask("?", attachments=[Attachment("standard input", "Milk", is_source=False)]))
    text = fence_text("Milk", "the file standard input")
    assert sent(chat)[0][0][1].prompt_text.startswith(f"?\n\n{read_prompt('attached')}\n\n{text}")


async def test_a_question_that_is_asked_again_has_its_sources_again() -> None:
    chat = agent(says("Milk [1]."), says("Only milk [1]."))
    await told(chat.ask("What?", attachments=[Attachment("notes.txt", "Milk")]))
    question = chat.conversation.messages[0]
    chat.clear()
    answered = (await told(chat.ask_again(question)))[-1]
    assert isinstance(answered, Answered)
    assert [source.number for source in answered.cited] == [1]


async def test_an_empty_reply_is_said() -> None:
    chat = agent([Thinking("hm"), Done(Usage(), "length")])
    assert await told(chat.ask("?")) == [
        ThinkingDelta("hm"),
        Notice("The model stopped without an answer before it began to answer: max_tokens was used up.", "warning"),
        Answered("", truncated=True),
    ]


async def test_the_window_is_shown_as_the_server_counted_it() -> None:
    chat = agent(says("a"))
    shown = [event async for event in chat.ask("one two three") if isinstance(event, ContextUsed)]
    assert [event.total_tokens for event in shown][1:] == [USAGE.prompt_tokens]
    assert shown[1].window == 4096


async def test_tools_are_chosen_by_the_first_question_and_what_was_called() -> None:
    asked: list[tuple[str, set[str]]] = []

    async def choose(question: str, called: Collection[str]) -> None:
        asked.append((question, set(called)))

    one = agent(calls(("search_vector_db", {"query": "ferry"})), says("At nine [1]."), says("Yes."), says("Hello."))
    one.toolbox.chooser = choose
    await told(one.ask("When does the ferry leave?"))
    await told(one.ask("On Sundays too?"))
    one.clear()
    await told(one.ask("Hello?"))
    first = "When does the ferry leave?"
    assert asked == [(first, set()), (first, {"search_vector_db"}), ("Hello?", set())]


async def test_a_tool_that_the_model_finds_is_there_in_its_next_round() -> None:
    travel = StandIn("travel", listed("train", "Find a train"), listed("ferry", "Ferry"), listed("bus", "Bus"))
    offered = Offered([travel], tools=2)
    offered.ready("travel")
    replies = [calls(("find_tools", {"query": "a ferry"})), calls(("travel_ferry", {})), says("At nine.")]
    one = agent(*replies, hooks=Hooks(consent=Consent(lambda: "allow")))
    one.toolbox = offered.toolbox
    events = await told(one.ask("Is there a train to the harbour?"))
    names = [("travel_train", "find_tools"), *[("travel_train", "find_tools", "travel_ferry")] * 2]
    assert [tools for _, tools in sent(one)] == names
    finished = [(event.call.label, event.text) for event in events if isinstance(event, ToolFinished)]
    found = "You can call these from now on:\n- travel_ferry: (travel.ferry) Ferry"
    found += "\nFor these there is no room in this conversation:\n- (travel.bus) Bus"
    assert finished == [("find_tools", found), ("travel.ferry", "travel did ferry")]


class WordChecker:
    """Supports a sentence if the passages have each of its words."""

    threshold = 0.5

    async def support_probability(self, sentence: str, passages: Sequence[Passage], question: str = "") -> float:
        said = " ".join(passage.text for passage in passages).lower()
        return float(all(word.strip(".,").lower() in said for word in sentence.split()))


class GoneChecker(WordChecker):
    """A checker that cannot be loaded."""

    async def support_probability(self, sentence: str, passages: Sequence[Passage], question: str = "") -> float:
        raise LibraryError("The checker is gone.", "Name another.")


async def answered(*deltas: str, hooks: Hooks) -> list[TurnEvent]:
    """What is told of an answer after a search that brought one passage."""
    chat = agent(calls(("search_vector_db", {"query": "ferry"})), says(*deltas), hooks=hooks)
    return [event for event in await told(chat.ask("When?")) if isinstance(event, AnswerDelta | Answered | Notice)]


CHECKED = Hooks(checker=WordChecker())


async def test_a_wrong_number_is_struck_and_counted_and_a_right_one_stays() -> None:
    *_, end = await answered("The ferry leaves at nine [1]. It sleeps at ten [1].", hooks=CHECKED)
    assert isinstance(end, Answered)
    assert end.text == "The ferry leaves at nine [1]. It sleeps at ten ~~[1]~~."
    assert ([source.number for source in end.cited], end.unknown, end.unsupported) == ([1], (), (1,))


async def test_a_number_that_is_only_wrong_is_not_cited() -> None:
    *_, end = await answered("The ferry sleeps at ten [1].", hooks=CHECKED)
    assert isinstance(end, Answered)
    assert (end.cited, [source.number for source in end.unused], end.unsupported) == ((), [1], (1,))


async def test_only_the_bracket_is_held_back_until_its_sentence_is_checked() -> None:
    events = await answered("The ferry ", "sleeps at ten [", "1", "]", ". And", " so on.", hooks=CHECKED)
    assert [event.text for event in events if isinstance(event, AnswerDelta)] == [
        "The ferry ",
        "sleeps at ten ",
        "~~[1]~~. And",
        " so on.",
    ]


async def test_a_number_before_its_sentence_waits_for_it() -> None:
    events = await answered("By [1] ", "the ferry leaves ", "at ten.", " Yes.", hooks=CHECKED)
    assert [event.text for event in events if isinstance(event, AnswerDelta)] == [
        "By ",
        "~~[1]~~ the ferry leaves at ten.",
        " Yes.",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- The ferry leaves [1]\n- It sleeps there [1]", "- The ferry leaves [1]\n- It sleeps there ~~[1]~~"),
        ("| The ferry leaves at nine [1] |", "| The ferry leaves at nine [1] |"),
        ("The ferry leaves at nine, nobody sleeps [1][4].", "The ferry leaves at nine, nobody sleeps ~~[1]~~~~[4]~~."),
        ("The ferry leaves at nine [1, 4].", "The ferry leaves at nine [1]~~[4]~~."),
        ("`nobody sleeps [1]`", "`nobody sleeps [1]`"),
        ("Nobody sleeps [1](https://example.org).", "Nobody sleeps [1](https://example.org)."),
        ("Sources: [1]", "Sources: [1]"),
    ],
)
async def test_every_cited_sentence_is_checked_wherever_it_stands(text: str, shown: str) -> None:
    *_, end = await answered(text, hooks=CHECKED)
    assert isinstance(end, Answered) and end.text == shown


async def test_a_checker_that_fails_is_told_once_and_strikes_nothing() -> None:
    *_, notice, end = await answered("It sleeps [1]. It flies [1].", hooks=Hooks(checker=GoneChecker()))
    assert notice == Notice("Sentences were not checked: The checker is gone. Name another.", "warning")
    assert isinstance(end, Answered) and end.text == "It sleeps [1]. It flies [1]."
