"""Editions of one thing, told apart by their titles: last year's timetable beside this year's, the next model; and what
a page itself says to be no longer so."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from chatbot.models.pipeline.reading.calendar.months import month_numbers
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from rag.chunking.tables import table_rows
from rag.documents import Passage
from rag.search.rare_words import word_stems
from rag.search.stop_words import STOP_WORDS

MIN_TITLE_LIKENESS = 0.5
"""Of the words of the shorter of two titles, the share that editions of one thing have in common."""
_YEAR = r"(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)"
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_YEAR}-(?P<number>\d\d)(?:-(?P<day>\d\d))?(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:de\s+|of\s+)?(?P<name>[^\W\d_]{{3,20}})\s+(?:de\s+)?{_YEAR}",
        rf"\b(?P<name>[^\W\d_]{{3,20}})\s+(?P<day>\d{{1,2}}),?\s+{_YEAR}",
        rf"\b(?P<name>[^\W\d_]{{3,20}})\s+{_YEAR}",
        _YEAR,
    )
)
_NUMBERED_NAME = re.compile(r"(?<![^\W_])(?P<word>[^\W\d_]+)[ -]?(?P<number>\d{1,3}(?:\.\d{1,3})*)(?![\d%€$£]|[.,:]\d)")
"""A name with the number that tells one thing of that name from another: Beam 2, X5, Python 3.14."""
_LETTER_WORD = re.compile(r"[^\W\d_]+")

_VERBS = ("May", "may", "march")
"""Words of questions that are seldom months."""

_ASKS_PAST = re.compile(
    r"\b(?:was|were|did|had|(?:has|have)\b(?! to\b)|been|ago|formerly|before|used to|since when|still|any ?more"
    r"|last (?:year|season|term))\b",
    re.IGNORECASE,
)
"""What a question in English has that asks how something was."""
_OF_PRESENT = re.compile(
    r"\b(?:now|nowadays|today|currently|this year|jetzt|heute|derzeit|maintenant|aujourd['’]hui|actuellement|ahora"
    r"|hoy|adesso|oggi|agora|hoje|nu|vandaag|tegenwoordig|idag|i dag|teraz|obecnie|nyní|teď|jelenleg|acum"
    r"|сейчас|сегодня|теперь|зараз|тепер|τώρα|şimdi|bây giờ|sekarang)\b"
    r"|现在|今(?![度回後晚晩年日週月朝夜])|지금(?!까지)|الآن|עכשיו|अब(?![\u0900-\u097f])",
    re.IGNORECASE,
)
"""Words with which the present is asked about."""
_BEGINS_WITH_NOW = re.compile(
    r"^\W*(?:(?:okay|ok|so|well|and|but|right|good),? ){0,2}now\b(?! (?:is|are|does|do)\b)", re.I
)
_ASKS_EARLIER = re.compile(
    r"\b(?:was|were|did|had)\b[^?]{1,120}\b(?:before(?=\s?[?]|\W*$)|originally|previously|formerly|at first)"
    r"|\b(?:war|waren|wurde|hatte|kostete)\b[^?]{1,120}\b(?:ursprünglich|zuerst|vorher|früher)\b"
    r"|\b(?:était|étaient|avait|coûtait)\b[^?]{1,120}\b(?:à l['’]origine|au départ|auparavant|avant(?=\s?[?]))"
    r"|\b(?:era|eran|estaba|costaba)\b[^?]{1,120}\b(?:originalmente|antes(?=\s?[?]))"
    r"|\b(?:era|erano|costava)\b[^?]{1,120}\b(?:in origine|prima(?=\s?[?]))",
    re.IGNORECASE,
)
"""What asks how something was before, in some languages."""
_SINCE = re.compile(
    r"\b(?:since|from|as of|starting|seit|ab|vom|depuis|à partir d\w+|dès|desde|a partir d\w+|dal(?:l['’])?|da|vanaf"
    r"|sinds|od|från|fra|с|від|від)\b|[自从]|から|부터",
    re.IGNORECASE,
)
"""Words with which something begins that goes on."""
_NO_MORE = re.compile(
    r"\b(?:no longer|not any ?more|last (?:year|season|term)|formerly|(?<!is )(?<!are )used to|nicht mehr"
    r"|letzte[sn] (?:jahr|saison)|vorige[sn] (?:jahr|saison)|n['’]e\w+ plus valables?"
    r"|ne sont plus|l['’]an(?:née)? derni\w+"
    r"|ya no|el año pasado|non (?:è|sono|vale|valgono) più|l['’]anno scorso|niet meer|vorig jaar|já não|no ano passado"
    r"|już nie|w zeszłym roku)\b",
    re.IGNORECASE,
)
"""Words with which something is said to be so no more."""

_SAYS_OF_ITSELF = re.compile(
    r"\b(?:this|these|dies\w{0,2}|ce|cet|cette|ces|est[eao]s?|quest[oaie]|dit|deze) (?:[\w-]{1,20} ){0,2}"
    r"(?:pages?|timetables?|schedules?|lists?|prices|versions?|editions?|tariffs?|fares?|rates?|rules|programme|seite"
    r"|fahrpl[aä]ne?|preisliste|preise|tarife?|fassung|ausgabe|regeln|horaires?|tarifs?|liste|version|règlement|horarios?"
    r"|página|tarifas?|precios|lista|versión|edición|orari?o?|pagina|tariffe?|prezzi|versione|preços|versão"
    r"|dienstregeling|prijzen|lijst|versie)\b(?![^.!?\n|]{0,60}\b(?:if|when|wenn|falls|si|se|als)\b)[^.!?\n|]{0,40}?\b"
    r"(?:ended|expired|(?:was|were) (?:valid|in force) until|(?:is|are) (?:no longer (?:valid|in force)|out of date)"
    r"|(?:was|were|has been|have been) (?:replaced|superseded)"
    r"|(?:ist|sind) nicht mehr gültig|galt(?:en)? bis|wurden? (?:ersetzt|abgelöst)|abgelaufen"
    r"|n['’](?:est|étaient|était|sont) plus (?:valables?|en vigueur)|(?:a|ont) été remplacée?s?"
    r"|ya no (?:es|son|está|están)|(?:fue|ha sido|han sido) (?:reemplazad|sustituid)\w+"
    r"|non (?:è|sono) più|(?:è|sono) stat\w sostituit\w|já não (?:é|são|está|estão)|(?:foi|foram) substituíd\w+"
    r"|niet meer geldig|(?:is|zijn) vervangen)\b"
    r"|\b(?:kept|archived)(?: here)?(?: only)? for (?:reference|the record)\b",
    re.IGNORECASE,
)
"""What a page of an older edition says of itself, in seven languages."""
_OF_YEAR = re.compile(
    rf"(?:[^\W\d_]{{1,20}}\.? )?{_YEAR}(?:\s?[/–-]\s?(?P<second>(?:\d\d)?\d\d))?(?: [^\W\d_]{{1,20}})?"
)
"""The name of a column that is of a year or a season: "Price 2025", "Season 2025/26"."""
_SEASONS_END = (8, 31)
"""Month and day at which a season that two years give a name to is over at last."""
Edition = tuple[int, int, int]
"""Year, month and day, 0 where it is not told."""
MIN_ROWS_IN_COMMON = 2
"""Rows of the same name from which on two tables are of one thing."""
UNDATED: Edition = (0, 0, 0)
_LAST_MONTH, _LAST_DAY = 12, 31
_RECENT_YEARS = 3
"""Years back to which a date in a sentence may be that of a price; that of a foundation lies further."""


def superseded_titles(question: str, titles: Sequence[str]) -> list[bool]:
    """Which titles name an older edition of what another one names.

    Where the question says a year, which name an edition of another year than one that is there for it; where it says
    another time, none. Where it asks how something was before, which name the newest one.
    """
    known = [(_title_edition(title), word_stems(title)) for title in titles]
    years = years_in(question)
    if years:
        meant = [words for edition, words in known if edition[0] in years]
        return [
            edition != UNDATED and edition[0] not in years and any(_are_one(words, other) for other in meant)
            for edition, words in known
        ]
    if len({edition for edition, _ in known if edition != UNDATED}) < 2 or names_time(question):
        return [False] * len(titles)
    alike = [(edition, [other for other, said in known if _are_one(words, said)]) for edition, words in known]
    if _ASKS_EARLIER.search(question):
        return [edition == max(others) and UNDATED < min(filter(any, others)) < edition for edition, others in alike]
    return [edition != UNDATED and max(others) > edition for edition, others in alike]


def ended_passages(question: str, passages: Sequence[Passage], *, dated: bool, today: date | None = None) -> list[bool]:
    """Which passages are of a page that says that it is over, "this timetable ended on 31 August", beside one of the
    same that is not, by its title, its address or the rows of its tables; none where the question, in English, names a
    time or asks how it was.

    For a price or an hour of a day, which is `dated`, a title of a past year says so too.
    """
    year = (today or date.today()).year
    over = {
        one.source
        for one in passages
        if _SAYS_OF_ITSELF.search(f"{one.title}\n{one.text}") or (dated and _is_past_year(one.title, year))
    }
    if not over or asks_of_past(question) or names_time(question):
        return [False] * len(passages)
    current = [one for one in passages if one.source not in over]
    replaced = {one.source for one in passages if one.source in over and any(_are_of_one(one, new) for new in current)}
    return [one.source in replaced for one in passages]


def is_outdated(sentence: str, english: str, today: date, *, dated: bool) -> bool:
    """Whether a sentence says how something was, for a question in English for how it is: "until May it cost £9".

    By its words, and where it is `dated` by its date too: a price or an hour of a day that is past.
    """
    if asks_of_past(english):
        return False
    if _NO_MORE.search(sentence):
        return True
    year, month, day = _title_edition(sentence)
    told = bool(dated and year >= today.year - _RECENT_YEARS) and not _SINCE.search(sentence)
    paid = re.search(rf"[€£$]\s?{year}|{year}\s?(?:[€£$]|zł|eur|kr|chf|fr)", sentence, re.IGNORECASE)
    return told and not paid and (year, month or _LAST_MONTH, day or _LAST_DAY) < (today.year, today.month, today.day)


def asks_of_past(english: str) -> bool:
    """Whether a question in English names a year, or asks how something was."""
    return bool(years_in(english) or _ASKS_PAST.search(english))


def present_in(question: str) -> str:
    """The word with which a question asks how something is now; empty where it has none, or only begins with it:
    "okay now, who was it?". With a capital it is a name: the Agora, the island of Hoy."""
    found = _OF_PRESENT.search(_BEGINS_WITH_NOW.sub("", question))
    return found[0] if found and found[0] == found[0].lower() else ""


def has_passed(column: str, today: date) -> bool | None:
    """Whether the year or the season that a column is named after is over; None for a column of none."""
    found = _OF_YEAR.fullmatch(column.strip())
    if not found or _SINCE.search(column):
        return None
    year, second = int(found["year"]), found["second"]
    if second and int(second) % 100 != (year + 1) % 100:
        return None
    return (date(year + 1, *_SEASONS_END) if second else date(year, _LAST_MONTH, _LAST_DAY)) < today


def _title_edition(title: str) -> Edition:
    """The date in a title, by the first of the patterns that fits."""
    for pattern in _DATES:
        for match in pattern.finditer(title):
            told = match.groupdict()
            month = int(told.get("number") or month_numbers("wide").get((told.get("name") or "").casefold(), 0))
            if month or "name" not in told:
                return int(told["year"]), month, int(told.get("day") or 0)
    return UNDATED


def years_in(text: str) -> set[int]:
    """The years that a text names."""
    return {int(match["year"]) for match in re.finditer(_YEAR, text)}


def is_of_another_year(title: str, text: str, said: str) -> bool:
    """Whether a passage is of an edition of another year than the one that is said, and has nothing of that one."""
    year, said_years = _title_edition(title)[0], years_in(said)
    return bool(year and said_years) and said_years.isdisjoint(years_in(f"{title} {text}"))


def is_of_another_number(title: str, text: str, said: str) -> bool:
    """Whether a passage is about the Beam 3 where the Beam 2 is meant, and has nothing of that one."""
    meant = _numbers_by_word(said)
    titled = _numbers_by_word(title) if meant else {}
    others = [word for word in meant.keys() & titled.keys() if not _share_number(meant[word], titled[word])]
    known = _numbers_by_word(text) if others else {}
    return any(not _share_number(meant[word], known.get(word, set())) for word in others)


def other_numbered_titles(question: str, titles: Sequence[str]) -> list[bool]:
    """Which titles name the Beam 3 where the question means the Beam 2 and another title names that, whatever links to
    it their pages have."""
    meant, titled = _numbers_by_word(question), [_numbers_by_word(title) for title in titles]
    there = [word for word in meant if any(_share_number(meant[word], one.get(word, set())) for one in titled)]
    return [any(word in one and not _share_number(meant[word], one[word]) for word in there) for one in titled]


def without_numbered_names(text: str, question: str) -> str:
    """A text without the names with numbers that a question has: the 2 of the Beam 2 is no answer, two years are."""
    named = {(name["word"].casefold(), name["number"]) for name in _numbered_names(question)}
    for name in reversed(list(_numbered_names(text))):
        if (name["word"].casefold(), name["number"]) in named:
            text = text[: name.start()] + text[name.end() :]
    return text


def _numbers_by_word(text: str) -> dict[str, set[str]]:
    """The numbers that stand behind each word of a text, but for months and words that name nothing."""
    found: dict[str, set[str]] = {}
    for named in _numbered_names(text):
        found.setdefault(named["word"].casefold(), set()).add(named["number"])
    return found


def _numbered_names(text: str) -> Iterator[re.Match[str]]:
    for named in _NUMBERED_NAME.finditer(text):
        word = named["word"].casefold()
        if not (word in month_numbers("wide") or any(word in words for words in STOP_WORDS.values())):
            yield named


def _share_number(some: set[str], others: set[str]) -> bool:
    """Whether a number is among others, or is the version that one of them is of: 3 and 3.14."""
    return any(
        f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.") for one in some for other in others
    )


def names_time(question: str) -> bool:
    """Whether a question names a month."""
    words = {word.casefold() for word in _LETTER_WORD.findall(question) if word not in _VERBS}
    return not words.isdisjoint(month_numbers("wide"))


def _are_of_one(one: Passage, other: Passage) -> bool:
    """Whether two pages are of one thing: by their titles, by their names in one folder, or by two rows of their
    tables."""
    if _are_one(word_stems(one.title), word_stems(other.title)):
        return True
    folder, _, name = one.source.rpartition("/")
    other_folder, _, other_name = other.source.rpartition("/")
    words, others = _words_of_address(name), _words_of_address(other_name)
    named = bool(words and others) and (words <= others or others <= words)
    return folder == other_folder and (named or len(_row_names(one) & _row_names(other)) >= MIN_ROWS_IN_COMMON)


def _words_of_address(name: str) -> frozenset[str]:
    """The words of a page's name in its folder, without years; none of one that is told by a query."""
    bare = "" if "?" in name else re.sub(_YEAR, " ", name.rpartition(".")[0] or name)
    return frozenset(re.findall(r"[^\W_]+", bare.casefold()))


def _row_names(passage: Passage) -> set[str]:
    """What the rows of a passage's tables are called, but for days, which any place of visits has."""
    return {row.cells[0][1] for row in table_rows(passage.text) if row.cells and not days_in(row.cells[0][1])}


def _is_past_year(title: str, year: int) -> bool:
    """Whether a title names a year that is over, and not as what is of that year: a film, or hours that hold since."""
    named = UNDATED < _title_edition(title) < (year, 0, 0)
    return named and not (_SINCE.search(title) or re.search(rf"\({_YEAR}", title))


def _are_one(words: frozenset[str], other: frozenset[str]) -> bool:
    return len(words & other) >= MIN_TITLE_LIKENESS * max(1, min(len(words), len(other)))
