"""The terminal: the only importer of rich and prompt_toolkit."""

from chatbot.app import App


async def run(app: App) -> int:
    """Chat until the user leaves; the exit code."""
    raise NotImplementedError
