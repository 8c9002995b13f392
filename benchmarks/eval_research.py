"""Research runs over the pages of the talks' loopback web: facts that a report has, sentences that hold, minutes."""

import argparse
import asyncio
import importlib.util
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.recorded import RecordedModel
from benchmarks.router_data import SIZES
from chatbot.config import load_configuration
from chatbot.conversation.messages import Source
from chatbot.research.desk import FinishedResearch
from chatbot.research.run import StepBegun
from rag.chunking.tables import speak_tables
from tests.fakes.site_app import running_chat
from utils.paths import default_data_dir

QUESTIONS = Path(__file__).with_name("research_questions.json")
RECORDED = Path(".cache/research")
"""What the models said, by prompt: a repeated measurement takes seconds where the prompts are the same."""
MADE_ONCE = ("models", "onnx", "engine/states")
"""What of the user's data folder a run is lent, so that nothing is fetched or read anew."""
_CITED_LINE = re.compile(r"^- (?P<said>.*) \[(?P<number>\d+)\]$", re.MULTILINE)
_UNESCAPED = re.compile(r"\\([\\`*_\[\]<~])")
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME_IN_SENTENCE = re.compile(r"(?<=\s)[^\W\d_a-z][\w'’-]{2,}")


@dataclass(frozen=True)
class Measured:
    """What one report was worth."""

    found: int
    needed: int
    holding: int
    sentences: int
    minutes: float
    missed: tuple[str, ...]
    unfounded: tuple[str, ...]


def main() -> int:
    """Print a line for each question, and the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("talks", type=Path, help="the folder with loopback.py and web/")
    parser.add_argument("--model", choices=SIZES, default=SIZES[0])
    parser.add_argument("--only", action="append", default=[], help="the id of a question; may be repeated")
    parser.add_argument("--minutes", type=float, default=5.0, help="research.minutes")
    parser.add_argument("--reports", type=Path, default=RECORDED / "reports", help="where the reports are written")
    parser.add_argument("--recorded", action="store_true", help="do not ask the model what it was asked before")
    options = parser.parse_args()
    if not (options.talks / "web" / "pages.jsonl").exists():
        print(f"Skipped: {options.talks} has no pages to look things up in; name a folder with TALKS=.")
        return 0
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    chosen = [one for one in questions if not options.only or one["id"] in options.only]
    options.reports.mkdir(parents=True, exist_ok=True)
    asyncio.run(measure(chosen, options))
    return 0


async def measure(questions: Sequence[dict[str, Any]], options: argparse.Namespace) -> None:
    """Every question in a data folder of its own."""
    loopback = load_loopback(options.talks)
    results = []
    print(f"{'question':22}{'facts':>8}{'holds':>9}{'minutes':>9}", flush=True)
    with loopback.serving(loopback.Index([options.talks])) as host:
        for one in questions:
            began = time.monotonic()
            finished = await research(one["question"], host, options)
            minutes = (time.monotonic() - began) / 60
            (options.reports / f"{one['id']}.md").write_text(finished.report, encoding="utf-8")
            result = judge(one, finished, minutes)
            results.append(result)
            print(told_result(one["id"], result), flush=True)
    found, needed = sum(one.found for one in results), sum(one.needed for one in results)
    holding, sentences = sum(one.holding for one in results), sum(one.sentences for one in results)
    print(
        f"facts {found / max(needed, 1):.3f} ({found} of {needed}) holding {holding / max(sentences, 1):.3f}"
        f" ({holding} of {sentences}) minutes {statistics.median(one.minutes for one in results):.1f}"
        f" (at most {max(one.minutes for one in results):.1f})"
    )


def load_loopback(talks: Path) -> Any:
    """The module that serves the pages and the search."""
    spec = importlib.util.spec_from_file_location("loopback", talks / "loopback.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def research(question: str, host: str, options: argparse.Namespace) -> FinishedResearch:
    """One run, as `magpie research --yes` holds it; its steps go to standard error with their times."""
    began = time.monotonic()

    def show(step: StepBegun) -> None:
        print(f"  {time.monotonic() - began:6.1f} s {step.done}/{step.total} {step.said}", file=sys.stderr, flush=True)

    settings = {
        "search.searxng_url": f"http://{host}",
        "search.engines": [],
        "search.news_engines": [],
        "fetch.allow_hosts": [host],
        "temperature": 0,
        "seed": 1,
        "backend": "embedded",
        "embedded.size": options.model,
        "research.minutes": options.minutes,
    }
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        data = Path(name)
        lend_weights(data)
        (data / "config.json").write_text("{}")
        configuration = load_configuration(data / "config.json", {"data_dir": name} | settings, {})
        async with running_chat(configuration) as app:
            if options.recorded:
                app.chat.agent.use_model(RecordedModel(app.chat.agent.model, RECORDED / f"{options.model}.jsonl"))
            desk = app.chat.research
            for place, planned in enumerate((await desk.plan(question)).plan, 1):
                print(f"  {time.monotonic() - began:6.1f} s plan {place}. {planned.text}", file=sys.stderr, flush=True)
            return await desk.carry_out(show)


def lend_weights(data: Path) -> None:
    """Link what was made once into a data folder."""
    for part in MADE_ONCE:
        if (made := default_data_dir() / part).exists():
            (data / part).parent.mkdir(mode=0o700, exist_ok=True)
            (data / part).symlink_to(made, target_is_directory=True)


def judge(question: dict[str, Any], finished: FinishedResearch, minutes: float) -> Measured:
    """What of a question's facts the report has, and which of its sentences the cited passages do not have."""
    body, sources = finished.report, finished.state.sources
    lines = [plain_line(line) for line in body.splitlines() if line.startswith("- ")]
    # A line with two numbers tells where two pages differ: both sentences stand above, and are judged there.
    every = [(plain_line(one["said"]), int(one["number"])) for one in _CITED_LINE.finditer(body)]
    cited = [(said, number) for said, number in every if not re.search(r" \[\d+\] – ", said)]
    told = "\n".join(said for said, _ in cited)
    missed = [pattern for pattern in question["says"] if not re.search(pattern, told, re.IGNORECASE)]
    uncited = [line for line in lines if not re.search(r"\[\d+\]", line)]
    missed += [f"not found: {one}" for one in question.get("missing", ()) if not has_all(uncited, [one])]
    twice = [line for line in lines if len(re.findall(r" \[\d+\]", line)) == 2]
    missed += [f"disagree: {pair}" for pair in question.get("disagree", ()) if not has_all(twice, pair)]
    needed = sum(len(question.get(kind, ())) for kind in ("says", "missing", "disagree"))
    unfounded = [said for said, number in cited if not is_founded(said, sources[number])]
    holding = len(cited) - len(unfounded)
    return Measured(needed - len(missed), needed, holding, len(cited), minutes, tuple(missed), tuple(unfounded))


def plain_line(line: str) -> str:
    """A line without the signs that keep Markdown's from meaning something, and with plain spaces."""
    return re.sub(r"[\u00a0\u202f\u2009]", " ", _UNESCAPED.sub(r"\1", line))


def has_all(lines: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether one line has every pattern."""
    return any(all(re.search(pattern, line, re.IGNORECASE) for pattern in patterns) for line in lines)


def is_founded(said: str, source: Source) -> bool:
    """Whether every figure and every name of a sentence stands in its passage, titles and headings included."""
    passage = source.passage
    text = plain_line(" ".join([passage.title, *passage.heading, passage.text, speak_tables(passage.text)]))
    figures, words = set(_FIGURE.findall(text)), text.casefold()
    return all(one in figures for one in _FIGURE.findall(said)) and all(
        one.casefold() in words for one in _NAME_IN_SENTENCE.findall(said)
    )


def told_result(name: str, result: Measured) -> str:
    """A line on a report, and what it lacks."""
    shares = f"{result.found:>5}/{result.needed:<2}{result.holding:>6}/{result.sentences:<3}{result.minutes:>8.1f}"
    lacks = [f"    lacks {one}" for one in result.missed] + [f"    unfounded: {one}" for one in result.unfounded]
    return "\n".join([f"{name:22}{shares}", *lacks])


if __name__ == "__main__":
    sys.exit(main())
