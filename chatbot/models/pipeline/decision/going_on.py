"""What goes on from an answer that was looked up is looked up where that was, and not guessed at."""

import re
from collections.abc import Sequence
from dataclasses import replace

from chatbot.conversation.turns import Turn
from chatbot.conversation.wishes import asks_for_reminders, plainly_asks_to_remember
from chatbot.models.dialogue import addresses_in, answer_text, attached_texts, standing_question
from chatbot.models.pipeline.decision.names import has_digit, names_in
from chatbot.models.pipeline.decision.places import (
    LIBRARY,
    OPENING_TOOL,
    WEB,
    in_files,
    names_place,
    says_mine,
    without_place,
)
from chatbot.models.pipeline.decision.pointing import points_back
from chatbot.models.pipeline.decision.router import ACT_WORDS, ANSWER, CAPITALISED, COMPUTED, TEXT, TOOL_WORDS
from chatbot.models.pipeline.decision.standing_alone import means_something_else
from chatbot.models.pipeline.decision.tool_choice import DOUBTFUL, FOLLOWS, LOOKED_UP, Decision, asks_files_alone
from chatbot.models.pipeline.leave import asks_leave
from chatbot.models.pipeline.reading.attachments import OWN_WORDS, latest_texts, names_one
from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, times_of_day
from chatbot.models.pipeline.reading.sentences import asks_something, count_words, split_sentences
from rag.search.rare_words import telling_words, word_stems
from utils.languages.detection import language_of
from utils.languages.language_names import mentioned_languages, named_language
from utils.languages.message_parts import asks_translation

_ASKS_TO_TELL = re.compile(
    r"\W*(?:(?:thanks|thank you|and|but|so|then|ok|okay|well|now)[, ]+)*(?:please )?"
    r"(?:(?:can|could|would|will) you )?"
    r"(?:please )?(?:tell me|i(?:['’]d| would) like to know|i want to know) (?:please )?"
    r"(?:how|what|when|where|who|which|whether)(?:['’]s)?"
    r" (?!to\b|(?:\w+ )?(?:you|your|i)\b|(?:all )?(?:that|this|it)\b)",
    re.IGNORECASE,
)
"""What a message in English begins with that asks without being a question: "then tell me how warm it is"."""

_OF_ENTRY = word_stems(
    "what when which since much many time late long until ticket entry entrance admission admitted fare price fee "
    "cost charge pay cheap adult grown child children kid toddler baby family couple pensioner senior student pupil "
    "group member guest visitor person concession reduced discount single return day annual season pass open close "
    "closed opening closing hour first last start begin end finish parking park car get let in inside book reserve "
    "advance year old age under"
)
"""Words that any place of visits is asked with: without others a question says not of which."""
_ONE_MORE = re.compile(r"\W*(?:and|und|et|y|e|en|och|og|also|auch|aussi|también|anche|também|ook)\b", re.IGNORECASE)
"""What a message begins with that goes on with one more of the same."""
_SPEAKS_OF_PAGE = re.compile(
    r"\b(?:(?:the|that|this) (?:whole |same )?(?:web ?)?(?:page|site|article)|(?:der|die|diese[rs]?) (?:web)?seite"
    r"|(?:der|den|dem|diesen?) artikel|(?:la|cette) page|(?:la|esta|esa|essa|questa|quella|a|deze|de|die) p[áa]gina"
    r"|el artículo|o artigo|het artikel)\b|\bl['’]artic(?:le|olo)\b",
    re.IGNORECASE,
)
MIN_PASTED_LINES = 4
"""Lines of a message from which on it holds a text that was pasted."""
_PATH_OR_OPTION = re.compile(r"(?<!\S)(?:[~/][\w./-]{2,60}|--?\w[\w-]{0,30}|\w{1,30}_\w{1,30}|\w{1,30}\(\))(?![\w/])")
"""What stands in texts of computers and hardly in a question about the world."""
MAX_WORDS_FOR_LANGUAGE = 4
"""Words of a message that only names a language: "and in Dutch?"."""
DATE_TOOL = "date_and_time"


def asking_leave(decision: Decision, turns: Sequence[Turn], english: str) -> Decision:
    """A question for leave behind an answer with sources goes on from there: whether my son may come along, the page
    about the evening says, and no model knows."""
    message = turns[-1].question.content
    if len(turns) < 2 or not turns[-2].cited_sources or not asks_leave(english) or asks_files_alone(message):
        return decision
    known = word_stems(f"{standing_question(turns[-2])} {answer_text(turns[-2])}")
    if not word_stems(names_in(english)) <= known:
        return decision
    return replace(decision, going_on=max(decision.going_on, FOLLOWS), form="yesno")


def beginning_elsewhere(decision: Decision, turns: Sequence[Turn]) -> Decision:
    """A whole question that says to look on the web, behind an answer from the user's files, begins anew: what these
    are called is nobody's affair there."""
    message = turns[-1].question.content
    if not goes_on_from_files(turns) or not names_place(message) or in_files(message) or points_back(message):
        return decision
    whole = asks_something(message) and count_words(without_place(message)) > MAX_WORDS_FOR_LANGUAGE
    return replace(decision, going_on=0.0) if whole else decision


def asking_entry(decision: Decision, turns: Sequence[Turn], english: str) -> Decision:
    """What one pays to get in, or when it closes, asked without saying of what, goes on behind an answer with sources:
    alone it would be asked of no place at all."""
    message = turns[-1].question.content
    own = asks_files_alone(message) or says_mine(message, language_of(message) or "en")
    if len(turns) < 2 or own or decision.follows or not turns[-2].cited_sources:
        return decision
    asked = asks_something(english) and expected_kind(english, message) in (Kind.PRICE, Kind.CLOCK, Kind.MOMENT)
    told = " ".join(word for word in english.split() if not (has_digit(word) or days_in(word) or months_in(word)))
    elsewhere = decision.best_wish in (*COMPUTED, *ACT_WORDS)
    if not asked or elsewhere or names_in(told) or telling_words(told) - _OF_ENTRY:
        return decision
    return replace(decision, going_on=FOLLOWS)


def opening_named(decision: Decision, turns: Sequence[Turn]) -> Decision:
    """A message with an address that asks something, or wants a text made short, is about what stands there; so is one
    about "the page" behind one that was opened."""
    message = turns[-1].question.content
    asks = (asks_something(message) and decision.form in LOOKED_UP) or decision.form == "summary"
    # "Node.js" and a full stop without a space behind it look like addresses too.
    whole = any("://" in address for address in addresses_in(message)) or _is_about_page(turns)
    if not (asks and whole) or decision.best_wish != ANSWER or decision.share_of(OPENING_TOOL) < DOUBTFUL:
        return decision
    return decision.wishing(OPENING_TOOL)


def _is_about_page(turns: Sequence[Turn]) -> bool:
    """Whether the last message speaks of a page, and one was opened before it."""
    opened = any(call.name == OPENING_TOOL for turn in turns[:-1] for call in turn.calls)
    return opened and _SPEAKS_OF_PAGE.search(turns[-1].question.content) is not None


def going_on_looking(decision: Decision, turns: Sequence[Turn]) -> Decision:
    """A question that goes on from one that was looked up is looked up where that one was, and not guessed at; one that
    is surely the model's to answer is not."""
    if decision.share_of(ANSWER) == 1.0:
        return decision
    tried = [call.name for call in turns[-2].calls if call.name in TOOL_WORDS]
    message = turns[-1].question.content
    # What something of it means a model would make up; "explain it more simply" asks nothing.
    told = _ASKS_TO_TELL.match(message) and not mentioned_languages(message)
    another = means_something_else(message) and not says_mine(message, language_of(message) or "en")
    told = told or another
    # "How heavy is it? I have to carry it down" asks, too.
    asks = any(map(asks_something, split_sentences(message)))
    looked_up = decision.form in LOOKED_UP or told or (decision.form == "explain" and asks)
    elsewhere = (LIBRARY,) if another else ()
    if not tried or not looked_up or decision.best_wish not in (ANSWER, TEXT, *COMPUTED, *elsewhere):
        return decision
    reckons = decision.best_wish in COMPUTED and has_digit(message)
    # A text that came before something else was looked up is gone back to by its name.
    goes_back = decision.best_wish == TEXT and (attached_texts(turns[-1]) or names_one(message, latest_texts(turns)))
    if reckons or goes_back:
        return decision
    tool = tried[-1] if tried[-1] != OPENING_TOOL else LIBRARY
    form = "fact" if told and decision.form == OWN_WORDS else decision.form
    return replace(decision.wishing(tool), form=form)


def surely_answered(decision: Decision) -> Decision:
    """The decision where nothing is looked up, however sure of it the model is."""
    return replace(decision, shares={ANSWER: 1.0}, unprompted={ANSWER: 1.0})


def going_on_in_pasted(decision: Decision, turns: Sequence[Turn]) -> Decision:
    """A question behind a message with a text of several lines, which was answered without looking anything up, is
    about that text where it names a path or an option of it, or has mostly words of it, and all its names."""
    message = turns[-1].question.content
    before = turns[-2].question.content if len(turns) > 1 and not turns[-2].calls else ""
    lines = [line for line in before.split("\n") if line.strip()]
    if len(lines) < MIN_PASTED_LINES or decision.best_wish in (*ACT_WORDS, *COMPUTED):
        return decision
    known = word_stems(before)
    elsewhere = names_place(message) or attached_texts(turns[-1]) or not asks_something(message)
    named = any(part in before for part in _PATH_OR_OPTION.findall(message))
    words = telling_words(message)
    about = named or len(words & known) > len(words - known)
    if elsewhere or not about or not word_stems(names_in(message)) <= known:
        return decision
    return replace(surely_answered(decision), going_on=FOLLOWS)


def going_on_wishing(decision: Decision, turns: Sequence[Turn]) -> Decision:
    """What goes on from a reminder with another time is one more; what plainly asks to remember or for one's reminders
    is that; and what only names a language behind words of the model's own wants these in that."""
    message, before = turns[-1].question.content, turns[-2] if len(turns) > 1 else None
    if attached_texts(turns[-1]) or asks_translation(message) or decision.best_wish in ACT_WORDS:
        return decision
    if asks_for_reminders(message):
        return _with_wish(decision, "list_reminders")
    if plainly_asks_to_remember(message):
        return replace(_with_wish(decision, "remember"), form="act")
    if not before or not decision.follows:
        return decision
    reminded = any(call.name == "set_reminder" for call in before.calls) and decision.best_wish in (ANSWER, DATE_TOOL)
    if reminded and times_of_day(message) and _ONE_MORE.match(message) and not asks_something(message):
        return _with_wish(decision, "set_reminder")
    if _names_language_alone(message) and not before.calls:
        return replace(_with_wish(decision, ANSWER), form=OWN_WORDS)
    return decision


def _names_language_alone(message: str) -> bool:
    few = count_words(message) <= MAX_WORDS_FOR_LANGUAGE and not set(".?!") & set(message.rstrip(" .?!"))
    return few and bool(named_language(message)) and not (has_digit(message) or names_place(message))


def _with_wish(decision: Decision, name: str) -> Decision:
    return decision.wishing(name) if name in decision.shares else decision


def goes_on_from_files(turns: Sequence[Turn]) -> bool:
    """Whether the last answer is out of the user's files alone."""
    cited = turns[-2].cited_sources if len(turns) > 1 else []
    return bool(cited) and all(source.passage.origin == "file" for source in cited)


def names_something(message: str) -> bool:
    """Whether a message names something, as far as its script tells; in German all things have capitals."""
    least = 2 if language_of(message) in CAPITALISED else 1
    return message.lower() != message.upper() and len(names_in(message).split()) >= least


def going_on_in_library(decision: Decision, turns: Sequence[Turn]) -> Decision:
    """A question that goes on from an answer out of the user's files is looked for there first: the web knows another
    hall, and need not hear of theirs. So is one that names nothing, behind a page that was opened."""
    message, called = turns[-1].question.content, {call.name for call in turns[-2].calls}
    in_files = goes_on_from_files(turns) and LIBRARY in called
    on_page = OPENING_TOOL in called and called <= {OPENING_TOOL, LIBRARY} and not names_something(message)
    if not (in_files or on_page) or decision.best_wish != WEB or names_place(message):
        return decision
    return _with_wish(decision, LIBRARY)
