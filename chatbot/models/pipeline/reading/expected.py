"""What kind of thing a question asks for: one that asks how much is not answered by a sentence without a figure."""

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

from chatbot.models.pipeline.decision.names import new_names
from chatbot.models.pipeline.reading.editions import without_numbered_names
from rag.search.rare_words import word_stems
from utils.languages.quantities import Quantity, all_offered, quantities_in, without_durations
from utils.languages.question_words import asking_part, asks_hour, asks_price, asks_when


class Kind(Enum):
    """What a question is answered by."""

    ANYTHING = "anything"
    FIGURE = "figure"
    """A number, a time or a date."""
    COUNT = "count"
    """How many there are of something."""
    SHARE = "share"
    """So many of a hundred."""
    CLOCK = "clock"
    """A time of the day."""
    PRICE = "price"
    """An amount of money."""
    TEMPERATURE = "temperature"
    """So many degrees."""
    LOUDNESS = "loudness"
    """So many decibels."""
    NAME = "name"
    """What something is called."""
    PERSON = "person"
    """Who it is: a name, or a word like "the landlord", which no sign tells from others."""
    MOMENT = "moment"
    """A time of day, a weekday, a date or a year."""


UNSIGNED = (Kind.ANYTHING, Kind.PERSON)
"""Kinds that no sign in a sentence tells."""
HOURS = 24
"""Of a day."""
_QUOTED = re.compile('["“„«`]([^"”»`]{1,80})')
_CLOCK_QUESTION = re.compile(r"\b(?:at )?what time\b|\bat (?:what|which) hour\b", re.IGNORECASE)
_PRICE = re.compile(
    r"\bhow (?:much|expensive)\b.{0,80}\b(?:costs?|pay|paid|charged?|price|fare|fee|rent|tickets?|deposit|owe)\b"
    r"|\b(?:how much|what) (?:do|does|did|will|would) [^?]{1,60}\b(?:sell|go) for(?=\W*$| (?:now|today|on|in|at)\b)"
    r"|\bhow expensive\b|\bhow much money\b(?!.{0,60}\b(?:sav\w+|back)\b)"
    r"|\bhow much (?:is|was|will|would) (?:it|that|this)(?: be)?(?: for\b|[?.!\s]*$)"
    r"|\bwhat(?: (?:do|does|did|will|would)|['’]s (?:it|this|that|one)) .{0,80}\b"
    r"(?:costs?|(?:pay|owe)(?! (?:with|by|in)(?:\W*$| (?:(?:an?|the|my) )?(?:cards?|cash|che(?:que|ck)s?|apps?|phones?"
    r"|euros?|dollars?|pounds?|coins?|rent|tax\w*|shops?|there|here|in)\b))"
    r"|set (?:me|us|you) back)\b"
    r"|\bwhat (?:do|does|did|will|would) (?!(?:i|we)\b)[^?]{1,60}\bcharge (?:an?|per|for|me|us)\b"
    r"|\bwhat (?:do|does|would|will) (?:they|the \w+) (?:want|ask) for (?:an?|the|one|it|th(?:is|at)|\w+ing)\b"
    r"|\bwhat(?:'s|’s| is| would be| will be) the total for\b"
    r"|\bwhat(?:['’]s| (?:is|was|are|were)) the (?:\w+ ){0,2}(?:price|cost|fee|fare|deposit|rent)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\bwhat (?:is|are|was|were|will be) (?:the|its|his|her|their) (?:\w+ ){0,2}names?\b"
    r"|\bwhat (?:is|are|was|were|will|do|does|did) .{1,80}\b(?:called|named)\b",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(r"^(?:(?:and|but|so|then) )?(?:by |for |from |to |with )?who(?:m|se)?\b", re.IGNORECASE)
_HOW_MUCH = re.compile(
    r"\bhow (?:much|many|long|high|tall|old|far|big|large|loud|noisy|fast|heavy|wide|deep|thick|late|early|expensive|"
    r"hot|cold|warm)\b"
    r"|\b(?:what|which) year\b"
    r"|\bwhat (?:do|does|did) .{1,60}\b(?:weigh|measure)\b"
    r"|\bwhat (?:is|was|are|were|does) the (?:\w+ )?(?:height|length|weight|age|"
    r"number|distance|duration|temperature)\b",
    re.IGNORECASE,
)
"""What a question in English has that is answered by a figure."""
_ASKS_TEMPERATURE = re.compile(
    r"\b(?:what|which) (?:(?:is|was|should be) the )?temperature\b|\bhow (?:hot|cold|warm)\b", re.IGNORECASE
)
_ASKS_LOUDNESS = re.compile(r"\bhow (?:loud|noisy)\b", re.IGNORECASE)
_DEGREES = re.compile(
    r"[°℃℉]|\b(?:degrees?|grad(?:en|er|i|os|us)?|degrés?|graus|celsius|fahrenheit|kelvin|asten?\w*|stopni\w*|stup\w{2,4}"
    r"|fok\w{0,3}|градус\w*|βαθμ\w+|derece\w*|độ)\b|度|도|डिग्री|درج|מעלות",
    re.IGNORECASE,
)
"""The signs and words for degrees in 26 languages."""
_DECIBELS = re.compile(
    r"\bd[Bb](?:\(?A\)?)?(?!\w)|\b(?:d[eé][cz]ib\w+|desib\w+|децибел\w*|ντεσιμπέλ)\b|分贝|デシベル|데시벨|डेसिबल|ديسيبل|דציבל",
    re.IGNORECASE,
)
_ASKS_COUNT = re.compile(r"\bhow many\b(?! (?:hours|days|weeks|months|years|times)\b)", re.IGNORECASE)
_ASKS_SHARE = re.compile(r"\b(?:how many|how much|what|which) (?:percent(?:age)?|per cent|share)\b", re.IGNORECASE)
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\bopening hours\b"
    r"|(?:\bwhat (?:day|date|hours)|^(?:(?:and|but|so|then) )?(?:(?:on|in|until|from|since) )?"
    r"which (?:(?:week)?days?|(?:night|evening|morning|week|month)s?(?= (?:is|are|was|were|do|does|did|will|can)\b)))\b"
    r"(?! (?:off|formats?|names?|care|pass\w*|trips?|tickets?|nurser\w+|centres?|centers?|schools?)\b)",
    re.IGNORECASE,
)
_ASKS_BEGINNING = re.compile(
    r"\b(?:from|as of) when\b(?! (?:to|until|till)\b)|\bab wann\b|\bà partir de quand\b|\ba partir de cuándo\b",
    re.IGNORECASE,
)
_KINDS_ASKED = (
    (Kind.CLOCK, _CLOCK_QUESTION),
    (Kind.PRICE, _PRICE),
    (Kind.NAME, _CALLED),
    (Kind.SHARE, _ASKS_SHARE),
    (Kind.COUNT, _ASKS_COUNT),
    (Kind.TEMPERATURE, _ASKS_TEMPERATURE),
    (Kind.LOUDNESS, _ASKS_LOUDNESS),
    (Kind.FIGURE, _HOW_MUCH),
    (Kind.MOMENT, _ASKS_WHEN),
    (Kind.PERSON, _ASKS_WHO),
)
"""What a question in English has that asks for a kind; the first that is found tells."""
_ASKED_THERE = (
    (asks_hour, Kind.CLOCK, (Kind.ANYTHING, Kind.MOMENT)),
    (asks_price, Kind.PRICE, (Kind.ANYTHING,)),
    (asks_when, Kind.MOMENT, (Kind.ANYTHING, Kind.FIGURE)),
)
"""What asks in another language, the kind, and those that a translation makes of it."""
_AS_DATE, _AS_YEAR = re.compile(r"[dmw]\d.*"), re.compile(r"1\d\d\d|20\d\d")
"""How days, months and weekdays are known among quantities, and how years are."""
_AS_DAY_OR_MONTH = re.compile(r"[dm]\d.*")
_AS_TIME = re.compile(r"[tu]\d.*")
"""How times of the day are known among quantities."""
BEHIND_DATE = 5
"""Characters between a day and its year at most: "16 November, 2026", "5 de mayo de 2026"."""
_NONE = re.compile(
    r"\b(?:free|nothing|none|kostenlos|gratis|umsonst|frei|nichts|keine?\w?|gratuit\w{0,3}|rien|aucune?|nada|ning[uú]n\w?|"
    r"niente|nessun\w?|nenhum\w?|grátis|niets|geen|ingenting|inge[nt]|ingen|(?-i:fri)|ilmai\w+|maksut\w+|ei|darmow\w+|bezpłatn\w+|"
    r"zdarma|bezplatn\w+|žádn\w+|nimic|ingyen\w*|nincs|бесплатн\w+|нет|безкоштовн\w+|немає|δωρεάν|ücretsiz|bedava|yok|"
    r"miễn phí|không)\b|مجان|بدون|חינם|אין|मुफ़्त|मुफ्त|नि:?शुल्क|免费|免費|無料|无|無|무료|없",
    re.IGNORECASE,
)
"""Words for no price and no number, in 26 languages."""
_NUMBER_IN_WORDS = re.compile(
    r"\b(?:half|halb\w{0,2}|halve|halvt?|demie?s?|medi[ao]|mezz[ao]|mezz['’]|meia|meio|puoli|pół|půl|jumătate|fél|пол|половин\w|"
    r"пів|μισ[ήόά]|yarım|buçuk|rưỡi|nửa)[-\s'’]+(?!(?:of|der|des|du|de|del|della|av)\b)\w"
    r"|\b(?:\w+einhalb|anderthalb\w?|halvanden|puolitoista|półtora|półtorej|půldruhé\w*|másfél|полтор[аы]|полчаса|півтор[аи]|"
    r"півгодини|ενάμιση|μιάμιση|\w*und(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)|"
    r"\w*(?:hundert|tausend)\w*|hundred|thousand|cento|cent|cien|ciento|sto|сто)\b"
    r"|نصف|חצי|आध[ाेी]|डेढ़|ढाई|半|반",
    re.IGNORECASE,
)
"""Halves of something, hundreds and numbers in one word, in 26 languages. `find_quantities` knows the numbers up to
twenty and the tens: what it finds passages must say."""
_MONEY = re.compile(
    r"\b(?:euros?|cents?|dollars?|dólar\w*|dollár\w*|dolar\w*|pounds?|pence|quid|francs?|franken|rappen|kron\w{1,3}|kč|"
    r"zł\w*|groszy|forint\w*|ft|lei|lir[aei]\w*|rupees?|rupias?|yen|yuan|pesos?|reais|real|rands?|rubel\w*|rubles?|"
    r"рубл\w*|руб|грн|гривен\w*|гривн\w*|копі?[еи]\w*|євро|евро|доллар\w*|долар\w*|ευρώ|λεπτά|avro|kuruş|đồng|won|"
    r"EUR|USD|GBP|CHF|PLN|CZK|SEK|NOK|DKK|HUF|UAH|INR|JPY|CNY|TRY|RON)\b"
    r"|रुपय|रुपए|रुपये|पैसे|元|円|圆|圓|块|원|يورو|دولار|درهم|دينار|ريال|ليرة|אירו|יורו|שקל|דולר|\d[.,]\d\d(?!\d)",
    re.IGNORECASE,
)
"""Words for money in 26 languages, and an amount with hundredths."""
_PERCENT = re.compile(
    r"%|\b(?:per ?cent\w*|prozent\w*|pour ?cent|por ?cien\w*|por ?cento|procen\w*|prosent\w*|százalék\w*|la sută|"
    r"процент\w*|відсот\w*|τοις εκατό|yüzde|persen|phần trăm|quarter|third|half|viertel|drittel|hälfte|quart|tiers|"
    r"moitié|mitad|metà|metade|helft|hälften)\b|百分|パーセント|퍼센트|प्रतिशत|بالمئة|بالمائة|אחוז|ร้อยละ",
    re.IGNORECASE,
)
"""The sign and the words for a hundredth in 26 languages, and words for halves, thirds and quarters in some."""
_SIGNS = {Kind.SHARE: _PERCENT, Kind.TEMPERATURE: _DEGREES, Kind.LOUDNESS: _DECIBELS}
"""The signs of a kind that a sentence has."""


def expected_kind(english: str, said: str = "") -> Kind:
    """What a question in English is answered by; anything where it does not tell.

    `said` is the question in its own language: a translation may lose that an hour or a price is asked for.
    """
    wordings = dict.fromkeys((english, asking_part(english)))
    kind = next((kind for one in wordings for kind, asks in _KINDS_ASKED if asks.search(one)), Kind.ANYTHING)
    return next((told for asks, told, lost in _ASKED_THERE if kind in lost and asks(said)), kind)


def is_of_kind(sentence: str, kind: Kind, question: str = "") -> bool:
    """Whether a sentence says something of a kind, in any of 26 languages, or that there is none of it.

    The figures of the question, said again, are no answer to it.
    """
    if kind in UNSIGNED:
        return True
    if kind is Kind.MOMENT:
        told = new_figures(sentence, question)
        if _ASKS_BEGINNING.search(question):
            # The days on which it runs do not say from when on it does.
            return any(_tells(quantity, _AS_DAY_OR_MONTH, _AS_YEAR, _AS_TIME) for quantity in told)
        return any(map(_is_moment, told))
    if kind is Kind.CLOCK:
        return any(map(_is_clock, new_figures(without_durations(sentence), question)))
    if says_none(sentence):
        return True
    if kind is Kind.NAME:
        return _has_name(sentence, question)
    if kind in (Kind.FIGURE, Kind.COUNT) and _NUMBER_IN_WORDS.search(sentence):
        return True
    return _has_figure(sentence, kind, new_figures(sentence, question))


def _has_figure(sentence: str, kind: Kind, new: Sequence[Quantity]) -> bool:
    """Whether one of the figures of a sentence is of a kind."""
    if kind is Kind.COUNT:
        return any(not _is_of_date(quantity, new) for quantity in new)
    if sign := _SIGNS.get(kind):
        return bool(sign.search(sentence))
    return bool(new) and (kind is Kind.FIGURE or is_money(sentence))


def new_figures(sentence: str, question: str) -> list[Quantity]:
    """What a sentence says in figures or words for numbers, times and dates that the question does not say."""
    asked = all_offered(_find_figures(without_numbered_names(question, question)))
    said = _find_figures(without_numbered_names(sentence, question))
    return [quantity for quantity in said if not (_is_article(quantity) or quantity.required & asked)]


def times_of_day(text: str) -> list[Quantity]:
    """What a text says of times of the day."""
    return [quantity for quantity in _find_figures(text) if _tells(quantity, _AS_TIME)]


def minutes_of(time: Quantity) -> list[int]:
    """What a time of the day is in minutes since midnight; none for one without its half of the day."""
    return [int(said[1:]) for said in time.required if said.startswith("t")]


def says_figures(text: str, figures: Sequence[Quantity]) -> bool:
    """Whether a text says all of some figures."""
    offered = all_offered(_find_figures(text))
    return all(quantity.required & offered for quantity in figures)


def says_none(text: str) -> bool:
    """Whether a text says that something is free, or that there is none, in 26 languages."""
    return _NONE.search(text) is not None


def names_date(text: str) -> bool:
    """Whether a text names a weekday, a day or a month."""
    return any(_tells(quantity, _AS_DATE) for quantity in _find_figures(text))


def says_dates_of(text: str, question: str) -> bool:
    """Whether a question names days, months or years, and a text says all of them."""
    dates = [quantity for quantity in _find_figures(question) if _tells(quantity, _AS_DAY_OR_MONTH, _AS_YEAR)]
    return bool(dates) and says_figures(text, dates)


def is_money(sentence: str) -> bool:
    """Whether a sentence names money, by a sign or a word for it, or has an amount with hundredths."""
    return any(unicodedata.category(sign) == "Sc" for sign in sentence) or bool(_MONEY.search(sentence))


def _has_name(sentence: str, question: str) -> bool:
    """Whether a sentence has a new name, or new words in quotation marks; any word of a script without capitals may be
    one."""
    asked = word_stems(question)
    quoted = any(word_stems(words) - asked for words in _QUOTED.findall(sentence))
    return sentence == sentence.lower() or quoted or bool(new_names(sentence, question))


@lru_cache(maxsize=1024)
def _find_figures(text: str) -> tuple[Quantity, ...]:
    """What a text says in figures; a turn looks at the same passages several times, and at the question for each."""
    return tuple(quantities_in(text))


def _is_moment(quantity: Quantity) -> bool:
    """Whether it is a time of day, a weekday, a date or a year."""
    return _tells(quantity, _AS_DATE, _AS_YEAR, _AS_TIME)


def _is_article(quantity: Quantity) -> bool:
    """Whether it is the word for one, which most languages say before any thing."""
    return not quantity.exact and "1" in quantity.required


def _is_of_date(quantity: Quantity, beside: Sequence[Quantity]) -> bool:
    """Whether it is a day or a month, or the year behind one of those that stand beside it."""
    if _tells(quantity, _AS_DATE):
        return True
    dates = (other for other in beside if _tells(other, _AS_DATE))
    return _tells(quantity, _AS_YEAR) and any(0 <= quantity.start - date.end <= BEHIND_DATE for date in dates)


def _tells(quantity: Quantity, *patterns: re.Pattern[str]) -> bool:
    """Whether it is of one of the sorts that patterns know."""
    return any(pattern.fullmatch(said) for pattern in patterns for said in quantity.required)


def _is_clock(quantity: Quantity) -> bool:
    """Whether it may be a time: one with minutes, or a number that a day has hours."""
    return any(said[0] in "tu" or (said.isdigit() and int(said) <= HOURS) for said in quantity.offered)
