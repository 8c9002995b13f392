import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg import Connection

from rag.postgres.connection_string import read_connection_string
from rag.postgres.database import PostgresDatabase, Row
from tests.fakes.postgres import PostgresServer
from utils.errors import LibraryError
from utils.network.offline import OfflineSwitch

COUNT = "UPDATE meta SET value = (value::int + 1)::text WHERE key = %s"


@pytest.fixture
def database(postgres: PostgresServer):
    database = PostgresDatabase(postgres.address, OfflineSwitch())
    database.execute("INSERT INTO meta VALUES ('a', '0'), ('b', '0')")
    yield database
    database.close()


def test_several_that_begin_a_library_at_once_make_its_tables_once(postgres: PostgresServer) -> None:
    with ThreadPoolExecutor(6) as threads:
        opened = list(threads.map(lambda _: PostgresDatabase(postgres.address, OfflineSwitch()), range(6)))
    assert len({str(one.read("SELECT value FROM meta WHERE key = 'library'")) for one in opened}) == 1
    for one in opened:
        one.close()


def test_a_library_of_a_newer_magpie_is_refused(database: PostgresDatabase, postgres: PostgresServer) -> None:
    postgres.execute("UPDATE form SET version = 99")
    with pytest.raises(LibraryError, match="newer Magpie"):
        PostgresDatabase(postgres.address, OfflineSwitch())


def test_a_connection_that_died_is_taken_for_another_one_once(
    database: PostgresDatabase, postgres: PostgresServer
) -> None:
    # With a time it returns once they are gone: a connection that is still there may die in the second try.
    others = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'magpie %'"
    for _ in range(2):
        assert database.read("SELECT 1") == [(1,)]
        postgres.execute(others)
    assert database.read("SELECT 1") == [(1,)]
    postgres.execute(others)
    assert database.execute(COUNT, ("a",)) == 1


def test_a_transaction_whose_connection_dies_is_made_whole_on_another_one(
    database: PostgresDatabase, postgres: PostgresServer
) -> None:
    pids = list[int]()

    def change(connection: Connection[Row]) -> None:
        connection.execute(COUNT, ("a",))
        pids.append(connection.info.backend_pid)
        if len(pids) == 1:
            postgres.execute(f"SELECT pg_terminate_backend({pids[0]}, 5000)")
        connection.execute(COUNT, ("b",))

    database.write(change)
    assert len(set(pids)) == 2
    assert database.read("SELECT value FROM meta WHERE key IN ('a', 'b')") == [("1",), ("1",)]


def test_who_stood_in_each_others_way_begin_again(database: PostgresDatabase) -> None:
    together = threading.Barrier(2)
    begun = list[str]()

    def change(first: str, second: str) -> None:
        met = False

        def step(connection: Connection[Row]) -> None:
            nonlocal met
            begun.append(first)
            connection.execute(COUNT, (first,))
            if not met:
                met = True
                together.wait(20)
            connection.execute(COUNT, (second,))

        database.write(step)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(change, ("a", "b"), ("b", "a")))
    assert len(begun) > 2
    assert database.read("SELECT value FROM meta WHERE key IN ('a', 'b')") == [("2",), ("2",)]


@pytest.mark.parametrize("text", ["nul \0 within", "\0", "\U0010ffff0 and \U0010ffff", "\U0010ffff\0\U0010ffff1"])
def test_text_that_the_server_cannot_hold_comes_back_as_it_was(database: PostgresDatabase, text: str) -> None:
    database.execute("INSERT INTO meta VALUES ('text', %s)", (text,))
    assert database.read("SELECT value FROM meta WHERE value = %s", (text,)) == [(text,)]
    assert database.read("SELECT value FROM meta WHERE value = ANY(%s::text[])", ([text],)) == [(text,)]


def test_what_the_server_refuses_is_a_sentence(database: PostgresDatabase) -> None:
    with pytest.raises(LibraryError) as caught:
        database.read("SELECT 1 / 0")
    assert str(caught.value).startswith("PostgreSQL refused what the library asked of it: division by zero.")


def test_a_server_that_is_away_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match=r"^The library's PostgreSQL cannot be used: .*\.") as caught:
        PostgresDatabase(f"postgresql://ann:quiet-secret@/birds?host={tmp_path}", OfflineSwitch())
    assert "quiet-secret" not in str(caught.value) and "\n" not in caught.value.problem


def test_a_closed_library_is_a_sentence(postgres: PostgresServer) -> None:
    database = PostgresDatabase(postgres.address, OfflineSwitch())
    database.close()
    with pytest.raises(LibraryError, match=r"^The library is closed\."):
        database.read("SELECT 1")


def test_the_address_comes_from_the_environment_else_from_a_file_that_nobody_else_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("MAGPIE_POSTGRES_URL", raising=False)
    with pytest.raises(LibraryError, match=r"^Nothing says where the PostgreSQL of the library is\."):
        read_connection_string("")
    file = tmp_path / "address"
    file.write_text("postgresql://ann:quiet-secret@db.example/birds\n")
    file.chmod(0o644)
    with pytest.raises(LibraryError, match=r"can be read by others.*chmod 600"):
        read_connection_string(str(file))
    file.chmod(0o600)
    assert read_connection_string(str(file)) == "postgresql://ann:quiet-secret@db.example/birds"
    monkeypatch.setenv("MAGPIE_POSTGRES_URL", "postgresql:///herons")
    assert read_connection_string(str(file)) == "postgresql:///herons"
    monkeypatch.setenv("MAGPIE_POSTGRES_URL", "quiet-secret")
    with pytest.raises(LibraryError) as caught:
        read_connection_string("")
    assert "quiet-secret" not in str(caught.value)


def test_a_role_that_may_only_read_opens_the_library_and_is_told_what_it_may_not(
    database: PostgresDatabase, postgres: PostgresServer
) -> None:
    postgres.execute(
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN",
        "GRANT USAGE ON SCHEMA magpie TO reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA magpie TO reader",
    )
    reader = PostgresDatabase(psycopg.conninfo.make_conninfo(postgres.address, user="reader"), OfflineSwitch())
    assert reader.read("SELECT value FROM meta WHERE key = 'a'") == [("0",)]
    with pytest.raises(LibraryError, match=r"^PostgreSQL does not allow that to the library's role: .*meta\."):
        reader.execute(COUNT, ("a",))
    reader.close()
    postgres.execute("DROP OWNED BY reader", "DROP ROLE reader")


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("postgresql://ann@db.example/birds", "db.example"),
        ("host=localhost,192.0.2.7 dbname=birds", "192.0.2.7"),
        ("hostaddr=192.0.2.7 dbname=birds", "192.0.2.7"),
        ("service=birds", "The service birds"),
        ("dbname=birds", "pg.example"),
    ],
)
def test_offline_no_server_elsewhere_is_asked(monkeypatch: pytest.MonkeyPatch, address: str, host: str) -> None:
    if host == "pg.example":
        monkeypatch.setenv("PGHOST", host)
    with pytest.raises(LibraryError, match=rf"^{host} is not on this machine, and Magpie is offline\."):
        PostgresDatabase(address, OfflineSwitch(True))


def test_what_was_opened_online_asks_no_server_elsewhere_once_it_is_offline(
    database: PostgresDatabase, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = OfflineSwitch(True)
    here = PostgresDatabase(postgres.address, network)
    assert here.read("SELECT 1") == [(1,)]
    monkeypatch.setattr(here, "_hosts", ["db.example"])
    with pytest.raises(LibraryError, match=r"^db\.example is not on this machine"):
        here.read("SELECT 1")
    network.offline = False
    assert here.read("SELECT 1") == [(1,)]
    here.close()


def test_a_database_that_cannot_hold_every_character_is_refused(postgres: PostgresServer) -> None:
    postgres.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
    with pytest.raises(LibraryError, match=r"^A library cannot be kept in a database of the encoding LATIN1\."):
        PostgresDatabase(psycopg.conninfo.make_conninfo(postgres.address, dbname="latin"), OfflineSwitch())
    postgres.execute("DROP DATABASE latin WITH (FORCE)")
