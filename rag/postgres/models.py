"""What PostgreSQL keeps of the models that embedded a library, among what names it."""

from rag.postgres.database import PostgresDatabase
from rag.records.notes import NOTE, TOKENS_READ


class PostgresModels:
    """Notes on embedding models and what they read; its methods block and may be called from any thread."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def count_texts(self) -> dict[str, int]:
        """How many texts have vectors, by the fingerprint of the model."""
        query = "SELECT fingerprint, count(DISTINCT text_hash) FROM vectors WHERE piece = 0 GROUP BY fingerprint"
        return dict(self._database.read(query))

    def read_note(self, name: str) -> str:
        """What was noted under a name; empty for nothing."""
        rows = self._database.read("SELECT value FROM meta WHERE key = %s", (NOTE + name,))
        return rows[0][0] if rows else ""

    def write_note(self, name: str, text: str) -> None:
        """Note something under a name."""
        query = "INSERT INTO meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self._database.execute(query, (NOTE + name, text))

    def add_tokens(self, model: str, tokens: int) -> None:
        """Add to what a model read for this library, by its name."""
        query = (
            "INSERT INTO meta VALUES (%s, %s) ON CONFLICT (key)"
            " DO UPDATE SET value = (meta.value::bigint + excluded.value::bigint)::text"
        )
        self._database.execute(query, (TOKENS_READ + model, str(tokens)))

    def count_tokens(self) -> dict[str, int]:
        """What models read for this library since it was begun, by their names."""
        query = "SELECT substr(key, %s), value::bigint FROM meta WHERE starts_with(key, %s) ORDER BY key"
        return dict(self._database.read(query, (len(TOKENS_READ) + 1, TOKENS_READ)))
