"""The forms in which models write tool calls as text, and the calls that a text holds.

The forms were seen in replies of small models: a JSON object or array, bare or fenced; several objects;
`{"tool_calls": [...]}`; `{"type": "function", "function": {...}}`; `{toolname: {...}}`; `{"tool": ..., ...}` with the
arguments beside the name; `[f(a="b")]`; any of them in tags such as `<tool_call>`, also unclosed or mismatched; doubled
braces; one missing closing brace. Keys: name, tool or function with arguments, parameters, args or input, which may be
an object or a JSON string.
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from chatbot.conversation.messages import ToolCall
from tools.base import ToolSchema

Accepts = Callable[[str, dict[str, Any]], bool]

NAME_KEYS = ("name", "tool", "function", "tool_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
CALL_KEYS = (*NAME_KEYS, *ARGUMENT_KEYS, "tool_calls", "type", "id")
MAX_CALLS_IN_TEXT = 16
"""Calls that one reply may hold as text; more are dropped."""
MAX_BRACKET_DEPTH = 64
"""Brackets inside brackets; deeper text is no call, and a parser would run out of stack."""
MAX_EXPRESSION = 20_000
"""Characters of a call in Python's form."""
_BRACKETS = re.compile(r'["{}\[\]]')
_NAMED_TAG = re.compile(r"<function=([\w.-]+)>\s*$")
_CLOSER = {"{": "}", "[": "]"}


class Scanner:
    """Finds where a bracketed text ends, fed piece by piece; each character is looked at once."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.too_deep = False
        self._in_string = False
        self._escaped = False

    def scan_piece(self, text: str, start: int = 0) -> int:
        """The index after the bracket that closes the first one, or -1 where it is not in this piece."""
        at = start
        while at < len(text):
            if self._in_string:
                at = self._skip_string(text, at)
                continue
            match = _BRACKETS.search(text, at)
            if match is None:
                return -1
            at = match.end()
            self._take_mark(match[0])
            if not self.open and not self._in_string:
                return at
        return -1

    def _skip_string(self, text: str, at: int) -> int:
        if self._escaped:
            self._escaped = False
            return at + 1
        while at < len(text):
            if text[at] == "\\":
                self._escaped = at + 1 == len(text)
                at += 2
                continue
            at += 1
            if text[at - 1] == '"':
                self._in_string = False
                return at
        return at

    def _take_mark(self, mark: str) -> None:
        if mark == '"':
            self._in_string = True
        elif mark in "{[":
            self.open.append(mark)
            self.too_deep = self.too_deep or len(self.open) > MAX_BRACKET_DEPTH
        elif self.open:
            # A mismatched bracket closes whatever is open: models mix them up.
            self.open.pop()


def find_calls(text: str, offered: Sequence[ToolSchema], accepts: Accepts) -> list[ToolCall]:
    """The calls that a text holds, in order, each once; time is linear in the text's length."""
    calls: list[ToolCall] = []
    schemas = {schema.name: schema for schema in offered}
    for value, tag_name in values_in(text):
        for name, arguments in wished_calls(value, tag_name, schemas):
            call = accepted_call(name, arguments, schemas, accepts)
            if call is not None and call not in calls and len(calls) < MAX_CALLS_IN_TEXT:
                calls.append(call)
    return calls


def values_in(text: str) -> Iterator[tuple[Any, str]]:
    """The outermost bracketed values of a text that can be read, each with the name that a tag before it gives."""
    at = 0
    while (start := next_bracket(text, at)) >= 0:
        scanner = Scanner()
        end = scanner.scan_piece(text, start)
        closed = end >= 0
        tag = _NAMED_TAG.search(text[max(0, start - 100) : start])
        if not scanner.too_deep:
            piece = text[start:end] if closed else repair_brackets(text[start:], scanner.open)
            value = read_value(piece)
            if value is not None:
                yield value, tag[1] if tag else ""
        if not closed:
            return
        at = end


def next_bracket(text: str, at: int) -> int:
    """The index of the next opening bracket, or -1."""
    found = [index for index in (text.find("{", at), text.find("[", at)) if index >= 0]
    return min(found, default=-1)


def repair_brackets(piece: str, missing: Sequence[str]) -> str:
    """A text whose last bracket was never closed, with it closed before a fence or tag that follows."""
    if len(missing) != 1:
        return ""
    end = min((index for index in (piece.rfind("```"), piece.rfind("</")) if index > 0), default=len(piece))
    return piece[:end].rstrip() + _CLOSER[missing[0]]


def read_value(piece: str) -> Any:
    """The value of a bracketed text: JSON, JSON with doubled braces, or calls in Python's form; else None."""
    candidates = [piece]
    if piece.startswith("{{"):
        candidates += [piece[1:-1], piece.replace("{{", "{").replace("}}", "}")]
    for candidate in candidates:
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
    return python_calls(piece) if piece.startswith("[") else None


def python_calls(piece: str) -> list[dict[str, Any]] | None:
    """Calls written as `[f(a="b"), g()]`, as objects; nothing is evaluated but literals."""
    if len(piece) > MAX_EXPRESSION:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(piece, mode="eval").body
        return [
            {"name": node.func.id, "arguments": {word.arg: ast.literal_eval(word.value) for word in node.keywords}}
            for node in (tree.elts if isinstance(tree, ast.List) else [])
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def wished_calls(value: Any, tag_name: str, schemas: dict[str, ToolSchema]) -> Iterator[tuple[str, Any]]:
    """The (name, arguments) pairs that a value may stand for."""
    if isinstance(value, list):
        for part in value:
            yield from wished_calls(part, "", schemas)
    elif not isinstance(value, dict):
        return
    elif tag_name in schemas:
        yield tag_name, value
    elif isinstance(value.get("tool_calls"), list):
        yield from wished_calls(value["tool_calls"], "", schemas)
    elif isinstance(value.get("function"), dict):
        yield from wished_calls(value["function"], "", schemas)
    else:
        yield from named_wishes(value, schemas)


def named_wishes(value: dict[str, Any], schemas: dict[str, ToolSchema]) -> Iterator[tuple[str, Any]]:
    """The calls of an object that names its tool, by a key for the name or by the tool's name as a key."""
    name_key = next((key for key in NAME_KEYS if isinstance(value.get(key), str)), "")
    if not name_key:
        yield from ((key, inner) for key, inner in value.items() if key in schemas and isinstance(inner, dict))
        return
    argument_key = next((key for key in ARGUMENT_KEYS if key in value), "")
    beside = {key: inner for key, inner in value.items() if key != name_key}
    yield value[name_key], value[argument_key] if argument_key else beside


def accepted_call(name: str, arguments: Any, schemas: dict[str, ToolSchema], accepts: Accepts) -> ToolCall | None:
    """A call of an offered tool with valid arguments, unknown keys dropped; None for everything else."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError):
            return None
    if name not in schemas or not isinstance(arguments, dict) or isinstance(arguments.get("properties"), dict):
        # Arguments with "properties" are the tool's schema said back.
        return None
    parameters = schemas[name].parameters
    known = {key: value for key, value in arguments.items() if key in parameters.get("properties", {})}
    if any(known.get(key) in (None, "", [], {}) for key in parameters.get("required", [])):
        return None
    return ToolCall(name, known) if accepts(name, known) else None
