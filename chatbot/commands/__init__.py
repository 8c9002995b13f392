"""Slash commands: one function each, the same for every front end."""
