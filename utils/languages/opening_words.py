"""Words with which texts tell when something is open, in some fifteen languages."""

import re

_TELLS_OPEN = re.compile(
    r"\b(?:open\w*|hours|geöffnet|offen|öffn\w+|öffnungszeit\w*|ouvert\w*|ouvr\w+|abiert\w*|abr\w+|horario|apert\w+|apr\w+"
    r"|orari\w*|abert\w+|geopend|öppe\w*|åbe\w*|åpe\w*|otwart\w*|czynn\w*|otevřen\w*|откры\w*|відчин\w*)\b|营业|開館|営業",
    re.IGNORECASE,
)
_TELLS_CLOSED = re.compile(
    r"\b(?:clos\w+|shuts?|schließ\w*|geschlossen|ferm\w+|horaires?|cierr\w+|cerr\w+|chiud\w+|chius\w+"
    r"|fech\w+|encerr\w+|horários?|gesloten|sluit\w*|openingstijd\w*|stäng\w*|luk\w+|steng\w*|zamyk\w*|zamkn\w*|zavír\w*"
    r"|zavřen\w*|закры\w*|зачин\w*)\b|关门|閉館|休館",
    re.IGNORECASE,
)


def says_open(text: str) -> bool:
    """Whether a text has a word for being open, as lines of opening hours do and those of a tour do not."""
    return _TELLS_OPEN.search(text) is not None


def says_open_or_closed(text: str) -> bool:
    """Whether a text has a word for opening, closing or the hours of either."""
    return says_open(text) or _TELLS_CLOSED.search(text) is not None
