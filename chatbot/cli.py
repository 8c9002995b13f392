"""The command line: arguments become a configuration, a chat is built, one front end runs."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from chatbot import __version__
from chatbot.frontends.library_cli import arguments as library
from chatbot.frontends.mcp_server import arguments as serving
from chatbot.frontends.plain import Parser, say

if TYPE_CHECKING:
    from chatbot.config import Configuration

LAST = "last"
BUG = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells count


def parser() -> argparse.ArgumentParser:
    """The options of `magpie`."""
    made = Parser(
        prog="magpie",
        description="A local-first assistant that looks things up and cites its sources.",
        epilog="Without a question, a chat begins. Text on standard input is added to the question."
        " `magpie rag --help` tells of the library's own commands, `magpie mcp --help` of the server for MCP clients.",
    )
    made.add_argument("question", nargs="*", help="answer this once and leave")
    made.add_argument("-m", "--model", help="the model, for instance qwen3:8b or embedded:0.5b")
    made.add_argument("-f", "--file", action="append", default=[], type=Path, help="add a file's text to the question")
    made.add_argument("-b", "--backend", choices=["auto", "ollama", "embedded"], help="what runs the model")
    made.add_argument("--config", type=Path, help="the configuration file")
    made.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any setting, e.g. rag.top_k=3")
    made.add_argument("--json", action="store_true", help="print the events of the answer, one JSON object a line")
    again = made.add_mutually_exclusive_group()
    again.add_argument(
        "-c", "--continue", dest="resume", action="store_const", const=LAST, help="go on with the last conversation"
    )
    again.add_argument("--resume", metavar="ID", help="go on with a conversation: its id, its title or words in it")
    made.add_argument("--private", action="store_true", help="keep nothing of this run, and add nothing to the library")
    made.add_argument("--offline", action="store_true", help="let nothing leave this machine")
    made.add_argument("--verbose", action="store_true", help="show the beginning of each tool's result")
    made.add_argument("--prepare", action="store_true", help="fetch and load what a chat needs, then leave")
    made.add_argument("--version", action="version", version=f"magpie {__version__}")
    return made


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments; those of a command on the library, and of the server, have `command`."""
    if argv[:1] == ["rag"] and library.is_command(argv[1:]):
        return library.parser().parse_args(argv[1:])
    if argv[:2] == ["mcp", "approve"]:
        return serving.approving().parse_args(argv[2:])
    if argv[:1] == ["mcp"] and serving.is_command(argv[1:]):
        return serving.parser().parse_args(argv[1:])
    return parser().parse_args(argv)


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the command line decides, by dotted name; raises `ConfigError`."""
    from utils.errors import ConfigError

    decided: dict[str, Any] = {}
    for pair in arguments.set:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set {pair} has no value.", "Write it as --set name=value.")
        decided[name] = value
    for name in ("model", "backend"):
        if getattr(arguments, name):
            decided[name] = getattr(arguments, name)
    for name in ("verbose", "private", "offline"):
        if getattr(arguments, name, False):
            decided[name] = True
    return decided | (library.settings(arguments) if "command" in arguments else {})


def entry() -> NoReturn:
    """Run Magpie and leave at once.

    Python would wait for imports that are still under way in threads, and then take PyTorch apart: 5 to 10 seconds,
    measured on two busy cores, in which nothing is left to be done. Everything of the user's is on disk by then.
    """
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def main(argv: list[str] | None = None) -> int:
    """Run Magpie; the process's exit code: 0, 1 for what was said, 70 for a bug, 130 after Ctrl-C."""
    # Whatever this process or a library in it writes is for its user's eyes only.
    os.umask(0o077)
    arguments = parse(sys.argv[1:] if argv is None else argv)
    if "command" in arguments and arguments.command is None:
        library.parser().print_help()
        return 0
    # Nobody plugs anything into pydantic here, and to look for plugins reads what every installed package says of
    # itself: that alone takes as long as all settings.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from chatbot.config import Configuration, load
    from utils.errors import MagpieError
    from utils.network import telemetry

    telemetry.switch_off()
    configuration: Configuration | None = None
    try:
        configuration = load(arguments.config, options(arguments))
        return run(configuration, arguments)
    except MagpieError as error:
        say(str(error), sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort: a bug is logged and said, never shown as a traceback
        return crashed(configuration, error)


def run(configuration: "Configuration", arguments: argparse.Namespace) -> int:
    """Choose the front end and run it."""
    import asyncio

    from utils.log import start_log

    values = configuration.values
    if problem := start_log(None if values.private else values.data_folder, verbose=values.verbose):
        say(problem, sys.stderr)
    if "command" in arguments and arguments.command == "approve":
        from chatbot.frontends import approve

        return asyncio.run(approve.run(configuration, arguments.name))
    if "command" in arguments and arguments.command == "mcp":
        from chatbot.frontends.mcp_server import command

        return asyncio.run(command.run(configuration, arguments))
    if "command" in arguments:
        from chatbot.frontends.library_cli import commands

        return asyncio.run(commands.run(configuration, arguments))
    from chatbot.engine.engine import Engine
    from chatbot.frontends.misplaced import misplaced_command

    if problem := misplaced_command(arguments.question):
        say(problem, sys.stderr)
        return 1
    engine, resume = Engine(configuration), arguments.resume or ""
    if arguments.prepare:
        from chatbot.frontends import prepare

        return asyncio.run(prepare.run(engine))
    if arguments.question or arguments.file or not sys.stdin.isatty():
        from chatbot.frontends import oneshot

        question = oneshot.OneShotQuestion(" ".join(arguments.question), arguments.file, resume)
        return asyncio.run(oneshot.run(engine, question, as_json=arguments.json))
    from chatbot.frontends import terminal

    return asyncio.run(terminal.run(engine, resume))


def crashed(configuration: "Configuration | None", error: Exception) -> int:
    """Log a bug's traceback, say where it is, and return the exit code; a disk that takes nothing is no bug."""
    from utils.log import record_crash
    from utils.paths import default_data_dir

    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        where = f" for {error.filename}" if error.filename else ""
        full = f"There is no room on the disk{where}. Make room, and start Magpie again."
        only_read = f"Nothing can be written{where}: {error.strerror}. Check data_dir."
        say(only_read if error.errno == errno.EROFS else full, sys.stderr)
        return 1
    if configuration and configuration.values.private:
        say("Magpie stopped because of a bug of its own; as this run is private, no details are kept.", sys.stderr)
        return BUG
    try:
        log = record_crash(configuration.values.data_folder if configuration else default_data_dir(), error)
    except OSError as failure:
        say(f"Magpie stopped because of a bug of its own. No details could be kept: {failure}.", sys.stderr)
        return BUG
    say(f"Magpie stopped because of a bug of its own; what you said is saved. Details: {log}", sys.stderr)
    return BUG
