"""`magpie mcp` and `magpie rag serve`: runs the server until its client leaves or it is told to end."""

import argparse
import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatbot.engine.engine import Engine
from chatbot.frontends.library_cli.arguments import SERVED, named_collections
from chatbot.frontends.mcp_server.arguments import TOOLS
from chatbot.frontends.mcp_server.retrieval import Retrieval
from chatbot.frontends.serving.ending import ended_by_sigterm
from utils.errors import MagpieError

log = logging.getLogger(__name__)

WARMING = 0.5
"""Seconds after which the library is opened unasked: the client's first questions, what there is, come first."""


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Serve; the exit code. Raises `ConfigError`."""
    configuration = engine.configuration
    # The SDK, which takes longer to import than all that is light of Magpie.
    from chatbot.frontends.mcp_server.server import make_server

    retrieval = Retrieval(configuration.values, "".join(named_collections(arguments)))
    names = tools_of(arguments, library=configuration.values.rag.enabled)
    server = make_server(retrieval, names, paths=not arguments.http)
    warming = asyncio.create_task(warm_up(retrieval))
    with ended_by_sigterm() as ended:
        try:
            await serve_transport(server, arguments, retrieval, configuration.values.data_folder)
        except asyncio.CancelledError:
            if not ended:
                raise
        finally:
            warming.cancel()
            await asyncio.wait({warming})
            await retrieval.close()
    return 0


def tools_of(arguments: argparse.Namespace, *, library: bool) -> Sequence[str]:
    """Names of the tools to offer."""
    names = arguments.only or (SERVED if arguments.command == "serve" else TOOLS)
    return [name for name in names if library or name not in SERVED]


async def serve_transport(server: Any, arguments: argparse.Namespace, retrieval: Retrieval, folder: Path) -> None:
    """Serve over what was asked for."""
    if arguments.http:
        from chatbot.frontends.mcp_server import http
        from chatbot.frontends.serving.address import address_of
        from chatbot.frontends.serving.token_file import kept_token

        token_file = arguments.token_file or (None if arguments.no_token else kept_token(folder))
        address = address_of(arguments.host, arguments.port, token_file)
        await http.serve_http(server, address, retrieval.own_ports.add)
    else:
        from chatbot.frontends.mcp_server import stdio

        await stdio.serve_stdio(server)


async def warm_up(retrieval: Retrieval) -> None:
    """Open everything soon; what fails is said when it is needed."""
    await asyncio.sleep(WARMING)
    try:
        await retrieval.open_parts()
    except MagpieError as error:
        log.warning("%s", error)
