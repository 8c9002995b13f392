"""What the steps are handed from outside: a look into the library, the user's own instructions, tools, the day."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date

from chatbot.models.pipeline.decision.tool_choice import LibraryLook
from chatbot.models.pipeline.worked_out.computing import Compute
from chatbot.models.pipeline.writing.given import Supports


async def _believe_all(*_: object) -> bool:
    return True


async def _no_guide(_: str) -> str:
    return ""


async def _no_facts() -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class PipelineContext:
    """What the steps are handed from outside; without it they have no library, no memory and no tools of their own."""

    look: Callable[[str], Awaitable[LibraryLook]] | None = None
    """A quick look into the library."""
    instructions: Callable[[], str] = str
    """The user's own, as they are now."""
    facts: Callable[[], Awaitable[Sequence[str]]] = _no_facts
    """What is remembered of the user now."""
    compute: Compute | None = None
    """Works out arithmetic and dates."""
    supports: Supports = _believe_all
    """Whether passages say a sentence."""
    guide: Callable[[str], Awaitable[str]] = _no_guide
    """The user's instructions for what a message asks; empty where there are none for it."""
    today: Callable[[], date] = date.today


NO_CONTEXT = PipelineContext()
"""Nothing from outside: no library, no memory, no tools."""
