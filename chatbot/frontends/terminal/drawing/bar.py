"""How full the context window is, as a bar."""

from rich.text import Text

from chatbot.conversation.events import ContextUsed
from chatbot.frontends.terminal.drawing.status import fill_colour

CELLS = 20


def context_bar(used: ContextUsed, cells: int = CELLS) -> Text:
    """The bar with its share in words."""
    share = used.total_tokens / used.window if used.window else 0.0
    filled = min(cells, max(1 if used.total_tokens else 0, round(share * cells)))
    bar = Text().append("━" * filled, fill_colour(share)).append("─" * (cells - filled), "dim")
    return bar.append(f" {share:.0%}", fill_colour(share))
