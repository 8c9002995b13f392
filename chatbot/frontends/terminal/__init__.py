"""The terminal: the only importer of rich and prompt_toolkit."""

from chatbot.frontends.terminal.run import run, run_chat

__all__ = ["run", "run_chat"]
