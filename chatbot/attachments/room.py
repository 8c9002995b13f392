"""How much of the window attachments may take where they need not be sent whole: folders and pages."""

from collections.abc import Awaitable, Callable

from chatbot.conversation.messages import Attachment
from chatbot.models.counting.token_estimate import estimate_picture

SHARE_OF_ROOM = 0.7
"""Of the room for a question; the rest is for its words and for what is looked up beside them."""
LEAST_TOKENS = 64
"""Tokens below which there is no room for anything that says something."""
_CHARS_PER_TOKEN = 10
"""Characters of a text for each of its tokens, at most: what is longer has no room, and need not be counted."""
_SHORTER = 0.9
"""What is left of a cut text that has still too many tokens."""


class AttachmentRoom:
    """Tokens that are left for attachments; `count` is the model's own count of a text."""

    def __init__(self, question_room: float, count: Callable[[str], Awaitable[int]]) -> None:
        self._left = question_room * SHARE_OF_ROOM
        self._count = count

    @property
    def is_used_up(self) -> bool:
        """Whether there is no room for anything more."""
        return self._left < LEAST_TOKENS

    async def spend(self, whole: Attachment) -> None:
        """Take the room of what is sent whole whatever it takes."""
        picture = whole.picture
        self._left -= estimate_picture(picture) if picture else await self._count(whole.prompt_text)

    async def take_whole(self, text: str) -> bool:
        """Whether there is room for all of a text, which is then taken."""
        if len(text) > self._left * _CHARS_PER_TOKEN or (tokens := await self._count(text)) > self._left:
            return False
        self._left -= tokens
        return True

    async def take_beginning(self, text: str) -> str:
        """The text as far as there is room for it, to the end of a line where it is cut; empty for next to nothing."""
        if self.is_used_up:
            return ""
        kept = text[: int(self._left * _CHARS_PER_TOKEN)]
        while (tokens := await self._count(kept)) > self._left:
            kept = kept[: int(len(kept) * min(_SHORTER, self._left / tokens))]
        if len(kept) < len(text):
            kept = kept[: kept.rfind("\n") + 1].rstrip() or kept
        self._left -= tokens
        return kept
