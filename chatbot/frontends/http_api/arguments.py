"""The options of `magpie serve`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence
from typing import Any

from chatbot.frontends.common_options import add_model_options, add_setting_options
from chatbot.frontends.library_cli.arguments import port_number
from chatbot.frontends.plain import Parser, given_options


def parse_serving(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of the server; None where it is not meant: `magpie serve me tea` is a question."""
    meant = argv[:1] == ["serve"] and (len(argv) == 1 or argv[1].startswith("-"))
    return make_serving_parser().parse_args(argv[1:]) if meant else None


def make_serving_parser() -> argparse.ArgumentParser:
    """The options of the server."""
    made = Parser(
        prog="magpie serve",
        description="Offer chats, the library and a model that searches to other programs, by HTTP.",
    )
    made.set_defaults(settings=serving_settings)
    made.add_argument("--host", metavar="ADDRESS", help="where to listen; where others can reach it, a token is needed")
    made.add_argument("--port", type=port_number, metavar="N", help="where to listen; 0 for any")
    tokens = made.add_mutually_exclusive_group()
    tokens.add_argument(
        "--new-token",
        nargs="?",
        const="",
        metavar="PERSON",
        help="make a token, print it once and leave; without a person it is yours",
    )
    tokens.add_argument(
        "--drop-tokens",
        nargs="?",
        const="",
        metavar="PERSON",
        help="have the tokens of a person, or yours, let nobody in",
    )
    made.add_argument("--require-token", action="store_true", help="ask for a token on this machine, too")
    add_model_options(made)
    made.add_argument("--profile", metavar="NAME", help="how to answer where a question names no other profile")
    made.add_argument("--private", action="store_true", help="keep nothing of what is said")
    made.add_argument("--offline", action="store_true", help="let nothing leave this machine")
    add_setting_options(made)
    return made


def serving_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the options decide, by dotted name."""
    served = {
        f"serve.{name}": value
        for name in ("host", "port", "require_token")
        if (value := getattr(arguments, name)) is not None and value is not False
    }
    return served | given_options(arguments, "model", "backend", "profile", "private", "offline")
