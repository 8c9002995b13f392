"""A server that embeds over real HTTP on loopback, as Ollama does and as OpenAI does; its model knows words."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.fakes.embedder import WordEmbedder
from tests.fakes.ollama import FakeOllama, Raw, as_json

Scripted = Raw | Callable[[list[str]], Raw]


class EmbeddingServer(FakeOllama):
    """`async with EmbeddingServer() as server:` gives `server.url`; that of OpenAI's wire is `server.url + "/v1"`.

    `scripted` answers are used up first, one a request; None in it stands for an ordinary one. A text of more than
    `reads` words is refused as the servers refuse it.
    """

    def __init__(
        self, scripted: Sequence[Scripted | None] = (), dimensions: int = 64, reads: int = 10_000, name: str = "words"
    ) -> None:
        super().__init__(paths={"/api/embed": self._by_ollama, "/v1/embeddings": self._by_openai})
        self.scripted = list(scripted)
        self.reads = reads
        self.model = WordEmbedder(name, dimensions)

    @property
    def texts(self) -> list[str]:
        """All texts that came, in their order."""
        return [text for _, body in self.requests for text in body.get("input", ())]

    @property
    def sizes(self) -> list[int]:
        """How many came with each request."""
        return [len(body["input"]) for _, body in self.requests]

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        # Not of length 1: what needs that makes it so.
        return [(3 * self.model._vector(text)).tolist() for text in texts]

    def _by_ollama(self, body: dict[str, Any]) -> Raw:
        refusal = as_json({"error": "the input length exceeds the context length"}, 400)
        return self._embed(body, refusal, self.ollama_answer)

    def _by_openai(self, body: dict[str, Any]) -> Raw:
        words = "This model's maximum context length is 8192 tokens, however you requested 9000 tokens"
        refusal = as_json({"error": {"message": words, "type": "invalid_request_error", "code": None}}, 400)
        return self._embed(body, refusal, self.openai_answer)

    def _embed(self, body: dict[str, Any], refusal: Raw, answer: Callable[[list[str]], Raw]) -> Raw:
        texts = body["input"]
        if self.scripted and (scripted := self.scripted.pop(0)) is not None:
            return scripted if isinstance(scripted, Raw) else scripted(texts)
        return refusal if any(len(text.split()) > self.reads for text in texts) else answer(texts)

    def ollama_answer(self, texts: Sequence[str]) -> Raw:
        tokens = sum(len(text.split()) for text in texts)
        return as_json({"model": "words", "embeddings": self.vectors(texts), "prompt_eval_count": tokens})

    def openai_answer(self, texts: Sequence[str]) -> Raw:
        tokens = sum(len(text.split()) for text in texts)
        rows = [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(self.vectors(texts))
        ]
        # The order of the answer is not that of the texts: the index is.
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return as_json({"object": "list", "data": rows[::-1], "model": "words", "usage": usage})
