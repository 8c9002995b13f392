"""Offline: nothing leaves this machine, whoever would send it."""

from collections.abc import Iterable

from utils.errors import Offline
from utils.network.addresses import IPAddress, is_this_machine


class OfflineSwitch:
    """Whether anything may leave this machine; `offline` may be switched at any time."""

    def __init__(self, offline: bool = False) -> None:
        self.offline = offline

    def require_online(self, what: str) -> None:
        """Raise `Offline` where nothing may leave this machine; `what` begins the sentence that says so."""
        if self.offline:
            raise Offline(f"{what}, and Magpie is offline.", "/offline lets it reach the network again.")

    def permit_host(self, host: str, addresses: Iterable[IPAddress] = ()) -> None:
        """Raise `Offline` where a host, or an address of it, is not this machine and nothing may leave it."""
        if not is_this_machine(host) or not all(address.is_loopback for address in addresses):
            self.require_online(f"{host} is not on this machine")
