"""The vectors in PostgreSQL, by what was embedded and by which model: the same text is never embedded twice."""

from collections import defaultdict
from collections.abc import Sequence

from psycopg import Connection

from rag.documents import contextual_text
from rag.embedding.base import Vectors
from rag.postgres.adapters import pack_vector, unpack_vectors
from rag.postgres.database import PostgresDatabase, Row
from rag.postgres.documents import lock_positions
from rag.postgres.search.records import forget_vectors, take_new_vectors
from rag.records.vectors import SAMPLED

# COPY knows no conflict: what comes in goes through a table of the connection's own. In one order, so that two who keep
# the same texts wait for each other and do not lock each other out.
_INCOMING = (
    "CREATE TEMPORARY TABLE IF NOT EXISTS incoming (text_hash BYTEA, fingerprint TEXT, piece INTEGER, vector vector)"
    " ON COMMIT DELETE ROWS"
)
_TAKE_IN = (
    "INSERT INTO vectors SELECT * FROM incoming i WHERE NOT EXISTS (SELECT 1 FROM vectors v"
    " WHERE v.text_hash = i.text_hash AND v.fingerprint = i.fingerprint)"
    " ORDER BY text_hash, piece ON CONFLICT DO NOTHING"
)


class PostgresVectors:
    """Vectors of one model, given by its fingerprint; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._database = database

    def keep_vectors(self, vectors: dict[bytes, Vectors]) -> None:
        """Keep the vectors of texts, by the texts' hashes."""

        def keep(connection: Connection[Row]) -> None:
            # A document with the same text, put in at the same moment, would miss them.
            lock_positions(connection)
            connection.execute(_INCOMING)
            with (
                connection.cursor() as cursor,
                cursor.copy("COPY incoming FROM STDIN (FORMAT BINARY)") as copy,
            ):
                # A vector as well: the server reads what is sent as what the column is of.
                copy.set_types(["bytea", "text", "int4", "bytea"])
                for key, pieces in vectors.items():
                    for number, piece in enumerate(pieces):
                        copy.write_row((key, self.fingerprint, number, pack_vector(piece)))
            connection.execute(_TAKE_IN)
            take_new_vectors(connection, self.fingerprint, list(vectors))

        if vectors:
            self._database.write(keep)

    def missing_hashes(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes for which no vector is kept."""
        query = "SELECT DISTINCT text_hash FROM vectors WHERE fingerprint = %s AND text_hash = ANY(%s::bytea[])"
        rows = self._database.read(query, (self.fingerprint, list(hashes)))
        return set(hashes) - {key for (key,) in rows}

    def not_embedded(self, collection: str) -> dict[bytes, str]:
        """What is to be embedded of the chunks that have no vector of this model, by hash, oldest first."""
        query = (
            "SELECT c.text_hash, d.title, c.heading, c.text FROM chunks c JOIN documents d ON d.id = c.document"
            " WHERE c.collection = %s AND NOT EXISTS (SELECT 1 FROM vectors v"
            " WHERE v.text_hash = c.text_hash AND v.fingerprint = %s) ORDER BY c.id"
        )
        rows = self._database.read(query, (collection, self.fingerprint))
        return {key: contextual_text(title, tuple(heading.splitlines()), text) for key, title, heading, text in rows}

    def missing_size(self) -> tuple[int, int]:
        """How many texts of the whole library have no vector of this model, and their characters."""
        query = (
            "SELECT count(*), coalesce(sum(size), 0)::bigint FROM (SELECT max(length(c.text)) AS size FROM chunks c"
            " WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.text_hash = c.text_hash AND v.fingerprint = %s)"
            " GROUP BY c.text_hash) missing"
        )
        [(texts, characters)] = self._database.read(query, (self.fingerprint,))
        return texts, characters

    def sample_text(self) -> tuple[str, Vectors] | None:
        """A short text of one piece that was embedded, and its vector; None where there is none."""
        query = (
            "SELECT title, heading, text, vector_send(vector) FROM (SELECT c.id, d.title, c.heading, c.text, v.vector"
            " FROM chunks c JOIN documents d ON d.id = c.document JOIN vectors v ON v.text_hash = c.text_hash"
            " AND v.fingerprint = %(model)s AND v.piece = 0 WHERE NOT EXISTS (SELECT 1 FROM vectors more"
            " WHERE more.text_hash = c.text_hash AND more.fingerprint = %(model)s AND more.piece = 1)"
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
            connection.execute("DELETE FROM vectors WHERE fingerprint = %s", (self.fingerprint,))
            forget_vectors(connection, self.fingerprint)

        self._database.write(forget)

    def chunk_similarities(self, vector: Vectors, chunks: Sequence[int]) -> dict[int, float]:
        """Cosine of a unit vector, shape (dimensions,), and the best piece of each chunk that is embedded."""
        query = (
            "SELECT c.id, vector_send(v.vector) FROM chunks c JOIN vectors v ON v.text_hash = c.text_hash"
            " AND v.fingerprint = %s WHERE c.id = ANY(%s::bigint[])"
        )
        rows = self._database.read(query, (self.fingerprint, list(chunks)))
        if not rows:
            return {}
        found: dict[int, list[float]] = defaultdict(list)
        for (key, _), score in zip(rows, unpack_vectors([packed for _, packed in rows]) @ vector, strict=True):
            found[key].append(float(score))
        return {key: max(scores) for key, scores in found.items()}


def drop_unused(connection: Connection[Row]) -> int:
    """Remove the vectors of texts that no chunk has, in the transaction under way; how many texts."""
    query = (
        "WITH gone AS (DELETE FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.text_hash = v.text_hash)"
        " RETURNING v.text_hash, v.fingerprint) SELECT count(DISTINCT (text_hash, fingerprint)) FROM gone"
    )
    return connection.execute(query).fetchall()[0][0]  # type: ignore[no-any-return]
