"""An MCP server over stdio that reads a file of notes and keeps others: `mcp_notes.py NOTES KEPT`."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("notes")
notes, kept = map(Path, sys.argv[1:])


@server.tool()
def read() -> str:
    """Read the notes."""
    return notes.read_text(encoding="utf-8", errors="surrogatepass")


@server.tool()
def keep(text: str) -> str:
    """Keep a note."""
    with kept.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")
    return "Kept."


if __name__ == "__main__":
    server.run("stdio")
