"""The settings of the conversation itself and of what is shown of it."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class AgentSettings(BaseModel):
    """The tool loop and the words around it."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    system_prompt: str = ""
    """The user's own instructions, put after Magpie's."""
    system_prompt_file: Path | None = None
    """A file with more of them."""
    use_history: bool = True
    """False: each question stands alone."""
    tools_enabled: bool = True
    """Let the model search and read."""
    max_tool_rounds: int = Field(5, ge=1, le=20)
    """Rounds of tool calls in one turn."""


class ViewSettings(BaseModel):
    """What a terminal shows."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    show_thinking: bool = True
    """Show what the model thinks, dimmed."""
    markdown: bool = True
    """Render answers as Markdown; false: as they come."""
    verbose: bool = False
    """Show the beginning of each tool's result."""
