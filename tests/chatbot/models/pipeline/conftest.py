"""What tests of the pipeline share."""

import pytest

from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.embedding.sentence_model import SentenceEmbedder


@pytest.fixture(scope="session")
def minilm() -> EvidenceFinder:
    """Comparing by the embedding model that ships."""
    return EvidenceFinder(SentenceEmbedder())
