"""The tables of a library spread over the servers of Citus, where the database has it.

A document has its chunks, its text, its terms and its vectors beside it, on the shard that its number leads to. What
puts changes in order, what is counted and what is small stays with the coordinator.
"""

from collections.abc import Sequence
from typing import Any

from psycopg import Connection

DISTRIBUTION_COLUMNS = {
    "documents": "id",
    "chunks": "document",
    "vectors": "document",
    "terms": "document",
    "chunk_vectors": "document",
}
"""The tables that are spread, each with the column that holds the document's number."""
# Of advisory locks, the one that whoever changes chunks holds until all servers have what was changed; nobody else
# takes just this number. A row's lock is seen as free as soon as the coordinator alone has it.
_ORDER_LOCK = 0x6D61_6770_6966


def is_to_be_distributed(connection: Connection[tuple[Any, ...]]) -> bool:
    """Whether the database has Citus and a table of the library that is not spread yet."""
    if not _has_citus(connection):
        return False
    [(spread,)] = connection.execute(
        "SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = ANY("
        "SELECT to_regclass(name) FROM unnest(%s::text[]) name)",
        (list(DISTRIBUTION_COLUMNS),),
    ).fetchall()
    return int(spread) < len(DISTRIBUTION_COLUMNS)


def _has_citus(connection: Connection[tuple[Any, ...]]) -> bool:
    return bool(connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'").fetchall())


def distribute_tables(connection: Connection[tuple[Any, ...]]) -> None:
    """Spread the tables with what is in them, in the transaction under way."""
    # What was made in the same transaction is known on one connection to each server only.
    connection.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    first = next(iter(DISTRIBUTION_COLUMNS))
    for table, column in DISTRIBUTION_COLUMNS.items():
        beside = "default" if table == first else first
        found = connection.execute("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = %s::regclass", (table,))
        if not found.fetchall():
            connection.execute("SELECT create_distributed_table(%s, %s, colocate_with => %s)", (table, column, beside))
            connection.execute("SELECT truncate_local_data_after_distributing_table(%s)", (table,))


def is_distributed(connection: Connection[tuple[Any, ...]]) -> bool:
    """Whether the tables are spread."""
    return _has_citus(connection) and not is_to_be_distributed(connection)


def lock_positions(connection: Connection[tuple[Any, ...]]) -> None:
    """Let nobody else change chunks until the transaction under way is over, on all servers.

    What is locked first by everyone is never waited for in a circle, and ids then grow in the order of commits.
    """
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ORDER_LOCK,))


def delete_beside(connection: Connection[tuple[Any, ...]], documents: Sequence[int]) -> None:
    """Delete documents with all that stands beside them; nothing is counted."""
    for table, column in DISTRIBUTION_COLUMNS.items():
        connection.execute(f"DELETE FROM {table} WHERE {column} = ANY(%s::bigint[])".encode(), (list(documents),))


def library_size(connection: Connection[tuple[Any, ...]]) -> int:
    """Bytes of the tables with their indexes, on all servers."""
    # A table that is spread has nothing where it stands.
    spread = " + citus_total_relation_size(oid)" if is_distributed(connection) else ""
    names = list(DISTRIBUTION_COLUMNS)
    query = (
        f"SELECT sum(pg_total_relation_size(oid){spread}) FROM pg_class WHERE oid = ANY(%s::regclass[])"
        " UNION ALL SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
        " AND relnamespace = current_schema()::regnamespace AND oid != ALL(%s::regclass[])"
    )
    return sum(int(size) for (size,) in connection.execute(query.encode(), (names, names)).fetchall())
