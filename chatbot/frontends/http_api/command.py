"""`magpie serve`: runs the API until it is told to end, or makes and drops the tokens that let people in."""

import argparse
import asyncio
import sys

from chatbot.engine.engine import Engine
from chatbot.frontends.ending import run_to_end
from chatbot.frontends.http_api.application import guard_api, make_api
from chatbot.frontends.http_api.person_tokens import PersonTokens
from chatbot.frontends.http_api.service import ApiService
from chatbot.frontends.plain import print_clean
from chatbot.frontends.serving.address import ListenAddress
from chatbot.frontends.serving.ending import ended_by_sigterm
from chatbot.frontends.serving.listening import serve_application
from chatbot.library.progress import counted
from utils.errors import ConfigError, MagpieError
from utils.faults import in_background


async def run(engine: Engine, arguments: argparse.Namespace) -> int:
    """Serve, or see to the tokens; the exit code."""
    tokens = PersonTokens(engine.configuration.values.data_folder)
    if arguments.new_token is not None:
        print_clean(await asyncio.to_thread(tokens.add, arguments.new_token), sys.stdout)
        print_clean("It is told this once. Send it as: Authorization: Bearer TOKEN", sys.stderr)
        return 0
    if arguments.drop_tokens is not None:
        dropped = await asyncio.to_thread(tokens.drop, arguments.drop_tokens)
        print_clean(f"{counted(dropped, 'token')} let nobody in any more.", sys.stdout)
        return 0

    def show_failure(error: MagpieError) -> None:
        print_clean(str(error), sys.stderr)

    return await run_to_end(serve_api(engine), show_failure)


async def serve_api(engine: Engine) -> int:
    """Serve until SIGTERM or Ctrl-C; the exit code. Raises `ConfigError` where others could come in without a token."""
    service = ApiService(engine)
    address = ListenAddress(service.settings.host, service.settings.port)
    needs_token = service.settings.require_token or not address.is_local
    if needs_token and not service.tokens.list_tokens():
        told = "A token is needed, and there is none yet."
        if not service.settings.require_token:
            told = f"Others could reach {address.host}, so a token must guard it, and there is none yet."
        raise ConfigError(told, "Make one first: magpie serve --new-token")
    whom = "" if not needs_token else " to clients that send a token"
    with ended_by_sigterm() as ended:
        try:
            async with engine:
                app = guard_api(make_api(service), service, address)
                # What fails is logged, and told with the first question, which tries it again.
                warming = in_background(service.warm_up(), "Loading the models")
                try:
                    await serve_application(app, address, service.close_port, whom=whom)
                finally:
                    warming.cancel()
                    await asyncio.wait({warming})
        except asyncio.CancelledError:
            if not ended:
                raise
    return 0
