"""The report of a research run, in Markdown: by sub-question, every sentence with the number of its source."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from chatbot.conversation.messages import Source
from chatbot.conversation.sources import group_by_page
from chatbot.library.progress import counted
from chatbot.models.pipeline.writing.word_for_word import figures_in
from chatbot.research.conflicts import find_conflicts
from chatbot.research.state import Conflict, Note, ResearchState, SubQuestion
from rag.search.rare_words import word_stems
from rag.zim.address import tell_origin
from utils.local_time import local_time
from utils.text import clean, one_line

SHORT_FROM = 6
"""Notes from which on a report begins with its most important ones."""
_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<~])")


@dataclass(frozen=True)
class ReportSection:
    """What is told of one sub-question."""

    heading: str
    notes: tuple[Note, ...]
    see: str = ""
    """The heading under which all of it stands already; empty where something is new."""


@dataclass(frozen=True)
class ReportOutline:
    """The parts of a report in their order."""

    short: tuple[Note, ...]
    sections: tuple[ReportSection, ...]
    conflicts: tuple[Conflict, ...]
    missing: tuple[str, ...]
    """Sub-questions that nothing was found for, or that were not looked up, a line each."""


def make_outline(state: ResearchState) -> ReportOutline:
    """A section for each sub-question that has notes; one that says nothing new refers to another."""
    sections: list[ReportSection] = []
    for place, question in enumerate(state.plan):
        notes = state.notes_of(place)
        if any(not _section_saying(sections, note) for note in notes):
            sections.append(ReportSection(question.text, tuple(notes)))
        elif notes:
            sections.append(ReportSection(question.text, (), _section_saying(sections, notes[0])))
    telling = list({section.notes[0].sentence: section.notes[0] for section in sections if section.notes}.values())
    enough = len(telling) > 1 and sum(len(section.notes) for section in sections) >= SHORT_FROM
    short = tuple(telling) if enough else ()
    return ReportOutline(short, tuple(sections), tuple(find_conflicts(state)), tuple(_missing_lines(state)))


def _section_saying(sections: Sequence[ReportSection], note: Note) -> str:
    """The heading of the section that says a note already; empty without one."""
    for section in sections:
        if any(_say_same(note, other) for other in section.notes):
            return section.heading
    return ""


def _say_same(note: Note, other: Note) -> bool:
    return word_stems(note.quote) == word_stems(other.quote) and figures_in(note.quote) == figures_in(other.quote)


def _missing_lines(state: ResearchState) -> list[str]:
    lines = []
    for place, question in enumerate(state.plan):
        if state.notes_of(place):
            continue
        if question.outcome == "open":
            lines.append(f"{_escaped(question.text)} (not looked up)" if not question.queries else _searched(question))
        else:
            lines.append(_searched(question))
    return lines


def _searched(question: SubQuestion) -> str:
    words = ", ".join(f"“{_escaped(one_line(query, 120))}”" for query in question.queries)
    return f"{_escaped(question.text)} (searched for {words})" if words else _escaped(question.text)


def write_report(state: ResearchState) -> str:
    """The report as Markdown; the same state always gives the same one."""
    outline = make_outline(state)
    blocks = [f"# {_escaped(one_line(state.question, 600))}", f"*{_told_effort(state)}*"]
    if outline.short:
        blocks += ["## In short", _note_lines(outline.short)]
    for section in outline.sections:
        see = f"See “{_escaped(section.see)}”." if section.see else ""
        blocks += [f"## {_escaped(section.heading)}", see or _note_lines(section.notes)]
    if not outline.sections:
        blocks.append("Nothing was found that answers this.")
    if outline.conflicts:
        blocks += ["## What the sources disagree about", "\n".join(map(_conflict_line, outline.conflicts))]
    if outline.missing:
        blocks += ["## What was not found", "\n".join(f"- {line}" for line in outline.missing)]
    undone = [*state.denied, *state.failures]
    if undone:
        blocks += ["## What could not be done", "\n".join(f"- {_escaped(one_line(one, 300))}" for one in undone)]
    if lines := _source_lines(cited_sources(state)):
        blocks += ["## Sources", "\n".join(lines)]
    return clean("\n\n".join(blocks)) + "\n"


def cited_sources(state: ResearchState) -> list[Source]:
    """The sources of the report's sentences, by number."""
    sources = state.sources
    return [sources[number] for number in sorted({note.number for note in state.notes})]


def _told_effort(state: ResearchState) -> str:
    """When it was looked up, what that took, and why it ended early, in a sentence or two."""
    begun = local_time(state.begun) or datetime.now(UTC)
    pages = {source.passage.source for source in state.sources.values()}
    searches = f"{state.searches:,} search{'' if state.searches == 1 else 'es'}"
    took = f"{searches}, {counted(len(pages), 'source')}, {counted(max(1, round(state.seconds / 60)), 'minute')}"
    ended = f" It ended early: {state.stopped}." if state.stopped else ""
    return f"Looked up on {begun:%Y-%m-%d}: {took}.{ended}"


def _note_lines(notes: Sequence[Note]) -> str:
    return "\n".join(f"- {_cited(note)}" for note in notes)


def _cited(note: Note) -> str:
    return f"{_escaped(note.sentence)} [{note.number}]"


def _conflict_line(conflict: Conflict) -> str:
    return f"- {_quoted(conflict.first)} – {_quoted(conflict.second)}"


def _quoted(note: Note) -> str:
    return f"“{_escaped(note.quote)}” [{note.number}]"


def _source_lines(cited: Sequence[Source]) -> list[str]:
    """A line for each page: its numbers, title, address, and when it was read or a file last changed."""
    lines = []
    for page in group_by_page(cited):
        passage = page[0].passage
        numbers = ", ".join(str(source.number) for source in page)
        read = "changed" if passage.origin == "file" else "read"
        told = tell_origin(passage, read)
        when = f", {told}" if told else ""
        snippet = ", a search result that was not opened" if passage.origin == "snippet" else ""
        title = _escaped(one_line(passage.title, 200)) or "without a title"
        lines.append(f"- [{numbers}] {title}: {_address(passage.source)}{when}{snippet}")
    return lines


def _address(source: str) -> str:
    """An address as a link, a path as it is."""
    address = one_line(source, 2000)
    if not address.startswith(("http://", "https://")):
        return _escaped(address)
    return f"<{address.replace(' ', '%20').replace('<', '%3C').replace('>', '%3E')}>"


def _escaped(text: str) -> str:
    """A text of which no sign is Markdown's, so that it is shown as it was written."""
    return _MARKDOWN_SIGNS.sub(r"\\\1", text)
