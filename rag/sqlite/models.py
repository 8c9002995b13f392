"""What library.db keeps of the models that embedded it, among what names the library."""

from rag.records.notes import NOTE, TOKENS_READ
from rag.sqlite.database import LibraryDatabase


class ModelRecords:
    """Notes on embedding models and what they read; its methods block and may be called from any thread."""

    def __init__(self, database: LibraryDatabase) -> None:
        self._database = database

    def count_texts(self) -> dict[str, int]:
        """How many texts have vectors, by the fingerprint of the model."""
        query = "SELECT fingerprint, count(*) FROM vectors WHERE typeof(fingerprint) = 'text' GROUP BY fingerprint"
        with self._database.reading() as db:
            return dict(db.execute(query).fetchall())

    def read_note(self, name: str) -> str:
        """What was noted under a name; empty for nothing."""
        # A damaged note is none: the library opens all the same, for the doctor to mend it.
        query = "SELECT value FROM meta WHERE key = ? AND typeof(value) = 'text'"
        with self._database.reading() as db:
            row = db.execute(query, (NOTE + name,)).fetchone()
        return str(row[0]) if row else ""

    def write_note(self, name: str, text: str) -> None:
        """Note something under a name."""
        with self._database.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (NOTE + name, text))

    def add_tokens(self, model: str, tokens: int) -> None:
        """Add to what a model read for this library, by its name."""
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = value + excluded.value",
                (TOKENS_READ + model, str(tokens)),
            )

    def count_tokens(self) -> dict[str, int]:
        """What models read for this library since it was begun, by their names."""
        # Cast, as anything can stand there in a damaged file.
        query = (
            "SELECT substr(key, ?1 + 1), CAST(value AS INTEGER) FROM meta WHERE substr(key, 1, ?1) = ?2 ORDER BY key"
        )
        with self._database.reading() as db:
            return dict(db.execute(query, (len(TOKENS_READ), TOKENS_READ)).fetchall())
