"""Time zones by the names of cities and countries in several languages; only importer of babel."""

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from utils.errors import ToolError

_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
_FURTHER = ("ru", "ja", "zh", "ko", "ar", "hi", "pl", "tr", "sv", "cs", "el", "he")
# Big cities and short names that are in no table of zones.
_PLACES = {
    "America/New_York": "washington, washington dc, boston, philadelphia, atlanta, miami, "
    "nyc, orlando, est, edt, et, eastern",
    "America/Chicago": "houston, dallas, austin, new orleans, minneapolis, st louis, ct, cst, cdt, central, texas",
    "America/Denver": "salt lake city, mountain, mst, mdt",
    "America/Los_Angeles": "san francisco, seattle, san diego, las vegas, portland, silicon valley, "
    "la, pst, pdt, pt, pacific, california",
    "America/Toronto": "montreal, ottawa, quebec",
    "America/Sao_Paulo": "rio de janeiro, rio, brasilia",
    "America/Edmonton": "calgary",
    "Europe/London": "manchester, edinburgh, birmingham, liverpool, glasgow, "
    "england, scotland, wales, uk, great britain, bst",
    "Europe/Berlin": "munich, münchen, hamburg, frankfurt, cologne, köln, stuttgart, cet, cest, mez, mesz",
    "Europe/Paris": "lyon, marseille, nice, bordeaux",
    "Europe/Madrid": "barcelona, valencia, sevilla, seville",
    "Europe/Rome": "milan, milano, mailand, naples, napoli, neapel, florence, firenze, florenz, "
    "venice, venezia, venedig, turin",
    "Europe/Zurich": "geneva, genève, genf, basel, bern",
    "Europe/Amsterdam": "rotterdam, the hague, den haag",
    "Europe/Moscow": "saint petersburg, st petersburg",
    "Europe/Lisbon": "porto",
    "Europe/Istanbul": "ankara, izmir",
    "Europe/Warsaw": "krakow, gdansk",
    "Asia/Shanghai": "beijing, peking, pékin, shenzhen, guangzhou, chengdu, 北京",
    "Asia/Tokyo": "osaka, kyoto, yokohama, jst",
    "Asia/Kolkata": "mumbai, bombay, delhi, new delhi, bangalore, bengaluru, chennai, hyderabad, ist",
    "Asia/Dubai": "abu dhabi, uae",
    "Asia/Jerusalem": "tel aviv",
    "Asia/Riyadh": "mecca, medina, jeddah",
    "Asia/Bangkok": "hanoi",
    "Asia/Karachi": "islamabad, lahore",
    "Africa/Johannesburg": "cape town, kapstadt, pretoria, durban",
    "Africa/Lagos": "abuja",
    "Africa/Casablanca": "rabat, marrakech",
    "Australia/Sydney": "canberra",
    "Pacific/Auckland": "wellington, christchurch",
    "UTC": "z, zulu, utc, gmt",
}  # fmt: skip
_TERRITORIES = {"usa": "US", "us": "US", "america": "US", "holland": "NL", "korea": "KR", "czech republic": "CZ"}
_MAIN = (
    "America/New_York", "America/Chicago", "America/Denver", "America/Phoenix", "America/Los_Angeles",
    "America/Toronto",
    "America/Vancouver", "America/Winnipeg", "America/Halifax", "America/Mexico_City", "America/Sao_Paulo",
    "America/Manaus", "America/Santiago", "Europe/Moscow", "Europe/Madrid", "Europe/Lisbon", "Asia/Shanghai",
    "Asia/Jakarta", "Australia/Sydney", "Australia/Brisbane", "Australia/Perth", "Pacific/Auckland",
)  # fmt: skip
_OF_PLACE = re.compile(
    r"(?P<moment>.{0,60}\d.{0,20}?),? (?!(?:[ap]\.?m|uhr|h|o'clock)\b)"
    r"(?:in (?P<city>[^\W\d_][^\d]{1,40})|(?P<place>[^\W\d_][^\d]{1,40}?) (?:local )?time)",
    re.I,
)
"""A moment by the clock of a place: "16:00 in Berlin", "9 am Tokyo time"."""
_OFFSET = re.compile(r"(?:utc|gmt)?\s?([+-])(\d{1,2})(?::?(\d{2}))?")


def is_place(name: str) -> bool:
    """Whether a name is that of a place whose zone is known."""
    try:
        return bool(zones_of(name, datetime.now(UTC)))
    except ToolError:
        return False


def split_place(text: str) -> tuple[str, str]:
    """A moment and the place by whose clock it is meant; as it is, with no place, where none is known."""
    found = _OF_PLACE.fullmatch(text)
    place = (found["city"] or found["place"]) if found else ""
    return (found["moment"], place) if found and is_place(place) else (text, "")


def zones_of(name: str, now: datetime) -> dict[str, tzinfo]:
    """The zones of a city, a country or an IANA name by their names: one for each time that it is there `now`.

    Raises `ToolError` where none is known.
    """
    key = _name_key(name)
    offset = _OFFSET.fullmatch(key.replace("−", "-"))
    if offset and int(offset[2]) < 24 and int(offset[3] or 0) < 60:
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return {
            f"UTC{offset[1]}{int(offset[2]):02}:{offset[3] or '00'}": timezone(-ahead if offset[1] == "-" else ahead)
        }
    keys = _iana_zones().get(key) or _zones_by_place(_LANGUAGES).get(key) or _zones_by_place(_FURTHER).get(key)
    if not keys:
        raise ToolError(
            f'No zone is known for "{name[:60]}": name a big city near it, or an IANA zone like Asia/Tokyo.'
        )
    ordered = sorted(keys, key=lambda zone: (zone not in _MAIN, keys.index(zone)))
    found: dict[timedelta | None, str] = {}
    for zone in ordered:
        found.setdefault(now.astimezone(ZoneInfo(zone)).utcoffset(), zone)
    return {zone: ZoneInfo(zone) for _, zone in sorted(found.items(), key=lambda item: item[0] or timedelta())}


def _name_key(name: str) -> str:
    """What spellings of a name share."""
    bare = unicodedata.normalize("NFKD", name.casefold().replace("_", " ").replace(".", ""))
    kept = "".join(character for character in bare if not unicodedata.combining(character))
    kept = re.sub(r"^(?:in|the|at) |(?<=.) (?:time|zeit)$|,.*$", "", " ".join(kept.split()))
    return unicodedata.normalize("NFKC", kept)


@cache
def _iana_zones() -> dict[str, tuple[str, ...]]:
    names = available_timezones()
    known: dict[str, tuple[str, ...]] = {
        _name_key(name): (name,) for name in sorted(names) if "/" in name and not name.startswith(("posix", "right"))
    }
    known |= {
        _name_key(place): (zone,) for zone, places in _PLACES.items() for place in places.split(", ") if zone in names
    }
    return known


@cache
def _zones_by_place(languages: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Zones by the names of cities and countries in these languages."""
    from babel import Locale
    from babel.core import get_global

    names = available_timezones()
    of_territory: dict[str, tuple[str, ...]] = {
        code: tuple(zone for zone in zones if zone in names) for code, zones in get_global("territory_zones").items()
    }
    places: dict[str, tuple[str, ...]] = {
        _name_key(zone.rsplit("/", 1)[-1]): (zone,) for zone in sorted(names) if "/" in zone and zone[:3] != "Etc"
    }
    for language in languages:
        locale = Locale(language)
        for code, territory in locale.territories.items():
            if of_territory.get(code):
                places[_name_key(territory)] = of_territory[code]
        for zone, told in locale.time_zones.items():
            if "city" in told and zone in names:
                places[_name_key(told["city"])] = (zone,)
    places |= {name: of_territory[code] for name, code in _TERRITORIES.items()}
    return places
