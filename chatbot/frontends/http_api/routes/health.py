"""/api/health and /api/metrics: whether the server is there, and what it has done."""

from typing import Literal

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST

from chatbot import __version__
from chatbot.frontends.http_api.service import Service
from chatbot.frontends.http_api.values import ApiModel

HEALTH_PATH = "/api/health"
health_router = APIRouter(tags=["server"])


class Health(ApiModel):
    """That it is there."""

    status: Literal["ok"] = "ok"
    version: str


@health_router.get(HEALTH_PATH)
async def tell_health() -> Health:
    """Whether the server answers; needs no token, and tells nothing of anybody."""
    return Health(version=__version__)


@health_router.get(
    "/api/metrics",
    response_class=PlainTextResponse,
    responses={
        200: {"content": {"text/plain": {"example": 'magpie_answers_total{outcome="answered"} 3.0'}}},
        # The only route whose refusals are of another type than its answer.
        "default": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}},
    },
)
async def write_metrics(service: Service) -> Response:
    """What was counted since the server began, as Prometheus reads it."""
    return Response(service.metrics.write_text(), media_type=CONTENT_TYPE_LATEST)
