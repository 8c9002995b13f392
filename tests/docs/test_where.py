"""The table of where what is names files that exist, and names that stand in them."""

import re

from tests.fakes.places import ROOT

PAGE = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!what \|)([^|]+) \| `([^`|]+)` \| `(\w+)` \|$", PAGE, re.MULTILINE)


def test_every_row_of_the_table_has_one_file_and_one_name() -> None:
    assert len(ROWS) >= 28
    assert len(ROWS) == PAGE.count("\n|") - 2


def test_every_file_that_is_named_exists() -> None:
    assert [file for _, file, _ in ROWS if not (ROOT / file).is_file()] == []


def test_every_name_is_defined_in_its_file() -> None:
    defined = r"^\s*(?:class |def |async def )?{}\b(?:\(|:| =|\[)"
    missing = [
        f"{file}: {name}"
        for _, file, name in ROWS
        if not re.search(defined.format(name), (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []
