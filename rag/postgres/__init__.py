"""A library in PostgreSQL with pgvector, which several machines share and which is searched there."""
