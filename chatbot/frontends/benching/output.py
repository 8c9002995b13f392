"""What `magpie bench-models` prints: a table that grows, in columns that fit any terminal, or JSON."""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from rich.cells import set_cell_size

from chatbot.engine.bench.questions import BenchQuestion, bench_questions
from chatbot.engine.bench.run import BenchOutcome, BenchReport
from chatbot.frontends.plain import print_clean
from chatbot.frontends.probing.report import CHECK_MARKS, TABLE_WIDTH, EventLines, GrowingTable
from utils.text import one_line

MODEL_COLUMN, ANSWER_CHARS = 22, 200
"""Cells of a model's name, and characters that are shown of an answer that is wrong."""


class BenchTable(GrowingTable):
    """A line for each answer as it comes, then one for each model."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = ""

    def show_next(self, report: BenchReport, question: BenchQuestion) -> None:
        """Say on a terminal what is asked now."""
        number = len(report.outcomes) + 1
        self._line.show(f"{one_line(report.model)} {number} of {len(bench_questions())}: {question.name}")

    def show_outcome(self, report: BenchReport, outcome: BenchOutcome) -> None:
        """Print a line for an answer, what the model is before the first, and the beginning of one that is wrong."""
        self.stop()
        if len(report.outcomes) == 1:
            self._print(f"{self._shown}{one_line(report.model, TABLE_WIDTH)}\n{' ' * 31} right tools cited   time")
            self._shown = "\n"
        marks = "".join(f"{CHECK_MARKS[mark]:^6}" for mark in (outcome.right, outcome.served, outcome.cited))
        self._print(f"  {set_cell_size(outcome.question.name, 29)} {marks}{outcome.seconds:>6,.0f} s")
        if not outcome.right:
            said = one_line(outcome.text, ANSWER_CHARS)
            self._print(textwrap.fill(said, TABLE_WIDTH, initial_indent="    ", subsequent_indent="    "))

    def show_reports(self, reports: Sequence[BenchReport]) -> None:
        """Print a line for each model."""
        self._print(f"\n{set_cell_size('', MODEL_COLUMN)}  right  tools  cited   time  tokens")
        for report in reports:
            shares = "".join(f"{done:>4}/{of:<2}" for done, of in (report.right, report.served, report.cited))
            name = set_cell_size(one_line(report.model), MODEL_COLUMN)
            self._print(f"{name}{shares}{report.seconds:>5,.0f} s{report.tokens / 1000:>6,.0f} k")

    def show_path(self, path: Path) -> None:
        """Say where the results are."""
        print_clean(f"Written to {one_line(str(path))}.", sys.stderr)


class BenchJson(EventLines):
    """One JSON object a line: each answer, then each model."""

    def show_next(self, report: BenchReport, question: BenchQuestion) -> None:
        """There is nothing beside what is printed."""

    def show_outcome(self, report: BenchReport, outcome: BenchOutcome) -> None:
        """Print an answer."""
        asked = {"model": report.model, "name": outcome.question.name, "question": outcome.question.question}
        judged = {"text": outcome.text, "right": outcome.right, "tools": outcome.served, "cited": outcome.cited}
        taken = {"seconds": round(outcome.seconds, 2), "tokens": outcome.tokens}
        self._print("answer", {**asked, **judged, **taken})

    def show_reports(self, reports: Sequence[BenchReport]) -> None:
        """Print each model: counts of what was well, and of how many."""
        for report in reports:
            shares = {"right": report.right, "tools": report.served, "cited": report.cited}
            taken = {"seconds": round(report.seconds, 2), "tokens": report.tokens}
            self._print("model", {"model": report.model, **shares, **taken})

    def show_path(self, path: Path) -> None:
        """Say where the results are."""
        self._print("written", {"path": str(path)})
