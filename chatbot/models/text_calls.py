"""A reply's stream in which tool calls written as text become calls, and everything else is passed on.

What the user asked for is never executed. Two signs tell it, in any language: the question itself shows the form (a
key such as "arguments" in quotes, or a tag such as <tool_call>); or it says JSON, and the call's arguments do not: then
JSON is the form of the answer and not what is to be looked up.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Literal

from chatbot.messages import ToolCall
from chatbot.models.base import Call, Done, Piece, Text
from chatbot.models.call_forms import ARGUMENT_KEYS, CALL_KEYS, NAME_KEYS, Accepts, Scanner, find_calls
from tools.base import ToolSchema

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
MAX_OPENING = 300
"""Characters within which a text must show that it is a call."""
MAX_TAIL = 200
"""Characters after a call inside a sentence; with more, the call was an example in an answer."""

Verdict = Literal["call", "maybe", "no", "json", "code"]
# What cannot open a call by its next character is passed without a closer look.
_START = re.compile(r'`|<(?=\Z|[tf|])|\{(?=\Z|[\s{"])|\[(?=\Z|[\s{\w])')
_KEY = re.compile(r'"([^"\\]*)"\s*:\s*')


async def with_text_calls(
    pieces: AsyncIterator[Piece], offered: Sequence[ToolSchema], accepts: Accepts, question: str
) -> AsyncGenerator[Piece, None]:
    """The pieces with calls found in their text, in place of that text and before `Done`.

    `accepts` says whether a tool takes some arguments. Text is held back only while it can still be a call.
    """
    sieve = Sieve(offered, accepts, question)
    real: list[ToolCall] = []
    async for piece in pieces:
        if isinstance(piece, Text) and offered:
            if shown := sieve.feed(piece.delta):
                yield Text(shown)
            continue
        if isinstance(piece, Call):
            real.append(piece.call)
        elif isinstance(piece, Done):
            for found in last_pieces(sieve, real):
                yield found
        yield piece


def last_pieces(sieve: "Sieve", real: Sequence[ToolCall]) -> list[Piece]:
    """What was held back, as text or as calls; a call that also came as a real one is dropped."""
    shown, calls = sieve.finish()
    made = [(call.name, call.arguments) for call in real]
    text: list[Piece] = [Text(shown)] if shown else []
    return [*text, *(Call(call) for call in calls if (call.name, call.arguments) not in made)]


class Sieve:
    """Decides of growing text what can be shown. `held` is what may be a call, or stands after one."""

    def __init__(self, offered: Sequence[ToolSchema], accepts: Accepts, question: str) -> None:
        self._offered = offered
        self._accepts = accepts
        self._question = question
        self._names = [schema.name for schema in offered]
        self._held: list[str] = []
        self._shown_any = False
        """Whether anything but space went before; only then must a call be the reply's only JSON."""
        self._scanner: Scanner | None = None
        """At work on a call that was recognised by its opening."""
        self._in_code = False
        self._after_call = False
        self._tail = 0
        self._gave_up = False
        self._new = ""
        self._at = 0
        """Up to here the new text was looked at."""

    def feed(self, delta: str) -> str:
        """Take a piece of text; returns what can be shown now."""
        if self._gave_up:
            return delta
        self._new, self._at = self._new[self._at :] + delta, 0
        shown: list[str] = []
        while self._at < len(self._new) and not self._gave_up:
            before = self._at
            shown.append(self._inside() if self._scanner else self._outside())
            if self._at == before:
                break
        if self._gave_up:
            shown.append(self._take_rest())
        return "".join(shown)

    def finish(self) -> tuple[str, list[ToolCall]]:
        """What is left when the reply has ended: text to show, or calls in its place."""
        gave_up = self._gave_up
        text = self._take_rest()
        calls = [] if gave_up else self._calls(text)
        return ("", calls) if calls else (text, [])

    def _take_rest(self) -> str:
        text = "".join(self._held) + self._new[self._at :]
        self._held, self._new, self._at = [], "", 0
        return text

    def _calls(self, text: str) -> list[ToolCall]:
        calls = find_calls(text, self._offered, self._accepts)
        return [] if asked_for(self._question, calls) else calls

    def _outside(self) -> str:
        """Look for the next opening in the new text."""
        if self._in_code:
            return self._code()
        match = _START.search(self._new, self._at)
        if match is None:
            return self._pass(len(self._new))
        if match.start() > self._at:
            return self._pass(match.start())
        return self._judge()

    def _code(self) -> str:
        """Pass code on up to the fence that ends it; backticks at the end may be the half of one."""
        end = self._new.find("```", self._at)
        if end >= 0:
            self._in_code = False
            return self._pass(end + 3)
        return self._pass(max(self._at, len(self._new.rstrip("`"))))

    def _judge(self) -> str:
        verdict, start = opening(self._new[self._at : self._at + MAX_OPENING], self._names)
        if verdict == "maybe" and len(self._new) - self._at < MAX_OPENING:
            return ""
        if verdict == "call":
            self._scanner = Scanner()
            self._hold(self._at + start)
            return self._inside()
        if verdict == "json" and (self._shown_any or not self._after_call):
            # Another JSON value: this reply is an answer.
            self._gave_up = True
            return ""
        self._in_code = verdict == "code"
        return self._pass(self._at + (3 if self._in_code else 1))

    def _inside(self) -> str:
        """Follow the brackets of a call; where they close and nothing valid is inside, it was an answer."""
        assert self._scanner is not None
        end = self._scanner.feed(self._new, self._at)
        self._gave_up = self._scanner.too_deep
        self._hold(len(self._new) if end < 0 else end)
        if end >= 0:
            self._scanner = None
            self._tail = 0
            self._gave_up = not self._after_call and not self._calls("".join(self._held))
            self._after_call = True
        return ""

    def _hold(self, end: int) -> None:
        self._held.append(self._new[self._at : end])
        self._at = end

    def _pass(self, end: int) -> str:
        """Show text that is no call; after a call it is held, for it goes with the call or shows that it was none."""
        if self._after_call:
            self._tail += end - self._at
            self._hold(end)
            self._gave_up = self._shown_any and self._tail > MAX_TAIL
            return ""
        text = self._new[self._at : end]
        self._at = end
        self._shown_any = self._shown_any or bool(text.strip())
        return text


def asked_for(question: str, calls: Sequence[ToolCall]) -> bool:
    """Whether the user asked for the text of these calls, and not for what they would find."""
    folded = question.casefold()
    if any(f'"{key}"' in folded for key in (*NAME_KEYS, *ARGUMENT_KEYS)) or any(tag in folded for tag in TAGS):
        return True
    return "json" in folded and not any("json" in repr(call.arguments).casefold() for call in calls)


def opening(text: str, names: Sequence[str]) -> tuple[Verdict, int]:
    """Whether a text that starts with `{`, `[`, `<` or a backtick opens a call, and where its first bracket is."""
    at = 0
    fenced = text.startswith("`")
    if fenced:
        verdict, at = fence(text)
        if verdict != "call":
            return verdict, at
    if text.startswith("<", at):
        named = text.startswith("<function=", at)
        verdict, at = tag(text, at, names)
        if verdict != "call":
            return ("code" if fenced and verdict == "no" else verdict), at
        if named and text.startswith("{", at):
            return "call", at
    if at == len(text):
        return "maybe", at
    verdict = bracket(text, at, names)
    return ("code" if fenced and verdict == "no" else verdict), at


def fence(text: str) -> tuple[Verdict, int]:
    """Whether a fence may hold a call, and where its content begins."""
    if not text.startswith("```"):
        return ("maybe" if "```".startswith(text) else "no"), 0
    match = re.match(r"```[ \t]*([\w+-]*)[ \t]*\n?\s*", text)
    assert match is not None
    if match[1].casefold() in FENCES:
        return "call", match.end()
    unfinished = match.end() == len(text) and any(info.startswith(match[1].casefold()) for info in FENCES)
    return ("maybe" if unfinished else "code"), 0


def tag(text: str, at: int, names: Sequence[str]) -> tuple[Verdict, int]:
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


def bracket(text: str, at: int, names: Sequence[str]) -> Verdict:
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
    match = _KEY.match(text)
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
