"""Patterns with `*`, `?` and `[...]` as regular expressions of PostgreSQL, which has no GLOB."""

import re

# Brackets hold some characters: without a bound, each of many that are not closed would be looked for to the end.
_PART = re.compile(r"\*|\?|\[(\^?)(\]?[^\]]{0,100})\]|.", re.DOTALL)


def glob_to_regex(pattern: str) -> str:
    """The regular expression that matches the whole of what the pattern does, in its case."""
    return f"^{_PART.sub(_translate, pattern)}$"


def _translate(part: re.Match[str]) -> str:
    match part.group():
        case "*":
            return ".*"
        case "?":
            return "."
        case one if len(one) == 1:
            return one if one.isalnum() or ord(one) > 127 else f"\\{one}"
    # Letters one by one, and ranges; within brackets only these three mean anything else.
    letters = re.sub(r"[\\\[\]^]", r"\\\g<0>", part.group(2))
    return f"[{part.group(1)}{letters}]"
