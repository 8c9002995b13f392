"""What a file is by its name alone: one that a folder opens with, or one that may be a key."""

import os
from pathlib import Path

from rag.folders import absolute_path
from rag.readers import named_type

_OPENING_FILE = "readme"
"""What the name of the file begins with that says what a folder is about: it comes before the others."""


def opens_folder(file: Path) -> bool:
    """Whether a file says what its folder is about."""
    return file.name.lower().startswith(_OPENING_FILE)


def may_be_key(file: Path) -> bool:
    """Whether a file is of those that no folder hands over as they may be keys, or a link to one.

    It is hidden, in a hidden folder, or of a kind that the readers do not know by its name.
    """
    named = absolute_path(file)
    return any(
        not (named_type(path.name) or opens_folder(path)) or any(part.startswith(".") for part in path.parts)
        for path in (named, Path(os.path.realpath(named)))
    )
