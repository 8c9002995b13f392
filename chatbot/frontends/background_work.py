"""What goes on in the background, of which a front end says the latest."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatbot.conversation.events import Progress


class BackgroundWork:
    """How far each piece of work is, by its label, in the order in which they were last heard of."""

    def __init__(self) -> None:
        self._under_way: dict[str, Progress] = {}

    def note(self, progress: "Progress") -> None:
        """Take in how far a piece is; nothing more is said of it once all is done."""
        self._under_way.pop(progress.label, None)
        if progress.done != progress.total:
            self._under_way[progress.label] = progress

    @property
    def latest(self) -> "Progress | None":
        """What was last heard of, of what goes on; None where nothing does."""
        return next(reversed(self._under_way.values()), None)


def share_done(progress: "Progress") -> str:
    """How much is done, ` 40%`, to be put behind the label; empty where that is not known."""
    return f" {progress.done / progress.total:.0%}" if progress.done and progress.total else ""
