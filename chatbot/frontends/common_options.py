"""The options that several command lines have: which model answers, and the settings; `--version` waits for nothing."""

import argparse
from collections.abc import Iterator
from pathlib import Path


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


def add_setting_options(made: argparse.ArgumentParser) -> None:
    """Add `--config` and `--set`, which every command line has."""
    made.add_argument("--config", type=Path, metavar="FILE", help="the configuration file")
    made.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any setting")
