"""Times in words: "tomorrow 9:00 call mum" is a moment and what is left; only importer of dateparser.

Days and hours are the system's local ones; what comes out is UTC.
"""

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from utils.languages.relative_days import UNREAD_DAY_AFTER_TOMORROW

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
"""Beside the system's own: each costs loading time, and all that dateparser knows cost 4 s (measured)."""
FURTHER = ("da", "sv", "nb", "fi", "pl", "cs", "hu", "ro", "tr", "id", "vi")
"""Tried where a date in Latin letters is in none of these; they cost 0.3 s the first time (measured)."""
_BY_SCRIPT = {
    "CYRILLIC": ("ru", "uk", "bg"),
    "GREEK": ("el",),
    "ARABIC": ("ar", "fa"),
    "HEBREW": ("he",),
    "CJK": ("zh", "ja"),
    "HIRAGANA": ("ja",),
    "KATAKANA": ("ja",),
    "HANGUL": ("ko",),
    "DEVANAGARI": ("hi",),
    "BENGALI": ("bn",),
    "THAI": ("th",),
}
MAX_PHRASE_WORDS = 8
"""Words of a time: "on Monday the 7th of December at 9:00"."""
MORNING = 9
"""The hour of a day that is named without one."""
# A base this far away moves what is told relative to it by as much: "in 2 months", but not "March".
_DAYS_APART, _MONTHS_DIFFER = timedelta(days=40), timedelta(days=4)
# Far enough from the ends of the calendar for any time zone.
_YEARS = range(1000, 9000)
_BARE = re.compile(r"(?<![\w:./-])(\d{1,2})(?![\w:./-])")
_DOTTED = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4}\b|(?!\w))")
_HOURS_AND_MINUTES = re.compile(r"\b(\d{1,2})h(\d{2})\b")
_AT_HOUR = re.compile(
    r"(?<!\w)(?:à|às|vers|a las|(?:alle |dalle |(?<!\d )(?<!\d))ore) "
    r"(?P<hour>\d{1,2})(?: ?h(?: ?(?P<minute>[0-5]\d))?)?"
    r"(?P<half> (?:y media|e meia|et demie|e mezza))?"
    r"(?P<evening> (?:da (?:noite|tarde)|de la (?:noche|tarde)|du soir|de l['’]après-midi|di sera|del pomeriggio))?"
    r"(?!\w|[:.,]\d| ?\d| ?h ?\d| heures?| horas?)",
    re.IGNORECASE,
)
"""An hour as dateparser does not read it: it takes "às 8h" for eight hours."""
_DAY_AFTER_TOMORROW = re.compile(rf"\b(?:{'|'.join(UNREAD_DAY_AFTER_TOMORROW)})\b", re.IGNORECASE)
# "at 17:30", "à 17:30": some short words mean 1 in another language.
_AT_CLOCK = re.compile(r"^[^\W\d]{1,2}\s+(?=\d{1,2}:\d{2}\b)")


@dataclass(frozen=True)
class _Read:
    """What dateparser made of a phrase: a local time without zone, and how precise the phrase was."""

    at: datetime
    period: str


@dataclass(frozen=True)
class Named:
    """What a phrase names: an aware local time; not `timed` where it is a whole day, which begins at midnight."""

    at: datetime
    timed: bool


class MomentReader:
    """Reads times as seen from `now`, an aware time.

    A date without its year is the next one, `past` the last one; `languages` are codes that dateparser knows.
    """

    def __init__(self, now: datetime, *, past: bool = False, languages: Sequence[str] = ()) -> None:
        self._now = now
        self._base = now.astimezone().replace(tzinfo=None)
        self._past = past
        self._known = list(languages) or _tried_languages()

    def find_moment(self, text: str) -> tuple[datetime, str] | None:
        """The moment at the beginning or the end of a text, or at both, and the rest; None without one."""
        words = text.split()
        if len(words) <= MAX_PHRASE_WORDS and (moment := self.read_moment(text)):
            return moment, ""
        head = self._longest_phrase(
            [" ".join(words[:count]) for count in range(min(MAX_PHRASE_WORDS, len(words) - 1), 0, -1)]
        )
        tail = self._longest_phrase(
            [" ".join(words[-count:]) for count in range(min(MAX_PHRASE_WORDS, len(words) - 1), 0, -1)]
        )
        if head and tail and (moment := self.read_moment(f"{head} {tail}")):
            rest = words[len(head.split()) : -len(tail.split())]
            if rest and not self._is_exact(head):
                return moment, " ".join(rest)
        for phrase, rest in ((head, words[len(head.split()) :]), (tail, words[: -len(tail.split()) or None])):
            if phrase and (moment := self.read_moment(phrase)):
                return moment, " ".join(rest)
        return None

    def read_moment(self, phrase: str) -> datetime | None:
        """The moment that the whole phrase names, in UTC; None when it names none."""
        phrase, found = self._recognise_phrase(phrase)
        return self._in_utc(phrase, found) if found else None

    def name_moment(self, phrase: str) -> Named | None:
        """What the whole phrase names, a day left as a day; None when it names nothing."""
        phrase, found = self._recognise_phrase(phrase)
        if found is None:
            return None
        if found.period in ("time", "part_of_day"):
            return Named(self._in_utc(phrase, found).astimezone(), timed=True)
        return Named(datetime.combine(found.at.date(), datetime.min.time()).astimezone(), timed=False)

    def _recognise_phrase(self, phrase: str) -> tuple[str, _Read | None]:
        """A phrase as it was understood at last, and what it names."""
        phrase = self._tidy_phrase(phrase)
        if not re.search(r"[^\d\s]", phrase):
            return phrase, None
        found = self._understand_phrase(phrase)
        if found is None and re.match(r"[^\W\d]{1,2}\s", phrase):
            # "am Freitag", "le 1 mai": dateparser knows the rest.
            phrase = phrase.split(maxsplit=1)[1]
            found = self._understand_phrase(phrase)
        return phrase, found if found and self._is_moment(phrase, found) else None

    def _longest_phrase(self, phrases: list[str]) -> str:
        """The first phrase that names a moment to come, else the first that names one at all."""
        read = {
            phrase: moment
            for phrase in phrases
            if not self._is_overfull(phrase) and (moment := self.read_moment(phrase))
        }
        return next((phrase for phrase, moment in read.items() if moment > self._now), next(iter(read), ""))

    def _is_overfull(self, phrase: str) -> bool:
        """Whether the last word is a number that stands behind a whole time, and is no part of it."""
        before, _, last = self._tidy_phrase(phrase).rpartition(" ")
        return bool(before) and last.isdecimal() and self._is_exact(before)

    def _is_exact(self, phrase: str) -> bool:
        found = self._parse_phrase(self._tidy_phrase(phrase))
        return found is not None and found.period == "time"

    def _understand_phrase(self, phrase: str) -> _Read | None:
        """As dateparser reads it, but a bare number is the hour where that is what it must be."""
        found = self._parse_phrase(phrase)
        numbers = [number for number in _BARE.finditer(phrase) if int(number[1]) < 24]
        if not numbers:
            return found
        number = numbers[-1]
        before, after = phrase[: number.start()].strip(), phrase[number.end() :].strip()
        day = self._parse_phrase(before) if before else None
        # "tonight at 8"
        evening = day is not None and day.period == "part_of_day" and day.at.hour >= 12 > int(number[1])
        clock = f"{before} {int(number[1]) + 12 * evening}:00"
        if day and day.period in ("day", "part_of_day") and (not _BARE.search(before) or self._is_fixed(before)):
            word, _, rest = after.partition(" ")
            # "9 heures" alone would be nine hours from now.
            shorter = f"{clock} {rest}" if self._is_exact(f"{number[1]} {word}") else ""
            return self._parse_phrase(f"{clock} {after}") or self._parse_phrase(shorter) or found
        if not self._is_month(before) and not self._is_month(after) and (found is None or found.period != "time"):
            timed = self._parse_phrase(f"{clock} {after}")
            return timed if timed and timed.period == "time" else found
        return found

    def _is_month(self, phrase: str) -> bool:
        found = self._parse_phrase(phrase) if len(phrase) > 2 else None
        return found is not None and found.period == "month"

    def _is_moment(self, phrase: str, found: _Read) -> bool:
        """Whether a phrase is precise enough: a month alone is not, unless it is counted from now."""
        if found.period in ("time", "part_of_day", "day", "week"):
            return True
        later = self._parse_phrase(phrase, self._base + _DAYS_APART)
        return later is not None and " " in phrase and abs(later.at - found.at - _DAYS_APART) <= _MONTHS_DIFFER

    def _is_fixed(self, phrase: str) -> bool:
        """Whether a phrase names the same day whenever it is read."""
        first, second = self._parse_phrase(phrase), self._parse_phrase(phrase, self._base + timedelta(days=1))
        return first == second

    def _in_utc(self, phrase: str, found: _Read) -> datetime:
        at = found.at
        later = timedelta(hours=3, minutes=17)
        if (
            found.period == "time"
            and (moved := self._parse_phrase(phrase, self._base + later))
            and moved.at - at == later
        ):
            # Hours and minutes from now are not those of the clock when that is put forward or back meanwhile.
            return (self._now + (at - self._base)).astimezone(UTC)
        if found.period == "day" and at.time() == datetime.min.time():
            at = at.replace(hour=MORNING)
        return at.astimezone(UTC)

    def _tidy_phrase(self, phrase: str) -> str:
        """With forms that are read alike everywhere written so that dateparser does."""
        phrase = " ".join(filter(None, (word.rstrip(",;:") for word in phrase.split())))
        phrase = _DAY_AFTER_TOMORROW.sub(f"{self._base + timedelta(days=2):%Y-%m-%d}", _AT_HOUR.sub(_as_clock, phrase))
        return _AT_CLOCK.sub("", _HOURS_AND_MINUTES.sub(r"\1:\2", _DOTTED.sub(self._undot_date, phrase)))

    def _undot_date(self, found: re.Match[str]) -> str:
        """1.12. as the year, the month and the day; the next or last one where the year is left out."""
        day, month = int(found[1]), int(found[2])
        today = (self._base.month, self._base.day)
        other = -((month, day) > today) if self._past else (month, day) < today
        year = found[3] or self._base.year + other
        return f"{year}-{month:02}-{day:02}"

    def _parse_phrase(self, phrase: str, base: datetime | None = None) -> _Read | None:
        from dateparser.date import DateDataParser

        parser = DateDataParser(languages=self._known, settings=cast(Any, self._parser_settings(base or self._base)))
        try:
            found = parser.get_date_data(phrase) if phrase.strip() else None
        except (OverflowError, ValueError):
            # dateparser stumbles over years that a date cannot have.
            return None
        if found is None or found.date_obj is None or found.date_obj.year not in _YEARS:
            return None
        moment = found.date_obj
        return _Read(moment.astimezone().replace(tzinfo=None) if moment.tzinfo else moment, found.period or "")

    def _parser_settings(self, base: datetime) -> dict[str, object]:
        return {
            "RELATIVE_BASE": base,
            "PREFER_DATES_FROM": "past" if self._past else "future",
            "RETURN_TIME_AS_PERIOD": True,
            "DATE_ORDER": "MDY" if _system_locale() in ("", "C", "POSIX", "en_US") else "DMY",
        }


def languages_of(phrase: str) -> tuple[str, ...]:
    """The languages in which a phrase may be that those that are always read do not know, by its first letter."""
    letter = next(filter(str.isalpha, phrase), "a")
    return _BY_SCRIPT.get(unicodedata.name(letter, "").split(" ")[0].split("-")[0], FURTHER)


def _system_locale() -> str:
    named = next((os.environ[name] for name in ("LC_ALL", "LC_TIME", "LANG") if os.environ.get(name)), "")
    return named.partition(".")[0]


def _tried_languages() -> list[str]:
    from dateparser.data.languages_info import language_order

    own = _system_locale().partition("_")[0]
    return [*LANGUAGES, own] if own in language_order and own not in LANGUAGES else list(LANGUAGES)


def _as_clock(at: re.Match[str]) -> str:
    """An hour with its minutes: 20:30 of "às 8 e meia da noite"."""
    later = 12 if at["evening"] and int(at["hour"]) < 12 else 0
    return f"{int(at['hour']) + later}:{'30' if at['half'] else at['minute'] or '00'}"
