"""Texts become the terms that keyword search compares: stems by language, bigrams where words are not set apart."""

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache
from typing import Any

import Stemmer

from rag.search.stop_words import silent_words
from utils.languages.scripts import UNSEGMENTED

_TOKEN_RUN = re.compile(rf"([{UNSEGMENTED}]+)|([^\W{UNSEGMENTED}]+)")
_COMPOUND = re.compile(r"_+|(?<=[a-z])(?=[A-Z])")
"""Where the words of an identifier meet: `max_tokens`, `maxTokens`."""
_SPECIAL = re.compile(f"[{UNSEGMENTED}_]"), re.compile("[A-Z](?<=[a-z].)")
"""What makes a text more than words between spaces and signs; the same as above, but three times as fast."""
_IDENTIFIER_PART = re.compile(r"\w+")
_STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nb": "norwegian", "nn": "norwegian", "no": "norwegian", "fa": "persian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Snowball's stemmers by ISO 639-1 code."""
LIBRARY_TERMS_VERSION = 1
"""Grows when the same text gives other terms: the keyword index is then made anew."""
BY_PAIRS = frozenset({"zh", "ja", "th", "lo", "km"})
"""Languages whose terms are bigrams."""
DEFAULT = "en"
"""Language of a text that is too short to tell."""
SAMPLE_CHARS = 2000
"""Characters from which a language is told."""
MIN_CERTAINTY = 0.7
"""Probability below which a language is not believed."""
_LATIN = "\u024f"
"""The last letter of the Latin script, but for rare ones."""
_THREAD_STEMMERS = threading.local()
"""Stemmers by algorithm."""


def detect_language(text: str) -> str:
    """ISO 639-1 code of the language that a text is written in, `DEFAULT` where that cannot be told."""
    return _detect_sample(text[:SAMPLE_CHARS])


def in_english(text: str) -> bool:
    """Whether a text is in English or cannot be told to be in another language."""
    letters = [character for character in text[:SAMPLE_CHARS] if character.isalpha()]
    # The languages that can be told are not all there are: Korean is none of them.
    foreign = sum(character > _LATIN for character in letters)
    return 2 * foreign <= len(letters) and detect_language(text) == DEFAULT


def text_terms(text: str, language: str) -> list[str]:
    """The terms of a text, in its order; an identifier of several words is there whole and in parts."""
    found, others = _split_runs(text)
    return _stem_terms(found, others, language)


def query_terms(text: str, languages: Iterable[str]) -> list[list[str]]:
    """For each of the languages the terms of a question, once each, stemmed as texts in that language are."""
    found, others = _split_runs(text)
    return [list(dict.fromkeys(_stem_terms(found, others, language))) for language in languages]


def telling_terms(text: str, languages: Sequence[str]) -> list[list[str]]:
    """The same as often as the question says them, without words that say nothing where there are others."""
    found, others = _split_runs(text)
    silent = silent_words(found, languages)
    places = [place for place, word in enumerate(found) if word not in silent] or list(range(len(found)))
    kept = [found[place] for place in places]
    apart = frozenset(i for i, place in enumerate(places) if place in others)
    return [_stem_terms(kept, apart, language) for language in languages]


def silent_runs(runs: Sequence[str], languages: Sequence[str]) -> list[bool]:
    """Whether each of these parts of a question has no other words than such as say nothing."""
    words = [_split_runs(run)[0] for run in runs]
    silent = silent_words([word for run in words for word in run], languages)
    return [silent.issuperset(run) for run in words]


def _split_runs(text: str) -> tuple[list[str], frozenset[int]]:
    """What a text is made of, in its order; and where in that something stands that is no word to be stemmed."""
    text = unicodedata.normalize("NFKC", text)
    if not any(special.search(text) for special in _SPECIAL):
        return [word.casefold() for word in _IDENTIFIER_PART.findall(text)], frozenset()
    found = list(_iter_terms(text))
    return [term for term, _ in found], frozenset(i for i, (_, word) in enumerate(found) if not word)


def _iter_terms(text: str) -> Iterator[tuple[str, bool]]:
    """Each term, and whether it is a word that can be stemmed."""
    for together, word in _TOKEN_RUN.findall(text):
        if together:
            yield from ((bigram, False) for bigram in character_pairs(together))
            continue
        yield word.casefold(), True
        parts = _COMPOUND.split(word)
        if len(parts) > 1:
            yield from ((part.casefold(), True) for part in parts if part)


def character_pairs(run: str) -> list[str]:
    """Each two characters that stand side by side; a character that stands alone is itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _stem_terms(found: list[str], others: Set[int], language: str) -> list[str]:
    """The stems in a language, and as they are those that are no words."""
    algorithm = _STEMMERS.get(language)
    if algorithm is None:
        return found
    # A stemmer remembers words, and may be used by one thread only.
    stemmers = _THREAD_STEMMERS.__dict__
    if algorithm not in stemmers:
        stemmers[algorithm] = Stemmer.Stemmer(algorithm)
    stemmed: list[str] = stemmers[algorithm].stemWords(found)
    return [found[i] if i in others else stem for i, stem in enumerate(stemmed)] if others else stemmed


@lru_cache(64)
def _detect_sample(sample: str) -> str:
    """Asked when a document is cut, and again for those that were just added together."""
    code, _ = _load_identifier().classify(sample)
    return DEFAULT if code == "und" else str(code)


@cache
def _load_identifier() -> Any:
    """The trained identifier, some 8 MB that take a second to unpack."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    made = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True, min_confidence=MIN_CERTAINTY)
    # A short text in one of these is otherwise taken for a language that is treated like none of them.
    made.set_languages([code for code in made.labels if code in _STEMMERS or code in BY_PAIRS])
    return made
