"""Files that were sent to the API: kept where the library's readers read them, and its sources lead to."""

import asyncio
import hashlib
import re
from pathlib import Path

from utils.errors import LibraryError
from utils.paths import private_dir
from utils.text import one_line

UPLOADS_FOLDER = "uploads"
MAX_FILE_NAME_CHARS = 120
_NOT_IN_NAMES = re.compile(r"[/\\*?\[\]#:|<>\x00-\x1f]")
"""What leads elsewhere, is read as a pattern, or cannot be in a name on every system."""


async def keep_upload(data: Path, name: str, content: bytes) -> Path:
    """Write a file that was sent, the same content under the same path; raises `LibraryError`."""

    def write() -> Path:
        folder = private_dir(private_dir(data / UPLOADS_FOLDER) / hashlib.sha256(content).hexdigest()[:16])
        path = folder / safe_name(name)
        if not path.exists():
            draft = path.with_name(f".{path.name[:100]}.new")
            draft.write_bytes(content)
            draft.replace(path)
        return path

    try:
        return await asyncio.to_thread(write)
    except OSError as error:
        raise LibraryError(f"The file cannot be kept: {error.strerror}.", "Make room, or check data_dir.") from error


async def drop_upload(data: Path, source: str) -> None:
    """Remove the file of a document that was taken out, where it was one that had been sent."""

    def remove() -> None:
        folder, path = data / UPLOADS_FOLDER, Path(source)
        if path.parent.parent == folder and path.is_file():
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()

    try:
        await asyncio.to_thread(remove)
    except (OSError, ValueError) as error:
        raise LibraryError(f"The file that was sent cannot be removed: {error}.", "Remove it by hand.") from error


def safe_name(name: str) -> str:
    """The last part of a name, with nothing in it that leads elsewhere; its ending stays."""
    last = one_line(_NOT_IN_NAMES.sub("_", name.replace("\\", "/").rpartition("/")[2]), 1000).strip(". ")
    stem, dot, ending = last.rpartition(".")
    if not dot or len(ending) > 10:
        stem, dot, ending = last, "", ""
    # Bytes count on disk, of which a character may have four.
    cut = stem.encode(errors="replace")[:MAX_FILE_NAME_CHARS].decode(errors="ignore")
    return f"{cut}{dot}{ending}" if cut else f"file{dot}{ending}"
