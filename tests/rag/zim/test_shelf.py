import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from rag.readers import ReaderPool, ReadingLimits, read_documents
from rag.zim.shelf import NOT_INSTALLED, ShelfState, ZimShelf, telling_query
from tests.fakes.zim import BRIDGE, MANY, MARCH, Entry, page, write_zim
from utils.errors import DocumentError


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of towns, with redirects, a picture, and an article that is too large."""
    entries = (
        Entry("arch.png", "Ostermark arch", b"\x89PNG\r\n\x1a\n", "image/png"),
        Entry("Ostermark_Rolls", "Ostermark Rolls", page("Ostermark Rolls", "x" * 11_000_000)),
        Entry(
            "a/b?c=d#e f%25", "Odd Name", page("Odd Name", "An article whose path has every sign that an address has.")
        ),
    )
    redirects = {"The_Bridge": "Ostermark_Bridge", "Bridge_(Ostermark)": "The_Bridge"}
    return write_zim(tmp_path_factory.mktemp("zim") / "towns.zim", entries=entries, redirects=redirects)


@pytest.fixture(scope="module")
def titles_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_zim(tmp_path_factory.mktemp("zim") / "titles.zim", full_text=False, metadata={})


async def sources(shelf: ZimShelf, query: str, limit: int = 5) -> list[str]:
    return [str(address) for address, _, _ in await shelf.search(query, limit)]


async def test_an_archive_says_what_it_is(towns: Path, titles_only: Path) -> None:
    state = await ZimShelf([towns, titles_only.parent]).look()
    told = [
        (one.name, one.facts.title, one.facts.date, one.facts.languages, one.facts.full_text) for one in state.archives
    ]
    assert told == [
        ("towns", "Towns of the Enner", "2024-03-15", ("eng",), True),
        ("titles", "titles", "", (), False),
    ]
    assert state.archives[1].facts.articles == MANY + 1


async def test_a_question_finds_the_article_that_has_its_words(towns: Path) -> None:
    [(address, found, archive), *_] = await ZimShelf([towns]).search("Who designed the Ostermark Bridge?", 5)
    assert (str(address), found.title, found.snippet) == ("zim://towns/Ostermark_Bridge", "Ostermark Bridge", BRIDGE)
    assert archive.moment == "2024-03-15T00:00:00+00:00"


async def test_words_that_no_article_has_together_still_find_the_nearest(towns: Path) -> None:
    assert "zim://towns/Ostermark_Bridge" in await sources(ZimShelf([towns]), "Halvorsen xyzzy mill")
    assert await sources(ZimShelf([towns]), "xyzzy") == []


@pytest.mark.parametrize(
    "query", ['"', "-", "NOT", "Ostermark OR (", "NEAR/3 bridge\0", "*", "a" * 100_000, "\ud800", ""]
)
async def test_a_query_is_words_and_nothing_else(towns: Path, query: str) -> None:
    await ZimShelf([towns]).search(query, 5)


async def test_an_archive_without_a_full_text_index_is_searched_by_its_titles(titles_only: Path) -> None:
    shelf = ZimShelf([titles_only])
    assert (await sources(shelf, "Where is the Ostermark Bridge?"))[0] == "zim://titles/Ostermark_Bridge"
    assert await sources(shelf, "Halvorsen") == []


async def test_several_archives_are_merged_by_rank_those_in_the_language_of_the_question_first(
    towns: Path, tmp_path: Path
) -> None:
    for language, name in (("deu", "german"), ("eng", "english")):
        about = {"Brücke": ("Ostermark", page("Ostermark", f"The Ostermark Bridge in the {name} archive is a bridge."))}
        write_zim(tmp_path / f"{name}.zim", about, metadata=MARCH | {"Language": language})
    found = await sources(ZimShelf([tmp_path, towns]), "Who designed the bridge that is called Ostermark?", 3)
    assert [source.split("/")[2] for source in found] == ["english", "towns", "german"]


async def test_an_article_is_read_as_a_page_is_without_scripts_pictures_and_links(towns: Path) -> None:
    document = await ZimShelf([towns]).read("zim://towns/Ostermark_Bridge#History")
    assert BRIDGE in document.text
    assert not {"steal", "canonical", "arch.png", "Other"} & set(document.text.split())
    assert (document.source, document.title, document.origin, document.fetched) == (
        "zim://towns/Ostermark_Bridge",
        "Ostermark Bridge",
        "web",
        "2024-03-15T00:00:00+00:00",
    )


@pytest.mark.parametrize(
    "address",
    [
        "zim://towns/The_Bridge",
        "zim://towns/Bridge_(Ostermark)",
        "zim://towns/Ostermark Bridge",
        "ZIM://Towns/The%20Bridge",
    ],
)
async def test_redirects_and_titles_lead_to_the_article(towns: Path, address: str) -> None:
    assert (await ZimShelf([towns]).read(address)).source == "zim://towns/Ostermark_Bridge"


async def test_an_address_holds_whatever_a_path_does(towns: Path) -> None:
    [odd] = await sources(ZimShelf([towns]), "article whose path has every sign", 1)
    assert odd == "zim://towns/a/b%3Fc=d%23e%20f%2525"
    assert (await ZimShelf([towns]).read(odd)).title == "Odd Name"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("zim://towns/Nowhere", "towns.zim holds no article 'Nowhere'. Search for it."),
        ("zim://towns/arch.png", "towns.zim holds no article 'arch.png'. Search for it."),
        ("zim://towns/../../../etc/passwd", "towns.zim holds no article '../../../etc/passwd'. Search for it."),
        ("zim://towns/Ostermark_Rolls", "Ostermark_Rolls in towns.zim is larger than 10 MB."),
        ("zim://other/Bridge", "There is no archive called 'other'. There are: towns."),
        ("zim://..%2Ftowns/Bridge", "There is no archive called '../towns'. There are: towns."),
        ("zim://towns", "That is no address of an article. Write it as a search gave it: zim://archive/article."),
        ("zim://towns/a%00b", "That is no address of an article. Write it as a search gave it: zim://archive/article."),
    ],
)
async def test_what_cannot_be_read_is_told_in_a_sentence(towns: Path, address: str, told: str) -> None:
    with pytest.raises(DocumentError) as caught:
        await ZimShelf([towns]).read(address)
    assert str(caught.value) == told


async def test_what_is_no_archive_is_told_and_the_others_answer(towns: Path, tmp_path: Path) -> None:
    (tmp_path / "text.zim").write_text("Hello")
    (tmp_path / "empty.zim").touch()
    (tmp_path / "folder.zim").mkdir()
    shutil.copy(towns, tmp_path / "towns.zim")
    (tmp_path / "head.zim").write_bytes(towns.read_bytes()[:70])
    told: list[str] = []
    shelf = ZimShelf([towns, tmp_path, tmp_path / "missing.zim"], told.append)
    assert (await sources(shelf, "Ostermark Bridge"))[0] == "zim://towns/Ostermark_Bridge"
    assert [sentence.replace(f"{tmp_path}/", "") for sentence in told] == [
        "empty.zim is no ZIM archive. Check search.zim_files.",
        "folder.zim cannot be read: it is a folder. Check search.zim_files.",
        "head.zim is a ZIM archive that cannot be read: zim-file is too small to contain a header.",
        "text.zim is no ZIM archive. Check search.zim_files.",
        f"towns.zim is left out, for {towns} has the same name. Rename one of them.",
        "missing.zim does not exist. Check search.zim_files.",
    ]


async def test_an_archive_in_parts_is_one(towns: Path, tmp_path: Path) -> None:
    data = towns.read_bytes()
    for ending, part in (("aa", data[:20_000]), ("ab", data[20_000:])):
        (tmp_path / f"parts.zim{ending}").write_bytes(part)
    assert (await sources(ZimShelf([tmp_path]), "Ostermark Bridge"))[0] == "zim://parts/Ostermark_Bridge"


async def test_a_damaged_archive_ends_nothing_but_its_reading(towns: Path, tmp_path: Path) -> None:
    whole = bytearray(towns.read_bytes())
    copy = tmp_path / "hurt.zim"
    pool = ReaderPool(ReadingLimits(seconds=5))
    for begin in range(0, len(whole), max(1, len(whole) // 40)):
        hurt = bytearray(whole)
        hurt[begin : begin + 64] = b"\xff" * len(hurt[begin : begin + 64])
        copy.write_bytes(hurt)
        await ask_everything(ZimShelf([copy], pool=pool))
    for share in range(1, 10):
        copy.write_bytes(whole[: len(whole) * share // 10])
        await ask_everything(ZimShelf([copy], pool=pool))
    assert (await sources(ZimShelf([towns], pool=pool), "Ostermark Bridge"))[0] == "zim://towns/Ostermark_Bridge"


async def ask_everything(shelf: ZimShelf) -> None:
    """Search and read; what is raised is one sentence or two."""
    for asked in (shelf.search("Who designed the Ostermark Bridge?", 5), shelf.read("zim://hurt/The_Bridge")):
        try:
            await asked
        except DocumentError as error:
            assert "\n" not in str(error)


async def test_a_redirect_that_leads_back_to_itself_is_no_article(tmp_path: Path) -> None:
    """libzim writes none, so that one is written over another redirect."""
    articles = {"Ostermark": ("Ostermark", page("Ostermark", BRIDGE))}
    path = write_zim(tmp_path / "loop.zim", articles, redirects={"AAAA": "Ostermark"})
    data = bytearray(path.read_bytes())
    # A redirect: type 0xffff, no parameters, the namespace, four bytes of revision, the number of where it leads.
    redirect = b"\xff\xff\x00C\x00\x00\x00\x00"
    assert data.count(redirect + b"\x01\x00\x00\x00AAAA") == 1
    path.write_bytes(data.replace(redirect + b"\x01\x00\x00\x00AAAA", redirect + b"\x00\x00\x00\x00AAAA"))
    with pytest.raises(DocumentError, match=r"loop\.zim holds no article 'AAAA'"):
        await ZimShelf([path]).read("zim://loop/AAAA")


async def test_without_libzim_one_sentence_says_what_to_install(towns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libzim", None)
    shelf = ZimShelf([towns])
    assert await shelf.look() == ShelfState((), (str(NOT_INSTALLED),))
    with pytest.raises(DocumentError, match=r"What reads ZIM archives is not installed"):
        await shelf.search("Ostermark", 1)


async def test_a_new_archive_is_seen_and_one_that_is_gone_is_not_asked(towns: Path, tmp_path: Path) -> None:
    shelf = ZimShelf([tmp_path])
    assert await shelf.look() == ShelfState((), ())
    await asyncio.to_thread(shutil.copy, towns, tmp_path / "new.zim")
    assert [one.name for one in (await shelf.look()).archives] == ["new"]
    (tmp_path / "new.zim").unlink()
    assert await shelf.look() == ShelfState((), ())


async def test_an_archive_is_not_taken_into_the_library_whole(towns: Path) -> None:
    with pytest.raises(DocumentError, match=r"towns\.zim is a ZIM archive, .* search\.zim_files: it is searched where"):
        _ = [document async for document in read_documents(towns)]


def test_the_words_of_a_query_are_those_that_say_something() -> None:
    assert telling_query("Who designed the Ostermark Bridge?", "en") == ("designed", "ostermark", "bridge")
    assert telling_query("Wer hat die Brücke gebaut?", "de") == ("brücke", "gebaut")
    assert telling_query("the who", "en") == ("the", "who")


async def test_a_question_without_spaces_between_its_words_finds_its_article(tmp_path: Path) -> None:
    bridge = ("奥斯特馬克橋", page("奥斯特馬克橋", "奥斯特馬克橋由英格麗德設計，於1931年通車。"))
    write_zim(tmp_path / "zh.zim", {"橋": bridge}, metadata={"Language": "zho"})
    assert await sources(ZimShelf([tmp_path]), "誰設計了奥斯特馬克橋？") == ["zim://zh/%E6%A9%8B"]
