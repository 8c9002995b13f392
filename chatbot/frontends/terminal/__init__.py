"""The terminal: the only importer of rich and prompt_toolkit."""

from chatbot.frontends.terminal.loop import run

__all__ = ["run"]
