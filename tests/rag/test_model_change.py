"""Another embedding model, or one behind a server that is down or has become another: nothing is lost, all is said."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag.documents import Document
from rag.embedding.backends import OpenedEmbedder, open_embedder
from rag.embedding.base import Vectors
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.library import Library
from rag.model_change import EmbeddingContext
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.embedding_server import EmbeddingServer
from tests.fakes.ollama import Raw
from tests.fakes.torture import by_graph
from utils.errors import EmbedderUnavailable
from utils.network.access import NetworkAccess

pytestmark = pytest.mark.usefixtures("kept_in")
SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20)
MAGPIES = Document("/birds/magpie.md", "Magpies", "Magpies build domed nests of twigs and mud.", "file")
HERONS = Document("/birds/heron.md", "Herons", "Herons stand still in shallow water and wait for fish.", "file")
TAXES = Document("/law/tax.md", "Taxes", "Income tax is due in April, value added tax every quarter.", "file")
NEAR = SearchOptions("vector", relevant_only=False)
Reopen = Callable[[str], OpenedEmbedder | None]


class Elsewhere(WordEmbedder):
    """A model of a server on another machine."""

    host = "api.example.com"


OPEN: list[OpenedEmbedder] = []


@pytest.fixture(autouse=True)
async def at_once(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Nothing waits before it asks again; embedders are closed at the end, as who opens a library does."""
    monkeypatch.setattr("utils.network.retries.FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr("rag.embedding.served.embedder.UNREACHABLE_SECONDS", 0.0)
    yield
    while OPEN:
        await OPEN.pop().close()


async def opened(
    folder: Path, embedder: OpenedEmbedder, said: list[str], reopen: Reopen = lambda _: None, **changes: object
) -> Library:
    context = EmbeddingContext(embedder.fingerprint, reopen, said.append)
    return await Library.open(folder, replace(SETTINGS, **changes), embedder, None, context)  # type: ignore[arg-type]


async def filled(folder: Path, embedder: OpenedEmbedder, said: list[str]) -> Library:
    library = await opened(folder, embedder, said)
    await library.add_all([MAGPIES, HERONS, TAXES])
    return library


def served(url: str, wire: str = "openai", reach: NetworkAccess | None = None) -> OpenedEmbedder:
    choice = EmbeddingChoice(wire, "words", url + ("/v1" if wire == "openai" else ""))
    OPEN.append(open_embedder(choice, EmbedderSurroundings(Path("/nowhere"), reach or NetworkAccess())))
    return OPEN[-1]


async def changed(library: Library) -> None:
    """Wait until a change in the background is done, and have it taken."""
    change = library._model.change
    assert change is not None and change.task is not None
    await asyncio.wait_for(asyncio.shield(change.task), 20)
    await library.search("nests", 1)


async def first(library: Library, query: str = "domed nests of twigs and mud") -> tuple[str, float]:
    [passage] = await library.search(query, 1, NEAR)
    return passage.source, passage.similarity


async def test_the_old_vectors_answer_until_all_is_embedded_anew_in_the_background(tmp_path: Path) -> None:
    said: list[str] = []
    library = await filled(tmp_path, WordEmbedder("old"), said)
    await library.close()
    former, wanted = WordEmbedder("old"), WordEmbedder("new", 64)
    library = await opened(tmp_path, wanted, said, {"old": former}.get)
    assert (await first(library))[0] == MAGPIES.source
    assert former.texts and said == [
        "The library was embedded by old, and new is set now: it is embedded anew in the background (3 texts, about"
        " 38 tokens). Until that is done, the vectors of the old one answer."
    ]
    await changed(library)
    asked = len(former.texts)
    assert (await first(library))[0] == MAGPIES.source and len(former.texts) == asked
    assert (await library.stats()).embedding_model == RagSettings().embedding_model
    await library.close()
    # Known from then on: nothing is left to change, and the way back costs nothing either.
    library = await opened(tmp_path, WordEmbedder("new", 64), said)
    assert (await first(library))[0] == MAGPIES.source and len(said) == 1
    await library.close()


async def test_what_is_added_meanwhile_is_found_before_and_after_the_change(tmp_path: Path) -> None:
    said: list[str] = []
    await (await filled(tmp_path, WordEmbedder("old"), said)).close()
    library = await opened(tmp_path, Elsewhere("new", 64), said, {"old": WordEmbedder("old")}.get)
    owls = Document("/birds/owl.md", "Owls", "Owls hear mice under the snow.", "file")
    await library.add(owls)
    assert (await first(library, "mice under snow"))[0] == owls.source
    await library.rebuild()
    assert (await first(library, "mice under snow"))[0] == owls.source
    await library.close()


async def test_a_whole_library_is_sent_to_another_machine_only_when_that_is_asked_for(tmp_path: Path) -> None:
    said: list[str] = []
    await (await filled(tmp_path, WordEmbedder("old"), said)).close()
    wanted = Elsewhere("new", 64)
    library = await opened(tmp_path, wanted, said, {"old": WordEmbedder("old")}.get)
    assert (await first(library))[0] == MAGPIES.source and wanted.texts == []
    assert said == [
        "The library was embedded by old, and new is set now: embedding it anew sends 3 texts, about 38 tokens, to"
        " api.example.com. /rag-rebuild (`magpie rag rebuild`) does that; until it is done, the vectors of the old one"
        " answer."
    ]
    assert (await library.stats()).embedding_model == "old, until 3 texts are embedded by new"
    assert (await library.examine()).findings == () and wanted.texts == []
    assert await library.rebuild() == 3 and len(wanted.texts) == 3
    assert (await first(library))[0] == MAGPIES.source
    await library.close()


async def test_without_the_old_model_words_answer_until_the_user_agrees(tmp_path: Path) -> None:
    said: list[str] = []
    await (await filled(tmp_path, WordEmbedder("old"), said)).close()
    wanted = Elsewhere("new", 64)
    library = await opened(tmp_path, wanted, said)
    [passage] = await library.search("Who builds domed nests?", 1)
    await (await library._shelf()).wait_until_tended()
    assert passage.source == MAGPIES.source and len(wanted.texts) == 1 and "searched by words" in said[0]
    assert (await library.examine()).findings == () and len(wanted.texts) == 1
    await library.rebuild()
    assert (await first(library))[0] == MAGPIES.source
    await library.close()


async def test_a_change_that_breaks_off_keeps_what_was_embedded_and_goes_on(tmp_path: Path) -> None:
    said: list[str] = []
    library = await opened(tmp_path, WordEmbedder("old"), said)
    await library.add_all(
        [Document(f"/{n}.md", f"Bird {n}", f"Bird number {n} in its own tree {n}.", "file") for n in range(250)]
    )
    await library.close()
    async with EmbeddingServer([None, Raw((b"<html>",))]) as server:
        library = await opened(tmp_path, served(server.url), said, {"old": WordEmbedder("old")}.get)
        with pytest.raises(EmbedderUnavailable, match="what is no JSON"):
            await library.rebuild()
        assert (await first(library, "Bird number 7 in its own tree 7"))[0] == "/7.md"
        await library.rebuild()
        # Of the first hundred, which were kept, none is sent again but the one that shows whose vectors these are.
        assert server.sizes[:2] == [100, 100] and len(set(server.texts[:100]) & set(server.texts[100:])) <= 1
        assert (await first(library, "Bird number 7 in its own tree 7"))[0] == "/7.md"
        await library.close()


@pytest.mark.parametrize("wire", ["openai", "ollama"])
async def test_a_library_embedded_by_a_server_is_searched_by_the_exact_index_and_by_chroma(
    tmp_path: Path, wire: str
) -> None:
    said: list[str] = []
    async with EmbeddingServer(dimensions=3072) as server:
        library = await filled(tmp_path, served(server.url, wire), said)
        exact = await first(library)
        await (await library._shelf()).wait_until_tended()
        with by_graph():
            assert await first(library) == (exact[0], pytest.approx(exact[1], abs=1e-4))
        assert (await library.examine()).findings == () and said == []
        assert (await library.stats()).embedding_model == f"words@{wire}"
        await library.close()
    assert exact[0] == MAGPIES.source and exact[1] > 0.3


async def test_a_server_that_is_down_leaves_the_words_and_that_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        url = server.url
        await (await filled(tmp_path, served(url), said)).close()
    library = await opened(tmp_path, served(url), said)
    for _ in range(2):
        assert [p.source for p in await library.search("Who builds domed nests?", 1)] == [MAGPIES.source]
    owls = Document("/birds/owl.md", "Owls", "Owls hear mice under the snow.", "file")
    assert await library.add(owls) == 1
    assert [p.source for p in await library.search("mice under snow", 1)] == [owls.source]
    assert len(said) == 1 and "cannot be asked" in said[0] and said[0].endswith("is searched by words alone.")
    await library.close()


async def test_what_was_kept_without_vectors_is_embedded_once_the_server_is_back(tmp_path: Path) -> None:
    said: list[str] = []
    async with EmbeddingServer([Raw((b"",), 501)]) as server:
        library = await opened(tmp_path, served(server.url), said)
        await library.add(MAGPIES)
        await (await library._shelf()).wait_until_tended()
        assert (await first(library))[0] == MAGPIES.source and len(said) == 1
        await library.close()


async def test_offline_the_library_answers_by_words_and_says_why(tmp_path: Path) -> None:
    said: list[str] = []
    reach = NetworkAccess(offline=True)
    library = await opened(tmp_path, served("https://api.example.com", reach=reach), said)
    await library.add_all([MAGPIES, HERONS])
    assert [p.source for p in await library.search("Who builds domed nests?", 1)] == [MAGPIES.source]
    assert said == [
        "What is kept in the library, and what is asked of it, goes to api.example.com to be embedded; /offline stops"
        " that.",
        "api.example.com embeds the library, and Magpie is offline. /offline lets it reach the network again. The"
        " library is searched by words alone.",
    ]
    await library.close()
    # What goes elsewhere is said once a library.
    said.clear()
    library = await opened(tmp_path, served("https://api.example.com", reach=reach), said)
    await library.search("nests", 1)
    assert len(said) == 1 and "offline" in said[0]
    await library.close()


@pytest.mark.parametrize(("name", "dimensions"), [("another", 64), ("words", 32)])
async def test_another_model_behind_the_same_name_is_noticed_and_damages_nothing(
    tmp_path: Path, name: str, dimensions: int
) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        await (await filled(tmp_path, served(server.url), said)).close()
    async with EmbeddingServer(name=name, dimensions=dimensions) as server:
        library = await opened(tmp_path, served(server.url), said)
        assert [p.source for p in await library.search("Who builds domed nests?", 1)] == [MAGPIES.source]
        assert await library.add(Document("/birds/owl.md", "Owls", "Owls hear mice under the snow.", "file")) == 1
        assert len(said) == 1 and said[0].startswith("The model behind words@openai is another one than that which")
        assert ("(32 numbers a vector for 64)" in said[0]) == (dimensions == 32)
        assert len(server.texts) == 1
        assert await library.rebuild() == 4
        assert (await library.examine()).findings == ()
        await library.close()


ALL = SearchOptions("vector", relevant_only=False, collections=("rag_documents", "birds"))
# With the 64 dimensions of "another" the nearest to the last one is the herons: that is the model's, no old index's.
QUESTIONS = ("domed nests of twigs and mud", "Income tax", "Who builds domed nests?")


async def ranked(library: Library) -> list[list[tuple[str, object]]]:
    return [
        [(passage.source, pytest.approx(passage.similarity, abs=1e-4)) for passage in found]
        async for found in library.search_all(QUESTIONS, 4, ALL)
    ]


@pytest.mark.parametrize(("name", "dimensions"), [("another", 64), ("words", 32)])
async def test_after_a_rebuild_all_collections_answer_as_if_they_had_never_known_the_model_before(
    tmp_path: Path, name: str, dimensions: int
) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        library = await filled(tmp_path / "changed", served(server.url), said)
        await library.add(HERONS, collection="birds")
        # The vectors of the questions are remembered, and both indexes are open, when the model becomes another.
        before = await ranked(library)
        server.model = WordEmbedder(name, dimensions)
        await library.rebuild()
        fresh = await filled(tmp_path / "fresh", served(server.url), said)
        await fresh.add(HERONS, collection="birds")
        expected = await ranked(fresh)
        assert expected != before and await ranked(library) == expected
        for each in (library, fresh):
            for collection in ("", "birds"):
                await (await each._shelf(collection)).wait_until_tended()
        with by_graph():
            assert await ranked(library) == expected
        assert (await library.examine()).findings == ()
        await library.close()
        await fresh.close()


async def test_what_another_process_embedded_anew_is_used_by_this_one(tmp_path: Path) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        await (await filled(tmp_path, served(server.url), said)).close()
        server.model = WordEmbedder("another")
        library = await opened(tmp_path, served(server.url), said)
        await library.search("Who builds domed nests?", 1)
        assert len(said) == 1 and "is another one" in said[0]
        other = await opened(tmp_path, served(server.url), [])
        await other.rebuild()
        await other.close()
        assert await first(library) == (MAGPIES.source, pytest.approx(0.75, abs=0.2)) and len(said) == 1
        await library.close()


async def test_a_model_that_becomes_another_while_it_is_used_damages_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        library = await filled(tmp_path, served(server.url), said)
        server.model = WordEmbedder("words", 32)
        await library.add(Document("/birds/owl.md", "Owls", "Owls hear mice under the snow.", "file"))
        assert [p.source for p in await library.search("Who builds domed nests?", 1)] == [MAGPIES.source]
        assert "gave vectors of 32 numbers where they had 64 before" in said[0]
        server.model = WordEmbedder("words", 64)
        assert (await first(library))[0] == MAGPIES.source
        await library.close()


async def test_a_look_that_fails_does_not_make_another_model_the_same_again(tmp_path: Path) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        await (await filled(tmp_path, served(server.url), said)).close()
        server.model = WordEmbedder("another")
        library = await opened(tmp_path, served(server.url), said)
        await library.search("Who builds domed nests?", 1)
        server.scripted = [Raw((b"",), 501)]
        with pytest.raises(EmbedderUnavailable, match="status 501"):
            await library.rebuild()
        await library.search("When is income tax due?", 1)
        assert "When is income tax due?" not in server.texts and "is another one" in said[0]
        await library.close()


async def test_a_server_that_comes_back_with_another_model_is_found_out(tmp_path: Path) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        library = await filled(tmp_path, served(server.url), said)
        server.scripted = [Raw((b"",), 501)]
        await library.search("Who builds domed nests?", 1)
        server.model = WordEmbedder("another")
        await library.search("When is income tax due?", 1)
        assert "When is income tax due?" not in server.texts and "is another one" in said[-1]
        await library.close()


async def test_a_model_that_becomes_another_without_a_failure_is_found_out_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        library = await filled(tmp_path, served(server.url), said)
        assert (await first(library))[0] == MAGPIES.source and said == []
        monkeypatch.setattr("rag.embedding.watched.LOOK_SECONDS", 0.0)
        server.model = WordEmbedder("another")
        await library.search("When is income tax due?", 1)
        assert "When is income tax due?" not in server.texts and "is another one" in said[0]
        await library.close()


async def test_what_was_remembered_of_a_model_is_forgotten_where_another_process_embedded_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        library = await filled(tmp_path, served(server.url), said)
        await library.add(HERONS, collection="birds")
        before = await ranked(library)
        server.model = WordEmbedder("words", 32)
        other = await opened(tmp_path, served(server.url), said)
        await other.rebuild()
        monkeypatch.setattr("rag.embedding.watched.LOOK_SECONDS", 0.0)
        expected = await ranked(other)
        assert expected != before and await ranked(library) == expected and said == []
        await other.close()
        await library.close()


async def test_a_model_whose_server_takes_only_shorter_texts_now_is_the_same_and_another_is_seen_by_a_short_one(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    long = Document("/words.md", "Words", " ".join(f"word{number}" for number in range(150)), "file")
    async with EmbeddingServer() as server:
        library = await opened(tmp_path, served(server.url), said, chunk_size=5_000)
        await library.add(long)
        await library.close()
        server.reads = 100
        library = await opened(tmp_path, served(server.url), said, chunk_size=5_000)
        assert (await first(library, "word7 word8"))[0] == long.source and "word7 word8" in server.texts
        await library.add(MAGPIES)
        await library.close()
        assert said == []
        server.model = WordEmbedder("another")
        library = await opened(tmp_path, served(server.url), said, chunk_size=5_000)
        await library.search("nests", 1)
        assert "nests" not in server.texts and "is another one" in said[0]
        await library.close()


async def test_the_look_at_a_model_is_within_the_time_that_a_question_waits_and_the_next_waits_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        await (await filled(tmp_path, served(server.url), said)).close()
        monkeypatch.setattr("rag.embedding.served.embedder.QUESTION_SECONDS", 0.2)
        monkeypatch.setattr("rag.embedding.served.embedder.UNREACHABLE_SECONDS", 600.0)
        server.scripted = [Raw((b"",), before=600.0)] * 9
        library = await opened(tmp_path, served(server.url), said)
        asked = len(server.requests)
        for _ in range(2):
            assert [p.source for p in await library.search("Who builds domed nests?", 1)] == [MAGPIES.source]
        assert len(server.requests) == asked + 1
        assert len(said) == 1 and "gave no vector of the question in 0 s" in said[0]
        await library.close()


@pytest.mark.parametrize("opened_first", [True, False])
async def test_a_collection_that_is_opened_while_the_model_changes_is_of_the_new_one(
    tmp_path: Path, opened_first: bool
) -> None:
    said: list[str] = []
    await (await filled(tmp_path, WordEmbedder("old"), said)).close()
    library = await opened(tmp_path, WordEmbedder("new", 64), said, {"old": WordEmbedder("old")}.get)
    await library.search("nests", 1)
    change = library._model.change
    assert change is not None and change.task is not None
    await change.task
    works = [library._shelves.open_shelf("birds"), library._shelves.swap_model()]
    await asyncio.gather(*(works if opened_first else works[::-1]))
    assert (await library._shelf("birds")).fingerprint == "new"
    await library.close()


async def test_a_search_under_way_is_answered_to_its_end_by_the_model_that_it_began_with(tmp_path: Path) -> None:
    said: list[str] = []
    await (await filled(tmp_path, WordEmbedder("old"), said)).close()
    former = WordEmbedder("old")
    library = await opened(tmp_path, Elsewhere("new", 64), said, {"old": former}.get)
    searches = library.search_all(["domed nests of twigs and mud", "income tax"], 1, NEAR)
    assert [passage.source for passage in await anext(searches)] == [MAGPIES.source]
    assert await library.rebuild() == 3
    assert [passage.source for passage in await anext(searches)] == [TAXES.source]
    await searches.aclose()
    asked = len(former.texts)
    assert (await first(library))[0] == MAGPIES.source and len(former.texts) == asked
    await library.close()


class AtAnotherHost(Elsewhere):
    """A model of yet another machine."""

    host = "box.test"


@pytest.mark.parametrize("wanted", [WordEmbedder("new", 64), AtAnotherHost("new", 64)], ids=["here", "elsewhere"])
async def test_to_a_host_that_the_settings_no_longer_name_nothing_is_sent_and_words_answer(
    tmp_path: Path, wanted: WordEmbedder
) -> None:
    said: list[str] = []
    await (await filled(tmp_path, Elsewhere("old"), said)).close()
    former = Elsewhere("old")
    library = await opened(tmp_path, wanted, said, {"old": former}.get)
    await library.add(Document("/birds/owl.md", "Owls", "Owls hear mice under the snow.", "file"))
    assert [p.source for p in await library.search("Who builds domed nests?", 1)] == [MAGPIES.source]
    assert former.texts == [] and len(said) == 1
    assert said[0].startswith(
        "The library was embedded by old at api.example.com, where nothing is sent any more, and new is set now: "
    )
    assert said[0].endswith("the library is searched by words.")
    await library.rebuild()
    assert (await first(library))[0] == MAGPIES.source and former.texts == []
    await library.close()


async def test_the_former_model_of_the_host_that_the_settings_name_still_answers(tmp_path: Path) -> None:
    said: list[str] = []
    await (await filled(tmp_path, Elsewhere("old"), said)).close()
    library = await opened(tmp_path, Elsewhere("new", 64), said, {"old": Elsewhere("old")}.get)
    assert (await first(library))[0] == MAGPIES.source and "the vectors of the old one answer" in said[0]
    await library.close()


async def test_a_library_that_is_only_read_is_embedded_here_as_it_is_met_where_no_former_model_answers(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    await (await filled(tmp_path, Elsewhere("old"), said)).close()
    wanted = WordEmbedder("new", 64)
    library = await opened(tmp_path, wanted, said, {"old": Elsewhere("old")}.get, read_only=True)
    assert (await first(library))[0] == MAGPIES.source and said == []
    await library.close()


async def test_a_few_texts_are_not_sent_to_another_machine_either_before_that_is_asked_for(tmp_path: Path) -> None:
    said: list[str] = []
    library = await opened(tmp_path, WordEmbedder("new", 64), said)
    await library.add_all(
        [Document(f"/{n}.md", f"Bird {n}", f"Bird number {n} in its own tree {n}.", "file") for n in range(20)]
    )
    await library.close()
    library = await opened(tmp_path, WordEmbedder("old"), said)
    await library.rebuild()
    await library.add(MAGPIES)
    await library.close()
    said.clear()
    wanted = Elsewhere("new", 64)
    library = await opened(tmp_path, wanted, said, {"old": WordEmbedder("old")}.get)
    assert (await first(library))[0] == MAGPIES.source
    await (await library._shelf()).wait_until_tended()
    assert wanted.texts == [] and "sends 1 texts" in said[0]
    await library.close()


async def test_what_a_rebuild_sends_to_another_machine_is_said_before(tmp_path: Path) -> None:
    said: list[str] = []
    await (await filled(tmp_path, WordEmbedder("old"), said)).close()

    class Watchful(Elsewhere):
        async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
            assert "sends 3 texts, about 38 tokens, to api.example.com" in said[0]
            return await super().embed_pieces(texts)

    library = await opened(tmp_path, Watchful("new", 64), said, {"old": WordEmbedder("old")}.get)
    assert await library.rebuild() == 3 and len(said) == 1
    await library.close()


async def test_indexes_are_made_anew_while_the_server_is_down_as_long_as_nothing_is_to_be_embedded(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    async with EmbeddingServer() as server:
        url = server.url
        await (await filled(tmp_path, served(url), said)).close()
    library = await opened(tmp_path, served(url), said)
    assert await library.rebuild() == 3
    await library.add(Document("/birds/owl.md", "Owls", "Owls hear mice under the snow.", "file"))
    with pytest.raises(EmbedderUnavailable, match="cannot be asked"):
        await library.rebuild()
    await library.close()
