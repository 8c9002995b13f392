"""Keys of makers, and the environment of the engine that Magpie starts itself."""

from pathlib import Path

import pytest

from tests.end_to_end.test_canary import CANARY
from tests.fakes.openai import FakeOpenAI
from tests.fakes.planted import OF_ENVIRONMENT, run_magpie
from tests.fakes.site import Site


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_the_embedded_engine_is_given_no_key(small_weights_dir: Path) -> None:
    own = {"backend": "embedded", "model": "embedded:0.5b", "max_tokens": 16, "data_dir": str(small_weights_dir)}
    bare = {"rag": {"enabled": False}, "tools_enabled": False, "request_timeout": 300}
    (folder := small_weights_dir / "home").mkdir()
    async with Site() as site, FakeOpenAI() as server:
        runs = [("--json", "Say hello.")]
        left = await run_magpie(folder, own | bare, (server, site), runs, servers={}, own=(), BANK_TOKEN=CANARY)
    assert left.code == 0, left.said
    engines = [command for command in left.children if "chatbot.models.embedded.engine_process" in command]
    assert engines and all(b"PATH=" in left.children[command] for command in engines)
    left.files |= {str(path): path.read_bytes() for path in small_weights_dir.rglob("*.log*")}
    assert left.places_of(CANARY, *OF_ENVIRONMENT.values()) == []
