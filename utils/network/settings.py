"""The settings of reaching the network; light, since the prompt waits for all settings."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """Reaching the network."""

    proxy: Annotated[str, Meta(max_length=1000, pattern=r"^(https?://\S+)?$")] = ""
    """Address of an HTTP proxy for the public internet; unset: none, whatever the environment says."""
    ca_file: Path | None = None
    """A file of certificates (PEM) that are trusted beside the system's."""
