import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import Done, Piece, ReplyOptions
from chatbot.models.embedded.engine import EngineShare, EngineSpec
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.settings import Generation
from utils.errors import ModelUnavailable, ReplyBroken

pytestmark = pytest.mark.model
SMALL = EmbeddedSettings(size="0.5b")
REPEATABLE = Generation(temperature=0, seed=1, context_window=2048)
COUNT = [Message("user", "Count from 1 to 1000.")]
RULES = Message("system", "You are Magpie, who looks things up. " + "Say only what a source says. " * 30)
CLIENT = """
import asyncio, sys
from pathlib import Path
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.settings import Generation

async def main():
    generation = Generation(temperature=0, seed=1, context_window=2048)
    model = EmbeddedModel(EmbeddedSettings(size="0.5b"), generation, Path(sys.argv[1]))
    print((await model.describe()).name, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
async def own_model(small_weights_dir: Path) -> AsyncIterator[EmbeddedModel]:
    """A model whose engine no other test uses, ended at once afterwards."""
    model = EmbeddedModel(SMALL, REPEATABLE, small_weights_dir)
    yield model
    await model.close()
    for process in processes(small_weights_dir):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def processes(data_dir: Path) -> dict[int, int]:
    """Process and parent of each process of the engines of a data folder."""
    listing = subprocess.run(["ps", "-axwwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listing.splitlines() if f"engine_process {data_dir}/engine" in line]
    return {int(pid): int(parent) for pid, parent, _ in rows}


def server(data_dir: Path) -> int:
    """The process that runs llama.cpp: the one whose parent is the keeper."""
    running = processes(data_dir)
    return next(pid for pid, parent in running.items() if parent in running)


async def until_gone(data_dir: Path) -> None:
    async with asyncio.timeout(60):
        while processes(data_dir):
            await asyncio.sleep(0.2)


async def whole(model: EmbeddedModel, messages: list[Message], max_tokens: int = 4) -> list[Piece]:
    return [piece async for piece in model.reply(messages, options=ReplyOptions(max_tokens=max_tokens))]


async def test_a_second_magpie_shares_the_engine_until_the_last_is_killed(small_weights_dir: Path) -> None:
    arguments = [sys.executable, "-c", CLIENT, str(small_weights_dir)]
    with subprocess.Popen(arguments, cwd=Path.cwd(), stdout=subprocess.PIPE) as client:
        try:
            assert client.stdout
            await asyncio.to_thread(client.stdout.readline)
            running = processes(small_weights_dir)
            assert len(running) == 2
            second = EmbeddedModel(SMALL, REPEATABLE, small_weights_dir)
            await second.describe()
            assert processes(small_weights_dir) == running
            await second.close()
            assert processes(small_weights_dir) == running
        finally:
            client.kill()
    await until_gone(small_weights_dir)


async def test_an_engine_killed_in_mid_reply_is_one_error_and_the_next_reply_works(
    own_model: EmbeddedModel, small_weights_dir: Path
) -> None:
    model = own_model
    await model.warm_up([RULES])
    reply = model.reply(COUNT, options=ReplyOptions(max_tokens=1000))
    await anext(reply)
    os.kill(server(small_weights_dir), signal.SIGKILL)
    with pytest.raises(ReplyBroken, match="engine stopped in the middle of its reply"):
        async for _ in reply:
            pass
    done = (await whole(model, [RULES, Message("user", "Hi")]))[-1]
    assert isinstance(done, Done)
    assert done.usage.cached_tokens >= await model.count_tokens(RULES.content)
    assert list((small_weights_dir / "engine" / "states").glob("*.state"))


async def test_a_file_that_is_no_model_is_one_error_that_names_the_log(tmp_path: Path) -> None:
    (tmp_path / "bird.gguf").write_bytes(b"GGUF" + bytes(100))
    engine = EngineShare(tmp_path, EngineSpec(tmp_path / "bird.gguf", "digest", 1024, 1))
    with pytest.raises(ModelUnavailable, match=r"model bird stopped while it loaded\. Its log says why: /"):
        await engine.connect_engine()
    assert [log.stat().st_mode & 0o777 for log in tmp_path.glob("*.log")] == [0o600]


async def test_a_stranger_without_the_key_gets_no_lease(small_engine_dir: Path, small_model: EmbeddedModel) -> None:
    await small_model.describe()
    states = list((small_engine_dir / "engine").glob("*.json"))
    assert [state.stat().st_mode & 0o777 for state in states] == [0o600] * len(states)
    port = int(states[0].read_text().split('"port": ')[1].split(",")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"guess\n")
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_a_state_file_of_an_engine_that_is_gone_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "bird.gguf").write_bytes(b"GGUF")
    engine = EngineShare(tmp_path, EngineSpec(tmp_path / "bird.gguf", "digest", 1024, 1))
    stranger = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = stranger.sockets[0].getsockname()[1]
    (tmp_path / f"{engine.spec.name}.json").write_text(f'{{"port": {port}, "key": "k"}}')
    with pytest.raises(ModelUnavailable, match="stopped while it loaded"):
        await engine.connect_engine()
    stranger.close()
    await stranger.wait_closed()
