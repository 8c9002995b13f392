"""Leave: what asks for it, and what gives or refuses it. Somebody's rules do, and no model knows them."""

import re

_ASKS_LEAVE = re.compile(
    r"\W*(?:(?:and|but|so|then|or) )?(?:may (?:i|we|my|our)\b(?! (?:ask|say|tell|suggest|call|know|see|have|get)\b)"
    r"|(?:am|are|is) [^?.!]{1,40}\b(?:allowed|permitted|admitted)\b"
    r"|(?:can|could) (?:i|we|my|our)\b[^?]{0,60}\b(?:come (?:along|too|with)|take part|join (?:in|us)|bring)\b"
    r"|(?:can|could) (?:i|we) take (?:\w+ ){1,4}(?:with|along|in)\b"
    r"|(?:can|could) (?:my|our) (?:\w+ )?(?:son|daughter|child|children|kids?|wife|husband|partner|friends?"
    r"|mother|father|parents|dogs?|cats?)\b"
    r"(?=[^?]{0,60}\b(?:there|in|into|inside|on|at|too|along|with|come|go|stay|sleep|enter|join|climb|swim|ride|play)\b))",
    re.IGNORECASE,
)
"""What a question in English begins with that asks for leave, which somebody's rules give."""
_SPEAKS_OF_LEAVE = re.compile(
    r"\b(?:may|must|allowed|permitted|admitted|welcome|accompanied|forbid\w*|prohibit\w*|banned|excluded|only|except"
    r"|dürfen|darf|müssen|muss|erlaubt|gestattet|verboten|untersagt|nur|begleitung|peu(?:t|vent)|doi(?:t|vent)|autorisée?s?|admise?s?"
    r"|interdit\w*|défendu\w*|seulement|accompagnée?s?|pueden?|deben?|permit\w+|admit\w+|prohibid\w+|sólo|solo|vietat\w+"
    r"|ammess\w+|proibid\w+|permitid\w+|apenas|verboden|toegestaan|alleen|tillåt\w*|förbjud\w+|tilladt|tillatt|forbud\w*"
    r"|wolno|zabronion\w+|dozwolon\w+|zakázán\w*|povolen\w*|можно|нельзя|разреш\w+|запрещ\w+|дозвол\w+|заборон\w+|yasak\w*)\b"
    r"|禁止|不得|可以|允许|금지|허용",
    re.IGNORECASE,
)
"""Words of rules, in some twenty languages."""


def asks_leave(english: str) -> bool:
    """Whether a question in English asks for leave: "may my son come along?", "are dogs allowed?"."""
    return _ASKS_LEAVE.match(english) is not None


def speaks_of_leave(sentence: str) -> bool:
    """Whether a sentence says what is allowed or forbidden."""
    return _SPEAKS_OF_LEAVE.search(sentence) is not None
