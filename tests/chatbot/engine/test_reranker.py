from pathlib import Path

from chatbot.config import Config, Configuration
from chatbot.conversation.events import Notice
from chatbot.engine.reranker import make_model_reranking, make_reranking
from chatbot.models.base import LanguageModel
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


def test_without_a_setting_there_is_no_reranker():
    assert make_reranking(RagSettings(), print, NetworkAccess()) is None
    assert make_model_reranking(RagSettings(), lambda: ScriptedModel([]), print) is None


async def test_the_chat_model_that_judges_is_the_one_of_the_moment():
    class Prefers(ScriptedModel):
        def __init__(self, word: str) -> None:
            super().__init__([])
            self.word = word

        async def weigh_words(self, messages, words):
            share = 0.75 if f">\n{self.word}" in messages[-1].content else 0.25
            return {"yes": share, "no": 1 - share}

    models: list[LanguageModel] = [Prefers("two")]
    told: list[str] = []
    reranking = make_model_reranking(RagSettings(reranker="model"), lambda: models[-1], told.append)
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
    assert [(type(notice), getattr(notice, "level", "")) for notice in notices] == [(Notice, "warning")]
    assert "Results are not reranked. There is no reranker" in str(notices[0])
