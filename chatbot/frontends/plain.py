"""Plain text on standard output or standard error: the one way by which it gets there outside of the chat's screen."""

import argparse
from typing import Any, NoReturn, TextIO

from utils.text import clean


def print_clean(text: str, stream: TextIO) -> None:
    """Print a text, cleaned, and end its line."""
    stream.write(clean(text) + "\n")
    stream.flush()


def given_options(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Those of the options that a command line has and that were given."""
    options = {name: getattr(arguments, name, None) for name in names}
    return {name: value for name, value in options.items() if value}


class Parser(argparse.ArgumentParser):
    """A parser of arguments whose complaints quote them cleaned: a shell may have put names of files there."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with 2."""
        super().error(clean(message))
