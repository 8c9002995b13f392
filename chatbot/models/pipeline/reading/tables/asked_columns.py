"""What a question asks of a table, by the names that columns have for it: who, where, on which day, how much of it."""

import re

from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, new_figures
from chatbot.models.pipeline.reading.tables.measures import MONEY_NAMES
from rag.search.rare_words import telling_words, word_stems
from utils.languages.opening_words import asks_closing

_ASKS_SIZE_OF = re.compile(
    r"(?!.*\b(?:in advance|(?:is|are|was|were) the (?:\w+ )?(?:deposit|fee|rent|fine|price|cost|salary|tax|discount"
    r"|interest|warranty|guarantee|rate|bill)s?\b)).*"
    r"\bhow (?P<kind>heavy|tall|high|long|old|deep|wide|broad|thick|far down(?! (?:the|this|that)\b)|far"
    r"|fast|big|large|loud|noisy|expensive)\b",
    re.IGNORECASE,
)
"""What asks in English how much of something there is, and not how high a fee is or how far ahead one must book."""
_MEASURES = {
    "heavy": "weight",
    "tall": "height",
    "high": "height altitude",
    "long": "length duration",
    "old": "age",
    "deep": "depth",
    "wide": "width",
    "broad": "width",
    "thick": "thickness",
    "far down": "depth",
    "far": "distance",
    "fast": "speed",
    "big": "size area",
    "large": "size area",
    "loud": "loudness noise",
    "noisy": "loudness noise",
    "expensive": "price",
}
"""What a table calls that which a question in English asks for with another word."""
_LABEL = re.compile(r"([^\W\d_]{3,20})[:,] ")
"""A word before what it is the name of."""
_HOW_OFTEN = {"once": "one", "twice": "two", "thrice": "three"}
"""What a light does so often stands in a row that is called two flashes."""
_BEGINS_WITH_WHO = re.compile(
    r"\W*(?:(?:and|und|et|y|e|en|bij|von|chez) )?(?:who(?:m|se)?|wer|wen|wem|qui|quién|chi"
    r"|wie (?=is\b|moet\b|geeft\b|doet\b)|quem|vem|hvem|kto|kdo|kuka|кто|хто)\b",
    re.IGNORECASE,
)
_NAMES_OF_PEOPLE = word_stems(
    "name names person holder contact who namen wer nom qui nombre quién nome chi naam wie quem namn navn imię jméno"
    " имя"
)
"""Names of columns that say who."""
_BEGINS_WITH_WHERE = re.compile(
    r"\W*(?:(?:and|und|et|y|e|en) )?(?:where|wo|wohin|où|dónde|dove|onde|waar|gdzie|kde|var(?= (?:är|ligger|finns)\b)"
    r"|hvor(?= (?:er|ligger|finner|finder)\b)|где|де(?= )|(?:in )?which (?:room|hall|place|village|building))\b",
    re.IGNORECASE,
)
_NAMES_OF_PLACES = word_stems(
    "where place room hall venue location address wo ort raum saal lieu salle où lugar sala dónde luogo dove local onde"
    " plaats zaal waar plats sted miejsce místo место"
)
"""Names of columns that say where."""
_NAMES_OF_HOURS = word_stems(
    "hours times opening horaires heures horario horarios orario orari öffnungszeiten zeiten uhrzeit openingstijden"
    " tijden horário horários godziny öppettider tider"
)
"""Names of columns that say at what time."""
_OF_HOURS = (Kind.CLOCK, Kind.MOMENT, Kind.FIGURE, Kind.ANYTHING)
"""Kinds of questions that may be for an hour: in other languages than English all are for anything."""
_NAMES_OF_OPENING = word_stems(
    "open opens opening opened öffnung öffnet geöffnet ouverture ouvre apertura abre apre abertura"
    " openen opent otwarcie άνοιγμα ανοίγει الفتح فتح يفتح تفتح פתיחה נפתח"
)
_NAMES_OF_CLOSING = word_stems(
    "close closes closing closed shut shuts until schließt schließung fermeture ferme fermé cierre cierra chiusura"
    " chiude fecho fecha encerramento sluiting dicht sluit stänger zamknięcie"
    " κλείσιμο κλείνει الإغلاق إغلاق يغلق تغلق סגירה נסגר"
)
"""Names of columns that say from when and until when."""
_ASKS_ON_WHICH_DAY = re.compile(
    r"\b(?:which|what) (?:(?:week)?day|evening|night|morning|afternoon|date)s?"
    r"(?=\W*$| (?:is|are|was|were|do|does|did|can|will|has|have|should|of the week|the|it|they|you|we|i)\b)"
    r"|\ban welche[mn] (?:tag|abend|wochentag)\w*|\bquels? (?:jours?|soirs?)\b|\bqué días?\b"
    r"|\bche giorn[oi]\b|\b(?:em )?que dias?\b|\b(?:op )?welke (?:dag|avond)\b",
    re.IGNORECASE,
)
_NAMES_OF_DAYS = word_stems("day days date weekday when tag tage datum jour jours día días giorno dia dag dagen")
"""Names of columns that say on which day."""
_PARTS_OF_DAY = word_stems(
    "evening evenings night nights morning mornings afternoon afternoons abend abende soir avond"
)
_ASKS_START = re.compile(
    r"\b(?:start|starts|begin|begins|(?:fängt|fangen)\b.{1,80}\ban\b|beginnt|beginnen|losgeht"
    r"|commencent?|débutent?|empiezan?|comienzan?"
    r"|iniziano?|cominciano?|começam?|begint|zaczyna\w*|rozpoczyna\w*)\b",
    re.IGNORECASE,
)
_NAMES_OF_START = word_stems(
    "start starts begin begins beginning from beginn anfang début commence inicio comienzo empieza inizio início begint"
    " aanvang początek"
)
"""Names of columns that say when something begins."""


def asks_who(question: str) -> bool:
    """Whether a question begins with a word for who, in a dozen languages."""
    return _BEGINS_WITH_WHO.match(question) is not None


def asks_day(question: str) -> bool:
    """Whether a question asks on which day, or evening, something is, in seven languages."""
    asks = _ASKS_ON_WHICH_DAY.search(question) is not None
    return asks and expected_kind(question, question) is not Kind.PRICE


def columns_asked(question: str) -> frozenset[str]:
    """The telling words of a question, and what tables call the columns that have what it asks for: prices where it
    asks what something costs, the end and not the beginning where it asks until when a thing is open.
    """
    words, kind = words_asked(question), expected_kind(question, question)
    words |= MONEY_NAMES if words & MONEY_NAMES else frozenset()
    words |= _NAMES_OF_PEOPLE if asks_who(question) else frozenset()
    words |= _NAMES_OF_PLACES if _BEGINS_WITH_WHERE.match(question) else frozenset()
    words |= _NAMES_OF_START if _ASKS_START.search(question) else frozenset()
    words = words - _PARTS_OF_DAY | _NAMES_OF_DAYS if asks_day(question) else words
    if kind in _OF_HOURS and asks_closing(question):
        return words - _NAMES_OF_OPENING | _NAMES_OF_HOURS - _NAMES_OF_OPENING | _NAMES_OF_CLOSING
    return words | _NAMES_OF_HOURS if kind is Kind.CLOCK and days_in(question) else words


def measures_asked(english: str) -> frozenset[str]:
    """What tables call what a question in English asks how much of there is: how heavy it is, its weight."""
    asked = _ASKS_SIZE_OF.match(english)
    return word_stems(_MEASURES[asked["kind"].casefold()]) if asked else frozenset()


def is_labelled(sentence: str, names: frozenset[str], english: str) -> bool:
    """Whether a line has a figure and one of some names for it, as tables and lists have them: "Weight: 9 g"."""
    label = word_stems(" ".join(_LABEL.findall(sentence))) if ":" in sentence else frozenset()
    return bool(names & label) and bool(new_figures(sentence, english))


def words_asked(question: str) -> frozenset[str]:
    """The telling words of a question, and numbers for how often."""
    words = telling_words(question)
    return words | {_HOW_OFTEN[word] for word in words & _HOW_OFTEN.keys()}
