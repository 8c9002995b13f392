"""What the failures of Claude's server mean."""

import re
from typing import Any

from chatbot.models.anthropic.endpoints import ANTHROPIC_KEY_VARIABLE
from chatbot.models.remote.errors import ApiErrors, PackageErrors
from utils.errors import ModelError, PromptTooLong

CHECK_BASE = "Check anthropic.base_url and ANTHROPIC_BASE_URL."
SET_CLAUDE_KEY = f"Set {ANTHROPIC_KEY_VARIABLE}, or name a file of mode 0600 that holds it: anthropic.key_file."
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Of errors in a stream, which has no status any more."""
# In the words of Anthropic, and of llama-server, which speaks this API as well.
_COUNTS_TOLD = (
    re.compile(r"prompt is too long: (?P<prompt>\d+) tokens > (?P<window>\d+)"),
    re.compile(r"exceed context limit: (?P<prompt>\d+) \+ \d+ > (?P<window>\d+)"),
    re.compile(r"request \((?P<prompt>\d+) tokens\) exceeds the available context size \((?P<window>\d+)"),
)
_TOO_LARGE = re.compile(
    r"prompt is too long|exceed context limit|context (window|size|length).{0,20}exceed", re.IGNORECASE
)
_REFUSABLE = re.compile(
    r"\b(thinking|signature|output_config\.effort|effort|output_config|output_format|structured output|tool_choice"
    r"|cache_control)"
)
_MEANT = {
    "signature": "thinking",
    "output_config.effort": "effort",
    "output_format": "output_config",
    "structured output": "output_config",
}


class FieldRefused(ModelError):
    """The server does not take a field that a request can do without."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(f"The server does not take {field}: {words.rstrip('.')}.", "Choose another model.")
        self.field = field


def _read_refusal(words: str, details: dict[str, Any], status: int) -> ModelError | None:
    """A prompt that is too long, with the exact counts where they are told, or a field that is not taken."""
    for form in _COUNTS_TOLD:
        if match := form.search(words):
            return PromptTooLong(int(match["prompt"]), int(match["window"]))
    if status == 413 or _TOO_LARGE.search(words):
        return PromptTooLong(0, 0)
    match = _REFUSABLE.search(words) if status in (400, 422) else None
    return FieldRefused(_MEANT.get(match[1], match[1]), words) if match else None


def _load_package() -> PackageErrors:
    import anthropic

    return PackageErrors(anthropic.AnthropicError, anthropic.APIConnectionError, anthropic.APIStatusError)


ANTHROPIC_ERRORS = ApiErrors(
    api="not Claude's API",
    load_package=_load_package,
    read_refusal=_read_refusal,
    check_url=CHECK_BASE,
    reach=f"See whether you are connected. {CHECK_BASE}",
    set_key=SET_CLAUDE_KEY,
    check_key=f"Check {ANTHROPIC_KEY_VARIABLE}, or the file that anthropic.key_file names.",
)
"""Reads them."""
