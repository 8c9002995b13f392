"""The chat's side of MCP servers: their tools, prompts and resources."""
