"""Tells which language a message is in, however short, and in which one it wants its answer."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log10
from pathlib import Path
from typing import Any

from utils.languages.language_names import MARKS, asks_for_good, named_language
from utils.languages.message_parts import NOT_WORDS, QUOTED_TEXT, TRANSLATES

DETECTED_CHARS = 2000
"""Characters that are looked at."""
MIN_EVIDENCE = 0.6
"""Evidence below which words and letters prove nothing."""
CLEAR_LEAD = 0.9
"""Lead in evidence with which nothing more is asked."""
CERTAIN_SHARE = 0.95
"""Probability from which py3langid is believed where no word is known."""
LIKELY_SHARE = 0.6
"""Probability from which it is believed where a word or a letter speaks for the same."""
SURE_WORDS, SURE_WORDS_ELSEWHERE = 3, 2
"""Words from which a text can be clearly in another language, and small ones where that has another script."""
_MARK_EVIDENCE = 0.3
"""Evidence of a letter or an ending beside that of a word that only one language has."""
_RARE = 0.15
"""What speaks against a language that fewer write in."""
_COMMON, _SPOKEN = 0.2, 0.6
"""What speaks for English, and for the language that was spoken before, where anything does: of 7,168 later messages in
27 languages 116 are answered in another one, 151 without ("by train i meant"); of 12,295 alone 139, and 155 without."""
_TIE = 0.1
"""Lead below which a single word is in neither of two languages."""
_SCRIPTS = {
    "latin": "A-Za-zªºÀ-ɏḀ-ỿ", "cyrillic": "Ѐ-ԯ", "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff",
    "devanagari": "\u0900-\u097f", "el": "Ͱ-Ͽἀ-῿", "he": "\u0590-\u05ff", "ko": "\u1100-\u11ff\uac00-\ud7af",
    "kana": "\u3041-\u3096\u30a1-\u30fa\u30fc", "han": "\u3400-\u4dbf\u4e00-\u9fff", "th": "\u0e00-\u0e7f",
    "hy": "\u0530-\u058f", "ka": "\u10a0-\u10ff", "bn": "\u0980-\u09ff", "pa": "\u0a00-\u0a7f",
    "gu": "\u0a80-\u0aff", "ta": "\u0b80-\u0bff", "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff",
    "ml": "\u0d00-\u0d7f", "si": "\u0d80-\u0dff", "lo": "\u0e80-\u0eff", "my": "\u1000-\u109f",
    "am": "\u1200-\u137f", "km": "\u1780-\u17ff",
}  # fmt: skip
_LETTERS = {script: re.compile(f"[{letters}]") for script, letters in _SCRIPTS.items()}
_DENSE = frozenset({"han", "kana", "ko"})
"""Scripts a letter of which says as much as three of another."""
_DEFAULTS = {"cyrillic": "ru", "arabic": "ar", "devanagari": "hi"}
_JAPANESE_ONLY = re.compile("[気駅円広帰読売続県発実験戦検権単団図払択沢転込畑雑様楽関渋浅経済価営桜観働]")
"""Characters that neither way of writing Chinese has."""
_TWINS = ({"da", "no"}, {"cs", "sk"}, {"id", "ms"}, {"hr", "sr", "bs", "sl"}, {"nl", "af"}, {"es", "gl", "ca"})
"""Languages that a short text may be in alike."""
_ALIASES = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "fil": "tl"}
_CODE_SIGNS = re.compile(r"[{}()\[\];=<>_$\\|+&^~]")
_LANGUAGE_WORD = re.compile(rf"(?:[^\W\d_][{MARKS}]*)+(?:['’](?:[^\W\d_][{MARKS}]*)+)*['’]?")
_PART_BREAK = re.compile(r"\n\s*\n|(?<=[:：])(?=\s)")
_SHORT_TEXT_CHARS = 300
"""Characters up to which the first or last paragraph may be what is asked of the others."""


@dataclass(frozen=True)
class _Language:
    script: str
    marks: re.Pattern[str]
    rare: bool
    """Whether fewer write in it than in a language that looks like it."""


def language_of(text: str, among: Collection[str] = (), before: str = "") -> str:
    """ISO 639-1 code of the language of a text, of those in `among` if there are any; "" where it cannot be told.

    `before` is the language of what was said before, which few words are rather in than in another one like it.
    """
    return _find_among(_language_of(text[:DETECTED_CHARS], before), set(map(_language_code, among)))


def same_language(text: str, language: str) -> bool:
    """Whether a text may be in a language: False only when it clearly is in another one."""
    found, wanted = language_of(text), _language_code(language)
    if found in {"", wanted} or any({found, wanted} <= twins for twins in _TWINS):
        return True
    plain = _plain_words(text[:DETECTED_CHARS])
    dense = sum(len(_LETTERS[script].findall(plain)) for script in _DENSE)
    words = _LANGUAGE_WORD.findall(plain)
    # A language of another script takes names from this one, and nothing else.
    if _script_of(found) != _script_of(wanted) and sum(word.islower() for word in words) >= SURE_WORDS_ELSEWHERE:
        return False
    return dense < SURE_WORDS and len(words) < SURE_WORDS


def wanted_language(message: str, earlier: Sequence[str] = ()) -> str:
    """The language that the answer is to have: the one asked for, else the message's, else that of `earlier` ones.

    `earlier` are the user's messages before it, oldest first. Empty where nothing tells.
    """
    named = _named_language(message)
    if named:
        return named
    for said in reversed(earlier):
        lasting = _named_language(said) if asks_for_good(said) else ""
        if lasting:
            return lasting
    before = next((language for said in reversed(earlier) if (language := language_of(_asking_part(said)))), "")
    own = language_of(_asking_part(message), before=before) or language_of(message, before=before)
    if not own or (len(_LANGUAGE_WORD.findall(message)) < 6 and any({own, before} <= twins for twins in _TWINS)):
        return before or own
    return own


def _named_language(message: str) -> str:
    """The language asked for before or behind the text that a message is about."""
    parts = [part for part in _PART_BREAK.split(NOT_WORDS.sub(" ", message)) if part.strip()]
    ends = [part for part in dict.fromkeys([*parts[:1], *parts[-1:]]) if len(part) <= 2 * _SHORT_TEXT_CHARS]
    return next((named for part in ends if (named := named_language(part))), "")


def _language_code(language: str) -> str:
    code = language.replace("_", "-").split("-")[0].casefold()
    return _ALIASES.get(code, code)


def _asking_part(message: str) -> str:
    """What is asked, without the text that it is asked about."""
    text = NOT_WORDS.sub(" ", message)
    parts = [part for part in _PART_BREAK.split(text) if part.strip()]
    if len(parts) > 1:
        for part in (parts[0], parts[-1]):
            if len(part) <= _SHORT_TEXT_CHARS and len(_LANGUAGE_WORD.findall(part)) > 1 and language_of(part):
                return part
    return message


def _script_of(language: str) -> str:
    """The script of a language that is known by its words, of another one the language itself."""
    known = _load_data()[0].get(language)
    return known.script if known else language


def _find_among(found: str, among: Collection[str]) -> str:
    """The language itself or one that looks like it, if it is one of `among`."""
    near = [code for twins in _TWINS if found in twins for code in sorted(twins) if code in among]
    return found if not among or found in among else next(iter(near), "")


@lru_cache(256)
def _language_of(text: str, before: str) -> str:
    outside = QUOTED_TEXT.sub(" ", text)
    head = re.split("[:：]", outside, maxsplit=1)[0]
    for part in ([head] if TRANSLATES.search(head) else []) + [outside, text]:
        found = _tell_language(_plain_words(part), before)
        if found:
            return found
    return ""


def _plain_words(text: str) -> str:
    """The words of a text, without code, addresses and the like."""
    lines = NOT_WORDS.sub(" ", unicodedata.normalize("NFC", text)).splitlines()
    kept = [
        line for line in lines if len(_CODE_SIGNS.findall(line)) < 3 or len(_CODE_SIGNS.findall(line)) * 8 < len(line)
    ]
    return re.sub(r"\d+", " ", "\n".join(kept)).replace("’", "'").strip()


def _tell_language(text: str, before: str) -> str:
    scripts = Counter(
        {name: len(letters.findall(text)) * (3 if name in _DENSE else 1) for name, letters in _LETTERS.items()}
    )
    script, most = scripts.most_common(1)[0]
    if not most:
        return ""
    others = Counter({name: count for name, count in scripts.items() if name != "latin"})
    if script == "latin" and others.most_common(1)[0][1] * 4 >= most:
        # A sentence in another script is full of names in this one.
        found = _by_words(text, "latin", before)
        if found:
            return found
        script = others.most_common(1)[0][0]
    return _in_script(text, script, scripts, before)


def _in_script(text: str, script: str, scripts: Mapping[str, int], before: str) -> str:
    if script in {"han", "kana"}:
        kana = scripts["kana"] * 8 >= scripts["han"] and scripts["kana"] > 0
        return "ja" if kana or _JAPANESE_ONLY.search(text) else "zh"
    if script in {"latin", *_DEFAULTS}:
        return _by_words(text, script, before) or _DEFAULTS.get(script, "")
    return script


def _by_words(text: str, script: str, before: str) -> str:
    """The language that words, letters and, where these leave it open, py3langid tell; "" for none."""
    words = [word.casefold() for word in _LANGUAGE_WORD.findall(text.replace("İ", "i"))]
    scores = _language_evidence(words, text.casefold(), script)
    for language, lean in {"en": _COMMON, before: _SPOKEN}.items():
        if scores.get(language, 0.0) > 0:
            scores[language] += lean
    (best, most), (_, second), *_ = sorted([*scores.items(), ("", 0.0), ("", 0.0)], key=lambda each: -each[1])
    enough = (
        min(MIN_EVIDENCE, max(0.3, _MARK_EVIDENCE * len(words)))
        if script == "latin" and len(words) > 1
        else MIN_EVIDENCE
    )
    enough = enough if script == "latin" else _MARK_EVIDENCE / 2
    if most >= enough and most - second >= CLEAR_LEAD:
        return best
    if most < enough:
        return _unknown_words(text, script, scores, before)
    near = {language: score for language, score in scores.items() if most - score < CLEAR_LEAD}
    likely = _language_likelihoods(text, frozenset(near))
    trust = 0.5 if len(words) > 1 else 0.1
    total = {language: score + likely.get(language, -2.0) * trust for language, score in near.items()}
    first = max(total.values())
    best = max(total, key=lambda language: total[language])
    tied = {language for language, score in total.items() if first - score < (_TIE if len(words) == 1 else 0.02)}
    return best if len(tied) == 1 or any(tied <= twins for twins in _TWINS) else ""


def _language_evidence(words: Sequence[str], text: str, script: str) -> dict[str, float]:
    """How much speaks for each language: words by how few languages have them, letters and endings less."""
    languages, known, folded = _load_data()
    scores = {
        code: _MARK_EVIDENCE * min(len(language.marks.findall(text)), len(words)) - _RARE * language.rare
        for code, language in languages.items()
        if language.script == script
    }
    for word in words:
        parts = [word] if word in known or "'" not in word else re.findall("[^']+'?", word)
        for part in parts:
            for code, weight in (known.get(part) or folded.get(part) or {}).items():
                if code in scores:
                    scores[code] += weight
    return scores


def _unknown_words(text: str, script: str, scores: Mapping[str, float], before: str) -> str:
    """Where hardly a word is known: what py3langid says, if little speaks for it or it is sure and there is no name."""
    words = _LANGUAGE_WORD.findall(text)
    lower = [word for word in words if not word[0].isupper()]
    languages = frozenset(code for code, language in _load_data()[0].items() if language.script == script)
    likely = _language_likelihoods(text, languages) if len(words) > 1 else {}
    best = max(likely, key=lambda language: likely[language], default="")
    if not best or scores.get(before, 0.0) > scores.get(best, 0.0):
        return ""
    agreed = scores.get(best, 0.0) >= _MARK_EVIDENCE and 10 ** likely[best] >= LIKELY_SHARE and len(lower) > 1
    sure = 10 ** likely[best] >= CERTAIN_SHARE and len(lower) >= SURE_WORDS and 2 * len(lower) >= len(words)
    return best if agreed or sure or script != "latin" else ""


@cache
def _load_data() -> tuple[dict[str, _Language], dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """The languages, the evidence of each known word, and that of words typed without their accents."""
    raw = json.loads(Path(__file__).with_name("language_words.json").read_text(encoding="utf-8"))
    languages = {
        code: _Language(of.get("script", "latin"), re.compile(of["marks"]), of.get("rare", False))
        for code, of in raw.items()
    }
    known: dict[str, dict[str, float]] = {}
    for code, of in raw.items():
        for word in of["words"].split():
            known.setdefault(word, {})[code] = 1.0
    folded: dict[str, dict[str, float]] = {}
    for word, having in known.items():
        for code in having:
            having[code] = len(having) ** -0.6
        bare = _strip_accents(word)
        if bare not in known and len(bare) > 2:
            folded.setdefault(bare, {}).update({code: weight * 0.7 for code, weight in having.items()})
    return languages, known, folded


def _strip_accents(word: str) -> str:
    """A word without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c)).replace("ł", "l")


def _language_likelihoods(text: str, languages: frozenset[str]) -> dict[str, float]:
    """For each of the languages the logarithm of how likely it is among them; at least -2."""
    if len(languages) < 2:
        return dict.fromkeys(languages, 0.0)
    found = {str(code): float(likely) for code, likely in _load_identifier().rank(text) if code in languages}
    together = sum(found.values()) or 1.0
    return {code: log10(max(likely / together, 0.01)) for code, likely in found.items()}


@cache
def _load_identifier() -> Any:
    """The trained identifier, which takes most of a second to unpack: made only where words leave it open."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
