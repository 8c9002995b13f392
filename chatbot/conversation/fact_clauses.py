"""A remembered fact that says several things: one of them is forgotten without the others."""

import re

_JOINS_CLAUSES = re.compile(
    r",\s{1,3}(?:(?:and|und|et|y|e|en|och|og|i|a)\s)?|\s(?:and|und|et|y|e|en|och|og|a)\s", re.IGNORECASE
)
_SAYS_BY_ITSELF = re.compile(
    r"(?:i|i['’]?m|i['’]?ve|we|he|he['’]?s|she|she['’]?s|it|it['’]?s|they|they['’]?re|my|our|his|her|their"
    r"|ich|wir|er|sie|mein\w{0,2}|unser\w{0,2}|sein\w{0,2}|ihr\w{0,2}|je|j['’]\w+|il|elle|ils|elles|nous|mon|ma|mes|son|sa"
    r"|ses|yo|él|ella|tiene|soy|es|tengo|mi|su|io|lui|lei|ha|è|ho|mio|mia|suo|sua|eu|ele|ela|tem|tenho|é|meu|minha|seu|sua"
    r"|ik|hij|ze|zij|mijn|zijn|haar|jag|han|hon|min|mitt|jeg|hun|mam|ma|jest|mój|moja|jego|jej)\s",
    re.IGNORECASE,
)
"""What a clause begins with that says something by itself: "she has a cat", and not "black coffee"."""


def clauses_of(fact: str) -> list[str]:
    """The clauses of a fact, as they stand; the whole alone where it says one thing."""
    clauses, start = list[str](), 0
    for joint in _JOINS_CLAUSES.finditer(fact):
        if _SAYS_BY_ITSELF.match(fact, joint.end()):
            clauses.append(fact[start : joint.start()])
            start = joint.end()
    return [*clauses, fact[start:]]


def without_clause(fact: str, which: str) -> str:
    """What is left of a fact without one of its clauses; empty where that is no clause of it, or the first, which says
    of whom the others are."""
    _, *others = clauses = clauses_of(fact)
    meant = [one for one in others if one.strip(" .").casefold() == which.strip(" .").casefold()]
    if len(meant) != 1:
        return ""
    return ", ".join(one.strip(" .") for one in clauses if one is not meant[0])
