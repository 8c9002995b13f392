"""What a profile's `profile.json` may say: these keys and no other, so that no profile can loosen what is trusted."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from chatbot.profiles.validation import ANSWER_CHECKS
from utils.errors import ConfigError, FileMissing, FileUnreadable
from utils.files import read_json
from utils.settings import Name, UnknownSetting, WrongSetting, read_settings, short_value
from utils.text import one_line

MAX_PROFILE_BYTES = 100_000
"""Bytes of `profile.json`."""
_MEND = "Mend it; docs/profiles.md has the keys."


@dataclass(frozen=True, kw_only=True)
class RetrievalValues:
    """How the library is searched; what is unset is as the settings say."""

    top_k: Annotated[int, Meta(ge=1, le=20)] | None = None
    search_mode: Literal["hybrid", "vector", "bm25"] | None = None
    rewrite_queries: bool | None = None
    rewrite_follow_ups: bool | None = None


@dataclass(frozen=True, kw_only=True)
class ProfileValues:
    """The keys of `profile.json`; what is unset is as the settings say."""

    model: Name | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    tools: list[Name] | None = None
    """The tools that are on; unset: all."""
    collections: list[Name] = field(default_factory=list)
    """Collections of the library that are searched; none: that of the settings."""
    retrieval: RetrievalValues = RetrievalValues()
    answer_format: Literal["text", "json", "strudel"] | None = None
    """`strudel`: text whose code is checked before it is shown."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that they decide, by dotted name."""
        found = self.retrieval
        decided = {
            "model": self.model,
            "temperature": self.temperature,
            "answer_format": "text" if self.answer_format in ANSWER_CHECKS else self.answer_format,
            "rag.top_k": found.top_k,
            "rag.search_mode": found.search_mode,
            "rag.rewrite_queries": found.rewrite_queries,
            "rag.rewrite_follow_ups": found.rewrite_follow_ups,
        }
        return {name: value for name, value in decided.items() if value is not None}


def read_values(path: Path) -> ProfileValues:
    """What the file says, nothing where there is none; raises `ConfigError` with one sentence on what is wrong."""
    try:
        tree = read_json(path, MAX_PROFILE_BYTES)
    except FileMissing:
        return ProfileValues()
    except FileUnreadable as error:
        raise ConfigError(error.problem, _MEND) from error
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} must hold one JSON object.", _MEND)
    try:
        return read_settings(ProfileValues, tree)
    except UnknownSetting as error:
        keys = ", ".join(error.known)
        told = f"A profile cannot set {one_line(error.name, 100)}, as {path} does; it can set {keys}."
        raise ConfigError(told, "Take it out.") from error
    except WrongSetting as error:
        told = f"{error.name} cannot be {short_value(error.value)} (in {path}): {error.reason}."
        raise ConfigError(told, _MEND) from error
