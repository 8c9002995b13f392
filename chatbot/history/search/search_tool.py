"""Answers of earlier conversations, for a model that is allowed to look them up."""

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from chatbot.history.sessions import Sessions
from chatbot.prompts.fewshot import clip_middle
from tools.base import ToolResult
from utils.errors import SessionError, ToolError

MAX_ANSWER_CHARS = 600
"""Characters of an answer that the model is shown, and a third as many of its question."""


class EarlierAnswers:
    """The tool that searches what was said before the conversation under way."""

    def __init__(self, sessions: Sessions, current: Callable[[], str]) -> None:
        self._sessions = sessions
        self._current = current

    async def search_history(self, query: str, limit: Annotated[int, Field(ge=1, le=10)] = 5) -> ToolResult:
        """Search the answers of earlier conversations with this user.

        Args:
            query: What to look for.
            limit: How many answers, 1 to 10; 5 unless told.
        """
        try:
            found = await self._sessions.search_answers(query, limit, self._current())
        except SessionError as error:
            raise ToolError(str(error)) from error
        if not found:
            return ToolResult("No earlier conversation has anything about that.")
        told = [
            f"{each.created[:10]}, in “{each.title}”\nQuestion: {clip_middle(each.question, MAX_ANSWER_CHARS // 3)}\n"
            f"Answer: {clip_middle(each.answer, MAX_ANSWER_CHARS)}"
            for each in found
        ]
        return ToolResult("\n\n".join(["From earlier conversations:", *told]))
