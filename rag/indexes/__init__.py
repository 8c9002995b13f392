"""The indexes that follow library.db, and can be made anew."""
