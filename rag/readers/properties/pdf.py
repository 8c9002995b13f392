"""The properties of a PDF: its information dictionary, and the XMP that stands beside it."""

import io
import logging
from typing import Any

from rag.documents import Properties
from rag.readers.damage import sound_value
from rag.readers.properties.values import first_date, joined_authors, parted_tags
from rag.readers.properties.xml import DUBLIN_CORE, parse_xml

_XMP = "{http://ns.adobe.com/xap/1.0/}"
_RDF_ITEM = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li"
_RDF_DESCRIPTION = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}Description"


def pdf_properties(data: bytes) -> Properties:
    """What a PDF says of itself; where the dictionary does not tell, the XMP does."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted:
        reader.decrypt("")
    told: Any = sound_value(lambda: reader.metadata) or {}
    tree = sound_value(lambda: parse_xml(reader.trailer["/Root"]["/Metadata"].get_data()))
    return Properties(
        joined_authors([sound_value(lambda: told["/Author"])])
        or joined_authors(_listed(tree, f"{DUBLIN_CORE}creator")),
        first_date([sound_value(lambda: told.creation_date), *_said(tree, f"{_XMP}CreateDate")]),
        parted_tags([sound_value(lambda: told["/Keywords"])]) or parted_tags(_listed(tree, f"{DUBLIN_CORE}subject")),
    )


def _listed(tree: Any, tag: str) -> list[str]:
    """The items of a list in XMP."""
    return [] if tree is None else [item.text or "" for one in tree.iter(tag) for item in one.iter(_RDF_ITEM)]


def _said(tree: Any, tag: str) -> list[str]:
    """A plain value in XMP, which may be an element or an attribute."""
    if tree is None:
        return []
    return [one.text or "" for one in tree.iter(tag)] + [one.get(tag, "") for one in tree.iter(_RDF_DESCRIPTION)]
