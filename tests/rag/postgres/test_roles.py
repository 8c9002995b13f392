"""The statements of docs/postgres.md, as an owner types them."""

import re
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from rag.documents import Document
from rag.library import Library
from rag.search.search import Mode, SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.places import ROOT
from tests.fakes.postgres import PostgresServer
from tests.rag.postgres.test_distribution import spread
from utils.errors import LibraryError

SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20, backend="postgres")
BIRDS, LAW = "birds", "law"
NESTS = Document("/nests.md", "Nests", "Magpies build domed nests of twigs and mud.", "file")
TAXES = Document("/taxes.md", "Taxes", "Income tax for domed nests is due in April.", "file")
READ_BY_COLLECTION = ("documents", "chunks", "terms", "chunk_vectors", "totals")


def documented(heading: str) -> list[str]:
    """The statements of SQL below a heading."""
    page = (ROOT / "docs" / "postgres.md").read_text()
    [block] = re.findall(rf"^## {heading}\n(?:(?!    ).*\n)+?((?:    .*\n)+)", page, re.MULTILINE)
    return [one for one in re.sub(r"^    ", "", block, flags=re.MULTILINE).split(";\n") if one.strip()]


@pytest.fixture
async def reader(tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch):
    """A library of two collections as a role opens it that only reads."""
    writing = await Library.open(tmp_path, SETTINGS, WordEmbedder())
    await writing.add(NESTS, collection=BIRDS)
    await writing.add(TAXES, collection=LAW)
    await writing.close()
    postgres.execute("DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN", *documented("A role that only reads"))
    monkeypatch.setenv("MAGPIE_POSTGRES_URL", re.sub(r"//[^@/]*@", "//reader@", postgres.address))
    reader = await Library.open(tmp_path, replace(SETTINGS, read_only=True), WordEmbedder())
    yield reader
    await reader.close()
    postgres.execute("DROP OWNED BY reader", "DROP ROLE reader")


async def found(library: Library, collection: str, mode: Mode) -> list[str]:
    options = SearchOptions(mode, collections=(collection,), relevant_only=False)
    return [passage.source for passage in await library.search("domed nests", 3, options)]


@pytest.mark.parametrize("mode", ["bm25", "vector", "hybrid"])
async def test_a_role_that_only_reads_searches(reader: Library, mode: Mode) -> None:
    assert await found(reader, BIRDS, mode) == [NESTS.source]
    assert await found(reader, LAW, mode) == [TAXES.source]
    await reader.catch_up()
    with pytest.raises(LibraryError, match="Nothing can be added"):
        await reader.add(NESTS)


async def test_a_role_sees_the_collections_alone_that_a_policy_lets_it_see(
    reader: Library, postgres: PostgresServer
) -> None:
    if spread(postgres):
        pytest.skip("a policy on Citus cannot look into another table")
    postgres.execute(*documented("Collections that not everybody reads"))
    for mode in ("bm25", "vector", "hybrid"):
        assert await found(reader, BIRDS, mode) == [NESTS.source]
        assert await found(reader, LAW, mode) == []
    assert [one.name for one in await reader.list_collections()] == [BIRDS]
    assert await reader.find_document(TAXES.source, LAW) is None
    with psycopg.connect(psycopg.conninfo.make_conninfo(postgres.address, user="reader")) as connection:
        for table in READ_BY_COLLECTION:
            assert connection.execute(f"SELECT DISTINCT collection FROM magpie.{table}").fetchall() == [(BIRDS,)]
        assert connection.execute("SELECT count(*) FROM magpie.vectors").fetchone() == (1,)
