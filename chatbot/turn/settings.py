"""The settings of the check of citations."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from utils.settings import Name


@dataclass(frozen=True, kw_only=True)
class CitationSettings:
    """What becomes of a number behind a sentence that its passage does not say."""

    check: bool = True
    """Check each cited sentence against its passages, and strike a number that is wrong."""
    checker: Name = ""
    """What checks: name or folder of a cross-encoder that tells entailment (NLI); unset: Magpie's own rules."""
    threshold: Annotated[float, Meta(ge=0, le=1)] | None = None
    """Probability below which a sentence counts as not said by its passages; unset: 0.5."""
