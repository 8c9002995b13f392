"""The days of the week that a text speaks of: Saturday's opening times answer no question about Tuesday."""

import re
from collections.abc import Iterator
from functools import cache

from babel import Locale

from chatbot.prompts.phrases import phrase_languages
from utils.languages.accents import without_accents
from utils.languages.language_names import locale_of
from utils.languages.relative_days import with_capital_of

WORKING, WEEKEND = frozenset(range(5)), frozenset((5, 6))
OTHER_DAYS, SOME_DAYS, THE_DAYS = -0.2, -0.05, 0.1
"""What is added to the score of a sentence about other days than the question's, about some of them, about all."""
_WORKING = re.compile(
    r"\b(?:week-?days|week-?day(?!:)|work(?:ing|-)? ?days?|business days?|(?:wo[ck]hen|werk)tags?\b|werktagen|"
    r"unter der woche|en semaine|jours (?:ouvrables|de semaine)|entre semana|días? laborables?|giorni feriali|"
    r"durante la settimana|dias? úteis|door de week|doordeweeks|werkdagen|hverdag\w*|vardag\w*|arkisin|arkipäiv\w*|"
    r"dni robocze|v pracovní dny|zile lucrătoare|hétköznap\w*|hafta içi|будн\w*|καθημεριν\w*)\b|"
    r"平日|工作日|평일|ימי חול",
    re.IGNORECASE,
)
_WEEKEND = re.compile(
    r"\b(?:week-?ends?|wochenende\w*|fin de semana|fine ?settimana|fim de semana|helg\w*|viikonlop\w*|víkend\w*|"
    r"hétvég\w*|hafta sonu|выходн\w*|вихідн\w*|σαββατοκύριακ\w*)\b|週末|周末|주말|סוף שבוע",
    re.IGNORECASE,
)
UNTIL = (
    r"(?:\s*[-–—~〜至到]\s*|\s*から\s*|"
    r"\s+(?:to|through|thru|till?|until|bis|au|à|al?|até|ao|tot(?: en met)?|do|až|по|έως|ως)\s+)"
)
"""What stands between the first and the last of several days."""
_AND = r"\s*(?:[,/&+]|\b(?:and|und|et|y|e|en|og|och|ja|i|a|și|és|ve|и|і|та|και)\b)\s*"
"""What stands between the days of a list."""
_NOT_IN_WORD = r"(?<![^\W\u3040-\u9fff\uac00-\ud7af])"
"""Behind no letter, but for scripts that set no words apart."""
_INFLECTED, _LONG = frozenset({"cs", "el", "fi", "hu", "pl", "ro", "ru", "tr", "uk"}), 7
"""Languages in which the last two letters of a name of so many change with its case."""
_WITH_ENDINGS = {
    "joi": r"joi(?:a|i|ile)?(?!\w)",
    "sondag": r"sondag(?:en|s|ar)?(?!\w)",
    "srode": r"srode(?!\w)",
    "δευτε": r"δευτερας?(?!\w)",
    "salı": r"salı(?:ya|da|dan|sı|nın|lar\w{0,3})?(?!\w)",
}
"""Names that other words begin with: join, Salisbury, sondage."""
_FURTHER_FORMS = {
    "wtorku": 1, "wtorki": 1, "środy": 2, "środę": 2, "środą": 2, "piątku": 4, "piątki": 4, "soboty": 5, "sobotę": 5,
    "sobotu": 5, "středy": 2, "středu": 2, "pátku": 4, "pátky": 4,
    "средам": 2, "среды": 2, "среду": 2, "середи": 2, "середу": 2, "субот": 5,
    "segundas": 0, "terças": 1, "terca": 1, "sextas": 4,
}  # fmt: skip
"""Short names in other cases, in Polish, Czech, Russian and Ukrainian; plurals of Portuguese that are nothing else."""
_TYPED_LETTERS, _NO_DAY = 5, frozenset({"patek", "samba", "marti", "ponde"})
"""Letters of a name from which on it is known without its accents too, and what other words begin with: martial."""

_ENGLISH_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TYPED_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?|r)?|fri|sat|sun)"
_SHORT_DAYS = re.compile(
    rf"\b(?:on|(?<!in )this|next|last|every|until|till) (?:an? )?(?P<days>{_TYPED_DAY}"
    rf"(?:(?:\s?[,&/–-]\s?|,? (?:and|or|to|till?|until) ){_TYPED_DAY})*)"
    r"(?=\W*$|\s?[?.,;!)]| (?:and|or|til|till|until|to|from|before|after|morning|afternoon|evening|night|nite|at \d"
    r"|in (?:the|summer|winter|spring|autumn|january|february|march|april|may|june|july|august|september|october"
    r"|november|december))\b)",
    re.IGNORECASE,
)
"""Short names of days as they are typed in English: "how late are they open on sat"."""


def days_in(text: str) -> frozenset[int]:
    """The days that a text names, Monday as 0, with those between the first and the last of several; else none."""
    days = set[int]()
    for found in _day_spans().finditer(text):
        first, last = _day_of_word(found["first"]), _day_of_word(found["last"])
        if first is not None and last is not None:
            days.update((first + step) % 7 for step in range((last - first) % 7 + 1))
    named = [_day_of_word(found[0]) for found in _single_day().finditer(text)]
    days.update(day for day in named if day is not None)
    for label in _day_labels().finditer(text):
        days.update(*(_days_of_abbreviation(name) for name in re.split(_AND, label["days"], flags=re.IGNORECASE)))
    for found in _SHORT_DAYS.finditer(text):
        days |= _typed_days(found["days"].casefold())
    for pattern, group in ((_WORKING, WORKING), (_WEEKEND, WEEKEND)):
        if pattern.search(text):
            days |= group
    return frozenset(days)


def _typed_days(typed: str) -> set[int]:
    """The days of "sat and sun", of "tues to thurs"."""
    named = [_ENGLISH_DAYS.index(word[:3]) for word in re.findall(_TYPED_DAY, typed)]
    if len(named) == 2 and re.search(r"[–-]|\b(?:to|till?|until)\b", typed):
        return {(named[0] + step) % 7 for step in range((named[1] - named[0]) % 7 + 1)}
    return set(named)


def word_of_day(text: str) -> str:
    """The word by which a text names one day, as it stands there; empty where it names none or several."""
    words = [text[found.start() :] for found in _single_day().finditer(text)]
    found = re.match(r"\w+", words[0]) if len(words) == 1 else None
    return found[0] if found else ""


def with_day_of(source: str, translation: str, language: str) -> str:
    """A translation with the day of the text that it is of, where that names one and the translation another one.

    Small models take Tuesday for Monday. `language` is the ISO 639-1 code of the translation.
    """
    word, meant = word_of_day(translation), days_in(source)
    said = _day_of_word(word)
    if said is None or len(meant) != 1 or said in meant:
        return translation
    names = locale_of(language).days["format"]["wide"]
    wrong, right = names[said], names[next(iter(meant))]
    ending = word[len(wrong) :] if word.casefold().startswith(wrong.casefold()) else ""
    return translation.replace(word, with_capital_of(word, f"{right}{ending}"))


def day_bonus(asked: frozenset[int], said: frozenset[int]) -> float:
    """What is added to the score of a sentence about some days, for a question about others; 0 where one names none."""
    if not asked or not said:
        return 0.0
    if asked <= said:
        return THE_DAYS
    return SOME_DAYS if asked & said else OTHER_DAYS


def _day_of_word(word: str) -> int | None:
    """The day of a word that begins with its name; None where only a pattern takes two letters for one: ı, i."""
    names, word = _day_numbers(), word.casefold()
    return next((names[word[:size]] for size in range(len(word), 0, -1) if word[:size] in names), None)


def _day_names(width: str) -> Iterator[tuple[str, int]]:
    """The beginnings of the names of the days, in the languages that Magpie speaks."""
    for language in sorted(phrase_languages()):
        days = Locale(language).days
        for kind in ("format", "stand-alone"):
            for day, name in days[kind][width].items():
                bare = name.casefold().rstrip(".")
                changes = width == "wide" and language in _INFLECTED and len(bare) >= _LONG
                yield bare[:-2] if changes else bare, day
    if width == "wide":
        yield from _FURTHER_FORMS.items()


def _typed_names(width: str) -> Iterator[tuple[str, int]]:
    """The beginnings of the names, and whole ones as they are typed without their accents."""
    for name, day in _day_names(width):
        yield name, day
        typed = without_accents(name)
        if width == "wide" and len(typed) >= _TYPED_LETTERS and " " not in typed and typed not in _NO_DAY:
            yield typed, day


@cache
def _day_numbers() -> dict[str, int]:
    return dict(_day_names("abbreviated")) | dict(_typed_names("wide"))


@cache
def _single_day() -> re.Pattern[str]:
    """A day's whole name, in any of its cases; a short one is too often another word: so, do, sat."""
    return re.compile(rf"{_NOT_IN_WORD}(?:{_any_day('wide')})", re.IGNORECASE)


@cache
def _day_labels() -> re.Pattern[str]:
    """Days by their short names where these label something: "Mon: 7:00", "Day: Mon, Opens: 7:00", "Tue & Thu 9-17"."""
    day = rf"(?:{_any_day('abbreviated')})\.?"
    return re.compile(rf"(?:^|[:;,(]\s)(?P<days>{day}(?:{_AND}{day})*)(?=[:;,)]|\s\d|$)", re.IGNORECASE | re.MULTILINE)


@cache
def _days_of_abbreviation(name: str) -> frozenset[int]:
    """The days that it stands for in some language: "so" is Sunday in German and Saturday in Czech."""
    return frozenset(day for short, day in _day_names("abbreviated") if short == name.casefold().rstrip("."))


@cache
def _day_spans() -> re.Pattern[str]:
    day = rf"(?:(?:{_any_day('wide')})\w*?|(?:{_any_day('abbreviated')})\.?)"
    return re.compile(rf"{_NOT_IN_WORD}(?P<first>{day}){UNTIL}(?P<last>{day})(?!\w)", re.IGNORECASE)


def _any_day(width: str) -> str:
    names = sorted({name for name, _ in _typed_names(width)}, key=len, reverse=True)
    return "|".join(_WITH_ENDINGS.get(name) or re.escape(name) for name in names)
