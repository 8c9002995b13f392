"""`magpie bench-models`: each question as it is answered, then a line for each model, and all of it as a file."""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from chatbot.config import Configuration
from chatbot.engine.bench.questions import bench_questions
from chatbot.engine.bench.run import BenchReport, ask_model, bench_settings, make_bench_folder
from chatbot.engine.bench.site import BenchSite
from chatbot.engine.engine import Engine
from chatbot.frontends.benching.output import BenchJson, BenchTable
from chatbot.frontends.benching.results_file import RESULTS_TITLE, write_results
from chatbot.frontends.ending import run_to_end
from chatbot.frontends.news import relayed
from chatbot.frontends.prepare import news_printer
from utils.errors import ConfigError, FileMissing, MagpieError
from utils.files import expand_home, read_text


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Ask the models; the exit code: 0 however well they answer, 1 where one could not be asked."""
    out = BenchJson() if arguments.json else BenchTable()
    comparison = Comparison(engine.configuration, arguments.models or [""], expand_home(arguments.output), out)
    return await run_to_end(comparison.run(), out.show_failure)


class Comparison:
    """Models that are asked the same questions, one after the other."""

    def __init__(
        self, configuration: Configuration, models: Sequence[str], path: Path, out: BenchJson | BenchTable
    ) -> None:
        self._configuration = configuration
        self._models = models
        self._path = path
        self._out = out
        self._reports: list[BenchReport] = []

    async def run(self) -> int:
        """Ask all; the exit code. However it ends, what there is is shown and written. Raises a `MagpieError`."""
        await asyncio.to_thread(require_own, self._path)
        failed = False
        try:
            with tempfile.TemporaryDirectory(prefix="magpie-bench-", ignore_cleanup_errors=True) as folder:
                async with BenchSite() as site:
                    for number, model in enumerate(self._models):
                        failed |= not await self._ask_model(site, Path(folder) / str(number), model)
        finally:
            self._out.stop()
            if reports := [report for report in self._reports if report.outcomes]:
                self._out.show_reports(reports)
                write_results(self._path, reports)
                self._out.show_path(self._path)
        return int(failed)

    async def _ask_model(self, site: BenchSite, folder: Path, model: str) -> bool:
        """Whether the model could be asked; what it could not be asked for is shown, and the next one's turn comes."""
        await asyncio.to_thread(make_bench_folder, folder, self._configuration.values.data_folder)
        report = BenchReport(model)
        self._reports.append(report)
        questions = bench_questions()
        self._out.show_next(report, questions[0])
        try:
            settings = bench_settings(self._configuration, site, folder, model)
            async with relayed(news_printer()) as tell, aclosing(ask_model(settings, tell, site, report)) as outcomes:
                async for outcome in outcomes:
                    self._out.show_outcome(report, outcome)
                    if len(report.outcomes) < len(questions):
                        self._out.show_next(report, questions[len(report.outcomes)])
        except MagpieError as error:
            self._out.show_failure(error)
            return False
        return True


def require_own(path: Path) -> None:
    """See that a file may be written over: one of results, or none; raises `ConfigError`."""
    try:
        if read_text(path, errors="replace").startswith(RESULTS_TITLE):
            return
    except FileMissing:
        return
    raise ConfigError(f"{path} is there and holds no results of this command.", "Name another file with -o.")
