"""Magpie: a local-first assistant that looks things up and cites its sources."""

__version__ = "0.1.0"
