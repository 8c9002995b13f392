"""The tool that knows calendar and clock: what day it is, a moment moved, the time between, the time elsewhere."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from tools.reckoning.spans import (
    Span,
    days_between,
    move_moment,
    read_span,
    told_days,
    told_distance,
    told_seconds,
    told_span,
)
from tools.reckoning.zones import split_place, zones_of
from utils.errors import ToolError
from utils.languages.moments import MomentReader, Named, languages_of
from utils.text import one_line

MAX_PHRASE_CHARS = 80
"""Characters of a date, a length or a place."""
_NOW = frozenset(
    {"", "now", "right now", "current time", "jetzt", "maintenant", "ahora", "adesso", "ora", "agora", "nu"}
)
_TODAY = frozenset({"today", "current date", "heute", "aujourd'hui", "hoy", "oggi", "hoje", "vandaag"})
_NAMED_HOURS = {
    **dict.fromkeys(["noon", "midday", "mittag", "mittags", "midi", "mediodía", "mezzogiorno", "meio-dia"], "12:00"),
    **dict.fromkeys(["midnight", "mitternacht", "minuit", "medianoche", "mezzanotte", "meia-noite"], "0:00"),
}
_CLOCK_TIME = re.compile(
    r"(?:(?:at|um|à|a las|alle|às|om|ab) )?(\d{1,2})(?:[:.h](\d{2})(?::(\d{2}))?)?\s*"
    r"(a\.?m\.?|p\.?m\.?|uhr|h|heures?|uur|o'clock)?",
    re.I,
)
_FIXED_DAYS = {
    (12, 25): "christmas, christmas day, xmas, weihnachten, noël, navidad, natale, natal, kerst",
    (12, 24): "christmas eve, heiligabend, heiliger abend, nochebuena",
    (12, 31): "new year's eve, silvester, nochevieja, capodanno",
    (1, 1): "new year, new year's day, neujahr, nouvel an, año nuevo",
    (10, 31): "halloween",
    (2, 14): "valentine's day, valentinstag",
}
_FEASTS = {name: day for day, names in _FIXED_DAYS.items() for name in names.split(", ")}
_YEAR_AND_MORE = timedelta(days=382)


@dataclass(frozen=True)
class Moment:
    """An aware local time; of a `day` the time is midnight and means nothing, of a `clock` the day is today."""

    at: datetime
    kind: Literal["day", "clock", "time"]

    @property
    def day(self) -> date:
        """Its local day."""
        return self.at.astimezone().date()


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DateAndTime:
    """The tool, by the clock that it is given; days and hours are those of the system's zone."""

    def __init__(self, now: Callable[[], datetime] = _utc_now) -> None:
        self._now = now

    async def date_and_time(self, start: str = "now", until: str = "", plus: str = "", zone: str = "") -> str:
        """Tell the date or time now, after a length, between two moments (also an age), or elsewhere.

        Args:
            start: "now", a date or a time, e.g. "1990-03-14", "next Friday", "9:48", "16:00 Berlin time".
            until: A second one, for the time between.
            plus: A length that is added, e.g. "10 days", "-3 weeks", "2 h 35 min".
            zone: A city or country, for the time there.
        """
        return await asyncio.to_thread(reckon_time, self._now(), start, until, plus, zone)


def reckon_time(now: datetime, start: str = "now", until: str = "", plus: str = "", zone: str = "") -> str:
    """What the tool says at the aware time `now`; raises `ToolError`."""
    start, until, plus, zone = (one_line(text, MAX_PHRASE_CHARS) for text in (start, until, plus, zone))
    (start, here), (until, there) = split_place(start), split_place(until)
    first, last = read_both(start, until, now)
    first = _by_clock_of(here, first, now)
    last = _by_clock_of(there or here, last, now) if last else None
    told: list[str] = []
    if plus:
        span = read_span(plus)
        moved = moved_on(first, span)
        told.append(f"{told_moment(first)} {told_span(span)} is {_landing_text(first, moved)}.")
        first = moved
    if last:
        told.append(told_between(first, last))
    if zone:
        told += [told_elsewhere(first, zone, now, here)]
    return " ".join(told) or told_alone(first, now)


def _by_clock_of(place: str, moment: Moment, now: datetime) -> Moment:
    """What the clock of a place shows as the moment that it is; a day, and what names no place, as it is.

    Raises `ToolError` for a country with several zones.
    """
    if not place or moment.kind == "day":
        return moment
    zones = zones_of(place, now)
    if len(zones) > 1:
        raise ToolError(f'There are several time zones in "{place}": name a city.')
    return Moment(moment.at.astimezone().replace(tzinfo=next(iter(zones.values()))), "time")


def read_both(start: str, until: str, now: datetime) -> tuple[Moment, Moment | None]:
    """Two moments, the second None where it is left out; a date without its year is in the one that fits the other."""
    back = until.casefold() in _NOW | _TODAY
    first = read_moment(start, now, past=bool(until) and back)
    if not until:
        return first, None
    last = read_moment(until, now)
    if "clock" in (first.kind, last.kind) or last.at >= first.at:
        return first, last
    if _has_no_year(until, now):
        last = read_moment(until, first.at)
    elif _has_no_year(start, now):
        first = read_moment(start, last.at, past=True)
    return first, last


def read_moment(text: str, now: datetime, *, past: bool = False) -> Moment:
    """The moment that a text names, as seen from `now`; raises `ToolError`."""
    local, word = now.astimezone(), " ".join(text.casefold().split())
    if word in _NOW:
        return Moment(local, "time")
    if word in _TODAY:
        return Moment(_local_midnight(local.date()), "day")
    try:
        found = (
            _written_out(_NAMED_HOURS.get(word, text.strip()), local)
            or _find_feast(word, local.date(), past)
            or _in_words(text, now, past)
        )
    except (OverflowError, ValueError) as error:
        raise ToolError("That is beyond the calendar, which has the years 1 to 9999.") from error
    if found is None:
        raise ToolError(f'"{text}" is no date or time: write it like 2026-12-01, 17:30 or "next Friday".')
    return found


def moved_on(moment: Moment, span: Span) -> Moment:
    """A moment moved by a length; raises `ToolError`."""
    kind = moment.kind if moment.kind != "day" or span.by_day else "time"
    return Moment(move_moment(moment.at, span), "time" if kind == "clock" and span.by_day else kind)


def told_moment(moment: Moment) -> str:
    """`Sunday, 22 November 2026, 10:30`, of a day or a time of day that alone."""
    at = moment.at.astimezone()
    clock = f"{at:%H:%M:%S}" if at.second and moment.kind == "clock" else f"{at:%H:%M}"
    day = f"{at:%A}, {at.day} {at:%B} {at.year}"
    return {"day": day, "clock": clock, "time": f"{day}, {clock}"}[moment.kind]


def told_alone(moment: Moment, now: datetime) -> str:
    """A moment with its zone, its week and how far it is from now."""
    at, today = moment.at.astimezone(), now.astimezone().date()
    away = (moment.day - today).days
    if moment.kind != "day":
        offset = f"{at:%z}"
        zone = f"{at:%Z}, UTC{offset[:3]}:{offset[3:5]}"
        told = f"{told_moment(replace(moment, kind='time'))} ({zone})"
    else:
        told = told_moment(moment)
    if at == now or (moment.kind == "day" and away == 0):
        # A sentence: of it a model that tells it on leaves less out.
        told = f"Today is {told}"
    length = told_distance(days_between(*sorted((moment.day, today))))
    distance = f"; {length} {'from now' if away > 0 else 'ago'}" if away else ""
    return f"{told}; ISO week {at.isocalendar().week}, day {at.timetuple().tm_yday} of the year{distance}."


def told_between(first: Moment, last: Moment) -> str:
    """The time between two moments, in days unless both are times."""
    if first.kind == last.kind == "clock" and last.at < first.at:
        last = replace(last, at=move_moment(last.at, Span(days=1)))
        between = told_seconds(int((last.at - first.at).total_seconds()))
        return f"From {told_moment(first)} until {told_moment(last)} the next day: {between}."
    if "clock" in (first.kind, last.kind) and "day" in (first.kind, last.kind):
        raise ToolError("Give start and until both as dates or both as times.")
    if last.kind == "clock" and first.kind == "time" and last.at < first.at:
        last = Moment(move_moment(last.at, Span(days=1)), "time")
    if "day" in (first.kind, last.kind):
        first, last = replace(first, kind="day"), replace(last, kind="day")
    if last.day < first.day or (first.kind != "day" and last.at < first.at):
        return f"{told_moment(last)} is before {told_moment(first)}, by {_length_between(last, first)}."
    return f"From {told_moment(first)} until {told_moment(last)}: {_length_between(first, last)}."


def told_elsewhere(moment: Moment, zone: str, now: datetime, here: str = "") -> str:
    """The time in a zone, or in each of a country, when it is `moment` here, or in a place; raises `ToolError`."""
    at = now if moment.kind == "day" else moment.at
    told = []
    for name, there in zones_of(zone, at).items():
        moved = at.astimezone(there)
        offset = f"{moved:%z}"
        told.append(
            f"{moved:%A}, {moved.day} {moved:%B} {moved.year}, {moved:%H:%M} in {name} (UTC{offset[:3]}:{offset[3:5]})"
        )
    if here:
        return f"{zone}: {'; '.join(told)}; in {here} it is {at:%A, %H:%M}."
    return f"{zone}: {'; '.join(told)}; here it is {at.astimezone():%A, %H:%M}."


def _length_between(first: Moment, last: Moment) -> str:
    if first.kind == "day":
        return told_days(days_between(first.day, last.day))
    seconds = round((last.at - first.at).total_seconds())
    # Seconds count where both were given by the clock, not where one is the present.
    return told_seconds(seconds if first.kind == last.kind == "clock" else seconds // 60 * 60)


def _landing_text(first: Moment, moved: Moment) -> str:
    """Where a moment came to; of a time of day, on which day after."""
    if moved.kind != "clock":
        return told_moment(moved)
    days = (moved.day - first.day).days
    on = {0: "", 1: " the next day", -1: " the day before"}.get(
        days, f" {abs(days):,} days {'later' if days > 0 else 'before'}"
    )
    return f"{told_moment(moved)}{on}"


def _written_out(text: str, local: datetime) -> Moment | None:
    """A moment in the form of ISO 8601, or a time of day."""
    if re.match(r"\d{4}-\d|\d{8}T?", text):
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            return None
        if len(text) <= 10 and found.time() == time():
            return Moment(_local_midnight(found.date()), "day")
        return Moment(found.astimezone(), "time")
    clock = _CLOCK_TIME.fullmatch(text)
    if clock is None or not (clock[2] or clock[4]):
        return None
    hour, half = int(clock[1]), (clock[4] or "").replace(".", "").lower()
    if half in ("am", "pm") and 0 < hour <= 12:
        hour = hour % 12 + 12 * (half == "pm")
    if hour > 24 or int(clock[2] or 0) > 59 or int(clock[3] or 0) > 59:
        return None
    at = datetime.combine(local.date(), time(hour % 24, int(clock[2] or 0), int(clock[3] or 0)))
    return Moment(at.astimezone(), "clock")


def _find_feast(word: str, today: date, past: bool) -> Moment | None:
    name, _, year = re.sub(r" (\d{4})$", r"|\1", word).partition("|")
    if name not in _FEASTS and name not in ("easter", "ostern", "pâques", "pascua", "pasqua", "páscoa", "pasen"):
        return None
    from dateutil.easter import easter

    def in_year(number: int) -> date:
        return date(number, *_FEASTS[name]) if name in _FEASTS else easter(number)

    if year:
        return Moment(_local_midnight(in_year(int(year))), "day")
    days = [in_year(today.year + more) for more in (-1, 0, 1)]
    return Moment(
        _local_midnight(max(d for d in days if d <= today) if past else min(d for d in days if d >= today)), "day"
    )


def _in_words(text: str, now: datetime, past: bool) -> Moment | None:
    named = _read_named(text, now, past)
    return Moment(named.at, "time" if named.timed else "day") if named else None


def _read_named(text: str, now: datetime, past: bool) -> Named | None:
    found = MomentReader(now, past=past).name_moment(text)
    return found or MomentReader(now, past=past, languages=languages_of(text)).name_moment(text)


def _has_no_year(text: str, now: datetime) -> bool:
    """Whether a text names the same day of another year when it is read in another one."""
    if re.search(r"\d{4}", text):
        return False
    one, other = (read_moment(text, base).day for base in (now, now + _YEAR_AND_MORE))
    return (one.month, one.day) == (other.month, other.day) or " ".join(text.casefold().split()) in ("easter", "ostern")


def _local_midnight(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone()
