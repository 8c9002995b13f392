"""Signing in to a server over HTTP with OAuth: the SDK's flow, on connections that our guard makes.

The SDK would send every request of a server one after the other, and forgets where a refresh token belongs: here its
flow runs only where a server asks for a sign-in or a token has ended.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import httpx2
from filelock import Timeout
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl

from tools.mcp_client.auth.callback import Callback, listen_for_callback
from tools.mcp_client.auth.issuers import Outside
from tools.mcp_client.auth.oauth_clients import choose_method, make_provider, port_of, restore_provider, to_keep
from tools.mcp_client.auth.tokens import Tokens
from tools.mcp_client.config import ServerSpec
from utils.errors import MagpieError, NetworkError
from utils.network.access import NetworkAccess
from utils.network.addresses import Target, parse_url
from utils.text import one_line

log = logging.getLogger("magpie.mcp")

SIGN_IN_SECONDS = 300.0
"""For a person to sign in."""

Waiting = Callable[[Target], AbstractContextManager[None]]
"""Holds while a person signs in at an address."""


class SignInFailed(MagpieError):
    """Nobody is signed in; the problem is a clause."""


@dataclass(frozen=True)
class Desk:
    """What signing in needs of the run."""

    environment: Mapping[str, str]
    reach: NetworkAccess
    tokens: Tokens
    waiting: Waiting | None
    """None where nobody is there to sign in."""
    seconds: float = SIGN_IN_SECONDS


class SignIn(httpx2.Auth):
    """The sign-in to one server; its token is sent with requests of that server's own client and nowhere else."""

    def __init__(self, spec: ServerSpec, desk: Desk) -> None:
        self._spec = spec
        self._desk = desk
        self.failed = ""
        """Why nobody is signed in, as a clause; empty where nothing went wrong last."""
        self.refused = False
        """Whether it is not to be tried again by itself."""
        self._outside = Outside(spec, desk.reach)
        self._provider: OAuthClientProvider | None = None
        self._working = asyncio.Lock()
        self._callback: Callback | None = None
        self._address = ""

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """The request with the token, and once again after a sign-in; raises `SignInFailed`."""
        self.failed = ""
        provider = await self._ready_provider()
        if provider.context.can_refresh_token() and not provider.context.is_token_valid():
            await self._refresh_token(provider, request)
        sent = self._sign_request(provider, request)
        response = yield request
        if response.status_code == 401 and sent:
            # It may have been taken back before its time.
            provider.context.token_expiry_time = 1.0
            refreshed = await self._refresh_token(provider, request)
            sent = self._sign_request(provider, request)
            if refreshed:
                response = yield request
        if _asks_to_sign_in(response) and await self._signed_in(provider, request, response, sent):
            response = yield request
            if response.status_code == 401:
                self.failed, self.refused = "it does not accept the sign-in", True

    async def get_tokens(self) -> OAuthToken | None:
        """What the SDK asks for; it is there since `_ready_provider`."""
        return self._provider.context.current_tokens if self._provider else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens, and where they belong."""
        await self._keep_tokens()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """What the SDK asks for; it is there since `_ready_provider`."""
        return self._provider.context.client_info if self._provider else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a new registration."""
        await self._keep_tokens()

    async def _ready_provider(self) -> OAuthClientProvider:
        if self._provider is not None:
            return self._provider
        async with self._working:
            if self._provider is None:
                kept = await asyncio.to_thread(self._desk.tokens.read_signed_in, self._spec.name, self._spec.url)
                provider = make_provider(self._spec, self._desk.environment, self)
                restore_provider(provider, kept, self._spec.oauth.client_id)
                provider.context.redirect_handler = self._show_address
                provider.context.callback_handler = self._receive_code
                self._provider = provider
        return self._provider

    async def _refresh_token(self, provider: OAuthClientProvider, request: httpx2.Request) -> bool:
        """Whether a token that has ended was replaced by a new one, without a person."""
        context = provider.context
        async with self._working:
            if context.is_token_valid() or await self._found_newer(provider):
                return True
            if not context.can_refresh_token():
                return False
            self._address = ""
            try:
                await self._drive_flow(provider, request, None)
            except (OAuthFlowError, NetworkError, httpx2.HTTPError) as error:
                self._note_failure(error)
                raise SignInFailed(self.failed) from error
            if context.current_tokens is None:
                await self._keep_tokens()
            return context.is_token_valid()

    async def _found_newer(self, provider: OAuthClientProvider) -> bool:
        """Whether another Magpie has put a token into the file that holds."""
        current = provider.context.current_tokens
        kept = await asyncio.to_thread(self._desk.tokens.read_signed_in, self._spec.name, self._spec.url)
        if current is None or kept.tokens.get("access_token", current.access_token) == current.access_token:
            return False
        restore_provider(provider, kept, self._spec.oauth.client_id)
        return provider.context.is_token_valid()

    async def _signed_in(
        self, provider: OAuthClientProvider, request: httpx2.Request, response: httpx2.Response, sent: str
    ) -> bool:
        """Whether a sign-in, or one that another request waited for, brought another token."""
        await response.aread()
        async with self._working:
            if self._sign_request(provider, request) != sent:
                return True
            if not self._check_possible(response):
                return False
            try:
                async with AsyncExitStack() as stack:
                    if self._person_signs_in:
                        await self._listen_for_answer(provider, stack)
                    return await self._drive_flow(provider, request, response)
            except (OAuthFlowError, NetworkError, httpx2.HTTPError, SignInFailed) as error:
                if isinstance(error, OAuthRegistrationError) and provider.context.oauth_metadata is None:
                    # It knows nothing of OAuth: its refusal is what there is to say.
                    return False
                self._note_failure(error)
                if self._address and not self._spec.oauth.client_id:
                    # Perhaps the registration is not known there any more.
                    provider.context.client_info = None
                    await self._keep_tokens()
                if response.status_code == 403:
                    # It goes on with what it may do already.
                    return False
                raise SignInFailed(self.failed) from error

    @property
    def _person_signs_in(self) -> bool:
        return self._spec.oauth.grant != "client_credentials"

    def _check_possible(self, response: httpx2.Response) -> bool:
        if self._desk.waiting is not None or not self._person_signs_in:
            return True
        if not response.headers.get("www-authenticate", "").lower().startswith("bearer"):
            return False
        self.failed = "it needs you to sign in, which takes a chat in a terminal"
        if response.status_code == 403:
            return False
        self.refused = True
        raise SignInFailed(self.failed)

    def _note_failure(self, error: Exception) -> None:
        said = error.problem if isinstance(error, MagpieError) else str(error)
        self.failed = f"signing in to it failed: {one_line(said, 300).rstrip('.')}"
        # Where a person was asked, not again by itself.
        self.refused = bool(self._address) and self._person_signs_in

    async def _listen_for_answer(self, provider: OAuthClientProvider, stack: AsyncExitStack) -> None:
        """Listen for the browser's answer, where the registration says if that can be had."""
        context, settings = provider.context, self._spec.oauth
        registered = port_of(context.client_info)
        ports = [settings.callback_port] if settings.callback_port else [*([registered] if registered else []), 0]
        self._callback = await stack.enter_async_context(listen_for_callback(ports))
        self._address = ""
        own_ports = self._desk.reach.own_ports
        own_ports.add(self._callback.port)
        stack.callback(own_ports.discard, self._callback.port)
        context.client_metadata.redirect_uris = [AnyUrl(self._callback.uri)]
        if registered and registered != self._callback.port:
            context.client_info = None

    async def _drive_flow(
        self, provider: OAuthClientProvider, request: httpx2.Request, response: httpx2.Response | None
    ) -> bool:
        """Run the SDK's flow up to where it would send the request with a token; whether it comes to that.

        `response` is the answer that asks for a sign-in; None where a token is to be refreshed.
        """
        flow = provider.async_auth_flow(request)
        try:
            outgoing = await anext(flow)
            while True:
                if outgoing is not request:
                    answer = await self._outside.send_request(outgoing)
                elif response is None:
                    return True
                else:
                    answer, response = response, None
                outgoing = await flow.asend(answer)
        except StopAsyncIteration:
            return False
        finally:
            await flow.aclose()

    async def _show_address(self, address: str) -> None:
        """Remember where the person has to go; the SDK asks for the answer at once."""
        self._address = address
        if self._provider:
            choose_method(self._provider, stamp=True)

    async def _receive_code(self) -> AuthorizationCodeResult:
        """Have the person sign in, and take the browser's answer."""
        target = parse_url(self._address)
        self._outside.policy_for(target).check_target(target)
        state = parse_qs(urlsplit(self._address).query)["state"][0]
        if self._callback is None or self._desk.waiting is None:
            raise SignInFailed("nobody is there to do it")
        with self._desk.waiting(target):
            try:
                async with asyncio.timeout(self._desk.seconds):
                    found = await self._callback.wait_for_answer(state)
            except TimeoutError as error:
                raise SignInFailed(f"you did not do it within {self._desk.seconds:g} s") from error
        if "error" in found:
            raise SignInFailed(f"it was refused: {found.get('error_description') or found['error']}")
        return AuthorizationCodeResult(code=found.get("code", ""), state=found["state"], iss=found.get("iss"))

    def _sign_request(self, provider: OAuthClientProvider, request: httpx2.Request) -> str:
        """Put the token that there is on a request; the header, empty for none."""
        tokens = provider.context.current_tokens
        request.headers.pop("Authorization", None)
        if tokens is None:
            return ""
        header = request.headers["Authorization"] = f"Bearer {tokens.access_token}"
        return header

    async def _keep_tokens(self) -> None:
        """Write down what is known now."""
        if self._provider is None:
            return
        kept = to_keep(self._provider, self._spec)
        try:
            await asyncio.to_thread(self._desk.tokens.keep_signed_in, self._spec.name, kept)
        except (OSError, Timeout) as error:
            # In this run it is known all the same.
            log.warning("sign-in not kept", extra={"data": {"server": self._spec.name, "why": str(error)}})


def _asks_to_sign_in(response: httpx2.Response) -> bool:
    """Whether an answer asks for a sign-in, or for one with more rights."""
    if response.status_code == 403:
        return extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return response.status_code == 401
