"""What stands below an answer while it comes and when it is there."""

from rich.text import Text

from chatbot.conversation.events import Answered, ContextUsed
from chatbot.frontends.terminal.drawing.bar import context_bar
from chatbot.frontends.terminal.drawing.status import Status

_SHORT_BAR = 10
_MEASURABLE_SECONDS = 0.1
"""A reply of one weighed word takes no time of its own: its speed would be a million tokens a second."""


def footer_lines(event: Answered, context: ContextUsed | None, width: int) -> list[Text]:
    """One line where both fit, else two."""
    cost = cost_line(event)
    if context is None:
        return [cost]
    bar = context_bar(context).append(f" of {context.window:,}", "dim")
    joined = bar.copy().append(" · ", "dim").append_text(cost)
    return [joined] if joined.cell_len <= width else [bar, cost]


def cost_line(event: Answered) -> Text:
    """Tokens in (cached) and out, tokens a second, seconds."""
    usage = event.usage
    parts = []
    if usage.prompt_tokens or usage.reply_tokens:
        cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
        parts += [f"{usage.prompt_tokens:,} tokens in{cached}", f"{usage.reply_tokens:,} out"]
    if usage.reply_seconds >= _MEASURABLE_SECONDS:
        parts.append(f"{usage.reply_tokens / usage.reply_seconds:.0f}/s")
    return Text(" · ".join([*parts, f"{event.seconds:.1f} s"]), "dim")


def running_line(status: Status, mark: str, seconds: int, width: int) -> Text:
    """The status line while a turn runs."""
    line = Text(no_wrap=True, overflow="ellipsis").append(f"{mark} ", "cyan").append(f"{seconds} s", "dim")
    line.append(f" · {status.model_name()}", "dim")
    if status.context:
        line.append(" · ", "dim").append_text(context_bar(status.context, _SHORT_BAR))
    stop = " · Ctrl-C stops"
    return line.append(stop, "dim") if line.cell_len + len(stop) <= width else line


def waiting_line(status: Status) -> Text:
    """The status line while the user is asked something: nothing goes on before they answer."""
    line = Text(no_wrap=True, overflow="ellipsis").append("? waits for your answer", "bold yellow")
    return line.append(f" · {status.model_name()} · Ctrl-C stops", "dim")
