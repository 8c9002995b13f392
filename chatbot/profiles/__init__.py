"""Profiles: folders that say how a chat answers, read again when they change."""
