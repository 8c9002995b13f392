"""The terminal: the only importer of rich and prompt_toolkit."""

from chatbot.frontends.terminal.run import run

__all__ = ["run"]
