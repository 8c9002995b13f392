from typing import Any

import pytest

from tools.mcp_client.schemas import UnfitSchema, model_name, tool_schema


def parameters(schema: dict[str, Any]) -> Any:
    return tool_schema("t", "", schema).parameters


def test_names_are_safe_short_and_unlike_any_other() -> None:
    taken: set[str] = {"files_read"}
    assert model_name("files", "read", taken) == "files_read_2"
    assert model_name("my server", "a.b/c\x1b[8m", taken) == "my_server_a_b_c"
    long = model_name("s", "x" * 100, taken)
    assert (len(long), model_name("s", "x" * 100, {long})) == (64, f"{long[:62]}_2")
    assert model_name("日本", "語", taken) == "tool"


def test_references_are_followed_and_cycles_cut() -> None:
    schema = {
        "$schema": "x",
        "type": "object",
        "title": "T",
        "$defs": {"Place": {"type": "object", "properties": {"title": {"type": "string"}}, "title": "Place"}},
        "properties": {
            "place": {"$ref": "#/$defs/Place", "description": "Where\x1b[2J"},
            "self": {"$ref": "#"},
            "days": {"type": "integer", "default": 1, "enum": [1, 2]},
            "name": {"type": "string", "pattern": "(a+)+$", "maxLength": 1000000000},
        },
        "required": ["place", "gone", 5],
    }
    assert parameters(schema) == {
        "type": "object",
        "properties": {
            "place": {"type": "object", "properties": {"title": {"type": "string"}}, "description": "Where"},
            "self": {},
            "days": {"type": "integer", "enum": [1, 2]},
            "name": {"type": "string"},
        },
        "required": ["place"],
    }


def test_a_definition_that_holds_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "last": {"$ref": "#/$defs/Node"}}}
    schema = {"type": "object", "$defs": {"Node": node}, "properties": {"first": {"$ref": "#/$defs/Node"}}}
    assert set(parameters(schema)["properties"]) == {"first"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"type": "object", "properties": 5},
        {"type": "object", "properties": {f"a{number}": {"type": "string"} for number in range(1000)}},
        {"type": "object", "properties": {"a": {"enum": ["x"] * 10_000}}},
    ],
)
def test_what_no_model_can_be_given_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(UnfitSchema):
        tool_schema("t", "", schema)


def test_descriptions_are_cleaned_and_cut() -> None:
    told = tool_schema("t", "a\x1b]52;c;x\x07b\n" + "c" * 5000, {"type": "object"})
    assert (told.description[:4], len(told.description)) == ("ab c", 1000)


def test_what_is_no_schema_and_no_type_says_nothing_and_spoils_no_other_tool() -> None:
    odd = {
        "a": True,
        "b": {"type": "any", "description": "Odd."},
        "c": {"type": ["string", "banana"]},
        "d": {"type": ["string", "null"]},
        "e": {"type": "array", "items": True},
        "f": {"anyOf": [{"type": "string"}, False]},
        "g": {"type": {"type": "string"}},
        "h": {"type": "object", "properties": {"type": {"type": "string"}, "x": True}, "additionalProperties": True},
    }
    assert tool_schema("notes", "Notes.", {"type": "object", "properties": odd}).parameters["properties"] == {
        "a": {},
        "b": {"description": "Odd."},
        "c": {},
        "d": {"type": ["string", "null"]},
        "e": {"type": "array", "items": {}},
        "f": {"anyOf": [{"type": "string"}, {}]},
        "g": {},
        "h": {"type": "object", "properties": {"type": {"type": "string"}, "x": {}}, "additionalProperties": True},
    }
