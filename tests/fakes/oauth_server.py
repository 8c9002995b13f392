"""An MCP server over HTTP and the authorization server that it names, on one loopback port, scripted by its fields."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

TOOL = {"name": "shout", "description": "Shout.", "inputSchema": {"type": "object", "properties": {}}}
STATUS = {200: "OK", 201: "Created", 202: "Accepted", 302: "Found"}


@dataclass
class OAuthServer:
    """What it does, and what it was asked."""

    port: int = 0
    expires_in: int = 3600
    issuer: str = ""
    """The authorization server that it names; empty: itself."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """More of, or other than, the usual metadata of the authorization server."""
    denies: bool = False
    valid: set[str] = field(default_factory=set)
    """The tokens that it takes."""
    scopes: dict[str, str] = field(default_factory=dict)
    """Of each token."""
    needed: dict[str, str] = field(default_factory=dict)
    """The scope that a method needs."""
    asked: list[str] = field(default_factory=list)
    """`METHOD /path` of every request, and the bodies of those for a token behind."""
    heads: list[str] = field(default_factory=list)
    challenges: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    tokens: int = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def answer(self, method: str, address: str, headers: Mapping[str, str], body: str) -> tuple[int, Any, list[str]]:
        """Status, JSON and further headers."""
        path = urlsplit(address).path
        match path:
            case "/.well-known/oauth-protected-resource/mcp":
                return 200, {"resource": self.url, "authorization_servers": [self.issuer or self.origin]}, []
            case "/.well-known/oauth-authorization-server":
                return 200, self.about(), []
            case "/register":
                return 201, {**json.loads(body), "client_id": "registered"}, []
            case "/authorize":
                return 302, None, [f"Location: {self.authorized(dict(parse_qsl(urlsplit(address).query)))}"]
            case "/token":
                return self.token({name: values[0] for name, values in parse_qs(body).items()})
            case "/mcp" if method == "POST":
                return self.called(headers.get("authorization", ""), json.loads(body))
        return 405 if path == "/mcp" else 404, None, []

    def about(self) -> dict[str, Any]:
        usual = {
            "issuer": self.origin,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "registration_endpoint": f"{self.origin}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
        }
        return {**usual, **self.metadata}

    def authorized(self, asked: dict[str, str]) -> str:
        if self.denies:
            found = {"error": "access_denied", "state": asked["state"]}
        else:
            code = f"code{len(self.challenges)}"
            self.challenges[code] = asked["code_challenge"], asked["redirect_uri"], asked.get("scope", "")
            found = {"code": code, "state": asked["state"]}
        return f"{asked['redirect_uri']}?{urlencode(found)}"

    def token(self, asked: dict[str, str]) -> tuple[int, Any, list[str]]:
        self.asked.append(asked["grant_type"])
        scope = ""
        if asked["grant_type"] == "authorization_code":
            challenge, uri, scope = self.challenges.pop(asked["code"])
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            if base64.urlsafe_b64encode(digest).decode().rstrip("=") != challenge or uri != asked["redirect_uri"]:
                return 400, {"error": "invalid_grant"}, []
        elif asked.get("refresh_token") != f"refresh{self.tokens}":
            return 400, {"error": "invalid_grant"}, []
        self.tokens += 1
        token = f"token{self.tokens}"
        self.valid.add(token)
        self.scopes[token] = scope
        about = {"access_token": token, "token_type": "Bearer", "expires_in": self.expires_in}
        return 200, {**about, "refresh_token": f"refresh{self.tokens}"}, []

    def called(self, authorization: str, message: dict[str, Any]) -> tuple[int, Any, list[str]]:
        token = authorization.removeprefix("Bearer ")
        where = f'resource_metadata="{self.origin}/.well-known/oauth-protected-resource/mcp"'
        if token not in self.valid:
            return 401, None, [f"WWW-Authenticate: Bearer {where}"]
        needed = self.needed.get(message["method"], "")
        if needed and needed not in self.scopes[token].split():
            return 403, None, [f'WWW-Authenticate: Bearer error="insufficient_scope", scope="{needed}", {where}']
        if "id" not in message:
            return 202, None, []
        results: dict[str, Any] = {
            "initialize": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            },
            "tools/list": {"tools": [TOOL]},
            "tools/call": {"content": [{"type": "text", "text": "LOUD"}]},
        }
        return 200, {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}, []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
        method, address, _ = first.split()
        self.asked.append(f"{method} {urlsplit(address).path}")
        self.heads.append("\n".join([first, *lines]))
        status, value, more = self.answer(method, address, headers, body)
        content = b"" if value is None else json.dumps(value).encode()
        head = [f"HTTP/1.1 {status} {STATUS.get(status, 'No')}", f"Content-Length: {len(content)}", "Connection: close"]
        kind = ["Content-Type: application/json"] if content else []
        writer.write("\r\n".join([*head, *kind, *more, "", ""]).encode() + content)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def oauth_server(**settings: Any) -> AsyncIterator[OAuthServer]:
    """One that listens."""
    made = OAuthServer(**settings)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        yield made
