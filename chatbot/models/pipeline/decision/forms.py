"""The form in which a message wants its answer: a list, a summary, the steps of something, yes or no, a piece that is
made up."""

import re
from collections.abc import Sequence
from dataclasses import replace

from chatbot.conversation.turns import Turn
from chatbot.models.dialogue import ADDRESS, attached_texts
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.decision.places import WEB
from chatbot.models.pipeline.decision.router import ANSWER, TAKEN_APART, TOOL_WORDS
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.duties import asks_duties
from chatbot.models.pipeline.reading.attachments import is_about_text
from chatbot.models.pipeline.reading.expected import Kind, expected_kind
from chatbot.models.pipeline.reading.sentences import asks_something
from utils.languages.message_parts import asks_translation

_ASKS_FOR = r"\b(?:write|tell|make up|invent|compose|create|improvise|come up with|think of|give|sing|draft)\b"
_ANY = r"(?:an?|another|one|some|two|three|four|five|\d+)"
_PIECE = (
    r"(?:stor(?:y|ies)|(?:fairy )?tales?|fables?|poems?|verses?|haikus?|limericks?|sonnets?|rhymes?|odes?|ballads?"
    r"|songs?|lyrics|lullab(?:y|ies)|jokes?|puns?|riddles?)"
)
_HOW = r"(?: (?!(?:of|the|for|to|at|about|on|in|with|from|that|which)\b)[\w'-]+){0,4}?"
"""Words before the piece: "another short bedtime"."""
_MADE_UP = re.compile(rf"{_ASKS_FOR}(?: for)?(?: me| us)? {_ANY}{_HOW} {_PIECE}\b", re.IGNORECASE)
_IDEAS = re.compile(
    rf"\b(?:suggest|propose|brainstorm|come up with|think of|give)(?: me| us)? (?:{_ANY}|a few|a couple of|more){_HOW} "
    r"(?:(?:ideas?|presents?|gifts?|excuses?|nicknames?|slogans?|mottos?) for|(?:names?|titles?) for (?:an?|my|our))\b",
    re.IGNORECASE,
)
"""What is thought of, and looked up nowhere: "suggest three presents for a climber"."""
_WITHOUT_VERB = re.compile(rf"^\W*(?:please )?{_ANY}{_HOW} {_PIECE} (?:about|of|for|on|in|with)\b", re.IGNORECASE)
"""What is asked for without a verb: "a short story about two robots"."""
_KNOWN = re.compile(
    r"\b(?:by|true|real|famous|news|latest|today|current|recent|from|according to|based on|that i|i wrote"
    r"|my (?:\w+ )?(?:notes?|files?|documents?|library|folder)|yourself|about you|magpie|remind|reminder|tomorrow)\b",
    re.IGNORECASE,
)
"""What says that a piece exists already, that something has to be known for it, or that more is wished for."""

_ASKS_WHAT = re.compile(
    r"(?:^|[.,;:!?]\s+(?:and |but |so |then )?)(?:what|who|whom|whose|when|where|which|why|how)\b", re.IGNORECASE
)
"""What a question in English begins with that wants no yes or no."""
_ASKS_WHETHER = re.compile(
    r"[.;:!?]\s+(?:and |but |so |then )?"
    r"(?:am|is|are|was|were|do|does|did|can|could|may|must|will|would|should|has|have)\b[^.;:!?]*\?\s*$",
    re.IGNORECASE,
)
"""What one ends with that wants one all the same: "about my insurance, what is it called: is the vase covered?"."""
_LISTS = re.compile(
    r"\W*(?:(?:please|can you|could you) )*(?:list|name|enumerate) (?:me )?(?:all|every|each|the (?:\w+ )?\w+s)\b",
    re.IGNORECASE,
)
"""What a message in English begins with that wants all the things of a kind listed."""
WORDS_OF_NAME = 2
"""Words of what only its own pages list the things of: a bakery, and no continent."""
_ASKS_WHICH_ONE = re.compile(r"\bor\b")
_ASKS_FIGURE = re.compile(
    r"^(?:and |but |so |then )?(?:how (?:many|much|long|old|far|high|tall|big|often|late)\b"
    r"|what (?:did|have|had) (?:i|we|they) (?:spen[dt]|pa(?:y|id)) (?:on|for) (?!(?:in|on|at|with)\b)\w)",
    re.IGNORECASE,
)
"""What a question in English begins with that a figure answers, and no list."""
_ASKS_HOW_TO = re.compile(
    r"(?:and |but |so |then )?how (?:do|can|should|must|would|could) (?:i|you|we|one)\b(?! (?:get|go|come|reach|spell"
    r"|say|call|pronounce|write|know|feel|pay|owe|earn|spend)\b)",
    re.IGNORECASE,
)
"""What a question in English begins with that several steps answer."""
_ASKS_PARTS = re.compile(
    r"(?:and |but |so |then )?(?:what (?:all |else )?(?:do|does|must|should|will|would) (?:i|we|you|one)(?: have to)? "
    r"(?:need for (?!it\b|that\b|this\b)|(?:bring|pack|take) (?:along|with)\b)"
    r"|what (?:all |else )?(?:goes|comes|belongs) (?:in|into) (?:the|an?|my|your|this|that|their|its|it)\b"
    r"|(?:what|which) ingredients\b)",
    re.IGNORECASE,
)
"""What one begins with that all the things for something answer."""
_ASKS_WHAT_THEN = re.compile(
    r"(?:and |but |so |then )?what (?:happens|will happen|(?:do|must|should|can) (?:i|we|you|one) (?:have to )?do)"
    r" (?:if|when|in case)\b",
    re.IGNORECASE,
)
"""What one begins with that several cases answer."""
_LONGER_FORMS = ((_ASKS_HOW_TO, "explain"), (_ASKS_PARTS, "list"))
_ASKS_SUMMARY = re.compile(
    r"\W*(?:(?:can|could|would) you |please |kindly )*(?:summari[sz]e|sum up|(?:give|write|make) (?:me )?(?:an? )?"
    r"(?:short |brief |quick )?summary of|tl;?dr)\b",
    re.IGNORECASE,
)
"""What a message in English begins with that wants a text made short."""
_ASKS_NEWS = re.compile(
    r"\W*(?:(?:and|so|but) )?(?:(?:what(?:'s|’s| is| are)|(?:is|are) there|any|(?:tell|give|show) me)\b.{0,20}"
    r"\bnews (?:about|on|of|from|in|regarding|concerning)\b|what(?:'s|’s| is) new (?:with|about|in|on|at)\b)",
    re.IGNORECASE,
)
"""What a question in English has that wants the news of something: what a report says, and no one fact of it."""
_ASKS_ONE_FACT_BEHIND = re.compile(
    r"[?.,]\s+(?:and )?(?:when|what time|how (?:much|many|long)|where|who)\b[^?]{3,}", re.IGNORECASE
)
"""What asks for one thing behind that: "any news about the bridge? when does it open again?"."""
_JOINS = re.compile(r"(?<=\w )(?:and|or|as well as)\b|[?;,.]\s")
"""What joins two questions in English; "and" at the beginning joins one to what was said before."""
_ONE_THING = re.compile(
    r"\b(?:there and back|back and forth|(?:out|outward|outbound|one way) and (?:back|return)|return and back"
    r"|(?:going|going there) and (?:coming|returning|return)|(?:round[- ]?trip|return) and (?:return|back))\b",
    re.IGNORECASE,
)
"""What "and" joins to one thing, as translations have it too."""
_ASKS_TO_CODE = re.compile(
    r"\W{0,3}(?:(?:and|so|but|ok|okay|then|please|tell me|show me|(?:can|could) you (?:tell|show) me),? ){0,3}"
    r"how (?:(?:do|does|can|could|would|should) (?:i|you|we|one)|to) [^?.!\n]{3,120}?\b(?:in|with|using) "
    r"(?:plain |pure |vanilla )?(?:python|javascript|js|typescript|kotlin|c(?:\+\+|#)|golang|php|perl|sql|bash"
    r"|powershell|html|css|regex(?:p|es)?|regular expressions?|pandas|numpy)"
    r"(?: script| code)?(?: ?\d[\d.]{0,5})?(?=\W{0,3}$|[?.!,] )",
    re.IGNORECASE,
)
"""What a question in English begins with that asks how something is written in a language of programs; Java may be an
island, and C a key."""
_SHOWS_CODE = re.compile(
    r"(?!.*\b(?:script|program|compiler|python|javascript|build|linter|terminal|browser|pip|git)\b)"
    r".*\b(?:shows?|showing|displays?|displaying|says?|saying|flashes|flashing|blinks?|error|fault|code)\b[^.?!]{0,40}?"
    r"(?<![\w-])(?-i:[A-Z]{1,3})-?\d{1,4}(?![\w-])",
    re.IGNORECASE,
)
"""What tells in English that a machine shows a code, "my printer says B200"."""
_ASKS_LIFE_DATE = re.compile(
    r"\b(?:when|(?:in )?(?:what|which) year|on (?:what|which) day) (?:was|were|is|did) "
    r"(?!(?:i|we|you|my|our|he|she|they|it|the|this|that)\b)[^?]{2,60}\b(?:born|die|died)\b",
    re.IGNORECASE,
)
"""What asks in English when somebody was born, or died, who is named."""
ONE_FIGURE = (Kind.FIGURE, Kind.COUNT, Kind.SHARE, Kind.CLOCK, Kind.PRICE, Kind.MOMENT)
"""Kinds of answers of which a question in one clause wants one."""
_ASKS_PLAIN_FIGURE = re.compile(
    r"(?:and |but |so |then )?(?:how (?:much|many)\b|(?:at )?what time\b"
    r"|what (?:do|does|did|will|would)\b.*\b(?:cost|pay)\b)",
    re.IGNORECASE,
)
"""What a question in English begins with that a figure answers and nothing explains."""


def wants_made_up(message: str) -> bool:
    """Whether a message in English asks for a piece that nobody could look up."""
    asked = " ".join(message.split())
    is_piece = _MADE_UP.search(asked) or _WITHOUT_VERB.search(asked) or (_IDEAS.search(asked) and not names_in(asked))
    return bool(is_piece) and not (_KNOWN.search(asked) or ADDRESS.search(asked))


def asks_to_code(english: str) -> bool:
    """Whether a message in English asks how something is programmed: models know that, and it is looked up nowhere."""
    return _ASKS_TO_CODE.match(english) is not None


def as_asked(decision: Decision, message: str, english: str = "") -> Decision:
    """A question that begins with what or who wants no yes or no, one that ends with whether does; how many no list,
    and what goes into something does.

    One clause that asks for a figure asks for one thing. Where a text is to be translated, it is not what that asks.
    """
    if asks_translation(message):
        return replace(decision, form="text")
    english = english or message
    if _wants_summary(decision, english):
        return replace(decision, form="summary")
    longer = next((form for asks, form in _LONGER_FORMS if asks.match(english)), "")
    if decision.form == "fact" and longer and decision.best_wish in TAKEN_APART:
        return replace(decision, form=longer)
    if decision.form == "list" and _ASKS_FIGURE.search(english):
        return replace(decision, form="fact")
    several = decision.form == "several" or (decision.form == "explain" and _ASKS_PLAIN_FIGURE.match(english))
    if several and expected_kind(english) in ONE_FIGURE and not _JOINS.search(_ONE_THING.sub("", english)):
        return replace(decision, form="fact")
    if decision.form not in ("fact", "yesno"):
        return decision
    whether = _ASKS_WHETHER.search(english) and not _ASKS_WHICH_ONE.search(english)
    if whether or (decision.form == "yesno" and _ASKS_WHAT.search(english)):
        return replace(decision, form="yesno" if whether else "fact")
    return decision


def _wants_summary(decision: Decision, english: str) -> bool:
    """Whether a message wants a text made short, or the news of something, as a report tells them."""
    if decision.form in ("fact", "yesno", "text", "explain") and _ASKS_SUMMARY.match(english):
        return True
    asks_more = _ASKS_ONE_FACT_BEHIND.search(english)
    return bool(_ASKS_NEWS.match(english)) and not asks_more and decision.best_wish in TAKEN_APART


def of_several_cases(decision: Decision, turns: Sequence[Turn], english: str) -> Decision:
    """What happens if something is, as it is looked up, is told in a few sentences: of a text that is talked about one
    place is enough."""
    looked_up = decision.best_wish in TOOL_WORDS and not any(attached_texts(turn) for turn in turns)
    explains = decision.form == "fact" and looked_up and _ASKS_WHAT_THEN.match(english)
    return replace(decision, form="explain") if explains else decision


def of_duties(decision: Decision, turns: Sequence[Turn], english: str) -> Decision:
    """What somebody has to do by a text that came with the message, or that is talked about, is all of it."""
    listed = decision.form not in ("text", "comparison") and asks_duties(english)
    return replace(decision, form="list") if listed and speaks_of_text(decision, turns) else decision


def speaks_of_text(decision: Decision, turns: Sequence[Turn]) -> bool:
    """Whether a text came with the message, or it goes on from one that is talked about."""
    return bool(attached_texts(turns[-1])) or (decision.follows and is_about_text(turns))


def of_record(decision: Decision, english: str) -> Decision:
    """What a code means that a machine shows its maker says, and when somebody was born stands somewhere: of both a
    model is sure and tells what it makes up."""
    # However sure the router is that the model knows it.
    tool = decision.lookup_tool or WEB
    if tool not in decision.shares or decision.best_wish != ANSWER or not asks_something(english):
        return decision
    return decision.wishing(tool) if _SHOWS_CODE.match(english) or _ASKS_LIFE_DATE.search(english) else decision


def listing_of(decision: Decision, english: str) -> Decision:
    """A list of what something has that is named is looked up: what is in whose bread no model knows."""
    named = len(names_in(english).split()) >= WORDS_OF_NAME
    tool = decision.lookup_tool
    if decision.best_wish != ANSWER or not tool or not named or not _LISTS.match(english):
        return decision
    return replace(decision.wishing(tool), form="list")
