import pytest

from chatbot.conversation.messages import Message
from chatbot.research.gaps import find_gaps
from chatbot.research.state import Note, ResearchState, Search, SubQuestion
from tests.fakes.researching import ResearchModel

FOUNDED, COST = "Who founded the Loxley tram?", "What does the Loxley tram cost?"


def make_state(*, noted: bool = True) -> ResearchState:
    plan = [SubQuestion(FOUNDED, queries=[FOUNDED], outcome="answered" if noted else "unanswered")]
    plan.append(SubQuestion(COST, queries=[COST], outcome="unanswered"))
    said = "Edith Marr founded the Loxley tram in 1902."
    notes = [Note(0, 1, said, said)] if noted else []
    asked = "What of the Loxley tram and its founder?"
    return ResearchState("id", asked, "2026-11-26T10:00:00Z", plan, True, [], notes, [Message("user", asked)])


async def test_what_was_not_found_is_searched_anew_and_what_notes_lead_to_is_added() -> None:
    state = make_state()
    model = ResearchModel(query="Loxley tram fares", follow_ups=[("Where was Edith Marr born?",)])
    assert await find_gaps(model, state, 6) == [Search(1, "Loxley tram fares"), Search(2, "Where was Edith Marr born?")]
    assert state.plan[2] == SubQuestion("Where was Edith Marr born?", round=1)


@pytest.mark.parametrize("query", ["", COST.lower(), "cheap flights to Spain"])
async def test_words_that_were_tried_or_are_about_something_else_are_not_searched(query: str) -> None:
    assert await find_gaps(ResearchModel(query=query), make_state(), 6) == []


@pytest.mark.parametrize(
    "written", ["who founded the Loxley tram", "What does a dog on the Loxley tram cost?", "Is Mars a planet?", ""]
)
async def test_questions_that_were_asked_or_are_about_something_else_are_not_added(written: str) -> None:
    state = make_state()
    assert await find_gaps(ResearchModel(follow_ups=[(written,)]), state, 6) == []
    assert len(state.plan) == 2


async def test_a_full_plan_takes_no_more_questions() -> None:
    model = ResearchModel(follow_ups=[("Where was Edith Marr born?",)])
    assert await find_gaps(model, make_state(), 2) == []


async def test_without_a_note_nothing_further_is_asked() -> None:
    model = ResearchModel(query="Loxley tram", follow_ups=[("Where was Edith Marr born?",)])
    assert await find_gaps(model, make_state(noted=False), 6) == [Search(0, "Loxley tram"), Search(1, "Loxley tram")]
