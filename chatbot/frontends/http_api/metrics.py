"""What is counted, in the form of Prometheus; nothing of what anybody asked or got is in it."""

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatbot.frontends.http_api.chats.live_answer import EventFields
from chatbot.frontends.http_api.errors import error_response
from utils.faults import record_fault

UNKNOWN_ROUTE = "none"


class ApiMetrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "magpie_http_requests",
            "Requests, by route, method and status.",
            ["route", "method", "status"],
            registry=self._registry,
        )
        self.seconds = Histogram(
            "magpie_http_request_seconds",
            "Seconds until the last byte of an answer.",
            ["route"],
            registry=self._registry,
        )
        self._answers = Counter(
            "magpie_answers",
            "Answers, by how they ended: answered, failed, stopped, left.",
            ["outcome"],
            registry=self._registry,
        )
        self._tokens = Counter(
            "magpie_tokens", "Tokens of answers: prompt, cached, reply.", ["kind"], registry=self._registry
        )
        self._running = Gauge("magpie_answers_running", "Answers that are being made.", registry=self._registry)
        self._waiting = Gauge("magpie_consents_waiting", "Requests that wait for consent.", registry=self._registry)

    def watch(self, running: Callable[[], int], waiting: Callable[[], int]) -> None:
        """Where to read how many answers are being made, and how many requests wait."""
        self._running.set_function(running)
        self._waiting.set_function(waiting)

    def count_answer(self, outcome: str, events: list[EventFields]) -> None:
        """An answer has ended."""
        self._answers.labels(outcome).inc()
        for fields in events[-1:]:
            usage = fields.get("usage", {})
            for kind in ("prompt", "cached", "reply"):
                self._tokens.labels(kind).inc(usage.get(f"{kind}_tokens", 0))

    def write_text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)


class MeteredApplication:
    """Counts requests, and lets no failure of one reach the server."""

    def __init__(self, app: ASGIApp, metrics: ApiMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def send_counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        except Exception as error:  # noqa: BLE001 - the last resort: a bug ends one request, not the server
            failure = record_fault(error, "Answering a request")
            if not status:
                await error_response(failure)(scope, receive, send_counted)
        finally:
            route = getattr(scope.get("route"), "path", UNKNOWN_ROUTE)
            self._metrics.requests.labels(route, _known_method(scope["method"]), str(status)).inc()
            self._metrics.seconds.labels(route).observe(time.monotonic() - began)


def _known_method(method: str) -> str:
    """The method; of made-up ones there would be a counter each."""
    return method if method in ("GET", "POST", "PATCH", "DELETE", "OPTIONS", "HEAD", "PUT") else "other"
