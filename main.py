"""Start Magpie from a checkout: `python main.py`, with the environment that `make chat` has made where there is one."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

ENVIRONMENT = Path(__file__).resolve().parent / ".venv"
NEEDED = ("msgspec", "rich", "prompt_toolkit", "httpx", "numpy", "chromadb", "sentence_transformers", "xllamacpp")
"""Packages without which nothing works; to look for them takes milliseconds, to import them seconds."""


def is_complete() -> bool:
    """Whether the environment of the checkout was made, and its making was not cut off."""
    made = any((ENVIRONMENT / name).exists() for name in (".chat", ".test"))
    return made and (ENVIRONMENT / "bin" / "python").exists() and not (ENVIRONMENT / ".installing").exists()


def start() -> None:
    """Run Magpie here, or in the environment of the checkout where this Python lacks what it needs."""
    lacking = sys.version_info < (3, 11) or not all(map(find_spec, NEEDED))
    if lacking and is_complete() and Path(sys.prefix).resolve() != ENVIRONMENT:
        python = str(ENVIRONMENT / "bin" / "python")
        os.execv(python, [python, *sys.argv])
    if lacking:
        sys.exit("Magpie's packages are not installed for this Python. Run `make chat`: it installs them and starts.")
    from chatbot.cli import entry

    entry()


if __name__ == "__main__":
    start()
