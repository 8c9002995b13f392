"""What a question names is read: files whole, folders and pages as far as there is room; what is left out is said."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chatbot.attachments.files import read_file
from chatbot.attachments.folders import read_folder
from chatbot.attachments.pages import read_page
from chatbot.attachments.room import AttachmentRoom
from chatbot.conversation.events import Progress
from chatbot.conversation.messages import Attachment
from chatbot.library.progress import counted, is_url
from tools.web.fetch import Fetcher
from utils.files import expand_home, is_folder

Named = Path | str | Attachment
"""A file or folder, the address of a page, or what was read already."""


@dataclass(frozen=True)
class Attached:
    """What goes with a question."""

    attachments: tuple[Attachment, ...] = ()
    told: tuple[str, ...] = ()
    """Each thing that was named, with how much of it there is: `map.md (6 characters)`."""
    left_out: tuple[str, ...] = ()
    """What of it is not attached, a sentence each."""


class AttachmentReader:
    """Reads what a question names, for the question that is asked next.

    `open_room` says what room there is; it is only asked where something may have to be left out.
    """

    def __init__(
        self, fetcher: Fetcher, open_room: Callable[[], Awaitable[AttachmentRoom]], show: Callable[[Progress], None]
    ) -> None:
        self._fetcher = fetcher
        self._open_room = open_room
        self._show = show

    async def read_all(self, named: Sequence[Named]) -> Attached:
        """All of it, in its order, each once; raises a `MagpieError` for what cannot be read or reached."""
        read: dict[Named, Attached] = dict.fromkeys(named, Attached())
        fitting = [one for one in read if not isinstance(one, Attachment) and _may_be_cut(one)]
        for one in read:
            if one not in fitting:
                read[one] = await self._read_whole(one)
        if fitting:
            room = await self._open_room()
            for whole in read.values():
                for attachment in whole.attachments:
                    await room.spend(attachment)
            for one in fitting:
                read[one] = await self._read_fitting(one, room)
        return Attached(
            tuple(attachment for part in read.values() for attachment in part.attachments),
            tuple(told for part in read.values() for told in part.told),
            tuple(said for part in read.values() for said in part.left_out),
        )

    async def _read_whole(self, named: Named) -> Attached:
        attachment = named if isinstance(named, Attachment) else await read_file(Path(named))
        return Attached((attachment,), (f"{attachment.name} ({attachment.measure})",))

    async def _read_fitting(self, named: Path | str, room: AttachmentRoom) -> Attached:
        if isinstance(named, str):
            page, left_out = await read_page(named, self._fetcher, room, self._show)
            told = f"{page.name} ({page.measure})"
            return Attached((page,), (told,), (left_out,) if left_out else ())
        folder = await read_folder(expand_home(named), room, self._show)
        length = sum(len(file.text) for file in folder.files)
        told = f"{folder.label} ({counted(len(folder.files), 'file')}, {length:,} characters)"
        return Attached(folder.files, (told,), (folder.left_out,) if folder.left_out else ())


def _may_be_cut(named: Path | str) -> bool:
    """Whether it is a page or a folder; a file is sent whole, or the question with it is too long."""
    return isinstance(named, str) or is_folder(expand_home(named))


def attached_note(attached: Attached) -> str:
    """What goes with a question, as the user is told it."""
    return f"Attached: {', '.join(attached.told)}."


def as_named(name: str) -> Path | str:
    """What a name on the command line means: the address of a page, or a path."""
    return name if is_url(name) else Path(name)
