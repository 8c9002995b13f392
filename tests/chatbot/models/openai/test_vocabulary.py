"""Tokens are counted by the vocabulary of the model, and a key that the settings name goes to their server."""

from pathlib import Path

import pytest

from chatbot.models.counting.vocabulary import load_encoding
from chatbot.models.openai.endpoints import destination
from chatbot.models.openai.provider import OpenAIProvider
from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelSurroundings
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.openai import FakeOpenAI
from tests.fakes.vocabulary import tiny_vocabulary
from utils.network.access import NetworkAccess

__all__ = ["tiny_vocabulary"]


@pytest.mark.parametrize("there", [True, False])
async def test_a_model_counts_by_its_vocabulary_or_says_that_it_estimates(
    tmp_path: Path, tiny_vocabulary: bytes, there: bool
) -> None:
    load_encoding.cache_clear()
    if there:
        (tmp_path / "o200k_base.tiktoken").write_bytes(tiny_vocabulary)
    async with FakeOpenAI(listed=[{"id": "gpt-4o-mini"}]) as server:
        settings = OpenAISettings(base_url=server.base_url, vocabulary_folder=tmp_path)
        around = ModelSurroundings(tmp_path, Generation(request_timeout=5), NetworkAccess(), ModelState(tmp_path))
        provider = OpenAIProvider(settings, around)
        model = provider.open(await provider.find_model("openai:gpt-4o-mini"))
        told = (await model.describe()).estimated
        counted = await model.count_tokens("hello the world, hello the world")
        await model.close()
        await provider.close()
    load_encoding.cache_clear()
    assert told == ("" if there else f"Tokens are estimated, for o200k_base.tiktoken is not in {tmp_path}.")
    assert (counted == 8) is there


def test_the_key_that_the_settings_name_for_an_address_goes_there_and_not_the_one_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    path = tmp_path / "key"
    path.touch(mode=0o600)
    path.write_text("of-the-settings")
    both = OpenAISettings(base_url="https://models.example/v1", key_file=str(path))
    keys = [destination("https://models.example/v1", one, 5).key for one in (both, OpenAISettings(key_file=str(path)))]
    assert keys == ["of-the-settings", "of-the-environment"]
