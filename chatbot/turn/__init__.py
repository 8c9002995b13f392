"""One question becomes one answer: the loop of model calls and tool calls."""
