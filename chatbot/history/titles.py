"""Titles for conversations, asked of the model once the first answer is there."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from chatbot.history.sessions import Sessions
from chatbot.models.base import LanguageModel
from chatbot.prompts.fewshot import clip_middle, load_prompt
from utils.errors import MagpieError, SessionError
from utils.faults import in_background
from utils.text import one_line

log = logging.getLogger(__name__)

TITLE_SECONDS = 60.0
"""Seconds after which a title is given up; the first question then stays the title."""
TITLE_CHARS_READ = 400
"""Characters that the model reads of question and answer each."""
MAX_TITLE_CHARS = 60
TITLE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"title": {"type": "string", "minLength": 3, "maxLength": MAX_TITLE_CHARS}},
    "required": ["title"],
}


async def make_title(model: LanguageModel, question: str, answer: str) -> str:
    """A title of a few words; empty where the model has none."""
    asked = load_prompt("title").make_prompt(
        question=clip_middle(question, TITLE_CHARS_READ), answer=clip_middle(answer, TITLE_CHARS_READ)
    )
    try:
        async with asyncio.timeout(TITLE_SECONDS):
            filled = await model.fill_schema(asked, TITLE_SCHEMA)
    except (MagpieError, TimeoutError) as error:
        log.warning("A conversation keeps its first question as its title: %s", str(error) or "the model is too slow")
        return ""
    return one_line(str(filled.values.get("title", "")), MAX_TITLE_CHARS)


class Titler:
    """Makes a title in the background; a question that comes meanwhile goes first."""

    def __init__(self, model: Callable[[], LanguageModel], sessions: Sessions) -> None:
        self._model = model
        self._sessions = sessions
        self._named: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def leave_untitled(self, session: str) -> None:
        """Make no title for a session."""
        self._named.add(session)

    def begin_title(self, session: str, question: str, answer: str) -> None:
        """Make the title of a session, unless it has one."""
        if session not in self._named and answer.strip():
            self.stop_title()
            self._task = in_background(self._title_session(session, question, answer), "Naming the conversation")

    async def _title_session(self, session: str, question: str, answer: str) -> None:
        if title := await make_title(self._model(), question, answer):
            try:
                await self._sessions.title(session, title, by="model")
            except SessionError as error:
                # The next answer is written to the same file, and then the user is told.
                log.warning("A title could not be kept: %s", error)
            self._named.add(session)

    def stop_title(self) -> None:
        """Give up the title that is being made, if there is one."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """The same, and wait until it is over."""
        task = self._task
        self.stop_title()
        if task is not None:
            await asyncio.wait({task})
