import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rag.documents import Document
from tools.web import page_cache
from tools.web.page_cache import PageCache

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
URL = "https://example.org/"
PAGE = Document(URL, "Title", "Text — with a dash", "web", "text/html", NOON.isoformat())


def cache(folder: Path, hours_later: float, hours: float = 24) -> PageCache:
    return PageCache(folder / "pages", hours, lambda: NOON + timedelta(hours=hours_later))


def test_a_page_is_kept_for_its_hours_and_no_longer(tmp_path: Path) -> None:
    cache(tmp_path, 0).put_page(URL, PAGE)
    assert [cache(tmp_path, later).get_page(URL) for later in (0, 23.9, 24)] == [PAGE, PAGE, None]
    assert cache(tmp_path, 1).get_page(URL + "other") is None


def test_only_the_owner_can_read_what_is_kept(tmp_path: Path) -> None:
    cache(tmp_path, 0).put_page(URL, PAGE)
    [file] = (tmp_path / "pages").iterdir()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)] == [0o600, 0o700]


def test_without_hours_nothing_is_kept(tmp_path: Path) -> None:
    cache(tmp_path, 0, hours=0).put_page(URL, PAGE)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_as_good_as_none(tmp_path: Path) -> None:
    cache(tmp_path, 0).put_page(URL, PAGE)
    [file] = (tmp_path / "pages").iterdir()
    for damage in ("", "[]", '{"unknown": 1}', "{", '{"source": "a", "title": "", "text": "", "origin": "web"}'):
        file.write_text(damage, encoding="utf-8")
        assert cache(tmp_path, 0).get_page(URL) is None


def test_the_oldest_pages_go_when_there_are_too_many(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(page_cache, "MAX_PAGES", 2)
    kept = cache(tmp_path, 0)
    for name in "abc":
        kept.put_page(name, PAGE)
    assert [kept.get_page(name) for name in "abc"] == [None, PAGE, PAGE]
