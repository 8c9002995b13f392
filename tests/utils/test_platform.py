import os
import subprocess
import sys

import pytest

from tests.fakes.places import ROOT
from utils.platform import EXHAUSTED, SPINS, spare_cores

MB = 1 << 20


def outcome(script: str) -> tuple[int, str]:
    """Exit code and output of a script in a process of its own."""
    code = f"import time\nfrom utils import platform\n{script}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses memory")
def test_memory_past_the_limit_is_refused() -> None:
    script = f"""
platform.limit_memory({100 * MB})
bytes({50 * MB})
try:
    bytes({200 * MB})
except MemoryError:
    print("refused")
platform.limit_memory({300 * MB})
print(len(bytes({200 * MB})))
"""
    assert outcome(script) == (0, f"refused\n{200 * MB}")


def test_where_memory_is_not_refused_the_process_that_takes_too_much_is_ended() -> None:
    script = f"""
platform._MemoryWatch.limit = platform.memory_in_use() + {150 * MB}
platform._MemoryWatch(daemon=True).start()
time.sleep(0.1)
print("alive", flush=True)
taken = b"x" * {400 * MB}
time.sleep(30)
"""
    assert outcome(script) == (EXHAUSTED, "alive")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can leave a process no network")
def test_a_process_that_left_the_network_reaches_not_even_this_machine() -> None:
    script = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    there = server.getsockname()
    left = platform.leave_network()
    try:
        socket.create_connection(there, 5)
        print(left, "reached")
    except OSError:
        print(left, "refused")
"""
    assert outcome(script) in [(0, "True refused"), (0, "False reached")]


def test_threads_sleep_soon_where_the_user_has_not_said_how_long_they_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", "5")
    spare_cores()
    assert os.environ["GOMP_SPINCOUNT"] == "5"
    monkeypatch.delenv("GOMP_SPINCOUNT")
    spare_cores()
    assert os.environ["GOMP_SPINCOUNT"] == SPINS
