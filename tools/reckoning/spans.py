"""Lengths of time: read from words, added to moments, measured between them; knows nothing of clocks and zones."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from dateutil.relativedelta import relativedelta

from tools.reckoning.numerals import NUMBER_PATTERN, decimal_text, plain_signs, read_number
from utils.errors import ToolError

WORKDAYS = 10_000
"""The most working days that are counted off."""
_LARGEST_AMOUNT = 10**9
_UNITS = {
    "seconds": "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos secondo secondi",
    "minutes": "m min mins minute minutes minuten minuto minutos minuti minuut",
    "hours": "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren",
    "days": "d day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen",
    "weeks": "w wk week weeks woche wochen semaine semaines semana semanas settimana settimane weken",
    "months": "month months mo monat monate monaten mois mes meses mese mesi mês maand maanden",
    "quarters": "quarter quarters quartal quartale",
    "years": "y yr yrs year years jahr jahre jahren an ans année années año años anno anni ano anos jaar jaren",
    "decades": "decade decades jahrzehnt jahrzehnte décennie décennies década décadas decennio decenni",
    "centuries": "century centuries jahrhundert jahrhunderte siècle siècles siglo siglos secolo secoli",
    "workdays": "workday workdays weekday weekdays werktag werktage werktagen arbeitstag arbeitstage arbeitstagen",
}
_UNIT = {word: unit for unit, words in _UNITS.items() for word in words.split()}
_SECONDS_BY_UNIT = {"seconds": 1, "minutes": 60, "hours": 3600}
_DAYS_BY_UNIT = {"days": 1, "weeks": 7}
_MONTHS_BY_UNIT = {"months": 1, "quarters": 3, "years": 12, "decades": 120, "centuries": 1200}
_COUNTS = {
    word: count
    for count, words in enumerate(
        [
            "a an one ein eine einen einem einer un une uno una um uma een",
            "two zwei deux dos due dois duas twee",
            "three drei trois tres tre três drie",
            "four vier quatre cuatro quattro quatro",
            "five fünf cinq cinco cinque vijf",
            "six sechs seis sei zes",
            "seven sieben sept siete sette sete zeven",
            "eight acht huit ocho otto oito",
            "nine neun neuf nueve nove negen",
            "ten zehn dix diez dieci dez tien",
            "eleven elf onze once undici",
            "twelve zwölf douze doce dodici doze twaalf",
        ],
        1,
    )
    for word in words.split()
}
_BACK = re.compile(r"^(?:-|minus |vor |il y a |hace |há )|\b(?:ago|earlier|before|back|zuvor|früher|fa|geleden)$")
_ON = re.compile(
    r"^(?:\+|plus |in |after |nach |dans |après |en |dentro de |tra |fra |em |over |na )|\b(?:later|from now)$"
)
_HALF = re.compile(r"\bhalf an? |\b(?:eine )?halbe |\b(?:une )?demi-")
_MIXED_FRACTION = re.compile(r"(?<!\d)(?:(\d+) )?(\d+)[/⁄]([1-9]\d*)")
_JOINED = re.compile(r"(?:,|&|\+|\band\b|\bund\b|\bet\b|\by\b(?! *$)|\be\b|\ben\b)")
_CLOCK_SPAN = re.compile(r"(\d{1,4}):(\d{2})(?::(\d{2}))?")
_AMOUNT_AND_UNIT = re.compile(rf"\s*(?:({NUMBER_PATTERN.pattern})|([^\W\d_]+))\s*([^\W\d_]+)")


@dataclass(frozen=True)
class Span:
    """A length of time, as it is added: months and days by the calendar, then Mondays to Fridays, then seconds."""

    months: int = 0
    days: int = 0
    workdays: int = 0
    seconds: int = 0

    @property
    def by_day(self) -> bool:
        """Whether only whole days are in it."""
        return not self.seconds

    def __neg__(self) -> "Span":
        return Span(-self.months, -self.days, -self.workdays, -self.seconds)


@dataclass(frozen=True)
class Between:
    """What lies between two days: all of it in years, months and days by the calendar, and the number of days."""

    years: int
    months: int
    days: int
    total_days: int


def read_span(text: str) -> Span:
    """The length that a text names: `2 h 35 min`, `-3 weeks`, `2:35`; raises `ToolError`."""
    rest = plain_signs(text).casefold().strip(" .")
    if not rest:
        raise ToolError("There is no length of time: write one like 10 days, -3 weeks or 2 h 35 min.")
    back = bool(_BACK.search(rest))
    rest = _ON.sub("", _BACK.sub("", rest)).strip()
    rest = re.sub(r"\b(?:business|working|work) days?\b", "workdays", rest)
    clock = _CLOCK_SPAN.fullmatch(rest)
    if clock:
        span = Span(seconds=int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3] or 0))
    else:
        span = _spelt_out(_MIXED_FRACTION.sub(_mixed_to_decimal, _HALF.sub("0.5 ", rest)), text)
    return -span if back else span


def move_moment(at: datetime, span: Span) -> datetime:
    """An aware local time moved on; raises `ToolError`.

    Days keep the time of the clock, hours are as long as they are, also where the clock is changed between.
    """
    try:
        local = at.astimezone().replace(tzinfo=None) + relativedelta(months=span.months, days=span.days)
        moved = _over_workdays(local, span.workdays).astimezone()
        return (moved.astimezone(UTC) + timedelta(seconds=span.seconds)).astimezone()
    except (OverflowError, ValueError) as error:
        raise ToolError("That is beyond the calendar, which has the years 1 to 9999.") from error


def days_between(start: date, end: date) -> Between:
    """What lies between two days, `end` not before `start`."""
    parts = relativedelta(end, start)
    return Between(parts.years, parts.months, parts.days, (end - start).days)


def told_days(between: Between) -> str:
    """`36 years, 8 months and 9 days; 13,403 days; 1,914 weeks and 5 days`."""
    weeks, days = divmod(between.total_days, 7)
    told = [_told_total(between)]
    if between.years or between.months:
        told.insert(0, _told_by_calendar(between))
    if weeks:
        told.append(_count_units({"week": weeks, "day": days}))
    return "; ".join(told)


def told_distance(between: Between) -> str:
    """`263 days`, from a year on with its years: `36 years, 8 months and 9 days (13,403 days)`: so ages are told."""
    total = _told_total(between)
    return f"{_told_by_calendar(between)} ({total})" if between.years else total


def _told_total(between: Between) -> str:
    return f"{between.total_days:,} day{'s' * (between.total_days != 1)}"


def _told_by_calendar(between: Between) -> str:
    return _count_units({"year": between.years, "month": between.months, "day": between.days})


def told_seconds(seconds: int) -> str:
    """`3 hours and 25 minutes`, with days where there are some, and seconds where they are not 0."""
    hours, rest = divmod(seconds, 3600)
    days, within = divmod(hours, 24)
    clock = {"minute": rest // 60, "second": rest % 60}
    told = _count_units({"hour": hours} | clock) or "no time"
    return f"{_count_units({'day': days, 'hour': within} | clock)} ({told})" if days else told


def told_span(span: Span) -> str:
    """`plus 1 year, 2 months and 3 days`, `minus 3 days`."""
    back = (span.months or span.days or span.workdays or span.seconds) < 0
    length = -span if back else span
    parts = {
        "year": length.months // 12,
        "month": length.months % 12,
        "day": length.days,
        "working day": length.workdays,
        "hour": length.seconds // 3600,
        "minute": length.seconds // 60 % 60,
        "second": length.seconds % 60,
    }
    return f"{'minus' if back else 'plus'} {_count_units(parts) or 'nothing'}"


def _count_units(parts: dict[str, int]) -> str:
    told = [f"{count:,} {unit}{'s' * (count != 1)}" for unit, count in parts.items() if count]
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def _spelt_out(text: str, written: str) -> Span:
    """The sum of numbers with units."""
    amounts: dict[str, Fraction] = {}
    joined = " ".join(_JOINED.sub(" ", text).split())
    at = 0
    while at < len(joined):
        piece = _AMOUNT_AND_UNIT.match(joined, at)
        if piece is None or piece[3] not in _UNIT:
            raise _unreadable_span(written)
        number = read_number(piece[1]) if piece[1] else _COUNTS.get(piece[2])
        if number is None:
            raise _unreadable_span(written)
        amounts[_UNIT[piece[3]]] = amounts.get(_UNIT[piece[3]], Fraction(0)) + number
        at = piece.end() + (joined[piece.end() : piece.end() + 1] == ".")
    months = _add_up(amounts, _MONTHS_BY_UNIT)
    days = _add_up(amounts, _DAYS_BY_UNIT)
    seconds = _add_up(amounts, _SECONDS_BY_UNIT) + (days % 1) * 86_400
    workdays = amounts.get("workdays", Fraction(0))
    if months.denominator != 1 or workdays.denominator != 1:
        raise ToolError(
            "Months, years and working days are counted whole: write 18 months, not 1.25 years or the like."
        )
    if max(months, days, seconds) > _LARGEST_AMOUNT * 1000 or workdays > WORKDAYS:
        raise ToolError("That is beyond the calendar, which has the years 1 to 9999.")
    return Span(int(months), int(days), int(workdays), round(seconds))


def _add_up(amounts: dict[str, Fraction], factors: dict[str, int]) -> Fraction:
    return sum((amounts.get(unit, Fraction(0)) * factor for unit, factor in factors.items()), Fraction(0))


def _unreadable_span(written: str) -> ToolError:
    return ToolError(f'"{written[:60]}" is no length of time: write one like 10 days, -3 weeks or 2 h 35 min.')


def _over_workdays(at: datetime, count: int) -> datetime:
    step = timedelta(days=1 if count > 0 else -1)
    while count:
        at += step
        if at.weekday() < 5:
            count -= 1 if count > 0 else -1
    return at


def _mixed_to_decimal(mixed: re.Match[str]) -> str:
    return decimal_text(int(mixed[1] or 0) + Fraction(int(mixed[2]), int(mixed[3])))
