import random
from dataclasses import replace
from pathlib import Path

from pytest import approx

from rag.documents import Document, Passage
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.kept_in import BEFORE_SERVER_SEARCH
from tests.fakes.postgres import PostgresServer

SETTINGS = RagSettings(chunk_size=150, chunk_overlap=30)
BY_WORDS = SearchOptions("bm25", relevant_only=False, per_document=9)
WORDS = ("heron", "magpie", "owl", "nest", "twig", "mud", "water", "fish", "snow", "mouse", "storm_cloud", "E4012")
RARE = "reed"


def made_up(rng: random.Random, number: int) -> Document:
    """A text of any length, in which some words are common and some are rare."""
    said = rng.choices(
        (*WORDS, RARE), [1 / place for place in range(1, len(WORDS) + 2)], k=rng.choice((3, 20, 60, 200))
    )
    return Document(f"/birds/{number}", f"Birds {number}", " ".join(said), "file")


def told(passages: list[Passage]) -> list[tuple[str, int]]:
    return [(passage.source, passage.chunk_index) for passage in passages]


async def test_words_are_scored_as_the_keyword_index_of_one_machine_scores_them(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    rng = random.Random(7)
    documents = [made_up(rng, number) for number in range(60)]
    mine = await Library.open(tmp_path / "here", SETTINGS, WordEmbedder())
    theirs = await Library.open(tmp_path / "there", replace(SETTINGS, backend="postgres"), WordEmbedder())
    for library in (mine, theirs):
        await library.add_all(documents)
        await library.remove_collection("none-of-them")
        await library.remove("/birds/3")
        await library.add(replace(documents[5], text="Wings of reed and snow."))
    # An index that was changed counts for a while what was removed from it.
    await mine.rebuild()
    for question in ("nest of twigs", "storm clouds", "E4012", '"heron magpie" owl', "fish reed reed snow", "mouse"):
        expected, found = await mine.search(question, 20, BY_WORDS), await theirs.search(question, 20, BY_WORDS)
        assert expected and told(found) == told(expected)
        assert [one.score for one in found] == approx([one.score for one in expected], rel=1e-5)
    await mine.close()
    await theirs.close()


async def test_an_older_library_is_searched_in_the_server_once_its_terms_are_made(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    settings = replace(SETTINGS, backend="postgres")
    library = await Library.open(tmp_path, settings, WordEmbedder())
    await library.add_all([made_up(random.Random(1), number) for number in range(25)])
    questions = [(question, mode) for question in ("nest of twigs", "reed snow") for mode in ("bm25", "vector")]
    options = {mode: SearchOptions(mode, relevant_only=False) for _, mode in questions}
    before = [told(await library.search(question, 5, options[mode])) for question, mode in questions]
    await library.close()
    postgres.execute(*BEFORE_SERVER_SEARCH)
    library = await Library.open(tmp_path, settings, WordEmbedder())
    await library.catch_up()
    assert [told(await library.search(question, 5, options[mode])) for question, mode in questions] == before
    assert (await library.examine()).findings == ()
    await library.close()
