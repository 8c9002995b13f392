"""What the lookups of a turn came to: whether the web could be asked, what was asked, that nothing was found."""

from collections.abc import Sequence

from chatbot.models.dialogue import attached_texts
from chatbot.models.pipeline.decision.places import LIBRARY, REACHING, WEB, asks_of_mine
from chatbot.models.pipeline.plans import Situation
from chatbot.prompts.phrases import fill_phrase
from tools.web.report import TROUBLE_WORDS

MIN_OWN_WEB_SHARE = 0.8
"""The share that the web must have, with the library left out, to be asked of something of the user's own."""
CUT_OFF = {"offline": "offline_switched", "unreachable": "no_network"}
"""The phrase for each state of the search engines in which none can be asked."""


def is_own_affair(at: Situation, called: Sequence[str]) -> bool:
    """Whether only the library was asked, and of something of the user's own: the web knows nothing of that, and need
    not hear of it."""
    decision = at.intent.decision
    asked = decision.best_wish == LIBRARY and set(called) == {LIBRARY}
    return (
        asked
        and asks_of_mine(at.intent.question, at.intent.language)
        and decision.elsewhere.get(WEB, 0.0) < MIN_OWN_WEB_SHARE
    )


def searched_again(at: Situation) -> bool:
    """Whether a search was made in other words than the question's."""
    return len({str(call.arguments) for call in at.last_turn.calls}) > len(at.intent.parts)


def told_without_web(at: Situation) -> str:
    """That the web could not be asked, and why; empty where it could."""
    for result in at.last_turn.results:
        if result.tool_name in REACHING and result.failed:
            for state, name in CUT_OFF.items():
                if result.content.startswith(TROUBLE_WORDS[state]):
                    return fill_phrase(name, at.intent.language)
    return ""


def nothing_said(at: Situation) -> str:
    """That what was read without a look-up says nothing of the question: the text that came with it, if one did."""
    return fill_phrase("nothing_in_attachment" if attached_texts(at.last_turn) else "nothing_found", at.intent.language)


def nothing_found(called: Sequence[str], language: str) -> str:
    """That nothing was found, and where it was looked for."""
    if all(name == LIBRARY for name in called):
        return fill_phrase("nothing_in_files", language)
    return fill_phrase("nothing_on_web" if LIBRARY not in called else "nothing_found", language)
