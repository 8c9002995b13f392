"""Readers: the bytes of one format become the text of a document."""
