"""How a tool call written as text begins: whether the first characters of a text can still become one."""

import re
from collections.abc import Sequence
from typing import Literal

from chatbot.models.text_calls.parser import ARGUMENT_KEYS, CALL_KEYS

FENCES = frozenset({"", "json", "jsonc", "xml", "text", "plaintext", "tool_call", "tool_calls", "tool_code", "tools"})
"""What may stand after a fence that holds a call; a fence with anything else is code."""
TAGS = (
    "<tool_call>",
    "<tool_calls>",
    "<tools>",
    "<tool>",
    "<function>",
    "<function-call>",
    "<function_call>",
    "<functioncall>",
    "<|tool_call|>",
    "<|python_tag|>",
)
Verdict = Literal["call", "maybe", "no", "json", "code"]
"""`json` is JSON that is no call, `code` a fence that holds none, `no` anything else."""
_FIRST_KEY = re.compile(r'"([^"\\]*)"\s*:\s*')


def read_opening(text: str, names: Sequence[str]) -> tuple[Verdict, int]:
    """Whether a text that starts with `{`, `[`, `<` or a backtick opens a call, and where its first bracket is."""
    at = 0
    fenced = text.startswith("`")
    if fenced:
        verdict, at = read_fence(text)
        if verdict != "call":
            return verdict, at
    if text.startswith("<", at):
        named = text.startswith("<function=", at)
        verdict, at = read_tag(text, at, names)
        if verdict != "call":
            return ("code" if fenced and verdict == "no" else verdict), at
        if named and text.startswith("{", at):
            return "call", at
    if at == len(text):
        return "maybe", at
    verdict = read_bracket(text, at, names)
    return ("code" if fenced and verdict == "no" else verdict), at


def read_fence(text: str) -> tuple[Verdict, int]:
    """Whether a fence may hold a call, and where its content begins."""
    if not text.startswith("```"):
        return ("maybe" if "```".startswith(text) else "no"), 0
    match = re.match(r"```[ \t]*([\w+-]*)[ \t]*\n?\s*", text)
    assert match is not None
    if match[1].casefold() in FENCES:
        return "call", match.end()
    unfinished = match.end() == len(text) and any(info.startswith(match[1].casefold()) for info in FENCES)
    return ("maybe" if unfinished else "code"), 0


def read_tag(text: str, at: int, names: Sequence[str]) -> tuple[Verdict, int]:
    """Whether a tag may hold a call, and where its content begins."""
    tags = (*TAGS, *(f"<function={name}>" for name in names))
    rest = text[at:]
    if any(known.startswith(rest) for known in tags):
        return ("call", len(text)) if rest in tags else ("maybe", at)
    known = next((known for known in tags if rest.startswith(known)), "")
    if not known:
        return "no", at
    inner = rest[len(known) :]
    return "call", len(text) - len(inner.lstrip())


def read_bracket(text: str, at: int, names: Sequence[str]) -> Verdict:
    """Whether JSON or a call in Python's form that begins at `at` may be a call, by its first key or name."""
    rest = text[at:]
    if rest[0] == "[":
        inner = rest[1:].lstrip()
        if not inner:
            return "maybe"
        if inner[0] != "{":
            return call_name(inner, names)
        rest = inner
    if rest[0] != "{":
        return "no"
    inner = rest[1:].lstrip()
    if inner.startswith("{"):
        inner = inner[1:].lstrip()
    if not inner:
        return "maybe"
    return first_key(inner, names) if inner[0] == '"' else "no"


def call_name(text: str, names: Sequence[str]) -> Verdict:
    """Whether `f(...)` begins here with an offered name."""
    if any(text.startswith(f"{name}(") for name in names):
        return "call"
    return "maybe" if any(f"{name}(".startswith(text) for name in names) else "no"


def first_key(text: str, names: Sequence[str]) -> Verdict:
    """Whether an object whose first key begins here may be a call."""
    match = _FIRST_KEY.match(text)
    if match is None:
        known = [f'"{key}"' for key in (*CALL_KEYS, *names)]
        return "maybe" if any(key.startswith(text.rstrip().removesuffix(":").rstrip()) for key in known) else "json"
    key, value = match[1], text[match.end() :]
    if key in names or key in ARGUMENT_KEYS or key == "tool_calls":
        return "call"
    if key not in CALL_KEYS:
        return "json"
    if not value:
        return "maybe"
    if key == "function" and value[0] == "{":
        return "call"
    wanted = {"type": ["function"], "id": ["call"]}.get(key, list(names))
    return first_value(value, wanted, whole=key != "id")


def first_value(text: str, wanted: Sequence[str], *, whole: bool) -> Verdict:
    """Whether a string that begins here is one of the wanted ones, or with `whole` false begins like one."""
    said = text[1:].partition('"')[0]
    closed = text.count('"', 0, len(said) + 2) == 2
    if text[0] != '"':
        return "json"
    if closed or not whole:
        fits = said in wanted if whole else any(said.startswith(word) for word in wanted)
        if fits:
            return "call"
    return "maybe" if not closed and any(word.startswith(said) for word in wanted) else "json"
