"""The results of `magpie bench-models` as a file of Markdown."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from chatbot.engine.bench.questions import bench_questions
from chatbot.engine.bench.run import BenchReport
from utils.errors import ConfigError
from utils.paths import write_private
from utils.text import clean, one_line

RESULTS_TITLE = "# How well models answer through Magpie"
ANSWER_SHOWN = 300
"""Characters of an answer that are shown."""
MARKED = {True: "yes", False: "no", None: "–"}


def write_results(path: Path, reports: Sequence[BenchReport]) -> None:
    """Write the results, in the place of earlier ones; raises `ConfigError` where that cannot be done."""
    try:
        write_private(path.absolute(), clean("\n".join(result_lines(reports))) + "\n")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.", "Name another file with -o.") from error


def result_lines(reports: Sequence[BenchReport]) -> Iterator[str]:
    """A table of the models, then one of each model's answers."""
    yield RESULTS_TITLE
    yield ""
    asked = f"{len(bench_questions())} questions on a small web of invented pages"
    yield f"Measured on {date.today():%Y-%m-%d} by `magpie bench-models`: {asked}."
    yield ""
    yield "| model | right | tools | cited | seconds | tokens |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for report in reports:
        shares = " | ".join(f"{done} of {of}" for done, of in (report.right, report.served, report.cited))
        yield f"| {cell(report.model)} | {shares} | {report.seconds:,.0f} | {report.tokens:,} |"
    for report in reports:
        yield from ("", f"## {cell(report.model)}", "")
        yield "| question | right | tools | cited | seconds | tokens | answer |"
        yield "| --- | --- | --- | --- | ---: | ---: | --- |"
        for one in report.outcomes:
            marks = " | ".join(MARKED[mark] for mark in (one.right, one.served, one.cited))
            answer = cell(one.text, ANSWER_SHOWN)
            yield f"| {one.question.name} | {marks} | {one.seconds:,.1f} | {one.tokens:,} | {answer} |"


def cell(text: str, longest: int = 100) -> str:
    """A text as a cell of a table holds it."""
    return one_line(text, longest).replace("\\", "\\\\").replace("|", "\\|")
