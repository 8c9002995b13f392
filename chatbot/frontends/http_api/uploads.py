"""Files that were sent to the API: kept where the library's readers read them, and its sources lead to."""

import asyncio
import hashlib
from pathlib import Path

from utils.errors import LibraryError
from utils.paths import private_dir, safe_file_name

UPLOADS_FOLDER = "uploads"


async def keep_upload(data: Path, name: str, content: bytes) -> Path:
    """Write a file that was sent, the same content under the same path; raises `LibraryError`."""

    def write() -> Path:
        folder = private_dir(private_dir(data / UPLOADS_FOLDER) / hashlib.sha256(content).hexdigest()[:16])
        path = folder / safe_file_name(name)
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
