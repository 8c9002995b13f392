"""What a server's refusal of the schema of a tool means: that is one tool's fault, and says nothing of the model."""

import re

from utils.errors import ModelError
from utils.text import one_line

# llama.cpp's words, OpenAI's, and those that others are likely to find.
_OF_SCHEMA = re.compile(
    r"JSON schema error at|schema.{0,40}\b(function|tools?)\b|\b(function|tools?)\b.{0,60}schema", re.IGNORECASE
)


def read_schema_refusal(words: str) -> ModelError | None:
    """The error where a server refuses a request that offers tools for the schema of one of them; else None."""
    if not _OF_SCHEMA.search(words):
        return None
    return ModelError(
        f"The schema of a tool is refused: {one_line(words, 300).rstrip('.')}.",
        "Switch its MCP server off with /mcp disable NAME, then ask again.",
    )
