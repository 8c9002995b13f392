from chatbot.conversation.messages import Message, Source
from chatbot.research.report import make_outline, write_report
from chatbot.research.state import Note, ResearchState, SubQuestion
from rag.documents import Passage

A = Source(
    1, Passage("The lido opened in 1931.", "https://a.example/lido", "The lido", "web", fetched="2026-11-20T10:00")
)
B = Source(2, Passage("The lido opened in 1934.", "https://b.example/<x> y", "A *guide*", "web"))
C = Source(3, Passage("It costs 4 crowns.", "/home/me/notes_2.txt", "Notes", "file", fetched="2026-01-02"))


def noted(question: int, number: int, sentence: str) -> Note:
    return Note(question, number, sentence, sentence)


def make_state(*notes: Note, **more: object) -> ResearchState:
    plan = [SubQuestion("When did the lido open?", queries=["lido opening"], outcome="answered")]
    plan += [SubQuestion("What does it cost?"), SubQuestion("Who built it?", queries=["lido [builder]"])]
    plan[2].outcome = "unanswered"
    said = [Message("user", "The lido"), Message("tool", "", tool_name="web_search", sources=(A, B, C))]
    return ResearchState("id", "The lido", "2026-11-26T10:00:00Z", plan, True, [], list(notes), said, **more)


OPENED, LATER, COSTS = (
    noted(0, 1, "The lido opened in 1931."),
    noted(0, 2, "The lido opened in 1934."),
    noted(1, 3, "It costs 4 crowns."),
)


def test_the_report_has_sections_conflicts_gaps_and_sources_with_dates() -> None:
    assert (
        write_report(make_state(OPENED, LATER, COSTS, seconds=130.0))
        == """\
# The lido

*Date: 2026-11-26 · Searches: 0 · Pages found: 3 · Minutes: 2*

## When did the lido open?

- The lido opened in 1931. [1]
- The lido opened in 1934. [2]

## What does it cost?

- It costs 4 crowns. [3]

## Where the sources differ

- “The lido opened in 1931.” [1] – “The lido opened in 1934.” [2]

## What was not found

- Who built it? (searched for “lido \\[builder\\]”)

## Sources

- [1] The lido: <https://a.example/lido>, read 2026-11-20
- [2] A \\*guide\\*: <https://b.example/%3Cx%3E%20y>, read
- [3] Notes: /home/me/notes\\_2.txt, changed 2026-01-02
""".replace(", read\n", "\n")
    )


def test_no_sentence_stands_in_two_sections() -> None:
    outline = make_outline(make_state(OPENED, noted(1, 1, OPENED.quote), noted(2, 3, COSTS.quote)))
    assert [(section.heading, len(section.notes), section.see) for section in outline.sections] == [
        ("When did the lido open?", 1, ""),
        ("What does it cost?", 0, "When did the lido open?"),
        ("Who built it?", 1, ""),
    ]


def test_a_long_report_begins_with_the_first_note_of_each_section() -> None:
    more = [noted(1, 3, f"It has {number} lanes of its own.") for number in range(4)]
    outline = make_outline(make_state(OPENED, COSTS, *more))
    assert outline.short == (OPENED, COSTS)
    assert make_outline(make_state(OPENED, COSTS)).short == ()


def test_what_was_not_done_or_ended_early_is_said() -> None:
    report = write_report(make_state(stopped="it was stopped", denied=["Not done: *x*"], failures=["web: down"]))
    assert "Minutes: 1. It was stopped early.*" in report
    assert "time was up" in write_report(make_state(stopped="its 5 minutes were up"))
    assert "Nothing was found that answers this." in report
    assert "- What does it cost? (not looked up)" in report
    assert "## What could not be done\n\n- Not done: \\*x\\*\n- web: down\n" in report
    assert "## Sources" not in report


def test_what_pages_say_is_shown_as_it_is_and_runs_nowhere() -> None:
    hostile = "It is <b onclick=x()>bold</b>, ![a](https://a.example/t.png) and \x1b[31mred\u202e, says *everybody*."
    report = write_report(make_state(noted(0, 1, hostile)))
    [line] = [line for line in report.splitlines() if line.startswith("- It is")]
    assert "\x1b" not in line and "\u202e" not in line
    assert "\\<b onclick" in line and "!\\[a\\](https" in line and "\\*everybody\\*. [1]" in line


def test_rows_of_tables_disagree_only_where_their_pages_are_of_one_thing() -> None:
    rows = noted(0, 1, "Prices – Ticket: Adult, Price: £4.00"), noted(0, 2, "Prices – Ticket: Adult, Price: £6.00")
    assert make_outline(make_state(*rows)).conflicts == ()


def test_the_headings_are_in_the_language_of_the_question() -> None:
    state = make_state(OPENED, LATER, stopped="it was stopped")
    state.question = "Wann wurde das Freibad eröffnet, und wer hat es gebaut?"
    report = write_report(state)
    assert [line for line in report.splitlines() if line.startswith("## ")] == [
        "## When did the lido open?",
        "## Worin die Quellen sich unterscheiden",
        "## Was nicht gefunden wurde",
        "## Quellen",
    ]
    assert "*Datum: 2026-11-26 · Suchen: 0" in report and "vorzeitig angehalten" in report
    assert "- What does it cost? (nicht nachgesehen)" in report and "Who built it? (gesucht nach" in report
