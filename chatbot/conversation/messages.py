"""What is said in a conversation: plain values that know nothing of servers, disk or screen."""

from dataclasses import dataclass, field
from typing import Any, Literal

from rag.documents import Passage, Picture
from utils.fence import fence_text

LIBRARY_TOOL = "search_vector_db"
"""The tool that searches the library."""
SKILL_TOOL = "use_skill"
"""The tool that brings instructions of the user's; every chat has it, so that no other program's takes its name."""

PAGE_ORIGIN = "the page "
"""What the origin of an attached web page begins with: its title and its address follow."""

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ToolCall:
    """A model's wish to call a tool."""

    name: str
    arguments: dict[str, Any]
    id: str = ""
    """Unique within a conversation once the agent has taken the call; what a server sent before."""
    shown: str = ""
    """The tool's name as the user knows it, where that is another."""

    @property
    def label(self) -> str:
        """What the user is shown: `server.tool` for a tool of another program."""
        return self.shown or self.name


@dataclass(frozen=True)
class Source:
    """A passage with the number under which the conversation knows it."""

    number: int
    passage: Passage


@dataclass(frozen=True)
class Attachment:
    """A text or a picture that goes with a question."""

    name: str
    text: str
    """Of a picture, what is written in it, as far as it was read."""
    kind: str = "file"
    """What it is: a `file`, a `page` of the web, or a `resource` of an MCP server."""
    picture: Picture | None = None
    address: str = ""
    """Of a page, the one to which it led; its name has its title before it."""
    is_source: bool = True
    """Whether an answer may cite it; not where it is a part of what was asked, as standard input is."""

    @property
    def passage(self) -> Passage:
        """The text as a passage that can be cited."""
        title = self.name.removesuffix(f" ({self.address})") if self.address else self.name
        return Passage(self.text, self.address or self.name, title, "web" if self.address else "file")

    @property
    def measure(self) -> str:
        """How much of it there is, for the user: `1,200 characters`, or `800×600`."""
        return self.picture.size if self.picture else f"{len(self.text):,} characters"

    @property
    def prompt_text(self) -> str:
        """The text that the model is sent."""
        return fence_text(self.text, f"the {self.kind} {self.name}")


@dataclass(frozen=True)
class Message:
    """One message.

    `note` is what Magpie adds for the model alone (date, state of the library); it stays with its message, so that
    the prompt's beginning is the same from call to call. `sources` are the passages that a tool's result handed out,
    or the texts that go with a question; `content` of a tool message already holds their text with their numbers, as
    the note of a question does.
    """

    role: Role
    content: str
    note: str = ""
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_name: str = ""
    call_id: str = ""
    sources: tuple[Source, ...] = ()
    links: tuple[str, ...] = ()
    """Addresses that a search engine, not a page, gave with a tool's result."""
    failed: bool = False
    """A tool could not do what it was called for; `content` says why."""
    seconds: float = field(default=0.0, compare=False)
    """That a tool took; two messages that differ in nothing else are the same."""
    interrupted: bool = False
    pictures: tuple[Picture, ...] = ()
    """What goes with a question for models that see; which of them is sent is said by `chatbot.window.pictures`."""
    origin: str = ""
    """Where a message comes from if it was not said here: `an imported conversation`; or the words of a question if the
    user did not write them: `the prompt files.summarise`."""

    @property
    def is_question(self) -> bool:
        """Whether a turn begins with it."""
        return self.role == "user"

    @property
    def is_answer(self) -> bool:
        """Whether it ends a turn: the assistant's, and no call."""
        return self.role == "assistant" and not self.tool_calls

    @property
    def is_result(self) -> bool:
        """Whether it is what a tool brought."""
        return self.role == "tool"

    @property
    def is_said(self) -> bool:
        """Whether it is a question or an answer: neither a call nor a result, and not cut off."""
        return (self.is_question or self.is_answer) and not self.interrupted and bool(self.content.strip())

    @property
    def speaker(self) -> str:
        """Who said it, as a prompt names them."""
        return "User" if self.is_question else "Assistant"

    @property
    def prompt_text(self) -> str:
        """The text that the model is sent; what a tool brought stands in a fence, but for the user's skills."""
        if self.is_result and (self.tool_name != SKILL_TOOL or self.origin):
            return fence_text(self.content, self.tool_name)
        return f"{self.content}\n\n{self.note}" if self.note else self.content
