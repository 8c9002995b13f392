"""The closed union of what a front end can be told, by a turn of the agent or by a command."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from chatbot.conversation.messages import Source, ToolCall
from chatbot.conversation.usage import Usage

Part = Literal["system", "tools", "summary", "history", "evidence", "question"]


@dataclass(frozen=True)
class ContextUsed:
    """How full the window is, before each model call; tokens by origin."""

    parts: dict[Part, int]
    window: int
    reserve: int = 0
    """Of the window, what is kept for the reply."""
    cached: int = 0
    """Tokens of the last call's prompt that the server did not have to read again; 0 where it does not tell."""
    last_prompt: int = 0
    """Tokens of that prompt, 0 before the first call."""

    @property
    def total_tokens(self) -> int:
        """Tokens of all parts together."""
        return sum(self.parts.values())

    def with_measured_total(self, tokens: int, cached: int = 0) -> "ContextUsed":
        """The same with the total that the server reported; the parts keep their proportions."""
        share = tokens / max(self.total_tokens, 1)
        parts = {name: int(count * share) for name, count in self.parts.items()}
        parts["question"] += tokens - sum(parts.values())
        return replace(self, parts=parts, cached=cached, last_prompt=tokens)


@dataclass(frozen=True)
class AnswerDelta:
    """A piece of the answer, as Markdown."""

    text: str


@dataclass(frozen=True)
class ThinkingDelta:
    """A piece of what the model thinks."""

    text: str


@dataclass(frozen=True)
class Quoted:
    """What the best passage says, word for word, while the answer is still being written, which takes its place."""

    source: Source
    text: str


@dataclass(frozen=True)
class AnswerWithdrawn:
    """What was streamed since the last tool call is no answer: it led to a tool call, or a `Notice` says why.

    It may stay on the screen.
    """


@dataclass(frozen=True)
class ToolStarted:
    """A call begins."""

    call: ToolCall


@dataclass(frozen=True)
class ToolProgress:
    """How far a call is, for instance `iteration 1 of 3`."""

    call: ToolCall
    text: str


@dataclass(frozen=True)
class ToolFinished:
    """A call ended; `text` is what the model was told, numbered passages included."""

    call: ToolCall
    ok: bool
    text: str
    seconds: float
    sources: tuple[Source, ...] = ()

    @property
    def problem(self) -> str:
        """Why a call failed, without the paragraph that advises the model."""
        return self.text.partition("\n\n")[0]


@dataclass(frozen=True)
class Notice:
    """One sentence for the user: `info` dim, `warning` yellow, `error` red."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


@dataclass(frozen=True)
class Answered:
    """The turn is over. `text` is the whole answer as shown, `usage` all model calls of the turn added up."""

    text: str
    cited: tuple[Source, ...] = ()
    unused: tuple[Source, ...] = ()
    """Handed to the model in this turn, not cited."""
    unknown: tuple[int, ...] = ()
    """Numbers in the answer that were never handed out; they are struck out in the text."""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    truncated: bool = False
    """The reply was cut at max_tokens."""
    denied: tuple[str, ...] = ()
    """What was not done for want of the user's consent, a sentence each."""
    unsupported: tuple[int, ...] = ()
    """Numbers behind a sentence that their passage does not say; they are struck out there in the text."""
    form: dict[str, Any] | None = None
    """The answer as a JSON object, where it was to be put into one."""
    unformed: str = ""
    """A sentence why it is in none though it was to be."""
    summary: str = ""
    """One line that says what a long answer says, where that was asked for and could be had."""


@dataclass(frozen=True)
class Asked:
    """A question of a conversation that is shown again."""

    text: str
    attached: tuple[str, ...] = ()
    """The names of what went with it."""


@dataclass(frozen=True)
class Listing:
    """A table that a command shows; a cell is plain text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Slice:
    """One part of a chart."""

    name: str
    tokens: int
    kind: Literal["used", "free", "reserve"] = "used"


@dataclass(frozen=True)
class Chart:
    """Parts of a whole in their order, to be shown as one stacked bar with a legend."""

    title: str
    slices: tuple[Slice, ...]
    whole: int
    """Tokens of all slices together."""
    note: str = ""


@dataclass(frozen=True)
class MarkdownText:
    """A longer text that a command shows, as Markdown."""

    markdown: str


@dataclass(frozen=True)
class Progress:
    """How far a command is; `total` 0 when unknown. The last one has done == total."""

    label: str
    done: int
    total: int


@dataclass(frozen=True)
class CopyText:
    """Put this into the clipboard."""

    text: str


@dataclass(frozen=True)
class EditText:
    """Put this where the user types, to be changed and sent."""

    text: str


@dataclass(frozen=True)
class BrowseHistory:
    """Let the user look through the kept conversations; a front end that cannot shows the list."""

    listing: Listing
    words: str = ""
    """What is looked for first."""


@dataclass(frozen=True)
class Cleared:
    """The conversation was emptied; a screen may be cleared."""


@dataclass(frozen=True)
class Quit:
    """Leave."""


TurnEvent = (
    ContextUsed
    | AnswerDelta
    | ThinkingDelta
    | Quoted
    | AnswerWithdrawn
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | Notice
    | Progress
    | Answered
)
Wish = CopyText | EditText | BrowseHistory | Cleared | Quit
"""What a command asks of a front end."""
Event = TurnEvent | Asked | Listing | Chart | MarkdownText | Wish
