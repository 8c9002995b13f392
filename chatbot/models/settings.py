"""The settings of the language models' backends."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class OllamaSettings(BaseModel):
    """An Ollama server."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    host: str = ""
    """Address of the server; unset: OLLAMA_HOST, else this machine's port 11434."""
    keep_alive: str = "10m"
    """How long the server keeps the model in memory after a reply."""


class EmbeddedSettings(BaseModel):
    """The llama.cpp engine that Magpie starts itself."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    size: Literal["1.5b", "0.5b"] = "1.5b"
    """Which Qwen2.5-Coder Instruct to run."""
    model_path: Path | None = None
    """A GGUF file to run instead."""
    threads: int = Field(0, ge=0, le=256)
    """Threads of the engine; 0: one less than the machine has cores, but both of two: writing is then twice as fast."""


class Generation(BaseModel):
    """How a reply is made: the same for every backend."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    temperature: float = Field(0.3, ge=0, le=2)
    """0 always takes the likeliest word."""
    seed: int | None = None
    """Makes sampling repeatable."""
    max_tokens: int = Field(1024, ge=16)
    """Tokens that one reply may have."""
    context_window: int = Field(8192, ge=1024)
    """Tokens of prompt and reply together; clamped to what the model was trained for."""
    request_timeout: float = Field(300, gt=0)
    """Seconds without any sign from the model after which a request is given up."""
    thinking_enabled: bool = True
    """Let a model think that can."""
