"""What goes to a server elsewhere, said before it does: texts and pictures by one place for every backend, and keys."""

import hashlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, FilledForm, LanguageModel, ModelInfo, Piece, ReplyOptions, WordShares
from chatbot.models.provider import ModelSurroundings
from chatbot.models.wrapping import WrappingModel
from tools.base import ToolSchema


async def disclose_key_once(around: ModelSurroundings, backend: str, host: str, variable: str) -> None:
    """Tell the user, once and for all, that a key of the environment goes to a host that the settings name."""
    said = (
        f"The key in {variable} goes to {host}, which the settings name; {backend}.key_file names another key's file."
    )
    await around.state.disclose_once(f"{backend} {host} {variable}", partial(around.tell, said))


class DisclosingModel(WrappingModel):
    """A `LanguageModel` of which the user is told to which host it has what it is sent, before it is sent anything.

    That is said of texts once and for all, a private run remembers only for itself; of each picture once a run.
    """

    def __init__(self, model: LanguageModel, around: ModelSurroundings) -> None:
        super().__init__(model)
        self._around = around
        self._described: ModelInfo | None = None

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), options: ReplyOptions = BY_SETTINGS
    ) -> AsyncGenerator[Piece, None]:
        """The wrapped model's reply."""
        await self._disclose(messages)
        async with aclosing(self.model.reply(messages, tools, options)) as pieces:
            async for piece in pieces:
                yield piece

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """As the wrapped model does."""
        await self._disclose(messages)
        return await self.model.weigh_words(messages, words)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """As the wrapped model does."""
        await self._disclose(messages)
        return await self.model.fill_schema(messages, schema)

    async def count_tokens(self, text: str) -> int:
        """As the wrapped model does, which may have to ask its server."""
        await self._disclose(())
        return await self.model.count_tokens(text)

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """As the wrapped model does."""
        await self._disclose(messages)
        await self.model.warm_up(messages, tools)

    async def _disclose(self, messages: Sequence[Message]) -> None:
        info, state = await self._describe_once(), self._around.state
        if not info.host or self._around.reach.offline:
            return
        said = (
            f"What you ask, the conversation and the passages found for it go to {info.host} from now on; "
            "/offline stops that."
        )
        await state.disclose_once(f"{info.backend} {info.host}", partial(self._around.tell, said))
        shown = {
            picture.name: None
            for message in messages
            for picture in message.pictures
            if state.note_shown(info.host, hashlib.sha256(picture.data).hexdigest())
        }
        if shown:
            self._around.tell(f"{', '.join(shown)} {'go' if len(shown) > 1 else 'goes'} to {info.host} as well.")

    async def _describe_once(self) -> ModelInfo:
        """The model's description when it was first asked: where it runs stays the same, and some ask their server."""
        self._described = self._described or await self.model.describe()
        return self._described
