"""The options of `magpie research`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatbot.frontends.common_options import add_model_options, add_setting_options
from chatbot.frontends.plain import Parser, given_options


def make_parser() -> argparse.ArgumentParser:
    """The options of a research run."""
    made = Parser(
        prog="magpie research",
        description="Look up a question piece by piece, in web and library, and write a report of which every"
        " sentence has the number of its source. Ctrl-C ends it early, with a report of what there is.",
    )
    made.set_defaults(settings=decide_settings)
    made.add_argument("question", nargs="*", help="what the report is about")
    made.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the report there, not to standard output"
    )
    made.add_argument("--plan", action="store_true", help="print the plan, and look nothing up")
    made.add_argument("--yes", action="store_true", help="do not ask whether the plan is right")
    made.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="WORDS",
        help="go on with a run that was cut off: the last one, or the one with these words in its question",
    )
    add_model_options(made)
    made.add_argument("--profile", metavar="NAME", help="whose collections, tools and model are used")
    made.add_argument("--private", action="store_true", help="keep nothing of this run, and add nothing to the library")
    made.add_argument("--offline", action="store_true", help="let nothing leave this machine: look into the library")
    add_setting_options(made)
    return made


def parse_research(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of a research run; None for another command line."""
    if argv[:1] != ["research"]:
        return None
    parser = make_parser()
    arguments = parser.parse_args(argv[1:])
    if bool(arguments.question) == (arguments.resume is not None):
        parser.error("name a question, or --resume")
    return arguments


def decide_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the options decide, by dotted name."""
    return given_options(arguments, "model", "backend", "profile", "private", "offline")
