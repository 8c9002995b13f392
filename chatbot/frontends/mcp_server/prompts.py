"""The one prompt: a question with the passages that the library has for it, to be answered with sources."""

from typing import Any

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from chatbot.frontends.mcp_server.tools import RetrievalTools, in_words, number_passages
from chatbot.prompts.loader import read_prompt
from utils.errors import MagpieError, ToolError

PROMPT_NAME = "answer_with_sources"
PASSAGES_IN_PROMPT = 8
"""Of the library, that go with the question."""

Context = ServerRequestContext[Any]


class Prompts:
    """Lists and fills it; `has_library`: whether there is one to look into."""

    def __init__(self, tools: RetrievalTools, *, has_library: bool) -> None:
        self._tools = tools
        self._has_library = has_library

    async def list_prompts(self, _: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        """The prompt."""
        question = PromptArgument(name="question", description="What is to be answered.", required=True)
        prompt = Prompt(
            name=PROMPT_NAME,
            title="Answer with sources",
            description="Answer a question from numbered passages of the library, citing them.",
            arguments=[question],
        )
        return ListPromptsResult(prompts=[prompt])

    async def get_prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """The prompt for a question."""
        if params.name != PROMPT_NAME:
            raise MCPError(INVALID_PARAMS, f"There is no prompt {params.name!r}. There is: {PROMPT_NAME}.")
        question = (params.arguments or {}).get("question", "").strip()
        if not question:
            raise MCPError(INVALID_PARAMS, f"{PROMPT_NAME} needs a question.")
        parts = [
            read_prompt("answering"),
            read_prompt("citing"),
            await self._find_passages(question),
            f"Question: {question}",
        ]
        message = PromptMessage(role="user", content=TextContent(text="\n\n".join(parts)))
        return GetPromptResult(description="A question with passages of the library.", messages=[message])

    async def _find_passages(self, question: str) -> str:
        if not self._has_library:
            return "There are no passages yet."
        try:
            passages = await self._tools.find_passages(question, PASSAGES_IN_PROMPT)
        except (MagpieError, ToolError) as error:
            return f"The library cannot be searched: {error}"
        return in_words(
            number_passages("Passages of the library:" if passages else "The library has nothing on it.", passages)
        )
