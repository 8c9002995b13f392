"""What a front end is: the command lines that are its own, and the module that serves them."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatbot.engine.engine import Engine


@dataclass(frozen=True)
class FrontEnd:
    """A way to use Magpie; to add one, name it in `FRONT_ENDS` of `chatbot/cli.py`."""

    parse: Callable[[Sequence[str]], argparse.Namespace | None]
    """Reads a command line; None where it is another front end's. Besides its own the arguments have `config` (a path
    or None) and `set` (NAME=VALUE each); with `settings`, a function of them, they decide further settings by name.
    """
    module: str
    """Imported when it is to run: it has `async def run(engine, arguments) -> int`, the exit code."""

    async def run(self, engine: "Engine", arguments: argparse.Namespace) -> int:
        """Serve the command line; raises a `MagpieError`."""
        served: Any = import_module(self.module)
        code: int = await served.run(engine, arguments)
        return code
