"""Folders that the library follows: what changed in them is noticed, and waits until it is quiet."""
