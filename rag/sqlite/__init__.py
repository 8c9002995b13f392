"""library.db: the one truth, from which the indexes are made."""
