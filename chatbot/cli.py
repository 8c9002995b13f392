"""The command line: arguments become a configuration, a chat is built, one front end runs."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from chatbot.frontends import chat_arguments as chat
from chatbot.frontends.base import FrontEnd
from chatbot.frontends.benching.arguments import parse_benching
from chatbot.frontends.feedback.arguments import parse_feedback
from chatbot.frontends.http_api.arguments import parse_serving
from chatbot.frontends.library_cli import arguments as library
from chatbot.frontends.mcp_server import arguments as serving
from chatbot.frontends.plain import print_clean
from chatbot.frontends.probing.arguments import parse_probing
from chatbot.frontends.researching.arguments import parse_research
from chatbot.frontends.telegram.arguments import parse_telegram

if TYPE_CHECKING:
    from chatbot.config import Configuration

BUG = 70  # EX_SOFTWARE of sysexits.h
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells count


FRONT_ENDS = [
    FrontEnd(serving.parse_approval, "chatbot.frontends.approve"),
    FrontEnd(serving.parse, "chatbot.frontends.mcp_server.command"),
    FrontEnd(parse_serving, "chatbot.frontends.http_api.command"),
    FrontEnd(library.parse, "chatbot.frontends.library_cli.commands"),
    FrontEnd(parse_benching, "chatbot.frontends.benching.command"),
    FrontEnd(parse_probing, "chatbot.frontends.probing.command"),
    FrontEnd(parse_feedback, "chatbot.frontends.feedback.command"),
    FrontEnd(parse_telegram, "chatbot.frontends.telegram.command"),
    FrontEnd(parse_research, "chatbot.frontends.researching.command"),
    FrontEnd(chat.parse_preparing, "chatbot.frontends.prepare"),
    FrontEnd(chat.parse_question, "chatbot.frontends.oneshot"),
    FrontEnd(chat.parse_chat, "chatbot.frontends.terminal"),
]
"""In the order in which they are asked whether a command line is theirs; the last one takes all."""


def parse_arguments(argv: Sequence[str]) -> tuple[FrontEnd, argparse.Namespace]:
    """The front end whose command line it is, and its arguments."""
    for front_end in FRONT_ENDS:
        arguments = front_end.parse(argv)
        if arguments is not None:
            return front_end, arguments
    raise AssertionError("a chat takes every command line")


def settings_from_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that the command line decides, by dotted name; raises `ConfigError`."""
    from utils.errors import ConfigError
    from utils.settings import decode_value

    decided: dict[str, Any] = {}
    for pair in arguments.set:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set {pair} has no value.", "Write it as --set name=value.")
        decided[name] = decode_value(value)
    return decided | (arguments.settings(arguments) if "settings" in arguments else {})


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
    front_end, arguments = parse_arguments(sys.argv[1:] if argv is None else argv)
    # Nobody plugs anything into pydantic here, and to look for plugins reads what every installed package says of
    # itself: that alone takes as long as all settings.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from chatbot.config import Configuration, load_configuration
    from utils.errors import MagpieError
    from utils.network import telemetry

    telemetry.switch_off()
    configuration: Configuration | None = None
    try:
        configuration = load_configuration(arguments.config, settings_from_options(arguments))
        return run_front_end(configuration, front_end, arguments)
    except MagpieError as error:
        print_clean(str(error), sys.stderr)
        return 1
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last resort: a bug is logged and said, never shown as a traceback
        return report_crash(configuration, error)


def run_front_end(configuration: "Configuration", front_end: FrontEnd, arguments: argparse.Namespace) -> int:
    """Run the front end."""
    import asyncio

    from chatbot.engine.engine import Engine
    from utils.log import start_log

    values = configuration.values
    if problem := start_log(None if values.private else values.data_folder, verbose=values.verbose):
        print_clean(problem, sys.stderr)
    return asyncio.run(front_end.run(Engine(configuration), arguments))


def report_crash(configuration: "Configuration | None", error: Exception) -> int:
    """Log a bug's traceback, say where it is, and return the exit code; a disk that takes nothing is no bug."""
    from utils.log import record_crash
    from utils.paths import default_data_dir

    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        where = f" for {error.filename}" if error.filename else ""
        full = f"There is no room on the disk{where}. Make room, and start Magpie again."
        only_read = f"Nothing can be written{where}: {error.strerror}. Check data_dir."
        print_clean(only_read if error.errno == errno.EROFS else full, sys.stderr)
        return 1
    if configuration and configuration.values.private:
        print_clean(
            "Magpie stopped because of a bug of its own; as this run is private, no details are kept.", sys.stderr
        )
        return BUG
    try:
        log = record_crash(configuration.values.data_folder if configuration else default_data_dir(), error)
    except OSError as failure:
        print_clean(f"Magpie stopped because of a bug of its own. No details could be kept: {failure}.", sys.stderr)
        return BUG
    print_clean(f"Magpie stopped because of a bug of its own; what you said is saved. Details: {log}", sys.stderr)
    return BUG
