"""A reply's stream in which tool calls written as text become calls, and everything else is passed on.

What the user asked for is never executed. Two signs tell it, in any language: the question itself shows the form (a
key such as "arguments" in quotes, or a tag such as <tool_call>); or it says JSON, and the call's arguments do not: then
JSON is the form of the answer and not what is to be looked up.
"""

import re
from collections.abc import Sequence

from chatbot.conversation.messages import ToolCall
from chatbot.models.base import Call, Done, Piece, ServerCited, Text
from chatbot.models.text_calls.described import described_tool
from chatbot.models.text_calls.parser import ARGUMENT_KEYS, NAME_KEYS, Accepts, Scanner, find_calls
from chatbot.models.text_calls.prefix import TAGS, read_opening
from tools.base import ToolSchema

MAX_OPENING = 300
"""Characters within which a text must show that it is a call."""
MAX_TAIL = 200
"""Characters after a call inside a sentence; with more, a call that has no word of the question was an example."""

# What cannot open a call by its next character is passed without a closer look.
_START = re.compile(r'`|<(?=\Z|[tf|])|\{(?=\Z|[\s{"])|\[(?=\Z|[\s{\w])')


class CallFinder:
    """Takes the pieces of a reply; calls found in their text come out in place of that text and before `Done`.

    `accepts` says whether a tool takes some arguments. Text is held back only while it can still be a call.
    """

    def __init__(self, offered: Sequence[ToolSchema], accepts: Accepts, question: str) -> None:
        self._sieve = Sieve(offered, accepts, question) if offered else None
        self._real: list[ToolCall] = []
        self._told: list[str] = []
        self._offered = offered
        self._question = question
        self.found = False
        """Whether a call was written as text."""
        self.described = False
        """Whether the reply is over and only speaks of a call."""

    def feed(self, piece: Piece) -> list[Piece]:
        """What a piece lets pass; a call in text that also came as a real one is dropped."""
        if isinstance(piece, Call):
            self._real.append(piece.call)
        if isinstance(piece, Text) and self._sieve:
            self._told.append(piece.delta)
            shown = self._sieve.feed(piece.delta)
            return [Text(shown)] if shown else []
        if isinstance(piece, ServerCited):
            # It belongs behind the text so far.
            return [*self.rest(), piece]
        return [*self._finish(), piece] if isinstance(piece, Done) else [piece]

    def rest(self) -> list[Piece]:
        """What was still held back of a reply that broke."""
        text = self._sieve.held_rest() if self._sieve else ""
        return [Text(text)] if text else []

    def _finish(self) -> list[Piece]:
        shown, calls = self._sieve.finish() if self._sieve else ("", [])
        made = [(call.name, call.arguments) for call in self._real]
        found: list[Piece] = [Call(call) for call in calls if (call.name, call.arguments) not in made]
        self.found = bool(found)
        silent = not (found or self._real)
        self.described = silent and bool(described_tool("".join(self._told), self._offered, self._question))
        return [Text(shown), *found] if shown else found


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
        self._is_about: bool | None = None
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
            shown.append(self._look_inside() if self._scanner else self._look_outside())
            if self._at == before:
                break
        if self._gave_up:
            shown.append(self.held_rest())
        return "".join(shown)

    def finish(self) -> tuple[str, list[ToolCall]]:
        """What is left when the reply has ended: text to show, or calls in its place."""
        gave_up = self._gave_up
        text = self.held_rest()
        calls = [] if gave_up else self._find_calls(text)
        return ("", calls) if calls else (text, [])

    def held_rest(self) -> str:
        """What was held back or not looked at, once."""
        text = "".join(self._held) + self._new[self._at :]
        self._held, self._new, self._at = [], "", 0
        return text

    def _find_calls(self, text: str) -> list[ToolCall]:
        calls = find_calls(text, self._offered, self._accepts)
        return [] if asked_for(self._question, calls) else calls

    def _about_question(self) -> bool:
        """Whether the first call looks for what was asked; small models go on and invent what it would find."""
        if self._is_about is None:
            first = self._find_calls("".join(self._held))[:1]
            self._is_about = bool(first) and shares_word(self._question, repr([*first[0].arguments.values()]))
        return self._is_about

    def _look_outside(self) -> str:
        """Look for the next opening in the new text."""
        if self._in_code:
            return self._pass_code()
        match = _START.search(self._new, self._at)
        if match is None:
            return self._pass_text(len(self._new))
        if match.start() > self._at:
            return self._pass_text(match.start())
        return self._judge_opening()

    def _pass_code(self) -> str:
        """Pass code on up to the fence that ends it; backticks at the end may be the half of one."""
        end = self._new.find("```", self._at)
        if end >= 0:
            self._in_code = False
            return self._pass_text(end + 3)
        return self._pass_text(max(self._at, len(self._new.rstrip("`"))))

    def _judge_opening(self) -> str:
        verdict, start = read_opening(self._new[self._at : self._at + MAX_OPENING], self._names)
        if verdict == "maybe" and len(self._new) - self._at < MAX_OPENING:
            return ""
        if verdict == "call":
            self._scanner = Scanner()
            self._hold_back(self._at + start)
            return self._look_inside()
        if verdict == "json" and (self._shown_any or not self._after_call):
            # Another JSON value: this reply is an answer.
            self._gave_up = True
            return ""
        self._in_code = verdict == "code"
        return self._pass_text(self._at + (3 if self._in_code else 1))

    def _look_inside(self) -> str:
        """Follow the brackets of a call; where they close and nothing valid is inside, it was an answer."""
        assert self._scanner is not None
        end = self._scanner.scan_piece(self._new, self._at)
        self._gave_up = self._scanner.too_deep
        self._hold_back(len(self._new) if end < 0 else end)
        if end >= 0:
            self._scanner = None
            self._tail = 0
            self._gave_up = not self._after_call and not self._find_calls("".join(self._held))
            self._after_call = True
        return ""

    def _hold_back(self, end: int) -> None:
        self._held.append(self._new[self._at : end])
        self._at = end

    def _pass_text(self, end: int) -> str:
        """Show text that is no call; after a call it is held, for it goes with the call or shows that it was none."""
        if self._after_call:
            self._tail += end - self._at
            self._hold_back(end)
            self._gave_up = self._shown_any and self._tail > MAX_TAIL and not self._about_question()
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


def shares_word(question: str, text: str) -> bool:
    """Whether a word of four letters, or of two where letters are whole syllables, stands in both."""
    folded = question.casefold()
    words = re.findall(r"\w{4,}|[^\W\d_a-zA-Z]{2,}", text.casefold())
    return any(word in folded for word in words)
