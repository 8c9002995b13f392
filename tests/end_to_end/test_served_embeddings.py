"""A library that a real server embeds: llama.cpp's own with the 0.5B's weights, by its OpenAI protocol."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatbot.config import Configuration, load_configuration
from chatbot.engine.network import make_reach
from chatbot.engine.retrieval import SharedRetrieval, open_retrieval
from rag.documents import Document
from rag.search.search import SearchOptions
from tests.fakes.places import ROOT

KEY = "of-this-test"
MAGPIES = Document("/birds/magpie.md", "Magpies", "Magpies build domed nests of twigs and mud.", "file")
HERONS = Document("/birds/heron.md", "Herons", "Herons stand still in shallow water and wait for fish.", "file")
TAXES = Document("/law/tax.md", "Taxes", "Income tax is due in April, value added tax every quarter.", "file")
# More than the 512 tokens that the server takes of a text, whatever Magpie's estimate of them is.
LONG = Document("/long.md", "Words", "antidisestablishmentarianism " * 160, "file")
NEAR = SearchOptions("vector", relevant_only=False)


@pytest.fixture
async def server(small_weights_dir: Path) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """The base URL of one that embeds and wants `KEY`, and its process."""
    [weights] = (small_weights_dir / "models").glob("*.gguf")
    arguments = ("-m", "tests.fakes.llama_embeddings", str(weights), KEY)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    assert process.stdout is not None
    yield (await process.stdout.readline()).decode().strip() + "/v1", process
    if process.returncode is None:
        process.kill()
    await process.wait()


def configure(folder: Path, url: str) -> Configuration:
    key = folder / "key"
    key.write_text(KEY)
    key.chmod(0o600)
    (folder / "config.json").write_text("{}")
    settings = {
        "data_dir": str(folder),
        "rag.embedding_backend": "openai",
        "rag.embedding_model": "qwen",
        "rag.embedding_base_url": url,
        "rag.embedding_key_file": str(key),
        "rag.chunk_size": 5_000,
    }
    return load_configuration(folder / "config.json", settings, {})


async def open_with(configuration: Configuration, said: list[str]) -> SharedRetrieval:
    return await open_retrieval(configuration.values, make_reach(configuration.values), tell=said.append)


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_a_real_server_embeds_a_library_which_is_searched_by_words_once_that_is_gone(
    server: tuple[str, asyncio.subprocess.Process], tmp_path: Path
) -> None:
    url, process = server
    configuration, said = configure(tmp_path, url), list[str]()
    retrieval = await open_with(configuration, said)
    library = retrieval.library
    assert library is not None
    assert await library.add_all([MAGPIES, HERONS, TAXES, LONG]) == [1, 1, 1, 1]
    [nearest] = await library.search(MAGPIES.text, 1, NEAR)
    assert nearest.source == MAGPIES.source and nearest.similarity > 0.8
    [best] = await library.search("Who builds domed nests?", 1)
    assert best.source == MAGPIES.source
    assert (await library.examine()).findings == () and said == []
    [(model, tokens)] = (await library.count_tokens()).items()
    assert model == "qwen@openai" and tokens > 500
    [width] = {len(row) for row in await retrieval.embedders.library.embed(["a nest"])}
    assert width == 896
    process.kill()
    await process.wait()
    [best] = await library.search("When is value added tax due?", 1)
    assert best.source == TAXES.source
    assert len(said) == 1 and said[0].endswith("The library is searched by words alone.")
    await retrieval.close()
