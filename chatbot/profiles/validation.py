"""The languages in which a profile's answers can be checked: a name of `answer_format` for each."""

from collections.abc import Callable
from dataclasses import dataclass

from chatbot.profiles.strudel.check import find_problem

ANSWER_CHECKS: dict[str, tuple[str, Callable[[str], str]]] = {"strudel": ("Strudel", find_problem)}
"""What each is called, and what finds a problem in an answer."""


@dataclass(frozen=True)
class AnswerValidator:
    """Checks the code in answers."""

    language: str
    find_problem: Callable[[str], str]
    """What is wrong with an answer, in a few words without a period; empty where nothing is. Blocks."""
    instructions: str
    """What the model is told when it is asked to mend one."""

    def mark_invalid(self, answer: str, problem: str) -> str:
        """An answer that stays wrong, with a line that says so."""
        return f"{answer.rstrip()}\n\n**Not valid {self.language}:** {problem}."


def make_validator(answer_format: str | None, instructions: str) -> AnswerValidator | None:
    """What checks answers of a format; None for one that is not checked."""
    if answer_format not in ANSWER_CHECKS:
        return None
    return AnswerValidator(*ANSWER_CHECKS[answer_format], instructions)
