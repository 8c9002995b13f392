"""A model behind OpenAI's protocol."""

import json
import logging
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, ModelInfo, Piece, ReplyOptions, Text
from chatbot.models.counting.remembered import RememberedCounts
from chatbot.models.counting.token_estimate import estimate_tokens
from chatbot.models.counting.vocabulary import TokenVocabulary
from chatbot.models.openai.abilities import NAME_PREFIX, ask_abilities, make_info
from chatbot.models.openai.endpoints import ServerKind
from chatbot.models.openai.errors import CHECK_URL
from chatbot.models.openai.refusals import ParameterRefused
from chatbot.models.openai.reply.reader import ReplyReader
from chatbot.models.openai.reply.stream import choices_of
from chatbot.models.openai.requests import RequestWriter
from chatbot.models.openai.server import ApiServer
from chatbot.models.openai.values import read_first_token
from chatbot.models.provider import not_found
from chatbot.models.settings import Generation
from chatbot.models.wire_values import find_object, find_word, read_count, share_out
from tools.base import ToolSchema
from utils.errors import ModelError, ModelNotFound, ModelUnavailable, PromptTooLong, ReplyBroken

log = logging.getLogger(__name__)

WORD_LOGPROBS = 20
"""The most likely first tokens that a server is asked for: the most that OpenAI tells."""
CORRECTED_FROM = 150
"""Tokens of a prompt from which on its count says something of the text, and not of the template alone."""
FARTHEST_OFF = 2.5
"""How far the estimate may be off, in either direction, before a count is taken to be of something else."""
FILL_IN = "Answer with one JSON object and nothing else. It must fit this schema:\n{schema}"


class OpenAIModel:
    """A `LanguageModel` on a server of OpenAI's protocol; nothing is asked before the first method is awaited.

    `generation` may be replaced at any time; the next request follows it. `entry` is what the server's list says of it,
    where that was read already.
    """

    def __init__(
        self,
        name: str,
        server: ApiServer,
        generation: Generation,
        entry: Mapping[str, Any] | None = None,
        vocabulary: TokenVocabulary | None = None,
    ) -> None:
        self.name = name
        self.generation = generation
        self._server = server
        self._entry = entry
        self._info: ModelInfo | None = None
        self._writer = RequestWriter(name, server.kind)
        self._correction = 1.0
        self._counts = RememberedCounts(self._ask_count)
        self._vocabulary = vocabulary or TokenVocabulary(name)

    async def describe(self) -> ModelInfo:
        """What the server tells of the model; raises `ModelNotFound` with the nearest names that it has."""
        if self._info is None:
            entry = self._entry or await self._find_entry()
            able = await ask_abilities(self._server, entry)
            remote = not self._server.where.endpoint.is_local
            self._writer = RequestWriter(self.name, self._server.kind)
            info = make_info(self.name, able, self.generation.context_window, remote=remote)
            told = self._server.kind is not ServerKind.LLAMA_SERVER and self._vocabulary.is_known
            self._info = replace(info, estimated=await self._vocabulary.tell_estimate() if told else "")
        return self._info

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls come when it is complete, for their pieces may come in any order."""
        await self.describe()
        body = self._writer.write_chat(messages, tools, self.generation, options)
        async with aclosing(self._reply_pieces(body)) as pieces:
            async for piece in pieces:
                yield piece

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> dict[str, float]:
        """The words' shares of the first token's distribution; where that is not told, the word that is chosen."""
        tells = (await self.describe()).tells_probabilities
        if tells and (shares := share_out(await self._first_token(messages), words)):
            return shares
        schema = {
            "type": "object",
            "properties": {"word": {"type": "string", "enum": list(words)}},
            "required": ["word"],
            "additionalProperties": False,
        }
        text = await self._held_reply(messages, schema)
        named = (find_object(text) or {}).get("word")
        chosen = named if named in words else find_word(text, words)
        if not chosen:
            raise ReplyBroken(f"The model {self.name} chose none of the words that it was given.", "Ask again.")
        return {word: float(word == chosen) for word in words}

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> dict[str, Any]:
        """A JSON object that the server held to the schema, or that the model was asked for where it holds to none."""
        value = find_object(await self._held_reply(messages, schema))
        if value is None:
            raise ReplyBroken(f"The model {self.name} did not fill in the form that it was given.", "Ask again.")
        return value

    async def count_tokens(self, text: str) -> int:
        """Exactly, where llama-server counts or the vocabulary is on this disk; else an estimate, corrected by what was
        reported of earlier prompts.
        """
        await self.describe()
        if self._server.kind is not ServerKind.LLAMA_SERVER:
            if await self._vocabulary.tell_estimate():
                return math.ceil(estimate_tokens(text) * self._correction)
            return await self._vocabulary.count_tokens(text)
        counted = await self._counts.count_tokens(text)
        return math.ceil(estimate_tokens(text) * self._correction) if counted is None else counted

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """Let a server on this machine read the prompt's beginning; another one is sent nothing before a question."""
        if (await self.describe()).remote:
            return
        async with aclosing(self.reply(messages, tools, ReplyOptions(max_tokens=1))) as pieces:
            async for _ in pieces:
                pass

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def _ask_count(self, text: str) -> int | None:
        answer = await self._server.ask_briefly(f"{self._server.where.root}/tokenize", {"content": text})
        tokens = answer.get("tokens") if isinstance(answer, dict) else None
        return len(tokens) if isinstance(tokens, list) else None

    async def _find_entry(self) -> Mapping[str, Any]:
        """What the list says of the model; nothing but its name where the server lists none."""
        entries = await self._server.list_entries()
        if entries is None:
            return {"id": self.name}
        found = next((entry for entry in entries if entry["id"] == self.name), None)
        if found is None:
            raise self._not_found([entry["id"] for entry in entries])
        return found

    def _not_found(self, names: Sequence[str]) -> ModelNotFound:
        return not_found(f"{NAME_PREFIX}{self.name}", [f"{NAME_PREFIX}{name}" for name in names])

    async def _reply_pieces(self, body: dict[str, Any]) -> AsyncGenerator[Piece, None]:
        reader = ReplyReader(body.get("max_tokens") or body.get("max_completion_tokens") or self.generation.max_tokens)
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
                self._narrow_window(error.window)
                raise
            except ModelNotFound as error:
                raise await self._name_nearest(error) from error

    async def _name_nearest(self, error: ModelNotFound) -> ModelError:
        """That the model is gone, with the nearest of those that are there."""
        entries = await self._server.list_entries()
        if entries is None:
            return ModelUnavailable(error.problem, CHECK_URL)
        names = [entry["id"] for entry in entries]
        return ModelError(error.problem, error.remedy) if self.name in names else self._not_found(names)

    def _narrow_window(self, window: int) -> None:
        if self._info is not None and 0 < window < self._info.context_window:
            self._info = replace(self._info, context_window=window)

    def _calibrate(self, body: dict[str, Any], usage: Any) -> None:
        """Correct the estimate of tokens by what the server counted."""
        counted = read_count(usage, "prompt_tokens") if isinstance(usage, dict) else 0
        texts = [str(message.get("content")) for message in body["messages"]]
        texts += [str(part) for key in ("tools",) for part in body.get(key, ())]
        estimate = sum(map(estimate_tokens, texts))
        # A count far from what was sent is missing, or of a part only: it says nothing of the text.
        if estimate >= CORRECTED_FROM and 1 / FARTHEST_OFF < counted / estimate < FARTHEST_OFF:
            self._correction = counted / estimate

    async def _first_token(self, messages: Sequence[Message]) -> dict[str, float]:
        """The likeliest first tokens and their probabilities; empty from a server that does not tell."""
        info = await self.describe()
        options = ReplyOptions(max_tokens=1, temperature=0.0)
        body = self._writer.write_chat(messages, (), self.generation, options) | self._writer.without_thinking()
        body = self._writer.leave_out(body | {"logprobs": True, "top_logprobs": WORD_LOGPROBS})
        tokens: dict[str, float] = {}
        if "logprobs" in body:
            async with aclosing(self._stream_chunks(body)) as chunks:
                async for chunk in chunks:
                    for choice in choices_of(chunk)[:1]:
                        tokens = tokens or read_first_token(choice)
        self._info = replace(self._info or info, tells_probabilities=bool(tokens))
        return tokens

    async def _held_reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> str:
        """What the model writes under a schema, as strictly as the server can hold it."""
        await self.describe()
        options = ReplyOptions(temperature=0.0)
        while True:
            asked = messages if self._writer.form == "json_schema" else asking_for(messages, schema)
            body = self._writer.write_chat(asked, (), self.generation, options) | self._writer.without_thinking()
            form = self._writer.response_format(schema)
            try:
                async with aclosing(self._reply_pieces(self._writer.leave_out(body | form))) as pieces:
                    return "".join([piece.delta async for piece in pieces if isinstance(piece, Text)])
            except ModelError as error:
                refused = form and type(error) in (ModelError, ParameterRefused)
                if not (refused and self._writer.loosen_form()):
                    raise


def asking_for(messages: Sequence[Message], schema: dict[str, Any]) -> list[Message]:
    """The messages with the schema in words behind the last one."""
    *before, last = messages
    return [
        *before,
        replace(last, note="\n\n".join(filter(None, (last.note, FILL_IN.format(schema=json.dumps(schema)))))),
    ]
