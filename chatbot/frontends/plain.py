"""Plain text on standard output or standard error: the one way by which it gets there outside of the chat's screen."""

import argparse
from typing import NoReturn, TextIO

from utils.text import clean


def print_clean(text: str, stream: TextIO) -> None:
    """Print a text, cleaned, and end its line."""
    stream.write(clean(text) + "\n")
    stream.flush()


class Parser(argparse.ArgumentParser):
    """A parser of arguments whose complaints quote them cleaned: a shell may have put names of files there."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and leave with 2."""
        super().error(clean(message))
