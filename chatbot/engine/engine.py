"""Where the parts meet: a configuration becomes an agent with its model, its tools and its library."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatbot.citations.checker import CitationChecker, make_checker
from chatbot.config import Config, Configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.conversation.messages import Source
from chatbot.engine.chat import Chats
from chatbot.engine.model_choice import wanted_model
from chatbot.engine.network import make_fetcher, make_reach
from chatbot.engine.reranker import make_reranking
from chatbot.history.recorder import Recording
from chatbot.history.search.search_tool import EarlierAnswers
from chatbot.history.sessions import Sessions
from chatbot.history.titles import Titler
from chatbot.library.look import library_news, look_into
from chatbot.library.query_rewriting import Rewriter
from chatbot.mcp.tools import Choosing, RemoteTools
from chatbot.memory.facts import Memory
from chatbot.memory.profile import Profile
from chatbot.memory.reminders import Reminders
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import LanguageModel
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.lazy import LazyModel
from chatbot.models.pipeline.computing import Compute
from chatbot.models.pipeline.decision.arguments import reword
from chatbot.models.pipeline.model import PipelineContext, PipelineModel
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.writing.answering import Supports
from chatbot.models.selection import Models
from chatbot.models.settings import EmbeddedSettings
from chatbot.trust.consent import Consent
from chatbot.trust.taint import PrivateTexts
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.recall import Recall
from chatbot.window.system_prompt import Briefing, instructions
from rag.documents import Passage
from rag.embedding.selector import FastEmbedder
from rag.library import Library
from rag.search.reranking import Reranking
from tools.base import Tool, Toolbox, ToolContext, tool
from tools.calculate import calculate
from tools.date_and_time import DateAndTime
from tools.library_search import LibrarySearch
from tools.web.engines import make_searchers
from tools.web.fetch import Fetcher
from tools.web.ranking import Ranker
from tools.web.search import Web
from utils.errors import SessionError, ToolError
from utils.faults import recorded
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub
from utils.paths import private_dir
from utils.sqlite import MEMORY

News = asyncio.Queue[Notice | Progress]


@dataclass
class Parts:
    """The parts of a running Magpie."""

    agent: Agent
    library: Library | None
    models: Models
    fetcher: Fetcher
    embedder: FastEmbedder
    web: Web
    profile: Profile
    memory: Memory
    reminders: Reminders
    chats: Chats
    consent: Consent
    remote: RemoteTools
    reach: NetworkAccess = field(default_factory=NetworkAccess)

    async def warm_up(self) -> None:
        """Load the embedder and the model, and read the fixed part of the prompt; raises a `MagpieError`."""
        self.remote.start()
        await asyncio.gather(self.embedder.load(), self.agent.warm_up())

    def configure(self, config: Config) -> None:
        """Let settings that were changed take effect."""
        self.agent.settings = config
        self.models.generate_by(config)
        self.reach.offline = config.offline

    async def use_model(self, name: str) -> None:
        """Go on with another model; raises a `ModelError`, and then the old one stays."""
        model = await self.models.use(name)
        await model.describe()
        old = self.agent.model
        self.agent.use(model)
        await old.close()

    async def close(self) -> None:
        """Let go of model, pages under way, conversations and library."""
        await self.remote.close()
        await self.web.close()
        await self.chats.close()
        await self.agent.model.close()
        await self.models.close()
        if self.library is not None:
            await self.library.close()
        await self.embedder.close()
        await asyncio.to_thread(self.profile.close)


async def assemble(configuration: Configuration, news: News) -> Parts:
    """Build everything; nothing heavy is loaded yet. Raises a `MagpieError`."""
    config, data = configuration.values, configuration.values.data_folder
    tell = notifier(news)
    reach = make_reach(config, lambda said: tell(said, False))
    reranking = make_reranking(config.rag, lambda: agent.model, lambda said: tell(said, True), reach)
    library, fetcher, web, embedder = await open_retrieval(config, reranking, reach)
    rewriter = Rewriter(lambda: agent.model)
    terms = rewriter.terms if config.rag.rewrite_queries else None
    profile = Profile(data / "profile.db", read_only=config.private)
    memory = Memory(profile, config.memory, lambda: agent.conversation.messages, news.put_nowait)
    reminders = Reminders(profile)
    sessions = await open_sessions(config, news)
    earlier = EarlierAnswers(sessions, lambda: recording.session) if config.history.searchable else None
    searched = LibrarySearch(library, terms) if library else None
    toolbox = Toolbox(make_tools(web, searched, memory, reminders, earlier))
    own = instructions(config)

    checker = make_checker(config.citations, embedder, Hub(reach))
    around = PipelineContext(look_into(library), own, memory.told, computing(toolbox), supporting(checker))
    models = make_models(config, reach, toolbox, news, lambda model: PipelineModel(model, embedder, around))
    briefing = Briefing(own, lambda: told_news(library, memory), memory=lambda: memory.briefing)
    await memory.begin_session()

    async def next_query(question: str, found: str) -> str:
        return await reword(agent.model, question, found)

    titler = Titler(lambda: agent.model, sessions)
    recording = Recording(sessions, lambda: models.current, titler, news.put_nowait)
    alone = rewriter.stand_alone if config.rag.rewrite_follow_ups else None
    remote = RemoteTools(configuration, reach, tell, toolbox, Choosing(embedder, lambda: agent.model))
    consent = Consent(lambda: agent.settings.approval, PrivateTexts(lambda: memory.briefing, own), remote)
    recall = Recall(EvidenceFinder(embedder)).find
    hooks = Hooks(next_query, alone, citing(library, news), consent, recording, recall, models.other, checker)
    agent = Agent(LazyModel(models.start), toolbox, config, briefing, config.max_tokens, hooks)
    chats = Chats(agent, sessions, recording, titler, memory, consent)
    return Parts(
        agent, library, models, fetcher, embedder, web, profile, memory, reminders, chats, consent, remote, reach
    )


def computing(toolbox: Toolbox) -> Compute:
    """What has a tool of the box work something out at once: arithmetic and dates send nothing and bring nothing in."""

    async def compute(name: str, arguments: dict[str, Any]) -> str:
        outcome = await toolbox.execute(name, arguments, ToolContext(""))
        if not outcome.ok:
            raise ToolError(outcome.result.text)
        return outcome.result.text

    return compute


def supporting(checker: CitationChecker | None) -> Supports:
    """What says whether passages say a sentence, as surely as a number asks for; all do where nothing checks."""

    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        if checker is None:
            return True
        passages = [source.passage for source in sources]
        return await checker.supports(sentence, passages, question) >= checker.threshold

    return supports


def citing(library: Library | None, news: News) -> Callable[[Sequence[Passage]], Awaitable[None]]:
    """What tells the library which passages an answer cited."""

    async def cite(passages: Sequence[Passage]) -> None:
        try:
            if library is not None:
                await library.cite(passages)
        except Exception as error:  # noqa: BLE001 - the answer is there, whatever the library makes of it
            news.put_nowait(Notice(str(recorded(error, "Noting what was cited")), "warning"))

    return cite


async def open_sessions(config: Config, news: News) -> Sessions:
    """The kept conversations; where they cannot be opened, or the run is private, in memory alone."""

    def tell(said: str) -> None:
        news.put_nowait(Notice(said, "warning"))

    if not config.private:
        try:
            return await Sessions.open(config.history_file, config.history, tell)
        except SessionError as error:
            tell(f"{error} Until then nothing that is said is kept.")
    return await Sessions.open(MEMORY)


async def open_retrieval(
    config: Config, reranking: Reranking | None, reach: NetworkAccess
) -> tuple[Library | None, Fetcher, Web, FastEmbedder]:
    """What searches and reads, for which no model is needed; raises a `MagpieError`."""
    data = await asyncio.to_thread(private_dir, config.data_folder)
    embedder = FastEmbedder(config.rag.embedding_model, data / "onnx", hub=Hub(reach))
    library = None
    if config.rag.enabled:
        library = await Library.open(config.library_folder, config.library, embedder, reranking)
    fetcher = make_fetcher(config, data, reach)
    ranker = Ranker(embedder, config.rag.chunk_shape)
    kept = library if config.rag.web_search_rag_enabled and library and not library.read_only else None
    web = Web(make_searchers(config.search, reach), fetcher, ranker, config, kept)
    return library, fetcher, web, embedder


def make_tools(
    web: Web, library: LibrarySearch | None, memory: Memory, reminders: Reminders, earlier: EarlierAnswers | None
) -> list[Tool]:
    """Every tool that the model can call: to add one, name it here."""
    tools = [tool(web.web_search), tool(web.news_search), tool(web.fetch_url_content)]
    tools += [tool(calculate), tool(DateAndTime().date_and_time)]
    if library is not None:
        tools.append(tool(library.search_vector_db))
    if memory.writable:
        tools += [tool(memory.remember), tool(memory.forget)]
    if reminders.writable:
        tools += [tool(reminders.set_reminder), tool(reminders.list_reminders), tool(reminders.cancel_reminder)]
    if earlier is not None:
        tools.append(tool(earlier.search_history))
    return tools


def make_models(
    config: Config,
    reach: NetworkAccess,
    toolbox: Toolbox,
    news: News,
    in_steps: Callable[[LanguageModel], PipelineModel],
) -> Models:
    """What chooses the model; each is served natively or in steps, as it turns out to need."""
    data, told = config.data_folder, teller(news)

    def embedded(settings: EmbeddedSettings) -> LanguageModel:
        return EmbeddedModel(settings, config, data, told, reach)

    def adapt(model: LanguageModel) -> LanguageModel:
        return AdaptiveModel(model, in_steps(model), toolbox.accepts, models.state)

    models = Models(wanted_model(config), data, embedded, adapt, lambda text: news.put_nowait(Notice(text)), reach)
    return models


def notifier(news: News) -> Callable[[str, bool], None]:
    """What tells the user a sentence; True: a warning."""
    return lambda said, warning: news.put_nowait(Notice(said, "warning" if warning else "info"))


def teller(news: News) -> Callable[[str, int, int], None]:
    """A progress callback that any thread may call; it tells each percent once."""
    loop = asyncio.get_running_loop()
    told: dict[str, int] = {}

    def tell(label: str, done: int, total: int) -> None:
        percent = 100 * done // max(total, 1)
        if told.get(label) != percent:
            told[label] = percent
            loop.call_soon_threadsafe(news.put_nowait, Progress(label, done, total))

    return tell


async def told_news(library: Library | None, memory: Memory) -> str:
    """What the model is told with the next question: the state of the library, and changes of what is remembered."""
    return " ".join(filter(None, [await library_news(library), memory.take_news()]))
