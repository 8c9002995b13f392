"""What stands beside a document, and goes with it; on Citus (see docs/scale.md) each on the shard of its document."""

from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from rag.postgres.database import PostgresDatabase
from rag.postgres.distribution import DISTRIBUTION_COLUMNS, is_distributed
from tests.fakes.embedder import WordEmbedder
from tests.fakes.kept_in import BEFORE_SERVER_SEARCH, kept_in_postgres
from tests.fakes.postgres import PostgresServer
from tests.fakes.torture import document, faults, opened
from tests.rag.test_doctor import repaired
from utils.network.offline import OfflineSwitch

BESIDE = "SELECT document, count(*) FROM vectors GROUP BY document ORDER BY document"


@pytest.fixture
def folder(tmp_path: Path, postgres: PostgresServer) -> Path:
    kept_in_postgres(postgres).begin(tmp_path)
    return tmp_path


def rows(postgres: PostgresServer, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(postgres.address, options="-c search_path=magpie,public") as connection:
        return connection.execute(query.encode()).fetchall()


async def test_vectors_stand_beside_their_document_and_go_with_it(folder: Path, postgres: PostgresServer) -> None:
    library = await opened(folder)
    await library.add(document("ada", 2))
    await library.add(document("ada", 3))
    assert rows(postgres, BESIDE) == [(2, 2)]
    await library.remove("/ada")
    assert rows(postgres, BESIDE) == rows(postgres, "SELECT * FROM waiting") == []
    await library.close()


async def test_a_text_of_two_collections_is_embedded_once_and_stays_with_the_other(
    folder: Path, postgres: PostgresServer
) -> None:
    embedder = WordEmbedder()
    library = await opened(folder, embedder)
    for collection in ("birds", "trees"):
        await library.add(document("ada", 2), collection=collection)
    assert len(embedder.texts) == 2 and rows(postgres, BESIDE) == [(1, 2), (2, 2)]
    assert await library.remove_collection("birds") == 1
    assert rows(postgres, BESIDE) == [(2, 2)]
    await library.close()


async def test_documents_that_come_together_share_the_vectors_of_a_text_with_each_other_and_with_those_that_are_there(
    folder: Path, postgres: PostgresServer
) -> None:
    embedder = WordEmbedder()
    library = await opened(folder, embedder)
    ada = document("ada", 2)
    assert await library.add_all([ada, replace(ada, source="/bob"), document("eve", 2)]) == [2, 2, 2]
    assert len(embedder.texts) == 4 and rows(postgres, BESIDE) == [(1, 2), (2, 2), (3, 2)]
    # Half of what is new is there already; what it takes the place of goes with its own.
    assert await library.add_all([document("ada", 3), replace(ada, source="/cat")]) == [2, 2]
    assert len(embedder.texts) == 5 and rows(postgres, BESIDE) == [(2, 2), (3, 2), (4, 2), (5, 2)]
    assert rows(postgres, "SELECT * FROM waiting") == [] and (await library.examine()).findings == ()
    await library.close()


async def test_what_is_embedded_later_stands_beside_every_document_that_has_it(
    folder: Path, postgres: PostgresServer
) -> None:
    library = await opened(folder)
    for collection in ("birds", "trees"):
        await library.add(document("ada", 2), collection=collection)
    before = rows(postgres, "SELECT * FROM vectors ORDER BY document, text_hash")
    postgres.execute("DELETE FROM vectors")
    assert (await library.examine()).is_sound
    assert rows(postgres, "SELECT * FROM vectors ORDER BY document, text_hash") == before
    await library.close()


async def test_a_library_of_the_older_form_keeps_its_vectors(folder: Path, postgres: PostgresServer) -> None:
    if spread(postgres):
        pytest.skip("Citus has no library of the older form")
    library = await opened(folder)
    await library.add_all([document("ada", 2), replace(document("ada", 2), source="/bob")])
    await library.close()
    before = rows(postgres, "SELECT * FROM vectors ORDER BY document, text_hash")
    postgres.execute(*BEFORE_SERVER_SEARCH)
    library = await opened(folder)
    assert rows(postgres, "SELECT * FROM vectors ORDER BY document, text_hash") == before
    assert await library.examine() == repaired()
    await library.remove("/ada")
    assert await library.search("adav000002p1") != []
    await library.close()


def spread(postgres: PostgresServer) -> bool:
    PostgresDatabase(postgres.address, OfflineSwitch()).close()
    with psycopg.connect(postgres.address, options="-c search_path=magpie,public") as connection:
        return is_distributed(connection)


async def test_on_citus_a_document_has_all_on_one_shard(folder: Path, postgres: PostgresServer) -> None:
    if not spread(postgres):
        pytest.skip("this database has no Citus")
    library = await opened(folder)
    await library.add_all([document(f"ada{number}", 2) for number in range(20)])
    for number in range(20):
        assert await faults(library, f"ada{number}", 2) == []
    tables = rows(
        postgres,
        "SELECT table_name::text, colocation_id, count(*) OVER (PARTITION BY colocation_id)"
        " FROM citus_tables WHERE table_name::text IN ('documents', 'chunks', 'vectors', 'terms', 'chunk_vectors')",
    )
    assert len(tables) == 5 and {together for _, _, together in tables} == {5}
    used = "SELECT count(DISTINCT get_shard_id_for_distribution_column('documents', id)) FROM documents"
    assert int(str(rows(postgres, used)[0][0])) > 1
    await library.close()


async def test_on_citus_a_library_that_is_full_already_is_spread(folder: Path, postgres: PostgresServer) -> None:
    if not spread(postgres):
        pytest.skip("this database has no Citus")
    library = await opened(folder)
    await library.add_all([document(f"ada{number}", 2) for number in range(5)])
    await library.close()
    postgres.execute(*(f"SELECT undistribute_table('{table}')" for table in DISTRIBUTION_COLUMNS))
    assert rows(postgres, "SELECT * FROM citus_tables WHERE citus_table_type = 'distributed'") == []
    library = await opened(folder)
    assert spread(postgres) and (await library.examine()).findings == ()
    for number in range(5):
        assert await faults(library, f"ada{number}", 2) == []
    await library.close()
