"""What is a secret: what looks like one, the values of environment variables, and the keys that were read."""

import os
import re
from collections.abc import Iterable, Mapping
from itertools import groupby

_MAIL_ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}+@[A-Za-z0-9][A-Za-z0-9.-]{0,250}\.[A-Za-z]{2,}")
# Forms that say themselves what they are: a key with its vendor's prefix (sk-, ghp_, AKIA, xoxb-), a JSON web token, a
# private key, a UUID, a mail address, an account number (IBAN). What could begin anywhere in a long run has a limit,
# else the whole run would be read from each of its letters.
_SHAPED = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|xox[a-z]|npm|pypi|dop_v1|shpat|AKIA|ASIA|AIza|ya29)"
    r"[-_.]?(?=[A-Za-z_-]{0,40}+\d)[A-Za-z0-9_-]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,500}+\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
    r"|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    rf"|{_MAIL_ADDRESS.pattern}"
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b"
)
_RANDOM_RUN = re.compile(r"[A-Za-z0-9]{8,}")
MIXED = 5
"""How often letters and digits change places in a run that is drawn by lot: four times in `iPhone15ProMax256GB`."""
LONG_RUN_CHARS, SHUFFLED = 20, 8
"""Characters of a run with few digits, and how often small letters, capitals and digits change places in it."""
MIN_SECRET_CHARS = 8
"""Characters from which on the value of a variable or a header may be a secret."""
BEHIND = 2000
"""Characters behind the end of a text that are read with it, so that a secret is not cut in two."""
# What programs call the variables that hold one: AUTHORIZATION, but neither AUTHOR nor KEYWORDS.
_SECRET_NAME = re.compile(r"KEY(?!WORD|BOARD)|TOKEN|SECRET|PASS|PWD|AUTH(?!OR(?!I[SZ]))|CRED|COOKIE", re.IGNORECASE)
# What a header begins with whose second part is the secret (RFC 9110, 11.4; `Token` is that of several programs).
_AUTH_SCHEME = re.compile(r"^(?:Bearer|Basic|Token) +", re.IGNORECASE)
_ADDRESS_PASSWORD = re.compile(r"://[^\s/?#@:]*:([^\s/?#@]+)@")
HIDDEN = "…"
_read: set[str] = set()
"""The keys that this process has read, for instance from a file: their form need not tell what they are."""


def learn_secret(value: str) -> None:
    """Hide a key from now on in the log and in what others say; one of less than eight characters is no key."""
    if len(value) >= MIN_SECRET_CHARS:
        _read.add(value)


def learn_named(values: Mapping[str, str]) -> None:
    """Learn those of some values that are secrets by their name (`Authorization: Bearer …`) or by their form.

    A mail address is none: what it is of is asked about, and the answers would lack it.
    """
    for name, value in values.items():
        if not _may_be_secret(value):
            continue
        found = [*secrets_in(value), *_ADDRESS_PASSWORD.findall(value)]
        if _SECRET_NAME.search(name):
            found += [value, _AUTH_SCHEME.sub("", value)]
        for secret in found:
            if not _MAIL_ADDRESS.fullmatch(secret):
                learn_secret(secret)


def hide_learnt(text: str) -> str:
    """A text of somebody to whom a key was shown, without it."""
    for value in sorted(_read, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return text


def secrets_in(text: str) -> list[str]:
    """The pieces of a text that look like a secret by their form, in their order."""
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        found.append(match[0])
        return " "

    rest = _SHAPED.sub(take, text)
    return found + [run for run in _RANDOM_RUN.findall(rest) if is_random(run)]


def is_random(run: str) -> bool:
    """Whether a run of letters and digits looks drawn by lot rather than written by a person."""
    if count_changes(run) >= MIXED:
        return True
    return (
        len(run) >= LONG_RUN_CHARS
        and _count_switches(zip(map(str.isdigit, run), map(str.isupper, run), strict=True)) >= SHUFFLED
    )


def count_changes(run: str) -> int:
    """How often letters and digits change places, whatever stands between them."""
    return _count_switches(map(str.isdigit, filter(str.isalnum, run)))


def _count_switches(kinds: Iterable[object]) -> int:
    return max(0, sum(1 for _ in groupby(kinds)) - 1)


def environment_secrets(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment variables whose value may be a secret: no path, no short or plain word."""
    return {
        name: value
        for name, value in environment.items()
        if _may_be_secret(value) and (not value.isalpha() or _SECRET_NAME.search(name))
    }


def _may_be_secret(value: str) -> bool:
    """Whether a value is long enough, and no path or list of paths."""
    return len(value) >= MIN_SECRET_CHARS and not all(part.startswith(os.sep) for part in value.split(os.pathsep))


def redact_secrets(text: str, longest: int) -> str:
    """The beginning of a text, in which everything that looks like a secret is only hinted at.

    `longest` is its length in characters; what stands behind it costs no time, however long it is.
    """
    known = sorted({*environment_secrets().values(), *_read}, key=len, reverse=True)
    # A secret across the end is still known, by itself or by its form.
    end = longest + max(BEHIND, *map(len, known))
    safe = text[:end]
    for value in known:
        safe = safe.replace(value, _hint_at(value))
    safe = _SHAPED.sub(lambda match: _hint_at(match[0]), safe)
    safe = _RANDOM_RUN.sub(lambda match: _hint_at(match[0]) if is_random(match[0]) else match[0], safe)
    return safe if len(safe) <= longest and len(text) <= end else f"{safe[:longest]}{HIDDEN}"


def _hint_at(secret: str) -> str:
    return f"{secret[:3]}{HIDDEN}"
