"""The vectors in PostgreSQL, by what was embedded and by which model: the same text is never embedded twice."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from psycopg import Connection

from rag.documents import contextual_text
from rag.embedding.base import Vectors
from rag.postgres.adapters import pack_vector, unpack_vectors
from rag.postgres.database import PostgresDatabase, Row, rows_of
from rag.postgres.distribution import lock_positions
from rag.postgres.search.records import forget_vectors, take_new_vectors
from rag.records.vectors import SAMPLED

# COPY knows no conflict: what comes in goes through a table of the connection's own. In one order, so that two who keep
# the same texts wait for each other and do not lock each other out.
_INCOMING = (
    "CREATE TEMPORARY TABLE IF NOT EXISTS incoming (document BIGINT, text_hash BYTEA, fingerprint TEXT, piece INTEGER,"
    " vector vector) ON COMMIT DELETE ROWS"
)
_TAKE_BESIDE = (
    "INSERT INTO vectors SELECT * FROM incoming WHERE document IS NOT NULL ORDER BY document, text_hash, piece"
    " ON CONFLICT DO NOTHING"
)
_TAKE_WAITING = (
    "INSERT INTO waiting SELECT text_hash, fingerprint, piece, vector FROM incoming WHERE document IS NULL"
    " ORDER BY text_hash, piece ON CONFLICT DO NOTHING"
)
_OF_CHUNK = "v.document = c.document AND v.text_hash = c.text_hash"


class PostgresVectors:
    """Vectors of one model, given by its fingerprint; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._database = database

    def keep_vectors(self, vectors: dict[bytes, Vectors]) -> None:
        """Keep the vectors of texts, by their hashes: beside the documents that have them, else until one comes."""

        def keep(connection: Connection[Row]) -> None:
            # A document with the same text, put in at the same moment, would miss them.
            lock_positions(connection)
            query = "SELECT DISTINCT text_hash, document FROM chunks WHERE text_hash = ANY(%s::bytea[])"
            documents: dict[bytes, list[int | None]] = defaultdict(list)
            for key, document in rows_of(connection, query, (list(vectors),)):
                documents[key].append(document)
            connection.execute(_INCOMING)
            with (
                connection.cursor() as cursor,
                cursor.copy("COPY incoming FROM STDIN (FORMAT BINARY)") as copy,
            ):
                # A vector as well: the server reads what is sent as what the column is of.
                copy.set_types(["int8", "bytea", "text", "int4", "bytea"])
                for key, pieces in vectors.items():
                    for number, piece in enumerate(pieces):
                        packed = pack_vector(piece)
                        for document in documents.get(key, (None,)):
                            copy.write_row((document, key, self.fingerprint, number, packed))
            connection.execute(_TAKE_WAITING)
            if documents:
                connection.execute(_TAKE_BESIDE)
                take_new_vectors(connection, self.fingerprint, list(documents))

        if vectors:
            self._database.write(keep)

    def missing_hashes(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes for which no vector is kept."""
        missing = set(hashes)
        for table in ("waiting", "vectors"):
            query = f"SELECT DISTINCT text_hash FROM {table} WHERE text_hash = ANY(%s::bytea[]) AND fingerprint = %s"
            if missing:
                missing -= {key for (key,) in self._database.read(query, (sorted(missing), self.fingerprint))}
        return missing

    def not_embedded(self, collection: str) -> dict[bytes, str]:
        """What is to be embedded of the chunks that have no vector of this model, by hash, oldest first."""
        query = (
            "SELECT c.text_hash, d.title, c.heading, c.text FROM chunks c JOIN documents d ON d.id = c.document"
            f" WHERE c.collection = %s AND NOT EXISTS (SELECT 1 FROM vectors v"
            f" WHERE {_OF_CHUNK} AND v.fingerprint = %s) ORDER BY c.id"
        )
        rows = self._database.read(query, (collection, self.fingerprint))
        return {key: contextual_text(title, tuple(heading.splitlines()), text) for key, title, heading, text in rows}

    def missing_size(self) -> tuple[int, int]:
        """How many texts of the whole library have no vector of this model, and their characters."""
        query = (
            "SELECT count(*), coalesce(sum(size), 0)::bigint FROM (SELECT max(length(c.text)) AS size FROM chunks c"
            f" WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE {_OF_CHUNK} AND v.fingerprint = %s)"
            " GROUP BY c.text_hash) missing"
        )
        [(texts, characters)] = self._database.read(query, (self.fingerprint,))
        return texts, characters

    def sample_text(self) -> tuple[str, Vectors] | None:
        """A short text of one piece that was embedded, and its vector; None where there is none."""
        query = (
            "SELECT title, heading, text, vector_send(vector) FROM (SELECT c.id, d.title, c.heading, c.text, v.vector"
            f" FROM chunks c JOIN documents d ON d.id = c.document JOIN vectors v ON {_OF_CHUNK}"
            " AND v.fingerprint = %(model)s AND v.piece = 0 WHERE NOT EXISTS (SELECT 1 FROM vectors more"
            " WHERE more.document = c.document AND more.text_hash = c.text_hash AND more.fingerprint = %(model)s"
            " AND more.piece = 1)"
            " ORDER BY c.id LIMIT %(sampled)s) sampled"
            " ORDER BY length(text) + length(heading) + length(title), id LIMIT 1"
        )
        rows = self._database.read(query, {"model": self.fingerprint, "sampled": SAMPLED})
        for title, heading, text, packed in rows:
            return contextual_text(title, tuple(heading.splitlines()), text), unpack_vectors([packed])
        return None

    def forget_all(self) -> None:
        """Remove all vectors of this model."""

        def forget(connection: Connection[Row]) -> None:
            lock_positions(connection)
            for table in ("waiting", "vectors"):
                connection.execute(f"DELETE FROM {table} WHERE fingerprint = %s".encode(), (self.fingerprint,))
            forget_vectors(connection, self.fingerprint)

        self._database.write(forget)


def take_embedded(connection: Connection[Row], owners: Mapping[int, Sequence[bytes]]) -> None:
    """Put the vectors of texts beside the documents that have them now, in the transaction under way."""
    pairs = sorted({(document, key) for document, hashes in owners.items() for key in hashes})
    hashes = sorted({key for _, key in pairs})
    query = "SELECT DISTINCT text_hash FROM waiting WHERE text_hash = ANY(%s::bytea[])"
    waiting = {key for (key,) in rows_of(connection, query, (hashes,))}
    if waiting:
        _take_from(connection, "waiting", [pair for pair in pairs if pair[1] in waiting])
        connection.execute("DELETE FROM waiting WHERE text_hash = ANY(%s::bytea[])", (hashes,))
    if elsewhere := [pair for pair in pairs if pair[1] not in waiting]:
        _take_from(connection, "vectors", elsewhere)


def _take_from(connection: Connection[Row], table: str, pairs: Sequence[tuple[int, bytes]]) -> None:
    """Put the vectors that a table has of texts beside documents."""
    query = (
        "INSERT INTO vectors SELECT w.document, v.text_hash, v.fingerprint, v.piece, v.vector"
        " FROM unnest(%s::bigint[], %s::bytea[]) AS w (document, text_hash)"
        f" JOIN {table} v ON v.text_hash = w.text_hash ON CONFLICT DO NOTHING"
    )
    connection.execute(query.encode(), ([document for document, _ in pairs], [key for _, key in pairs]))


def drop_unused(connection: Connection[Row]) -> int:
    """Remove the vectors of texts that no chunk has, in the transaction under way; how many texts."""
    query = (
        "WITH gone AS (DELETE FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE"
        f" {_OF_CHUNK}) RETURNING v.text_hash, v.fingerprint) SELECT DISTINCT text_hash, fingerprint FROM gone"
    )
    waiting = "WITH gone AS (DELETE FROM waiting RETURNING *) SELECT DISTINCT text_hash, fingerprint FROM gone"
    return len({*rows_of(connection, query), *rows_of(connection, waiting)})
