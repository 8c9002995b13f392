"""The settings of the conversation itself and of what is shown of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """The tool loop and the words around it."""

    system_prompt: str = ""
    """The user's own instructions, put after Magpie's."""
    system_prompt_file: Path | None = None
    """A file with more of them."""
    use_history: bool = True
    """False: each question stands alone."""
    tools_enabled: bool = True
    """Let the model search and read."""
    max_tool_rounds: Annotated[int, Meta(ge=1, le=20)] = 5
    """Rounds of tool calls in one turn."""


@dataclass(frozen=True, kw_only=True)
class ViewSettings:
    """What a terminal shows."""

    show_thinking: bool = True
    """Show what the model thinks, dimmed."""
    markdown: bool = True
    """Render answers as Markdown; false: as they come."""
    verbose: bool = False
    """Show the beginning of each tool's result."""
