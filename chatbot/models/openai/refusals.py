"""Requests that a server refuses for what is in them: too long a prompt, tools, a parameter that it does not know."""

import re
from typing import Any

from chatbot.models.chat_completions.tool_schemas import read_schema_refusal
from utils.errors import ModelError, PromptTooLong, ToolsUnsupported

OPTIONAL = (
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "seed",
    "stream_options",
    "top_logprobs",
    "logprobs",
    "response_format",
    "chat_template_kwargs",
    "reasoning_content",
    "reasoning_effort",
)
"""What a request can do without, or can say otherwise."""
_OPTIONAL = re.compile(rf"\b({'|'.join(OPTIONAL)})\b")
# In the words of OpenAI, vLLM, llama-server and LM Studio, the prompt's tokens first where both are told.
_TOLD_COUNTS = (
    re.compile(r"request \((?P<prompt>\d+) tokens\) exceeds the available context size \((?P<window>\d+)"),
    re.compile(
        r"maximum context length is (?P<window>\d+) tokens.{0,300}?\((?P<prompt>\d+) (?:tokens )?in the messages"
    ),
    re.compile(r"maximum context length is (?P<window>\d+) tokens.{0,300}?has (?P<prompt>\d+) input tokens"),
    re.compile(
        r"maximum context length is (?P<window>\d+) tokens.{0,300}?(?:resulted in|requested) (?P<prompt>\d+) tokens"
    ),
    re.compile(r"prompt \(length (?P<prompt>\d+)\) is longer than the maximum model length of (?P<window>\d+)"),
    re.compile(r"first (?P<prompt>\d+) tokens when context.{0,300}?context length of only (?P<window>\d+)"),
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size"
    r"|(longer than|exceeds?|larger than).{0,40}?(context|maximum model length)"
    r"|maximum context length|context (window|size|length) (is )?(exceeded|too small)|prompt is too long",
    re.IGNORECASE,
)
_BY_FILTER = re.compile(r"content[_ ](filter|policy|management)|safety system", re.IGNORECASE)
_NO_TOOLS = re.compile(
    r"(tools?( use| choice| calls?| calling)?|function call(s|ing)?).{0,40}?"
    r"(not support|unsupported|not available|not enabled|requires? --)"
    r"|does(n't| not) support (tools?|function)|support tool use",
    re.IGNORECASE,
)


class ParameterRefused(ModelError):
    """The server does not take a parameter that a request can do without."""

    def __init__(self, parameter: str, words: str) -> None:
        super().__init__(f"The server does not take {parameter}: {words.rstrip('.')}.", "Choose another model.")
        self.parameter = parameter


def read_refusal(words: str, details: dict[str, Any], status: int) -> ModelError | None:
    """What of the request a server refuses, by its words and codes; None where it is something else."""
    told = f"{words} {details.get('code')} {details.get('type')}"
    if too_long := prompt_too_long(words, told, details):
        return too_long
    if _BY_FILTER.search(told):
        return ModelError(f"The server's content filter refuses it: {words.rstrip('.')}.", "Ask in other words.")
    if status not in (400, 404, 422, 500, 501):
        return None
    if of_schema := read_schema_refusal(words):
        return of_schema
    if _NO_TOOLS.search(told):
        return ToolsUnsupported("This model has no way to call tools.", "Magpie then decides for it.")
    named = details.get("param")
    parameter = named if named in OPTIONAL else None
    if parameter is None and (match := _OPTIONAL.search(words)):
        parameter = match[1]
    return ParameterRefused(parameter, words) if parameter and status != 500 else None


def prompt_too_long(words: str, told: str, details: dict[str, Any]) -> PromptTooLong | None:
    """The exact counts of a prompt that does not fit, where they are told; 0 where they are not."""
    counts = details.get("n_prompt_tokens"), details.get("n_ctx")
    if isinstance(counts[0], int) and isinstance(counts[1], int):
        return PromptTooLong(counts[0], counts[1])
    for form in _TOLD_COUNTS:
        if match := form.search(words):
            return PromptTooLong(int(match["prompt"]), int(match["window"]))
    return PromptTooLong(0, 0) if _TOO_LONG.search(told) else None
