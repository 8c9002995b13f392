"""`magpie research "..." -o FILE`: the plan to be agreed to, what is looked up just now, and the report."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.frontends import asking
from chatbot.frontends.ending import handling_signals, run_to_end
from chatbot.frontends.news import relayed
from chatbot.frontends.plain import print_clean
from chatbot.frontends.prepare import news_printer
from chatbot.research.desk import FinishedResearch, ResearchDesk
from chatbot.research.plan import HOW_TO_CHANGE, told_plan
from chatbot.research.run import StepBegun
from utils.errors import MagpieError
from utils.files import expand_home, is_folder
from utils.text import one_line

AGREEING = f"Enter looks it up, Ctrl-D leaves. {HOW_TO_CHANGE}"


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Plan, look up and report; the exit code."""
    return await run_to_end(show_research(engine, arguments), lambda error: print_clean(str(error), sys.stderr))


async def show_research(engine: Engine, arguments: argparse.Namespace) -> int:
    """Plan and look up, and write the report; the exit code. Raises a `MagpieError`."""
    output = _checked_output(arguments.output)
    async with relayed(news_printer()) as tell, engine:
        attended = asking.somebody_is_there()
        desk = (await engine.chat(Face(tell, asking.ask_consent if attended else None))).research
        if arguments.resume is not None:
            await desk.take_up(arguments.resume)
        else:
            await desk.plan(" ".join(arguments.question))
        if arguments.plan:
            print_clean(_plan_of(desk), sys.stdout)
            return 0
        asked = attended and not arguments.yes and arguments.resume is None
        if asked and not await agree(desk):
            return 1
        print_clean(f"{_plan_of(desk)}\n", sys.stderr)
        with _stopping(desk):
            finished = await desk.carry_out(_show_step)
        _write_report(finished, output)
        if not engine.configuration.values.private:
            print_clean(f"Kept: magpie --resume {finished.state.id} goes on with it.", sys.stderr)
    return 0


async def agree(desk: ResearchDesk) -> bool:
    """Have whoever sits there change the plan until it is right; False where they leave."""
    while True:
        print_clean(f"{_plan_of(desk)}\n{AGREEING}", sys.stderr)
        typed = await asking.read_line(sys.stdin.fileno())
        if not typed:
            return False
        if not typed.strip():
            return True
        try:
            desk.change(typed)
        except MagpieError as error:
            print_clean(str(error), sys.stderr)


def _plan_of(desk: ResearchDesk) -> str:
    return told_plan([one.text for one in desk.draft.plan] if desk.draft else [])


@contextmanager
def _stopping(desk: ResearchDesk) -> Iterator[None]:
    """Ctrl-C ends the run with a report; a second one ends the program, which can go on with the run later."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        print_clean("Stopping: the report of what there is follows.", sys.stderr)
        desk.stop()

    with handling_signals(stop, signal.SIGINT):
        yield


def _show_step(step: StepBegun) -> None:
    print_clean(f"{min(step.done + 1, step.total)} of {step.total}: {one_line(step.said, 160)}", sys.stderr)


def _checked_output(path: Path | None) -> Path | None:
    """The file of the report; raises a `MagpieError` before anything is looked up where it cannot be written."""
    if path is None:
        return None
    path = expand_home(path)
    if is_folder(path):
        raise MagpieError(f"{path} is a folder.", "Name a file with -o.")
    if not is_folder(path.absolute().parent):
        raise MagpieError(f"There is no folder {path.absolute().parent}.", "Make it, or name another file with -o.")
    return path


def _write_report(finished: FinishedResearch, output: Path | None) -> None:
    if output is None:
        print_clean(finished.report.rstrip(), sys.stdout)
        return
    try:
        output.write_text(finished.report, encoding="utf-8")
    except OSError as error:
        print_clean(finished.report.rstrip(), sys.stdout)
        raise MagpieError(f"{output} cannot be written: {error.strerror}.", "The report stands above.") from error
    print_clean(f"Written: {output}", sys.stderr)
