"""`magpie serve` as a process: it says where it serves, and ends cleanly."""

import asyncio
from pathlib import Path

import httpx

from chatbot.frontends.http_api.person_tokens import PersonTokens
from tests.fakes.mcp_client import PATIENCE, left_over, started


async def test_it_says_where_it_serves_and_ends_when_told_to_although_a_client_listens(tmp_path: Path) -> None:
    token = PersonTokens(tmp_path).add("")
    process = await started(tmp_path, "serve", "--port", "0", "--require-token", MAGPIE_BACKEND="ollama")
    try:
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), PATIENCE)).decode().strip()
        assert line.startswith("Magpie serves http://127.0.0.1:") and line.endswith(" to clients that send a token")
        url = line.split(" ")[2]
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE) as client:
            assert (await client.get("/api/health")).json()["status"] == "ok"
            assert (await client.get("/api/sessions")).status_code == 401
            assert (await client.get("/api/sessions", headers=headers)).json() == {"sessions": []}
            # No model is there: that is said, and the server goes on.
            asked = await client.post("/api/chat", json={"message": "When?", "stream": False}, headers=headers)
            assert asked.json()["events"][-1]["event"] == "error"
            process.terminate()
            out, aside = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert (process.returncode, out, b"Traceback" in aside) == (0, b"", False)
        assert left_over(process) == []
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
