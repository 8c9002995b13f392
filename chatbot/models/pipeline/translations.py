"""Translations that a model makes: what they are of, and the days that they must name."""

from collections.abc import Sequence

from chatbot.models.pipeline.reading.evidence import count_words
from chatbot.models.pipeline.reading.weekdays import with_day_of
from utils.languages.detection import language_of
from utils.languages.language_names import mentioned_languages
from utils.languages.message_parts import text_to_translate
from utils.languages.relative_days import with_relative_day_of

MAX_WORDS_OF_WISH = 6
"""Words of a message that wants the translation before in another language, at most: "and into Spanish?"."""


def translated_text(said: Sequence[str]) -> str:
    """The text that the last of a user's messages has translated, its own or that of the one before it; else empty.

    "And into Spanish?" has the text of the wish before.
    """
    if own := text_to_translate(said[-1]):
        return own
    goes_on = mentioned_languages(said[-1]) and count_words(said[-1]) <= MAX_WORDS_OF_WISH
    return text_to_translate(said[-2]) if goes_on and len(said) > 1 else ""


def with_days_of(source: str, translation: str) -> str:
    """A translation with the weekday and the day told from today that its text names; as it is without a text."""
    if not source:
        return translation
    return with_relative_day_of(source, with_day_of(source, translation, language_of(translation) or "en"))
