"""Profiles of a user's own, written as tests need them."""

import json
from pathlib import Path
from typing import Any


def write_profile(configured: Path, name: str, values: Any = None, **files: str) -> Path:
    """A profile beside the configuration in a folder: `profile.json` from values, texts as `system` and `greeting`."""
    folder = configured / "profiles" / name
    folder.mkdir(parents=True, exist_ok=True)
    if values is not None:
        (folder / "profile.json").write_text(values if isinstance(values, str) else json.dumps(values))
    for file, text in files.items():
        (folder / f"{file}.md").write_text(text)
    return folder
