"""What a front end gives a chat: how its person is asked and shown what comes beside the answers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import Semaphore

    from chatbot.conversation.events import Notice, Progress
    from chatbot.models.provider import UnaskedChoice
    from chatbot.trust.consent import Ask
    from tools.mcp_client.elicitation.forms import Ask as AskForm


@dataclass(frozen=True, eq=False)
class Face:
    """One person in front of one chat."""

    show: "Callable[[Notice | Progress], None]"
    """Shows news from the background; may be called at any time on the event loop, and must not wait."""
    allow: "Ask | None" = None
    """Asks what may leave the machine; None where nobody is there to be asked."""
    fill: "AskForm | None" = None
    """Asks what an MCP server wants to know, or has an address opened; None where nobody is there to be asked."""
    tell_choice: "Callable[[UnaskedChoice], None] | None" = None
    """Tells which model was chosen where the user did not say; None: it is among the news."""
    turns: "Semaphore | None" = None
    """As many as are served at once, where work beside the answers has to wait for its turn as they do."""


class Audience:
    """The faces that hear of something which concerns all of them; what comes before the first one waits for it."""

    def __init__(self) -> None:
        self._faces: list[Face] = []
        self._early: list[Notice | Progress] = []

    @property
    def is_empty(self) -> bool:
        """Whether nobody is there."""
        return not self._faces

    @property
    def attended(self) -> bool:
        """Whether somebody is there who can be asked."""
        return any(face.fill for face in self._faces)

    def join(self, face: Face) -> None:
        """Show news to a face from now on, and what nobody has seen yet."""
        self._faces.append(face)
        early, self._early = self._early, []
        for news in early:
            face.show(news)

    def leave(self, face: Face) -> None:
        """Show a face nothing any more."""
        if face in self._faces:
            self._faces.remove(face)

    def show(self, news: "Notice | Progress") -> None:
        """Show news to everybody who is there."""
        if not self._faces:
            self._early.append(news)
        for face in self._faces:
            face.show(news)

    def tell(self, said: str, warning: bool = True) -> None:
        """Show a sentence to everybody who is there."""
        from chatbot.conversation.events import Notice

        self.show(Notice(said, "warning" if warning else "info"))
