"""`magpie rag copy`: a library from one backend into another."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

from chatbot.config import Config
from chatbot.frontends.library_cli.arguments import named_collections
from chatbot.frontends.library_cli.progress import ProgressLine
from chatbot.frontends.plain import print_clean
from chatbot.library.progress import counted
from rag.backends import POSTGRES_SCHEMES, open_backend, open_copy
from rag.records.copying import CopyReport, copy_library
from rag.settings import POSTGRES_VARIABLE
from utils.errors import ConfigError
from utils.network.offline import OfflineSwitch
from utils.text import json_line


async def copy(config: Config, arguments: argparse.Namespace) -> int:
    """Copy the library of the settings, or collections of it, to where is named, and say what is there now."""
    if arguments.to == config.rag.backend:
        raise ConfigError(f"The library is kept in {arguments.to} already.", "Name another backend with --to.")
    only = named_collections(arguments)
    report = await asyncio.to_thread(_copy_now, config, arguments.to, only)
    if arguments.json:
        print_clean(json_line(asdict(report)), sys.stdout)
        return 0
    there = f"{counted(report.documents, 'document')}, {counted(report.chunks, 'chunk')}"
    # Of an address no more is said: its password is in it.
    name, more = (
        ("postgres", f", and {POSTGRES_VARIABLE} to that address,")
        if arguments.to.startswith(POSTGRES_SCHEMES)
        else (arguments.to, "")
    )
    what = f"{', '.join(only)} {'is' if len(only) == 1 else 'are'}" if only else "All is"
    print_clean(f"{what} in {name}, and compared: {there}; copied now: {report.copied:,}.", sys.stdout)
    print_clean(f"Set rag.backend to {name}{more} to use it.", sys.stderr)
    return 0


def _copy_now(config: Config, to: str, only: Sequence[str]) -> CopyReport:
    network, line = OfflineSwitch(config.offline), ProgressLine(sys.stderr)
    folder, settings = config.library_folder, config.library
    with (
        closing(open_backend(folder, settings, network, line.print_above)) as source,
        closing(open_copy(folder, settings, network, to, line.print_above)) as target,
    ):
        try:
            return copy_library(
                source, target, lambda done, total: line.show(f"{done / max(1, total):.0%} copied"), only
            )
        finally:
            line.clear()
