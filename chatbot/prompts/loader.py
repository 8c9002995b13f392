"""The files that hold the words for models and users."""

from pathlib import Path

FOLDER = Path(__file__).parent


def read_prompt(name: str) -> str:
    """The words of the prompt of that file name, without `.md`."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()
