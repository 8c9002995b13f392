from pathlib import Path

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.research.state import Note, ResearchFiles, ResearchState, Search, SubQuestion, find_state
from rag.documents import Passage


def make_state(name: str, question: str) -> ResearchState:
    source = Source(1, Passage("It is open.", "https://a.example", "A", "web", heading=("A", "B")))
    call = ToolCall("web_search", {"query": "lone \ud800 surrogate"}, "call_1")
    said = [Message("user", question), Message("assistant", "", tool_calls=(call,))]
    said.append(Message("tool", "found", tool_name="web_search", call_id="call_1", sources=(source,)))
    plan, note = [SubQuestion("When?", 1, ["when"], "answered")], Note(0, 1, "It is open.", "It is open.")
    return ResearchState(name, question, "2026-11-26T10:00:00Z", plan, True, [Search(0, "x")], [note], said, round=1)


async def test_a_run_comes_back_as_it_was_written(tmp_path: Path) -> None:
    files, state = ResearchFiles(tmp_path / "research"), make_state("b", "The lido")
    await files.write(state)
    [again], damaged = await files.load_all()
    assert damaged == []
    assert (again.plan, again.notes, again.pending, again.round) == (state.plan, state.notes, state.pending, 1)
    assert again.sources == state.sources and again.searches == 1
    assert again.make_table().get(1) == state.sources[1]
    await files.remove(state)
    assert await files.load_all() == ([], [])


async def test_a_file_that_cannot_be_read_is_told_of_and_the_others_are_there(tmp_path: Path) -> None:
    files = ResearchFiles(tmp_path)
    await files.write(make_state("b", "The lido"))
    (tmp_path / "a.json").write_text('{"id": "a"')
    (tmp_path / "c.json").write_text('{"id": 3}')
    states, damaged = await files.load_all()
    assert [state.id for state in states] == ["b"]
    assert damaged == [
        f"A research run that was not finished cannot be read: {tmp_path / name}." for name in ("a.json", "c.json")
    ]


async def test_without_a_folder_nothing_is_kept() -> None:
    files = ResearchFiles(None)
    await files.write(make_state("b", "The lido"))
    assert files.keeps_nothing and await files.load_all() == ([], [])
    await files.remove(make_state("b", "The lido"))


def test_a_run_is_found_by_its_id_by_words_and_as_the_last() -> None:
    states = [make_state("261126-a1", "The lido in Holm"), make_state("261126-b2", "The bridge")]
    found = [find_state(states, named) for named in ("261126-a1", "LIDO", "", "ferry")]
    assert [state and state.id for state in found] == ["261126-a1", "261126-a1", "261126-b2", None]
