from pathlib import Path

import numpy as np
import pytest

from rag.indexes import quantization
from rag.indexes.exact import ExactIndex
from rag.indexes.exact_on_disk import CHUNKS, CODES, SCALES, VECTORS, MatrixIndex
from rag.indexes.index_sync import EntrySource, IndexBroken, IndexSync
from rag.indexes.manifest import MANIFEST, read_manifest
from rag.indexes.quantization import Quantized
from rag.search.search import SearchOptions
from rag.sqlite.change_feed import ChangeFeed
from rag.sqlite.database import LibraryDatabase
from rag.stored import Filters, Removal, Run
from tests.fakes.embedder import WordEmbedder
from tests.fakes.torture import by_graph, document, faults, local_indexes, opened, ready
from utils.errors import LibraryError

DIMENSIONS = 8
Truth = dict[int, np.ndarray]
"""The vectors of each chunk."""


def unit(rng: np.random.Generator, pieces: int, dimensions: int = DIMENSIONS) -> np.ndarray:
    vectors = rng.standard_normal((pieces, dimensions)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def run(chunks: Truth) -> Run:
    ids = np.repeat(list(chunks), [len(vectors) for vectors in chunks.values()])
    return Run(ids.astype(np.int64), np.concatenate(list(chunks.values())))


def removals(chunks: list[int]) -> list[Removal]:
    return [Removal(number, chunk, 1) for number, chunk in enumerate(chunks)]


def expected(truth: Truth, vector: np.ndarray) -> dict[int, float]:
    """The cosine of each chunk's best piece, best first."""
    cosines = {chunk: max((vectors @ vector).tolist()) for chunk, vectors in truth.items()}
    return dict(sorted(cosines.items(), key=lambda pair: -pair[1]))


def agrees(index: ExactIndex, truth: Truth, vector: np.ndarray) -> None:
    wanted = expected(truth, vector)
    for limit in (1, 7, 1000):
        found = index.query(vector, limit)
        assert [chunk for chunk, _ in found] == list(wanted)[:limit]
        assert dict(found) == pytest.approx({chunk: wanted[chunk] for chunk, _ in found}, abs=1e-6)
    for asked in ([], [0, 10_000], [*sorted(truth)[::9], 10_000], list(range(500))):
        assert index.chunk_cosines(vector, asked) == pytest.approx(
            {c: wanted[c] for c in asked if c in wanted}, abs=1e-6
        )
    assert index.ids() == truth.keys()
    assert not truth or not index.has_other_vectors(run(truth))


@pytest.mark.parametrize("seed", range(10))
def test_what_comes_goes_and_is_reopened_is_found_as_by_looking_at_everything(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth: Truth = {}
    memory, matrix = ExactIndex(), MatrixIndex(tmp_path)
    chunk = 1
    for _ in range(40):
        match rng.integers(4):
            case 0 | 1:
                new = {chunk + 2 * i: unit(rng, int(rng.integers(1, 4))) for i in range(int(rng.integers(1, 20)))}
                chunk = max(new) + 1
                truth |= new
                memory.add([run(new)])
                matrix.add([run(new)])
                matrix.settle()
            case 2:
                doomed = [int(c) for c in rng.choice([*truth, 9999], int(rng.integers(1, 12)))]
                truth = {c: vectors for c, vectors in truth.items() if c not in doomed}
                memory.delete(removals(doomed))
                matrix.delete(removals(doomed))
                matrix.settle()
            case 3:
                matrix.close()
                matrix = MatrixIndex(tmp_path)
        for index in (memory, matrix):
            agrees(index, truth, unit(rng, 1)[0])
    matrix.close()


def test_chunks_that_are_equally_near_come_in_their_order() -> None:
    index, vectors = ExactIndex(), unit(np.random.default_rng(1), 2)
    alike = {chunk: vectors[:1] for chunk in range(1, 300)}
    index.add([run({**alike, 300: vectors[1:], 301: vectors[:1]})])
    assert [chunk for chunk, _ in index.query(vectors[0], 250)] == list(range(1, 251))


@pytest.mark.parametrize("dimensions", [1, 3, 384, 1000])
def test_a_cosine_lies_between_what_is_known_of_rounded_vectors(dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    for spiky in (0, 4):
        vectors = unit(rng, 500, dimensions) * np.exp(spiky * rng.standard_normal((500, dimensions)))
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        rounded = Quantized.of(vectors)
        for vector in vectors[:20]:
            least, most = rounded.cosine_bounds(vector)
            truth = vectors.astype(np.float64) @ vector
            assert np.all(least <= truth) and np.all(truth <= most)


@pytest.mark.parametrize("worth", [quantization.WORTH, 100])
def test_what_differs_by_less_than_is_lost_by_rounding_is_found_in_its_order(
    monkeypatch: pytest.MonkeyPatch, worth: int
) -> None:
    monkeypatch.setattr(quantization, "WORTH", worth)
    rng = np.random.default_rng(5)
    near = unit(rng, 1, 384) + 1e-4 * unit(rng, 2000, 384)
    vectors = np.concatenate([near / np.linalg.norm(near, axis=1, keepdims=True), unit(rng, 3000, 384)])
    vectors = rng.permutation(vectors.astype(np.float32))
    index = ExactIndex()
    index.add([Run(np.arange(1, 5001), vectors)])
    assert len(index) == 5000
    vector = unit(rng, 1, 384)[0]
    order = np.argsort(-(vectors @ vector), kind="stable")[:60] + 1
    assert [chunk for chunk, _ in index.query(vector, 60)] == order.tolist()


def test_a_damaged_vector_is_not_found_and_hides_no_other() -> None:
    vectors = unit(np.random.default_rng(6), 100)
    vectors[10], vectors[11], vectors[12, 3] = np.nan, np.inf, -np.inf
    index = ExactIndex()
    index.add([Run(np.arange(100), vectors)])
    sound = [chunk for chunk in range(1, 100) if chunk not in (10, 11, 12)]
    order = sorted(sound, key=lambda chunk: -float(vectors[chunk] @ vectors[50]))
    for limit in (5, 80, 96):
        assert [chunk for chunk, _ in index.query(vectors[50], limit)] == order[:limit]


def test_a_removed_chunk_leaves_nothing_in_the_files_and_many_leave_no_room(tmp_path: Path) -> None:
    truth = {chunk: unit(np.random.default_rng(chunk), 1) for chunk in range(1, 101)}
    index = MatrixIndex(tmp_path)
    index.add([run(truth)])
    index.settle()
    index.delete(removals([5]))
    index.settle()
    assert truth[5].tobytes() not in (tmp_path / VECTORS).read_bytes()
    assert Quantized.of(truth[5]).codes.tobytes() not in (tmp_path / CODES).read_bytes()
    index.delete(removals([*range(40, 90)]))
    index.close()
    kept = [*range(1, 5), *range(6, 40), *range(90, 101)]
    assert (tmp_path / VECTORS).read_bytes() == b"".join(truth[chunk].tobytes() for chunk in kept)
    rounded = Quantized.of(np.concatenate([truth[chunk] for chunk in kept]))
    assert (tmp_path / CODES).read_bytes() == rounded.codes.tobytes()
    assert (tmp_path / SCALES).read_bytes() == rounded.scales.tobytes()
    assert np.fromfile(tmp_path / CHUNKS, "<i8").tolist() == kept


def test_an_index_notices_other_vectors() -> None:
    rng = np.random.default_rng(3)
    truth = {1: unit(rng, 2), 4: unit(rng, 1)}
    index = ExactIndex()
    index.add([run(truth)])
    # What it does not know is not other: that is for others to say.
    assert not index.has_other_vectors(run(truth | {5: unit(rng, 1)}))
    assert index.has_other_vectors(run(truth | {4: unit(rng, 1)}))
    assert index.has_other_vectors(run({1: truth[1][:1], 4: truth[4]}))


@pytest.mark.parametrize("name", [CODES, SCALES])
def test_an_index_notices_that_its_vectors_were_rounded_to_something_else(tmp_path: Path, name: str) -> None:
    truth = {chunk: unit(np.random.default_rng(chunk), 1) for chunk in range(1, 10)}
    index = MatrixIndex(tmp_path)
    index.add([run(truth)])
    index.settle()
    index.close()
    assert not MatrixIndex(tmp_path).has_other_vectors(run(truth))
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[8:] + content[:8])
    assert MatrixIndex(tmp_path).has_other_vectors(run(truth))


async def test_what_was_read_before_a_failure_is_found_once_reading_goes_on(tmp_path: Path) -> None:
    library = await opened(tmp_path)
    await library.add_all([document(name, 2) for name in ("ada", "bob")])
    await library.close()
    feed, failures = ChangeFeed(LibraryDatabase(tmp_path / "library.db"), "rag_documents"), ["the disk was full"]

    def read(after: int, _: int) -> tuple[list[Run], bool]:
        if after == max(feed.chunk_ids()) and failures:
            raise OSError(failures.pop())
        return feed.read_run(WordEmbedder().fingerprint, after, 1)

    source = EntrySource(feed, "a model", read)
    folder = tmp_path / "index"
    folder.mkdir()
    follower = IndexSync(source, MatrixIndex(folder), source.empty_basis())
    with pytest.raises(OSError, match="full"):
        follower.catch_up()
    assert follower.catch_up()
    assert follower.index.ids() == feed.chunk_ids() != set()
    follower.index.close()


async def test_chunks_that_a_damaged_library_tells_again_and_again_are_not_read_for_ever(tmp_path: Path) -> None:
    library = await opened(tmp_path)
    await library.add(document("ada", 2))
    await library.close()
    feed = ChangeFeed(LibraryDatabase(tmp_path / "library.db"), "rag_documents")
    source = EntrySource(feed, "a model", lambda _, limit: feed.read_run(WordEmbedder().fingerprint, 0, limit))
    with pytest.raises(LibraryError, match="damaged: its chunks are not in their order"):
        IndexSync(source, ExactIndex(), source.empty_basis()).catch_up()


def test_what_was_not_settled_yet_can_be_removed(tmp_path: Path) -> None:
    truth = {chunk: unit(np.random.default_rng(chunk), 1) for chunk in range(1, 10)}
    index = MatrixIndex(tmp_path)
    index.add([run(truth)])
    index.delete(removals([5]))
    index.settle()
    assert index.ids() == truth.keys() - {5}
    assert truth[5].tobytes() not in (tmp_path / VECTORS).read_bytes()
    index.close()


def test_files_that_are_not_of_one_length_are_refused(tmp_path: Path) -> None:
    index = MatrixIndex(tmp_path)
    index.add([run({1: unit(np.random.default_rng(1), 3)})])
    index.settle()
    index.close()
    for name in (VECTORS, CODES, SCALES, CHUNKS):
        content = (tmp_path / name).read_bytes()
        for damaged in (b"", content[:-1], content[: len(content) // 3], content * 2):
            (tmp_path / name).write_bytes(damaged)
            with pytest.raises(IndexBroken):
                MatrixIndex(tmp_path)
        (tmp_path / name).write_bytes(content)
    MatrixIndex(tmp_path).close()


def test_vectors_of_another_length_are_a_damage_of_the_library() -> None:
    index = ExactIndex()
    index.add([Run(np.array([1]), np.ones((1, 3), np.float32)), Run(np.array([2]), np.ones((1, 4), np.float32))])
    with pytest.raises(LibraryError):
        index.query(np.ones(3, np.float32), 1)


@pytest.mark.parametrize("index", ["matrix", "keywords"])
async def test_searching_alone_leaves_the_files_sound_even_in_a_process_that_is_killed(
    tmp_path: Path, index: str
) -> None:
    manifest = tmp_path / index / "rag_documents" / MANIFEST
    library = await opened(tmp_path)
    await library.add(document("ada", 2))
    await ready(library)
    await library.close()
    noted = manifest.read_bytes()
    library = await opened(tmp_path)
    assert await faults(library, "ada", 2) == []
    await ready(library)
    assert manifest.read_bytes() == noted and read_manifest(manifest.parent) is not None
    await library.add(document("bob", 2))
    assert await faults(library, "bob", 2) == []
    # From here on a killed process leaves files that nobody vouches for.
    assert not manifest.exists()
    await library.close()
    assert manifest.exists() and manifest.read_bytes() != noted


async def test_filtered_and_unfiltered_cosines_are_those_of_the_library_in_every_process(tmp_path: Path) -> None:
    owner, other = await opened(tmp_path), await opened(tmp_path)
    await owner.add_all([document(name, 2) for name in ("ada", "bob", "eve")])
    await ready(owner)
    answers = []
    for library in (owner, other):
        for filters in (Filters(), Filters(sources=("/ada", "/eve"))):
            found = await library.search(
                "adav000001p0", 10, SearchOptions("vector", filters=filters, relevant_only=False)
            )
            answers.append([(p.source, p.chunk_index, p.similarity) for p in found if p.source != "/bob"])
    assert answers[0][0][:2] == ("/ada", 0)
    assert answers == [answers[0]] * 4
    await other.close()
    await owner.close()


async def test_a_graph_finds_in_a_large_library_what_comparing_all_finds_in_a_small_one(tmp_path: Path) -> None:
    library = await opened(tmp_path)
    await library.add_all([document(name, 2) for name in ("ada", "bob", "eve")])
    await ready(library)
    options = SearchOptions("vector", relevant_only=False)

    async def answers() -> list[list[tuple[str, int, float | None]]]:
        asked = ("adav000001p0", "bobv000002p1", "evev000002p1")
        return [[(p.source, p.chunk_index, p.similarity) for p in await library.search(q, 1, options)] for q in asked]

    compared = await answers()
    assert [found[0][:2] for found in compared] == [("/ada", 0), ("/bob", 1), ("/eve", 1)]
    with by_graph():
        assert await answers() == compared
        shelf = await library._shelf()
        local_indexes(shelf).vectors.drop()
        # Without a graph all are compared, however many there are.
        assert await answers() == compared
    await library.close()
