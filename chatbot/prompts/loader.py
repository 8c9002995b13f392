"""The files that hold the words for models and users."""

import json
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


def read_prompt(name: str) -> str:
    """The words of the prompt of that file name, without `.md`."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


@cache
def form_instructions() -> dict[str, str]:
    """What a model is told to do with a passage, by the form of the answer."""
    told: dict[str, str] = json.loads((FOLDER / "forms.json").read_text(encoding="utf-8"))
    return told
