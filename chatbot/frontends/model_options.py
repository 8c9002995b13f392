"""The options that say which model answers, for every command line that asks one; `--version` waits for nothing."""

import argparse
from collections.abc import Iterator


class BackendNames:
    """The names of the backends, looked up when one is given or help is shown."""

    def __iter__(self) -> Iterator[str]:
        from chatbot.models.backends import backend_names

        return iter(backend_names())


def add_model_options(made: argparse.ArgumentParser) -> None:
    """Add `--model` and `--backend`."""
    made.add_argument("-m", "--model", help="the model, for instance qwen3:8b or embedded:0.5b")
    made.add_argument(
        "-b", "--backend", choices=BackendNames(), metavar="NAME", help="what runs the model: %(choices)s"
    )
