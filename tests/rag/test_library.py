import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rag.documents import Document, Passage
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from rag.stored import Filters
from tests.fakes.embedder import WordEmbedder
from tests.fakes.torture import by_graph
from utils.errors import LibraryError

pytestmark = pytest.mark.usefixtures("kept_in")
ALL = SearchOptions(relevant_only=False)
SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20)
MAGPIES = Document("/birds/magpie.md", "Magpies", "Magpies build domed nests of twigs and mud.", "file")
HERONS = Document("/birds/heron.md", "Herons", "Herons stand still in shallow water and wait for fish.", "file")
TAXES = Document("/law/tax.md", "Taxes", "Income tax is due in April, value added tax every quarter.", "file")


async def opened(folder: Path, **changes) -> Library:
    return await Library.open(folder, replace(SETTINGS, **changes), WordEmbedder())


async def settled(library: Library) -> None:
    """Wait until the indexes on disk are open: in a process that wrote, Chroma as well."""
    while (await library.stats()).index != "ready":
        await asyncio.sleep(0.02)


def days_ago(days: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86_400))


async def sources(library: Library, query: str, limit: int = 1) -> list[str]:
    return [passage.source for passage in await library.search(query, limit, ALL)]


async def test_what_was_added_is_found_with_where_it_stands(tmp_path):
    library = await opened(tmp_path)
    for document in (MAGPIES, HERONS, TAXES):
        assert await library.add(document) == 1
    [passage] = await library.search("domed nests of twigs", 1)
    assert passage == Passage(
        text=MAGPIES.text,
        source=MAGPIES.source,
        title="Magpies",
        origin="file",
        chunk_index=0,
        total_chunks=1,
        similarity=passage.similarity,
        media_type="text/plain",
        end=len(MAGPIES.text),
        score=passage.score,
        collection="rag_documents",
    )
    assert 0.5 < passage.similarity < 1
    await library.close()


async def test_chunks_are_counted_in_tokens_where_the_settings_say_so(tmp_path):
    library = await opened(tmp_path, chunk_unit="tokens", chunk_overlap=0)
    assert await library.add(replace(MAGPIES, text="twig " * 250)) == 3
    await library.close()


async def test_comparing_all_and_a_graph_give_the_same(tmp_path):
    library = await opened(tmp_path)
    for document in (MAGPIES, HERONS, TAXES):
        await library.add(document)
    exact = await library.search("wait for fish in April", 3, ALL)
    await settled(library)
    with by_graph():
        await library.catch_up()
        graph = await library.search("wait for fish in April", 3, ALL)
        assert (await library.stats()).answering in ("chroma", "hnsw")
    assert [p.source for p in exact] == [p.source for p in graph]
    assert [p.similarity for p in exact] == pytest.approx([p.similarity for p in graph], abs=1e-5)
    await library.close()


async def test_what_is_not_near_enough_is_left_out(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    assert await library.search("quantum chromodynamics") == []
    await library.close()


async def test_unchanged_content_adds_nothing_and_is_not_embedded(tmp_path):
    embedder = WordEmbedder()
    library = await Library.open(tmp_path, SETTINGS, embedder)
    await library.add(MAGPIES)
    embedder.texts.clear()
    assert await library.add(replace(MAGPIES, fetched="2026-11-22T00:00:00+00:00")) == 0
    assert embedder.texts == []
    await library.close()


async def test_a_changed_document_takes_the_place_of_the_old_one_and_embeds_only_what_is_new(tmp_path):
    embedder = WordEmbedder()
    library = await Library.open(tmp_path, RagSettings(chunk_size=100, chunk_overlap=0), embedder)
    first, second, third = ("one " * 20).strip(), ("two " * 20).strip(), ("three " * 14).strip()
    await library.add(replace(MAGPIES, text=f"{first}\n\n{second}"))
    embedder.texts.clear()
    assert await library.add(replace(MAGPIES, text=f"{first}\n\n{third}")) == 2
    assert embedder.texts == [f"Magpies\n{third}"]
    await settled(library)
    found = await library.search("two", 5, ALL)
    assert sorted(p.text for p in found) == [first, third]
    await library.close()


async def test_the_same_text_in_two_documents_is_found_once(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    await library.add(replace(MAGPIES, source="/copy.md", text=MAGPIES.text.replace("domed", "Domed ")))
    await library.add(HERONS)
    assert sorted(await sources(library, "Magpies build domed nests", 3)) == sorted([MAGPIES.source, HERONS.source])
    await library.close()


async def test_many_copies_do_not_crowd_out_what_is_different(tmp_path):
    library = await opened(tmp_path)
    for number in range(40):
        await library.add(replace(MAGPIES, source=f"/copies/{number}.md"))
    await library.add(HERONS)
    found = await sources(library, "Magpies build domed nests", 2)
    assert len(found) == 2 and found[1] == HERONS.source
    await library.close()


async def test_a_snippet_gives_way_to_its_page_and_never_comes_back(tmp_path):
    library = await opened(tmp_path)
    snippet = Document("https://birds.example/heron", "Herons", "Herons stand still.", "snippet")
    page = replace(HERONS, source=snippet.source, origin="web")
    assert await library.add(snippet) == 1
    assert await library.add(page) == 1
    assert await library.add(snippet) == 0
    assert await library.find_document(page.source) == page
    assert (await library.stats()).origins == {"web": (1, 1)}
    await library.close()


async def test_a_page_with_its_snippets_words_still_becomes_a_page(tmp_path):
    library = await opened(tmp_path)
    await library.add(replace(HERONS, origin="snippet"))
    assert await library.add(replace(HERONS, origin="web")) == 1
    await library.close()


async def test_documents_are_removed_by_source_folder_and_title(tmp_path):
    library = await opened(tmp_path)
    for document in (MAGPIES, HERONS, TAXES, replace(TAXES, source="/law/2.md", title="Fees", text="Fees are due.")):
        await library.add(document)
    await settled(library)
    assert await library.remove("fees") == 1
    assert await library.remove("/law/tax.md") == 1
    assert await library.remove("/law/tax.md") == 0
    assert await library.remove("/bird") == 0
    assert await library.remove("") == 0
    assert await library.remove("/birds") == 2
    assert await library.search("twigs fish tax fees", 5, ALL) == []
    assert await library.is_empty()
    await library.close()


async def test_the_records_of_a_file_are_removed_with_it(tmp_path):
    library = await opened(tmp_path)
    for line in (1, 2):
        await library.add(replace(MAGPIES, source=f"/birds.jsonl#{line}", text=f"Record {line}."))
    await library.add(HERONS)
    assert await library.remove("/birds.jsonl") == 2
    assert await library.list_titles() == ["Herons"]
    await library.close()


async def test_old_pages_are_forgotten_unless_they_were_cited(tmp_path, kept_in):
    library = await opened(tmp_path)
    pages = [replace(MAGPIES, source=f"https://birds.example/{n}", origin="web", text=f"Page {n}.") for n in range(3)]
    for document in (*pages, HERONS):
        await library.add(document)
    [passage] = await library.search("Page 1", 1, ALL)
    await library.cite([passage])
    await library.close()
    kept_in.execute(f"UPDATE documents SET seen = '{days_ago(91)}' WHERE source != '{pages[2].source}'")
    library = await opened(tmp_path)
    await library.search("Page", 3)
    shelf = await library._shelf()
    shelf.tend_indexes()
    await shelf.wait_until_tended()
    assert sorted(await library.list_titles()) == ["Herons", "Magpies"]
    assert [await library.find_document(page.source) is None for page in pages] == [True, False, False]
    await library.close()


async def test_a_search_is_kept_to_what_the_filters_let_through(tmp_path):
    library = await opened(tmp_path)
    for document in (MAGPIES, HERONS, replace(TAXES, fetched="2026-03-01T00:00:00+00:00", origin="web")):
        await library.add(document)

    async def found(**filters) -> set[str]:
        options = SearchOptions(filters=Filters(**filters), relevant_only=False)
        return {passage.title for passage in await library.search("fish in April", 5, options)}

    assert await found(sources=("/birds",)) == {"Magpies", "Herons"}
    assert await found(sources=("heron.md",)) == {"Herons"}
    assert await found(sources=("magpies", "/law/*.md")) == {"Magpies", "Taxes"}
    assert await found(origins=("web",)) == {"Taxes"}
    assert await found(since="2026-01-01") == {"Taxes"}
    assert await found(sources=("/none",)) == set()
    await library.close()


async def test_collections_are_apart_and_can_be_searched_together(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    await library.add(HERONS, collection="water")
    both = SearchOptions(collections=("rag_documents", "water"), relevant_only=False)
    assert await sources(library, "nests and fish", 5) == [MAGPIES.source]
    assert {p.collection for p in await library.search("nests and fish", 5, both)} == {"rag_documents", "water"}
    assert [(c.name, c.documents) for c in await library.list_collections()] == [("rag_documents", 1), ("water", 1)]
    assert await library.remove_collection("water") == 1
    assert await library.search("fish", 5, SearchOptions(collections=("water",))) == []
    with pytest.raises(LibraryError, match="cannot be the name of a collection"):
        await library.add(TAXES, collection="../up")
    await library.close()


async def test_a_rare_word_is_found_whatever_its_meaning(tmp_path):
    library = await opened(tmp_path)
    filler = [replace(MAGPIES, source=f"/{n}", text=f"Sentence {n} on birds and trees.") for n in range(30)]
    await library.add_all([*filler, replace(HERONS, text="Reference ZX-4471 stands here among many other words.")])
    assert (await library.search("ZX-4471", 1))[0].source == HERONS.source
    assert await library.search("quantum chromodynamics", 5) == []
    await library.close()


async def test_a_record_stays_one_of_its_file_though_a_search_engine_names_its_address(tmp_path):
    library = await opened(tmp_path)
    record = replace(MAGPIES, source="https://birds.example/1", container="/birds/corpus.jsonl")
    await library.add(record)
    assert await library.add(replace(record, origin="snippet", container="")) == 0
    assert await library.files().remove_gone({"/birds/corpus.jsonl": [record.source]}) == 0
    assert await library.files().remove_gone({"/birds/corpus.jsonl": []}) == 1
    await library.close()


async def test_a_search_that_comes_too_late_is_told_so(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    searches = library.search_all(["nests", "twigs"], 1, SearchOptions("bm25"))
    assert len(await anext(searches)) == 1
    await library.close()
    with pytest.raises(LibraryError):
        await anext(searches)
    await searches.aclose()


class ThreadedEmbedder(WordEmbedder):
    """One that works in the threads that everything else shares, as the first look for an export does."""

    async def embed(self, texts):
        await asyncio.to_thread(time.sleep, 0.01)
        return await super().embed(texts)


async def test_any_number_of_searches_at_once_leaves_their_embedding_a_thread(tmp_path):
    library = await Library.open(tmp_path, SETTINGS, ThreadedEmbedder())
    await library.add_all([MAGPIES, HERONS, TAXES])
    async with asyncio.timeout(60):
        found = await asyncio.gather(*(library.search("domed nests of twigs", 1) for _ in range(100)))
    assert {passages[0].source for passages in found} == {MAGPIES.source}
    await library.close()


async def test_other_wordings_are_searched_beside_the_question_and_the_question_counts_most(tmp_path):
    library = await opened(tmp_path)
    await library.add_all([MAGPIES, HERONS, TAXES])
    question = "Who builds domed nests of twigs?"
    assert [p.source for p in await library.search(question, 3)] == [MAGPIES.source]
    both = await library.search(question, 3, SearchOptions(also=("shallow water fish", "quarter of April")))
    assert (both[0].source, {p.source for p in both[1:]}) == (MAGPIES.source, {HERONS.source, TAXES.source})
    assert sorted((p.score for p in both), reverse=True) == [p.score for p in both]
    await library.close()


async def test_of_several_documents_with_one_source_the_last_one_is_kept_and_found(tmp_path):
    library = await opened(tmp_path)
    first, last = replace(MAGPIES, text="Alpha alone."), replace(MAGPIES, text="Bravo alone.")
    assert await library.add_all([first, last]) == [0, 1]
    assert [chunk.text for chunk in await library.first_chunks(MAGPIES.source, 10)] == ["Bravo alone."]
    await library.close()


async def test_a_run_that_only_reads_forgets_no_page(tmp_path, kept_in):
    library = await opened(tmp_path)
    await library.add(Document("https://a.example/", "Old", "Magpies of old.", "web"))
    await library.close()
    kept_in.execute("UPDATE documents SET seen = '2020-01-01T00:00:00+00:00'")
    for read_only, left in ((True, 1), (False, 0)):
        reader = await opened(tmp_path, read_only=read_only, web_keep_days=1)
        await reader.search("magpies")
        (await reader._shelf()).tend_indexes()
        await (await reader._shelf()).wait_until_tended()
        assert (await reader.stats()).documents == left
        await reader.close()


async def test_a_title_that_several_documents_have_removes_none(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    await library.add(replace(HERONS, title="Magpies"))
    with pytest.raises(LibraryError, match="2 documents are called 'Magpies'"):
        await library.remove("Magpies")
    assert len(await library.list_titles()) == 1 and (await library.stats()).documents == 2
    await library.close()


async def test_removing_takes_the_vectors_along_that_nothing_else_uses(tmp_path):
    embedder = WordEmbedder()
    library = await Library.open(tmp_path, SETTINGS, embedder)
    await library.add(MAGPIES)
    await library.add(replace(MAGPIES, source="/copy"))
    embedder.texts.clear()
    await library.remove("/copy")
    await library.add(replace(MAGPIES, source="/copy"))
    assert embedder.texts == []
    await library.remove("/copy")
    await library.remove(MAGPIES.source)
    await library.add(MAGPIES)
    assert embedder.texts == [f"Magpies\n{MAGPIES.text}"]
    await library.close()


async def test_titles_are_told_newest_first(tmp_path):
    library = await opened(tmp_path)
    for document in (MAGPIES, HERONS, TAXES):
        await library.add(document)
    await library.add(replace(MAGPIES, text="Magpies again."))
    assert await library.list_titles() == ["Magpies", "Taxes", "Herons"]
    assert await library.list_titles(2) == ["Magpies", "Taxes"]
    await library.close()


async def test_a_passage_is_shown_in_its_surroundings(tmp_path):
    library = await opened(tmp_path)
    text = "\n\n".join(f"Paragraph {i} says that {i} is the number of this paragraph of the text." for i in range(20))
    await library.add(replace(MAGPIES, text=text))
    [passage] = await library.search("Paragraph 7 says that 7", 1)
    around = await library.surroundings(passage, 200)
    assert passage.text in around and len(around) <= len(passage.text) + 200 and around in text
    assert await library.surroundings(replace(passage, source="gone")) == passage.text
    await library.close()


async def test_progress_counts_chunks_to_the_end(tmp_path):
    library = await opened(tmp_path)
    text = "\n\n".join(f"{i} " * 40 for i in range(100))
    seen = []
    added = await library.add(replace(MAGPIES, text=text), lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen) and seen[-1] == (added, added) and len(seen) > 2
    await library.close()


async def test_a_text_with_a_lone_surrogate_is_kept(tmp_path):
    library = await opened(tmp_path)
    assert await library.add(replace(MAGPIES, text="Nests \ud800 of twigs", title="\udfff")) == 1
    assert await library.list_titles() == ["?"]
    await library.close()


async def test_a_long_chunk_is_found_by_what_stands_at_its_end(tmp_path):
    library = await Library.open(tmp_path, RagSettings(chunk_size=5000), WordEmbedder(reach=20))
    await library.add(replace(MAGPIES, text="filler " * 200 + "the heron waits"))
    await library.add(HERONS)
    for _ in range(2):
        best = (await library.search("filler the heron waits", 1))[0]
        assert best.source == MAGPIES.source
        await settled(library)
    await library.remove(MAGPIES.source)
    assert await sources(library, "filler") == [HERONS.source]
    await library.close()


async def test_what_was_added_is_there_after_reopening(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    await settled(library)
    await library.close()
    library = await opened(tmp_path)
    await library.add(HERONS)
    await settled(library)
    assert await sources(library, "domed nests") == [MAGPIES.source]
    assert await sources(library, "shallow water") == [HERONS.source]
    await library.close()


async def test_a_rebuild_equals_a_fresh_library(tmp_path):
    fresh = await opened(tmp_path / "fresh")
    library = await opened(tmp_path / "old")
    for document in (TAXES, MAGPIES, HERONS):
        await library.add(document)
    await library.remove(TAXES.source)
    await settled(library)
    assert await library.rebuild() == 2
    for document in (MAGPIES, HERONS):
        await fresh.add(document)
    await settled(fresh)
    query = "nests in shallow water"
    assert await library.search(query, 5, ALL) == await fresh.search(query, 5, ALL)
    assert (await library.stats()).index == "ready"
    await library.close()
    await fresh.close()


@pytest.mark.parametrize("dimensions", [256, 64])
async def test_another_embedding_model_is_noticed_and_everything_embedded_anew(tmp_path, dimensions):
    library = await opened(tmp_path)
    for document in (MAGPIES, HERONS, TAXES):
        await library.add(document)
    await settled(library)
    await library.close()
    library = await Library.open(tmp_path, SETTINGS, WordEmbedder("others", dimensions))
    assert await sources(library, "domed nests") == [MAGPIES.source]
    await settled(library)
    assert await sources(library, "domed nests") == [MAGPIES.source]
    await library.close()


async def test_the_stats_count_by_origin(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    await library.add(replace(HERONS, origin="web"))
    stats = await library.stats()
    assert (stats.documents, stats.chunks, stats.origins) == (2, 2, {"file": (1, 1), "web": (1, 1)})
    assert stats.bytes_on_disk > 10_000 and stats.folder == tmp_path
    assert stats.embedding_model == "all-MiniLM-L6-v2"
    await library.close()


async def test_the_stats_can_be_asked_while_the_index_is_made_anew(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    rebuilds = asyncio.create_task(rebuilt(library, 6))
    while not rebuilds.done():
        assert (await library.stats()).documents == 1
    await rebuilds
    await library.close()


async def rebuilt(library: Library, times: int) -> None:
    for _ in range(times):
        await library.rebuild()


async def test_opening_a_library_loads_nothing_heavy(tmp_path):
    script = (
        "import asyncio, sys, pathlib\n"
        "from rag.library import Library\nfrom rag.settings import RagSettings\n"
        "from rag.embedding.sentence_model import SentenceEmbedder\nimport rag.readers\n"
        "asyncio.run(Library.open(pathlib.Path(sys.argv[1]), RagSettings(), SentenceEmbedder()))\n"
        "heavy = {'torch', 'chromadb', 'sentence_transformers', 'langchain_text_splitters', 'trafilatura', 'pypdf'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    import sys

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out.decode().strip() == "[]"
