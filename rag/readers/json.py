"""JSON: its values as lines, each after the path of its keys."""

import json
from collections.abc import Iterator
from typing import Any

from rag.readers.text import decode_text, name_of

TITLE_KEYS = ("title", "name")
"""Keys under which data keeps what it is called."""


def read_json(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, from the top level or the file's name, and text; what is no JSON after all is read as it is."""
    name = name_of(source)
    text = decode_text(data, name, charset)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return name, text
    return title_in(value) or name, "\n".join(lines_of(value))


def title_in(value: Any) -> str:
    """What the value says it is called, or nothing."""
    named = (value.get(key) for key in TITLE_KEYS) if isinstance(value, dict) else iter(())
    return next((title for title in named if isinstance(title, str) and title.strip()), "")


def lines_of(value: Any, path: str = "") -> Iterator[str]:
    """`path: value` for every value that is not null; plain values of a list stand together."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from lines_of(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        yield from lines_of("; ".join(_plain_value(item) for item in value if item is not None), path)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from lines_of(item, f"{path}[{number}]")
    elif value is not None and value != "":
        yield f"{path}: {_plain_value(value)}" if path else _plain_value(value)


def _plain_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
