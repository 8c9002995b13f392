"""A message that goes on from before, put so that it is understood without the conversation."""

import re
from collections.abc import Sequence
from datetime import date

from chatbot.conversation.turns import Turn
from chatbot.conversation.wishes import is_courtesy
from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import answer_text, standing_question, thing_that_fits
from chatbot.models.pipeline.decision.arguments import MAX_QUESTION_CHARS, fill_query, going_on
from chatbot.models.pipeline.decision.names import names_in, names_told, with_names, with_question
from chatbot.models.pipeline.decision.places import OPENING_TOOL
from chatbot.models.pipeline.decision.pointing import points_back
from chatbot.models.pipeline.decision.router import CAPITALISED, TOOL_WORDS
from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.calendar.weekdays import days_in, word_of_day
from chatbot.models.pipeline.reading.editions import asks_of_past, present_in, years_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, new_figures
from chatbot.models.pipeline.reading.sentences import asks_something, count_words, split_sentences
from chatbot.prompts.fewshot import again_in, clip_middle, load_prompt
from rag.search.rare_words import says_anything, telling_words, word_stems
from utils.languages.detection import language_of, same_language
from utils.languages.question_words import asking_part

CORRECTION = 5
"""Words of a message that is no question and says only what is to be another way: "no, the architect"."""
MAX_CORRECTING_WORDS = 12
"""The same of one that says itself that something else was meant."""
_CORRECTS = re.compile(
    r"\W*(?:(?:no|nein|non|nee|não|sorry|oh|actually)[,.]? )*"
    r"(?:i (?:mean|meant|am (?:talking|thinking) (?:about|of)|was (?:asking|talking|thinking) (?:about|of))"
    r"|i['’]m (?:talking|thinking) (?:about|of)"
    r"|ich meint?e|gemeint (?:ist|war)|je (?:veux|voulais) dire|je parle d(?:e|u|es)|quiero decir"
    r"|quería decir|me refi?er[oí]a?|intend(?:o|evo)|quero dizer|ik bedoel)\b"
    r"(?!,? (?:to|dass|that|que|che|it|\w+ing)\b)",
    re.IGNORECASE,
)
"""What such a message begins with, in seven languages."""
_SAYS_NO = re.compile(r"^(?:(?:no|nein|non|nee|não|sorry|oh|actually)[,.] )+", re.IGNORECASE)
"""What a message begins with that puts right in a few words, "no, the architect", and says nothing of that."""
_CORRECTED = re.compile(
    r"(?:, |(?<!what)(?<!which)(?<!that)(?<!was) )(?:i (?:mean|meant)|meint?e ich|ich meint?e"
    r"|je (?:veux|voulais) dire|quiero decir|quería decir"
    r"|intend(?:o|evo)|quero dizer|bedoel ik|ik bedoel|me refiero)"
    r"(?:,? (?:sorry|pardon|entschuldigung|désolée?|perdón|scusa|scusi|desculpa))?[ .!]{0,3}$",
    re.IGNORECASE,
)
"""What it ends with."""
_OTHER_ONE = re.compile(
    r"^(?:the other (?:one|place)|(?:den|die|das) andere\w?|l['’]autre|el otro|la otra|l['’]altr[oa]|o outro|a outra"
    r"|de andere|het andere)\b(?:,? sorry)?[,.;: ]{1,3}",
    re.IGNORECASE,
)
"""What says that it was another one, before which one that is."""
_NAMES_THING = re.compile(
    r"(?:the|der|die|das|den|le|la|les|l['’]|el|los|las|il|lo|gli|o|os|as|de|het)\b", re.IGNORECASE
)
_WANTED_OF_IT = re.compile(
    r"\b(?:adults?|child\w*|kids?|students?|seniors?|pensioners?|famil\w+|tickets?|pass|prices?|times?|hours|morning"
    r"|afternoon|evening|night|summer|winter|kinder\w*|erwachsen\w*|enfants?|adultes?|niños|adultos|bambini|adulti)\b",
    re.IGNORECASE,
)
"""What says for whom, which ticket or when, and not which thing."""
_TAKEN_TO_BE = re.compile(r" \([^()]{2,120}\)(?=(?: \([^()]{1,120}\)){0,3}$)")
"""What a question that was asked in a few words was taken to be about."""
_OF_THAT_PLACE = re.compile(
    r"(?!.*\b(?:in|nach|bei|aus) (?!(?i:dem|der|den|die|das|einem|einer|meine\w?)\b)[A-ZÄÖÜ])"
    r".*(?i:\b(?:dort|dorthin|davor|dahinter|daneben|daran|dazu|danach|darüber|da(?:für|von|rin|bei))\b)"
)
"""What stands in German for what was named: nouns have capitals there too, and beside it they name nothing."""
GLUED = 0.7
"""Of the words of the question before that a message of more words than a correction does not have, the share with
which its rewriting says that question once more: names are fewer."""
_SUPPOSES = re.compile(
    r"\W*(?:(?:and|but|und|et|y|e|en|a|i|och|og)\s+)?(?:what )?"
    r"(?:if|wenn|falls|si|se|als|jeśli|jak|om|hvis|если|якщо)\s+"
    r"(?!(?:so|yes|no|not|ja|nein|nicht|oui|non|sí|tak|nie|да|нет|так|ні)\b)\w+\W+\w+",
    re.IGNORECASE,
)
"""What asks what then, in a dozen languages: however short, it is a question by itself."""
_AS_IT_IS = re.compile(
    r"\b(?:(?<!he )(?<!they )(?<!you )like (?:that|this)|(?:that|this) way|comme (?:ça|cela)|así|così|assim"
    r"|(?:das|es|er|sie)(?: (?:schon|denn|jetzt|immer))? so)[ ?.!]{0,4}$",
    re.IGNORECASE,
)
"""What stands for all that was said before, in six languages: "since when has it been like that?"."""
_WANTED_BY = {
    "when": r"when\b(?! (?:i|we|you|it|he|she|they|there|my|our|your|his|her|the|an?)\b)|(?:at )?what time|wann"
    r"|quand\b(?! (?:je|tu|il|elle|on|nous|vous|ils|elles)\b)|cuándo|wanneer|når|kiedy|kdy|когда|коли",
    "where": r"where|wo|wohin|woher|où|dónde|adónde|dove|onde|waar|gdzie|kde|где|де|куда",
    "why": r"why|warum|weshalb|wieso|pourquoi|por qué|perché|waarom|varför|hvorfor|dlaczego|proč|почему|чому",
    "who": r"who|whom|whose|wer|wem|wen|wessen|quién|quiénes|quem",
}
"""What a question begins with that asks when, where, why or who, in some languages; "when I come by bike" asks none."""
_BEFORE_IT = (
    r"\W*(?:(?:and|but|so|und|aber|et|y|e|en|och|og|a|i|и)\s+)?"
    r"(?:(?:from|since|until|till|by|ab|seit|bis|depuis|jusqu['’]à|à partir de|desde|hasta|da|até|fino a)\s+)?"
)
"""What may stand before that word."""
ARTICLES_OF_DAYS = ("fr", "es", "it", "pt")
_BEFORE_DAY = r"(?:le|ce|la|les|du|au|el|los|las|del|al|il|lo|di|da|dal|nel|o|os|a|as|à|às|ao|aos|na|no|nas|nos|de)"
"""What stands before a day in these languages."""
_HOURS_OR_DAYS = re.compile(r"\b(?:times?|hours?|days?|dates?)\b", re.IGNORECASE)
"""What asks in English of nothing that was named: "from what time until what time?"."""
_CHOOSES = re.compile(r"\bor\b", re.IGNORECASE)
_POINTS_AT_ONE = re.compile(r"\b(?:it|its|he|his|him|she|her|hers)\b", re.IGNORECASE)
_SAYS_IT = re.compile(r"\bits?\b", re.IGNORECASE)
_WHO_ELSE = re.compile(r"\b(?:who|whom|wer|wem|wen|quién|chi|quem)\b", re.IGNORECASE)
MIN_KEPT_SHARE = 0.5
"""Of a message's words, the share that its rewriting must have."""


def means_something_else(message: str) -> bool:
    """Whether a short message says that something else was meant: "I mean the one by the river"."""
    begins = _CORRECTS.match(message)
    says_so = begins or _CORRECTED.search(message)
    thanks = begins and is_courtesy(message[begins.end() :])
    return bool(says_so) and not thanks and count_words(message) <= MAX_CORRECTING_WORDS


def _without_correcting(message: str) -> str:
    """What a message that corrects means, without the words that say that it does: "the barn", of "no, i meant the
    barn"."""
    begins = _CORRECTS.match(message)
    meant = message[begins.end() :] if begins else _SAYS_NO.sub("", message, count=1)
    meant = _CORRECTED.sub("", meant).strip(" ,.!")
    return _OTHER_ONE.sub("", meant).strip(" ,.!") or meant or message


def _corrected(earlier: str, message: str) -> str:
    """A question with what a message says was meant: in the place of what it was taken to be about, where that is
    another thing, "i meant the lagoon", and not what is wanted of it, "for adults"."""
    meant = _without_correcting(message)
    another = means_something_else(message) and _NAMES_THING.match(meant) and not _WANTED_OF_IT.search(meant)
    if another and not days_in(meant):
        earlier = _TAKEN_TO_BE.sub("", earlier, count=1)
    return f"{earlier} ({meant})"


async def stand_alone(model: LanguageModel, turns: Sequence[Turn], message: str, *, certainly: bool) -> str:
    """What the last message asks, put so that it is understood without the conversation."""
    earlier = standing_question(turns[-2])
    if of_day := asked_of_another_day(message, earlier):
        return of_day
    language = language_of(message) or language_of(earlier) or "en"
    if language == "en" and (of_thing := _of_thing_that_fits(message, turns[-2])):
        return of_thing
    prompt = load_prompt("stand_alone").make_prompt(**going_on(turns[-2], message))
    query = await fill_query(model, prompt)
    if query and not same_language(query, language):
        query = await fill_query(model, again_in(prompt, query, language))
    query = _of_the_present(_without_years_of_before(query, message), message)
    said = f"{earlier} {answer_text(turns[-2])}"
    taken = query and adds_to(query, message, said) and same_language(query, language)
    if not taken or is_glued(query, message, earlier):
        query = message
        corrects = count_words(message) <= CORRECTION or means_something_else(message)
        if corrects and not asks_something(message):
            return _corrected(earlier, message)
    # Where the model added no name, those of what was asked before say at least what it is about; after a translation
    # or a poem, a question that does not point back is hardly about what was named there.
    pointing = certainly or points_back(message)
    names, least = names_told(query, message), 2 if language in CAPITALISED else 1
    bare = query == message or not names
    goes_on = certainly or (bare and (pointing or any(call.name in TOOL_WORDS for call in turns[-2].calls)))
    of_there = language == "de" and query == message and _OF_THAT_PLACE.match(message)
    if not goes_on or (len(names) >= least and not of_there):
        return query
    named_before = names_in(earlier).split()
    unnamed, subject = not named_before, subject_of_answer(turns[-2])
    # One name alone may be the town of what was asked about, whose page says what that is; a file's title is private.
    of_town = len(named_before) == 1 and word_stems(named_before[0]) <= word_stems(subject)
    # Who else it was is asked of what the page is about, and not of whom it told.
    of_another = _WHO_ELSE.search(message) and not _POINTS_AT_ONE.search(message)
    if subject and (unnamed or ((of_town or of_another) and cites_page(turns[-2]))):
        return f"{query} ({subject})"
    nameless = query == message and ((pointing and unnamed) or not says_anything(_HOURS_OR_DAYS.sub(" ", message)))
    stands_for_all = query == message and _AS_IT_IS.search(message)
    return with_question(message, earlier) if nameless or stands_for_all else _with_what_was_answered(query, turns[-2])


def _of_thing_that_fits(message: str, before: Turn) -> str:
    """A message in English that says "it" of the one thing that fitted, with its name: a small model takes all that
    were named for one. Empty for any other."""
    thing = thing_that_fits(answer_text(before))
    found = _SAYS_IT.search(message) if thing else None
    if not found:
        return ""
    name = f"{thing}'s" if found[0].lower() == "its" else thing
    return f"{message[: found.start()]}{name}{message[found.end() :]}"


def _without_years_of_before(query: str, message: str) -> str:
    """A rewriting without the year of what was asked before, where a message asks what something costs or when it
    opens: that is of today, and the visitors of last year were another question."""
    if expected_kind(message) not in (Kind.PRICE, Kind.CLOCK) or asks_of_past(message):
        return query
    for year in years_in(query) - years_in(message):
        if year < date.today().year:
            query = re.sub(rf" (?:in|of|for|im|en|nel|em|de)(?: the year)? {year}(?!\d)", "", query)
    return query


def _of_the_present(query: str, message: str) -> str:
    """A rewriting with the "now" of its message."""
    now = "" if present_in(query) or asks_of_past(query) else present_in(asking_part(message))
    return f"{query.rstrip(' ?？.')} {now}?" if query and now else query


def _with_what_was_answered(query: str, turn: Turn) -> str:
    """A query with the names of a turn's question; where that chose among several and the query goes on in English with
    "it" or "she", with those alone that its answer has: that is the one of which it told."""
    earlier = standing_question(turn)
    chose = _CHOOSES.search(earlier) and language_of(earlier) == language_of(query) == "en"
    answered = word_stems(answer_text(turn))
    meant = [name for name in names_in(earlier).split() if word_stems(name) & answered]
    return (
        f"{query} ({' '.join(meant)})"
        if chose and meant and _POINTS_AT_ONE.search(query)
        else with_names(query, earlier)
    )


def asked_of_another_day(message: str, earlier: str) -> str:
    """The earlier question of the day that a message names, if that names nothing else: "and on Saturday?"; else empty.

    A question without a day is asked together with the message.
    """
    day, before = word_of_day(message), word_of_day(earlier)
    language = language_of(message) or "en"
    if not day or says_anything(message.replace(day, " "), language) or not same_language(earlier, language):
        return ""
    if before:
        return _with_day(earlier, before, message, day, language)
    return "" if days_in(earlier) else with_question(message, earlier)


def _with_day(earlier: str, before: str, message: str, day: str, language: str) -> str:
    """A question with another day in the place of its own, with the article where days have genders: "ao sábado" stands
    for "à sexta-feira"."""
    term = rf"(?:(?<!\w)(?P<joins>{_BEFORE_DAY}) )?(?P<day>{{day}}(?:-\w+)?)"
    old = re.search(term.format(day=re.escape(before)), earlier)
    new = re.search(term.format(day=re.escape(day)), re.sub(rf"^{_BEFORE_IT}", "", message, flags=re.IGNORECASE))
    if not old or not new:
        return earlier.replace(before, day)
    group = 0 if language in ARTICLES_OF_DAYS and old["joins"] and new["joins"] else "day"
    return f"{earlier[: old.start(group)]}{new[group]}{earlier[old.end() :]}"


def subject_of_answer(turn: Turn) -> str:
    """What the page is called that an answer was written from, or else that was opened for it; empty where it was none,
    or several."""
    opened = [source for message in turn.results if message.tool_name == OPENING_TOOL for source in message.sources]
    titles = {source.passage.title for source in turn.cited_sources or opened if source.number}
    # In brackets of its own, what stands in brackets would end them.
    return clip_middle(re.sub(r"[()]", "", titles.pop()), MAX_QUESTION_CHARS // 3) if len(titles) == 1 else ""


def cites_page(turn: Turn) -> bool:
    """Whether a turn's answer cites pages of the web alone."""
    return bool(turn.cited_sources) and all(source.passage.origin != "file" for source in turn.cited_sources)


def adds_to(query: str, message: str, before: str) -> bool:
    """Whether a query says more than a message, and what the message says: it is not another question.

    For a word that it leaves out it must have one of what was said before, and all figures of what is told beside the
    question: "my nephew is six, may he come?" "You" for "I" is nothing more. "Where" for "when" is another question.
    """
    said, asked = word_stems(query), word_stems(message)
    told = " ".join(one for one in split_sentences(message) if not asks_something(one))
    if telling_words(query) == telling_words(message) or new_figures(told, query):
        return False
    if (wanted := _asked_for(message)) and (put := _asked_for(query)) and not wanted & put:
        return False
    lost, taken = telling_words(message) - said, (said - asked) & word_stems(before)
    return len(asked & said) >= MIN_KEPT_SHARE * len(asked) and bool(taken or not lost)


def is_glued(query: str, message: str, earlier: str) -> bool:
    """Whether the rewriting of a message that is a question by itself asks the earlier one once more beside it, or of
    the days or months of that one."""
    definite = count_words(message) == CORRECTION and expected_kind(message) is not Kind.ANYTHING
    if count_words(message) <= CORRECTION and not (definite or _SUPPOSES.match(message)):
        return False
    dated = (days_in(query) - days_in(message)) or (months_in(query) - months_in(message))
    if dated and not points_back(message):
        return True
    asked, before = word_stems(query), word_stems(earlier) - word_stems(message)
    whole = earlier.strip(" ?!.？。").casefold() in query.casefold()
    return bool(before) and (whole or (len(before) > 2 and len(before & asked) >= GLUED * len(before)))


def _asked_for(question: str) -> set[str]:
    """Which of when, where, why and who a question begins by asking."""
    return {
        one for one, words in _WANTED_BY.items() if re.match(rf"{_BEFORE_IT}(?:{words})\b", question, re.IGNORECASE)
    }
