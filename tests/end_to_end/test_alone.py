"""Every command, watched from outside where no network is: nothing is asked for and connected to but what is listed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chatbot.frontends.library_cli.arguments import COMMANDS
from tests.attacks.test_session import ENGINES, NEWS
from tests.conftest import Tally
from tests.end_to_end.alone import NAME_SERVER, STEPS, Seen, walk, why_not
from tests.fakes import observer

NAMES = {"a question": {*ENGINES, *NEWS, "pub.test"}}
"""What is asked for: a question has a search, the news and a page looked up. Nothing else asks for anything."""
QUESTIONS = ("a question", "a question offline")
"""Those connect to this machine as well: the search engines' client to the guard that it gets as its proxy."""


def wrongly(seen: dict[str, Seen]) -> list[str]:
    """Each name and each address that no command has any business with."""
    found = []
    for step, what in seen.items():
        found += [f"{step} asks for {name}" for name in what.names - NAMES.get(step, set())]
        away = observer.off_this_machine(set(what.connected)) if step in QUESTIONS else what.connected
        found += [f"{step} connects to {place}" for place in set(away) - {NAME_SERVER}]
    return found


@pytest.mark.timeout(300)
async def test_no_command_asks_for_anything_or_leaves_anything_but_what_is_listed(
    tmp_path: Path, exports: Path, tally: Tally
) -> None:
    if reason := why_not() or observer.why_not():
        pytest.skip(reason)
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "onnx").symlink_to(exports)
    seen = await walk(tmp_path, tmp_path / "given")
    assert {step: what.said for step, what in seen.items() if what.code} == {}
    left = [str(path.relative_to(tmp_path)) for path in (tmp_path / "home").rglob("*")]
    tally("commands in a network that leads nowhere", len(seen), wrongly(seen) + left)
    assert seen["a question"].names == NAMES["a question"]
    assert seen["a question offline"].names == set()
    # They did what they are for: without texts to compare ONNX Runtime is not even loaded.
    assert "Indexed 1 file" in seen["rag ingest"].said
    assert "weather.shout" in seen["a question"].said
    assert '"isError":false' in seen["mcp"].said
    assert {f"rag {command}" for command in COMMANDS} <= STEPS.keys()


def test_a_library_that_reports_would_be_seen(tmp_path: Path) -> None:
    if reason := why_not() or observer.why_not():
        pytest.skip(reason)
    reporting = "import socket; socket.getaddrinfo('maker.example', 443)"
    log = tmp_path / "calls.log"
    inside = 'ip link set lo up; echo nameserver 127.0.0.1 > $0/r; mount --bind $0/r /etc/resolv.conf; exec "$@"'
    run = [
        "unshare",
        "-nm",
        "sh",
        "-c",
        inside,
        str(tmp_path),
        *observer.watched([sys.executable, "-c", reporting], log),
    ]
    subprocess.run(run, capture_output=True, check=False, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    assert "maker.example" in observer.names_in(log)
