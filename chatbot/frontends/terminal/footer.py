"""What stands below an answer: the context bar, and what the answer cost."""

from rich.text import Text

from chatbot.events import Answered, ContextUsed
from chatbot.frontends.terminal.bar import context_bar


def footer_lines(event: Answered, context: ContextUsed | None, width: int) -> list[Text]:
    """One line where both fit, else two."""
    cost = cost_line(event)
    if context is None:
        return [cost]
    bar = context_bar(context)
    joined = bar.copy().append(" · ", "dim").append_text(cost)
    return [joined] if joined.cell_len <= width else [bar, cost]


def cost_line(event: Answered) -> Text:
    """Tokens in (cached) and out, tokens a second, seconds."""
    usage = event.usage
    parts = []
    if usage.prompt_tokens or usage.reply_tokens:
        cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
        parts += [f"{usage.prompt_tokens:,} tokens in{cached}", f"{usage.reply_tokens:,} out"]
    if usage.reply_seconds:
        parts.append(f"{usage.reply_tokens / usage.reply_seconds:.0f}/s")
    return Text(" · ".join([*parts, f"{event.seconds:.1f} s"]), "dim")
