"""What differs between systems: dying with the parent, how much memory is left, limiting it, threads that wait."""

import ctypes
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

EXHAUSTED = 86
"""Exit code of a process that took more than `limit_memory` gave it, where the system itself refuses nothing."""

SPINS = "1000"
"""Turns that a thread of libgomp waits for the others before it sleeps: another program may have their core.
Beside a busy one the engine writes 12 tokens a second so, 1 to 4 with libgomp's own number; alone 23 to 28."""

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000  # linux/sched.h


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends; where it cannot (macOS), nothing happens.

    The caller must also watch a pipe from its parent, which works everywhere but not while foreign code holds the
    interpreter.
    """
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def spare_cores() -> None:
    """Have threads that wait for each other sleep soon, in what is loaded with libgomp: llama.cpp, PyTorch."""
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)


def adopt_orphans() -> None:
    """Become the parent of whatever is started below this process and outlives its own; where it cannot, nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def leave_network() -> bool:
    """Leave this process, and what it starts, no network, this machine's own included; whether the system does so.

    Where it cannot (macOS, some containers), nothing happens. The process must have one thread.
    """
    if sys.platform != "linux":
        return False
    libc, user, group = ctypes.CDLL(None, use_errno=True), os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWNET) == 0:
        return True
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    # Who it is stays as it was: a browser makes a sandbox of its own within.
    for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", file).write_text(text)
    return True


def is_running(process: int) -> bool:
    """Whether there is a process of this id, whoever's it is."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def children_of(process: int) -> list[int]:
    """The ids of a process's children; none where the system does not tell (macOS)."""
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def available_memory() -> int | None:
    """Bytes that can be taken without swapping, the control group's limit included; None where nobody says."""
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return None
    fields = dict(line.split(":", 1) for line in meminfo.read_text().splitlines())
    free = int(fields["MemAvailable"].split()[0]) * 1024
    return min(free, _group_memory() or free)


def _group_memory() -> int | None:
    """Bytes left to this control group (version 2 as a container sees it); None without a limit."""
    root = Path("/sys/fs/cgroup")
    try:
        limit = (root / "memory.max").read_text().strip()
        used = int((root / "memory.current").read_text())
        fields = dict(line.split() for line in (root / "memory.stat").read_text().splitlines())
    except OSError:
        return None
    # Cached pages of files count as used but are given back when they are needed.
    return None if limit == "max" else int(limit) - used + int(fields["inactive_file"])


def memory_in_use() -> int:
    """Bytes of this process: its address space on Linux, elsewhere the most that it ever had in memory."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def limit_memory(growth: int) -> None:
    """From now on this process can take `growth` bytes more than it has.

    Past them Linux refuses memory, which Python raises as MemoryError. macOS knows no such limit: there a thread looks
    at the memory and ends the process with `EXHAUSTED`.
    """
    limit = memory_in_use() + growth
    if sys.platform == "linux":
        _, highest = resource.getrlimit(resource.RLIMIT_AS)
        capped = limit if highest == resource.RLIM_INFINITY else min(limit, highest)
        resource.setrlimit(resource.RLIMIT_AS, (capped, highest))
    else:
        _MemoryWatch.limit = limit
        if not any(isinstance(thread, _MemoryWatch) for thread in threading.enumerate()):
            _MemoryWatch(daemon=True).start()


class _MemoryWatch(threading.Thread):
    limit = 0

    def run(self) -> None:
        while memory_in_use() <= self.limit:
            time.sleep(0.02)
        os._exit(EXHAUSTED)
