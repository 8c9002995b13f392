"""The settings of the embedded backend."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

Size = Literal["1.5b", "0.5b"]


@dataclass(frozen=True, kw_only=True)
class EmbeddedSettings:
    """The llama.cpp engine that Magpie starts itself."""

    size: Size = "1.5b"
    """Which Qwen2.5-Coder Instruct to run."""
    model_path: Path | None = None
    """A GGUF file to run instead."""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """Threads of the engine; 0: one less than the machine has cores, but both of two: writing is then twice as fast."""
