"""What becomes of a damaged or locked sessions.db: it is mended, copied, and opened again."""
