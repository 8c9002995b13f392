"""The options of `magpie telegram`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence
from typing import Any

from chatbot.frontends.common_options import add_model_options, add_setting_options
from chatbot.frontends.plain import Parser, given_options


def make_parser() -> argparse.ArgumentParser:
    """The options of the bot."""
    made = Parser(
        prog="magpie telegram",
        description="Answer as a Telegram bot, to the users in telegram.allowed_users alone. Its token stands in"
        " the variable MAGPIE_TELEGRAM_TOKEN, or in the file that telegram.token_file names.",
    )
    made.set_defaults(settings=decide_settings)
    made.add_argument("--who", action="store_true", help="answer nobody, and show the id of whoever writes to the bot")
    made.add_argument(
        "--delete-webhook", action="store_true", help="take the bot back from a web server that gets its messages"
    )
    add_model_options(made)
    made.add_argument("--profile", metavar="NAME", help="how to answer: coder, researcher, strudel, or your own")
    made.add_argument("--private", action="store_true", help="keep nothing of what is said")
    made.add_argument("--offline", action="store_true", help="let nothing leave this machine")
    made.add_argument("--verbose", action="store_true", help="write all that happens to the log")
    add_setting_options(made)
    return made


def parse_telegram(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of the bot; None for another command line, and for a question that begins with the word."""
    is_command = argv[:1] == ["telegram"] and (len(argv) == 1 or argv[1].startswith("-"))
    return make_parser().parse_args(argv[1:]) if is_command else None


def decide_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the options decide, by dotted name."""
    return given_options(arguments, "model", "backend", "profile", "private", "offline", "verbose")
