"""What looks like a secret: keys, tokens, mail addresses, and the values of environment variables."""

import os
import re
from collections.abc import Mapping
from itertools import pairwise

# Forms that say themselves what they are: a key with its vendor's prefix (sk-, ghp_, AKIA, xoxb-), a JSON web token, a
# private key, a UUID, a mail address, an account number (IBAN).
_SHAPED = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|xox[a-z]|npm|pypi|dop_v1|shpat|AKIA|ASIA|AIza|ya29)"
    r"[-_.]?(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
    r"|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    r"|[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b"
)
_RUN = re.compile(r"[A-Za-z0-9]{8,}")
MIXED = 5
"""How often letters and digits change places in a run that is drawn by lot: four times in `iPhone15ProMax256GB`."""
LONG, SHUFFLED = 20, 8
"""Characters of a run with few digits, and how often small letters, capitals and digits change places in it."""
SHORTEST = 8
"""Characters of an environment variable's value that may be a secret."""
# What programs call the variables that hold one.
_NAMED = re.compile(r"KEY|TOKEN|SECRET|PASS|PWD|AUTH|CRED", re.IGNORECASE)
HIDDEN = "…"


def secrets_in(text: str) -> list[str]:
    """The pieces of a text that look like a secret by their form, in their order."""
    found = [match[0] for match in _SHAPED.finditer(text)]
    rest = _SHAPED.sub(" ", text)
    return found + [run for run in _RUN.findall(rest) if is_random(run)]


def is_random(run: str) -> bool:
    """Whether a run of letters and digits looks drawn by lot rather than written by a person."""
    kinds = [(character.isdigit(), character.isupper()) for character in run]
    shuffled = sum(one != other for one, other in pairwise(kinds))
    return changes(run) >= MIXED or (len(run) >= LONG and shuffled >= SHUFFLED)


def changes(run: str) -> int:
    """How often letters and digits change places, whatever stands between them."""
    kinds = [character.isdigit() for character in run if character.isalnum()]
    return sum(one != other for one, other in pairwise(kinds))


def environment_secrets(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment variables whose value may be a secret: no path, no short or plain word."""
    return {
        name: value
        for name, value in environment.items()
        if len(value) >= SHORTEST
        and not all(part.startswith(os.sep) for part in value.split(os.pathsep))
        and (not value.isalpha() or _NAMED.search(name))
    }


def redacted(text: str) -> str:
    """A text in which everything that looks like a secret is only hinted at."""
    for secret in sorted({*secrets_in(text), *environment_secrets().values()}, key=len, reverse=True):
        text = text.replace(secret, f"{secret[:3]}{HIDDEN}")
    return text
