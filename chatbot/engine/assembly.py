"""Where the parts of a chat meet: its agent with its model, its tools and its memory."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from chatbot.citations.checker import CitationChecker, FittedChecker
from chatbot.config import Config
from chatbot.conversation.events import Notice
from chatbot.conversation.messages import Source
from chatbot.engine.chat import Chat
from chatbot.engine.face import Face
from chatbot.engine.model_choice import SideModels, choose_models, surroundings
from chatbot.engine.people import Person
from chatbot.engine.profile_choice import open_profile, prepare_turn
from chatbot.engine.reranker import make_model_reranking
from chatbot.engine.resources import Resources
from chatbot.engine.tools import make_tools
from chatbot.history.recorder import Recording
from chatbot.history.search.search_tool import EarlierAnswers
from chatbot.history.titles import Titler
from chatbot.library.look import library_news, look_into
from chatbot.library.query_rewriting import Rewriter
from chatbot.library.watch import LibraryWatch, quietly
from chatbot.mcp.tools import Choosing, RemoteTools
from chatbot.memory.facts import Memory
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import LanguageModel
from chatbot.models.lazy import LazyModel
from chatbot.models.pipeline.context import PipelineContext
from chatbot.models.pipeline.model import PipelineModel
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.worked_out.computing import Compute
from chatbot.models.pipeline.writing.given import Supports
from chatbot.models.provider import ModelSurroundings
from chatbot.models.selection import Models
from chatbot.profiles.active import ActiveProfile
from chatbot.research.desk import ResearchDesk
from chatbot.research.lookup import Lookup
from chatbot.research.run import ResearchParts
from chatbot.research.state import ResearchFiles
from chatbot.trust.consent import Consent
from chatbot.trust.taint import PrivateTexts
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from chatbot.window.recall import Recall
from chatbot.window.system_prompt import Briefing, user_instructions
from rag.documents import Passage
from rag.library import Library
from tools.base import Toolbox, ToolContext
from tools.library_search import LibrarySearch
from utils.errors import ToolError
from utils.faults import record_fault

Tell = Callable[[str, bool], None]
"""Shows the chat's person a sentence; True: a warning."""


async def make_chat(
    shared: Resources, face: Face, person: Person, *, recorded: bool = True, instructions: str = ""
) -> Chat:
    """A new chat of a person, as `Engine.chat` gives it; nothing heavy is loaded yet. Raises a `MagpieError`."""
    tell = partial(show_sentence, face)
    configuration, profile = await open_profile(shared.configuration, shared.retrieval, lambda said: tell(said, False))
    config, retrieval = configuration.values, shared.retrieval
    library, embedder, own = retrieval.library, retrieval.embedder, user_instructions(config, instructions)
    side = SideModels(
        config, lambda: agent.model, lambda name: models.other_model(name), lambda spent: recording.spend(spent)
    )
    rewriter = Rewriter(side.rewriting, lambda: chat.configuration.values.rag)
    memory = Memory(person.profile, config.memory, lambda: agent.conversation.messages, face.show)
    earlier = EarlierAnswers(person.sessions, lambda: recording.session) if config.history.searchable else None
    web, watching = retrieval.make_web(), LibraryWatch(library, retrieval.fetcher, quietly(face.show))
    reranking = make_model_reranking(config.rag, side.judging, lambda said: tell(said, True))
    searched = LibrarySearch(library, rewriter.terms_if_wanted, reranking, lambda: profile.scope) if library else None
    toolbox = Toolbox(make_tools(web, searched, memory, person.reminders, earlier, profile))
    toolbox.switches.allow_only(profile.tools, profile.tools_without_use)
    around = surround_steps(shared, profile, own, memory, toolbox)
    around_models = surround_models(config, shared, face, tell, remember=person.is_owner and recorded)
    models = make_models(config, around_models, toolbox, lambda model: PipelineModel(model, embedder, around))
    news = partial(told_news, library, memory)
    briefing = Briefing(own, news, memory=lambda: memory.briefing, profile=profile.tell_model)
    await memory.begin_session()
    titler = Titler(side.titles, person.sessions)
    recording = Recording(person.sessions, lambda: models.current, titler, face.show)
    remote = RemoteTools(shared.servers, toolbox, tell, Choosing(embedder, lambda: agent.model), face.fill)
    private = PrivateTexts(lambda: memory.briefing, lambda: join_texts(profile.private_words, own))
    consent = Consent(lambda: agent.settings.approval, private, remote)
    consent.ask, recall = face.allow, Recall(EvidenceFinder(embedder)).find_turns
    of_profile = (lambda: prepare_turn(chat), lambda: profile.validator)
    side_work = (models.other_model, side.lines, models.list_seeing, shared.checker, *of_profile)
    search, alone, note = rewriter.next_query, rewriter.alone_if_wanted, citing(library, tell)
    hooks = Hooks(search, alone, note, consent, recording if recorded else None, recall, *side_work)
    agent: Agent = Agent(LazyModel(models.start_model), toolbox, config, briefing, config.max_tokens, hooks)
    research = make_research(shared, face, person, agent, private, remote)
    parts = (agent, models, memory, consent, remote, recording, titler, retrieval, web, shared.reach, research)
    chat: Chat = Chat(configuration, person, *parts, reranking, rewriter, profile=profile, watching=watching)
    return chat


def make_research(
    shared: Resources, face: Face, person: Person, agent: Agent, private: PrivateTexts, remote: RemoteTools
) -> ResearchDesk:
    """What plans and carries out the research of a chat; every sentence is checked, whatever `citations.check` says."""
    # Of its own: what was decided for the conversation is not decided for a run that goes on beside it.
    consent = Consent(lambda: agent.settings.approval, private, remote)
    embedder = shared.retrieval.embedder
    supports = make_supports(shared.checker or FittedChecker(embedder))
    lookup = Lookup(agent.toolbox, consent, lambda: agent.settings)
    finder, settings = EvidenceFinder(embedder), shared.configuration.values.research
    parts = ResearchParts(lambda: agent.model, finder, supports, lookup, lambda: settings, face.turns)
    folder = None if shared.configuration.values.private else person.profile.path.parent / "research"
    return ResearchDesk(parts, ResearchFiles(folder), person.sessions, person.in_use, face.show, face.allow)


def show_sentence(face: Face, said: str, warning: bool) -> None:
    """Show the chat's person a sentence."""
    face.show(Notice(said, "warning" if warning else "info"))


def surround_steps(
    shared: Resources, profile: ActiveProfile, own: str, memory: Memory, toolbox: Toolbox
) -> PipelineContext:
    """What the steps of a small model are handed; `own` are the user's own instructions."""
    return PipelineContext(
        look_into(shared.retrieval.library, lambda: profile.scope),
        lambda: join_texts(profile.instructions, own),
        memory.told_facts,
        make_compute(toolbox),
        make_supports(shared.checker),
        profile.choose_skill,
    )


def join_texts(*texts: str) -> str:
    """Texts for the model one below the other, without those that are empty."""
    return "\n\n".join(text for text in texts if text)


def surround_models(config: Config, shared: Resources, face: Face, tell: Tell, *, remember: bool) -> ModelSurroundings:
    """What the backends of a chat's models are handed."""
    return surroundings(
        config,
        shared.reach,
        face.tell_choice or (lambda choice: tell(choice.sentence, False)),
        shared.progress,
        tell=lambda said: tell(said, False),
        remember=remember,
    )


def make_compute(toolbox: Toolbox) -> Compute:
    """What has a tool of the box work something out at once: arithmetic and dates send nothing and bring nothing in."""

    async def compute(name: str, arguments: dict[str, Any]) -> str:
        outcome = await toolbox.execute_call(name, arguments, ToolContext(""))
        if not outcome.ok:
            raise ToolError(outcome.result.text)
        return outcome.result.text

    return compute


def make_supports(checker: CitationChecker | None) -> Supports:
    """What says whether passages say a sentence, as surely as a number asks for; all do where nothing checks."""

    async def judge_sentence(sentence: str, sources: Sequence[Source], question: str) -> bool:
        if checker is None:
            return True
        passages = [source.passage for source in sources]
        return await checker.support_probability(sentence, passages, question) >= checker.threshold

    return judge_sentence


def citing(library: Library | None, tell: Tell) -> Callable[[Sequence[Passage]], Awaitable[None]]:
    """What tells the library which passages an answer cited."""

    async def note_citations(passages: Sequence[Passage]) -> None:
        try:
            if library is not None:
                await library.cite(passages)
        except Exception as error:  # noqa: BLE001 - the answer is there, whatever the library makes of it
            tell(str(record_fault(error, "Noting what was cited")), True)

    return note_citations


def make_models(
    config: Config,
    around: ModelSurroundings,
    toolbox: Toolbox,
    in_steps: Callable[[LanguageModel], PipelineModel],
) -> Models:
    """What chooses the model; each is served natively or in steps, as it turns out to need."""

    def adapt_model(model: LanguageModel) -> LanguageModel:
        return AdaptiveModel(model, in_steps(model), toolbox.accepts_call, around.state)

    return choose_models(config, around, adapt_model)


async def told_news(library: Library | None, memory: Memory) -> str:
    """What the model is told with the next question: the state of the library, and changes of what is remembered."""
    return " ".join(filter(None, [await library_news(library), memory.take_news()]))
