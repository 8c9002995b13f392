"""How long hostile texts take to the terminal, as ratios to prose of the same length in the same run."""

import io
import time
from collections.abc import Callable

from rich.console import Console

from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.streams import Kind, Stream
from chatbot.frontends.terminal.drawing.theme import THEME
from utils.text import StreamCleaner, clean

LENGTH = 40_000
CHUNK = 200
"""Characters that arrive at once."""
PROSE = ("Herons wait for fish in shallow water, and storks build nests of twigs on roofs and poles. " * 500)[:LENGTH]
TEXTS = {
    "prose": PROSE,
    "one word": "x" * LENGTH,
    "one wide word": "日" * LENGTH,
    "marks on one letter": "a" + "\u0301" * LENGTH,
    "escapes": "\x1b[31mx" * (LENGTH // 6),
    "a title that never ends": "\x1b]0;" + "A" * LENGTH,
    "tabs": "\t" * LENGTH,
    "brackets": "[" * LENGTH,
    "stars": "*a **b " * (LENGTH // 7),
    "links in links": "[a](" * (LENGTH // 4),
    "backticks": "`a" * (LENGTH // 2),
    "a list of 10,000": "- x\n" * (LENGTH // 4),
    "lists in lists": "\n".join("  " * depth + "- x" for depth in range(200)),
    "a table of 1,000 columns": ("|".join("a" * 1000) + "\n" + "|".join("-" * 1000) + "\n") + "|".join("b" * 1000) * 8,
    "code": "```py\n" + "x = 1\n" * (LENGTH // 6) + "```\n",
}


def main() -> None:
    """Print two tables."""
    fastest(lambda: shown(PROSE, "answer"))
    base = fastest(lambda: shown(PROSE, "answer"))
    print(f"{LENGTH:,} characters, in pieces of {CHUNK}: processor ms as Markdown and as plain text, times prose")
    for name, text in TEXTS.items():
        spent = [fastest(lambda kind=kind, text=text: shown(text, kind)) for kind in ("answer", "plain")]
        cells = "  ".join(f"{seconds * 1000:8.0f} {seconds / base:6.1f}x" for seconds in spent)
        print(f"{name:26} {cells}", flush=True)
    base = fastest(lambda: PROSE.isprintable())
    print("\ncleaning: ms for a million characters, whole and as a stream, times str.isprintable")
    for name, text in TEXTS.items():
        seconds = fastest(lambda text=text: clean(text))
        stream = fastest(lambda text=text: cleaned(text))
        each = 1000 * 1e6 / len(text)
        print(f"{name:26} {seconds * each:8.1f} {stream * each:8.1f} {seconds * LENGTH / len(text) / base:8.0f}x")


def shown(text: str, kind: Kind) -> None:
    """Print a text as it comes."""
    file = io.StringIO()
    screen = Screen(Console(file=file, width=80, theme=THEME, force_terminal=True, color_system="standard"))
    stream = Stream(kind)
    for begin in range(0, len(text), CHUNK):
        for block in stream.feed(text[begin : begin + CHUNK]):
            screen.print(block)
    for block in stream.finish():
        screen.print(block)


def cleaned(text: str) -> None:
    """Clean a text as it comes."""
    cleaner = StreamCleaner()
    for begin in range(0, len(text), CHUNK):
        cleaner.feed(text[begin : begin + CHUNK])
    cleaner.finish()


def fastest(work: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the fastest of some runs."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


if __name__ == "__main__":
    main()
