"""The status line: which model, how full its window is, whether it has tools."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from prompt_toolkit.formatted_text import StyleAndTextTuples

from chatbot.config import Config
from chatbot.frontends.background_work import BackgroundWork, share_done
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.conversation.events import ContextUsed

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
    work: BackgroundWork = field(default_factory=BackgroundWork)
    hint: str = ""
    """Said in the place of the rest, once."""

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
        progress = self.work.latest
        return one_line(progress.label, _MAX_MODEL_NAME) + share_done(progress) if progress else ""

    def model_name(self) -> str:
        """The model's name as far as it is known."""
        return one_line(self.model() or self.settings().model, _MAX_MODEL_NAME) or "choosing a model"


def fill_colour(share: float) -> str:
    """Green below 60 %, yellow to 85 %, red above."""
    if share < FILLING:
        return "green"
    return "yellow" if share <= FULL else "red"
