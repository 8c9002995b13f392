import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.mcp_client.config import ServerSpec
from tools.mcp_client.trust import Described, Trust, command_line

SPEC = ServerSpec("files", "stdio", ("npx", "-y", "a b"), {"TOKEN": "secret"}, "/home/me")
ECHO = Described("echo", "say it", "{}")


def test_a_command_waits_until_exactly_it_is_approved(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    assert not Trust(path).is_approved(SPEC)
    Trust(path).approve_command(SPEC)
    assert Trust(path).is_approved(SPEC)
    for change in ({"command": ("npx", "-y", "a", "b")}, {"env": {"TOKEN": "x"}}, {"cwd": ""}, {"name": "other"}):
        assert not Trust(path).is_approved(dataclasses.replace(SPEC, **change))  # type: ignore[arg-type]
    assert ("secret" in path.read_text(), path.stat().st_mode & 0o777) == (False, 0o600)
    assert command_line(SPEC) == "TOKEN=secret npx -y 'a b' (in /home/me)"
    hidden = dataclasses.replace(SPEC, env={"LD_PRELOAD": "/tmp/evil.so", "A": "b c; d"}, cwd="")
    assert command_line(hidden) == "LD_PRELOAD=/tmp/evil.so A='b c; d' npx -y 'a b'"


def test_an_address_needs_no_approval(tmp_path: Path) -> None:
    assert Trust(tmp_path / "trust.json").is_approved(ServerSpec("a", "http", url="http://a.example/"))


def test_what_changes_or_comes_is_told_until_it_is_accepted_and_what_goes_is_not(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    new = [dataclasses.replace(ECHO, description="say\x1b[2J it twice"), Described("more", "another", "{}")]
    told = ["echo, description: was 'say it', is 'say it twice'", "new tool more: another"]
    assert Trust(path).find_differences("a", [ECHO, Described("gone", "", "{}")]) == []
    assert Trust(path).find_differences("a", [ECHO]) == []
    assert Trust(path).find_differences("a", new) == Trust(path).find_differences("a", new) == told
    assert Trust(path).accept_differences("a") == told
    assert Trust(path).find_differences("a", new) == Trust(path).accept_differences("a") == []


def test_a_change_past_what_is_kept_is_seen(tmp_path: Path) -> None:
    trust, long = Trust(tmp_path / "trust.json"), "x" * 1000
    trust.find_differences("a", [Described("t", long + "a", "{}")])
    assert trust.find_differences("a", [Described("t", long + "b", "{}")]) == ["t: changed past what is shown here"]


def test_servers_that_are_listed_at_once_are_all_pinned(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    trust, names = Trust(path), [f"server{number}" for number in range(40)]
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda name: trust.find_differences(name, [ECHO]), names)) == [[]] * 40
    assert sorted(json.loads(path.read_text())["tools"]) == sorted(names)


def test_a_file_nested_without_end_holds_nothing_and_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    path.write_text('{"commands":' * 100_000)
    assert not Trust(path).is_approved(SPEC)
    Trust(path).approve_command(SPEC)
    assert Trust(path).is_approved(SPEC)


def test_a_private_run_keeps_what_was_agreed_to_for_itself(tmp_path: Path) -> None:
    trust = Trust(tmp_path / "trust.json", read_only=True)
    trust.approve_command(SPEC)
    assert trust.find_differences("a", [ECHO]) == []
    assert trust.find_differences("a", [dataclasses.replace(ECHO, schemas="[]")]) != []
    assert (trust.is_approved(SPEC), list(tmp_path.iterdir())) == (True, [])
