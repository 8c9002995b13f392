"""`magpie probe MODEL`: each check as it is done, the number of those passed, and how Magpie serves the model."""

import argparse
import textwrap
from collections.abc import Mapping
from contextlib import aclosing

from rich.cells import set_cell_size

from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.engine.probing import Probing
from chatbot.frontends.ending import run_to_end
from chatbot.frontends.news import relayed
from chatbot.frontends.prepare import news_printer
from chatbot.frontends.probing.report import CHECK_MARKS, TABLE_WIDTH, EventLines, GrowingTable
from chatbot.models.base import readable_name
from chatbot.models.probe.checks import CHECKS, Ability
from chatbot.models.probe.run import CheckOutcome, count_passed
from utils.text import one_line

TITLES: Mapping[Ability, str] = {"tools": "Tools", "passages": "What was found", "forms": "Form and memory"}


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Probe the model; the exit code: 0 however much it can, 1 where it could not be asked."""
    out = ProbeJson() if arguments.json else ProbeTable()
    return await run_to_end(show_probe(engine, arguments.name or arguments.model or "", out), out.show_failure)


async def show_probe(engine: Engine, name: str, out: "ProbeJson | ProbeTable") -> int:
    """Show each check and the result; the exit code. Raises a `MagpieError`."""
    try:
        async with relayed(news_printer()) as tell, engine:
            probing = Probing(await engine.chat(Face(tell)), name)
            async with aclosing(probing.run()) as outcomes:
                async for outcome in outcomes:
                    out.show_check(probing, outcome)
            out.show_result(probing)
    finally:
        out.stop()
    return 0


class ProbeTable(GrowingTable):
    """A table that grows as the checks are done."""

    def __init__(self) -> None:
        super().__init__()
        self._ability = self._unasked = ""

    def show_check(self, probing: Probing, outcome: CheckOutcome) -> None:
        """Print a check, the title before the first of its kind, and what is asked next."""
        self.stop()
        if not self._ability:
            assert probing.info is not None
            self._print(f"{one_line(readable_name(probing.name))}, a window of {probing.info.context_window:,} tokens")
        if outcome.check.ability != self._ability:
            self._ability = outcome.check.ability
            self._print(f"\n{TITLES[outcome.check.ability]}")
        if outcome.passed is not None:
            self._print(check_line(outcome))
        elif outcome.said != self._unasked:
            # What a model cannot be asked is said once and not ten times.
            self._unasked = outcome.said
            self._print(f"  {CHECK_MARKS[None]} {outcome.said}")
        if outcome.passed is False:
            self._print(
                textwrap.fill(one_line(outcome.said), TABLE_WIDTH, initial_indent="    ", subsequent_indent="    ")
            )
        done = len(probing.outcomes)
        if done < len(CHECKS):
            self._line.show(f"{done + 1} of {len(CHECKS)}: {CHECKS[done].name}")

    def show_result(self, probing: Probing) -> None:
        """Print how many were passed, and how the model is served."""
        passed, asked = count_passed(probing.outcomes, *TITLES)
        self._print(f"\n{textwrap.fill(f'{passed} of {asked}. {probing.verdict}', TABLE_WIDTH)}")


class ProbeJson(EventLines):
    """One JSON object a line: each check, then the result."""

    def show_check(self, probing: Probing, outcome: CheckOutcome) -> None:
        """Print a check."""
        fields = {"name": outcome.check.name, "ability": outcome.check.ability, "passed": outcome.passed}
        self._print("check", {**fields, "said": outcome.said, "seconds": round(outcome.seconds, 2)})

    def show_result(self, probing: Probing) -> None:
        """Print the result."""
        found = probing.result
        fields = {"model": probing.name, "native": found.native, "passed": len(found.passed)}
        self._print("probed", {**fields, "failed": len(found.failed), "said": probing.verdict})


def check_line(outcome: CheckOutcome) -> str:
    """A check with its mark and its seconds."""
    name = set_cell_size(outcome.check.name, TABLE_WIDTH - 12)
    return f"  {CHECK_MARKS[outcome.passed]} {name} {outcome.seconds:>5,.0f} s"
