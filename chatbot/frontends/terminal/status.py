"""The status line: which model, how full its window is, whether it has tools."""

from collections.abc import Callable
from dataclasses import dataclass

from prompt_toolkit.formatted_text import StyleAndTextTuples
from rich.text import Text

from chatbot.config import Config
from chatbot.events import ContextUsed
from chatbot.frontends.terminal.bar import context_bar, fill_colour
from utils.text import one_line

# The widest name of a model that leaves room for the rest at 60 columns.
_NAME = 28
_BAR = 10


@dataclass
class Status:
    """What the line shows."""

    settings: Callable[[], Config]
    model: str = ""
    """The model's name; empty until it is known."""
    context: ContextUsed | None = None
    hint: str = ""
    """Said in the place of the rest, once."""

    def running_line(self, mark: str, seconds: int, width: int) -> Text:
        """The line while a turn runs."""
        line = Text(no_wrap=True, overflow="ellipsis").append(f"{mark} ", "cyan").append(f"{seconds} s", "dim")
        line.append(f" · {self._name()}", "dim")
        if self.context:
            line.append(" · ", "dim").append_text(context_bar(self.context, _BAR))
        stop = " · Ctrl-C stops"
        return line.append(stop, "dim") if line.cell_len + len(stop) <= width else line

    def toolbar(self) -> StyleAndTextTuples:
        """The line below the prompt."""
        if self.hint:
            return [("class:status", self.hint)]
        parts: StyleAndTextTuples = [("class:status", self._name())]
        if self.context and self.context.window:
            share = self.context.used / self.context.window
            parts += [("class:status", " · context "), (f"fg:ansi{fill_colour(share)}", f"{share:.0%}")]
        state = "on" if self.settings().tools_enabled else "off"
        return [*parts, ("class:status", f" · tools {state} · /help")]

    def _name(self) -> str:
        return one_line(self.model or self.settings().model, _NAME) or "choosing a model"
