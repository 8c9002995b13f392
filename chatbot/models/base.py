"""The protocol of a language model and the pieces of its reply."""

import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.usage import Usage
from rag.documents import Passage

if TYPE_CHECKING:
    from tools.base import ToolSchema


_MODEL_FILE = re.compile(r"(?P<backend>\w+:)?(?:.*[/\\])?(?P<stem>[^/\\]*[^/\\:])\.gguf", re.IGNORECASE | re.DOTALL)


def readable_name(name: str) -> str:
    """A model's name as the user is shown it: of a server that calls a model by its file, without folders and ending.

    `openai:/srv/models/qwen3-8b.gguf` is `openai:qwen3-8b`; every other name stays as it is.
    """
    match = _MODEL_FILE.fullmatch(name)
    return f"{match['backend'] or ''}{match['stem']}" if match else name


def meant_name(name: str, names: Iterable[str]) -> str:
    """The one of some names that is meant: that name itself, else the only one that is shown as it; empty for none."""
    known = dict.fromkeys(names)
    shown = [one for one in known if readable_name(one) == readable_name(name)]
    return name if name in known else shown[0] if len(shown) == 1 else ""


@dataclass(frozen=True)
class ModelInfo:
    """What is known of a model before it has said anything."""

    name: str
    backend: str
    """The name of what runs it."""
    context_window: int
    """Tokens that prompt and reply may have together, as the server really allocates them."""
    can_call_tools: bool = False
    """Whether the model claims to; what it really does is observed."""
    can_think: bool = False
    takes_effort: bool = False
    """Whether it is known to let be chosen how hard it thinks."""
    can_see: bool = False
    """Whether it takes pictures."""
    host: str = ""
    """Where it runs, if that is not this machine, as sentences name it; whatever the server says of itself."""
    cites: bool = False
    """Whether it writes source numbers well by itself; small models get one passage and the program writes it."""
    in_steps: bool = False
    """Whether it is served in steps: no tools are in its prompt, and of results only what an answer is written from."""
    withheld: frozenset[str] = frozenset()
    """Names of tools that it is never offered."""
    digest: str = field(default="", compare=False)
    """What tells its weights and template from others that go by its name; empty where its server does not tell."""
    keeps_beginnings: bool = False
    """Whether it keeps the beginnings of several prompts; else each that is read takes the place of the last."""
    searches: bool = False
    """Whether its server searches the web by itself, where a reply allows it, and tells what it found."""
    tells_probabilities: bool = True
    """Whether `choose` knows how likely each word is; else the word that the model takes has 1 and the others 0."""
    estimated: str = ""
    """A sentence why its tokens are estimated where they could be counted; empty where that is not so."""
    alias: str = ""
    """As the user knows it, where it was opened by that: the name that is listed, or one of the user's own."""
    max_tokens: int = 0
    """Tokens that its replies may have where that is not as the settings say of all models; else 0."""

    @property
    def remote(self) -> bool:
        """Whether it runs on somebody else's machine."""
        return bool(self.host)

    @property
    def label(self) -> str:
        """What the user is shown."""
        return readable_name(self.known_by)

    @property
    def known_by(self) -> str:
        """What is kept of it goes by this name: the user's own, else its backend's."""
        return self.alias or self.name


@dataclass(frozen=True)
class Text:
    """A piece of the answer."""

    delta: str
    logs: tuple[float, ...] = field(default=(), compare=False)
    """The log-probabilities of its tokens, where the backend tells them."""


@dataclass(frozen=True)
class Thinking:
    """A piece of what the model thinks before it answers."""

    delta: str


@dataclass(frozen=True)
class Quote:
    """The sentence of a numbered passage that comes nearest, told while the answer is still being written."""

    number: int
    sentence: str


@dataclass(frozen=True)
class Call:
    """A whole tool call."""

    call: ToolCall


@dataclass(frozen=True)
class ServerFound:
    """What the server of the model has found on the web by itself; comes before the pieces that cite it."""

    passages: Mapping[int, Passage]
    """By the numbers that the server gives them in this reply."""
    host: str


@dataclass(frozen=True)
class ServerCited:
    """The server's numbers of what says the text so far."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Done:
    """The last piece. `length` means that the reply was cut at the number of tokens that it may have."""

    usage: Usage
    """All that was sent for the reply, what was asked on the way to it as well."""
    reason: Literal["stop", "length"] = "stop"
    as_given: bool = True
    """Whether the prompt was sent as it was given; else its tokens say nothing of the messages given."""


@dataclass(frozen=True)
class FilledForm:
    """What a model filled in, and what that took."""

    values: dict[str, Any]
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class WordShares:
    """How likely each of some words is, and what it took to be told."""

    shares: dict[str, float]
    usage: Usage = field(default_factory=Usage)


Piece = Text | Thinking | Quote | Call | ServerFound | ServerCited | Done


@dataclass(frozen=True)
class ReplyOptions:
    """How one reply differs from what the settings say of replies."""

    max_tokens: int = 0
    """Tokens that it may have; 0: as the settings say."""
    temperature: float | None = None
    """None: as the settings say."""
    search: bool = False
    """Whether the server may search the web for it, where `ModelInfo.searches` says that it can."""


BY_SETTINGS = ReplyOptions()


class LanguageModel(Protocol):
    """A model that can be talked to; every method may raise a `ModelError`."""

    async def describe(self) -> ModelInfo:
        """Name, window and abilities; asks the server the first time."""
        ...

    def reply(
        self,
        messages: Sequence[Message],
        tools: "Sequence[ToolSchema]" = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply, `Done` last; closing the generator cancels the reply at the server.

        Raises `PromptTooLong`, never cuts the prompt, and `PromptCut` at the end where the server did.
        """
        ...

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        """The probability of each word to be the reply's first, from the unconstrained distribution; sums to 1."""
        ...

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        """A JSON object that fits the schema."""
        ...

    async def count_tokens(self, text: str) -> int:
        """Tokens of a text: exact where the backend can count, else an estimate corrected by what it reported."""
        ...

    async def warm_up(self, messages: Sequence[Message], tools: "Sequence[ToolSchema]" = ()) -> None:
        """Read the fixed beginning of a prompt ahead of time, its tools included, as `reply` will send it.

        Where the backend can, it is restored from disk.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...
