"""Writes the tables of docs/settings.md and the schema docs/config.schema.json from the classes of the settings.

Run it with `make docs`. A setting's type, default and bounds are those of its field, and what it does is the docstring
below the field: there is no other place to write it down.
"""

import ast
import inspect
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from chatbot.config import Config

FOLDER = Path(__file__).parent
PAGE = FOLDER / "settings.md"
SCHEMA = FOLDER / "config.schema.json"
MARK = "<!-- From here on the page is written by `make docs`, from the classes of the settings. -->\n"
MAX_CHARS_NAME = 1000
"""Characters that a name may have; the page says so once."""
DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def make_schema() -> Schema:
    """The JSON schema of a configuration file, with what each setting does as its description."""
    schema = msgspec.json.schema(Config, schema_hook=_make_path_schema)
    for kind in find_classes(Config):
        definition = schema["$defs"][kind.__name__]
        definition["additionalProperties"] = False
        described = read_docstrings(kind)
        for field in fields(kind):
            entry = definition["properties"][field.name]
            if "$ref" in entry:
                # The section has its settings' defaults, one by one.
                entry.pop("default", None)
                described.setdefault(field.name, schema["$defs"][_name_section(entry)]["description"])
            elif field.default_factory is dict:
                # msgspec writes the default of an empty dict since 0.23; the page is the same with those before.
                entry["default"] = {}
            entry["description"] = described[field.name]
    own = schema["$defs"][Config.__name__]["properties"]
    own["$schema"] = {"type": "string", "description": "Where this schema is, for editors."}
    anchored: Schema = json.loads(json.dumps(schema).replace("\\\\A", "^").replace("\\\\Z", "$"))
    return {"$schema": DRAFT, "title": "Magpie's configuration", **anchored}


def find_classes(kind: type) -> Iterator[type]:
    """The class of settings, and those of its sections and values."""
    yield kind
    for hint in get_type_hints(kind).values():
        for part in (hint, *get_args(hint)):
            if is_dataclass(part) and isinstance(part, type):
                yield from find_classes(part)


def read_docstrings(kind: type) -> dict[str, str]:
    """What stands below each field of the class and of those that it is made from."""
    found: dict[str, str] = {}
    for base in reversed([base for base in kind.__mro__ if is_dataclass(base)]):
        [definition] = ast.parse(inspect.getsource(base)).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in pairwise(definition.body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                found[ast.unparse(field.target)] = " ".join(str(below.value.value).split())
    return found


def write_tables(schema: Schema) -> str:
    """A table of the settings of each class that the configuration is made from, then one of each section."""
    own = schema["$defs"][Config.__name__]["properties"]
    parts = []
    for kind in Config.__mro__[:-1]:
        names = [name for name in inspect.get_annotations(kind) if "$ref" not in own[name]]
        heading = "What runs, and what it keeps" if kind is Config else inspect.getdoc(kind) or ""
        parts.append(_write_table(heading, "", {name: own[name] for name in names}))
    for name, entry in own.items():
        if "$ref" in entry:
            section = schema["$defs"][_name_section(entry)]["properties"]
            parts.append(_write_table(f"`{name}`: {entry['description']}", f"{name}.", section))
    return "\n".join(parts)


def make_files() -> dict[Path, str]:
    """The files that are written, as they should be."""
    schema = make_schema()
    by_hand = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    return {
        PAGE: f"{by_hand}{MARK}\n{write_tables(schema)}",
        SCHEMA: json.dumps(schema, indent=2, ensure_ascii=False) + "\n",
    }


def _make_path_schema(kind: type) -> Schema:
    if kind is not Path:
        raise NotImplementedError(f"What JSON has for {kind} is not known.")
    return {"type": "string", "format": "path"}


def _name_section(entry: Schema) -> str:
    return str(entry["$ref"].rpartition("/")[2])


def _write_table(heading: str, prefix: str, settings: dict[str, Schema]) -> str:
    lines = [
        f"## {heading.rstrip('.')}",
        "",
        "| setting | type | default | what it does |",
        "| --- | --- | --- | --- |",
    ]
    for name, entry in settings.items():
        cells = (
            f"`{prefix}{name}`",
            _describe_type(entry),
            _describe_default(entry.get("default")),
            entry["description"],
        )
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _describe_default(value: Any) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`" if value not in (None, "", [], {}) else "unset"


def _describe_type(entry: Schema) -> str:
    if "anyOf" in entry:
        return " or ".join(_describe_type(one) for one in entry["anyOf"] if one.get("type") != "null")
    if "enum" in entry:
        *first, last = (f"`{choice}`" for choice in entry["enum"])
        return f"{', '.join(first)} or {last}"
    match entry["type"]:
        case "boolean":
            return "`true` or `false`"
        case "integer" | "number" as kind:
            return f"{'whole number' if kind == 'integer' else 'number'}{_describe_bounds(entry)}"
        case "array":
            return f"list of {_describe_type(entry['items'])}"
        case "string":
            return _describe_text(entry)
        case _:
            return "object"


def _describe_bounds(entry: Schema) -> str:
    lowest = _write_number(entry["minimum"]) if "minimum" in entry else f"above {entry['exclusiveMinimum']}"
    highest = _write_number(entry["maximum"]) if "maximum" in entry else f"below {entry['exclusiveMaximum']:,}"
    return f", {lowest} to {highest}"


def _write_number(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else str(number)


def _describe_text(entry: Schema) -> str:
    kind = str(entry.get("format", "text"))
    if "maxLength" not in entry or entry["maxLength"] == MAX_CHARS_NAME:
        return kind
    fewest = entry.get("minLength")
    return f"{kind} of {f'{fewest} to' if fewest else 'up to'} {entry['maxLength']:,} characters"


if __name__ == "__main__":
    for path, text in make_files().items():
        path.write_text(text, encoding="utf-8")
