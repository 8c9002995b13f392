"""The status line: which model, how full its window is, whether it has tools."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from prompt_toolkit.formatted_text import StyleAndTextTuples

from chatbot.config import Config
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.conversation.events import ContextUsed, Progress

# The widest name of a model that leaves room for the rest at 60 columns.
_MAX_MODEL_NAME = 24
# A window this full is spoken of in yellow, and then in red.
FILLING, FULL = 0.60, 0.85


@dataclass
class Status:
    """What the line shows."""

    settings: Callable[[], Config]
    model: Callable[[], str] = lambda: ""
    """The name of the model in use; empty until it is known."""
    context: "ContextUsed | None" = None
    under_way: "dict[str, Progress]" = field(default_factory=dict)
    """What goes on in the background, by its label, in the order in which it was last heard of."""
    hint: str = ""
    """Said in the place of the rest, once."""

    def note(self, progress: "Progress") -> None:
        """Take in how far something in the background is; nothing more is said of it once all is done."""
        self.under_way.pop(progress.label, None)
        if progress.done != progress.total:
            self.under_way[progress.label] = progress

    @property
    def progress(self) -> "Progress | None":
        """What was last heard of, of what goes on in the background."""
        return next(reversed(self.under_way.values()), None)

    def toolbar_line(self) -> StyleAndTextTuples:
        """The line below the prompt."""
        if self.hint:
            return [("class:status", self.hint)]
        parts: StyleAndTextTuples = [("class:status", self._progress_text() or self.model_name())]
        if self.context and self.context.window:
            share = self.context.total_tokens / self.context.window
            parts += [("class:status", " · context "), (f"fg:ansi{fill_colour(share)}", f"{share:.0%}")]
        state = "on" if self.settings().tools_enabled else "off"
        private = " · private" if self.settings().private else ""
        offline = " · offline" if self.settings().offline else ""
        return [*parts, ("class:status", f" · tools {state}{private}{offline} · /help")]

    def _progress_text(self) -> str:
        progress = self.progress
        if progress is None:
            return ""
        share = f" {progress.done / progress.total:.0%}" if progress.done and progress.total else ""
        return one_line(progress.label, _MAX_MODEL_NAME) + share

    def model_name(self) -> str:
        """The model's name as far as it is known."""
        return one_line(self.model() or self.settings().model, _MAX_MODEL_NAME) or "choosing a model"


def fill_colour(share: float) -> str:
    """Green below 60 %, yellow to 85 %, red above."""
    if share < FILLING:
        return "green"
    return "yellow" if share <= FULL else "red"
