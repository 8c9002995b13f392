from collections.abc import Callable, Sequence

from rag.chunk_size import ChunkShape
from rag.documents import Document
from rag.embedding.base import Vectors
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.embedder import WordEmbedder
from tests.fakes.site import EXAMPLES
from tests.fakes.site_pages import ARTICLES, PDF_PAGES
from tools.web.fallback import SearchResult
from tools.web.ranking import RankedResult, Ranker, nearest_by_words
from utils.errors import EmbedderUnavailable


class NoEmbedder(WordEmbedder):
    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailable("The embedding model cannot be loaded.")

    async def make_counter(self) -> Callable[[str], int]:
        raise EmbedderUnavailable("The embedding model cannot be loaded.")


def result(title: str, snippet: str = "") -> SearchResult:
    return SearchResult(title, f"https://example.org/{title}", snippet)


async def test_results_are_ranked_by_the_question_and_know_the_query_too() -> None:
    results = [result("bread"), result("cheese", "blue cheese caves"), result("caves")]
    ranked = await Ranker(WordEmbedder()).rank_results("blue cheese caves", "bread", results)
    assert [r.result.title for r in ranked] == ["cheese", "caves", "bread"]
    assert [r.to_query > 0.9 for r in ranked] == [False, False, True]


async def test_without_an_embedder_results_keep_their_order_and_the_trouble_is_told() -> None:
    ranker = Ranker(NoEmbedder())
    results = [result("b"), result("a")]
    assert await ranker.rank_results("a", "a", results) == [RankedResult(r) for r in results]
    assert ranker.trouble == "The embedding model cannot be loaded."


async def test_without_an_embedder_passages_are_chosen_by_their_words() -> None:
    page = Document("s", "t", "\n\n".join(f"{word} " * 12 for word in ("alpha", "beta", "gamma")), "web")
    ranked = await Ranker(NoEmbedder(), ChunkShape(100, 0)).rank_passages("where is gamma?", page)
    assert [passage.text[:5] for passage in ranked.best] == ["gamma", "alpha", "beta "]
    assert [passage.chunk_index for passage in ranked.in_order] == [0, 1, 2]
    assert ranked.embedded is None


async def test_passages_are_cut_in_tokens_where_the_library_does_so() -> None:
    page, shape = Document("s", "t", "word " * 100, "web"), ChunkShape(30, 0, "tokens")
    passages = await Ranker(WordEmbedder(), shape).cut_document(page)
    assert [len(passage.text.split()) for passage in passages] == [30, 30, 30, 10]
    ranker = Ranker(NoEmbedder(), shape)
    assert [len(passage.text) for passage in await ranker.cut_document(page)] == [499]
    assert ranker.trouble == "The embedding model cannot be loaded."


async def test_passages_say_where_they_stand_in_their_document() -> None:
    page = Document("s", "t", "\n\n".join(f"{word} " * 12 for word in ("alpha", "beta")), "web", fetched="now")
    first = (await Ranker(WordEmbedder(), ChunkShape(100, 0)).rank_passages("beta", page)).best[0]
    assert page.text[first.start : first.end] == first.text
    assert (first.chunk_index, first.total_chunks, first.fetched, first.similarity > 0.9) == (1, 2, "now", True)


async def test_a_long_page_is_compared_only_where_the_rare_words_stand() -> None:
    embedder = WordEmbedder()
    text = "\n\n".join(f"part {number} of the filling words without end and so on" for number in range(500))
    page = Document("s", "t", f"{text}\n\nthe needle lies here at the very end of it all", "web")
    ranked = await Ranker(embedder, ChunkShape(100, 0)).rank_passages("where is the needle?", page)
    assert "needle" in ranked.best[0].text
    assert (len(ranked.in_order) > 400, len(embedder.texts) < 50) == (True, True)


async def test_a_passage_in_pieces_is_as_near_as_its_best_piece_and_lone_surrogates_harm_nothing() -> None:
    page = Document("s", "t \ud800", "many words that lead nowhere and then a needle \udfff", "web")
    ranker = Ranker(WordEmbedder(reach=4), ChunkShape(100, 0))
    [passage] = (await ranker.rank_passages("needle", page)).best
    assert passage.similarity > 0.4


def test_rare_words_count_more_and_no_words_keep_the_order() -> None:
    assert nearest_by_words("the cat", ["the dog", "a cat", "the cow", "the pig"], 4) == [1, 0, 2, 3]
    assert nearest_by_words("xyz", ["one", "two", "three"], 2) == [0, 1]
    assert nearest_by_words("xyz", [], 2) == []


async def test_minilm_puts_the_right_article_first(embedder: SentenceEmbedder) -> None:
    articles = {path: (title, paragraphs[0]) for path, (title, paragraphs) in ARTICLES.items()}
    articles["/guide.pdf"] = (PDF_PAGES[0][0], "")
    results = [SearchResult(title, f"http://site{path}", text) for path, (title, text) in articles.items()]
    ranker = Ranker(embedder)
    first = {}
    for question, _, path in EXAMPLES:
        first[path] = (await ranker.rank_results(question, question, results))[0].result.url
    assert first == {path: f"http://site{path}" for _, _, path in EXAMPLES}
