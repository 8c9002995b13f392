"""Numbers, times and dates of a text, in any script and in the ways that a dozen languages write them."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from utils.languages.lexicon import load_lexicon
from utils.languages.scripts import UNSEGMENTED

_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_NOBODY = re.compile(r"\bno[ -]one\b", re.IGNORECASE)
"""Says a number and a negation, and is neither of them."""
_NUMBER_FORM = r"\d{1,3}(?:[.,'’٬\u00a0\u202f ]\d{3}(?!\d))+(?:[.,٫]\d+)?|\d+(?:[.,٫]\d+)?"
_CJK_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000}
_HALF_DAYS = r"a\.?m\b\.?|p\.?m\b\.?"
_HOUR_WORDS = r"uhr\b|o['’]clock\b|h\b|heures?\b|часов\b|часа\b|giờ\b|(?:時|时)(?![間间])|点|點|시(?!간)"
_BESIDE_MINUTES = r"h|heures?|uhr|uur|時|时|点|點|시"
"""What stands between hours and minutes: "20 h 30"."""
_FORENOON = "上午|早上|早晨|清晨|凌晨|午前|朝|오전|새벽|아침"
_ABOUT_NOON = "中午|正午|昼"
_AFTERNOON = "下午|傍晚|午後|夕方|오후|저녁"
_NIGHT = "晚上|夜里|夜裡|夜晚|今晚|深夜|半夜|夜|밤"
_TOLD_BEFORE_HOUR = (
    rf"(?:(?P<forenoon>{_FORENOON})|(?P<noon>{_ABOUT_NOON})|(?P<afternoon>{_AFTERNOON})|(?P<night>{_NIGHT}))"
)
FIRST_AT_NOON, LAST_OF_NIGHT = 10, 5
"""The hour from which on one before twelve may be told as of noon, and up to which one told as of the night is of the
next day."""
_CJK_HOUR = r"(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,3})\s?[時时点點시](?![都也儿兒没沒不东東間间간])"
_HALF_PAST = r"(?P<past>半(?![价價日天程数數年])|반(?:(?=에|부터|까지)|(?![가-힣])))"
_CJK_MINUTE = rf"\s?(?:(?P<minute>[0-5]?\d|[零〇一二三四五六七八九十]{{1,3}})\s?[分분]|{_HALF_PAST})"
_NO_THINGS = r"(?!\s?(?:[€$£]|euros?\b|eur\b|chf\b|personnes?\b|enfants\b|places\b|gäste|kinder|personen|plätze))"
"""What does not stand behind minutes: "20 Uhr 15 Euro"."""
_THING = re.compile(r"\s[^\W\d_]{3}")
_TELLS_DAY = re.compile(
    r"(?<![^\W\d_])(?:the|on|at|by|from|until|till|to|am|um|ab|bis|der|den|dem|vom|zum|le|du|au|à|el|las?|al|del|il|dal|alle|ore"
    r"|o|às|ao|do|op|om|van|tot|den|kl\.?|o|od|do|с|до|в|з|о|στις|από)\s$"
)
"""Words before a number that may be a day of the month or an hour: "until the 15 they are closed"."""
_ORDINAL = r"(?:st|nd|rd|th|er|º|°|\.|ª)?"
_DURATION = re.compile(
    r"(?<![\w:.,])(?:\d{1,3}|[^\W\d_]{2,12})[ -](?:days?|weeks?|months?|years?|tagen?|wochen?|monaten?|jahren?|jours?"
    r"|semaines?|mois|ans|années?|d[ií]as?|semanas?|mes(?:es)?|años?|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|m[êe]s(?:es)?|anos?"
    r"|dagen|weken|maanden|dni|tygodni\w*|miesi\w+|lat|дн\w{1,2}|недел\w|месяц\w{0,2}|лет)\b",
    re.IGNORECASE,
)
_OF_WORDS = r"(?:\s*(?:de|of|del|ngày)\s+|\s*[-,]?\s*)"


@dataclass(frozen=True)
class Quantity:
    """A number, time or date as it stands in a text."""

    required: frozenset[str]
    """What a passage must say one of, so that it says this."""
    offered: frozenset[str]
    """What this says, where it stands in a passage."""
    start: int
    end: int
    exact: bool = True
    """False for number words, which a passage may also say by listing what it counts."""


def normalize_text(text: str) -> str:
    """Digits of all scripts as ASCII ones, compatible forms of letters as one, nobody as one word."""
    for sign, decimal in _FRACTIONS.items():
        text = text.replace(sign, decimal)
    text = _NOBODY.sub("nobody", text)
    text = unicodedata.normalize("NFKC", text)
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def find_quantities(text: str) -> list[Quantity]:
    """What stands in a normalized text, in its order."""
    found: list[Quantity] = []
    text = text.casefold()
    for pattern, read in _quantity_patterns():
        for match in pattern.finditer(text):
            found += read(match)
        # What was read is blotted out, so that a date's day is not a number as well.
        text = pattern.sub(_blot_out, text) if found else text
    return sorted(found, key=lambda quantity: quantity.start)


def quantities_in(text: str) -> list[Quantity]:
    """What stands in a text as it was written; the places are those in the normalized one."""
    return find_quantities(normalize_text(text))


def all_offered(quantities: Iterable[Quantity]) -> frozenset[str]:
    """All that some quantities say."""
    return frozenset().union(*(quantity.offered for quantity in quantities))


@cache
def _quantity_patterns() -> list[tuple[re.Pattern[str], Callable[[re.Match[str]], list[Quantity]]]]:
    """In the order in which they are tried."""
    lexicon = load_lexicon()
    months = _any_of(lexicon.months)
    scales = _any_of(lexicon.scales)
    numbers = _any_of(lexicon.numbers)
    return [
        (re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})\b"), _read_date),
        (re.compile(r"\b(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})\b"), _read_date),
        (re.compile(r"(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月(?:\s*(?P<day>\d{1,2})\s*日)?"), _read_date),
        (re.compile(r"(?P<month>\d{1,2})\s*月(?:\s*(?P<day>\d{1,2})\s*日)?"), _read_date),
        (re.compile(rf"(?<!\d)(?P<day>\d{{1,2}}){_ORDINAL}{_OF_WORDS}(?P<name>{months})(?![^\W\d_])"), _read_date),
        (re.compile(rf"(?<![^\W\d_])(?P<name>{months})\.?\s+(?P<day>\d{{1,2}}){_ORDINAL}(?![\d:])"), _read_date),
        (re.compile(rf"(?<![^\W\d_])(?P<name>{months})(?![^\W\d_])"), _read_month),
        (re.compile(rf"(?<![^\W\d_])(?:{_any_of(lexicon.weekdays)})(?![^\W\d_])"), _read_weekday),
        (re.compile(rf"{_TOLD_BEFORE_HOUR}\s?{_CJK_HOUR}(?:{_CJK_MINUTE})?"), _read_cjk_time),
        (re.compile(rf"{_TOLD_BEFORE_HOUR}\s?(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)"), _read_cjk_time),
        (re.compile(rf"(?<![\d.,:]){_CJK_HOUR}{_CJK_MINUTE}"), _read_cjk_time),
        (re.compile(rf"(?<!\d)(?P<hour>\d{{1,2}})[:.h](?P<minute>\d\d)\s*(?P<half>{_HALF_DAYS})"), _read_time),
        (re.compile(rf"(?<!\d)(?P<hour>\d{{1,2}})[:.h](?P<minute>\d\d)\s*(?:{_HOUR_WORDS})"), _read_time),
        (re.compile(r"(?<![\d:])(?P<hour>\d{1,2})[:h](?P<minute>\d\d)(?![\d:])"), _read_time),
        (re.compile(rf"(?<![\d.,])(?P<hour>\d{{1,2}})\s*(?P<half>{_HALF_DAYS})"), _read_time),
        (
            re.compile(
                rf"(?<![\d.,:])(?P<hour>\d{{1,2}})\s?(?:{_BESIDE_MINUTES})\s?(?P<minute>[0-5]\d)(?!\d){_NO_THINGS}"
            ),
            _read_time,
        ),
        (re.compile(rf"(?<![\d.,])(?P<hour>\d{{1,2}})\s*(?:{_HOUR_WORDS})"), _read_time),
        (
            re.compile(rf"(?P<number>{_NUMBER_FORM})(?:[\s-]?(?P<scale>{scales})(?![^\W\d_{UNSEGMENTED}]))?"),
            _read_number,
        ),
        (re.compile(rf"(?<![^\W\d_])({numbers})(?:[- ]({numbers}))?(?![^\W\d_])"), _number_word),
        (re.compile(r"[零一二三四五六七八九〇两十百千]+"), _cjk_number),
    ]


def _any_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=lambda name: -len(name)))


def _blot_out(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _make_quantity(match: re.Match[str], required: set[str], offers: set[str], *, exact: bool = True) -> Quantity:
    return Quantity(frozenset(required), frozenset(required | offers), match.start(), match.end(), exact)


def _read_date(match: re.Match[str]) -> list[Quantity]:
    parts = match.groupdict()
    day, year = parts.get("day"), parts.get("year")
    month = load_lexicon().months[parts["name"]] if parts.get("name") else int(parts["month"])
    found = [_make_quantity(match, {str(int(year))}, set())] if year else []
    if not day:
        return [*found, _make_quantity(match, {f"m{month}"}, set())]
    orders = {(month, int(day))}
    # 3/4/2020 is read in two ways.
    if "/" in match[0]:
        orders.add((int(day), month))
    required = {f"d{m}-{d}" for m, d in orders}
    offers = {f"m{m}" for m, _ in orders} | {_placed(d) for _, d in orders}
    return [*found, _make_quantity(match, required, offers)]


def _read_month(match: re.Match[str]) -> list[Quantity]:
    lexicon = load_lexicon()
    near = match.string[max(0, match.start() - 8) : match.end() + 6]
    alone = match.string.strip() == match[0]
    dated = alone or re.search(r"\d{4}|\b(?:in|since|until|of|en|im|seit|de)\s", near)
    if match[0] in lexicon.ambiguous_months and not dated:
        return []
    return [_make_quantity(match, {f"m{lexicon.months[match[0]]}"}, set())]


def _read_weekday(match: re.Match[str]) -> list[Quantity]:
    return [_make_quantity(match, {f"w{load_lexicon().weekdays[match[0]]}"}, set())]


def _read_time(match: re.Match[str]) -> list[Quantity]:
    parts = match.groupdict()
    hour, minute, half = int(parts["hour"]), int(parts.get("minute") or 0), parts.get("half")
    if hour > 24 or minute > 59 or (half and hour > 12):
        return list(_read_plain(match))
    return _time(match, hour, minute, half or "")


def _read_cjk_time(match: re.Match[str]) -> list[Quantity]:
    parts = match.groupdict()
    hour = _cjk_value(parts["hour"])
    minute = 30 if parts.get("past") else _cjk_value(parts["minute"]) if parts.get("minute") else 0
    if hour > 24 or minute > 59:
        return list(_read_plain(match))
    forenoon, noon, afternoon, night = (parts.get(name) for name in ("forenoon", "noon", "afternoon", "night"))
    if hour > 12 or not (forenoon or noon or afternoon or night):
        return _time(match, hour, minute, "")
    of_night = night and (hour == 12 or hour <= LAST_OF_NIGHT)
    of_noon = noon and FIRST_AT_NOON <= hour < 12
    return _time(match, hour, minute, "am" if forenoon or of_night or of_noon else "pm")


def _time(match: re.Match[str], hour: int, minute: int, half: str) -> list[Quantity]:
    """`half` is how the half of the day is told, "am" or "pm"; empty where it is not."""
    bare = {_placed(hour)} if not minute else set()
    if not half:
        # 9:00 without a half of the day is also what 9 pm may be told as.
        either = {f"t{hour % 24 * 60 + minute}"} | ({f"u{hour % 12 * 60 + minute}"} if hour <= 12 else set())
        return [_make_quantity(match, either, bare)]
    hour = hour % 12 + (12 if half.startswith("p") else 0)
    return [_make_quantity(match, {f"t{hour * 60 + minute}"}, bare | {f"u{hour % 12 * 60 + minute}"})]


def _read_plain(match: re.Match[str]) -> Iterator[Quantity]:
    for number in re.finditer(r"\d+", match[0]):
        yield _make_quantity(match, {str(int(number[0]))}, set())


def _read_number(match: re.Match[str]) -> list[Quantity]:
    values = _possible_values(match["number"])
    scale = match["scale"]
    scaled = {value.scaleb(load_lexicon().scales[scale]) for value in values} if scale else set()
    required = {_canonical_number(value) for value in scaled or values}
    if not scale and match["number"].isdigit() and not _counts_something(match):
        required.add(_placed(int(match["number"])))
    return [_make_quantity(match, required, {_canonical_number(value) for value in values})]


def _placed(number: int) -> str:
    """What the day of a date or an hour says: the 15th and 3 o'clock, and not 15 or 3 of anything."""
    return f"o{number}"


def _counts_something(match: re.Match[str]) -> bool:
    """Whether a number has the word of a thing behind it, and none before it with which days and hours are told."""
    return bool(_THING.match(match.string, match.end())) and not _TELLS_DAY.search(match.string, 0, match.start())


def _possible_values(written: str) -> set[Decimal]:
    """1,490 is read as 1490 and as 1.49: which of them depends on the language."""
    plain = re.sub(r"['’٬\u00a0\u202f ]", "", written).replace("٫", ",")
    signs = re.findall(r"[.,]", plain)
    if not signs:
        return {Decimal(plain)}
    if len(set(signs)) == 2 or len(signs) > 1:
        # The last sign is the decimal one if it occurs once and others came before it.
        decimal = signs[-1] if len(set(signs)) == 2 else ""
        whole = re.sub(r"[.,]", lambda sign: "." if sign[0] == decimal else "", plain)
        return {Decimal(whole)}
    values = {Decimal(plain.replace(",", "."))}
    if re.search(r"[.,]\d{3}$", plain):
        values.add(Decimal(re.sub(r"[.,]", "", plain)))
    return values


def _canonical_number(value: Decimal) -> str:
    return format(value.normalize(), "f")


def _number_word(match: re.Match[str]) -> list[Quantity]:
    values = [load_lexicon().numbers[word] for word in match.groups() if word]
    # Twenty-four is one number, two or three are two.
    if len(values) == 2 and values[0] >= 20 and values[1] < 10:
        values = [sum(values)]
    return [_make_quantity(match, {str(value)}, set(), exact=False) for value in values]


def _cjk_number(match: re.Match[str]) -> list[Quantity]:
    value = _cjk_value(match[0])
    # One, which is an article as well, says nothing.
    return [_make_quantity(match, {str(value)}, set(), exact=False)] if value > 1 else []


def _cjk_value(written: str) -> int:
    if written.isdecimal():
        return int(written)
    total = digits = 0
    for sign in written:
        if sign in _CJK_UNITS:
            total += (digits or 1) * _CJK_UNITS[sign]
            digits = 0
        else:
            digits = digits * 10 + _CJK_DIGITS[sign]
    return total + digits


def without_durations(text: str) -> str:
    """A text without numbers of days and more, in figures or words, in a dozen languages: six months are no hour."""
    return _DURATION.sub(" ", text)
