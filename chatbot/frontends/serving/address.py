"""Where a server listens, and by which names requests may call it; what is served there is not known here."""

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path

from chatbot.frontends.serving.token_file import read_token
from utils.errors import ConfigError
from utils.network.addresses import bracket_host

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class ListenAddress:
    """Where to listen, and the token that clients must send; empty: none."""

    host: str
    port: int
    token: str = ""
    token_file: Path | None = None
    """Where users find it."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_everywhere(self) -> bool:
        """Whether it stands for every address of the machine."""
        return self.host in ("0.0.0.0", "::")

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts that requests may name, so that no web page reaches the server through a name of its own.

        Empty where it listens on every address of the machine: its names are not known then, and a token guards it.
        """
        if self.is_everywhere:
            return ()
        return LOOPBACK_NAMES if self.is_local else (bracket_host(self.host),)


def address_of(host: str, port: int, token_file: Path | None) -> ListenAddress:
    """The address with its token; None: without. Raises `ConfigError` where others could reach it without one."""
    address = ListenAddress(host, port, read_token(token_file) if token_file else "", token_file)
    if not address.is_local and not address.token:
        raise ConfigError(f"Others could reach {host}, so a token must guard it.", "Leave --no-token out.")
    return address


def open_socket(address: ListenAddress) -> socket.socket:
    """The open socket; raises `ConfigError`."""
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise ConfigError(
            f"Port {address.port} of {address.host} cannot be had: {error.strerror}.", "Name another with --port."
        ) from error
