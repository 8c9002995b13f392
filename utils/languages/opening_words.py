"""Words with which texts tell when something is open, in some fifteen languages."""

import re

_TELLS_OPEN = re.compile(
    r"\b(?:open\w*|hours|geöffnet|offen|öffn\w+|öffnungszeit\w*|ouvert\w*|ouvr\w+|abiert\w*|abr(?!il)\w+|horario|apert\w+|apr(?!il)\w+"
    r"|orari\w*|abert\w+|geopend|öppe\w*|åbe\w*|åpe\w*|otwart\w*|czynn\w*|otevřen\w*|откры\w*|відчин\w*"
    r"|ανοί\w+|ανοιχτ\w+|(?:ال)?فتح|[يت]فتح|مفتوح\w?|פתוח\w*|נפתח\w?)\b|营业|開館|営業|開園|開店|开放|开门|운영",
    re.IGNORECASE,
)
_TELLS_CLOSED = re.compile(
    r"\b(?:clos\w+|shuts?|schließ\w*|geschlossen|ferm\w+|cierr\w+|cerr\w+|chiud\w+|chius\w+"
    r"|fech\w+|encerr\w+|gesloten|sluit\w*|stäng\w*|luk\w+|steng\w*|zamyk\w*|zamkn\w*|zavír\w*"
    r"|zavřen\w*|закры\w*|зачин\w*"
    r"|κλεί\w+|κλειστ\w+|(?:ال)?إغلاق|[يت]غلق|مغلق\w?|סגור\w*|נסגר\w?)\b|关门|閉館|休館|閉園|閉店|闭馆|关闭|휴관",
    re.IGNORECASE,
)
_HOURS = re.compile(r"\b(?:horaires?|horários?|openingstijd\w*)\b", re.IGNORECASE)

_UNTIL_WHEN = re.compile(
    r"\b(?:(?:until|till|up to) (?:when|what (?:time|hour))|how (?:late|long (?:is|are|will))\b.{0,60}\bopen\b"
    r"|bis wann|bis wie viel uhr|jusqu['’]à (?:quelle heure|quand)|hasta qué hora|fino a (?:che ora|quando)"
    r"|até (?:que horas|quando)|tot (?:hoe laat|wanneer)|hur länge|do której|do kdy"
    r"|μέχρι (?:τι ώρα|πότε)|до (?:которого часа|скольки|котрої))\b|何時まで|몇 시까지|到几点",
    re.IGNORECASE,
)
"""What asks until when something is open."""
_ASKS_WHEN_CLOSED = re.compile(
    r"\b(?:(?<!how )clos(?:e|es|ed|ing)(?! (?:to|by|ceremony|down|friend)\b)|shuts?|schlie(?:ß|ss)(?:t|en)|geschlossen"
    r"|(?<!la )(?<!quelle )ferm(?:e|é|ée|és|ées|er|ent|eture)|cierran?|cerrad[oa]s?|chiud(?:e|ono)|chius[oaie]|fecham?"
    r"|fechad[oa]s?|encerra\w*|gesloten|sluit(?:en)?|stänger|stängt|lukket|lukker|stenger|stengt|zamyka\w*|zamkni\w+|zavír\w*"
    r"|zavřen\w*|закры\w*|зачин\w*|κλεί\w+|[يت]غلق|סוגר\w*|נסגר\w?)\b|关门|閉館|閉園|閉店|闭馆",
    re.IGNORECASE,
)
_OF_LAST_ENTRY = re.compile(r"\b(?:last|latest|final)\b", re.IGNORECASE)


def asks_closing(question: str) -> bool:
    """Whether a question asks when something closes, or until when it is open, and not for the last that are let in."""
    if _OF_LAST_ENTRY.search(question):
        return False
    closes = _ASKS_WHEN_CLOSED.search(question) is not None and not says_open(question)
    return closes or _UNTIL_WHEN.search(question) is not None


def says_open(text: str) -> bool:
    """Whether a text has a word for being open, as lines of opening hours do and those of a tour do not."""
    return _TELLS_OPEN.search(text) is not None


def says_open_or_closed(text: str) -> bool:
    """Whether a text has a word for opening, closing or the hours of either."""
    return says_open(text) or any(words.search(text) for words in (_TELLS_CLOSED, _HOURS))
