"""The months that a text speaks of, by their names or by a season: opening times are often told for half a year."""

import re
from collections.abc import Sequence
from functools import cache

from babel import Locale

from chatbot.models.pipeline.reading.calendar.weekdays import UNTIL
from chatbot.prompts.phrases import phrase_languages

WINTER, SPRING = frozenset((12, 1, 2)), frozenset((3, 4, 5))
SUMMER, AUTUMN = frozenset((6, 7, 8)), frozenset((9, 10, 11))
_SEASONS = {
    WINTER: r"winter\w{0,2}|hiver|invierno|inverno|vinter\w{0,2}|talvi\w*|talvella|zim[aęyoěu]\w{0,2}|зим\w{1,3}|взимку"
    r"|iarn[aă]|tél\w{0,3}|kış\w{0,2}|χειμώνα\w?",
    SPRING: r"spring(?:time)?|frühlings?|frühjahrs?|printemps|primavera|voorjaar|lente|våren|vår|forår\w{0,2}"
    r"|wiosn\w{1,2}|весн\w{1,3}|primăvar\w{1,2}|άνοιξη\w?",
    SUMMER: r"summer\w{0,2}|sommer\w{0,2}|(?<!a )(?<!ont )été|verano|(?<!real )estate|verão|zomer\w{0,2}"
    r"|sommar\w{0,2}|kesä\w*|lat(?:o|em|a)|léto|letom|лет(?:о|ом|а|ний)|літ(?:о|ку|а)|var[aă]|nyár\w{0,3}|yaz\w{0,2}|καλοκαίρι\w{0,2}",
    AUTUMN: r"autumn|herbst\w{0,2}|automne|otoño|autunno|outono|herfst|höst\w{0,2}|efterår\w{0,2}|syksy\w*"
    r"|jesieni?\w{0,2}|осен\w{1,3}|осін\w{1,2}|toamn\w{1,2}|φθινόπωρο\w?",
}
_SEASON_SIGNS = {WINTER: "冬", SPRING: "春", SUMMER: "夏", AUTUMN: "秋"}
_OF_TIME_BEFORE = "".join(
    rf"(?<!{word} )" for word in (r"\bin", r"\bof", r"\bsince", r"\buntil", r"\btill", r"\bfrom", r"\bby")
) + "".join(rf"(?<!{end} to )" for end in ("jan", "feb", "ary", "mar", "rch", "apr", "ril"))
_NO_MONTH = re.compile(
    rf"\b(?:May (?:I|we|you|he|she|they|one|my|our|the|children|dogs)|{_OF_TIME_BEFORE}(?:may|march(?:ing|ed)?))\b"
)
"""Words that are no months: "May I bring a dog?"; "in may", "jan to march" are typed small."""
_OF_A_YEAR = 12
SEASON = 3
"""Months from which on a sentence speaks of a part of the year."""
IN_SEASON, OUT_OF_SEASON = 0.1, -0.2


def months_in(text: str) -> frozenset[int]:
    """The months that a text names, January as 1, with those between the first and the last of several; else none."""
    said = _NO_MONTH.sub(" ", text)
    months = set[int]()
    for found in _month_spans().finditer(said):
        first, last = _month_of(found["first"]), _month_of(found["last"])
        months.update((first + step - 1) % _OF_A_YEAR + 1 for step in range((last - first) % _OF_A_YEAR + 1))
    months.update(_month_of(found[0]) for found in _single_month().finditer(said))
    for season, sign in _SEASON_SIGNS.items():
        if sign in said or _season_pattern(season).search(said):
            months |= season
    return frozenset(months)


def month_bonuses(question: str, sentences: Sequence[str]) -> list[float]:
    """What is added to the scores of sentences about a part of the year, for a question about a month of it or outside
    of it: 0 where none speaks of that month's, for "open from May to September" answers what is in January.
    """
    asked = months_in(question)
    said = [months_in(sentence) for sentence in sentences] if asked else []
    if not any(len(months) >= SEASON and asked <= months for months in said):
        return [0.0] * len(sentences)
    return [_month_bonus(asked, months) for months in said]


def _month_bonus(asked: frozenset[int], said: frozenset[int]) -> float:
    if len(said) < SEASON:
        return 0.0
    return IN_SEASON if asked <= said else OUT_OF_SEASON if not asked & said else 0.0


def word_of_season(text: str) -> str:
    """The word by which a text names a month or a season, as it stands there; empty where it names none or several."""
    said = _NO_MONTH.sub(" ", text)
    found = [found[0] for season in _SEASONS for found in _season_pattern(season).finditer(said)]
    found += [found[0] for found in _single_month().finditer(said)]
    return found[0] if len(found) == 1 else ""


@cache
def _season_pattern(season: frozenset[int]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_SEASONS[season]})(?!\w)", re.IGNORECASE)


def _month_of(word: str) -> int:
    return _months_by_name()[word.casefold().rstrip(".")]


@cache
def month_numbers(width: str) -> dict[str, int]:
    """The number of each month by its names of a width of the CLDR, "wide" or "abbreviated", in Magpie's languages."""
    found: dict[str, int] = {}
    for language in sorted(phrase_languages()):
        months = Locale(language).months
        for kind in ("format", "stand-alone"):
            found |= {name.casefold().rstrip("."): number for number, name in months[kind][width].items()}
    return found


@cache
def _months_by_name() -> dict[str, int]:
    return month_numbers("abbreviated") | month_numbers("wide")


@cache
def _single_month() -> re.Pattern[str]:
    """A whole name; short ones are too often other words."""
    return re.compile(rf"(?<![^\W\u3040-\u9fff\uac00-\ud7af])(?:{_any_month(4)})(?![^\W\u3040-\u9fff])", re.IGNORECASE)


@cache
def _month_spans() -> re.Pattern[str]:
    day, month = r"(?:\d{1,2}\.?(?:st|nd|rd|th|er|º)?\s(?:de\s|of\s)?)?", rf"(?:{_any_month(3)})"
    return re.compile(rf"(?<!\w)(?P<first>{month})\.?{UNTIL}{day}(?P<last>{month})(?!\w)", re.IGNORECASE)


def _any_month(shortest: int) -> str:
    """The names of at least so many letters, May and mai among them; those in scripts without letters all."""
    whole = {name for name in _months_by_name() if len(name) >= shortest or name in ("may", "mai", "mei", "maj")}
    names = whole | {name for name in _months_by_name() if name.lower() == name.upper()}
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))
