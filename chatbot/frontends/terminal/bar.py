"""How full the context window is, as a bar."""

from rich.text import Text

from chatbot.events import ContextUsed

CELLS = 20
# A window this full is spoken of in yellow, and then in red.
FILLING, FULL = 0.60, 0.85


def fill_colour(share: float) -> str:
    """Green below 60 %, yellow to 85 %, red above."""
    if share < FILLING:
        return "green"
    return "yellow" if share <= FULL else "red"


def context_bar(used: ContextUsed, cells: int = CELLS) -> Text:
    """The bar with its share in words."""
    share = used.used / used.window if used.window else 0.0
    filled = min(cells, max(1 if used.used else 0, round(share * cells)))
    bar = Text().append("━" * filled, fill_colour(share))
    bar.append("─" * (cells - filled), "dim")
    return bar.append(f" {share:.0%}", fill_colour(share)).append(f" of {used.window:,}", "dim")
