"""What another program's tool answered, as text for a model."""

import json
from typing import Any

from utils.secrets import hide_learnt
from utils.text import clean, one_line

RESULT_CHARS = 12_000
"""Characters of a result that a model is given: some 3,000 tokens."""


def text_of(result: Any) -> str:
    """The words of a call's result, cleaned, cut and without the keys that servers are shown.

    Pictures, sounds and files are only named.
    """
    parts = [hide_learnt(block_text(block)) for block in result.content]
    structured = result.structured_content
    if structured is not None and not any(_says_all(part, structured) for part in parts):
        parts.append(hide_learnt(json.dumps(structured, ensure_ascii=False)))
    # What is cleaned away must not decide how much is cleaned.
    text = clean("\n\n".join(part[: 2 * RESULT_CHARS] for part in parts)[: 4 * RESULT_CHARS]).strip()
    if len(text) > RESULT_CHARS:
        text = f"{text[:RESULT_CHARS].rstrip()}\n\n(Cut here: only the first {RESULT_CHARS:,} characters are given.)"
    return text or "(The tool answered with nothing.)"


def block_text(block: Any) -> str:
    """The words of one part of an answer, uncleaned; empty for a kind of part that is not known."""
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"({block.type} of the type {one_line(block.mime_type, 60)}, not shown)"
        case "resource_link":
            return f"(a link to {one_line(str(block.uri), 300)}: {one_line(block.name, 100)})"
        case "resource":
            held = getattr(block.resource, "text", None)
            where = one_line(str(block.resource.uri), 300)
            return f"{where}:\n{held}" if held is not None else f"(the file {where}, not shown)"
    return ""


def _says_all(text: str, structured: Any) -> bool:
    """Whether a text is all that a structured value holds, or that as JSON, as servers have it for older clients."""
    if isinstance(structured, dict) and list(structured.values()) == [text]:
        return True
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        return bool(json.loads(text) == structured)
    except (ValueError, RecursionError):
        return False
