"""The page of the settings and the schema of the configuration are those of the settings' classes."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from docs.settings_page import MARK, PAGE, SCHEMA, make_files, make_schema
from tests.fakes.places import ROOT

EXAMPLE = json.loads((ROOT / "config.example.json").read_text(encoding="utf-8"))


def find_faults(tree: object) -> list[str]:
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    return [error.json_path for error in validator.iter_errors(tree)]


def test_page_and_schema_are_current() -> None:
    assert MARK in PAGE.read_text(encoding="utf-8")
    stale = [path.name for path, text in make_files().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "`make docs` writes them anew"


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(make_schema())


def test_the_example_fits_the_schema() -> None:
    assert find_faults(EXAMPLE) == []


@pytest.mark.parametrize(
    ("tree", "place"),
    [
        ({"temprature": 0.3}, "$"),
        ({"temperature": 3}, "$.temperature"),
        ({"model": "two\nlines"}, "$.model"),
        ({"approval": "never"}, "$.approval"),
        ({"rag": {"topk": 5}}, "$.rag"),
        ({"fetch": {"allow_hosts": ["localhost"]}}, "$.fetch.allow_hosts[0]"),
        ({"prices": {"qwen3:8b": {"prompt": -1}}}, "$.prices['qwen3:8b'].prompt"),
    ],
)
def test_what_cannot_be_does_not_fit_the_schema(tree: dict[str, Any], place: str) -> None:
    assert find_faults(tree) == [place]


def test_the_page_has_every_setting_of_the_example() -> None:
    page = PAGE.read_text(encoding="utf-8")
    names = [
        name for name, value in EXAMPLE.items() if name != "$schema" and (value == {} or not isinstance(value, dict))
    ]
    names += [f"{section}.{name}" for section, value in EXAMPLE.items() if isinstance(value, dict) for name in value]
    assert [name for name in names if page.count(f"| `{name}` |") != 1] == []
