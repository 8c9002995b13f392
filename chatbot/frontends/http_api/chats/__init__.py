"""Answers under way: made once, heard by whoever asks for their events."""
