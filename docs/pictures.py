"""Takes the pictures of the documentation: a real chat in a pseudo-terminal, exported by Rich as SVG.

Run it with `make pictures`; it uses the embedded model and a data folder of its own.
"""

import os
import sys
import tempfile
from pathlib import Path

import pexpect
import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).parent.parent
# pyte names colours as they were on a PC's text screen; Rich as ANSI does.
NAMES = {"brown": "yellow", "brightbrown": "bright_yellow"}

QUESTIONS = (
    "What does Magpie use when no Ollama server answers?",
    "Which file do I copy to change the settings?",
    "Write a Python function that reverses a string.",
)


class Recorder:
    """A program in a pseudo-terminal and the screen that it draws."""

    def __init__(self, command: str, columns: int, lines: int, environment: dict[str, str]) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.Stream(self.screen)
        size = (lines, columns)
        self._child = pexpect.spawn(command, dimensions=size, env=environment, cwd=ROOT, encoding="utf-8", timeout=300)

    def wait_for(self, text: str, times: int = 1, seconds: float = 300) -> None:
        """Read until `text` stands on the screen so often."""
        for _ in range(int(seconds * 5)):
            if "\n".join(self.screen.display).count(text) >= times:
                return
            self.idle(0.2)
        raise TimeoutError(f"{text!r} did not appear:\n" + "\n".join(self.screen.display))

    def idle(self, seconds: float) -> None:
        """Read what comes until nothing does for so long."""
        while True:
            try:
                data = self._child.read_nonblocking(65536, timeout=seconds)
            except pexpect.TIMEOUT:
                return
            # A terminal tells where its cursor is when it is asked.
            for _ in range(data.count("\x1b[6n")):
                self._child.send(f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R")
            self._stream.feed(data)

    def type(self, text: str) -> None:
        """Type a line."""
        self._child.send(text)
        self.idle(0.5)
        self._child.send("\r")

    def close(self) -> None:
        """End the program."""
        self._child.sendeof()
        self._child.expect(pexpect.EOF)

    def save(self, path: Path, title: str) -> None:
        """Write the screen as SVG."""
        rows = [self._row(number) for number in range(self.screen.lines)]
        while rows and not rows[-1].plain.strip():
            rows.pop()
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            console = Console(record=True, width=self.screen.columns, file=nowhere, force_terminal=True)
            for row in rows:
                console.print(row, highlight=False, no_wrap=True, crop=True)
            path.write_text(console.export_svg(title=title, unique_id="magpie"), encoding="utf-8")

    def _row(self, number: int) -> Text:
        row = Text()
        for column in range(self.screen.columns):
            cell = self.screen.buffer[number][column]
            if cell.data:
                row.append(cell.data, style(cell))
        row.rstrip()
        return row


def style(cell: pyte.screens.Char) -> Style:
    """Rich's style of a cell."""
    colour = NAMES.get(cell.fg, cell.fg.replace("bright", "bright_") if cell.fg.startswith("bright") else cell.fg)
    if len(colour) == 6 and all(digit in "0123456789abcdef" for digit in colour):
        colour = f"#{colour}"
    return Style(
        color=None if colour == "default" else colour,
        bold=cell.bold or None,
        italic=cell.italics or None,
        underline=cell.underscore or None,
        reverse=cell.reverse or None,
        strike=cell.strikethrough or None,
    )


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MAGPIE_DATA_DIR": folder, "MAGPIE_BACKEND": "embedded", "TERM": "xterm-256color"}
        environment |= {"MAGPIE_TEMPERATURE": "0", "MAGPIE_SEED": "1"}
        recorder = Recorder(f"{sys.executable} {ROOT / 'main.py'}", 92, 46, environment)
        recorder.idle(3)
        recorder.type("/rag-index README.md")
        recorder.wait_for("chunks")
        for number, question in enumerate(QUESTIONS, 1):
            recorder.type(question)
            recorder.wait_for("tokens in", number)
        recorder.save(ROOT / "docs" / "chat.svg", "magpie")
        recorder.close()


if __name__ == "__main__":
    main()
