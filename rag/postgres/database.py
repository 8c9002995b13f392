"""The connections to PostgreSQL as all parts of a process share them, and what their failures mean to the user."""

import logging
import secrets
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import Connection, errors
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, stop_after_delay, wait_random_exponential

from rag.postgres.adapters import make_adapters
from rag.postgres.connection_string import hosts_of
from rag.postgres.distribution import is_distributed
from rag.postgres.schema import LIBRARY_SCHEMA, prepare_tables
from rag.stored import damaged_library
from utils.errors import LibraryError, Offline
from utils.network.access import record_connection
from utils.network.offline import OfflineSwitch

Row = tuple[Any, ...]
Values = Sequence[Any] | dict[str, Any]
Result = TypeVar("Result")
CONNECTIONS = 8
"""That a process keeps at most; a search takes one."""
CONNECTION_PATIENCE = 10
"""Seconds that a connection may take to come about, and that a search waits for a server that begins anew."""
RECONNECTION_INTERVAL = 1.0
"""Seconds after which a server that is away is asked again while somebody waits for it."""
TRANSACTION_TRIES = 8
"""How often a transaction is begun that others stand in the way of."""
SILENCE = 10.0
"""Seconds for which a connection that died is told once: several die together."""
APPLICATION = "magpie"
# What a search asks is planned for its own words and its collection alone, and soon done: compiling it takes longer. An
# index of vectors is read on until enough of them pass.
_FOR_SEARCHES = (
    "SET plan_cache_mode = force_custom_plan; SET jit = off; SET work_mem = '64MB';"
    " SET hnsw.ef_search = 200; SET hnsw.iterative_scan = strict_order"
)
log = logging.getLogger(__name__)
# What the pool tells of a server that is away is told to the user, once and in a sentence.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


class PostgresDatabase:
    """A pool of connections; its methods block, may be called from any thread and raise `LibraryError`."""

    def __init__(self, address: str, network: OfflineSwitch, tell: Callable[[str], None] = lambda said: None) -> None:
        """`tell` shows the user what went wrong and was made good; it is called in any thread."""
        self._hosts = hosts_of(address)
        self._network = network
        self._tell = tell
        self._silent_until = 0.0
        self.name = f"{APPLICATION} {secrets.token_hex(6)}"
        """What the server knows this process by."""
        options: dict[str, Any] = {
            "application_name": self.name,
            "autocommit": True,
            "client_encoding": "UTF8",
            "connect_timeout": CONNECTION_PATIENCE,
            "context": make_adapters(),
        }
        with self._permitted(), translate_errors():
            with psycopg.connect(address, **options) as connection:
                _begin_connection(connection)
                prepare_tables(connection)
                self.spread = is_distributed(connection)
                """Whether the tables are spread over the servers of Citus."""
            self._pool = ConnectionPool[Connection[Row]](
                address,
                kwargs=options,
                min_size=0,
                max_size=CONNECTIONS,
                # The pool would ask ever more rarely and miss a server that is back: who waits asks, see `_connection`.
                reconnect_timeout=0,
                configure=_begin_connection,
                open=True,
            )

    def read(self, query: str, values: Values = ()) -> list[Row]:
        """The rows of a query that changes nothing."""
        return self._work(lambda connection: rows_of(connection, query, values))

    def write(self, change: Callable[[Connection[Row]], Result]) -> Result:
        """Make a change in one transaction, again where others stood in its way."""

        def transact(connection: Connection[Row]) -> Result:
            with connection.transaction():
                return change(connection)

        return self._work(transact)

    def run_alone(self, work: Callable[[Connection[Row]], object]) -> None:
        """Do what no transaction may be around."""
        self._work(work)

    def execute(self, query: str, values: Values = ()) -> int:
        """Make a change of one statement; the number of rows."""
        return self.write(lambda connection: connection.execute(query.encode(), values).rowcount)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def _work(self, work: Callable[[Connection[Row]], Result]) -> Result:
        with self._permitted(), translate_errors():
            for attempt in Retrying(
                retry=retry_if_exception_type((errors.DeadlockDetected, errors.SerializationFailure)),
                stop=stop_after_attempt(TRANSACTION_TRIES),
                wait=wait_random_exponential(multiplier=0.02, max=1),
                reraise=True,
            ):
                with attempt:
                    return self._connected(work)
        raise AssertionError  # What goes wrong is raised above.

    @contextmanager
    def _permitted(self) -> Iterator[None]:
        """Whether the server may be asked: offline, one on this machine alone."""
        try:
            for host in self._hosts:
                self._network.permit_host(host)
        except Offline as error:
            raise LibraryError(error.problem, error.remedy) from error
        yield

    def _connected(self, work: Callable[[Connection[Row]], Result]) -> Result:
        """Work on a connection, and once more on another one where the first had died."""
        with self._connection() as connection:
            try:
                return work(connection)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                if not connection.closed:
                    raise
                log.warning("a connection to PostgreSQL died", extra={"data": {"error": first_line(error)}})
        # Where one has died, the others may have as well.
        self._pool.check()
        with self._connection() as connection:
            done = work(connection)
        self._tell_death()
        return done

    @contextmanager
    def _connection(self) -> Iterator[Connection[Row]]:
        """One of the pool's, which is asked for anew while the server may come back."""
        connection: Connection[Row] = Retrying(
            retry=retry_if_exception_type(PoolTimeout), stop=stop_after_delay(CONNECTION_PATIENCE), reraise=True
        )(self._pool.getconn, RECONNECTION_INTERVAL)
        try:
            with connection:
                yield connection
        finally:
            self._pool.putconn(connection)

    def _tell_death(self) -> None:
        """Say once of all connections that died together that one did."""
        now = time.monotonic()
        if now >= self._silent_until:
            self._silent_until = now + SILENCE
            self._tell("The connection to the library's PostgreSQL died and was made anew; nothing is lost.")


def rows_of(connection: Connection[Row], query: str, values: Values = ()) -> list[Row]:
    """The rows of a query, within a transaction."""
    return connection.execute(query.encode(), values, binary=True).fetchall()


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn what PostgreSQL and the unpacking of texts complain of into `LibraryError`."""
    try:
        yield
    except (zlib.error, UnicodeDecodeError) as error:
        raise damaged_library(str(error)) from error
    except PoolClosed as error:
        raise LibraryError("The library is closed.", "Open it again.") from error
    except PoolTimeout as error:
        raise LibraryError(
            f"The library's PostgreSQL has given no connection for {CONNECTION_PATIENCE} seconds.", _LOOK_AFTER_IT
        ) from error
    except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
        raise LibraryError(
            f"PostgreSQL does not allow that to the library's role: {first_line(error)}.",
            "Have its owner grant it, or set rag.read_only to true and only search.",
        ) from error
    except (errors.FeatureNotSupported, errors.UndefinedFile) as error:
        raise LibraryError(
            f"The library's PostgreSQL lacks something: {first_line(error)}.", "Install pgvector 0.7 or newer there."
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise LibraryError(f"The library's PostgreSQL cannot be used: {first_line(error)}.", _LOOK_AFTER_IT) from error
    except psycopg.Error as error:
        raise LibraryError(
            f"PostgreSQL refused what the library asked of it: {first_line(error)}.", "Type /rag-doctor."
        ) from error


_LOOK_AFTER_IT = "Look whether it runs, and at its address: that of --to, MAGPIE_POSTGRES_URL or rag.postgres_url_file."


def first_line(error: psycopg.Error) -> str:
    """What PostgreSQL says is wrong, without a period."""
    text = error.diag.message_primary or str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


def _begin_connection(connection: Connection[Row]) -> None:
    info = connection.info
    record_connection("library", info.host, info.hostaddr, info.port)
    connection.execute(f"SET search_path = {LIBRARY_SCHEMA}, public; {_FOR_SEARCHES}".encode())
