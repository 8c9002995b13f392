"""A page of the web as an attachment: opened by the guarded fetcher, named by its title and its address."""

from collections.abc import Callable

from chatbot.attachments.room import AttachmentRoom
from chatbot.conversation.events import Progress
from chatbot.conversation.messages import Attachment
from tools.web.fetch import Fetcher
from utils.errors import DocumentError
from utils.network.addresses import host_of
from utils.text import one_line

_LONGEST_TITLE = 90
"""Characters of a title that stand before an address."""


async def read_page(
    url: str, fetcher: Fetcher, room: AttachmentRoom, show: Callable[[Progress], None]
) -> tuple[Attachment, str]:
    """The page, and the sentence that says what of it is left out, empty for nothing; raises a `MagpieError`.

    Its address is the one to which it led.
    """
    label = f"Reading {one_line(host_of(url), 60)}"
    show(Progress(label, 0, 0))
    try:
        page = await fetcher.fetch(url)
    finally:
        show(Progress(label, 1, 1))
    title = one_line(page.title, _LONGEST_TITLE)
    kept = await room.take_beginning(page.text)
    if not kept:
        raise DocumentError(
            f"There is no room left in the window for {title}.",
            "Attach less, read it into the library with /rag-index, or raise context_window.",
        )
    attachment = Attachment(f"{title} ({page.source})", kept, "page", address=page.source)
    if len(kept) == len(page.text):
        return attachment, ""
    told = f"The first {len(kept):,} of {len(page.text):,} characters of {title} are attached"
    return attachment, f"{told}; the rest did not fit."
