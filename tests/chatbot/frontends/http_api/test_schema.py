"""The API does what its document says: schemathesis makes requests of it, fitting and misfitting ones.

`make fuzz-api` runs more of them: API_CASES says how many of each path.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path
from typing import Any

import pytest

from chatbot.models.base import Done, Text
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.api_server import configured, running_api
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import USAGE, ScriptedModel

CASES = os.environ.get("API_CASES", "")
PHASES = ("examples,coverage,fuzzing", CASES) if CASES else ("examples,fuzzing", "10")
"""What is made, and how many of each path and method: 300 are some 10,000."""
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
RUN = "from schemathesis.cli import schemathesis; schemathesis()"


class EndlessModel(ScriptedModel):
    """Always has the same answer."""

    async def reply(self, *args: Any, **options: Any) -> Any:
        yield Text("It leaves at nine.")
        yield Done(USAGE)


async def test_no_request_finds_a_server_error_or_an_answer_that_the_document_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
    settings = {"serve.requests_per_minute": 1_000_000, "offline": True, "serve.max_chats": 100}
    async with running_api(configured(tmp_path, **settings), lambda _: EndlessModel([])) as api:
        fuzzing = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", RUN, "run", f"{api.url}/api/openapi.json"),
            *("--phases", PHASES[0], "--max-examples", PHASES[1], "--checks", ",".join(CHECKS)),
            # Tokens that are made up let nobody in.
            *("--header", f"Authorization: Bearer {api.service.tokens.add('')}"),
            # On a busy machine an answer may take its time.
            *("--request-timeout", "120", "--seed", "1", "--generation-database", "none"),
            *("--no-color", "--continue-on-failure"),
            stdout=PIPE,
            stderr=STDOUT,
            cwd=tmp_path,
        )
        printed, _ = await fuzzing.communicate()
        # How many there were, and of what: `make fuzz-api` shows it.
        told = printed.decode()
        sys.stdout.write(told[-4000:])
        assert "Authentication failed" not in told, "what was asked of some paths was not let in"
        assert fuzzing.returncode == 0, told[-8000:]
        assert api.service.answering.running == 0
