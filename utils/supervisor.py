"""Runs one program of others' and ends it, with all that it started, when whoever wanted it is gone.

It stands between Magpie and the program, and copies nothing: the program has Magpie's pipes themselves. Everything that
the program starts stays below this process (on Linux even what leaves its group), so that it can be found and ended. It
is started without the site packages and imports nothing heavy: Magpie would wait for it.
"""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from utils.platform import adopt_orphans, children_of, die_with_parent

LAUNCH = "import sys; sys.path.insert(0, sys.argv.pop(1)); from utils.supervisor import main; sys.exit(main(sys.argv))"
GRACE = 0.5
"""Seconds between asking the program to end and killing it."""
_STEP_SECONDS = 0.02
_ROUNDS = 100
NOT_FOUND = 127


def supervised_command(lifeline: int, program: list[str]) -> list[str]:
    """The command line that runs a program until the other end of the pipe `lifeline` is closed."""
    root = str(Path(__file__).parents[1])
    return [sys.executable, "-I", "-S", "-c", LAUNCH, root, str(lifeline), *program]


def main(argv: list[str]) -> int:
    """Run `argv[2:]`; the program's exit code, 128 and the signal where one ended it."""
    lifeline, woken = int(argv[1]), _woken_by_children()
    adopt_orphans()
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    try:
        program = subprocess.Popen(argv[2:], start_new_session=True, preexec_fn=_prepare_child)
    except OSError as error:
        sys.stderr.write(f"{argv[2]}: {error.strerror}\n")
        return NOT_FOUND
    # Only the program and Magpie hold the pipes from here on: when the program ends, Magpie sees their end.
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    while not _collect_ended(program) and lifeline not in select.select([lifeline, woken], [], [])[0]:
        os.read(woken, 4096)
    end_all(program)
    code = program.wait()
    return code if code >= 0 else 128 - code


def _woken_by_children() -> int:
    """A descriptor that can be read whenever a child has ended."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _prepare_child() -> None:
    for changed in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(changed, signal.SIG_DFL)
    die_with_parent()


def end_all(program: "subprocess.Popen[bytes]") -> None:
    """End the program's group and whatever else is below this process, kindly first."""
    _signal_all(program, signal.SIGTERM)
    until = time.monotonic() + GRACE
    while time.monotonic() < until and _has_left(program):
        time.sleep(_STEP_SECONDS)
    for _ in range(_ROUNDS):
        if not _has_left(program):
            return
        _signal_all(program, signal.SIGKILL)
        time.sleep(_STEP_SECONDS)


def _signal_all(program: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, number)
    for process in children_of(os.getpid()):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _has_left(program: "subprocess.Popen[bytes]") -> bool:
    """Whether anything is left."""
    _collect_ended(program)
    try:
        os.killpg(program.pid, 0)
    except ProcessLookupError:
        return bool(children_of(os.getpid()))
    except PermissionError:
        pass
    return True


def _collect_ended(program: "subprocess.Popen[bytes]") -> bool:
    """Take note of all that has ended; whether the program is among it."""
    ended = program.poll() is not None
    for process in children_of(os.getpid()):
        if process != program.pid:
            with suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
    return ended
