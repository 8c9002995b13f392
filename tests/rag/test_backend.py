from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from pytest import approx

from rag.backend import LibraryBackend
from rag.backends import LIBRARY_BACKENDS, open_backend
from rag.documents import Document, Passage
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from rag.stored import DocumentQuery, Filters
from tests.fakes.embedder import WordEmbedder
from tests.fakes.memory_library import MemoryBackend
from tests.fakes.torture import by_graph
from utils.errors import LibraryError
from utils.network.offline import OfflineSwitch

SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20)
MAGPIES = (
    "Magpies build domed nests of twigs and mud. A pair works a month on one, high in a poplar. The young leave it in"
    " June; ducks and martens move in when the pair builds another one elsewhere."
)
BIRDS = [
    Document("/birds/magpie.md", "Magpies", MAGPIES, "file"),
    Document("/birds/heron.md", "Herons", "Herons stand still in shallow water and wait for fish.", "file"),
    Document("https://birds.example/owl", "Owls", "Owls hear mice under the snow.", "web", "text/html"),
]
QUESTIONS = [
    ("Who builds domed nests?", SearchOptions()),
    ("waiting for fish", SearchOptions("vector", relevant_only=False)),
    ("mice under snow", SearchOptions("bm25")),
    ("birds", SearchOptions(filters=Filters(origins=("web",)), relevant_only=False)),
    ("nests and water", SearchOptions(also=("fish",), relevant_only=False)),
]


@pytest.fixture(params=["memory", "postgres"])
def second(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> RagSettings:
    """Settings of a library in PostgreSQL, or in a backend that only these tests have: one entry in the list."""
    if request.param == "postgres":
        request.getfixturevalue("postgres")
    else:
        monkeypatch.setitem(LIBRARY_BACKENDS, "memory", MemoryBackend)
    return replace(SETTINGS, backend=request.param)


async def filled(folder: Path, settings: RagSettings) -> Library:
    library = await Library.open(folder, settings, WordEmbedder())
    await library.add_all(BIRDS)
    await (await library._shelf()).wait_until_tended()
    return library


def unscored(passage: Passage) -> Passage:
    """All but what a store that rounds vectors says a little differently."""
    return replace(passage, score=0, similarity=0)


def test_every_backend_does_what_a_library_needs(tmp_path: Path, second: RagSettings) -> None:
    backends: list[LibraryBackend] = [open_backend(tmp_path, one, OfflineSwitch()) for one in (second, SETTINGS)]
    for backend in backends:
        assert backend.documents("birds").is_empty() and backend.collections().all_collections() == []
        assert not backend.indexes("birds", "a model").behind
        backend.close()


@pytest.mark.parametrize("large", [False, True])
async def test_a_second_backend_takes_in_and_finds_what_the_embedded_one_does(
    tmp_path: Path, second: RagSettings, large: bool
) -> None:
    other, embedded = await filled(tmp_path / "second", second), await filled(tmp_path / "sqlite", SETTINGS)
    assert not (tmp_path / "second" / "library.db").exists()
    for question, options in QUESTIONS:
        with by_graph() if large else nullcontext():
            await other.catch_up()
            found = await other.search(question, 5, options), await embedded.search(question, 5, options)
        assert found[0] and [unscored(one) for one in found[0]] == [unscored(one) for one in found[1]]
        for scores in ("score", "similarity"):
            assert [getattr(one, scores) for one in found[0]] == approx(
                [getattr(one, scores) for one in found[1]], abs=2e-4
            )
    assert (await other.stats()).origins == (await embedded.stats()).origins
    await other.close()
    await embedded.close()


async def test_a_second_backend_replaces_removes_rebuilds_and_is_examined(tmp_path: Path, second: RagSettings) -> None:
    library = await filled(tmp_path, second)
    changed = replace(BIRDS[1], text="Herons nest in colonies on high trees.")
    assert await library.add(changed) == 1 and await library.add(changed) == 0
    assert [p.text for p in await library.search("Where do herons nest?", 1)] == [changed.text]
    assert await library.catalogue.counts(DocumentQuery()) == {"file": 2, "web": 1}
    assert [one.title for one in await library.catalogue.page(DocumentQuery(words=("owl",)), 0, 9)] == ["Owls"]
    assert await library.remove("Owls") == 1
    assert await library.search("mice under the snow") == []
    assert await library.rebuild() == (await library.stats()).chunks
    assert [p.source for p in await library.search("domed nests", 1)] == [BIRDS[0].source]
    diagnosis = await library.examine()
    assert diagnosis.is_sound and diagnosis.findings == ()
    assert await library.remove_collection("rag_documents") == 2
    assert await library.is_empty()
    await library.close()


async def test_a_backend_that_nobody_knows_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LibraryError) as caught:
        await Library.open(tmp_path, replace(SETTINGS, backend="clay"), WordEmbedder())
    assert str(caught.value) == "A library cannot be kept in 'clay'. Set rag.backend to one of: postgres, sqlite."


def test_without_the_extra_what_is_missing_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.backends.find_spec", lambda name: None)
    with pytest.raises(LibraryError) as caught:
        open_backend(tmp_path, replace(SETTINGS, backend="postgres"), OfflineSwitch())
    assert str(caught.value) == (
        "What speaks with PostgreSQL is not installed. Install it: pip install 'magpie-assistant[postgres]'"
    )
