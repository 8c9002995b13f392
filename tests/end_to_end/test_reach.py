"""A whole question, watched from outside the process: what it connects to, and what it does not."""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.test_answers import LIGHTHOUSE, SEARCH
from tests.fakes.observer import addresses_in, names_in, off_this_machine, watched, why_not
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.places import ROOT
from tests.fakes.site import Site


async def ask(folder: Path, settings: dict[str, Any]) -> tuple[str, set[tuple[str, int]]]:
    """What a run of one question from an empty data folder says, and where it connects to."""
    if reason := why_not():
        pytest.skip(reason)
    config = folder / "config.json"
    config.write_text(json.dumps({"data_dir": str(folder / "data"), **settings}))
    run = [sys.executable, str(ROOT / "main.py"), "--config", str(config), LIGHTHOUSE]
    # The environment of a user, and not of a test: nothing in it switches anything off.
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *watched(run, folder / "calls.log"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**kept, "HOME": str(folder), "PYTHONPATH": str(ROOT)},
    )
    said, _ = await process.communicate()
    return said.decode(), addresses_in(folder / "calls.log")


def place(url: str) -> tuple[str, int]:
    """Address and port of a fake."""
    host, _, port = url.rpartition("//")[2].rpartition(":")
    return host, int(port)


async def test_a_question_connects_to_the_model_the_search_engine_and_the_pages_alone(
    tmp_path: Path, exports: Path
) -> None:
    # As after the first chat; the first one itself, with PyTorch, is watched in tests/attacks/test_session.py.
    shutil.copytree(exports, tmp_path / "data" / "onnx")
    replies = [Turn(calls=(SEARCH,)), Turn("It is 142 steps [1].")]
    async with Site() as site, FakeOllama(replies) as server:
        server.warming = True
        settings = {
            "backend": "ollama",
            "model": "qwen3:8b",
            "ollama": {"host": server.url},
            "search": {"searxng_url": site.searxng_url, "engines": [], "news_engines": []},
            "fetch": {"allow_hosts": [site.host]},
        }
        said, connected = await ask(tmp_path, settings)
        assert "It is 142 steps" in said
        assert connected == {place(server.url), place(site.host)}
        assert f"{site.host} is a private address; it was opened because fetch.allow_hosts names it." in said


async def test_offline_a_question_connects_to_nothing_off_this_machine(tmp_path: Path) -> None:
    replies = [Turn(calls=(SEARCH,)), Turn("I cannot look that up now.")]
    async with Site() as site, FakeOllama(replies) as server:
        server.warming = True
        settings = {"offline": True, "backend": "ollama", "model": "qwen3:8b", "ollama": {"host": server.url}}
        said, connected = await ask(tmp_path, settings)
        assert "I cannot look that up now." in said
        assert (off_this_machine(connected), site.requests) == (set(), {})


def test_the_observer_sees_what_there_is_to_be_seen(tmp_path: Path) -> None:
    (tmp_path / "calls.log").write_text(
        '1 connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.2")}, 16) = 0\n'
        "1 connect(3, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), "
        'inet_pton(AF_INET6, "2606:4700::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 ENETUNREACH\n'
        '1 connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0\n'
        '1 sendto(4, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = 1\n'
    )
    found = addresses_in(tmp_path / "calls.log")
    assert found == {("10.0.0.2", 53), ("2606:4700::1", 443), ("127.0.0.1", 9)}
    assert off_this_machine(found) == {("10.0.0.2", 53), ("2606:4700::1", 443)}


def test_the_observer_reads_the_names_that_are_looked_up(tmp_path: Path) -> None:
    (tmp_path / "calls.log").write_text(
        r'1 <... sendmmsg resumed>[{msg_hdr={msg_iov=[{iov_base="\xbd\xe8\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00'
        r'\x03\x70\x75\x62\x04\x74\x65\x73\x74\x00\x00\x01\x00\x01", iov_len=26}]}, msg_len=26}], 1, 0) = 1' + "\n"
        r'1 sendto(4, "\x6f\x6c\x01\x20\x00\x01\x00\x00\x00\x00\x00\x01\x02\x65\x6e\x02\x61\x62\x00\x00\x1c\x00\x01"'
        ", 23) = 23\n"
        r'1 sendto(4, "GET / \x01", 7, 0) = 7' + "\n"
    )
    assert names_in(tmp_path / "calls.log") == {"pub.test", "en.ab"}
