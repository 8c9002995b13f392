"""The picture of the packages has the order that their imports are held to."""

import re
import tomllib

from tests.fakes.places import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def read_floors() -> list[set[str]]:
    """The packages of each line of the picture; what one does stands behind two spaces and more, in columns beyond."""
    [picture] = re.findall(r"```\n( +cli\n.*?)```", PAGE, re.DOTALL)
    floors = [set(re.findall(r"[a-z]+", line[:50])) for line in picture.splitlines()]
    return [floor for floor in floors if floor]


def test_the_picture_has_the_order_of_the_layers() -> None:
    chat, parts = (contract["layers"] for contract in CONTRACTS if contract["type"] == "layers")
    assert read_floors() == [set(layer.split(" | ")) for layer in [*chat, *parts[1:]]]
