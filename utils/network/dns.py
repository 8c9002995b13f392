"""Asking the system for the addresses of a host; nothing here judges them."""

import ipaddress
import socket
from functools import partial

from utils.errors import Unreachable
from utils.network.addresses import IPAddress
from utils.threads import run_detached


async def resolve_host(host: str, port: int) -> list[IPAddress]:
    """The addresses of a host, in the order in which the system would try them; raises `Unreachable`."""
    try:
        return [ipaddress.ip_address(host)]
    except ValueError:
        pass
    try:
        found = await run_detached(partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM))
    except OSError as error:
        raise Unreachable(
            f"The host {host} cannot be found.", "Check its spelling and the network connection."
        ) from error
    return list(dict.fromkeys(ipaddress.ip_address(str(entry[4][0])) for entry in found))
