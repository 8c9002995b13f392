"""The options of `magpie mcp`; light, so that its help is there at once."""

import argparse
from collections.abc import Sequence

from chatbot.frontends.library_cli.arguments import add_common, add_serving
from chatbot.frontends.plain import Parser

TOOLS = ("search_library", "web_search", "read_page", "index_source", "library_stats")


def is_command(arguments: Sequence[str]) -> bool:
    """Whether what follows `mcp` is meant for the server, and is not the words of a question."""
    return not arguments or arguments[0].startswith("-")


def parser() -> argparse.ArgumentParser:
    """The options of the server."""
    made = Parser(
        prog="magpie mcp",
        description="Offer the library and the web search to a client of the Model Context Protocol.",
    )
    made.set_defaults(command="mcp", model=None, backend=None, verbose=False)
    add_common(made)
    add_serving(made, TOOLS)
    return made


def approving() -> argparse.ArgumentParser:
    """The options of `magpie mcp approve`."""
    made = Parser(
        prog="magpie mcp approve",
        description="Let the command of an MCP server in mcp.json run, and take its tools as they are now.",
    )
    made.set_defaults(command="approve", model=None, backend=None, verbose=False)
    made.add_argument("name", help="the server's name in mcp.json")
    add_common(made)
    return made
