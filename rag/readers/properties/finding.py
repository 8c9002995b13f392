"""Which properties a document has, by its type: out of its file where its text does not have them."""

import logging
from collections.abc import Callable

from rag.documents import Properties
from rag.readers.archive import DOCX, OPEN_DOCUMENTS, PPTX, XLSX
from rag.readers.front_matter import properties_of
from rag.readers.properties.html import html_properties
from rag.readers.properties.office import office_properties, opendocument_properties
from rag.readers.properties.pdf import pdf_properties
from utils.text import clean, well_formed

log = logging.getLogger(__name__)

_PROPERTY_READERS: dict[str, Callable[[bytes, str], Properties]] = {
    "application/pdf": lambda data, _: pdf_properties(data),
    **dict.fromkeys((DOCX, PPTX, XLSX), lambda data, _: office_properties(data)),
    **dict.fromkeys(OPEN_DOCUMENTS, lambda data, _: opendocument_properties(data)),
    **dict.fromkeys(("text/html", "application/xhtml+xml"), html_properties),
}


def find_properties(data: bytes, text: str, media_type: str, charset: str) -> Properties:
    """What a document says of itself; nothing of what is damaged: its text, which was read, is worth more."""
    finder = _PROPERTY_READERS.get(media_type)
    if finder is None:
        return properties_of(text, media_type)
    try:
        found = finder(data, charset)
    except Exception as error:  # noqa: BLE001 - parsers fail in every way there is, and the document is there
        log.info("The properties of a document of the type %s cannot be read: %s", media_type, error)
        return Properties()
    return Properties(_shown(found.author), _shown(found.published), tuple(map(_shown, found.tags)), found.language)


def _shown(value: str) -> str:
    return clean(well_formed(value))
