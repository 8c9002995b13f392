"""The settings of the language models' backends."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from utils.settings import Name

Size = Literal["1.5b", "0.5b"]


@dataclass(frozen=True, kw_only=True)
class OllamaSettings:
    """An Ollama server."""

    host: Name = ""
    """Address of the server; unset: OLLAMA_HOST, else this machine's port 11434."""
    keep_alive: Name = "10m"
    """How long the server keeps the model in memory after a reply."""


@dataclass(frozen=True, kw_only=True)
class EmbeddedSettings:
    """The llama.cpp engine that Magpie starts itself."""

    size: Size = "1.5b"
    """Which Qwen2.5-Coder Instruct to run."""
    model_path: Path | None = None
    """A GGUF file to run instead."""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """Threads of the engine; 0: one less than the machine has cores, but both of two: writing is then twice as fast."""


@dataclass(frozen=True, kw_only=True)
class Generation:
    """How a reply is made: the same for every backend."""

    temperature: Annotated[float, Meta(ge=0, le=2)] = 0.3
    """0 always takes the likeliest word."""
    seed: Annotated[int, Meta(ge=-(2**31), lt=2**32)] | None = None
    """Makes sampling repeatable."""
    max_tokens: Annotated[int, Meta(ge=16, le=10_000_000)] = 1024
    """Tokens that one reply may have."""
    context_window: Annotated[int, Meta(ge=1024, le=10_000_000)] = 8192
    """Tokens of prompt and reply together; clamped to what the model was trained for."""
    request_timeout: Annotated[float, Meta(gt=0, le=86_400)] = 300
    """Seconds without any sign from the model after which a request is given up."""
    thinking_enabled: bool = True
    """Let a model think that can."""
