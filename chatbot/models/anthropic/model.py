"""A model of Claude's, spoken to by the Messages API."""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.anthropic.abilities import make_info, read_abilities
from chatbot.models.anthropic.errors import FieldRefused
from chatbot.models.anthropic.reader import MessageReader
from chatbot.models.anthropic.requests import ClaudeRequests
from chatbot.models.anthropic.server import ClaudeServer
from chatbot.models.base import BY_SETTINGS, ModelInfo, Piece, ReplyOptions
from chatbot.models.remote.forms import HeldReply, ask_in_words, read_held
from chatbot.models.remote.model import RemoteModel
from chatbot.models.settings import Generation
from tools.base import ToolSchema
from utils.errors import ModelNotFound, PromptTooLong

log = logging.getLogger(__name__)

Write = Callable[[], dict[str, Any]]
"""Writes a request's body, by what was refused so far."""


class AnthropicModel(RemoteModel):
    """A `LanguageModel` on Claude's server; `entry` is what the server's list says of it."""

    _server: ClaudeServer
    _info: ModelInfo

    def __init__(self, name: str, server: ClaudeServer, generation: Generation, entry: dict[str, Any]) -> None:
        super().__init__(name, server, generation)
        able = read_abilities(entry)
        self._info = make_info(name, able, generation.context_window, server.where.host_elsewhere)
        self._requests = ClaudeRequests(name, able)

    async def describe(self) -> ModelInfo:
        """What the server's list tells of the model."""
        return self._info

    def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), options: ReplyOptions = BY_SETTINGS
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls come when it is complete, and what was thought for them is held for the results."""
        requests = self._requests
        return self._reply_pieces(
            lambda: requests.write_chat(messages, tools, self.generation, options), requests.held.hold
        )

    async def hold_reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> HeldReply:
        """The JSON that the model writes under a schema, as strictly as the server can hold it."""
        while True:
            try:
                return await self._fill_form(messages, schema)
            except FieldRefused:
                if not self._requests.loosen_form():
                    raise

    async def _fill_form(self, messages: Sequence[Message], schema: dict[str, Any]) -> HeldReply:
        requests = self._requests
        asked = messages if requests.form != "words" else ask_in_words(messages, schema)
        return await read_held(self._reply_pieces(lambda: requests.write_form(asked, schema, self.generation)))

    async def _reply_pieces(
        self, write: Write, hold: Callable[[list[dict[str, Any]]], None] = lambda blocks: None
    ) -> AsyncGenerator[Piece, None]:
        """The pieces of a reply; `hold` is given its blocks."""
        body = write()
        reader = MessageReader(body["max_tokens"])
        async with aclosing(self._stream_events(write)) as events:
            async for event in events:
                for piece in reader.take_event(event):
                    yield piece
        self._calibrate(body, reader.read_usage().prompt_tokens)
        ending = reader.finish()
        hold(reader.take_blocks())
        for piece in ending:
            yield piece

    async def _stream_events(self, write: Write) -> AsyncGenerator[dict[str, Any], None]:
        """The events of a reply, asked for again without the fields that the server refuses."""
        while True:
            body = write()
            try:
                async with aclosing(self._server.stream_message(body)) as events:
                    async for event in events:
                        yield event
                return
            except FieldRefused as error:
                if not self._requests.learn_refusal(body, error.field):
                    raise
                log.info("%s is left out for %s: %s", error.field, self.name, error)
            except PromptTooLong as error:
                self.narrow_window(error.window)
                raise
            except ModelNotFound as error:
                raise await self.name_nearest(error) from error

    def _calibrate(self, body: dict[str, Any], counted: int) -> None:
        """Correct the estimate of tokens by what the server counted."""
        blocks = [*body.get("system", ()), *(block for one in body["messages"] for block in one["content"])]
        if any(block["type"] == "image" for block in blocks):
            # What a picture has of tokens is no part of the text.
            return
        texts = [str(block.get("text") or block.get("content") or block.get("input") or "") for block in blocks]
        self.correct_estimate([*texts, *map(str, body.get("tools", ()))], counted)
