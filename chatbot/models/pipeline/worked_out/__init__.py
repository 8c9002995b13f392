"""Answers that no model writes: what is read off and worked out of the tables of passages."""
