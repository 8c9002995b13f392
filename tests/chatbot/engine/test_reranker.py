from pathlib import Path

from chatbot.config import Config, Configuration
from chatbot.conversation.events import Notice
from chatbot.conversation.usage import Usage
from chatbot.engine.model_choice import SideModels
from chatbot.engine.reranker import make_model_reranking, make_reranking
from chatbot.history.entries import Spent
from chatbot.history.settings import HistorySettings
from chatbot.models.base import LanguageModel, ModelInfo, WordShares
from rag.documents import Document, Passage
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel
from tests.fakes.site_app import running_chat
from utils.network.access import NetworkAccess

PASSAGES = [Passage("one", "/1", "", "file", score=2.0), Passage("two", "/2", "", "file", score=1.0)]
BIRDS = [
    Document("/magpie.md", "Magpies", "Magpies build domed nests.", "file"),
    Document("/heron.md", "Herons", "Herons build flat nests.", "file"),
]


async def other(name: str) -> LanguageModel:
    return ScriptedModel([], info=ModelInfo(name, "scripted", 4096))


def test_without_a_setting_there_is_no_reranker():
    assert make_reranking(Config(), print, NetworkAccess()) is None
    assert SideModels(Config(), lambda: ScriptedModel([]), other).judging is None
    assert make_model_reranking(RagSettings(), None, print) is None


async def test_a_named_model_judges_in_the_place_of_the_one_that_answers_and_so_for_titles_and_searches():
    own = ScriptedModel([])
    named = {"judge": {"backend": "embedded"}, "small": {"backend": "embedded"}}
    rag = RagSettings(reranker="judge", rewrite_model="small")
    config = Config(models=named, rag=rag, history=HistorySettings(title_model="small"))
    side = SideModels(config, lambda: own, other)
    assert make_reranking(config, print, NetworkAccess()) is None
    assert side.judging is not None
    names = [(await model().describe()).name for model in (side.judging, side.rewriting, side.titles)]
    assert names == ["judge", "small", "small"]
    plain = SideModels(Config(rag=RagSettings(reranker="model")), lambda: own, other)
    assert plain.judging is not None
    assert all(model().model is own for model in (plain.judging, plain.titles, plain.rewriting, plain.lines))
    assert make_reranking(Config(rag=RagSettings(reranker="model")), print, NetworkAccess()) is None
    assert make_reranking(Config(rag=RagSettings(reranker="cross-encoder/x")), print, NetworkAccess()) is not None


async def test_what_titles_searches_and_ranking_take_is_told_with_what_it_was_for():
    spent: list[Spent] = []

    async def spend(one: Spent) -> None:
        spent.append(one)

    took = Usage(90, 40, 3)
    own = ScriptedModel([], side_usage=took)
    side = SideModels(Config(rag=RagSettings(reranker="model")), lambda: own, other, spend)
    assert side.judging is not None
    await side.judging().weigh_words([], ("yes", "no"))
    for model in (side.titles, side.rewriting, side.lines):
        await model().fill_schema([], {})
    told = [Spent(took, "scripted", purpose) for purpose in ("ranking", "titles", "searches", "summaries")]
    assert spent == told


async def test_the_chat_model_that_judges_is_the_one_of_the_moment():
    class Prefers(ScriptedModel):
        def __init__(self, word: str) -> None:
            super().__init__([])
            self.word = word

        async def weigh_words(self, messages, words):
            share = 0.75 if f">\n{self.word}" in messages[-1].content else 0.25
            return WordShares({"yes": share, "no": 1 - share})

    models: list[LanguageModel] = [Prefers("two")]
    told: list[str] = []
    reranking = make_model_reranking(RagSettings(), lambda: models[-1], told.append)
    assert reranking is not None
    first = await reranking.order("q", PASSAGES)
    models.append(Prefers("one"))
    second = await reranking.order("q", PASSAGES)
    assert [[p.source for p in found] for found in (first, second)] == [["/2", "/1"], ["/1", "/2"]]
    assert told == []


async def test_in_a_chat_a_reranker_that_fails_is_a_notice_once(tmp_path: Path):
    library = await Library.open(tmp_path, RagSettings(), WordEmbedder())
    await library.add_all(BIRDS)
    await library.close()
    config = Config(data_dir=tmp_path, rag=RagSettings(reranker=str(tmp_path / "none"), search_mode="bm25"))
    async with running_chat(Configuration(config, tmp_path / "config.json", {})) as running:
        found = running.chat.library
        assert found is not None
        searches = [await found.search("domed nests", options=SearchOptions(relevant_only=False)) for _ in "ab"]
    assert [[p.source for p in found] for found in searches] == [["/magpie.md", "/heron.md"]] * 2
    notices = [running.notices.get_nowait() for _ in range(running.notices.qsize())]
    # That the library is embedded anew is said as well: what embedded it here is not what the chat has.
    failed = [notice for notice in notices if "not reranked" in str(notice)]
    assert [(type(notice), getattr(notice, "level", "")) for notice in failed] == [(Notice, "warning")]
    assert "Results are not reranked. There is no reranker" in str(failed[0])
