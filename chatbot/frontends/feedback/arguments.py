"""The options of `magpie feedback`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from chatbot.frontends.common_options import add_setting_options
from chatbot.frontends.plain import Parser


def make_parser() -> argparse.ArgumentParser:
    """The options of the export."""
    made = Parser(prog="magpie feedback", description="The answers that /good and /bad marked.")
    commands = made.add_subparsers(metavar="command", title="commands", required=True)
    told = (
        "write the marked answers into a folder, in the forms that `make fit-router` and `make fit-answerability` read"
    )
    one = commands.add_parser("export", help=told, description=f"{told.capitalize()}; nothing leaves this machine.")
    one.add_argument("folder", type=Path, metavar="FOLDER", help="where they are written; made where it is not there")
    one.add_argument("--json", action="store_true", help="print JSON")
    add_setting_options(one)
    return made


def parse_feedback(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of the export; None for another command line, and for a question that begins with the word."""
    if argv[:1] != ["feedback"] or argv[1:2] not in ([], ["export"], ["-h"], ["--help"]):
        return None
    return make_parser().parse_args(argv[1:] or ["--help"])
