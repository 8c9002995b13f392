"""The system prompt, rendered from the tools that are on and the user's instructions; prompts/*.md hold the words."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from chatbot.conversation.messages import Attachment, Message, Source
from chatbot.prompts.loader import FOLDER, read_prompt
from chatbot.settings import AgentSettings
from tools.base import ToolSchema
from utils.errors import ConfigError, FileUnreadable
from utils.files import expand_home, read_text

LONGEST_FILE = 1_000_000
"""Bytes of a file with words for the model; more fits no window."""


def _local_now() -> datetime:
    return datetime.now().astimezone()


def user_instructions(settings: AgentSettings, further: str = "") -> str:
    """The user's own instructions, and further ones of theirs; raises `ConfigError` when their file cannot be read."""
    parts = [settings.system_prompt.strip()]
    if settings.system_prompt_file:
        try:
            parts.append(read_text(expand_home(settings.system_prompt_file), LONGEST_FILE).strip())
        except FileUnreadable as error:
            raise ConfigError(f"system_prompt_file {error.problem}", "Mend or unset it.") from error
    return "\n\n".join(part for part in [*parts, further.strip()] if part)


class Briefing:
    """What the model is told besides the conversation."""

    def __init__(
        self,
        own: str = "",
        library: Callable[[], Awaitable[str]] | None = None,
        now: Callable[[], datetime] = _local_now,
        memory: Callable[[], str] = str,
        profile: Callable[[Sequence[ToolSchema]], str] = lambda tools: "",
    ) -> None:
        """`profile` gives what the profile in force tells a model that is offered these tools."""
        self._own = own
        self._library = library
        self._now = now
        self._memory = memory
        self._profile = profile

    @property
    def wishes(self) -> str:
        """What is wanted of every answer, by the profile and the user, and what is remembered of them."""
        return f"{self._profile(())}\n{self._own}\n{self._memory()}"

    def system_message(self, tools: Sequence[ToolSchema]) -> Message:
        """The system message: the same for a whole session, so that the server's prompt cache holds."""
        parts = [read_prompt("system")]
        if tools:
            parts.append(read_prompt("outside"))
            guidance = (f"tools/{tool.name}" for tool in tools)
            parts += [
                read_prompt("tools"),
                "\n".join(read_prompt(name) for name in guidance if (FOLDER / f"{name}.md").exists()),
            ]
            parts.append(read_prompt("citing"))
        parts += [self._profile(tools), self._own, self._memory()]
        return Message("system", "\n\n".join(part for part in parts if part))

    def attach_texts(
        self, attachments: Sequence[Attachment], sources: Sequence[Source], tools: Sequence[ToolSchema]
    ) -> list[str]:
        """Texts that come with a question, and before what tools find; those that are `sources` below their numbers.

        Without tools, with what their marks mean, which the system message then does not say.
        """
        texts = [one for one in attachments if not one.picture]
        if not texts:
            return []
        citing = [read_prompt("attached_numbers")] if sources else []
        marks = {(source.passage.source, source.passage.text): f"[{source.number}]\n" for source in sources}
        told = [marks.get((one.passage.source, one.text), "") + one.prompt_text for one in texts]
        return [read_prompt("attached" if tools else "outside"), *citing, *told]

    async def turn_news(self) -> str:
        """What changes from turn to turn and therefore stands in the last user message."""
        library = await self._library() if self._library else ""
        return f"(Today is {self._now():%A, %d %B %Y}.{' ' + library if library else ''})"
