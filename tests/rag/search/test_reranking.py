import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from rag.documents import Document, Passage
from rag.library import Library
from rag.search.reranking import Reranker, Reranking
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.reranker import GONE, ScriptedReranker

ALL = SearchOptions(relevant_only=False)
SETTINGS = RagSettings(chunk_size=100, chunk_overlap=0)
NESTS = [
    Document(f"/{name}.md", name, f"Nests of {name} birds are made of {name} twigs.", "file")
    for name in ("magpie", "heron", "stork", "robin")
]
TOLD = "Results are not reranked. The model has gone. Start it."


def passages(*scores: float) -> list[Passage]:
    return [Passage(f"text{i}", f"/{i}", "", "file", score=score) for i, score in enumerate(scores)]


def reranking(reranker: Reranker, told: list[str], **changes) -> Reranking:
    return Reranking(reranker, replace(SETTINGS, **changes), told.append)


async def library_with(folder: Path, reranker: Reranker, told: list[str], **changes) -> Library:
    settings = replace(SETTINGS, **changes)
    library = await Library.open(folder, settings, WordEmbedder(), Reranking(reranker, settings, told.append))
    await library.add_all(NESTS)
    return library


async def test_the_reranker_decides_the_order_and_the_score():
    found = await reranking(ScriptedReranker({"text1": 0.9, "text2": 0.4}), []).order("q", passages(3, 2, 1))
    assert [(p.source, p.score) for p in found] == [("/1", 0.9), ("/2", 0.4), ("/0", 0.0)]


async def test_what_it_likes_alike_stays_in_the_fused_order():
    found = await reranking(ScriptedReranker(), []).order("q", passages(3, 2, 1))
    assert [p.source for p in found] == ["/0", "/1", "/2"]


async def test_passages_beyond_the_candidates_are_not_judged_and_stay_behind_the_others():
    reranker = ScriptedReranker({"text1": 0.9, "text0": 0.5})
    found = await reranking(reranker, [], rerank_candidates=2).order("q", passages(5, 4, 3, 1))
    assert reranker.asked == [("q", ["text0", "text1"])]
    assert [(p.source, p.score) for p in found] == [("/1", 0.9), ("/0", 0.5), ("/2", -0.5), ("/3", -2.5)]


async def test_a_reranker_that_fails_leaves_the_order_as_it_was_and_is_told_of_once(monkeypatch):
    monkeypatch.setattr("rag.search.reranking.REST", 0.0)
    told: list[str] = []
    failing = ScriptedReranker(failures=[GONE, GONE])
    same = reranking(failing, told)
    for _ in range(2):
        assert await same.order("q", passages(2, 1)) == passages(2, 1)
    assert len(failing.asked) == 2
    assert told == [TOLD]


async def test_a_reranker_that_has_just_failed_is_left_alone_for_a_while():
    failing = ScriptedReranker(failures=[GONE])
    same = reranking(failing, [])
    for _ in range(3):
        await same.order("q", passages(2, 1))
    assert len(failing.asked) == 1


async def test_a_reranker_that_takes_too_long_has_failed():
    told: list[str] = []
    slow = reranking(ScriptedReranker(failures=[None]), told, rerank_seconds=0.01)
    assert await slow.order("q", passages(2, 1)) == passages(2, 1)
    assert told == [
        "Results are not reranked. The reranker took longer than 0.01 s. Give it more with rag.rerank_seconds."
    ]


@pytest.mark.parametrize("scores", [[0.1], [0.1, float("nan")], [0.1, float("inf")], [1.0, 2.0, 3.0]])
async def test_scores_that_cannot_be_are_a_failure(scores):
    class Odd:
        async def scores(self, question, passages):
            return scores

    told: list[str] = []
    assert await reranking(Odd(), told).order("q", passages(2, 1)) == passages(2, 1)
    assert told == [
        "Results are not reranked. The reranker gave no usable scores. Choose another one with rag.reranker."
    ]


async def test_a_bug_in_a_reranker_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        await reranking(ScriptedReranker(failures=[ZeroDivisionError()]), []).order("q", passages(2, 1))


async def test_a_search_that_is_given_up_gives_up_its_reranker():
    told: list[str] = []
    waiting = ScriptedReranker(failures=[None])
    task = asyncio.create_task(reranking(waiting, told).order("q", passages(2, 1)))
    while not waiting.asked:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == []


async def test_a_single_passage_needs_no_judge():
    reranker = ScriptedReranker()
    assert await reranking(reranker, []).order("q", passages(2)) == passages(2)
    assert reranker.asked == []


async def test_a_search_hands_out_the_rerankers_order_with_the_cosine_as_before(tmp_path):
    library = await library_with(tmp_path, ScriptedReranker({"stork": 0.9, "robin": 0.8}), [])
    fused = {p.source: p for p in await library.search("nests of birds", 4, replace(ALL, reranked=False))}
    found = await library.search("nests of birds", 2, ALL)
    assert [(p.source, p.score) for p in found] == [("/stork.md", 0.9), ("/robin.md", 0.8)]
    assert found == [replace(fused[p.source], score=p.score) for p in found]
    await library.close()


async def test_a_failing_reranker_gives_the_search_its_fused_order(tmp_path):
    told: list[str] = []
    library = await library_with(tmp_path, ScriptedReranker(failures=[GONE]), told)
    fused = await library.search("nests of storks", 3, replace(ALL, reranked=False))
    assert await library.search("nests of storks", 3, ALL) == fused
    assert told == [TOLD]
    await library.close()


async def test_only_what_is_relevant_is_judged_copies_once_and_so_many_of_a_document(tmp_path):
    reranker = ScriptedReranker()
    library = await library_with(tmp_path, reranker, [], per_document=2)
    await library.add(replace(NESTS[0], source="/copy.md"))
    long = "\n\n".join(f"Nests of birds, part {part}: " + f"{part} " * 20 for part in ("one", "two", "three", "four"))
    await library.add(Document("/long.txt", "Long", long, "file"))
    await library.add(Document("/tax.md", "Taxes", "Income is declared every spring.", "file"))
    await library.search("nests of birds", 10)
    [(question, judged)] = reranker.asked
    assert question == "nests of birds"
    assert len(judged) == 6
    assert sum(text.startswith("Nests of magpie") for text in judged) == 1
    assert sum("part" in text for text in judged) == 2
    await library.close()


async def test_nothing_found_is_not_judged(tmp_path):
    reranker = ScriptedReranker()
    library = await library_with(tmp_path, reranker, [])
    assert await library.search("quantum chromodynamics") == []
    assert reranker.asked == []
    await library.close()
