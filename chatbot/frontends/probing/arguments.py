"""The options of `magpie probe`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence
from typing import Any

from chatbot.frontends.common_options import add_model_options, add_setting_options
from chatbot.frontends.plain import Parser, given_options


def make_parser() -> argparse.ArgumentParser:
    """The options of a probe."""
    made = Parser(
        prog="magpie probe",
        description="Ask a model 21 short questions and tell what it can do; the result is kept, and Magpie serves"
        " the model by it.",
    )
    made.set_defaults(settings=decide_settings)
    made.add_argument("name", nargs="?", default="", metavar="MODEL", help="the model that answers, unless told")
    add_model_options(made)
    made.add_argument("--json", action="store_true", help="print JSON, an object for each check and one for the result")
    made.add_argument("--private", action="store_true", help="keep nothing of the result")
    made.add_argument("--offline", action="store_true", help="let nothing leave this machine")
    add_setting_options(made)
    return made


def parse_probing(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of a probe; None for another command line, and for a question that begins with the word."""
    if argv[:1] != ["probe"]:
        return None
    parser = make_parser()
    words = [word for word in argv[1:] if not word.startswith("-")]
    if len(words) > 1 and not any(word.startswith("-") for word in argv[1:]):
        return None
    return parser.parse_args(argv[1:])


def decide_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the options decide, by dotted name."""
    return given_options(arguments, "backend", "private", "offline")
