"""What differs between Linux and macOS: dying with the parent, and how much memory is left."""

import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


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
