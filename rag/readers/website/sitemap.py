"""Maps of sites: XML or plain text, also packed by gzip, of pages or of other maps."""

import io
import zlib
from dataclasses import dataclass

from utils.errors import DocumentError

MAX_SITEMAP_BYTES = 50_000_000
MAX_SITEMAP_ENTRIES = 50_000
"""A map may have no more of either, says sitemaps.org."""
_WHOLE = ("http://", "https://")


@dataclass(frozen=True)
class SiteMap:
    """What a map lists."""

    pages: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()


def read_sitemap(data: bytes) -> SiteMap:
    """The addresses in a map of a site; raises `DocumentError` for what is none."""
    if data.startswith(b"\x1f\x8b"):
        data = _unpack(data)
    if len(data) > MAX_SITEMAP_BYTES:
        raise DocumentError(f"The sitemap has more than {MAX_SITEMAP_BYTES // 1_000_000} MB.")
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _read_xml(data)
    lines = (line.strip() for line in data.decode("utf-8-sig", "replace").splitlines())
    return SiteMap(tuple(line for line in lines if line.startswith(_WHOLE))[:MAX_SITEMAP_ENTRIES])


def _unpack(data: bytes) -> bytes:
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        return unpacker.decompress(data, MAX_SITEMAP_BYTES + 1)
    except zlib.error as error:
        raise DocumentError("The sitemap is damaged.") from error


def _read_xml(data: bytes) -> SiteMap:
    from lxml import etree

    found: dict[str, list[str]] = {"url": [], "sitemap": []}
    try:
        steps = etree.iterparse(io.BytesIO(data), recover=True, resolve_entities=False, no_network=True, load_dtd=False)
        for _, element in steps:
            above = element.getparent()
            if etree.QName(element).localname == "loc" and above is not None:
                kind = etree.QName(above).localname
                address = (element.text or "").strip()
                if kind in found and address.startswith(_WHOLE):
                    found[kind].append(address)
            elif above is not None:
                # What was read of a map of 50,000 pages is let go of.
                element.clear()
            if sum(map(len, found.values())) >= MAX_SITEMAP_ENTRIES:
                break
    except (etree.LxmlError, ValueError) as error:
        raise DocumentError("The sitemap is no XML that can be read.") from error
    return SiteMap(tuple(found["url"]), tuple(found["sitemap"]))
