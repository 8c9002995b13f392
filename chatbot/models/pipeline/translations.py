"""Translations that a model makes: what they are of, and the days that they must name."""

from collections.abc import Sequence

from chatbot.models.pipeline.reading.calendar.weekdays import with_day_of
from chatbot.models.pipeline.reading.sentences import count_words
from utils.languages.detection import language_of
from utils.languages.language_names import named_language
from utils.languages.message_parts import asks_translation, text_to_translate
from utils.languages.relative_days import with_relative_day_of

MAX_WORDS_OF_WISH = 6
"""Words of a message that wants the translation before in another language, at most: "and into Spanish?"."""


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


def with_days_of(source: str, translation: str) -> str:
    """A translation with the weekday and the day told from today that its text names; as it is without a text."""
    if not source:
        return translation
    return with_relative_day_of(source, with_day_of(source, translation, language_of(translation) or "en"))
