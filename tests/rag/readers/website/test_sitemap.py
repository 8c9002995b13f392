import gzip

import pytest

from rag.readers import read_sitemap
from rag.readers.website.sitemap import SiteMap
from utils.errors import DocumentError

SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
URLS = f"""<?xml version="1.0" encoding="UTF-8"?><urlset {SPACE}><url><loc> https://s.example/a </loc>
<lastmod>2026-11-25</lastmod></url><url><loc>https://s.example/b?x=1&amp;y=2</loc></url></urlset>"""
PAGES = ("https://s.example/a", "https://s.example/b?x=1&y=2")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (URLS.encode(), SiteMap(PAGES)),
        (b"\xef\xbb\xbf" + URLS.encode(), SiteMap(PAGES)),
        (gzip.compress(URLS.encode()), SiteMap(PAGES)),
        (
            f"<sitemapindex {SPACE}><sitemap><loc>https://s.example/m</loc></sitemap></sitemapindex>".encode(),
            SiteMap((), ("https://s.example/m",)),
        ),
        (b"https://s.example/a\r\n\r\nno address\n", SiteMap(("https://s.example/a",))),
        (b"<urlset><url><loc>https://s.example/a</loc></url><url><loc>cut", SiteMap(("https://s.example/a",))),
        (b"<html><body>Not found</body></html>", SiteMap()),
    ],
)
async def test_maps_are_read_in_each_of_their_forms(data: bytes, found: SiteMap) -> None:
    assert await read_sitemap(data, "https://s.example/map") == found


def bomb_of_entities() -> bytes:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    loc = "<urlset><url><loc>&e11;</loc></url></urlset>"
    return f'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY e0 "aaaaaaaaaa">{levels}]>{loc}'.encode()


@pytest.mark.parametrize("data", [gzip.compress(bytes(60_000_000)), b"\x1f\x8bdamaged"])
async def test_a_map_that_is_damaged_or_too_large_is_told(data: bytes) -> None:
    with pytest.raises(DocumentError, match="sitemap"):
        await read_sitemap(data, "https://s.example/map")


async def test_a_map_whose_entities_grow_without_end_stays_small() -> None:
    try:
        found = await read_sitemap(bomb_of_entities(), "https://s.example/map")
    except DocumentError:
        return
    assert sum(map(len, found.pages)) < 1000


async def test_a_map_that_names_a_file_of_this_machine_is_not_given_it() -> None:
    outside = '<?xml version="1.0"?><!DOCTYPE u [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    found = await read_sitemap(f"{outside}<urlset><url><loc>&f;</loc></url></urlset>".encode(), "https://s.example/map")
    assert "root" not in "".join(found.pages)
