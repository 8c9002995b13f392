"""Translations that a model makes: what they are of, and the days that they must name."""

import re
from collections.abc import Sequence

from chatbot.models.pipeline.reading.calendar.weekdays import with_day_of
from chatbot.models.pipeline.reading.sentences import count_words
from rag.search.rare_words import word_stems
from utils.languages.detection import language_of
from utils.languages.language_names import named_language
from utils.languages.message_parts import asks_translation, text_to_translate
from utils.languages.relative_days import with_relative_day_of

MAX_WORDS_OF_WISH = 6
"""Words of a message that wants the translation before in another language, at most: "and into Spanish?"."""
_AMOUNT_WITH_HUNDREDTHS = re.compile(r"(?<![\d.,])\d+[.,]\d\d(?!\d)")
_PARTED_AMOUNT = re.compile(r"(?<![\d.,])(\d+), (\d\d)(?!\d)")
_FOR_SOMEBODY = re.compile(
    r"\b(?:it['’]?s )?(?:for|für|pour|para|per|voor) "
    r"(?:my|our|the|an?|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|une?|mi|mis|el|la|mio"
    r"|mia|il|meu|minha|o|mijn|onze|de|het)(?: [^\W\d_]+){1,2}",
    re.IGNORECASE,
)
"""For whom a translation is."""
_SAYS_TO_TRANSLATE = word_stems(
    "could can would will you your my say put give write tell translate translation have need want make same that this "
    "it last bit part line sentence answer reply message one text thing again now also too please pls ok okay good "
    "great thanks thank and in into to the a version language then next well der die dem le les el los il o de "
    "und jetzt nun auch bitte das gleiche dasselbe nochmal noch einmal auf ins in sag sage schreib schreibe gib "
    "übersetze übersetz mir mal den letzten satz kannst du deine meine letzte antwort "
    "et maintenant aussi la même chose en encore dis écris traduis moi peux tu ta ton dernière réponse "
    "y ahora también lo mismo en otra vez dilo ponlo escribe traduce puedes tu última respuesta "
    "e adesso ora anche lo stesso in di nuovo dillo scrivilo traduci puoi "
    "agora também mesmo em diz escreve traduz podes pode "
    "nu ook hetzelfde in het graag zeg schrijf vertaal kun kan je"
)
"""What says that the last answer is wanted in another language, in seven languages, and nothing else."""


def language_of_translation(message: str) -> str:
    """The language (ISO 639-1) in which a message wants the last answer, and no more than that: "could you say that
    last bit in German, it's for my neighbour"; empty for any other wish."""
    language = named_language(message)
    if not language or asks_translation(message):
        return ""
    beside = word_stems(_FOR_SOMEBODY.sub(" ", message)) - _SAYS_TO_TRANSLATE
    return language if len(beside) <= 1 else ""


def wish_for_translation(said: Sequence[str]) -> str:
    """The message that has a text translated: the last of a user's, or the one that it goes on from; else empty.

    "And into Spanish?", "and now into French?" have the text of the wish before.
    """
    for message in reversed(said):
        if asks_translation(message):
            return message
        if not (named_language(message) and count_words(message) <= MAX_WORDS_OF_WISH):
            break
    return ""


def translated_text(said: Sequence[str]) -> str:
    """The text that the last of a user's messages has translated, its own or that of one before it; else empty."""
    return text_to_translate(wish_for_translation(said))


def with_amounts_of(text: str, told: str) -> str:
    """A sentence with amounts of a text in one piece: a small model writes "6, 50" for 6.50."""
    # A reply is passed on word by word, and seldom has one; its prompt is long.
    if not _PARTED_AMOUNT.search(told):
        return told
    amounts = {tuple(re.split("[.,]", amount)): amount for amount in _AMOUNT_WITH_HUNDREDTHS.findall(text)}
    return _PARTED_AMOUNT.sub(lambda one: amounts.get(one.groups(), one[0]), told)


def with_days_of(source: str, translation: str) -> str:
    """A translation with the weekday and the day told from today that its text names; as it is without a text."""
    if not source:
        return translation
    return with_relative_day_of(source, with_day_of(source, translation, language_of(translation) or "en"))
