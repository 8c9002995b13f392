"""What the agent asks of others and tells them; light to import."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.events import Answered, Notice, Progress
from chatbot.conversation.messages import Message
from chatbot.history.entries import Pin, Spent
from chatbot.models.base import LanguageModel
from rag.documents import Passage

if TYPE_CHECKING:
    from chatbot.citations.checker import CitationChecker
    from chatbot.trust.consent import Consent
    from chatbot.turn.seeing import Seeing


class Recorder(Protocol):
    """Writes a conversation down as it grows; what it cannot write it says itself, and the conversation goes on."""

    async def add(self, *messages: Message) -> None:
        """Something was said."""
        ...

    async def write(self, *values: Compaction | Pin | Spent) -> None:
        """Older turns were summarised, messages pinned or no longer, tokens spent beside the turns."""
        ...

    async def draft(self, text: str, thinking: str) -> None:
        """So much of a reply has arrived."""
        ...

    async def answered(self, answered: Answered) -> None:
        """A turn has ended with an answer."""
        ...


class Validator(Protocol):
    """Checks answers that are to be valid in some language."""

    @property
    def instructions(self) -> str:
        """What the model is told when it is asked to mend one."""
        ...

    @property
    def find_problem(self) -> Callable[[str], str]:
        """What is wrong with an answer, in a few words without a period; empty where nothing is. Blocks."""
        ...

    def mark_invalid(self, answer: str, problem: str) -> str:
        """An answer that stays wrong, with what says so."""
        ...


@dataclass(frozen=True)
class Hooks:
    """What the agent asks of others, or tells them."""

    reword: Callable[[str, str], Awaitable[str]] | None = None
    """Words the next search query, from the question and what was found so far."""
    stand_alone: Callable[[str, str], Awaitable[str]] | None = None
    """Writes a question so that it is understood without the one before it."""
    cite: Callable[[Sequence[Passage]], Awaitable[None]] | None = None
    """Is told what an answer cited."""
    consent: "Consent | None" = None
    """Decides what may leave the machine; without it nothing does that would have to be asked about."""
    recorder: Recorder | None = None
    recall: Callable[[str, Sequence[Message]], Awaitable[str]] | None = None
    """Finds what messages that are not sent any more have for a question; empty when they have nothing."""
    summariser: Callable[[str], Awaitable[LanguageModel]] | None = None
    """The model of a name, which summarises in the place of the one that answers."""
    line_writer: Callable[[], LanguageModel] | None = None
    """Gives the model that says in one line what a long answer says, in the place of the one that answers."""
    seeing: "Seeing | None" = None
    """Names the models that see."""
    checker: "CitationChecker | None" = None
    """Says whether passages say a sentence; without it only numbers that were never handed out are struck."""
    prepare: Callable[[], AsyncGenerator[Notice | Progress, None]] | None = None
    """Makes ready for the next turn: files that were changed are read again, and that is told."""
    validator: "Callable[[], Validator | None]" = lambda: None
    """Gives what checks an answer before it is shown; None: it is shown as it comes."""
