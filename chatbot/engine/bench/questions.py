"""The questions of `magpie bench-models`: all they ask for is invented, so that no model knows it by heart."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from chatbot.conversation.events import Answered

QUESTIONS_FILE = Path(__file__).with_name("questions.json")
_FIGURES = re.compile(r"\d(?:[\d.,'’\u00a0\u202f]*\d)?")


@dataclass(frozen=True)
class BenchQuestion:
    """A question with what a right answer to it is. Patterns are regular expressions, whose case does not matter."""

    name: str
    question: str
    right: tuple[str, ...] = ()
    """Patterns that a right answer has, all of them."""
    wrong: tuple[str, ...] = ()
    """Patterns of which a right answer has none."""
    number: float | None = None
    """The number that a right answer names."""
    tools: tuple[str, ...] = ()
    """Tools that are to be called; none: no tool is."""
    pages: tuple[str, ...] = ()
    """Paths of the pages that are to be cited; none: it is all the same."""

    def is_right(self, text: str) -> bool:
        """Whether an answer says what it should, and nothing that it should not."""
        if self.number is not None and self.number not in read_figures(text):
            return False
        wanted = all(re.search(pattern, text, re.IGNORECASE) for pattern in self.right)
        return wanted and not any(re.search(pattern, text, re.IGNORECASE) for pattern in self.wrong)

    def is_served(self, called: Collection[str]) -> bool:
        """Whether the tools were called that are to be, and none where none is."""
        return set(self.tools) <= set(called) if self.tools else not called

    def is_cited(self, answered: Answered, site: str) -> bool | None:
        """Whether its pages on the site are cited and each number holds; None where no page has to be."""
        if not self.pages:
            return None
        cited = {source.passage.source for source in answered.cited}
        return {f"{site}{page}" for page in self.pages} <= cited and not (answered.unsupported or answered.unknown)


@cache
def bench_questions() -> Sequence[BenchQuestion]:
    """All questions, in their order."""
    return msgspec.json.decode(QUESTIONS_FILE.read_bytes(), type=tuple[BenchQuestion, ...])


def read_figures(text: str) -> set[float]:
    """The numbers that are written in figures in a text, whether a comma or a point stands before their decimals."""
    found: set[float] = set()
    for figures in _FIGURES.findall(text):
        plain = re.sub(r"['’\u00a0\u202f]", "", figures)
        for thousands, decimal in ((",", "."), (".", ",")):
            written = plain.replace(thousands, "").replace(decimal, ".")
            if written.count(".") <= 1:
                found.add(float(written))
    return found
