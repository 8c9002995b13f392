"""Conversations found by their words."""
