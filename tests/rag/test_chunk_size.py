"""How long chunks are, by the settings that say it."""

import pytest

from rag.chunk_size import ChunkShape, chunk_shape
from rag.settings import RagSettings
from utils.settings import WrongSetting, read_settings


def test_chunks_in_tokens_share_fewer_of_them_unless_told_otherwise():
    assert RagSettings().chunk_shape == ChunkShape() == ChunkShape(500, 100, "characters")
    assert RagSettings(chunk_unit="tokens").chunk_shape == ChunkShape(500, 50, "tokens")
    assert RagSettings(chunk_unit="tokens", chunk_overlap=7).chunk_shape == ChunkShape(500, 7, "tokens")
    assert RagSettings(chunk_size=100).chunk_shape == ChunkShape(100, 20, "characters")
    assert chunk_shape(100, 0, "characters") == ChunkShape(100, 0, "characters")


def test_chunks_share_less_than_all_of_their_text():
    with pytest.raises(WrongSetting, match="must be less than chunk_size, which is 100"):
        read_settings(RagSettings, {"chunk_size": 100, "chunk_overlap": 100})
