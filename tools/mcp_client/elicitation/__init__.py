"""What an MCP server asks a person during a call."""
