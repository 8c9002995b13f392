"""The settings of the embedded backend."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

Size = Literal["0.5b", "1.5b", "qwen3-4b", "qwen3-8b", "gpt-oss-20b"]


@dataclass(frozen=True, kw_only=True)
class EmbeddedSettings:
    """The llama.cpp engine that Magpie starts itself."""

    size: Size = "1.5b"
    """Which model to run: one of Qwen2.5-Coder Instruct, or a larger one, which /pull fetches."""
    model_path: Path | None = None
    """A GGUF file to run instead."""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """Threads of the engine; 0: one less than the machine has cores, but both of two: writing is then twice as fast."""
