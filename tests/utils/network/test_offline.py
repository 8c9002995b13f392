"""Offline: only this machine is reached."""

import ipaddress

import pytest

from utils.errors import Offline
from utils.network.access import NetworkAccess
from utils.network.offline import OfflineSwitch

LOOPBACK, PUBLIC = ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("93.184.215.14")


def test_offline_only_this_machine_is_reached() -> None:
    switch = OfflineSwitch(offline=True)
    switch.permit_host("127.0.0.1")
    switch.permit_host("localhost", [LOOPBACK])
    for host, addresses in (("harbour.example", []), ("localhost", [LOOPBACK, PUBLIC])):
        with pytest.raises(Offline) as raised:
            switch.permit_host(host, addresses)
        assert raised.value.problem == f"{host} is not on this machine, and Magpie is offline."


def test_what_was_switched_counts_at_once() -> None:
    access = NetworkAccess()
    access.permit_host("harbour.example", [PUBLIC])
    access.offline = True
    with pytest.raises(Offline):
        access.require_online("A page would be opened")
    access.offline = False
    access.require_online("A page would be opened")
