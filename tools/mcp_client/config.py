"""The file of MCP servers, `mcp.json`, in the forms that other clients write; light, and starts nothing."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from utils.errors import AddressRefused, ConfigError, FileMissing, FileUnreadable
from utils.files import read_json
from utils.network.addresses import parse_url
from utils.secrets import learn_named
from utils.text import one_line

Kind = Literal["stdio", "http", "sse"]

SERVER_CALL_SECONDS = 60.0
MAX_SERVER_NAME = 60
MAX_FILE_BYTES = 1_000_000
"""Bytes of a file of servers."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KINDS_BY_TYPE: dict[str, Kind] = {
    "stdio": "stdio",
    "sse": "sse",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
}


class OAuth(msgspec.Struct, frozen=True, rename="camel"):
    """How Magpie signs in to a server over HTTP; nothing of it is needed where the server lets anybody register."""

    client_id: str = ""
    """As what Magpie is registered with the authorization server."""
    client_secret: str = ""
    """As the file has it: `${VAR}` is not filled in."""
    callback_port: int = 0
    """The port of this machine that is registered for the browser's answer; 0: any."""
    client_metadata_url: str = ""
    """Where a document stands that describes this client, whose address is then its id."""
    grant: Literal["authorization_code", "client_credentials"] = "authorization_code"
    """`client_credentials`: no person signs in, but the client itself."""
    issuer: str = ""
    """The authorization server with which the client is registered: nobody else is shown its secret."""
    private_key: str = ""
    """A key in PEM with which the client proves itself instead of a secret; `${VAR}` is not filled in."""
    algorithm: str = "RS256"
    """That fits the key."""


@dataclass(frozen=True)
class ServerSpec:
    """One server, as the file describes it; `${VAR}` in `env` and `headers` is not filled in yet."""

    name: str
    kind: Kind
    command: tuple[str, ...] = ()
    """Program and arguments, for `stdio`."""
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    """For `http` and `sse`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    enabled: bool = True
    timeout: float = SERVER_CALL_SECONDS
    """Seconds for one call."""
    allowed: tuple[str, ...] = ()
    """Tools that may be called without asking, by their own names."""
    separate: bool = False
    """Whether its tools are never taken for those of another server."""
    oauth: OAuth = field(default_factory=OAuth)


@dataclass(frozen=True)
class Configured:
    """What a file of servers says: those that can be used, and a sentence on everything that cannot."""

    servers: tuple[ServerSpec, ...] = ()
    problems: tuple[str, ...] = ()


class _Entry(msgspec.Struct):
    """A server in either form; what other clients keep beside it is passed over."""

    name: str = ""
    command: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str = ""
    type: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    enabled: bool = True
    timeout: float = 0.0
    allow: list[str] = []
    separate: bool = False
    oauth: OAuth = OAuth()


def read_servers(path: Path) -> Configured:
    """The servers of a file, in its order; none where it is missing. What is wrong becomes a sentence."""
    try:
        tree = read_json(path, MAX_FILE_BYTES)
    except FileMissing:
        return Configured()
    except FileUnreadable as error:
        return _unreadable_file(path, error.why)
    entries = tree.get("mcpServers", {}) if isinstance(tree, dict) else tree
    if isinstance(entries, dict):
        return _collect_servers((str(name), entry, 1.0) for name, entry in entries.items())
    if isinstance(entries, list):
        # The list form has its timeouts in milliseconds.
        return _collect_servers((_name_of(entry), entry, 0.001) for entry in entries)
    return _unreadable_file(path, 'names no servers: "mcpServers" must be an object or a list')


def fill_variables(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Values with `${VAR}` taken from the environment, the secrets among them learnt: no server's words have them.

    Raises `ConfigError` for a variable that is not set.
    """

    def variable_value(match: re.Match[str]) -> str:
        if match[1] not in environment:
            raise ConfigError(f"the environment variable {match[1]} is not set")
        return environment[match[1]]

    filled = {name: _VARIABLE.sub(variable_value, text) for name, text in values.items()}
    learn_named(filled)
    return filled


def _unreadable_file(path: Path, why: str) -> Configured:
    return Configured((), (f"{path} {why}. No MCP server is used until it is mended.",))


def _name_of(entry: Any) -> str:
    return str(entry.get("name", "")) if isinstance(entry, dict) else ""


def _collect_servers(named: Iterable[tuple[str, Any, float]]) -> Configured:
    servers: dict[str, ServerSpec] = {}
    problems: list[str] = []
    for number, (name, entry, unit) in enumerate(named, 1):
        shown = one_line(name, MAX_SERVER_NAME)
        try:
            if not shown or shown != name:
                raise ValueError("its name is empty, too long or holds characters that cannot be shown")
            if name in servers:
                raise ValueError("another one has the same name")
            servers[name] = _read_server(name, entry, unit)
        except (ValueError, AddressRefused) as error:
            what = f"The MCP server {shown}" if shown else f"MCP server number {number}"
            problems.append(f"{what} is left out: {one_line(str(error)).rstrip('.')}.")
    return Configured(tuple(servers.values()), tuple(problems))


def _read_server(name: str, entry: Any, unit: float) -> ServerSpec:
    """One server; raises `ValueError` or `AddressRefused` with what is wrong."""
    try:
        read = msgspec.convert(entry, _Entry, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    kind = _server_kind(read)
    if kind == "stdio" and not read.command:
        raise ValueError("it has neither a command nor a url")
    if kind != "stdio":
        parse_url(read.url)
    _check_oauth(read.oauth)
    if read.timeout < 0:
        raise ValueError("its timeout is below 0")
    command = (read.command, *read.args) if kind == "stdio" else ()
    if any("\0" in part for part in (*command, *read.env, *read.env.values(), read.cwd)):
        raise ValueError("it holds a null character")
    timeout = read.timeout * unit or SERVER_CALL_SECONDS
    spec = ServerSpec(name, kind, command, read.env, read.cwd, read.url, read.headers, read.enabled, timeout)
    return replace(spec, allowed=tuple(read.allow), separate=read.separate, oauth=read.oauth)


def _check_oauth(oauth: OAuth) -> None:
    """Raise `ValueError` with what is missing."""
    if oauth.grant == "client_credentials":
        if not (oauth.client_id and oauth.issuer and (oauth.client_secret or oauth.private_key)):
            raise ValueError("its oauth needs clientId, issuer, and clientSecret or privateKey")
    elif oauth.private_key:
        raise ValueError('its oauth has a privateKey, which only the grant "client_credentials" uses')
    if not 0 <= oauth.callback_port < 65536:
        raise ValueError(f"there is no port {oauth.callback_port}")
    document = oauth.client_metadata_url
    if document and (not document.startswith("https://") or parse_url(document).path == "/"):
        raise ValueError("its oauth has a clientMetadataUrl that is no https address of a document")


def _server_kind(entry: _Entry) -> Kind:
    if entry.type:
        if entry.type.lower() not in _KINDS_BY_TYPE:
            raise ValueError(f"its type {entry.type!r} is none of stdio, http and sse")
        return _KINDS_BY_TYPE[entry.type.lower()]
    return "http" if entry.url and not entry.command else "stdio"
