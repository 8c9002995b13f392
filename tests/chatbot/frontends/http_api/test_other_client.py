"""A chat client of another project, `llm`, as a process of its own that knows of Magpie what its configuration says."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.api_server import RunningApi, configured, running_api
from tests.fakes.app import PAGE

ANSWER = f"It leaves at nine [1].\n\nSources:\n\n- [1] {PAGE.title}: {PAGE.source}"
QUESTION = ("-m", "magpie", "When does the ferry leave?")


async def run_llm(home: Path, *arguments: str) -> str:
    """What the client prints, whose user has no other folder."""
    environment = {"HOME": str(home), "LLM_USER_PATH": str(home), "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    command = (sys.executable, "-m", "llm", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, cwd=home, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    out, aside = await process.communicate()
    assert (process.returncode, aside.decode()) == (0, "")
    return out.decode().strip()


def configure_llm(home: Path, api: RunningApi) -> None:
    """Tell it of Magpie as its manual says."""
    entry = {"model_id": "magpie", "model_name": "magpie", "api_base": f"{api.url}/v1", "api_key_name": "magpie"}
    (home / "extra-openai-models.yaml").write_text(yaml.safe_dump([entry]))
    (home / "keys.json").write_text(json.dumps({"magpie": api.service.tokens.add("ann")}))


async def test_a_chat_client_of_others_is_answered_with_sources_streaming_and_whole(tmp_path: Path) -> None:
    home, data = tmp_path / "home", tmp_path / "data"
    home.mkdir()
    data.mkdir()
    async with running_api(configured(data, **{"serve.sources_in_text": True})) as api:
        configure_llm(home, api)
        assert await run_llm(home, *QUESTION) == ANSWER
        # It sends along what was said before, and so it is a conversation.
        assert await run_llm(home, "-c", "--no-stream", "And the price?") == ANSWER
        said = [message.content for message in api.engine.opened[-1].agent.conversation.messages]
        assert said[:3] == [QUESTION[-1], ANSWER, "And the price?"]
    streamed, whole = await logged_replies(home)
    assert (streamed["object"], streamed["content"]) == ("chat.completion.chunk", ANSWER)
    [annotation] = whole["choices"][0]["message"]["annotations"]
    assert annotation["url_citation"]["url"] == PAGE.source
    assert [one["text"] for one in whole["magpie"]["sources"]] == [PAGE.text]


async def logged_replies(home: Path) -> list[dict[str, Any]]:
    """What it keeps of each reply in its own log."""
    return [one["response_json"] for one in json.loads(await run_llm(home, "logs", "list", "--json", "-n", "2"))]
