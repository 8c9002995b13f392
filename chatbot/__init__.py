"""Magpie: a local-first assistant that looks things up and cites its sources."""

__version__ = "0.1.0"
SERVER_PORT = 8765
"""Where the MCP server listens over HTTP unless it is told otherwise."""
