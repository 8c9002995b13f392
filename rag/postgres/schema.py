"""The tables of a library in PostgreSQL, and the steps that lead to them."""

from psycopg import Connection

from rag.embedding.base import ESTIMATED_TOKENS
from rag.postgres.distribution import distribute_tables, is_to_be_distributed
from rag.postgres.search.tables import SEARCH_TABLES
from utils.errors import LibraryError

LIBRARY_SCHEMA = "magpie"
OLDEST_SERVER, OLDEST_PGVECTOR = 150_000, (0, 7)
# Of advisory locks, the one that is held while tables are made; nobody else takes just this number.
_MIGRATION_LOCK = 0x6D61_6770_6965
UTC_NOW = """to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""

CUT_PATTERN = r"^\d+ (\d{1,9})/(\d{1,9}) (characters|tokens) ?(.*)$"
"""How documents are cut, within what names that: `3 300/50 tokens all-MiniLM-L6-v2`."""
# Keeps with collections of which it was never said how most of their documents are cut.
_CUT_OF_DOCUMENTS = rf"""
    UPDATE collections SET chunk_size = cut[1]::integer, chunk_overlap = cut[2]::integer, chunk_unit = cut[3],
        chunk_tokenizer = cut[4]
    FROM (SELECT DISTINCT ON (collection) collection, regexp_match(chunker, '{CUT_PATTERN}') AS cut
        FROM (SELECT collection, chunker, count(*) AS documents FROM documents
            WHERE chunker ~ '{CUT_PATTERN}' GROUP BY collection, chunker) counted
        ORDER BY collection, documents DESC) most
    WHERE most.collection = name AND chunk_size IS NULL
"""
# Its name as `tokenizer_name` gives it, of the model that answers or embedded most.
_MODEL_OF_TOKENS = f"""
    SELECT CASE WHEN model LIKE '%@%' THEN '{ESTIMATED_TOKENS}' ELSE split_part(model, ':', 1) END
    FROM (SELECT split_part(coalesce(
        (SELECT value FROM meta WHERE key = 'note answering'),
        (SELECT fingerprint FROM vectors GROUP BY fingerprint ORDER BY count(*) DESC LIMIT 1), ''), ' ', 1) AS model) m
"""

NAME_LIBRARY = """
    INSERT INTO meta VALUES ('library', replace(gen_random_uuid()::text, '-', '')), ('generation', '0')
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
"""Gives a library a random name of its own: what follows it sees when another one takes its place."""

# Ids are drawn from the one row of `positions`, which a transaction that changes chunks locks first.
MIGRATIONS = (
    f"""
    CREATE TABLE meta (key TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL);
    {NAME_LIBRARY};
    CREATE TABLE positions (
        one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
        document BIGINT NOT NULL DEFAULT 0,
        chunk BIGINT NOT NULL DEFAULT 0,
        removal BIGINT NOT NULL DEFAULT 0
    );
    INSERT INTO positions DEFAULT VALUES;
    CREATE TABLE collections (
        name TEXT COLLATE "C" PRIMARY KEY,
        chunk_size INTEGER,  -- these three: null where nothing was cut yet
        chunk_overlap INTEGER,
        chunk_unit TEXT,
        created TEXT NOT NULL
    );
    CREATE TABLE documents (
        id BIGINT PRIMARY KEY,
        collection TEXT COLLATE "C" NOT NULL,
        source TEXT COLLATE "C" NOT NULL,
        title TEXT COLLATE "C" NOT NULL,
        origin TEXT COLLATE "C" NOT NULL,
        media_type TEXT COLLATE "C" NOT NULL,
        fetched TEXT COLLATE "C" NOT NULL,
        fetched_at TIMESTAMPTZ,  -- null where that is no time
        container TEXT COLLATE "C" NOT NULL,
        content_hash TEXT COLLATE "C" NOT NULL,
        chunks INTEGER NOT NULL,
        text BYTEA NOT NULL,  -- zlib, UTF-8
        language TEXT COLLATE "C" NOT NULL,
        chunker TEXT COLLATE "C" NOT NULL,  -- what cut it; another cuts it anew
        seen TEXT COLLATE "C" NOT NULL,  -- when it was last added, UTC
        cited INTEGER NOT NULL DEFAULT 0,
        shown_title TEXT COLLATE "C" NOT NULL,  -- as lists compare them
        shown_source TEXT COLLATE "C" NOT NULL
    );
    ALTER TABLE documents ALTER COLUMN text SET STORAGE EXTERNAL;
    -- A source may be longer than what an index can hold.
    CREATE INDEX documents_by_source ON documents USING hash (source);
    CREATE INDEX documents_by_collection ON documents (collection, id);
    CREATE INDEX documents_by_language ON documents (collection, language);
    CREATE INDEX documents_by_chunker ON documents (collection, chunker);
    CREATE INDEX documents_by_container ON documents USING hash (container) WHERE container != '';
    CREATE TABLE chunks (
        id BIGINT PRIMARY KEY,
        document BIGINT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        collection TEXT COLLATE "C" NOT NULL,
        ordinal INTEGER NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        text TEXT COLLATE "C" NOT NULL,
        text_hash BYTEA NOT NULL,
        heading TEXT COLLATE "C" NOT NULL,  -- its path, outermost first, one a line
        UNIQUE (document, ordinal)
    );
    CREATE INDEX chunks_by_collection ON chunks (collection, id);
    CREATE INDEX chunks_by_hash ON chunks (text_hash);
    CREATE TABLE vectors (
        text_hash BYTEA NOT NULL,
        fingerprint TEXT COLLATE "C" NOT NULL,  -- of the embedding model
        piece INTEGER NOT NULL,
        vector vector NOT NULL,
        PRIMARY KEY (text_hash, fingerprint, piece)
    );
    CREATE TABLE removed (number BIGINT PRIMARY KEY, chunk BIGINT NOT NULL, pieces INTEGER NOT NULL);
    CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    DECLARE last BIGINT; gone_now BIGINT;
    BEGIN
        SELECT count(*) INTO gone_now FROM gone;
        UPDATE positions SET removal = removal + gone_now RETURNING removal - gone_now INTO last;
        INSERT INTO removed SELECT last + row_number() OVER (ORDER BY g.id), g.id, coalesce(
            (SELECT max(n) FROM (SELECT count(*) AS n FROM vectors v WHERE v.text_hash = g.text_hash
                GROUP BY v.fingerprint) counted), 1) FROM gone g;
        RETURN NULL;
    END $$;
    CREATE TRIGGER chunk_removed AFTER DELETE ON chunks
        REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_removed();
    """,
    """
    ALTER TABLE documents
        ADD COLUMN properties TEXT COLLATE "C" NOT NULL DEFAULT '{}',  -- JSON: author, published, tags, language
        ADD COLUMN dated TIMESTAMPTZ,  -- when it was published, as it says, else fetched; null where that is no time
        ADD COLUMN shown_author TEXT COLLATE "C" NOT NULL DEFAULT '',  -- these two: as filters compare them
        ADD COLUMN shown_tags TEXT[] COLLATE "C" NOT NULL DEFAULT '{}';
    UPDATE documents SET dated = fetched_at;
    """,
    f"""
    ALTER TABLE collections ADD COLUMN chunk_tokenizer TEXT;  -- the model whose tokens are meant
    UPDATE documents SET chunker = rtrim(chunker || ' ' || ({_MODEL_OF_TOKENS})) WHERE chunker LIKE '% tokens';
    UPDATE collections SET chunk_tokenizer = ({_MODEL_OF_TOKENS}) WHERE chunk_unit = 'tokens';
    {_CUT_OF_DOCUMENTS};
    """,
    f"""
    {SEARCH_TABLES}
    ALTER TABLE chunks DROP CONSTRAINT chunks_document_fkey;  -- shards have no keys and no triggers across them
    ALTER TABLE chunks DROP CONSTRAINT chunks_pkey, ADD PRIMARY KEY (id, document);
    ALTER TABLE vectors RENAME TO waiting;  -- embedded, of documents that are yet to come
    ALTER INDEX vectors_pkey RENAME TO waiting_pkey;
    CREATE TABLE vectors (
        document BIGINT NOT NULL,
        text_hash BYTEA NOT NULL,
        fingerprint TEXT COLLATE "C" NOT NULL,  -- of the embedding model
        piece INTEGER NOT NULL,
        vector vector NOT NULL,
        PRIMARY KEY (document, text_hash, fingerprint, piece)
    );
    INSERT INTO vectors SELECT c.document, w.* FROM waiting w
        JOIN (SELECT DISTINCT document, text_hash FROM chunks) c ON c.text_hash = w.text_hash;
    CREATE INDEX vectors_by_hash ON vectors (text_hash);
    DELETE FROM waiting w WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.text_hash = w.text_hash);
    """,
)


def prepare_tables(connection: Connection[tuple[object, ...]]) -> None:
    """Make the tables, or bring them to the newest form; of several processes one does so while the others wait.

    Raises `LibraryError` where the server, its pgvector or the library is of a form that cannot be used.
    """
    _require_server(connection)
    # A role that may only read is done here.
    if _form(connection) == len(MIGRATIONS) and not is_to_be_distributed(connection):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        _require_pgvector(connection)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {LIBRARY_SCHEMA}")
        known = _form(connection)
        if known > len(MIGRATIONS):
            raise LibraryError("The library in PostgreSQL was made by a newer Magpie.", "Use that one, or a newer one.")
        for step in MIGRATIONS[known:]:
            connection.execute(step.encode())
        connection.execute("CREATE TABLE IF NOT EXISTS form (version INTEGER NOT NULL)")
        connection.execute("DELETE FROM form")
        connection.execute("INSERT INTO form VALUES (%s)", (len(MIGRATIONS),))
        if is_to_be_distributed(connection):
            distribute_tables(connection)


def _form(connection: Connection[tuple[object, ...]]) -> int:
    """How many steps were made."""
    [(found,)] = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{LIBRARY_SCHEMA}.form",)).fetchall()
    if not found:
        return 0
    [(version,)] = connection.execute(f"SELECT version FROM {LIBRARY_SCHEMA}.form").fetchall()
    return int(str(version))


def _require_server(connection: Connection[tuple[object, ...]]) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        version = connection.info.server_version // 10_000
        raise LibraryError(f"A library cannot be kept in PostgreSQL {version}.", "Use PostgreSQL 15 or newer.")
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        raise LibraryError(
            f"A library cannot be kept in a database of the encoding {encoding}.", "Make one with createdb -E UTF8."
        )


def _require_pgvector(connection: Connection[tuple[object, ...]]) -> None:
    [(version,)] = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchall()
    if tuple(int(part) for part in str(version).split(".")[:2]) < OLDEST_PGVECTOR:
        raise LibraryError(
            f"A library cannot be kept with pgvector {version}.",
            "Install pgvector 0.7 or newer, and say ALTER EXTENSION vector UPDATE.",
        )
