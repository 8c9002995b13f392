"""Names and JSON schemas of other programs' tools, in the form in which a model can be given them; pure."""

import json
import re
from collections.abc import Collection
from typing import Any

from tools.base import ToolSchema
from utils.text import clean, one_line

MAX_TOOL_NAME = 64
LONGEST_DESCRIPTION = 1000
LONGEST_TEXT = 300
"""Characters of the description of one argument."""
MAX_SCHEMA_CHARS = 8000
"""Characters of all arguments' schemas of one tool, as JSON."""
_DEPTH = 20
_KEYS_KEPT = frozenset(
    [
        *("type", "description", "enum", "const", "properties", "required", "items"),
        *("anyOf", "oneOf", "allOf", "minimum", "maximum", "additionalProperties"),
    ]
)
"""What a model is told of a value; no patterns and lengths, of which an engine would build a grammar of any size."""

_JSON_TYPES = frozenset(["string", "number", "integer", "boolean", "object", "array", "null"])
"""Those that JSON has: for the sake of another one llama.cpp refuses all tools that are offered."""
_WITH_SCHEMAS = frozenset(["items", "anyOf", "oneOf", "allOf"])
"""What holds a schema, or several."""


class UnfitSchema(ValueError):
    """A schema that no model can be given; its text ends a sentence after a colon."""


def model_name(server: str, tool: str, taken: Collection[str]) -> str:
    """A name of letters, digits and underscores for a tool, which none of `taken` has."""
    safe = re.sub(r"[^A-Za-z0-9_]+", "_", f"{clean(server)}_{clean(tool)}").strip("_") or "tool"
    name, number = safe[:MAX_TOOL_NAME], 1
    while name in taken:
        number += 1
        name = f"{safe[: MAX_TOOL_NAME - len(str(number)) - 1]}_{number}"
    return name


def tool_schema(name: str, description: str, schema: dict[str, Any]) -> ToolSchema:
    """What the model is told of a tool; raises `UnfitSchema`."""
    properties = schema.get("properties") or {}
    if schema.get("type", "object") != "object" or not isinstance(properties, dict):
        raise UnfitSchema("the schema of its arguments is not that of an object")
    definitions = {
        f"#/{part}/{key}": value
        for part in ("$defs", "definitions")
        if isinstance(schema.get(part), dict)
        for key, value in schema[part].items()
    }
    plain = _Plain(definitions)
    told = {
        one_line(key, 100): plain.plain_schema(value) for key, value in properties.items() if one_line(key, 100) == key
    }
    required = [key for key in _as_list(schema.get("required")) if key in told]
    parameters = {"type": "object", "properties": told, "required": required}
    if len(json.dumps(parameters)) > MAX_SCHEMA_CHARS:
        raise UnfitSchema(f"the schema of its arguments has more than {MAX_SCHEMA_CHARS} characters")
    return ToolSchema(name, one_line(description, LONGEST_DESCRIPTION), parameters)


class _Plain:
    """Makes schemas that stand for themselves: references followed, cycles cut, texts cleaned."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self._nodes = 0

    def plain_value(self, value: Any, within: tuple[str, ...] = (), depth: int = 0) -> Any:
        """The same without references and without what no model needs; raises `UnfitSchema`.

        `within` are the references that led here.
        """
        self._nodes += 1
        if self._nodes > MAX_SCHEMA_CHARS or depth > _DEPTH:
            raise UnfitSchema("the schema of its arguments is too large or too deep")
        if isinstance(value, dict):
            return self._plain_object(value, within, depth)
        if isinstance(value, list):
            return [self.plain_value(part, within, depth + 1) for part in value]
        return clean(value)[:LONGEST_TEXT] if isinstance(value, str) else value

    def plain_schema(self, value: Any, within: tuple[str, ...] = (), depth: int = 0) -> Any:
        """The same of a schema, or of several; what is none, as `true`, becomes one that says nothing."""
        schemas = [one if isinstance(one, dict) else {} for one in (value if isinstance(value, list) else [value])]
        plain = [self.plain_value(one, within, depth) for one in schemas]
        return plain if isinstance(value, list) else plain[0]

    def _plain_object(self, value: dict[str, Any], within: tuple[str, ...], depth: int) -> dict[str, Any]:
        reference = value.get("$ref")
        if isinstance(reference, str):
            meant = self._definitions.get(reference) if reference not in within else None
            within = (*within, reference)
            value = {**(meant if isinstance(meant, dict) else {}), **value}
        shown = {key: part for key, part in value.items() if key in _KEYS_KEPT and _is_telling(key, part)}
        return {one_line(key, 100): self._plain_part(key, part, within, depth) for key, part in shown.items()}

    def _plain_part(self, key: str, part: Any, within: tuple[str, ...], depth: int) -> Any:
        if key == "properties" and isinstance(part, dict):
            # Its keys are names of arguments, whatever they are called.
            return {one_line(name, 100): self.plain_schema(inner, within, depth + 1) for name, inner in part.items()}
        if key in _WITH_SCHEMAS:
            return self.plain_schema(part, within, depth + 1)
        if key == "description" and isinstance(part, str):
            return one_line(part, LONGEST_TEXT)
        return self.plain_value(part, within, depth + 1)


def _is_telling(key: str, part: Any) -> bool:
    """Whether a part of a schema says something: a type that JSON does not have does not."""
    return key != "type" or {*map(str, part if isinstance(part, list) else [part])} <= _JSON_TYPES


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
