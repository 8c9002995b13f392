"""What the check of citations sees of a text: its words, names, quantities, negations and opposites."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.search.tokenization import character_pairs
from utils.languages.lexicon import load_lexicon
from utils.languages.quantities import Quantity, find_quantities, normalize_text
from utils.languages.scripts import UNSEGMENTED, WORD_SIGNS

_LETTER = rf"(?:[^\W\d_{UNSEGMENTED}]|[{WORD_SIGNS}])"
_WORD_TOKEN = re.compile(rf"[{UNSEGMENTED}]+|{_LETTER}+(?:['’-]{_LETTER}+)*")
_UNSEGMENTED = re.compile(rf"[{UNSEGMENTED}]")
# Turkish denies with a suffix of the verb.
_DENYING = re.compile(r"n['’]t$|.{2}m[ae](?:d[ıi]|z|m[ıi]ş|yacak|yecek|k)\w{0,20}$|.{2}m[ıiuü]yor\w{0,20}$")
_TOLD_APART = 4
"""Letters that two forms of a word share at least, and `_MIN_SHARED_STEM` of the longer one's."""
_MIN_SHARED_STEM = 0.7
_VOWEL_LETTERS = re.compile("[aeiouyhw]")
_SOUNDS = str.maketrans({"c": "k", "q": "k", "z": "s", "x": "s", "v": "f", "b": "p", "d": "t", "g": "k", "j": "k"})


@dataclass(frozen=True)
class WordToken:
    """A word, or two characters where words are not set apart."""

    word: str
    """Casefolded."""
    start: int
    name: bool = False
    """Written with a capital where the sentence does not ask for one."""
    content: bool = True

    @property
    def weight(self) -> float:
        """How much it says: longer words are rarer; a name is worth a long word."""
        return 0.5 if self.start < 0 else min(max(len(self.word), 6 if self.name else 1), 10) / 10


@dataclass(frozen=True)
class Statement:
    """A sentence, analysed."""

    text: str
    tokens: tuple[WordToken, ...]
    quantities: tuple[Quantity, ...]
    prefixes: frozenset[str]
    """Beginnings of its words, by which other forms of them are known."""
    negations: tuple[int, ...]
    """Where it denies."""
    directions: frozenset[tuple[int, int]]
    """Of which pairs of opposites it has which side."""

    @property
    def content_words(self) -> tuple[WordToken, ...]:
        """Its words but for those that every text has."""
        return tuple(token for token in self.tokens if token.content)

    def has_word(self, word: str) -> bool:
        """Whether it has a form of a word."""
        return word_key(word) in self.prefixes


@lru_cache(4096)
def analyse_statement(text: str) -> Statement:
    """A sentence, analysed; any language."""
    text = normalize_text(text)
    tokens = tuple(_find_tokens(text))
    return Statement(
        text,
        tokens,
        tuple(find_quantities(text)),
        word_prefixes(token.word for token in tokens),
        tuple(_find_negations(text, tokens)),
        frozenset(_find_directions(text, tokens)),
    )


def word_prefixes(words: Iterable[str]) -> frozenset[str]:
    """All the keys by which other forms of these words may ask for them."""
    found: set[str] = set()
    for word in words:
        plain = strip_accents(word)
        found.add(plain)
        found.update(plain[:size] for size in range(_TOLD_APART, len(plain)))
    return frozenset(found)


def word_key(word: str) -> str:
    """The beginning of a word that its other forms share."""
    plain = strip_accents(word)
    return plain[: max(_TOLD_APART, round(_MIN_SHARED_STEM * len(plain)))]


@lru_cache(16384)
def strip_accents(word: str) -> str:
    """A word without accents, as `café` and `cafe` are one."""
    word = word.casefold()
    if word.isascii():
        return word.removesuffix("'s")
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not ("\u0300" <= c <= "\u036f"))
    return plain.removesuffix("’s")


@lru_cache(16384)
def consonant_skeleton(word: str) -> str:
    """A word's consonants in Latin letters, by which a name is known in another script; short ones say nothing."""
    latin = strip_accents(word).translate(load_lexicon().letters)
    latin = latin.replace("ph", "f").replace("th", "t").replace("ck", "k").replace("x", "ks")
    latin = re.sub("[^a-z]", "", latin)
    bare = _VOWEL_LETTERS.sub("", latin[1:])
    first = latin[:1] if latin[:1] not in "aeiouyhw" else "a"
    return re.sub(r"(.)\1+", r"\1", (first + bare).translate(_SOUNDS))


def main_script(text: str) -> str:
    """The script that most letters of a text are in: the beginning of their names in Unicode."""
    counts: dict[str, int] = {}
    for character in text[:400]:
        if character.isalpha():
            name = "LATIN" if character < "\u0250" else unicodedata.name(character, "?").split(" ")[0]
            counts[name] = counts.get(name, 0) + 1
    return max(counts, key=lambda name: counts[name], default="")


def _find_tokens(text: str) -> Iterable[WordToken]:
    stopwords = load_lexicon().stopwords
    begins = True
    end = 0
    for match in _WORD_TOKEN.finditer(text):
        run = match[0]
        begins = (begins and not end) or bool(re.search(r"[.!?:\n\"“]", text[end : match.start()]))
        end = match.end()
        if _UNSEGMENTED.match(run):
            yield from (WordToken(pair, match.start() + at) for at, pair in enumerate(character_pairs(run)))
            continue
        word = run.casefold()
        follows = re.match(r"\s+[^\W\d_]", text[end:])
        doubled = bool(follows and follows[0][-1].isupper()) or any(part[0].isupper() for part in run.split("-")[1:])
        name = run[0].isupper() and (not begins or doubled) and word not in stopwords
        yield WordToken(word, match.start(), name, word not in stopwords and len(word) > 1)


def _find_negations(text: str, tokens: Sequence[WordToken]) -> Iterable[int]:
    lexicon = load_lexicon()
    for token in tokens:
        if token.word in lexicon.negations or _DENYING.search(token.word):
            yield token.start
    if _UNSEGMENTED.search(text):
        for part in lexicon.negation_parts:
            yield from (match.start() for match in re.finditer(re.escape(part), text))


def _find_directions(text: str, tokens: Sequence[WordToken]) -> Iterable[tuple[int, int]]:
    directions = load_lexicon().directions
    for token in tokens:
        # The second-largest is the largest but one.
        for part in (token.word, *token.word.split("-")[1:]):
            yield from directions.get(part, ())
    if _UNSEGMENTED.search(text):
        for name, places in directions.items():
            if _UNSEGMENTED.match(name) and name in text:
                yield from places
