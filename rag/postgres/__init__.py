"""A library in PostgreSQL with pgvector, which several machines share; the indexes stay with each machine."""
