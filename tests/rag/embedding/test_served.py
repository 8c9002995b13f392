"""A model behind a server gives vectors or one sentence, whatever comes back from there."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag.embedding.backends import open_embedder
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.embedding.model_traits import find_traits
from rag.embedding.served.client import EmbeddingClient
from rag.embedding.served.embedder import ServedEmbedder
from rag.embedding.served.ollama import OLLAMA_WIRE
from rag.embedding.served.openai import OPENAI_WIRE
from rag.embedding.served.wire import EmbeddingWire, complete_base_url
from tests.fakes.embedder import WordEmbedder
from tests.fakes.embedding_server import EmbeddingServer
from tests.fakes.ollama import Raw, as_json
from utils.errors import EmbedderUnavailable
from utils.network import api_client
from utils.network.access import NetworkAccess

WIRES = ["ollama", "openai"]


def served(
    server: EmbeddingServer, wire: str = "openai", model: str = "words", said: list[str] | None = None
) -> ServedEmbedder:
    url = server.url + ("/v1" if wire == "openai" else "")
    tell = said.append if said is not None else lambda text: None
    around = EmbedderSurroundings(Path("/nowhere"), NetworkAccess(), tell)
    embedder = open_embedder(EmbeddingChoice(wire, model, url), around)
    assert isinstance(embedder, ServedEmbedder)
    return embedder


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries wait no moment."""
    monkeypatch.setattr("utils.network.retries.FIRST_WAIT_SECONDS", 0.001)
    for variable in ("OPENAI_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("dimensions", [64, 3072])
async def test_both_wires_give_unit_vectors_in_the_order_of_the_texts(wire: str, dimensions: int) -> None:
    async with EmbeddingServer(dimensions=dimensions) as server:
        embedder = served(server, wire)
        vectors = await embedder.embed(["one twig", "two nests", "one twig"])
        pieces = await embedder.embed_pieces(["two nests"])
        await embedder.close()
    expected = await WordEmbedder("words", dimensions).embed(["one twig", "two nests", "one twig"])
    assert vectors.dtype == np.float32 and vectors.shape == (3, dimensions)
    assert np.allclose(vectors, expected, atol=1e-6) and np.allclose(pieces[0][0], expected[1], atol=1e-6)
    assert server.sizes == [2, 1] and embedder.take_tokens() == 6 and embedder.take_tokens() == 0


async def test_many_texts_go_in_batches_that_are_bounded_by_number_and_by_characters() -> None:
    async with EmbeddingServer() as server:
        embedder = served(server)
        assert len(await embedder.embed_pieces([f"text {number}" for number in range(250)])) == 250
        await embedder.embed_pieces([f"{number} " + "word " * 700 for number in range(40)])
        await embedder.close()
    assert server.sizes[:3] == [100, 100, 50]
    assert all(sum(map(len, body["input"])) <= 100_000 for _, body in server.requests)


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("text-embedding-nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("bge-m3:latest", "", ""),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("text-embedding-3-large", "", ""),
        ("all-MiniLM-L6-v2", "", ""),
        ("somebodys-own", "", ""),
    ],
)
def test_what_stands_before_questions_and_passages_goes_by_the_models_name(
    model: str, question: str, passage: str
) -> None:
    assert (find_traits(model).question, find_traits(model).passage) == (question, passage)
    assert find_traits(model, "ask: ", "").question == "ask: " and find_traits(model, None, "").passage == ""


async def test_questions_and_passages_are_sent_with_what_the_model_wants_before_them() -> None:
    async with EmbeddingServer() as server:
        embedder = served(server, model="nomic-embed-text")
        await embedder.embed_questions(["who?"])
        await embedder.embed_pieces(["a nest"])
        await embedder.close()
        own = EmbeddingChoice("openai", "nomic-embed-text", f"{server.url}/v1", "", "Q: ", "")
        other = open_embedder(own, EmbedderSurroundings(Path("/nowhere"), NetworkAccess()))
        await other.embed_questions(["who?"])
        await other.close()
    assert server.texts == ["search_query: who?", "search_document: a nest", "Q: who?"]
    assert embedder.fingerprint != other.fingerprint and other.fingerprint == "nomic-embed-text@openai"


@pytest.mark.parametrize("wire", WIRES)
async def test_a_text_that_the_model_cannot_read_whole_is_sent_in_pieces_and_a_question_cut(wire: str) -> None:
    async with EmbeddingServer(reads=100) as server:
        embedder = served(server, wire)
        [pieces] = await embedder.embed_pieces(["nest twig mud " * 200])
        [vector] = await embedder.embed_questions(["nest twig mud " * 200])
        await embedder.close()
    assert len(pieces) >= 6 and vector.shape == (64,)
    sent = " ".join(server.texts)
    assert sent.count("mud") >= 200


async def test_a_server_that_refuses_everything_as_too_long_is_given_up() -> None:
    async with EmbeddingServer(reads=0) as server:
        embedder = served(server)
        with pytest.raises(EmbedderUnavailable, match="refuses even a few words as too long"):
            await embedder.embed_pieces(["a nest"])
        await embedder.close()


def rows(*vectors: object) -> Raw:
    return as_json({"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]})


HOSTILE: dict[str, tuple[Raw, str]] = {
    "html": (Raw((b"<html>Welcome</html>",), content_type="text/html"), "what is no JSON"),
    "no object": (as_json([1, 2]), "what is no JSON object"),
    "no vectors": (as_json({"object": "list"}), "answers with no vectors"),
    "nothing in them": (rows([], []), "answers with no vectors"),
    "one too few": (rows([1.0, 2.0]), "gave 1 vectors for 2 texts"),
    "one too many": (rows([1.0], [2.0], [3.0]), "gave 3 vectors for 2 texts"),
    "twice the same": (as_json({"data": [{"index": 0, "embedding": [1.0]}] * 2}), "answers with no vectors"),
    "not a number": (Raw((b'{"data": [{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}',)), "no numbers"),
    "infinite": (Raw((b'{"data": [{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}',)), "no numbers"),
    "null": (rows([1.0, None], [1.0, 2.0]), "no numbers"),
    "words": (rows(["a", "b"], ["c", "d"]), "no numbers"),
    "nested": (rows([[1.0]], [[2.0]]), "no numbers"),
    "zeros": (rows([0.0, 0.0], [1.0, 2.0]), "a vector of zeros"),
    "two lengths": (rows([1.0], [1.0, 2.0]), "vectors of different lengths"),
    "very long": (rows([1.0] * 70_000, [1.0] * 70_000), "vectors of 70,000 numbers"),
    "deep": (Raw((b"[" * 100_000,)), "what is no JSON"),
    "key refused": (as_json({"error": {"message": "Incorrect API key: sk-secret"}}, 401), "refuses the key"),
    "no such model": (as_json({"error": "model 'words' not found"}, 404), "no embedding model 'words'"),
    "not its task": (as_json({"error": {"message": "This server does not support embeddings"}}, 501), "status 501"),
    "no quota": (
        as_json({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, 429),
        "You exceeded your quota",
    ),
    "a redirect": (Raw((b"",), 302), "status 302"),
    "cut": (Raw((b'{"data": [',), cut=True), "cannot be asked"),
}


@pytest.mark.parametrize("mode", list(HOSTILE))
async def test_what_cannot_be_used_is_told_in_one_sentence_and_the_next_request_is_answered(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, told = HOSTILE[mode]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setattr("rag.embedding.served.embedder.UNREACHABLE_SECONDS", 0.0)
    async with EmbeddingServer([answer] * (5 if mode == "cut" else 1)) as server:
        # It is this server's.
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        embedder = served(server)
        with pytest.raises(EmbedderUnavailable, match=told) as failure:
            await embedder.embed_pieces(["one", "two"])
        assert failure.value.remedy and "sk-secret" not in str(failure.value) and "\n" not in str(failure.value)
        assert len(await embedder.embed_pieces(["one", "two"])) == 2
        await embedder.close()


async def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_client, "MAX_API_ANSWER", 100_000)
    async with EmbeddingServer([Raw((b"[" * 10_000,) * 20)] * 5) as server:
        embedder = served(server)
        with pytest.raises(EmbedderUnavailable, match="cannot be asked"):
            await embedder.embed_questions(["one"])
        await embedder.close()


async def test_a_model_that_changes_its_dimension_is_told() -> None:
    async with EmbeddingServer([None, rows([1.0, 2.0])]) as server:
        embedder = served(server)
        await embedder.embed_questions(["one"])
        with pytest.raises(EmbedderUnavailable, match="vectors of 2 numbers where they had 64 before"):
            await embedder.embed_questions(["two"])
        await embedder.close()


async def test_a_server_that_has_much_to_do_is_asked_again_and_each_wait_is_told() -> None:
    said: list[str] = []
    busy = as_json({"error": {"message": "Rate limit reached"}}, 429)
    async with EmbeddingServer([busy, Raw((b"",), 503), Raw((b'{"data"',), cut=True)]) as server:
        embedder = served(server, said=said)
        assert len(await embedder.embed_pieces(["one"])) == 1
        await embedder.close()
    assert [sentence.partition(":")[0] for sentence in said] == [
        "127.0.0.1 cannot embed now (status 429)",
        "127.0.0.1 cannot embed now (status 503)",
        "127.0.0.1 broke off while it embedded",
    ]


async def test_a_question_is_asked_once_and_a_server_that_is_down_left_alone_for_a_while() -> None:
    async with EmbeddingServer([Raw((b"",), 503)]) as server:
        embedder = served(server)
        with pytest.raises(EmbedderUnavailable, match="status 503"):
            await embedder.embed_questions(["one"])
        url = server.url
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match=f"{url}/v1 cannot be asked"):
            await embedder.embed_questions(["one"])
    await embedder.close()


async def test_many_questions_have_for_each_request_what_one_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.embedding.served.embedder.QUESTION_SECONDS", 3.0)
    async with EmbeddingServer() as server:
        server.scripted = [lambda texts: replace(server.openai_answer(texts), before=1.2)] * 3
        embedder = served(server)
        assert (await embedder.embed_questions([f"question {number}" for number in range(250)])).shape == (250, 64)
        await embedder.close()
    assert server.sizes == [100, 100, 50]


async def test_offline_nothing_is_asked_of_another_machine() -> None:
    reach = NetworkAccess(offline=True)
    choice = EmbeddingChoice("openai", "words", "https://api.example.com/v1")
    embedder = open_embedder(choice, EmbedderSurroundings(Path("/nowhere"), reach))
    assert embedder.host == "api.example.com"
    with pytest.raises(EmbedderUnavailable, match=r"^api\.example\.com embeds the library, and Magpie is offline\."):
        await embedder.embed_questions(["one"])
    await embedder.close()


async def test_the_key_goes_with_the_request_and_not_where_others_could_read_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    key = tmp_path / "key"
    key.write_text("sk-secret\n")
    key.chmod(0o600)
    async with EmbeddingServer() as server:
        choice = EmbeddingChoice("openai", "words", f"{server.url}/v1", str(key))
        embedder = open_embedder(choice, EmbedderSurroundings(tmp_path, NetworkAccess()))
        await embedder.embed_questions(["one"])
        await embedder.close()
    assert server.headers[0]["authorization"] == "Bearer sk-secret"
    open_to_all = EmbeddingChoice("openai", "words", "http://api.example.com/v1", str(key))
    asked = EmbeddingClient(OPENAI_WIRE, "words", open_to_all, EmbedderSurroundings(tmp_path, NetworkAccess()))
    assert "authorization" not in asked._make_client().headers


@pytest.mark.parametrize(
    ("wire", "url", "completed"),
    [
        (OPENAI_WIRE, "", "https://api.openai.com/v1"),
        (OPENAI_WIRE, "127.0.0.1:1234", "http://127.0.0.1:1234/v1"),
        (OPENAI_WIRE, "https://box.test/", "https://box.test/v1"),
        (OPENAI_WIRE, "https://box.test/openai/v2/", "https://box.test/openai/v2"),
        (OLLAMA_WIRE, "box:11434", "http://box:11434"),
        (OLLAMA_WIRE, "https://box.test/ollama", "https://box.test/ollama"),
    ],
)
def test_a_base_url_is_completed_by_what_people_leave_out(wire: EmbeddingWire, url: str, completed: str) -> None:
    assert complete_base_url(wire, url) == completed


async def test_a_key_named_beside_an_address_goes_there_and_not_the_environments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    key = tmp_path / "key"
    key.write_text("of-this-server")
    key.chmod(0o600)
    async with EmbeddingServer() as server:
        choice = EmbeddingChoice("openai", "words", server.url, str(key))
        embedder = open_embedder(choice, EmbedderSurroundings(tmp_path, NetworkAccess()))
        await embedder.embed_questions(["one"])
        await embedder.close()
    assert server.headers[0]["authorization"] == "Bearer of-this-server"


@pytest.mark.parametrize(("wire", "variable"), [("openai", "OPENAI_API_KEY"), ("ollama", "OLLAMA_API_KEY")])
async def test_a_key_of_the_environment_goes_to_its_own_server_and_to_no_other(
    monkeypatch: pytest.MonkeyPatch, wire: str, variable: str
) -> None:
    monkeypatch.setenv(variable, "sk-secret")
    beside = {"openai": "OPENAI_BASE_URL", "ollama": "OLLAMA_HOST"}[wire]
    monkeypatch.delenv(beside, raising=False)
    async with EmbeddingServer([as_json({"error": "no key"}, 401)]) as server:
        embedder = served(server, wire)
        with pytest.raises(EmbedderUnavailable, match=f"that in {variable} is another server's") as failure:
            await embedder.embed_questions(["one"])
        assert failure.value.remedy == "Name the file of its key in rag.embedding_key_file."
        await embedder.close()
        assert "authorization" not in server.headers[0]
        monkeypatch.setenv(beside, server.url.removeprefix("http://"))
        embedder = served(server, wire)
        await embedder.embed_questions(["one"])
        await embedder.close()
        assert server.headers[1]["authorization"] == "Bearer sk-secret"


async def test_that_a_server_is_down_is_told_without_what_the_library_does_then() -> None:
    async with EmbeddingServer() as server:
        embedder = served(server)
    with pytest.raises(EmbedderUnavailable, match="cannot be asked") as failure:
        await embedder.embed_questions(["one"])
    assert failure.value.remedy == "Check that it runs, and rag.embedding_base_url."
    await embedder.close()


async def test_a_base_url_that_is_none_is_told() -> None:
    choice = EmbeddingChoice("openai", "words", "not an address")
    embedder = open_embedder(choice, EmbedderSurroundings(Path("/nowhere"), NetworkAccess()))
    with pytest.raises(EmbedderUnavailable, match=r"^rag\.embedding_base_url cannot be used.*rag\.embedding_key_file"):
        await embedder.embed_questions(["one"])


def test_the_languages_of_a_model_go_by_its_name() -> None:
    assert find_traits("nomic-embed-text").english and not find_traits("bge-m3").english
