import hashlib
import shutil
from pathlib import Path

import pytest

from chatbot.models.embedded.engine_client import EngineClient
from chatbot.models.embedded.model import engine_for
from chatbot.models.embedded.prompt_cache import PromptStates
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.settings import Generation

pytestmark = pytest.mark.model


@pytest.fixture
async def client(small_engine_dir: Path):
    generation = Generation(temperature=0, seed=1, context_window=4096)
    engine = await engine_for(EmbeddedSettings(size="0.5b"), generation, small_engine_dir, lambda *_: None)
    client = EngineClient(engine, 60)
    yield client
    await client.close()


@pytest.fixture
def states(client: EngineClient) -> PromptStates:
    for file in client.engine.states_folder.glob("*"):
        file.unlink()
    return PromptStates(client.engine.states_folder, "engine")


def files(client: EngineClient) -> list[Path]:
    return sorted(client.engine.states_folder.glob("*.state"), key=lambda file: file.stat().st_mtime_ns)


async def test_a_prompt_is_read_once_and_restored_afterwards(client: EngineClient, states: PromptStates) -> None:
    assert await states.ensure_held(client, "Magpies collect what shines.") is False
    assert await states.ensure_held(client, "Magpies collect what shines.") is True
    assert (
        await PromptStates(client.engine.states_folder, "engine").ensure_held(client, "Magpies collect what shines.")
        is True
    )


async def test_how_far_a_prompt_is_read_is_told_to_its_end(client: EngineClient, states: PromptStates) -> None:
    told: list[tuple[int, int]] = []
    prompt = "Magpies collect what shines. " * 40
    assert await states.ensure_held(client, prompt, lambda done, total: told.append((done, total))) is False
    assert told[0] == (0, 1)
    assert told[-1] == (1, 1)
    assert any(0 < done < total for done, total in told)
    told.clear()
    assert await states.ensure_held(client, prompt, lambda done, total: told.append((done, total))) is True
    assert told == []


async def test_a_state_of_another_engine_or_prompt_is_not_used(client: EngineClient, states: PromptStates) -> None:
    await states.ensure_held(client, "Magpies collect what shines.")
    assert await states.ensure_held(client, "Magpies collect what glitters.") is False
    other = PromptStates(client.engine.states_folder, "other")
    assert await other.ensure_held(client, "Magpies collect what shines.") is False


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: data[:-9] + bytes(9), lambda _: b""]
)
async def test_a_damaged_state_is_dropped_and_made_anew(client: EngineClient, states: PromptStates, damage) -> None:
    await states.ensure_held(client, "Magpies collect what shines.")
    (file,) = files(client)
    sound = file.read_bytes()
    file.write_bytes(damage(sound))
    assert await states.ensure_held(client, "Magpies collect what shines.") is False
    assert file.stat().st_size == len(sound)
    assert await states.ensure_held(client, "Magpies collect what shines.") is True


async def test_a_state_that_the_engine_refuses_is_dropped(client: EngineClient, states: PromptStates) -> None:
    await states.ensure_held(client, "Magpies collect what shines.")
    (file,) = files(client)
    file.write_bytes(b"made by an older llama.cpp")
    file.with_suffix(".sha256").write_text(hashlib.sha256(file.read_bytes()).hexdigest())
    assert await states.ensure_held(client, "Magpies collect what shines.") is False
    assert await states.ensure_held(client, "Magpies collect what shines.") is True


async def test_the_oldest_states_make_room(client: EngineClient, states: PromptStates) -> None:
    await states.ensure_held(client, "Magpies collect what shines.")
    (first,) = files(client)
    small = PromptStates(client.engine.states_folder, "engine", limit=first.stat().st_size)
    await small.ensure_held(client, "Jays collect what shines.")
    assert len(files(client)) == 1
    assert first not in files(client)
    assert len(list(client.engine.states_folder.iterdir())) == 2


async def test_another_chat_keeps_its_cache(client: EngineClient, states: PromptStates) -> None:
    body = {"prompt": "A long chat about birds. " * 40, "n_predict": 1}
    for prompt in ("Magpies collect what shines.", "Jays collect what shines."):
        await states.ensure_held(client, prompt)
    await client.post("/completion", body)
    for prompt in ("Magpies collect what shines.", "Jays collect what shines."):
        assert await states.restore_prompt(client, prompt) is True
    timings = (await client.post("/completion", body))["timings"]
    assert timings["prompt_n"] == 1


async def test_a_new_engine_holds_every_prompt_that_was_restored(
    client: EngineClient, states: PromptStates, small_weights_dir: Path
) -> None:
    prompts = [f"{bird} collect what shines. " * 12 for bird in ("Magpies", "Jays", "Crows", "Ravens")]
    for prompt in prompts:
        await states.ensure_held(client, prompt)
    generation = Generation(temperature=0, seed=1, context_window=4096)
    fresh = await engine_for(EmbeddedSettings(size="0.5b"), generation, small_weights_dir, lambda *_: None)
    shutil.copytree(client.engine.states_folder, fresh.states_folder, dirs_exist_ok=True)
    other = EngineClient(fresh, 60)
    restored = PromptStates(fresh.states_folder, "engine")
    assert [await restored.restore_prompt(other, prompt) for prompt in prompts] == [True] * 4
    body = {"n_predict": 1, "cache_prompt": True}
    read = [(await other.post("/completion", body | {"prompt": prompt}))["timings"]["prompt_n"] for prompt in prompts]
    await other.close()
    assert read == [1, 1, 1, 1]
