"""The options of `magpie bench-models`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatbot.frontends.common_options import add_setting_options
from chatbot.frontends.plain import Parser, given_options

COMMAND = "bench-models"
RESULTS_FILE = "results.md"


def make_parser() -> argparse.ArgumentParser:
    """The options of a comparison."""
    made = Parser(
        prog=f"magpie {COMMAND}",
        description="Ask models 12 questions about a small web of invented pages, through all of Magpie, and tell how"
        " many answers are right, how tools are used, which citations hold, and what it takes.",
    )
    made.set_defaults(settings=decide_settings)
    made.add_argument("models", nargs="*", metavar="MODEL", help="the models; the one that answers, unless told")
    made.add_argument(
        *("-o", "--output"), type=Path, default=Path(RESULTS_FILE), metavar="FILE", help="write this: %(default)s"
    )
    made.add_argument("-b", "--backend", metavar="NAME", help="what runs the models")
    made.add_argument("--json", action="store_true", help="print JSON, an object for each answer and each model")
    add_setting_options(made)
    return made


def parse_benching(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of a comparison; None for another command line."""
    return make_parser().parse_args(argv[1:]) if argv[:1] == [COMMAND] else None


def decide_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the options decide, by dotted name."""
    return given_options(arguments, "backend")
