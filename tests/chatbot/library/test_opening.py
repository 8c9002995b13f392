"""Which embedder the settings mean."""

from pathlib import Path

import pytest

from chatbot.config import load_configuration
from chatbot.library.opening import embedding_choice
from rag.embedding.choice import EmbeddingChoice

OWN = {"openai.base_url": "https://one.test/v1", "openai.key_file": "one.key"}


@pytest.mark.parametrize(
    ("settings", "choice"),
    [
        ({}, EmbeddingChoice("local", "all-MiniLM-L6-v2")),
        # The model that comes with Magpie is no server's; the server is that of the models of the backend.
        ({"rag.embedding_backend": "openai", **OWN}, EmbeddingChoice("openai", "", "https://one.test/v1", "one.key")),
        # Another server is not sent the key of the backend's.
        (
            {"rag.embedding_backend": "openai", "rag.embedding_base_url": "https://other.test/v1", **OWN},
            EmbeddingChoice("openai", "", "https://other.test/v1", ""),
        ),
        (
            {
                "rag.embedding_backend": "ollama",
                "rag.embedding_model": "bge-m3",
                "rag.embedding_base_url": "http://box:11434",
                "rag.embedding_key_file": "box.key",
                "rag.embedding_query_prefix": "",
            },
            EmbeddingChoice("ollama", "bge-m3", "http://box:11434", "box.key", ""),
        ),
    ],
)
def test_the_settings_say_which_model_of_which_server_embeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, object], choice: EmbeddingChoice
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "config.json").write_text("{}")
    configuration = load_configuration(tmp_path / "config.json", {"data_dir": str(tmp_path), **settings}, {})
    assert embedding_choice(configuration.values) == choice
