"""The ways to an MCP server, and their limits."""
