"""The options of `magpie mcp`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence

from chatbot.frontends.library_cli.arguments import add_common, add_serving, settings_from_options
from chatbot.frontends.plain import Parser

TOOLS = ("search_library", "web_search", "read_page", "index_source", "library_stats")


def is_command(arguments: Sequence[str]) -> bool:
    """Whether what follows `mcp` is meant for the server, and is not the words of a question."""
    return not arguments or arguments[0].startswith("-")


def parse(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of the server; None where it is not meant."""
    return make_parser().parse_args(argv[1:]) if argv[:1] == ["mcp"] and is_command(argv[1:]) else None


def parse_approval(argv: Sequence[str]) -> argparse.Namespace | None:
    """The arguments of `magpie mcp approve`; None where it is not meant."""
    return make_approve_parser().parse_args(argv[2:]) if argv[:2] == ["mcp", "approve"] else None


def make_parser() -> argparse.ArgumentParser:
    """The options of the server."""
    made = Parser(
        prog="magpie mcp",
        description="Offer the library and the web search to a client of the Model Context Protocol.",
    )
    made.set_defaults(command="mcp", settings=settings_from_options)
    add_common(made)
    add_serving(made, TOOLS)
    return made


def make_approve_parser() -> argparse.ArgumentParser:
    """The options of `magpie mcp approve`."""
    made = Parser(
        prog="magpie mcp approve",
        description="Let the command of an MCP server in mcp.json run, and take its tools as they are now.",
    )
    made.set_defaults(settings=settings_from_options)
    made.add_argument("name", help="the server's name in mcp.json")
    add_common(made)
    return made
