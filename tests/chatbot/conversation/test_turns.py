"""Messages are split into turns in one way, and each turn tells what came of its question."""

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.turns import Turn, split_turns, start_of_turn, turn_at
from rag.documents import Passage

FIRST, SECOND = (Source(n, Passage(f"text {n}", f"https://harrow.test/{n}", f"Page {n}", "web")) for n in (1, 2))
SEARCH, OPEN = ToolCall("web_search", {"query": "ferry"}, "c1"), ToolCall("fetch_url_content", {}, "c2")
SAID = [
    Message("system", "Be brief."),
    Message("user", "When does it leave?"),
    Message("assistant", "", tool_calls=(SEARCH,)),
    Message("tool", "found", call_id="c1", sources=(FIRST, SECOND)),
    Message("assistant", "", tool_calls=(OPEN,)),
    Message("tool", "read", call_id="c2", sources=(FIRST,)),
    Message("assistant", "At nine [2]."),
    Message("user", "Thanks."),
]


def test_a_turn_goes_from_one_question_to_the_next() -> None:
    first, last = split_turns(SAID)
    assert (first.start, first.messages) == (1, tuple(SAID[1:7]))
    assert (last.start, last.messages) == (7, (SAID[7],))
    assert split_turns([]) == split_turns(SAID[:1]) == []


def test_a_turn_tells_what_was_called_found_answered_and_cited() -> None:
    turn = split_turns(SAID)[0]
    assert (turn.question, turn.answer) == (SAID[1], SAID[6])
    assert (turn.calls, turn.first_calls) == ([SEARCH, OPEN], [SEARCH])
    assert turn.results == [SAID[3], SAID[5]]
    assert (turn.sources, turn.first_sources(1), turn.cited_sources) == ([FIRST, SECOND], [FIRST], [SECOND])
    assert turn.spoken == [1, 6]


def test_a_turn_under_way_has_no_answer() -> None:
    last = split_turns(SAID)[1]
    assert (last.answer, last.calls, last.cited_sources, last.spoken) == (None, [], [], [7])


def test_any_message_leads_to_its_turn_as_far_as_it_is_looked_at() -> None:
    assert [turn_at(SAID, index, 8) for index in (1, 4, 6)] == [split_turns(SAID)[0]] * 3
    assert turn_at(SAID, 4, 6) == Turn(1, tuple(SAID[1:6]))


def test_the_last_turns_are_found_from_the_end() -> None:
    assert [start_of_turn(SAID, count) for count in (1, 2, 3)] == [7, 1, 0]
