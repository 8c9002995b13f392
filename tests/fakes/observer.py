"""Watches from outside to which addresses a process and its children connect, or send, and which names they look up."""

import ipaddress
import re
import shutil
import subprocess
from pathlib import Path

CALLS = "connect,sendto,sendmsg,sendmmsg"
# As strace writes an address: sin_port=htons(80), sin_addr=inet_addr("1.2.3.4"), or inet_pton(AF_INET6, "::1", ...)
_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
_SOCKET = re.compile(r'sun_path=@?"([^"]+)"')
_SYSTEM = {"/var/run/nscd/socket", "/run/uuidd/request"}
"""What the C libraries look for: a cache of names before a name server is asked, and a giver of numbers for UUIDs."""
# A question to a name server (RFC 1035, 4.1): its number, flags, one question, nothing else or EDNS, and the labels.
_LOOKUP = re.compile(r'"(?:\\x..){2}\\x01\\x.0\\x00\\x01(?:\\x00){5}\\x0[01]((?:\\x..)+)"')
_LONGEST = 600
"""Bytes of a message that are kept: more than a question to a name server may have."""


def why_not() -> str:
    """Why nothing can be watched here; empty where it can."""
    if not shutil.which("strace"):
        return "strace, which watches a process, is not installed"
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    return f"no process may be watched here: {tried.stderr.strip()}" if tried.returncode else ""


def watched(command: list[str], log: Path) -> list[str]:
    """The command under observation; what it does is written to `log`."""
    strace = ("strace", "-f", "--seccomp-bpf", "-qq", "-x", "-s", str(_LONGEST), "-e", f"trace={CALLS}")
    return [*strace, "-o", str(log), *command]


def addresses_in(log: Path) -> set[tuple[str, int]]:
    """The internet addresses and ports that were connected or sent to."""
    found = set()
    for line in log.read_text(errors="replace").splitlines():
        address, port = _ADDRESS.search(line), _PORT.search(line)
        if address and port:
            found.add((address[1] or address[2], int(port[1])))
    return found


def sockets_in(log: Path) -> set[str]:
    """The sockets of other programs on this machine that were connected or sent to."""
    return set(_SOCKET.findall(log.read_text(errors="replace"))) - _SYSTEM


def names_in(log: Path) -> set[str]:
    """The names that name servers were asked for."""
    labels = _LOOKUP.findall(log.read_text(errors="replace"))
    return {_name(bytes.fromhex(each.replace("\\x", ""))) for each in labels}


def _name(labels: bytes) -> str:
    """The name that begins there: labels with their lengths before them, up to an empty one."""
    parts = []
    while size := labels[0]:
        parts.append(labels[1 : size + 1].decode("ascii"))
        labels = labels[size + 1 :]
    return ".".join(parts)


def off_this_machine(addresses: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Those that are not loopback."""
    return {(host, port) for host, port in addresses if not ipaddress.ip_address(host).is_loopback}
