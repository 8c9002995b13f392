"""Who may ask: Host and Origin of a request, and the token that says whose it is."""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatbot.engine.people import OWNER
from chatbot.frontends.http_api.errors import ApiRefusal, error_response
from chatbot.frontends.http_api.guard.request_rate import RequestRate
from chatbot.frontends.http_api.person_tokens import PersonTokens
from chatbot.frontends.serving.address import ListenAddress
from chatbot.settings import ServeSettings
from utils.errors import MagpieError

ALLOWED_HEADERS = "Authorization, Content-Type, Last-Event-ID"
EXPOSED_HEADERS = "Magpie-Chat, Magpie-Session, Retry-After"
STRICT_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
"""What every answer has, unless it says otherwise."""
Public = Callable[[str], bool]
"""Whether a path needs no token, as it tells nothing of anybody."""


class AccessGuard:
    """Lets requests through that name this server, come from no foreign page, and are somebody's."""

    def __init__(
        self, app: ASGIApp, address: ListenAddress, settings: ServeSettings, tokens: PersonTokens, public: Public
    ) -> None:
        self._app = app
        # A proxy hands on the name by which it was called; a page that is let in may as well be served by it.
        called = [_host_name(urlsplit(origin).netloc) for origin in settings.allow_origins]
        self._names = (*address.names, *called) if address.names else ()
        self._needs_token = settings.require_token or not address.is_local
        self._origins = frozenset(origin.lower() for origin in settings.allow_origins)
        self._tokens = tokens
        self._public = public
        self._rate = RequestRate(settings.requests_per_minute)
        self._wrong = RequestRate(max(1, settings.requests_per_minute // 10))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "").lower()
        send = self._with_headers(send, origin if origin in self._origins else "")
        try:
            self._check_host(headers.getlist("host"))
            self._check_origin(origin, headers)
            if scope["method"] == "OPTIONS" and origin in self._origins:
                await _preflight_answer()(scope, receive, send)
                return
            scope.setdefault("state", {})["person"] = self._find_person(scope, headers)
        except MagpieError as error:
            await error_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check_host(self, hosts: Sequence[str]) -> None:
        """A page that has its own name lead to this machine (DNS rebinding) names itself as the host."""
        name = _host_name(hosts[0]) if len(hosts) == 1 else ""
        if not name or (self._names and name not in self._names):
            raise ApiRefusal(421, "This server has another name.", f"Ask {self._names[0]}." if self._names else "")

    def _check_origin(self, origin: str, headers: Headers) -> None:
        """A page from elsewhere may ask nothing, in whosever browser it is."""
        if origin in self._origins:
            return
        if origin:
            own = urlsplit(origin)
            if own.scheme not in ("http", "https") or own.netloc != headers["host"].lower():
                raise ApiRefusal(403, "Pages of another origin may not use this server.", "See serve.allow_origins.")
            return
        elsewhere = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if elsewhere and headers.get("sec-fetch-mode") != "navigate":
            raise ApiRefusal(403, "Pages of another origin may not use this server.", "See serve.allow_origins.")

    def _find_person(self, scope: Scope, headers: Headers) -> str:
        """Whose request it is; raises `ApiRefusal` where nobody's, or where they ask too often."""
        client = (scope.get("client") or ("",))[0]
        sent = headers.get("authorization")
        if sent is None and (not self._needs_token or self._public(scope["path"])):
            self._rate.take(f"from {client}")
            return OWNER
        scheme, _, token = (sent or "").partition(" ")
        person = self._tokens.find_person(token.strip()) if scheme.lower() == "bearer" else None
        if person is None:
            self._wrong.take(client)
            problem = "This token lets nobody in." if sent else "A token is needed."
            challenge = {"www-authenticate": "Bearer"}
            raise ApiRefusal(401, problem, "magpie serve --new-token makes one.", code="no_token", headers=challenge)
        self._rate.take(f"of {person}")
        return person

    def _with_headers(self, send: Send, origin: str) -> Send:
        async def send_strict(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in STRICT_HEADERS.items():
                    headers.setdefault(name, value)
                if origin:
                    headers["access-control-allow-origin"] = origin
                    headers["access-control-expose-headers"] = EXPOSED_HEADERS
                    headers["cross-origin-resource-policy"] = "cross-origin"
                if self._origins:
                    headers.add_vary_header("origin")
            await send(message)

        return send_strict


def _host_name(host: str) -> str:
    """The name in a Host header without its port; empty where it is none."""
    host = host.strip().lower()
    name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    return (name or host) if not name or port.isdecimal() else ""


def _preflight_answer() -> Response:
    return Response(
        status_code=204,
        headers={
            "access-control-allow-methods": "GET, POST, PATCH, DELETE",
            "access-control-allow-headers": ALLOWED_HEADERS,
            "access-control-max-age": "600",
        },
    )
