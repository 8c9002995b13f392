"""Finds the language that a message asks its answer in: "in French, please", "auf Englisch", "用英语回答"."""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babel import Locale

MAX_CHARS_SEARCHED = 600
"""Characters of a message, at its beginning and at its end, in which it may say that."""
_VERB_WORDS = 3
"""Words behind the language's name among which the verb may stand."""
_EARLY = 6
"""Words at the beginning of a clause among which the verb must stand."""
_SENTENCES = re.compile(r"(?<=[.!?。！？\n])\s*")
_CLAUSE = re.compile(r"[,;:，、：–—]|\s-\s")
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u0655\u0670\u0900-\u0903\u093a-\u094f\u0e31-\u0e4e"
"""Signs that belong to the letter before them, which `re` takes for no part of a word."""
_NAMED_WORD = re.compile(rf"(?:[^\W\d_][{MARKS}]*)+(?:['-](?:[^\W\d_][{MARKS}]*)+)*")
_QUOTES = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|「[^「」\n]{1,400}」|(?<!\w)'[^'\n]{3,400}'(?!\w)"
)
_NUKTA = "\u093c"


@dataclass(frozen=True)
class _Mention:
    """A language named as that of an answer, with what stands before and behind it in its sentence."""

    language: str
    before: str
    behind: str
    unspaced: bool


@dataclass(frozen=True)
class _Names:
    """How one language names the others where something is to be said in them."""

    pattern: re.Pattern[str]
    languages: dict[str, str]
    unspaced: bool


def named_language(message: str) -> str:
    """ISO 639-1 code of the language that a message asks its answer or a translation in; "" for none.

    A language that is only spoken of ("Which books did he write in French?", "How do you say that in Greek?") is
    not asked for. The names are those of the CLDR, as babel has them.
    """
    text = (
        message
        if len(message) <= 2 * MAX_CHARS_SEARCHED
        else f"{message[:MAX_CHARS_SEARCHED]}\n{message[-MAX_CHARS_SEARCHED:]}"
    )
    asked = ""
    for sentence in _SENTENCES.split(_QUOTES.sub(" ", _simplify_text(text))):
        if sentence and not _words_pattern("mentions").search(sentence):
            asked = next((found.language for found in _find_mentions(sentence) if _is_asked(found)), asked)
    return asked


def mentioned_languages(message: str) -> set[str]:
    """The languages that a message names, asked for or only spoken of: ISO 639-1 codes."""
    sentences = _SENTENCES.split(_simplify_text(message[:MAX_CHARS_SEARCHED]))
    return {found.language for sentence in sentences for found in _find_mentions(sentence)}


def asks_for_good(message: str) -> bool:
    """Whether a message says that something shall be so from now on."""
    return bool(_words_pattern("lasting").search(_simplify_text(message[:MAX_CHARS_SEARCHED])))


def _simplify_text(text: str) -> str:
    """A text in the form in which names are compared: small letters, one way to write what can be written in two."""
    text = unicodedata.normalize("NFC", text).replace("İ", "i").replace("’", "'").casefold()
    text = re.sub("[أإآ]", "ا", text.replace(_NUKTA, "").replace("ى", "ي"))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).replace(_NUKTA, ""))


def _find_mentions(sentence: str) -> Iterator[_Mention]:
    """The languages that a sentence names so, the last first."""
    found: list[tuple[int, _Mention]] = []
    for locale in _load_cues()["locales"]:
        names = _names_in(locale)
        for match in names.pattern.finditer(sentence):
            language = next(names.languages[name] for name in match.groups() if name)
            before, behind = sentence[: match.start()], sentence[match.end() :]
            found.append((match.start(), _Mention(language, before, behind, names.unspaced)))
    yield from (mention for _, mention in sorted(found, key=lambda each: -each[0]))


def _is_asked(mention: _Mention) -> bool:
    """Whether something is to be said in it: because the sentence says nothing else, or has a verb of saying."""
    if mention.unspaced:
        return True
    before, behind = _NAMED_WORD.findall(mention.before), _NAMED_WORD.findall(mention.behind)
    fillers = _filler_words()
    only_polite = all(word in fillers for word in behind)
    if all(word in fillers for word in before) and (only_polite or bool(_CLAUSE.match(mention.behind.lstrip()))):
        return True
    if only_polite and (_CLAUSE.search(mention.before.rstrip()[-1:]) or (behind and len(before) > 1)):
        return True
    return _has_verb(mention, behind)


def _has_verb(mention: _Mention, behind: list[str]) -> bool:
    verb = _words_pattern("verbs")
    if any(verb.fullmatch(word) for word in behind[:_VERB_WORDS]) and not _asks_something(mention.before):
        return True
    clause = _CLAUSE.split(mention.before)[-1]
    for part in (clause, mention.before):
        if any(verb.fullmatch(word) for word in _NAMED_WORD.findall(part)[:_EARLY]) and not _asks_something(part):
            return True
    return False


def _asks_something(words: str) -> bool:
    """Whether it begins like a question about something."""
    first = _NAMED_WORD.match(words.lstrip(" ¿\"'"))
    return first is not None and first[0] in _question_words()


@cache
def _load_cues() -> dict[str, Any]:
    cues: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return cues


@cache
def _words_pattern(kind: str) -> re.Pattern[str]:
    raw = _load_cues()[kind]
    return re.compile(_simplify_text("|".join(raw)) if isinstance(raw, list) else raw)


@cache
def _filler_words() -> frozenset[str]:
    return frozenset(_simplify_text(_load_cues()["fillers"]).split())


@cache
def _question_words() -> frozenset[str]:
    return frozenset(_simplify_text(_load_cues()["questions"]).split())


@cache
def _names_in(locale: str) -> _Names:
    """The names of languages in one of them; takes some milliseconds, in which babel reads its data."""
    from babel import Locale

    cues = _load_cues()
    cldr = Locale.parse(locale).languages
    full = {_simplify_text(cldr[code]): code for code in cues["named"].split() if code in cldr}
    full |= {_simplify_text(name): code for name, code in cues["aliases"].get(locale, {}).items()}
    languages: dict[str, str] = {}
    patterns = []
    for template, cut, end in cues["locales"][locale]:
        stems = {re.sub(cut, "", name) if cut else name: code for name, code in full.items()}
        languages |= stems
        names = "|".join(
            re.escape(stem) for stem in sorted(stems, key=len, reverse=True) if len(stem) > (locale in {"zh", "ko"}) - 1
        )
        patterns.append(template.replace("NAME", f"({names}){end}"))
    unspaced = locale in cues["unspaced"]
    edges = ("", "") if unspaced else (r"(?<!\w)", r"(?!\w)")
    return _Names(
        re.compile("|".join(f"{edges[0]}(?:{pattern}){edges[1]}" for pattern in patterns)), languages, unspaced
    )


@cache
def language_name(language: str) -> str:
    """The English name of a language by its ISO 639-1 code, as a prompt has it; English for one that is unknown."""
    from babel import Locale

    return str(Locale("en").languages.get(language, "English"))


def locale_of(language: str) -> "Locale":
    """What the CLDR says of a language by its ISO 639-1 code; of English for one that it does not know."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale(language)
    except UnknownLocaleError:
        return Locale("en")
