"""The options of a chat, of a question in the shell, and of `--prepare`; light, so that the help is there at once."""

import argparse
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from chatbot import __version__
from chatbot.frontends.common_options import add_model_options
from chatbot.frontends.plain import Parser, given_options
from chatbot.history.session_id import RESUME_LAST


def make_parser() -> argparse.ArgumentParser:
    """The options of `magpie`."""
    made = Parser(
        prog="magpie",
        description="A local-first assistant that looks things up and cites its sources.",
        epilog="Without a question, a chat begins. Text on standard input is added to the question."
        " `magpie rag --help` tells of the library's own commands, `magpie mcp --help` of the server for MCP clients,"
        " `magpie research --help` of reports on a question.",
    )
    made.set_defaults(settings=settings)
    made.add_argument("question", nargs="*", help="answer this once and leave")
    add_model_options(made)
    made.add_argument(
        "-f",
        "--file",
        action="append",
        default=[],
        metavar="NAME",
        help="add the text of a file, of a folder's files or of the page at an address to the question",
    )
    made.add_argument("--profile", metavar="NAME", help="how to answer: coder, researcher, strudel, or your own")
    made.add_argument("--config", type=Path, help="the configuration file")
    made.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any setting, e.g. rag.top_k=3")
    _add_printing(made)
    again = made.add_mutually_exclusive_group()
    again.add_argument(
        "-c",
        "--continue",
        dest="resume",
        action="store_const",
        const=RESUME_LAST,
        help="go on with the last conversation",
    )
    again.add_argument("--resume", metavar="ID", help="go on with a conversation: its id, its title or words in it")
    made.add_argument("--private", action="store_true", help="keep nothing of this run, and add nothing to the library")
    made.add_argument("--offline", action="store_true", help="let nothing leave this machine")
    made.add_argument("--verbose", action="store_true", help="show the beginning of each tool's result")
    made.add_argument("--prepare", action="store_true", help="fetch and load what a chat needs, then leave")
    made.add_argument("--version", action="version", version=f"magpie {__version__}")
    return made


def parse_preparing(argv: Sequence[str]) -> argparse.Namespace | None:
    """`magpie --prepare`."""
    arguments = _parsed(tuple(argv))
    return arguments if arguments.prepare else None


def parse_question(argv: Sequence[str]) -> argparse.Namespace | None:
    """A question in the arguments, in a file or on standard input."""
    arguments = _parsed(tuple(argv))
    return arguments if arguments.question or arguments.file or not sys.stdin.isatty() else None


def parse_chat(argv: Sequence[str]) -> argparse.Namespace:
    """A chat, which is everything else."""
    return _parsed(tuple(argv))


def settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the options decide, by dotted name."""
    options = given_options(arguments, "model", "backend", "profile", "verbose", "private", "offline")
    if arguments.schema:
        options |= {"answer_schema_file": str(arguments.schema.absolute()), "answer_format": "json"}
    return options | ({"answer_format": arguments.format} if arguments.format else {})


def _add_printing(made: argparse.ArgumentParser) -> None:
    """The options that say what of an answer is printed."""
    made.add_argument("--json", action="store_true", help="print the events of the answer, one JSON object a line")
    made.add_argument(
        "--format", choices=("text", "json"), help="json: put the answer into a JSON object, and print that"
    )
    made.add_argument("--schema", type=Path, metavar="FILE", help="the JSON Schema of that object")


@lru_cache(maxsize=1)
def _parsed(argv: tuple[str, ...]) -> argparse.Namespace:
    return make_parser().parse_args(argv)
