"""The files of a folder as attachments: those that the readers know by name, as far as there is room for them."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path

from chatbot.attachments.kinds import opens_folder
from chatbot.attachments.room import AttachmentRoom
from chatbot.conversation.events import Progress
from chatbot.conversation.messages import Attachment
from chatbot.library.progress import counted
from rag.folders import absolute_path, iterate_files
from rag.readers import named_type, read_text_of
from utils.errors import DocumentError
from utils.text import one_line

MAX_FILES_FOUND = 10_000
"""Files of a folder that are looked for, whatever they are."""
MAX_FILES_OPENED = 200
"""Files of a folder that are opened for one question."""
MAX_BYTES_IN_FOLDER = 2_000_000
"""Bytes of a file in a folder; a larger one hardly fits any window, and can be named by itself."""


@dataclass(frozen=True)
class FolderTexts:
    """What of a folder goes with a question."""

    label: str
    """The folder as the user is told of it: `notes/`."""
    files: tuple[Attachment, ...]
    left_out: str
    """The sentence that says what does not; empty where all does."""


@dataclass
class _LeftOut:
    """How many files are not attached, by what kept them out."""

    too_long: int = 0
    unreadable: int = 0
    unopened: int = 0

    def __str__(self) -> str:
        told = {
            f"{self.too_long:,} did not fit": self.too_long,
            f"{self.unreadable:,} could not be read": self.unreadable,
            f"{self.unopened:,} were not opened, for {MAX_FILES_OPENED} are at most": self.unopened,
        }
        return ", ".join(text for text, count in told.items() if count)


async def read_folder(folder: Path, room: AttachmentRoom, show: Callable[[Progress], None]) -> FolderTexts:
    """The texts of a folder's files as far as there is room; raises `DocumentError` where that is none.

    A README comes first in its folder, then the others by name, then the folders in it. Left out are, as in
    `rag.folders.find_files`, hidden files and what Git ignores; and files of kinds that the readers do not know by
    name, among them keys, and links that lead out of the folder.
    """
    folder = absolute_path(folder)
    label = f"{one_line(folder.name, 60)}/"
    found, is_cut = await asyncio.to_thread(find_readable, folder)
    left, attachments = _LeftOut(), list[Attachment]()
    progress = f"Reading {label}"
    try:
        for number, file in enumerate(found):
            if room.is_used_up:
                left.too_long += len(found) - number
                break
            if number == MAX_FILES_OPENED:
                left.unopened = len(found) - number
                break
            show(Progress(progress, number, len(found)))
            await _add_file(file, label + file.relative_to(folder).as_posix(), room, attachments, left)
    finally:
        show(Progress(progress, 1, 1))
    if not attachments:
        raise _nothing_attached(label, len(found), left)
    total = f"{'more than ' if is_cut else ''}{counted(len(found), 'file')}"
    kept_out = str(left) or ("the others were not looked for" if is_cut else "")
    told = f"{len(attachments):,} of {total} of {label} are attached; {kept_out}." if kept_out else ""
    return FolderTexts(label, tuple(attachments), told)


def find_readable(folder: Path) -> tuple[list[Path], bool]:
    """The files of a folder that may be attached, in their order, and whether there are more than are looked for."""
    every = list(islice(iterate_files(folder), MAX_FILES_FOUND + 1))
    root = os.path.realpath(folder)
    inside = [file for file in every[:MAX_FILES_FOUND] if _is_known(file) and _stays_inside(file, root)]
    ordered = [
        file
        for _, together in groupby(inside, key=lambda file: file.parent)
        for file in sorted(together, key=lambda file: not opens_folder(file))
    ]
    return ordered, len(every) > MAX_FILES_FOUND


async def _add_file(file: Path, name: str, room: AttachmentRoom, attachments: list[Attachment], left: _LeftOut) -> None:
    try:
        size = (await asyncio.to_thread(file.stat)).st_size
        attachment = Attachment(one_line(name), await read_text_of(file) if size <= MAX_BYTES_IN_FOLDER else "")
    except (DocumentError, OSError):
        left.unreadable += 1
        return
    if size <= MAX_BYTES_IN_FOLDER and await room.take_whole(attachment.prompt_text):
        attachments.append(attachment)
    else:
        left.too_long += 1


def _nothing_attached(label: str, found: int, left: _LeftOut) -> DocumentError:
    if left.too_long:
        return DocumentError(
            f"None of the {counted(found, 'file')} of {label} fits into the window.",
            "Name one of its files, read it into the library with /rag-index, or raise context_window.",
        )
    return DocumentError(
        f"There is no file in {label} that can be read.", "Hidden files and those that Git ignores are left out."
    )


def _is_known(file: Path) -> bool:
    kind = named_type(file.name)
    # A picture is shown where it is named itself.
    return (bool(kind) and not kind.startswith("image/")) or opens_folder(file)


def _stays_inside(file: Path, root: str) -> bool:
    """Whether a file is where it seems to be: a link may lead anywhere, and in circles."""
    return os.path.commonpath([os.path.realpath(file), root]) == root
