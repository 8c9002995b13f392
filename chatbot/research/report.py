"""The report of a research run, in Markdown: by sub-question, every sentence with the number of its source."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from chatbot.conversation.messages import Source
from chatbot.conversation.sources import group_by_page
from chatbot.models.pipeline.reading.clauses import figures_in
from chatbot.prompts.phrases import FALLBACK, fill_phrase
from chatbot.research.conflicts import find_conflicts
from chatbot.research.state import STOPPED_BY_USER, Conflict, Note, ResearchState, SubQuestion
from rag.search.rare_words import word_stems
from rag.zim.address import tell_origin
from utils.languages.detection import language_of
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
    return [
        _told_missing(question, report_language(state))
        for place, question in enumerate(state.plan)
        if not state.notes_of(place)
    ]


def _told_missing(question: SubQuestion, language: str) -> str:
    """What nothing was found for, with the words that were searched."""
    text = _escaped(question.text)
    if question.queries:
        words = ", ".join(f"“{_escaped(one_line(query, 120))}”" for query in question.queries)
        return fill_phrase("report_searched", language, question=text, words=words)
    return fill_phrase("report_not_looked_up", language, question=text) if question.outcome == "open" else text


def report_language(state: ResearchState) -> str:
    """The language of the question, in which the report's headings are; English where that is not known."""
    return language_of(state.question) or FALLBACK


def write_report(state: ResearchState) -> str:
    """The report as Markdown; the same state always gives the same one."""
    outline, language = make_outline(state), report_language(state)
    blocks = [f"# {_escaped(one_line(state.question, 600))}", f"*{_told_effort(state, language)}*"]

    def add(heading: str, lines: Sequence[str]) -> None:
        if lines:
            blocks.extend([f"## {fill_phrase(heading, language)}", "\n".join(f"- {line}" for line in lines)])

    add("report_short", [_cited(note) for note in outline.short])
    for section in outline.sections:
        blocks.append(f"## {_escaped(section.heading)}")
        if section.see:
            blocks.append(fill_phrase("report_see", language, heading=_escaped(section.see)))
        else:
            blocks.append("\n".join(f"- {_cited(note)}" for note in section.notes))
    if not outline.sections:
        blocks.append(fill_phrase("report_nothing", language))
    add("report_differ", [f"{_quoted(one.first)} – {_quoted(one.second)}" for one in outline.conflicts])
    add("report_missing", outline.missing)
    add("report_undone", [_escaped(one_line(one, 300)) for one in (*state.denied, *state.failures)])
    add("report_sources", _source_lines(cited_sources(state)))
    return clean("\n\n".join(blocks)) + "\n"


def cited_sources(state: ResearchState) -> list[Source]:
    """The sources of the report's sentences, by number."""
    sources = state.sources
    return [sources[number] for number in sorted({note.number for note in state.notes})]


def _told_effort(state: ResearchState, language: str) -> str:
    """When it was looked up, what that took, and why it ended early, in a line."""
    begun = local_time(state.begun) or datetime.now(UTC)
    pages = {source.passage.source for source in state.sources.values()}
    took = {"searches": state.searches, "pages": len(pages), "minutes": max(1, round(state.seconds / 60))}
    counts = {name: f"{count:,}" for name, count in took.items()}
    told = fill_phrase("report_effort", language, date=f"{begun:%Y-%m-%d}", **counts)
    if not state.stopped:
        return told
    ended = "report_stopped" if state.stopped == STOPPED_BY_USER else "report_time_up"
    return f"{told}. {fill_phrase(ended, language)}"


def _cited(note: Note) -> str:
    return f"{_escaped(note.sentence)} [{note.number}]"


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
        lines.append(f"[{numbers}] {title}: {_address(passage.source)}{when}{snippet}")
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
