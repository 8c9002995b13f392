"""What a collection is cut with stays with it, whatever the settings of the process that opens it say."""

from dataclasses import replace
from pathlib import Path

import pytest

from rag.chunk_size import ChunkShape
from rag.documents import Document
from rag.library import Library
from rag.model_change import EmbeddingContext
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.kept_in import BEFORE_SERVER_SEARCH
from utils.errors import EmbedderUnavailable, LibraryError

SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20)
IN_TOKENS = {"chunk_unit": "tokens", "chunk_overlap": 0}
TWIGS = Document("/twigs.md", "Twigs", "twig " * 250, "file")
LEAVES = replace(TWIGS, source="/leaves.md", text="leaf " * 250)
SHAPE = ChunkShape(100, 0, "tokens", "words")


async def opened(folder: Path, embedder: WordEmbedder | None = None, **changes: object) -> Library:
    return await Library.open(folder, replace(SETTINGS, **changes), embedder or WordEmbedder())


async def chunks(library: Library, source: str = TWIGS.source) -> int:
    return len(await library.first_chunks(source, 1000))


async def cut_in_tokens(folder: Path) -> None:
    library = await opened(folder, **IN_TOKENS)
    assert await library.add(TWIGS) == 3
    await library.close()


async def test_a_doctor_with_other_settings_leaves_a_collection_as_it_was_cut(tmp_path, kept_in):
    await cut_in_tokens(tmp_path)
    library = await opened(tmp_path)
    assert (await library.examine()).findings == ()
    await library.rebuild()
    assert await chunks(library) == 3
    await library.close()


async def test_what_another_process_adds_with_other_settings_is_cut_as_the_collection_is(tmp_path, kept_in):
    await cut_in_tokens(tmp_path)
    library = await opened(tmp_path)
    assert await library.add(LEAVES) == 3
    await (await library._shelf()).wait_until_tended()
    assert await chunks(library) == 3
    assert [one.shape for one in await library.list_collections()] == [SHAPE]
    await library.close()


async def test_a_process_that_has_a_collection_open_follows_another_that_changes_it(tmp_path, kept_in):
    first, second = await opened(tmp_path), await opened(tmp_path)
    await first.add(TWIGS)
    changed = await second.cutting.cut_as(ChunkShape(100, 0, "tokens"))
    assert (changed.before, changed.now, changed.documents) == (ChunkShape(100, 20), SHAPE, 1)
    assert await second.cutting.finish_cutting()
    assert await first.add(LEAVES) == 3
    await (await first._shelf()).cut_all_anew()
    assert (await chunks(first), await chunks(second, LEAVES.source)) == (3, 3)
    await first.close()
    await second.close()


async def test_a_collection_that_is_told_to_be_cut_as_it_is_changes_nothing(tmp_path, kept_in):
    await cut_in_tokens(tmp_path)
    library = await opened(tmp_path)
    changed = await library.cutting.cut_as(ChunkShape(100, 0, "tokens"))
    assert not changed.is_change
    await library.close()


async def test_tokens_stay_those_of_the_model_that_the_collection_was_cut_with(tmp_path, kept_in):
    await cut_in_tokens(tmp_path)
    reopened = list[str]()

    def reopen(description: str) -> WordEmbedder:
        reopened.append(description)
        return WordEmbedder()

    context = EmbeddingContext(reopen=reopen)
    library = await Library.open(tmp_path, SETTINGS, Letters("letters"), context=context)
    await library.rebuild()
    assert await chunks(library) == 3 and await library.add(LEAVES) == 3
    assert reopened
    await library.close()


async def test_tokens_of_a_model_that_is_gone_are_told_and_another_is_named_by_the_user(tmp_path, kept_in):
    await cut_in_tokens(tmp_path)

    def reopen(_: str) -> WordEmbedder:
        raise EmbedderUnavailable("It is gone.", "Bring it back.")

    library = await Library.open(tmp_path, SETTINGS, Letters("letters"), context=EmbeddingContext(reopen=reopen))
    with pytest.raises(LibraryError, match="rag_documents is cut in tokens of words, which cannot be counted"):
        await library.add(LEAVES)
    assert await chunks(library) == 3
    changed = await library.cutting.cut_as(ChunkShape(100, 0, "tokens"))
    assert (changed.now.tokenizer, changed.documents) == ("letters", 1)
    await library.cutting.finish_cutting()
    assert await chunks(library) > 3 and await library.add(LEAVES) > 3
    await library.close()


NO_TOKENIZER = "ALTER TABLE collections DROP COLUMN chunk_tokenizer"
OLDER = {
    "sqlite": (NO_TOKENIZER, "PRAGMA user_version = 5"),
    "postgres": (
        *BEFORE_SERVER_SEARCH,
        NO_TOKENIZER,
        "UPDATE form SET version = 2",
    ),
}


async def test_an_older_library_goes_on_as_most_of_its_documents_were_cut(tmp_path, kept_in):
    await cut_in_tokens(tmp_path)
    kept_in.execute(
        "UPDATE collections SET chunk_size = NULL, chunk_overlap = NULL, chunk_unit = NULL",
        "UPDATE documents SET chunker = '3 100/0 tokens'",
        *OLDER[kept_in.backend],
    )
    library = await opened(tmp_path)
    assert (await library.examine()).findings == ()
    assert [one.shape for one in await library.list_collections()] == [SHAPE]
    assert await chunks(library) == 3 and await library.add(LEAVES) == 3
    await library.close()


class Letters(WordEmbedder):
    """Counts letters as tokens."""

    async def make_counter(self):
        return len
