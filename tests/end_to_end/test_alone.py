"""Every command, watched from outside where no network is: nothing is asked for and connected to but what is listed."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from chatbot.commands.registry import SLASH_COMMANDS as TYPED
from chatbot.frontends.benching.arguments import COMMAND as BENCH
from chatbot.frontends.library_cli.arguments import COMMANDS
from rag.embedding.sentence_model import SentenceEmbedder
from tests.conftest import Tally
from tests.end_to_end import alone_commands
from tests.end_to_end.alone import Seen, Step, walk, why_not
from tests.fakes import observer
from tests.rag.search.test_cross_encoder import make_model

RUNS = {"a chat": alone_commands.CHAT, **alone_commands.STEPS, **alone_commands.SERVING}


def wrongly(seen: Mapping[str, Seen], steps: Mapping[str, Step]) -> list[str]:
    """Each name and each place that a command has no business with."""
    found = []
    for name, what in seen.items():
        may = {"model", *steps[name].places, *(["name server"] if steps[name].names else [])}
        found += [f"{name} asks for {one}" for one in what.names - steps[name].names]
        found += [f"{name} connects to {one}" for one in what.places - may]
    return found


def left_in(folder: Path) -> list[str]:
    """What lies where other programs keep theirs."""
    return [str(path.relative_to(folder)) for name in ("home", "tmp") for path in (folder / name).rglob("*")]


def did_not(seen: Mapping[str, Seen], steps: Mapping[str, Step]) -> dict[str, str]:
    """What was said by those that did not do what they are for, or did not ask for what that takes."""
    return {
        name: f"{sorted(what.names)} {sorted(what.places)} {what.code} {what.said}"
        for name, what in seen.items()
        if what.code != steps[name].code
        or steps[name].says not in what.said
        or what.names != steps[name].names
        or not steps[name].places <= what.places
    }


def models(folder: Path) -> None:
    """Models as users have them in folders of their own: an embedder, a reranker and a checker of citations."""
    folder.mkdir()
    (folder / "embedder").symlink_to(SentenceEmbedder().folder)
    make_model(folder / "reranker")
    config = make_model(folder / "checker", labels=3) / "config.json"
    labels = {"0": "contradiction", "1": "entailment", "2": "neutral"}
    known = {"id2label": labels, "label2id": {label: int(number) for number, label in labels.items()}}
    config.write_text(json.dumps(json.loads(config.read_text()) | known))


@pytest.mark.timeout(1600)
async def test_no_command_asks_for_anything_or_leaves_anything_but_what_is_listed(
    tmp_path: Path, exports: Path, tally: Tally
) -> None:
    if reason := why_not() or observer.why_not():
        pytest.skip(reason)
    models(tmp_path / "given")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "onnx").symlink_to(exports)
    seen = await walk(tmp_path, tmp_path / "data", alone_commands.__name__)
    assert did_not(seen, RUNS) == {}
    assert seen.keys() == RUNS.keys()
    tally("commands in a network that leads nowhere", len(seen), wrongly(seen, RUNS) + left_in(tmp_path))


def test_every_command_there_is_is_among_those_that_are_watched() -> None:
    assert {f"rag {command}" for command in COMMANDS} | {"probe", "research", BENCH} <= RUNS.keys()
    typed = {line.lstrip("\x15").partition(" ")[0] for line, _ in alone_commands.LINES}
    assert {f"/{one.name}" for one in TYPED} - typed == {"/quit"}


def test_a_library_that_reports_would_be_seen(tmp_path: Path) -> None:
    if reason := why_not() or observer.why_not():
        pytest.skip(reason)
    reporting = (
        "import socket; from contextlib import suppress\n"
        "with suppress(OSError): socket.getaddrinfo('maker.example', 443)\n"
        "with suppress(OSError): socket.socket(socket.AF_UNIX).connect('/run/maker.sock')\n"
        "with suppress(OSError): socket.create_connection(('192.0.2.1', 443), 1)"
    )
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
    assert observer.sockets_in(log) == {"/run/maker.sock"}
    assert ("192.0.2.1", 443) in observer.addresses_in(log)
