"""Markdown as every front end reads it."""
