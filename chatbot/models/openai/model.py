"""A model behind OpenAI's protocol."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, ModelInfo, Piece, ReplyOptions, WordShares
from chatbot.models.chat_completions.values import read_first_token
from chatbot.models.counting.remembered import RememberedCounts
from chatbot.models.counting.vocabulary import TokenVocabulary
from chatbot.models.openai.abilities import ask_abilities, make_info
from chatbot.models.openai.endpoints import ServerKind
from chatbot.models.openai.found import FoundReader
from chatbot.models.openai.reader import ReplyReader
from chatbot.models.openai.refusals import ParameterRefused
from chatbot.models.openai.requests import RequestWriter
from chatbot.models.openai.server import ApiServer
from chatbot.models.openai.stream import choices_of
from chatbot.models.remote.forms import HeldReply, ask_in_words, read_held
from chatbot.models.remote.model import RemoteModel
from chatbot.models.settings import Generation
from chatbot.models.wire_values import read_count, share_out
from tools.base import ToolSchema
from utils.errors import ModelError, ModelNotFound, PromptTooLong

log = logging.getLogger(__name__)

WORD_LOGPROBS = 20
"""The most likely first tokens that a server is asked for: the most that OpenAI tells."""


class OpenAIModel(RemoteModel):
    """A `LanguageModel` on a server of OpenAI's protocol.

    `entry` is what the server's list says of it, where that was read already.
    """

    _server: ApiServer

    def __init__(
        self,
        name: str,
        server: ApiServer,
        generation: Generation,
        entry: Mapping[str, Any] | None = None,
        vocabulary: TokenVocabulary | None = None,
    ) -> None:
        super().__init__(name, server, generation)
        self._entry = entry
        self._writer = RequestWriter(name, server.kind)
        self._counts = RememberedCounts(self._ask_count)
        self._vocabulary = vocabulary or TokenVocabulary(name)

    async def describe(self) -> ModelInfo:
        """What the server tells of the model; raises `ModelNotFound` with the nearest names that it has."""
        if self._info is None:
            entry = self._entry or await self._find_entry()
            able = await ask_abilities(self._server, entry)
            self._writer = RequestWriter(self.name, self._server.kind)
            info = make_info(self.name, able, self.generation.context_window, self._server.where.host_elsewhere)
            told = self._server.kind is not ServerKind.LLAMA_SERVER and self._vocabulary.is_known
            self._info = replace(info, estimated=await self._vocabulary.tell_estimate() if told else "")
        return self._info

    def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls come when it is complete, for their pieces may come in any order."""
        return self._reply_pieces(
            lambda: self._writer.write_chat(messages, tools, self.generation, options), searching=options.search
        )

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """The words' shares of the first token's distribution; where that is not told, the word that is chosen."""
        tells = (await self.describe()).tells_probabilities
        tokens, usage = await self._first_token(messages) if tells else ({}, Usage())
        if shares := share_out(tokens, words):
            return WordShares(shares, usage)
        chosen = await super().weigh_words(messages, words)
        return replace(chosen, usage=usage + chosen.usage)

    async def count_tokens(self, text: str) -> int:
        """Exactly, where llama-server counts or the vocabulary is on this disk; else an estimate, corrected by what was
        reported of earlier prompts.
        """
        await self.describe()
        if self._server.kind is not ServerKind.LLAMA_SERVER:
            if await self._vocabulary.tell_estimate():
                return await super().count_tokens(text)
            return await self._vocabulary.count_tokens(text)
        counted = await self._counts.count_tokens(text)
        return await super().count_tokens(text) if counted is None else counted

    async def _ask_count(self, text: str) -> int | None:
        answer = await self._server.ask_briefly(f"{self._server.where.root}/tokenize", {"content": text})
        tokens = answer.get("tokens") if isinstance(answer, dict) else None
        return len(tokens) if isinstance(tokens, list) else None

    @property
    def _thoughtless(self) -> Generation:
        """How a reply is made in which there is no room for thoughts."""
        return replace(self.generation, thinking_enabled=False)

    async def _find_entry(self) -> Mapping[str, Any]:
        """What the list says of the model; nothing but its name where the server lists none."""
        entries = await self._server.list_entries()
        if entries is None:
            return {"id": self.name}
        found = next((entry for entry in entries if entry["id"] == self.name), None)
        if found is None:
            raise self.not_found([entry["id"] for entry in entries])
        return found

    async def _reply_pieces(
        self, write: Callable[[], dict[str, Any]], *, searching: bool = False
    ) -> AsyncGenerator[Piece, None]:
        """The pieces of a reply; `write` makes its request once it is known what the model can do."""
        await self.describe()
        body, searching = write(), searching and self._server.kind is ServerKind.PERPLEXITY
        most = body.get("max_tokens") or body.get("max_completion_tokens") or self.generation.max_tokens
        reader = ReplyReader(most, FoundReader(self._server.where.host) if searching else None)
        async with aclosing(self._stream_chunks(body)) as chunks:
            async for chunk in chunks:
                for piece in reader.take_chunk(chunk):
                    yield piece
                self._calibrate(body, chunk.get("usage"))
        for piece in reader.finish():
            yield piece

    async def _stream_chunks(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks of a reply, asked for again without the parameters that the server refuses."""
        while True:
            try:
                async with aclosing(self._server.stream_chat(body)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except ParameterRefused as error:
                if not self._writer.learn_refusal(body, error.parameter):
                    raise
                log.info("%s is left out for %s: %s", error.parameter, self.name, error)
                body = self._writer.leave_out(body)
            except PromptTooLong as error:
                self.narrow_window(error.window)
                raise
            except ModelNotFound as error:
                raise await self.name_nearest(error) from error

    def _calibrate(self, body: dict[str, Any], usage: Any) -> None:
        """Correct the estimate of tokens by what the server counted."""
        if any(isinstance(message.get("content"), list) for message in body["messages"]):
            # What a picture has of tokens is each model's own: the count says nothing of the text.
            return
        counted = read_count(usage, "prompt_tokens") if isinstance(usage, dict) else 0
        texts = [str(message.get("content")) for message in body["messages"]]
        texts += [str(part) for key in ("tools",) for part in body.get(key, ())]
        self.correct_estimate(texts, counted)

    async def _first_token(self, messages: Sequence[Message]) -> tuple[dict[str, float], Usage]:
        """The likeliest first tokens and their probabilities, none from a server that does not tell; what that took."""
        info = await self.describe()
        options = ReplyOptions(max_tokens=1, temperature=0.0)
        body = self._writer.write_chat(messages, (), self._thoughtless, options)
        body = self._writer.leave_out(body | {"logprobs": True, "top_logprobs": WORD_LOGPROBS})
        tokens, reader = dict[str, float](), ReplyReader(max_tokens=1)
        if "logprobs" in body:
            async with aclosing(self._stream_chunks(body)) as chunks:
                async for chunk in chunks:
                    reader.take_chunk(chunk)
                    for choice in choices_of(chunk)[:1]:
                        tokens = tokens or read_first_token(choice)
        self._info = replace(self._info or info, tells_probabilities=bool(tokens))
        return tokens, reader.read_usage()

    async def hold_reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> HeldReply:
        """What the model writes under a schema, as strictly as the server can hold it."""
        await self.describe()
        options = ReplyOptions(temperature=0.0)
        while True:
            asked = messages if self._writer.form == "json_schema" else ask_in_words(messages, schema)
            body = self._writer.write_chat(asked, (), self._thoughtless, options)
            form = self._writer.response_format(schema)
            try:
                return await read_held(self._reply_pieces(partial(self._writer.leave_out, body | form)))
            except ModelError as error:
                refused = form and type(error) in (ModelError, ParameterRefused)
                if not (refused and self._writer.loosen_form()):
                    raise
