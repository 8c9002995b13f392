import asyncio
from pathlib import Path

import psycopg
import pytest

from rag.stored import Finding
from tests.fakes.kept_in import kept_in_postgres
from tests.fakes.postgres import PostgresServer
from tests.fakes.torture import document, opened, with_two_documents
from tests.rag.test_doctor import examined, repaired
from utils.errors import LibraryError

CONNECTED = "SELECT DISTINCT application_name FROM pg_stat_activity WHERE application_name LIKE 'magpie %'"


@pytest.fixture
async def folder(tmp_path: Path, postgres: PostgresServer) -> Path:
    kept_in_postgres(postgres).begin(tmp_path)
    return await with_two_documents(tmp_path)


async def test_a_sound_library_has_no_findings(folder: Path) -> None:
    assert await examined(folder) == repaired()


async def test_chunks_that_are_not_of_their_text_are_cut_anew(folder: Path, postgres: PostgresServer) -> None:
    postgres.execute("UPDATE chunks SET start = start + 3 WHERE id = 1", "UPDATE chunks SET text = 'owl' WHERE id = 4")
    assert await examined(folder) == repaired("Documents whose chunks were not those of their text were cut anew: 2.")


async def test_a_damaged_text_is_put_together_from_its_chunks(folder: Path, postgres: PostgresServer) -> None:
    postgres.execute("UPDATE documents SET text = '\\x00' WHERE source = '/ada'")
    library = await opened(folder)
    with pytest.raises(LibraryError, match="damaged"):
        await library.find_document("/ada")
    assert await library.examine() == repaired("The text of /ada was damaged; it was put together from its chunks.")
    kept = await library.find_document("/ada")
    assert kept is not None and kept.text.split() == document("ada", 2).text.split()
    await library.close()


async def test_a_document_that_cannot_be_mended_is_removed_and_named(folder: Path, postgres: PostgresServer) -> None:
    postgres.execute(
        "UPDATE documents SET text = '\\x00' WHERE source = '/ada'", "UPDATE chunks SET text = 'x' WHERE id = 1"
    )
    library = await opened(folder)
    found = await library.examine()
    assert found.findings[0] == Finding("The text of /ada was damaged, and the document removed: add it again.", True)
    assert await library.add(document("ada", 2)) == 2
    await library.close()
    assert await examined(folder) == repaired()


async def test_vectors_that_are_missing_or_impossible_are_made_anew(folder: Path, postgres: PostgresServer) -> None:
    postgres.execute(
        "DELETE FROM vectors WHERE text_hash = (SELECT text_hash FROM chunks WHERE id = 1)",
        "UPDATE vectors SET vector = '[1,0]' WHERE text_hash = (SELECT text_hash FROM chunks WHERE id = 4)",
        "UPDATE vectors SET piece = 1 WHERE text_hash = (SELECT text_hash FROM chunks WHERE id = 3)",
    )
    assert await examined(folder) == repaired(
        "Damaged vectors were made anew: 2.", "Texts of rag_documents that had no vector were embedded: 3."
    )


async def test_a_library_that_has_lost_its_name_gets_another(folder: Path, postgres: PostgresServer) -> None:
    postgres.execute("DELETE FROM meta WHERE key = 'library'")
    assert await examined(folder) == repaired("What names the library was lost; it has a new name.")


async def test_numbers_that_were_given_are_not_given_again(folder: Path, postgres: PostgresServer) -> None:
    postgres.execute("UPDATE positions SET document = 0, chunk = 0")
    assert await examined(folder) == repaired("The library gave numbers that were taken; it goes on behind them.")
    library = await opened(folder)
    assert await library.add(document("eve", 2)) == 2
    await library.close()


async def test_vectors_of_texts_that_are_gone_are_removed_where_nobody_else_is_connected(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer
) -> None:
    leftover = "INSERT INTO waiting VALUES ('\\x00', 'another model', 0, '[1,0]')"
    elsewhere = tmp_path_factory.mktemp("another-machine")
    (elsewhere / "postgres_url").write_text(postgres.address)
    (elsewhere / "postgres_url").chmod(0o600)
    postgres.execute(leftover)
    other, library = await opened(elsewhere), await opened(folder)
    assert await library.examine() == repaired()
    await other.close()
    with psycopg.connect(postgres.address, autocommit=True) as connection:
        # The server takes a moment to let go of who has left.
        while len(connection.execute(CONNECTED).fetchall()) > 1:
            await asyncio.sleep(0.01)
    assert await library.examine() == repaired("Vectors of texts that are gone were removed: 1.")
    await library.close()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM terms WHERE term = 'ada'", "The terms of 1 documents of rag_documents were wrong or missing;"),
        ("DELETE FROM chunk_vectors WHERE document = 1 AND ordinal = 0", "Vectors that rag_documents is searched by"),
        ("UPDATE totals SET records = 7 WHERE counted = 'chunks'", "What rag_documents has was counted wrongly;"),
    ],
)
async def test_what_searches_read_is_compared_with_what_is_kept_and_mended(
    folder: Path, postgres: PostgresServer, damage: str, told: str
) -> None:
    postgres.execute(damage)
    [finding] = (await examined(folder)).findings[:1]
    assert finding.what.startswith(told) and finding.repaired
    assert await examined(folder) == repaired()
