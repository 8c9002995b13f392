"""A language model whose words are kept in a file, so that an interrupted measurement goes on where it was."""

import hashlib
import json
import re
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.router_data import read_lines
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Done, FilledForm, LanguageModel, Piece, ReplyOptions, Text, WordShares
from chatbot.models.wrapping import WrappingModel
from tools.base import ToolSchema

_MARK = re.compile(r"(</?outside )[0-9a-f]{8}")


class RecordedModel(WrappingModel):
    """A `LanguageModel` that asks another one only for what it was never asked; for models with nothing left to chance.

    Keeps text and choices, by the whole prompt; not token counts, times or tool calls.
    """

    def __init__(self, model: LanguageModel, path: Path) -> None:
        super().__init__(model)
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._said = {row["asked"]: row["said"] for row in read_lines(path)} if path.exists() else {}

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """The whole text at once."""
        asked = key("reply", messages, [*(tool.name for tool in tools), str(options.max_tokens)])
        if asked not in self._said:
            pieces = self.model.reply(messages, tools, options)
            self._keep(asked, "".join([piece.delta async for piece in pieces if isinstance(piece, Text)]))
        yield Text(self._said[asked])
        yield Done(Usage())

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """As the other model does."""
        asked = key("choose", messages, words)
        if asked not in self._said:
            self._keep(asked, (await self.model.weigh_words(messages, words)).shares)
        return WordShares(dict(self._said[asked]))

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """As the other model does."""
        asked = key("fill", messages, [json.dumps(schema)])
        if asked not in self._said:
            self._keep(asked, (await self.model.fill_schema(messages, schema)).values)
        return FilledForm(dict(self._said[asked]))

    def _keep(self, asked: str, said: Any) -> None:
        self._said[asked] = said
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"asked": asked, "said": said}, ensure_ascii=False) + "\n")


def key(kind: str, messages: Sequence[Message], more: Sequence[str]) -> str:
    """SHA-256 of what was asked; the marks of fences are drawn anew in each run, and left out."""
    asked = [kind, *more, *(_MARK.sub(r"\1", part) for m in messages for part in (m.role, m.content, m.note))]
    return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode()).hexdigest()
