"""Search inside PostgreSQL: BM25 over terms in tables, and the nearest vectors by pgvector."""
