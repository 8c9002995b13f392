"""A vocabulary as tiktoken publishes them, of 300 tokens; and a tiktoken whose table has it."""

import base64
import hashlib
import sys
from pathlib import Path

import pytest

ADDRESS = "https://vocabularies.example/encodings/o200k_base.tiktoken"
WORDS = ("th", "the", " the", "er", " w", " wo", " wor", " worl", " world", "ll", "llo", "he", "hello", "\n\n")
TABLE = '''
"""In the place of tiktoken's table of vocabularies."""
from tiktoken.load import data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe


def o200k_base():
    ranks = load_tiktoken_bpe("{address}", expected_hash="{digest}")
    pattern = r"""\\s+(?!\\S)| ?[^\\s]+|\\s+"""
    return {{"name": "o200k_base", "pat_str": pattern, "mergeable_ranks": ranks, "special_tokens": {{"<|end|>": 999}}}}


def gpt2():
    return {{"mergeable_ranks": data_gym_to_mergeable_bpe_ranks("{address}", "{address}")}}


ENCODING_CONSTRUCTORS = {{"o200k_base": o200k_base, "gpt2": gpt2}}
'''


def vocabulary_file() -> bytes:
    """The lines of the file: every byte, then the words."""
    tokens = [bytes([byte]) for byte in range(256)] + [word.encode() for word in WORDS]
    return b"".join(base64.b64encode(token) + f" {rank}\n".encode() for rank, token in enumerate(tokens))


def cache_name() -> str:
    """The name of the file in tiktoken's cache."""
    return hashlib.sha1(ADDRESS.encode()).hexdigest()


def publish_vocabulary(folder: Path) -> None:
    """Write the table where Python finds it once the folder is on its path."""
    table = TABLE.format(address=ADDRESS, digest=hashlib.sha256(vocabulary_file()).hexdigest())
    (folder / "tiktoken_ext").mkdir()
    (folder / "tiktoken_ext" / "openai_public.py").write_text(table)


@pytest.fixture
def tiny_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The file of the vocabulary that tiktoken's table has as that of gpt-4o; it lies nowhere yet."""
    (tmp_path / "published").mkdir()
    publish_vocabulary(tmp_path / "published")
    # An imported table is found before any folder is looked into.
    for module in ("tiktoken_ext", "tiktoken_ext.openai_public"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(tmp_path / "published")
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    return vocabulary_file()
