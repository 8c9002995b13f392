"""What the routes share: the engine's chats, answers under way, what waits for consent, what is counted."""

from typing import Annotated

from fastapi import Depends, Request

from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.people import OWNER
from chatbot.frontends.http_api.chats.answering import Answering
from chatbot.frontends.http_api.chats.consents import PendingConsents
from chatbot.frontends.http_api.chats.held_chats import HeldChats
from chatbot.frontends.http_api.metrics import ApiMetrics
from chatbot.frontends.http_api.person_tokens import PersonTokens
from rag.library import Library
from utils.errors import ConfigError


class ApiService:
    """The parts of one server, over one engine."""

    def __init__(self, engine: Engine) -> None:
        config = engine.configuration.values
        self.settings = config.serve
        self.tokens = PersonTokens(config.data_folder)
        self.metrics = ApiMetrics()
        self.consents = PendingConsents(self.settings.consent_seconds)
        self.chats = HeldChats(engine, self.consents)
        self.answering = Answering(self.chats, self.settings, self.metrics)
        self.metrics.watch(lambda: self.answering.running, lambda: self.consents.waiting)

    def close_port(self, port: int) -> None:
        """Have no page opened at the port where this server itself listens."""
        self.chats.on_open = lambda chat: chat.reach.own_ports.add(port)

    async def warm_up(self) -> None:
        """Load what the first question needs; raises a `MagpieError`.

        The owner's chat holds the model from then on, so that it stays loaded from one request to the next.
        """
        await (await self.chats.desk(OWNER)).warm_up()

    async def close(self) -> None:
        """Stop all answers; the chats are closed with the engine."""
        await self.answering.close()
        await self.chats.close()


def service_of(request: Request) -> ApiService:
    """The service of the application that a request came to."""
    service: ApiService = request.app.state.service
    return service


def person_of(request: Request) -> str:
    """Whose request it is, as the guard found out."""
    person: str = request.state.person
    return person


Service = Annotated[ApiService, Depends(service_of)]
PersonName = Annotated[str, Depends(person_of)]


async def desk_of(service: Service, person: PersonName) -> Chat:
    """The chat by which a person's conversations, facts and the library are read."""
    return await service.chats.desk(person)


Desk = Annotated[Chat, Depends(desk_of)]


def library_of(desk: Desk) -> Library:
    """The library; raises `ConfigError` where it is switched off."""
    if desk.library is None:
        raise ConfigError("The library is switched off.", "Set rag.enabled to true and start again.")
    return desk.library


OpenLibrary = Annotated[Library, Depends(library_of)]
