"""Signing in to an MCP server."""
