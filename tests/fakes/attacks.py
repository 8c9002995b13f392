"""The attack data that lie beside the project; what needs them is skipped where they are missing."""

import json
from collections.abc import Callable

import pytest

from tests.fakes.places import SHARED

ATTACKS = SHARED / "attacks"
needs_attacks = pytest.mark.skipif(not ATTACKS.is_dir(), reason="the attack data are not in ../shared/attacks")


def escapes() -> dict[str, str]:
    """The payloads that terminals obey, by name; those that were given in pieces as one."""
    path = ATTACKS / "terminal" / "escapes.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    records = [json.loads(line) for line in lines if line]
    return {
        record["id"]: payload if isinstance(payload := record["payload"], str) else "".join(payload)
        for record in records
    }


def naughty_strings() -> list[str]:
    """The big list of naughty strings."""
    found: list[str] = json.loads((ATTACKS / "text" / "blns.json").read_text(encoding="utf-8"))
    return found


def html_bombs() -> dict[str, Callable[[], str]]:
    """What makes each hostile page, by name."""
    path = ATTACKS / "html" / "html_bombs.py"
    source = path.read_text(encoding="utf-8").split("if len(sys.argv)")[0] if path.exists() else "C = {}"
    found: dict[str, Callable[[], str]] = {}
    names: dict[str, object] = {}
    exec(compile(source, str(path), "exec"), names)
    found.update(names["C"])  # type: ignore[call-overload]
    return found
