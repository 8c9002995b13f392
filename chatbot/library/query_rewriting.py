"""Other words for a search, asked of the model: a follow-up that stands alone, and terms that an answer would have."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.decision.arguments import MAX_QUESTION_CHARS, asked_after, fill_query, reword_query
from chatbot.prompts.fewshot import clip_middle, load_prompt
from rag.settings import RagSettings
from utils.errors import MagpieError

log = logging.getLogger(__name__)

REWRITE_SECONDS = 15.0
"""Seconds that a search waits for the model's words; then it goes on with the user's own."""
MAX_REWRITES_KEPT = 256
"""Questions whose words are kept."""
TERMS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "terms": {"type": "array", "items": {"type": "string", "maxLength": 40}, "minItems": 3, "maxItems": 5}
    },
    "required": ["terms"],
}


class Rewriter:
    """Words searches anew; whatever goes wrong, there remains what the user said."""

    def __init__(
        self, model: Callable[[], LanguageModel], settings: Callable[[], RagSettings] = lambda: RagSettings()
    ) -> None:
        """`settings` say, as they are now, whether the user wants searches worded anew."""
        self._model = model
        self._settings = settings
        self._known: dict[tuple[str, ...], str] = {}

    async def stand_alone(self, question: str, earlier: str) -> str:
        """The question as it is understood without the one before it; itself where the model has nothing better."""

        async def ask_model(model: LanguageModel) -> str:
            return await fill_query(model, load_prompt("stand_alone").make_prompt(**asked_after(earlier, question)))

        return await self._ask_once(ask_model, "stand alone", question, earlier) or question

    async def alone_if_wanted(self, question: str, earlier: str) -> str:
        """The question so that it stands alone, where the settings want that; itself where they do not."""
        return await self.stand_alone(question, earlier) if self._settings().rewrite_follow_ups else question

    async def terms_if_wanted(self, question: str) -> str:
        """Terms that an answer is likely to have, where the settings want them; empty where they do not."""
        return await self.answer_terms(question) if self._settings().rewrite_queries else ""

    async def next_query(self, question: str, found: str) -> str:
        """The query that comes next, from the question and what was found so far; raises a `MagpieError`."""
        return await reword_query(self._model(), question, found)

    async def answer_terms(self, question: str) -> str:
        """Three to five terms in one line that a text with the answer is likely to have; empty where there are none."""

        async def ask_model(model: LanguageModel) -> str:
            filled = await model.fill_schema(
                load_prompt("terms").make_prompt(question=clip_middle(question, MAX_QUESTION_CHARS)), TERMS_SCHEMA
            )
            return " ".join(str(term) for term in filled.values.get("terms", []))

        return await self._ask_once(ask_model, "terms", question)

    async def _ask_once(self, ask: Callable[[LanguageModel], Awaitable[str]], *key: str) -> str:
        """What the model says in one line, at most once for a key; empty where it fails or is too slow."""
        if key not in self._known:
            try:
                async with asyncio.timeout(REWRITE_SECONDS):
                    said = await ask(self._model())
            except (MagpieError, TimeoutError) as error:
                log.warning("The words of a search stay as they are: %s", str(error) or "the model took too long")
                return ""
            while len(self._known) >= MAX_REWRITES_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = " ".join(said.split())
        return self._known[key]
