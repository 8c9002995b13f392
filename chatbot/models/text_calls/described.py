"""A tool call that a reply only talks about: "To find that, I would use the `web_search` function"."""

import re
from collections.abc import Sequence

from tools.base import ToolSchema

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_INTENTION = (
    r"(?:\b(?:I|we|you)(?:[’']ll|[’']d| will| would| can| could| should| need to| must| have to| am going to)?"
    r"|\blet me|\blet[’']s|\bplease)\b[^.!?\n]{0,60}\b(?:use|call|invoke|run|query)\b[^.!?\n]{0,40}?"
)
_ABOUT_TOOLS = re.compile(
    r"\b(?:tools?|functions?|magpie|commands?|abilit\w+|capabilit\w+|what can you"
    r"|how (?:do|would|can|could|will|should) (?:you|i|we|one))\b",
    re.IGNORECASE,
)
"""Words of a question to which a tool's name may belong into the answer."""


def described_tool(text: str, offered: Sequence[ToolSchema], question: str) -> str:
    """The name of the one tool that a reply says should be called, without calling it; empty where there is none.

    Careful: a reply that names several tools tells of them, and so may one to a question about tools or ways.
    """
    told = _FENCED.sub(" ", text)
    named = [tool.name for tool in offered if re.search(_mention(tool.name), told)]
    if len(named) != 1 or named[0] in question or _ABOUT_TOOLS.search(question):
        return ""
    return named[0] if re.search(f"{_INTENTION}{_mention(named[0])}", told, re.IGNORECASE) else ""


def _mention(name: str) -> str:
    """How a tool's name is told from a plain word: by its underscore, its backticks, or the word behind it."""
    marked = rf"`{re.escape(name)}`|(?<![\w.]){re.escape(name)}(?= (?:function|tool)\b)"
    return rf"(?:{marked}|(?<![\w.]){re.escape(name)}(?![\w(]))" if "_" in name else f"(?:{marked})"
