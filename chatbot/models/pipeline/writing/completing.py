"""An answer as its passages have it: with sentences of a summary and items of a list that it lacks, in their form of
times, and without what it says of the passages themselves."""

import re
from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.expected import new_figures
from chatbot.models.pipeline.writing.lists import forgotten_items
from chatbot.models.pipeline.writing.summaries import left_out
from chatbot.models.pipeline.writing.written import WrittenAnswer
from tools.reckoning.amounts import currency_signs
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import same_language

ENUMERATING = ("fact", "list", "several")
"""Forms of answers that may enumerate a list."""
_HOUR_NAMES = r"heures?|h|uhr|uur|ore|horas?|hodin\w{0,2}|godzin\w{0,3}|часов|часа|час|ώρα|giờ|時|时|点|點|시"
_MINUTE_NAMES = r"minutes?|minuten|minutos?|minuti|minut\w{0,3}|мин\w{0,4}|phút|分|분"
_AFTERNOONS = "下午|晚上|傍晚|午後|오후"
_MORNINGS = "凌晨|早上|上午|午前|朝|오전"
_WORDED = re.compile(
    rf"(?:(?P<after>{_AFTERNOONS})|(?:{_MORNINGS}))?(?<!\d)(?P<hour>\d{{1,2}})\s?(?:{_HOUR_NAMES})"
    rf"(?:\s?(?P<minute>\d\d)(?!\d)(?:\s?(?:{_MINUTE_NAMES}))?|(?![^\W\d_]))",
    re.IGNORECASE,
)
"""A time with the hour's name in it, as an answer has it."""
_STANDING = re.compile(
    r"(?<![\d.,:])(?P<hour>\d{1,2})(?:[:.]|\s?h\s?)(?P<minute>\d\d)(?![\d.,:]?\d|\s?[€$£¥%])", re.IGNORECASE
)
"""A time with minutes as a passage has it."""
_IN_AND_ON = {
    "en": ("in", "on"),
    "de": ("im", "am"),
    "fr": ("en", "le"),
    "es": ("en", "el"),
    "it": ("a", "il"),
    "pt": ("em", "em"),
    "nl": ("in", "op"),
}
"""The words before a month, and before a day of it."""
_MONTH_OF_YEAR = re.compile(
    r"(?<![\d.])(?P<han>\d{4}年\d{1,2}月)(?!\d)|(?<!\w)(?P<before>(?:in|im|en|a|em) )?"
    r"(?<!\d )(?<!\d\. )(?<!\d(?:st|nd|rd|th) )(?<!\d de )(?P<month>[^\W\d_]{3,12} (?:de )?\d{4})(?!\d)",
    re.IGNORECASE,
)
"""A month with its year and no day before it, as an answer has it."""
_NAMES_OF_TEXTS = "passage|text|document|article|page|note|notes"
_SHOWN_ONLY = "passage"
_SPEAKS_OF_TEXT = re.compile(rf"\b(?:{_NAMES_OF_TEXTS}|about|files?)\b", re.IGNORECASE)
_TEXT_FRAME = re.compile(
    rf"^(?P<space>\s*)(?:according to the (?:{_NAMES_OF_TEXTS}),\s*(?P<after>\S.*)"
    rf"|the (?P<name>{_NAMES_OF_TEXTS}) (?:(?:says|states|mentions|tells|explains|notes|reports) that (?P<said>\S.*)"
    r"|(?:is about|describes|discusses|talks about) (?:(?P<thing>[^,]{3,80}), (?:which|that) (?P<does>\S.*)"
    r"|(?P<whole>.{3,300})\.\s*$)))",
    re.IGNORECASE | re.DOTALL,
)
"""What a model says in English of the passage that it was shown, and no user was."""
_SAYS_NOTHING = re.compile(
    r"\W*(?:(?:the|this|that|das|der|dieser|die|le|ce|el|la|il) )?(?:given |provided |bereitgestellte )?"
    r"(?:passage|text|document|dokument|article|artikel|abschnitt|texte|texto|pasaje|testo)s? (?:itself )?"
    r"(?:(?:(?:does|do|did) not|doesn['’]t|don['’]t) (?:\w+ly )?"
    r"(?:mention|say|state|provide|specify|contain|give|tell|indicate|name)\b"
    r"|(?:enthält|gibt|nennt|erwähnt|sagt|liefert) (?:keine?\w*|nichts|(?:dazu |das )?nicht)\b"
    r"|n['’](?:indique|mentionne|précise|fournit|contient) pas|ne (?:dit|donne|mentionne|précise|fournit|contient) pas"
    r"|no (?:menciona|dice|indica|contiene|proporciona|especifica|da)|não (?:menciona|diz|indica|contém|especifica)"
    r"|non (?:menziona|dice|indica|contiene|fornisce|specifica))"
    r"(?!.*\b(?:but|only|that|who|which|sondern|aber|dass|mais|que|pero|ma|che)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""What such a sentence begins with, and has no more behind it."""
_NAMES_OWN_TEXT = re.compile(
    r"\b(?:passage|text|document|article|page|notes?|letter|contract|file|report|lease|e-?mail|mention\w*)\b",
    re.IGNORECASE,
)
_CURRENCY_MARK = re.compile(r"[$€£¥](?=\d)")
_HALF_DAY, _WHOLE_DAY, _HOUR = 12, 24, 60


def lacking_pieces(
    reading: Reading, form: str, question: str, written: WrittenAnswer, language: str
) -> list[tuple[str, int]]:
    """What is added to an answer as the passages have it, each with its number (0 where the passage has none)."""
    if form == "summary":
        sentences = left_out(reading, question, written.text, written.cited, language)
        apart = [" "] * len(sentences) if written.text.strip() else ["", *[" "] * len(sentences)]
        return [(f"{space}{sentence}", number) for space, (sentence, number) in zip(apart, sentences, strict=False)]
    figures = numbers_in(reading.decisive.rpartition(": ")[2])
    if written.text.strip() and not set(figures) <= set(numbers_in(written.text)):
        return [(f" ({reading.decisive})", 0)]
    if form != "list":
        return []
    found = [(source, forgotten_items([source.passage.text], written.text)[1]) for source in reading.sources]
    lines = next(([(f"\n- {item}", source.number) for item in items] for source, items in found if items), [])
    if lines and written.text.endswith("\n"):
        lines[0] = (lines[0][0].lstrip(), lines[0][1])
    return lines


def as_standing(form: str, sentence: str, sources: Sequence[Source], language: str) -> str:
    """A sentence as its passages have what it says: with their times, and with the whole of a list that it enumerates
    but for an item or two. `language` is ISO 639-1."""
    texts = [source.passage.text for source in sources]
    items, _ = forgotten_items(texts, sentence) if form in ENUMERATING else ([], [])
    if items:
        return "\n".join(f"- {item}" for item in items)
    return write_times_as([text for text in texts if same_language(text, language)], sentence)


def without_frame(sentence: str, question: str) -> str:
    """A sentence without what it says of the passage ("The text says that"); as it is where the question is about a
    text, and has the user's word for it: a passage only the model was shown."""
    frame = _TEXT_FRAME.match(sentence)
    if not frame or (_SPEAKS_OF_TEXT.search(question) and (frame["name"] or "").casefold() != _SHOWN_ONLY):
        return sentence
    # Of a text as a whole what it is about is all that is said: that stays a sentence.
    told = frame["after"] or frame["said"] or f"this is about {frame['whole']}."
    told = f"{frame['thing']} {frame['does']}" if frame["thing"] else told
    return f"{frame['space']}{told[0].upper()}{told[1:]}"


def says_nothing(sentence: str, question: str) -> bool:
    """Whether a sentence says only that a text says nothing of what was asked, in some languages; not for a question
    about a text, which that answers."""
    told = new_figures(sentence, question) or _NAMES_OWN_TEXT.search(question)
    return bool(_SAYS_NOTHING.match(sentence)) and not told


def denies_knowing(sentences: Sequence[str], question: str) -> bool:
    """Whether all that was written is that a text says nothing of what was asked."""
    return bool(sentences) and all(says_nothing(sentence, question) for sentence in sentences)


def without_strange_signs(text: str, sentence: str) -> str:
    """A sentence without the signs before figures of currencies that a text does not name: 51.25 is not $51.25."""
    named = currency_signs(text)
    return _CURRENCY_MARK.sub(lambda sign: sign[0] if sign[0] in named else "", sentence)


def write_times_as(passages: Sequence[str], sentence: str) -> str:
    """A sentence with its times in the form that passages of the same language have for them."""
    standing: dict[int, str] = {}
    for passage in passages:
        for found in _STANDING.finditer(passage):
            standing.setdefault(_minute_of_day(found["hour"], found["minute"]), found[0])

    def written(time: re.Match[str]) -> str:
        minute = _minute_of_day(time["hour"], time["minute"] or "0", afternoon=bool(time["after"]))
        return standing.get(minute, time[0])

    return _WORDED.sub(written, sentence) if standing else sentence


def write_dates_as(passages: Sequence[str], sentence: str, language: str) -> str:
    """A sentence whose months have the day that passages of its language (ISO 639-1) have for them, where that is one.

    Of "on 18 July 2027" a small model makes July 2027.
    """

    def written(month: re.Match[str]) -> str:
        if month["han"]:
            days, on = rf"{month['han']}\d{{1,2}}[日号號]", ""
        elif language in _IN_AND_ON:
            days = rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|\.|er|º)? (?:de |of )?{re.escape(month['month'])}(?!\d)"
            on = f"{_IN_AND_ON[language][1]} " if month["before"] else ""
        else:
            return month[0]
        found = {day for passage in passages for day in re.findall(days, passage, re.IGNORECASE)}
        return f"{on}{found.pop()}" if len(found) == 1 else month[0]

    return _MONTH_OF_YEAR.sub(written, sentence)


def _minute_of_day(hour: str, minute: str, *, afternoon: bool = False) -> int:
    """Minutes since midnight; -1 for what is no time."""
    hours, minutes = int(hour), int(minute)
    hours += _HALF_DAY if afternoon and hours < _HALF_DAY else 0
    return hours * _HOUR + minutes if hours <= _WHOLE_DAY and minutes < _HOUR else -1
