"""Embedding models behind servers."""
