"""The tables that searches go through; a row has its collection, for policies, and its document, to lie beside it."""

# A term's row has a number for each chunk of the document that has the term: `place_of` makes them. With a row for each
# chunk they would take several times the room.
SEARCH_TABLES = """
    CREATE TABLE terms (
        collection TEXT COLLATE "C" NOT NULL,
        term TEXT COLLATE "C" NOT NULL,
        document BIGINT NOT NULL,
        frequency INTEGER NOT NULL,  -- in the document's text
        length INTEGER NOT NULL,  -- of that text, in terms, rounded
        places BIGINT[] NOT NULL,
        PRIMARY KEY (collection, term, document)
    );
    CREATE INDEX terms_by_document ON terms (document);
    CREATE TABLE chunk_vectors (
        document BIGINT NOT NULL,
        ordinal INTEGER NOT NULL,  -- of the chunk
        fingerprint TEXT COLLATE "C" NOT NULL,  -- of the embedding model
        piece INTEGER NOT NULL,
        collection TEXT COLLATE "C" NOT NULL,
        vector halfvec NOT NULL,
        PRIMARY KEY (document, ordinal, fingerprint, piece)
    );
    -- Beside the row as long as it fits a page: what is compared with every question is best not looked up elsewhere.
    ALTER TABLE chunk_vectors ALTER COLUMN vector SET STORAGE MAIN;
    CREATE INDEX chunk_vectors_by_collection ON chunk_vectors (collection, fingerprint);
    CREATE TABLE totals (
        collection TEXT COLLATE "C" NOT NULL,
        counted TEXT COLLATE "C" NOT NULL,  -- 'documents', 'chunks', 'language de', 'vectors' of a fingerprint
        records BIGINT NOT NULL,
        terms BIGINT NOT NULL,
        PRIMARY KEY (collection, counted)
    );
    ALTER TABLE documents
        ADD COLUMN terms INTEGER NOT NULL DEFAULT 0,  -- how many there are in its text, and in all of its chunks
        ADD COLUMN chunk_terms INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN terms_version INTEGER NOT NULL DEFAULT 0;  -- what made them; 0: not made, -1: to be made anew
    CREATE INDEX documents_by_terms ON documents (collection, terms_version);
    INSERT INTO chunk_vectors
        SELECT c.document, c.ordinal, v.fingerprint, v.piece, c.collection, v.vector::halfvec
        FROM chunks c JOIN vectors v ON v.text_hash = c.text_hash;
    INSERT INTO totals
        SELECT collection, 'vectors ' || fingerprint, count(*), 0 FROM chunk_vectors WHERE piece = 0
        GROUP BY collection, fingerprint;
    -- What indexes on each machine followed.
    DROP TRIGGER IF EXISTS chunk_removed ON chunks;
    DROP FUNCTION IF EXISTS note_removed();
    DROP TABLE IF EXISTS removed;
    ALTER TABLE positions DROP COLUMN IF EXISTS removal;
    DELETE FROM meta WHERE key = 'generation';
"""
"""The step of a library's form that brings the search into the server."""
