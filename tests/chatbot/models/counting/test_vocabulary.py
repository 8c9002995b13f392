"""Tokens of OpenAI's models are counted where their vocabulary is on this disk; nothing is ever fetched."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.models.counting import vocabulary
from chatbot.models.counting.token_estimate import estimate_tokens
from chatbot.models.counting.vocabulary import MAX_PIECE_CHARS, TokenVocabulary, load_encoding, split_pieces
from tests.fakes.places import ROOT
from tests.fakes.vocabulary import cache_name, tiny_vocabulary

__all__ = ["tiny_vocabulary"]

HELLO = "hello the world"
"""Three tokens of the tiny vocabulary."""


@pytest.fixture(autouse=True)
def _nothing_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    load_encoding.cache_clear()
    yield
    load_encoding.cache_clear()


@pytest.mark.parametrize("name", [cache_name(), "o200k_base.tiktoken"])
@pytest.mark.parametrize("where", ["named", "TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "temporary/data-gym-cache"])
async def test_a_vocabulary_is_found_where_the_user_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_vocabulary: bytes, where: str, name: str
) -> None:
    folder = tmp_path / where
    folder.mkdir(parents=True)
    (folder / name).write_bytes(tiny_vocabulary)
    if where.isupper():
        monkeypatch.setenv(where, str(folder))
    counter = TokenVocabulary("openai/gpt-4o-mini", folder if where == "named" else None)
    assert await counter.tell_estimate() == ""
    assert [await counter.count_tokens(text) for text in (HELLO, "", "<|end|>", "\ud800")] == [3, 0, 7, 3]


async def test_what_is_not_there_or_not_as_it_was_published_is_said_and_the_tokens_are_estimated(
    tmp_path: Path, tiny_vocabulary: bytes
) -> None:
    path = tmp_path / "o200k_base.tiktoken"
    told = {}
    for case in ("absent", "other", "folder"):
        if case == "other":
            path.write_bytes(tiny_vocabulary[:-9])
        if case == "folder":
            path.unlink()
            path.mkdir()
        counter = TokenVocabulary("gpt-4o", tmp_path)
        told[case] = await counter.tell_estimate()
        assert await counter.count_tokens(HELLO) == -(-estimate_tokens(HELLO) // 1)
    assert told == {
        "absent": f"Tokens are estimated, for o200k_base.tiktoken is not in {tmp_path}.",
        "other": f"Tokens are estimated, for {path} is not o200k_base.tiktoken as it was published.",
        "folder": f"Tokens are estimated, for {path} cannot be read: it is a folder.",
    }


async def test_a_model_of_others_has_no_vocabulary(tmp_path: Path, tiny_vocabulary: bytes) -> None:
    assert await TokenVocabulary("qwen3:8b", tmp_path).tell_estimate() == (
        "Tokens are estimated, for no vocabulary is known for qwen3:8b."
    )
    assert await TokenVocabulary("gpt-4", tmp_path).tell_estimate() == (
        "Tokens are estimated, for tiktoken has no vocabulary cl100k_base."
    )
    assert await TokenVocabulary("gpt2", tmp_path).tell_estimate() == (
        "Tokens are estimated, for its vocabulary is of a form that is not read here."
    )


@pytest.mark.parametrize("text", [" " * 1_500_000, "\n" * 200_000, "hello the world " * 20_000, "é" * 100_000])
async def test_a_long_text_is_counted_in_pieces(tmp_path: Path, tiny_vocabulary: bytes, text: str) -> None:
    pieces = list(split_pieces(text))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= MAX_PIECE_CHARS
    (tmp_path / "o200k_base.tiktoken").write_bytes(tiny_vocabulary)
    counted = await TokenVocabulary("gpt-4o", tmp_path).count_tokens(text)
    if text.startswith("hello"):
        assert counted == len(load_encoding("o200k_base", (tmp_path,)).encode_ordinary(text))


WATCHED = """
import asyncio, sys
from pathlib import Path
seen = []
asked = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen", "urllib.Request")
sys.addaudithook(lambda event, _: seen.append(event) if event in asked else None)
from chatbot.models.counting.vocabulary import TokenVocabulary

async def count():
    for model in ("gpt-4o", "gpt-4", "gpt-oss-20b", "text-davinci-003", "gpt2"):
        counter = TokenVocabulary(model)
        await counter.count_tokens("hello")
        print(await counter.tell_estimate())

asyncio.run(count())
print(seen, "requests" in sys.modules, list(Path(sys.argv[1]).iterdir()))
"""


def test_the_real_tiktoken_fetches_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(tmp_path)}
    code = [sys.executable, "-c", WATCHED, str(tmp_path)]
    done = subprocess.run(code, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=60)
    assert done.stdout.splitlines() == [
        f"Tokens are estimated, for o200k_base.tiktoken is not in {tmp_path}.",
        f"Tokens are estimated, for cl100k_base.tiktoken is not in {tmp_path}.",
        f"Tokens are estimated, for o200k_base.tiktoken is not in {tmp_path}.",
        f"Tokens are estimated, for p50k_base.tiktoken is not in {tmp_path}.",
        "Tokens are estimated, for its vocabulary is of a form that is not read here.",
        "[] False []",
    ], done.stderr


def test_what_tiktoken_would_load_itself_is_called_nowhere() -> None:
    from tiktoken import load
    from tiktoken_ext import openai_public

    copy = vocabulary.copy_of_published(lambda address, expected_hash: {})
    reached = [name for name, value in vars(copy).items() if getattr(value, "__module__", "") == load.__name__]
    assert reached == []
    assert openai_public.load_tiktoken_bpe is load.load_tiktoken_bpe
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "chatbot").rglob("*.py")]
    assert not any("get_encoding" in source or "encoding_for_model(" in source for source in sources)
