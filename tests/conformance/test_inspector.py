"""The official inspector lists and calls what Magpie's server offers; `make conformance` fetches it."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, create_subprocess_exec
from pathlib import Path
from typing import Any

from tests.fakes.mcp_client import MAIN, environment, over_http
from tests.fakes.node import INSPECTOR, NODE, needs

PATIENCE = 100.0
TOOLS = ["search_library", "web_search", "read_page", "index_source", "library_stats"]
EMPTY = "rag_documents: 0 documents, 0 chunks,"

pytestmark = needs(INSPECTOR)


async def inspect(folder: Path, *arguments: str) -> Any:
    """What the inspector prints."""
    process = await create_subprocess_exec(
        *(NODE, INSPECTOR, "--cli", *arguments),
        cwd=folder,
        env=environment(folder),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        out, aside = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode == 0, aside.decode()
    return json.loads(out)


async def check_tools(folder: Path, *target: str) -> None:
    """The tools, and a call of one."""
    listed = await inspect(folder, *target, "--method", "tools/list")
    assert [one["name"] for one in listed["tools"]] == TOOLS
    called = await inspect(folder, *target, "--method", "tools/call", "--tool-name", "library_stats")
    assert called["isError"] is False
    assert called["content"][0]["text"].startswith(EMPTY)
    assert called["structuredContent"]["documents"] == 0


async def test_it_lists_and_calls_the_tools_over_standard_input_and_output(tmp_path: Path) -> None:
    given = [part for pair in environment(tmp_path).items() for part in ("-e", "=".join(pair))]
    await check_tools(tmp_path, *given, sys.executable, MAIN, "mcp")


async def test_over_http_it_gets_a_prompt_as_well(tmp_path: Path) -> None:
    async with over_http(tmp_path) as url:
        await check_tools(tmp_path, url)
        asked = ("--prompt-name", "answer_with_sources", "--prompt-args", "question=When does the ferry leave?")
        prompt = await inspect(tmp_path, url, "--method", "prompts/get", *asked)
        assert "When does the ferry leave?" in json.dumps(prompt["messages"])
