"""A tool call on one line, while it runs and when it is done."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from chatbot.conversation.events import ToolFinished
from chatbot.conversation.messages import ToolCall
from utils.text import one_line, well_formed

# How much of an argument, and of a result with --verbose, is shown.
ARGUMENT, RESULT_EXCERPT = 60, 200


def running_line(call: ToolCall, progress: str, mark: str) -> RenderableType:
    """A call under way, behind a spinner's character."""
    line = _call_text(call)
    if progress:
        line.append(f" · {one_line(progress, ARGUMENT)}", "dim")
    return _behind_mark(Text(mark, "cyan"), line)


def finished_line(done: ToolFinished, *, verbose: bool) -> RenderableType:
    """A call that ended: what it gave, or in words why it gave nothing."""
    line = _call_text(done.call)
    if done.ok:
        line.append(f" · {_result_size(done)} · {done.seconds:.1f} s", "dim")
    else:
        line.append(f" · {one_line(done.problem)}", "red").append(f" · {done.seconds:.1f} s", "dim")
    marked = _behind_mark(Text("✓", "green") if done.ok else Text("✗", "red"), line)
    if not (verbose and done.ok and done.text.strip()):
        return marked
    return Group(marked, _behind_mark(Text(""), Text(one_line(done.text, RESULT_EXCERPT), "dim")))


def _call_text(call: ToolCall) -> Text:
    return Text().append(one_line(call.label, ARGUMENT), "bold").append_text(_arguments_text(call))


def _arguments_text(call: ToolCall) -> Text:
    """The first text argument in quotes, the others by name."""
    shown = Text()
    first = next((name for name, value in call.arguments.items() if isinstance(value, str)), None)
    if first is not None:
        shown.append(f' "{one_line(str(call.arguments[first]), ARGUMENT)}"')
    for name, value in call.arguments.items():
        if name != first:
            shown.append(f" {one_line(name, ARGUMENT)} {one_line(str(value), ARGUMENT)}", "dim")
    return shown


def _result_size(done: ToolFinished) -> str:
    count = len(done.sources)
    if count:
        return "1 passage" if count == 1 else f"{count} passages"
    size = len(well_formed(done.text).encode())
    return f"{size} B" if size < 1000 else f"{size / 1000:.1f} kB"


def _behind_mark(mark: Text, line: Text) -> Table:
    """A line behind its mark; what wraps stands under the line, not under the mark."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(mark, line)
    return grid
