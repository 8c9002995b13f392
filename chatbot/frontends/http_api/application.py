"""The API put together: its paths, its document, and the guards in front of them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.security import HTTPBearer
from starlette.types import ASGIApp

from chatbot import __version__
from chatbot.frontends.http_api.errors import ErrorBody, handle_failures
from chatbot.frontends.http_api.guard.access import AccessGuard
from chatbot.frontends.http_api.guard.bodies import BodyGuard
from chatbot.frontends.http_api.metrics import MeteredApplication
from chatbot.frontends.http_api.page.routes import PAGE_PATHS, page_router
from chatbot.frontends.http_api.routes.chat import chat_router
from chatbot.frontends.http_api.routes.completions import completions_router
from chatbot.frontends.http_api.routes.consent import consent_router
from chatbot.frontends.http_api.routes.health import HEALTH_PATH, health_router
from chatbot.frontends.http_api.routes.ingest import ingest_router
from chatbot.frontends.http_api.routes.library import library_router
from chatbot.frontends.http_api.routes.memory import memory_router, reminders_router
from chatbot.frontends.http_api.routes.openai_models import models_router
from chatbot.frontends.http_api.routes.profiles import profiles_router
from chatbot.frontends.http_api.routes.research import research_router
from chatbot.frontends.http_api.routes.responses import responses_router
from chatbot.frontends.http_api.routes.retrieve import retrieve_router
from chatbot.frontends.http_api.routes.sessions import sessions_router
from chatbot.frontends.http_api.routes.tools import tools_router
from chatbot.frontends.http_api.service import ApiService
from chatbot.frontends.serving.address import ListenAddress

API_DESCRIPTION = (
    "Chats that search and cite, the library, and what is remembered, of the person whose token is sent. Everything is"
    " told in one form where it fails: `error.problem` says what happened, `error.remedy` what to do."
)
ROUTERS: Sequence[APIRouter] = (
    page_router,
    health_router,
    chat_router,
    consent_router,
    profiles_router,
    tools_router,
    sessions_router,
    library_router,
    ingest_router,
    retrieve_router,
    research_router,
    memory_router,
    reminders_router,
    completions_router,
    responses_router,
    models_router,
)
PUBLIC_PATHS = PAGE_PATHS | {HEALTH_PATH}
"""What needs no token."""
REFUSALS: dict[int | str, dict[str, Any]] = {
    "default": {"model": ErrorBody, "description": "What happened, and what to do."},
    422: {"model": ErrorBody, "description": "The request does not fit this document."},
}


def make_api(service: ApiService) -> FastAPI:
    """The API without its guards."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await service.close()

    app = FastAPI(
        title="Magpie",
        version=__version__,
        description=API_DESCRIPTION,
        openapi_url="/api/openapi.json",
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=REFUSALS,
        redirect_slashes=False,
        # As clients call what is made of the document.
        generate_unique_id_function=lambda route: route.name,
        # For the document alone: the guard in front has read it.
        dependencies=[Depends(HTTPBearer(auto_error=False, description="A token of `magpie serve --new-token`."))],
    )
    app.state.service = service
    handle_failures(app)
    for router in ROUTERS:
        app.include_router(router)
    return app


def guard_api(app: ASGIApp, service: ApiService, address: ListenAddress) -> ASGIApp:
    """The API behind its guards: who asks comes first, then how much, and every failure is counted and told."""
    limited = BodyGuard(app, service.settings)
    guarded = AccessGuard(limited, address, service.settings, service.tokens, PUBLIC_PATHS.__contains__)
    return MeteredApplication(guarded, service.metrics)
