"""Whether a passage says what a sentence with its number says."""
