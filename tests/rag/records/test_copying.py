from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from rag.backend import LibraryBackend
from rag.backends import LIBRARY_BACKENDS, open_backend
from rag.chunk_size import ChunkShape
from rag.documents import Document, Properties
from rag.library import Library
from rag.records import copying
from rag.records.copying import CopyReport, copy_library
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.memory_library import MemoryBackend
from utils.errors import LibraryError
from utils.network.offline import OfflineSwitch

SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20)
NUL = Document("/odd/\0.md", "Odd \0", "Nul \0 and \U0010ffff. " * 20, "file", fetched="2026-11-25T10:00:00Z")
BIRDS = [Document(f"/birds/{n}.md", f"Bird {n}", f"Bird {n} sings. " * 20, "file") for n in range(7)]
PAGE = Document("https://birds.example/owl", "Owls", "Owls hear mice.", "web", "text/html", container="/owls",
                properties=Properties("Ann \0 Bird", "2024-05-06", ("Owls", "mice"), "en"))  # fmt: skip
LAW = Document("/law/tax.md", "Taxes", "Income tax is due in April.", "file")


@pytest.fixture(params=["memory", "postgres"])
def other(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "postgres":
        request.getfixturevalue("postgres")
    else:
        memory = MemoryBackend(Path(), SETTINGS, OfflineSwitch())
        monkeypatch.setitem(LIBRARY_BACKENDS, "memory", lambda *_: memory)
    return str(request.param)


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    library = await Library.open(tmp_path, SETTINGS, WordEmbedder())
    await library.add_all([*BIRDS, NUL, PAGE])
    await library.add(LAW, collection="law")
    await library.cite(await library.search("Owls hear mice", 1))
    await library.close()
    with opened(tmp_path) as backend:
        backend.collections().keep_shape("law", ChunkShape(300, 30, "tokens", "words"))
        backend.models().add_tokens("words", 12)
    return tmp_path


def opened(folder: Path, backend: str = "sqlite"):
    return closing(open_backend(folder, replace(SETTINGS, backend=backend), OfflineSwitch()))


def copied(source: LibraryBackend, target: LibraryBackend) -> CopyReport:
    told = list[tuple[int, int]]()
    report = copy_library(source, target, lambda *done: told.append(done))
    assert told[-1][0] == told[-1][1] == 2 * report.documents
    return report


def contents(backend: LibraryBackend) -> object:
    models = list(backend.models().count_texts())
    names = [(one.name, one.documents, one.chunks, one.shape) for one in backend.collections().all_collections()]
    kept = [one for name, *_ in names for one in backend.copies().next_documents(name, 0, 99).values()]
    known = [backend.copies().find_vectors(model, [h for one in kept for h in one.prepared.hashes]) for model in models]
    records = backend.copies().all_notes(), backend.models().count_tokens(), backend.models().count_texts()
    return names, kept, [one.digest(known) for one in kept], records


async def test_of_a_library_only_the_collections_that_are_named_are_copied(filled: Path, other: str) -> None:
    with opened(filled) as source, opened(filled, other) as target:
        report = copy_library(source, target, lambda *_: None, ["law"])
        assert (report.documents, report.copied) == (1, 1)
        assert [one.name for one in target.collections().all_collections()] == ["law"]
        assert target.copies().find_documents("law", [LAW.source]).keys() == {LAW.source}
        with pytest.raises(LibraryError, match=r"There is no collection laws\. There are: "):
            copy_library(source, target, lambda *_: None, ["law", "laws"])


async def test_a_library_is_copied_with_its_vectors_and_back(
    filled: Path, tmp_path_factory: pytest.TempPathFactory, other: str
) -> None:
    with opened(filled) as source, opened(filled, other) as target:
        report = copied(source, target)
        assert (report.documents, report.copied) == (10, 10)
        assert contents(target) == contents(source)
        assert copied(source, target) == replace(report, copied=0)
    back = tmp_path_factory.mktemp("back")
    with opened(filled, other) as source, opened(back) as target:
        assert copied(source, target) == report
        with opened(filled) as first:
            assert contents(target) == contents(first)
    embedder = WordEmbedder()
    library = await Library.open(back, SETTINGS, embedder)
    assert [one.source for one in await library.search("Owls hear mice", 1)] == [PAGE.source]
    assert not [text for text in embedder.texts if "hear mice" in text and "\n" in text]
    await library.close()


async def test_a_copy_that_was_cut_off_goes_on_where_it_was(
    filled: Path, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "COPIED_TOGETHER", 2)

    def cut(done: int, total: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with opened(filled) as source, opened(filled, other) as target:
        with pytest.raises(KeyboardInterrupt):
            copy_library(source, target, cut)
        assert 0 < copied(source, target).copied < 10
        assert contents(target) == contents(source)


async def test_what_differs_is_copied_again_and_what_else_is_there_stays(filled: Path, other: str) -> None:
    with opened(filled) as source, opened(filled, other) as target:
        copied(source, target)
        source.documents("law").note_cited([LAW.source])
        tagged = replace(LAW, properties=Properties(tags=("tax",)))
        source.documents("law").touch_documents([tagged])
        target.copies().put_documents("mine", target.copies().next_documents("law", 0, 1).values())
        assert copied(source, target).copied == 1
        assert target.documents("law").find_document(LAW.source) == tagged
        assert not target.documents("mine").is_empty()


async def test_a_copy_that_is_not_what_it_should_be_is_told(
    filled: Path, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_copy_batch", lambda *_: 0)
    told = r"^The copy of /law/tax\.md is not what it should be\."
    with opened(filled) as source, opened(filled, other) as target, pytest.raises(LibraryError, match=told):
        copied(source, target)
