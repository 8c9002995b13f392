"""How fast the MCP server starts, against the SDK's bare server in the same run, and how fast a client is answered."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
MAIN = str(ROOT / "main.py")
BARE = """
import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import ListToolsResult

async def tools(context, params):
    return ListToolsResult(tools=[])

async def main():
    server = Server("bare", on_list_tools=tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
"""
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
INDEXED = ("README.md", "CHANGELOG.md", "docs/*.md", "chatbot/**/*.py", "rag/**/*.py", "tools/**/*.py", "utils/*.py")
SUBJECTS = ("the library", "a search", "an answer", "the model", "a page", "the embedder", "a chunk", "the settings")
QUESTIONS = tuple(f"{how} {what}?" for how in ("how is", "what closes", "who opens", "when fails") for what in SUBJECTS)
ASIDE = 20
"""Searches that are not counted: indexes are opened meanwhile."""


class Server:
    """A server as a child, spoken to over bare pipes."""

    def __init__(self, *command: str, data: Path) -> None:
        environment = os.environ | {"MAGPIE_DATA_DIR": str(data), "MAGPIE_CONFIG": ""}
        self._process = subprocess.Popen(
            [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=ROOT
        )
        self._number = 0

    def __enter__(self) -> "Server":
        self.ask("initialize", INITIALIZE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.communicate(timeout=60)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request."""
        assert self._process.stdout
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        result: dict[str, Any] = json.loads(self._process.stdout.readline())["result"]
        return result

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=9, help="starts of each server")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        measure_start(data, options.times)
        ingest = [sys.executable, MAIN, "rag", "ingest", *INDEXED]
        subprocess.run(ingest, env=os.environ | {"MAGPIE_DATA_DIR": folder, "MAGPIE_CONFIG": ""}, cwd=ROOT, check=True)
        measure_searches(data)


def measure_start(data: Path, times: int) -> None:
    """Seconds until the tools are listed, the two servers by turns."""
    spent: dict[str, list[float]] = {"bare server": [], "magpie mcp": []}
    for _ in range(times):
        for name, command in (("bare server", ("-c", BARE)), ("magpie mcp", (MAIN, "mcp"))):
            began = time.perf_counter()
            with Server(*command, data=data) as server:
                server.ask("tools/list", {})
                spent[name].append(time.perf_counter() - began)
    for name, seconds in spent.items():
        print(f"{name:12} fastest {min(seconds):.2f} s, median {statistics.median(seconds):.2f} s", flush=True)


def measure_searches(data: Path) -> None:
    """Milliseconds of a search over the pipes, in each mode, and of the first ones in a new process."""
    with Server(MAIN, "mcp", data=data) as server:
        server.ask("tools/list", {})
        for which in ("first", "second"):
            began = time.perf_counter()
            server.call("search_library", query="where are settings kept?")
            print(f"{which} search  {(time.perf_counter() - began) * 1000:.0f} ms", flush=True)
        for mode in ("bm25", "vector", "hybrid"):
            spent = []
            for number in range(ASIDE + 200):
                query = f"{QUESTIONS[number % len(QUESTIONS)]} {number}"
                began = time.perf_counter()
                server.call("search_library", query=query, mode=mode)
                spent.append((time.perf_counter() - began) * 1000)
            median, slow = np.quantile(spent[ASIDE:], [0.5, 0.95])
            print(f"{mode:6} search  median {median:.1f} ms, 95 % within {slow:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
