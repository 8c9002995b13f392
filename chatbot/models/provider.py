"""What runs language models, as the rest of Magpie sees it. Light to import: settings and options are made of it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from chatbot.models.settings import Generation
from utils.errors import ModelError, ModelNotFound, ModelUnavailable

if TYPE_CHECKING:
    from chatbot.conversation.events import Progress
    from chatbot.models.base import LanguageModel
    from chatbot.models.state import ModelState
    from utils.network.access import NetworkAccess

AUTO = "auto"
"""The value of the setting `backend` that takes the first backend that can serve."""
OTHERS = "Choose another backend; `magpie --help` names them."
"""The remedy where a backend cannot serve."""
NAMED = 3
"""Names that are told to whoever asks for a model that is not there."""
MIN_MODEL_NAME_LIKENESS = 50
"""What a name must resemble (0 to 100, rapidfuzz's ratio) to be told."""


@dataclass(frozen=True)
class ModelEntry:
    """A model that can be used, as /model lists it. `size` is in bytes, 0 where it is not known."""

    name: str
    backend: str
    size: int = 0
    tools: bool = False
    thinking: bool = False
    sees: bool = False
    """Whether it takes pictures."""
    chats: bool = True
    """False of one that only embeds texts."""
    elsewhere: str = ""
    """Of a model that does not run where its server is, where it does: `runs in Ollama's cloud`."""
    stands_for: str = ""
    """Of a name of the user's own, the model that it means."""


@dataclass(frozen=True)
class FetchableModel:
    """A model that is not here and that /pull can fetch; `size` and `memory` are in bytes."""

    name: str
    size: int
    memory: int
    licence: str
    fits: bool
    """Whether this machine has the memory for it."""


class PullOffered(ModelNotFound):
    """No model that is there will do; `name` is one that can be fetched, if the user agrees."""

    def __init__(self, name: str, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.name = name


@dataclass(frozen=True)
class UnaskedChoice:
    """Why a model answers that the user did not ask for."""

    sentence: str
    """For the news: `No Ollama server answers at http://127.0.0.1:11434; the embedded model is used.`"""
    reason: str
    """The same in a few words, which stand behind the model's name: `no Ollama`."""


@dataclass(frozen=True)
class ModelSurroundings:
    """What a provider is handed from outside."""

    data_dir: Path
    generation: Generation
    reach: "NetworkAccess"
    state: "ModelState"
    tell_choice: Callable[[UnaskedChoice], None] = lambda choice: None
    """Is given a choice that the user did not make."""
    progress: Callable[[str, int, int], None] = lambda label, done, total: None
    """Is told a label, and how many of how many bytes of it are there."""
    tell: Callable[[str], None] = lambda said: None
    """Shows the user a sentence: that a server is waited for, what is sent where."""


class GenerationFollower(Protocol):
    """An open model; its next request is made as `generation` says then."""

    generation: Generation


class ModelProvider(ABC):
    """A backend at work: it finds out whether it can serve, lists its models and opens them.

    Nothing is asked of a server before a method is awaited. `generation` is how its models reply.
    """

    def __init__(self, settings: Any, around: ModelSurroundings) -> None:
        self.settings = settings
        self.around = around
        self.generation = around.generation
        self.opened: WeakSet[GenerationFollower] = WeakSet()
        """The open models that follow `generation` when it changes."""

    @property
    def is_named(self) -> bool:
        """Whether the user said where its server is: that it does not answer is then an error, and no reason for
        `auto` to take another.
        """
        return False

    @property
    def served_by(self) -> str:
        """How a sentence calls what serves, once that is known; empty: by the backend's name."""
        return ""

    @abstractmethod
    async def find_obstacle(self) -> str:
        """A sentence why it cannot serve, found within a second or two; empty where it can."""

    async def find_lack(self) -> str:
        """A sentence that none of its models can answer, where no model was asked for by name; empty where one can."""
        return ""

    async def require(self) -> None:
        """Raise `ModelUnavailable` where it cannot serve though it was asked for."""
        if obstacle := await self.find_obstacle():
            raise ModelUnavailable(obstacle, OTHERS)

    @abstractmethod
    async def list_models(self) -> Sequence[ModelEntry]:
        """The models that it could open now; raises `ModelUnavailable`."""

    async def list_fetchable(self) -> Sequence[FetchableModel]:
        """Models that are not here and are known to be worth fetching."""
        return ()

    async def find_model(self, name: str) -> str:
        """The full name of a model, as it is listed; empty where there is none. Raises a `ModelError`."""
        return next((entry.name for entry in await self.list_models() if entry.name == name), "")

    async def find_unasked(self, name: str) -> str:
        """The full name of the model used last, where it may be gone on with unasked; else empty."""
        return await self.find_model(name)

    async def pick_model(self) -> str:
        """The full name of the model to begin with where none is named: the last one used, else the first.

        Raises a `ModelError`.
        """
        names = [entry.name for entry in await self.list_models()]
        if not names:
            raise ModelNotFound("There is no model to answer with.", OTHERS)
        last = await self.around.state.last_used()
        return last if last in names else names[0]

    @abstractmethod
    def open(self, name: str) -> "LanguageModel":
        """The model of a full name; whoever opened it closes it."""

    async def tell_ability(self, name: str, model: "LanguageModel") -> str:
        """A few words on what the model of a full name is good for, as it is served; empty where nothing is known.

        Nothing heavy is loaded for it. Raises a `ModelError`.
        """
        info = await model.describe()
        return "Magpie looks things up for it" if info.in_steps else "calls tools itself"

    async def tell_larger(self, name: str) -> str:
        """How to come by a better model than the one of this full name, in a few words; empty where none is known."""
        return ""

    def pull(self, name: str) -> AsyncGenerator["Progress", None]:
        """Fetch a model; the last progress is complete. Raises a `ModelError`."""
        raise ModelError(f"The model {name} cannot be fetched with /pull.", "/model lists those that are there.")

    def tell_fetching(self, name: str) -> str:
        """A sentence how to fetch a model that is not there; empty where it cannot be fetched."""
        return ""

    def generate_by(self, generation: Generation) -> None:
        """Have models reply by other settings from now on, those that are open too."""
        self.generation = generation
        for model in self.opened:
            model.generation = generation

    async def close(self) -> None:
        """Let go of connections; models that were opened close theirs themselves."""
        return


@dataclass(frozen=True)
class ModelBackend:
    """What can run models: a line in the list of `chatbot.models.backends`, from which all else is derived."""

    name: str
    """As the setting `backend` has it. Its section of the settings has it, too."""
    settings: type[Any]
    """The frozen dataclass of its section; each setting has a default."""
    load: Callable[[], type[ModelProvider]]
    """Imports what does the work, when it is first needed."""
    title: str = ""
    """How sentences call it; unset: by its name."""
    plain_names: bool = False
    """Whether its models go by any name. Those of others begin with the backend's, as `embedded:0.5b`."""
    plain_when_asked: bool = False
    """Whether its models go by names without its own where the user asked for the backend."""
    unasked: bool = True
    """Whether `auto` may take it where nobody has named its server: not where what is asked would go elsewhere."""
    ports: frozenset[int] = frozenset()
    """Where its servers commonly listen: no web page is opened there, whatever is allowed."""
    secrets_of: Mapping[str, str] = field(default_factory=dict)
    """Settings that hold a secret, each with the one that says whose it is: it goes to no other server."""
    server: Callable[[Any], str] = lambda settings: ""
    """The base URL of the server that some settings of it mean, closed to web pages; empty where there is none.

    Raises `ConfigError`.
    """

    def owns(self, name: str) -> bool:
        """Whether a model's name begins with the backend's, which says that it is meant and no other."""
        return not self.plain_names and (name == self.name or name.startswith(f"{self.name}:"))

    def takes(self, name: str, *, asked: bool = False) -> bool:
        """Whether a model of it can have this name; `asked`: the user asked for this backend."""
        return self.plain_names or self.owns(name) or (asked and self.plain_when_asked)


def not_found(name: str, names: Sequence[str], fetching: str = "") -> ModelNotFound:
    """That a model is not there, with the nearest of the `names` that are."""
    from rapidfuzz import process

    near = [match[0] for match in process.extract(name, names, limit=NAMED, score_cutoff=MIN_MODEL_NAME_LIKENESS)]
    nearest = f"Nearest: {', '.join(near)}." if near else ""
    remedy = " ".join(filter(None, (nearest, fetching)))
    return ModelNotFound(f"There is no model {name!r} here.", remedy or "/model lists those that are there.")
