"""The one list of what can embed a library."""

from pathlib import Path

import pytest

from rag.embedding.backends import EMBEDDING_BACKENDS, open_embedder
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.embedding.selector import FastEmbedder
from rag.embedding.served.embedder import ServedEmbedder
from tests.fakes.embedder import WordEmbedder
from tests.fakes.places import ROOT
from utils.errors import LibraryError
from utils.network.access import NetworkAccess


@pytest.mark.parametrize(
    ("name", "kind", "fingerprint"),
    [
        ("local", FastEmbedder, "somebodys-own"),
        ("ollama", ServedEmbedder, "somebodys-own@ollama"),
        ("openai", ServedEmbedder, "somebodys-own@openai"),
    ],
)
def test_every_backend_is_opened_by_its_name_and_its_vectors_are_known_by_it(
    tmp_path: Path, name: str, kind: type, fingerprint: str
) -> None:
    embedder = open_embedder(EmbeddingChoice(name, "somebodys-own"), EmbedderSurroundings(tmp_path, NetworkAccess()))
    assert isinstance(embedder, kind) and embedder.fingerprint == fingerprint


def test_all_backends_and_no_others_are_in_the_settings_page() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    [line] = [line for line in page.splitlines() if "rag.embedding_backend" in line or "`embedding_backend`" in line]
    assert all(f"`{name}`" in line for name in EMBEDDING_BACKENDS) and sorted(EMBEDDING_BACKENDS) == [
        *("local", "ollama", "openai")
    ]


async def test_another_backend_is_one_entry_in_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_words(choice: EmbeddingChoice, around: EmbedderSurroundings) -> WordEmbedder:
        return WordEmbedder(choice.model)

    around = EmbedderSurroundings(Path("/nowhere"), NetworkAccess())
    with pytest.raises(LibraryError, match=r"Nothing called 'parrot' can embed the library.*local, ollama, openai"):
        open_embedder(EmbeddingChoice("parrot", "words"), around)
    monkeypatch.setitem(EMBEDDING_BACKENDS, "parrot", open_words)
    assert open_embedder(EmbeddingChoice("parrot", "words"), around).fingerprint == "words"
