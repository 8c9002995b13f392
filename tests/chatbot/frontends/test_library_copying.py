from pathlib import Path

import psycopg
import pytest

from chatbot.cli import parse_arguments, settings_from_options
from chatbot.config import load_configuration
from chatbot.frontends.library_cli.copying import copy
from rag.documents import Document
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.postgres import PostgresServer
from utils.errors import ConfigError, LibraryError
from utils.secrets import hide_learnt

OWLS = Document("/owl.md", "Owls", "Owls hear mice under the snow.", "file")


async def copied(data_dir: Path, *argv: str) -> int:
    arguments = parse_arguments(["rag", "copy", *argv])[1]
    decided = settings_from_options(arguments) | {"data_dir": str(data_dir)}
    return await copy(load_configuration(options=decided, environment={"MAGPIE_CONFIG": ""}).values, arguments)


async def test_a_library_is_copied_into_postgresql_and_is_found_there(
    tmp_path: Path, postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    await library.add(OWLS)
    await library.close()
    assert await copied(tmp_path, "--to", "postgres") == 0
    told = capsys.readouterr()
    assert told.out == "All is in postgres, and compared: 1 document, 1 chunk; copied now: 1.\n"
    assert told.err == "Set rag.backend to postgres to use it.\n"
    assert await copied(tmp_path, "--to", "postgres", "--json") == 0
    assert capsys.readouterr().out == '{"documents": 1, "chunks": 1, "copied": 0}\n'
    library = await Library.open(tmp_path / "elsewhere", RagSettings(backend="postgres"), WordEmbedder())
    assert [one.source for one in await library.search("Who hears mice?", 1)] == [OWLS.source]
    await library.close()


async def test_a_collection_is_copied_alone_where_it_is_named(
    tmp_path: Path, postgres: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    await library.add(OWLS, collection="for-all")
    await library.add(Document("/diary.md", "Diary", "What nobody else is to read.", "file"))
    await library.close()
    assert await copied(tmp_path, "--collection", "for-all", "--to", "postgres") == 0
    told = capsys.readouterr()
    assert told.out == "for-all is in postgres, and compared: 1 document, 1 chunk; copied now: 1.\n"
    library = await Library.open(tmp_path / "elsewhere", RagSettings(backend="postgres"), WordEmbedder())
    assert [one.name for one in await library.list_collections()] == ["for-all"]
    await library.close()
    with pytest.raises(LibraryError, match=r"^There is no collection nowhere\. There are: "):
        await copied(tmp_path, "--collection", "nowhere", "--to", "postgres")


async def test_a_library_is_copied_to_an_address_whose_password_nobody_is_told(
    tmp_path: Path, postgres: PostgresServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAGPIE_POSTGRES_URL")
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    await library.add(OWLS)
    await library.close()
    address = psycopg.conninfo.make_conninfo(postgres.address, password="quiet-secret")
    parts = psycopg.conninfo.conninfo_to_dict(address)
    where = f"host={parts['host']}&port={parts.get('port', 5432)}"
    url = f"postgresql://{parts['user']}:{parts['password']}@/{parts['dbname']}?{where}"
    assert await copied(tmp_path, "--to", url) == 0
    told = capsys.readouterr()
    assert told.out == "All is in postgres, and compared: 1 document, 1 chunk; copied now: 1.\n"
    assert told.err == "Set rag.backend to postgres, and MAGPIE_POSTGRES_URL to that address, to use it.\n"
    with pytest.raises(LibraryError) as caught:
        await copied(tmp_path, "--to", f"postgresql://ann:quiet-secret@/birds?host={tmp_path}")
    assert "quiet-secret" not in str(caught.value) and "quiet-secret" not in hide_learnt("it is quiet-secret")


async def test_a_copy_into_where_the_library_is_or_into_nothing_known_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^The library is kept in sqlite already\."):
        await copied(tmp_path, "--to", "sqlite")
    with pytest.raises(LibraryError, match=r"^A library cannot be kept in 'clay'\."):
        await copied(tmp_path, "--to", "clay")
