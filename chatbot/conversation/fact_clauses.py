"""A remembered fact that says several things: one of them is forgotten without the others."""

import re

_JOINS_CLAUSES = re.compile(
    r",\s{1,3}(?:(?:and|und|et|y|e|en|och|og|(?-i:i))\s)?|\s(?:and|und|et|y|e|och|og"
    r"|en(?=\s(?:ik|hij|ze|zij|mijn|zijn|haar|jag|han|hon|min|mitt)\b)|a(?=\s(?:on|ona|mam|moja|mój|jego|jej)\b))\s",
    re.IGNORECASE,
)
"""What may stand between two clauses."""
_ONESELF = (
    r"i|i['’]?m|i['’]?ve|we|my|our|ich|wir|mein\w{0,2}|unser\w{0,2}|je|j['’]\w+|nous|mon|ma|mes|yo|soy|tengo|mi|io|ho|mio|mia"
    r"|eu|tenho|meu|minha|ik|mijn|jag|min|mitt|jeg|mam|mój|moja"
)
_ANOTHER = (
    r"his|her|their|er|sie|sein\w{0,2}|ihr\w{0,2}|ils?|elles?|son|sa|ses|él|ella|tiene|es|su|lui|lei|ha|è|suo|sua|el[ea]|tem"
    r"|é|seu|hij|ze|zij|zijn|haar|han|hon|hun|ma|jest|jego|jej"
)
"""Words for oneself and for somebody else that a clause begins with, in a dozen languages."""
_SAYS_BY_ITSELF = re.compile(rf"(?:{_ONESELF}|(?:he|she|it)(?:['’]?s)?|they(?:['’]?re)?|{_ANOTHER})\s", re.IGNORECASE)
"""What a clause begins with that says something by itself: "she has a cat", and not "black coffee"."""
_OF_ONE_BEFORE = re.compile(rf"(?:he|she|it|they|{_ANOTHER})(?:['’]?s|['’]re)?\b", re.IGNORECASE)
"""What a clause begins with that says something of whom the one before it names."""


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
    clauses = clauses_of(fact)
    places = [place for place, one in enumerate(clauses) if place and is_clause(one, which)]
    if len(places) != 1:
        return ""
    first, last = places[0], places[0] + 1
    # What is said of the sister goes with her: "she has a cat" would be said of whoever is named before.
    while not _OF_ONE_BEFORE.match(clauses[first]) and last < len(clauses) and _OF_ONE_BEFORE.match(clauses[last]):
        last += 1
    return ", ".join(one.strip(" .") for one in clauses[:first] + clauses[last:])


def is_clause(clause: str, which: str) -> bool:
    """Whether words are a clause, word for word."""
    return clause.strip(" .").casefold() == which.strip(" .").casefold()
