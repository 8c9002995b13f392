"""The settings of the conversation itself and of what is shown of it."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from utils.settings import Name, Text

_MARK_FORM = re.compile(r"(\d+(?:\.\d+)?)\s*(%|tokens?|messages?|)")


@dataclass(frozen=True)
class Mark:
    """The use of the window past which older turns are summarised."""

    amount: float
    unit: Literal["share", "tokens", "messages"]


@dataclass(frozen=True, kw_only=True)
class Price:
    """What a model costs, in a currency of the user's own, per million tokens."""

    prompt: Annotated[float, Meta(ge=0, le=1e9)] = 0.0
    """Of what is sent."""
    cached: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    """Of what is sent and was in the server's cache; unset: as of all that is sent."""
    written: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    """Of what is sent and the server writes into its cache, for minutes; unset: as of all that is sent."""
    written_hour: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    """Of what it writes there for an hour; unset: as for minutes."""
    reply: Annotated[float, Meta(ge=0, le=1e9)] = 0.0
    """Of what the model writes."""


@dataclass(frozen=True, kw_only=True)
class WindowSettings:
    """What becomes of older turns when the window fills, and what tokens cost."""

    compact: bool = True
    """Let the model summarise older turns before the window is full; false: the oldest are left out when it is."""
    compact_at: Name | Annotated[float, Meta(ge=0, le=1e9)] = "80%"
    """When to: a share of the window (80% or 0.8), a number of tokens (6000 tokens) or of messages (40 messages)."""
    compact_model: Name = ""
    """Name of the model that summarises; unset: the one that answers."""
    compact_temperature: Annotated[float, Meta(ge=0, le=2)] = 0.3
    """Temperature of the summary."""
    compact_max_tokens: Annotated[int, Meta(ge=32, le=10_000_000)] = 500
    """Tokens that the summary may have."""
    compact_prompt_file: Path | None = None
    """A file with the words that ask for the summary; unset: Magpie's own."""
    prices: dict[Name, Price] = field(default_factory=dict)
    """What a million tokens of a model cost, by its name: {"qwen3": {"prompt": 0.1, "cached": 0.02, "reply": 0.3}}."""

    def __post_init__(self) -> None:
        _ = self.mark

    @property
    def mark(self) -> Mark:
        """What `compact_at` says; raises `ValueError`."""
        match = _MARK_FORM.fullmatch(str(self.compact_at).strip().lower())
        amount = float(match[1]) if match else 0.0
        unit = match[2] if match else ""
        if unit and unit != "%" and amount >= 1:
            return Mark(amount, "tokens" if unit.startswith("token") else "messages")
        share = {"%": amount / 100, "": amount}.get(unit, 0)
        if not 0 < share <= 1:
            raise ValueError("compact_at: it must be a share such as 80%, or a number: 6000 tokens, 40 messages")
        return Mark(share, "share")


@dataclass(frozen=True, kw_only=True)
class AnswerSettings:
    """What an answer is put into beside its words."""

    answer_format: Literal["text", "json"] = "text"
    """json: put each answer into a JSON object, too (`--format json`)."""
    answer_schema_file: Path | None = None
    """A file with the JSON Schema of that object (`--schema`); unset: `type`, `text` and `summary`."""
    answer_summary: bool = False
    """Say below a long answer in one line what it says."""
    answer_summary_model: Name = ""
    """Name of the model that writes that line; unset: the one that answers."""


@dataclass(frozen=True, kw_only=True)
class AgentSettings(WindowSettings, AnswerSettings):
    """The tool loop and the words around it."""

    profile: Name = ""
    """The profile that a chat begins with (`--profile`, docs/profiles.md); unset: `default`."""
    system_prompt: Text = ""
    """The user's own instructions, put after Magpie's."""
    system_prompt_file: Path | None = None
    """A file with more of them."""
    use_history: bool = True
    """False: each question stands alone."""
    tools_enabled: bool = True
    """Let the model look things up, and use its other tools."""
    max_tool_rounds: Annotated[int, Meta(ge=1, le=20)] = 5
    """Rounds of tool calls in one turn."""
    max_fetches_per_turn: Annotated[int, Meta(ge=1, le=100)] = 12
    """Pages that the model may open in one turn."""
    approval: Literal["ask", "allow", "deny"] = "ask"
    """What may leave only with your consent: ask for it, allow it, or deny it."""


@dataclass(frozen=True, kw_only=True)
class MemorySettings:
    """What is remembered of the user."""

    enabled: bool = True
    """Tell the model what the user asked to have remembered, and let it remember more."""
    max_tokens: Annotated[int, Meta(ge=0, le=10_000_000)] = 300
    """Room for that in every prompt; the newest comes first."""


@dataclass(frozen=True, kw_only=True)
class ViewSettings:
    """What a terminal shows."""

    show_thinking: bool = True
    """Show what the model thinks, dimmed."""
    markdown: bool = True
    """Render answers as Markdown; false: as they come."""
    bell: bool = False
    """Ring the terminal's bell when something is asked in the middle of a turn."""
    verbose: bool = False
    """Show the beginning of each tool's result."""


@dataclass(frozen=True, kw_only=True)
class CitationSettings:
    """What becomes of a number behind a sentence that its passage does not say."""

    check: bool = True
    """Check each cited sentence against its passages, and strike a number that is wrong."""
    checker: Name = ""
    """What checks: name or folder of a cross-encoder that tells entailment (NLI); unset: Magpie's own rules."""
    threshold: Annotated[float, Meta(ge=0, le=1)] | None = None
    """Probability below which a sentence counts as not said by its passages; unset: 0.5."""


EVERYBODY = "*"
"""In the place of an id: whoever writes."""


@dataclass(frozen=True, kw_only=True)
class TelegramSettings:
    """Magpie as a Telegram bot (`magpie telegram`)."""

    allowed_users: tuple[Annotated[int, Meta(ge=1, le=2**53)] | Annotated[str, Meta(max_length=20)], ...] = ()
    """Ids of the Telegram users that it serves; ["*"] serves everybody. `magpie telegram --who` shows yours."""
    token_file: Name = ""
    """A file of mode 0600 with the bot's token; the variable MAGPIE_TELEGRAM_TOKEN comes before it."""
    base_url: Annotated[str, Meta(max_length=1000, pattern=r"^https?://\S+$")] = "https://api.telegram.org"
    """Address of the Bot API; another one for a Bot API server of your own."""
    max_file_mb: Annotated[int, Meta(ge=1, le=2000)] = 20
    """Largest file that is taken, in megabytes; Telegram's own server hands out at most 20."""
    consent_seconds: Annotated[int, Meta(ge=5, le=86_400)] = 120
    """Seconds in which to answer what may leave the machine; after that it is a no."""
    max_answers: Annotated[int, Meta(ge=1, le=1000)] = 8
    """Messages of different chats that are answered at once, steps of research with them; who waits is told so."""

    def __post_init__(self) -> None:
        for one in self.allowed_users:
            if isinstance(one, str) and one != EVERYBODY:
                raise ValueError('allowed_users: an id is a number, such as 123456789, and "*" is everybody')

    @property
    def serves_everybody(self) -> bool:
        """Whether people may write whom nobody has named."""
        return EVERYBODY in self.allowed_users


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """The HTTP API of `magpie serve`."""

    host: Name = "127.0.0.1"
    """Where it listens; where others can reach it, too, every request needs a token (`magpie serve --new-token`)."""
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8787
    """Where it listens; 0 for any port that is free."""
    require_token: bool = False
    """Ask for a token on this machine, too; else a request without one counts as yours there."""
    allow_origins: tuple[Annotated[str, Meta(max_length=300, pattern=r"\Ahttps?://[A-Za-z0-9.:\[\]-]+\Z")], ...] = ()
    """Origins of web pages elsewhere that may use it, for instance https://app.example; no wildcard.

    Requests may also call the server by the names in them, as a proxy hands them on.
    """
    max_body_bytes: Annotated[int, Meta(ge=1000, le=2_000_000_000)] = 20_000_000
    """Largest body of a request, files that are sent included."""
    body_seconds: Annotated[float, Meta(gt=0, le=3600)] = 60
    """Seconds in which a body must have arrived."""
    requests_per_minute: Annotated[int, Meta(ge=1, le=1_000_000)] = 600
    """Requests of one person in any minute; of an address that sends wrong tokens, a tenth of it."""
    max_chats: Annotated[int, Meta(ge=1, le=1000)] = 8
    """Answers that are made at once; who asks for more is told to come again."""
    consent_seconds: Annotated[float, Meta(gt=0, le=86_400)] = 300
    """Seconds that a request for consent waits for an answer; then it is denied."""
    grace_seconds: Annotated[float, Meta(gt=0, le=60)] = 1
    """Seconds without a listener after which an answer is stopped, where the request did not ask for `resumable`."""
    keep_seconds: Annotated[float, Meta(gt=0, le=86_400)] = 120
    """Seconds that a `resumable` answer goes on without a listener, and that the events of any are kept afterwards."""
    sources_in_text: bool = False
    """List the cited sources below the text of `/v1/chat/completions`, for programs that show nothing but text."""


@dataclass(frozen=True, kw_only=True)
class ResearchSettings:
    """How far a research run goes (`/research`, `magpie research`)."""

    questions: Annotated[int, Meta(ge=1, le=20)] = 8
    """Sub-questions that the model plans at most; you may add more."""
    rounds: Annotated[int, Meta(ge=0, le=10)] = 2
    """Rounds in which gaps are looked for and filled, after the plan."""
    minutes: Annotated[float, Meta(gt=0, le=1440)] = 20.0
    """Minutes after which a run looks nothing more up, and reports what it has."""
