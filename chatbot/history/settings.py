"""The settings of the kept conversations."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from utils.settings import Name


@dataclass(frozen=True, kw_only=True)
class HistorySettings:
    """Conversations that are kept."""

    path: Path | None = None
    """The file that keeps them; unset: sessions.db in the data folder."""
    json_folder: Path | None = None
    """Keep beside it one readable JSON file a conversation in this folder."""
    at_start: Literal["new", "last"] = "new"
    """Begin a new conversation, or go on with the last one."""
    keep_days: Annotated[int, Meta(ge=0, le=36_500)] = 0
    """Conversations not gone on with for so many days are deleted; 0: they are kept for ever."""
    title_model: Name = ""
    """Name of the model that names conversations; unset: the one that answers."""
    searchable: bool = False
    """Let the model search the answers of earlier conversations, with the tool `search_history`."""
