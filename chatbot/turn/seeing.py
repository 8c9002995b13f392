"""What becomes of the pictures of a conversation is said where a model sees none: what it is told instead."""

from collections.abc import Awaitable, Callable, Sequence

from chatbot.conversation.events import Notice
from chatbot.conversation.messages import Attachment, Message
from chatbot.models.base import ModelInfo
from chatbot.window.pictures import picture_names
from rag.documents import Picture
from utils.errors import ModelError

Seeing = Callable[[], Awaitable[Sequence[str]]]
"""The names of the models that see, as /model takes them."""
MODELS_NAMED = 3
"""Models that see which are named to whoever has one that does not."""


async def _none_known() -> Sequence[str]:
    return ()


class PictureNews:
    """Says of pictures what the user must know; of those that came earlier once for each model."""

    def __init__(self, seeing: Seeing | None) -> None:
        self._seeing = seeing or _none_known
        self._told = ""
        """The model of which it was said last that it does not see the earlier ones."""

    async def take_readable(self, info: ModelInfo, attachments: Sequence[Attachment]) -> tuple[Picture, ...]:
        """The pictures among what is attached; raises `ModelError`, which says why and which models see, where this
        one does not, and no text was read in one of them."""
        pictures = tuple(attachment.picture for attachment in attachments if attachment.picture)
        unread = [picture for picture in pictures if not picture.text]
        if unread and not info.can_see:
            names = ", ".join(picture.name for picture in unread)
            causes = dict.fromkeys(picture.unread for picture in unread if picture.unread)
            raise ModelError(
                " ".join([*causes, f"{info.label} does not see pictures, and no text was read in {names}."]),
                await self._tell_seeing() or "Fetch a model that does, for instance /pull gemma3 with Ollama.",
            )
        return pictures

    async def tell(self, info: ModelInfo, earlier: Sequence[Message], question: Message) -> list[Notice]:
        """What a question's pictures, and those of the messages before it, are to the model that answers."""
        if info.can_see:
            self._told = ""
            return []
        before = [picture for message in earlier for picture in message.pictures]
        if question.pictures:
            said = f"{info.label} does not see pictures: it is told the text in {picture_names(question)}."
        elif before and self._told != info.label:
            instead = "the text in them" if any(picture.text for picture in before) else "their names"
            said = f"{info.label} does not see the pictures of this conversation: it is told {instead}."
        else:
            return []
        self._told = info.label
        return [Notice(f"{said} {await self._tell_seeing()}".rstrip(), "warning")]

    async def _tell_seeing(self) -> str:
        """The models that see, in a sentence; empty where none is known."""
        names = (await self._seeing())[:MODELS_NAMED]
        return f"These do (/model <name>): {', '.join(names)}." if names else ""
