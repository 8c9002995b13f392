"""A tool is one typed function; its signature and docstring give its name, description and JSON schema."""

import asyncio
import inspect
import logging
import re
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from pydantic import ConfigDict, Field, ValidationError, create_model

from rag.documents import Passage
from tools.switches import ToolSwitches
from utils.errors import MagpieError, ToolError, Unsent
from utils.faults import record_fault

log = logging.getLogger("magpie.tools")

TOOL_CALL_SECONDS = 60.0


@dataclass(frozen=True)
class ToolSchema:
    """What a model is told of a tool: name, description and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ToolResult:
    """What a call found: words for the model, and passages, best first, that the conversation will number.

    The agent hands out as many passages as the window has room for.
    """

    text: str
    passages: tuple[Passage, ...] = ()
    links: tuple[str, ...] = ()
    """Addresses that a search engine gave: they may be opened without asking."""


PAGES = 12
"""Pages that one turn opens at most, unless told otherwise."""


@dataclass
class Allowance:
    """How many pages a turn may still open, over all its calls."""

    pages: int = PAGES
    used: int = 0
    refused: int = 0

    def take_pages(self, wanted: int = 1) -> int:
        """How many of so many may be opened; they count as opened from now on."""
        granted = min(wanted, self.pages - self.used)
        self.used += granted
        self.refused += wanted - granted
        return granted

    @property
    def limit_reached(self) -> str:
        """What is said where a page is left unopened for that."""
        return f"This turn has opened {self.pages} pages, as many as one may (max_fetches_per_turn)."


@dataclass
class Keeping:
    """What the calls of a turn put into the library."""

    pages: int = 0
    results: int = 0
    """Search results of which the page was not opened."""


@dataclass
class ToolContext:
    """What a call may know of the turn it belongs to, and what it may do without asking."""

    question: str
    """The user's question, as typed."""
    report: Callable[[str], None] = lambda _: None
    """Tells the user how far a call is, e.g. "iteration 1 of 3"."""
    reword: Callable[[str, str], Awaitable[str]] | None = None
    """Asks the model for the next search query, from the question and what was found so far."""
    allowance: Allowance = field(default_factory=Allowance)
    keeping: Keeping = field(default_factory=Keeping)
    may_send: Callable[[str], bool] = lambda _: True
    """Whether a query that came up within a call may go out: it carries nothing that has to be asked about."""
    answered: asyncio.Event | None = None
    """Is set when the turn has ended: what need not be done before waits for it; None: there is nothing to wait for."""


@dataclass(frozen=True)
class Outcome:
    """How a call ended; `ok` is False where `result.text` tells the model what went wrong."""

    result: ToolResult
    ok: bool
    seconds: float
    unsent: bool = False
    """Nothing of it has gone out, and the same call may now go another way."""


@dataclass(frozen=True)
class Tool:
    """A function with its schema and the validator of its arguments, both from one signature."""

    schema: ToolSchema
    function: Callable[..., Awaitable[ToolResult | str]]
    arguments: Any = field(repr=False)
    wants_context: bool = False
    seconds: float = 0.0
    """That a call may take; 0: as long as any, infinite: it keeps its time itself."""
    shown: Callable[[], str] | None = None
    """The name by which the user knows it just now; None: the one by which the model does."""

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Validate the arguments and call the function; raises `ToolError`."""
        values = validate_arguments(self, arguments)
        result = await (self.function(context, **values) if self.wants_context else self.function(**values))
        return ToolResult(result) if isinstance(result, str) else result


def validate_arguments(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the function takes them, defaults filled in; raises `ToolError` with what is wrong."""
    try:
        return dict(tool.arguments(**arguments))
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise ToolError(f"Wrong arguments for {tool.schema.name}: {wrong}. Call it again with them right.") from error


def tool(function: Callable[..., Awaitable[ToolResult | str]]) -> Tool:
    """Make a tool of a typed async function whose docstring has a summary and an `Args:` section.

    A first parameter annotated `ToolContext` is filled in by Magpie and unknown to the model. Every other parameter
    must be described; `Annotated[int, Field(ge=1, le=5)]` bounds it.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters = dict(inspect.signature(function).parameters)
    context = [name for name in parameters if hints.get(name) is ToolContext]
    summary, described = parse_docstring(inspect.getdoc(function) or "")
    fields: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if name in context:
            continue
        if name not in described:
            raise TypeError(f"{function.__name__}: the parameter {name} has no line under Args")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[name] = (hints[name], Field(default, description=described[name]))
    model = create_model(function.__name__, __config__=ConfigDict(extra="ignore"), **fields)
    schema = ToolSchema(function.__name__, summary, flat_schema(model.model_json_schema()))
    return Tool(schema, function, model, bool(context))


def parse_docstring(doc: str) -> tuple[str, dict[str, str]]:
    """Summary and parameter descriptions of a docstring in Google's form."""
    summary, _, rest = doc.partition("\nArgs:\n")
    described: dict[str, str] = {}
    name = ""
    for line in rest.splitlines():
        match = re.match(r" {4}(\w+): (.*)", line)
        if match:
            name = match[1]
            described[name] = match[2]
        elif name and line.startswith("        "):
            described[name] += " " + line.strip()
    return " ".join(summary.split()), described


def flat_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema without the titles that pydantic adds: small models read every token of it."""
    properties = {
        name: {key: value for key, value in prop.items() if key != "title"}
        for name, prop in schema.get("properties", {}).items()
    }
    return {"type": "object", "properties": properties, "required": schema.get("required", [])}


class Toolbox:
    """The tools of a chat, and the one place where a call is carried out."""

    def __init__(self, tools: Sequence[Tool], seconds: float = TOOL_CALL_SECONDS) -> None:
        self._tools = {tool.schema.name: tool for tool in tools}
        self._seconds = seconds
        self.chooser: Callable[[str, Collection[str]], Awaitable[None]] | None = None
        """Adds what is best for a conversation: is given its first question and the names of tools called in it."""
        self.switches = ToolSwitches()

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """The schemas of all tools that are on, in their order."""
        return tuple(tool.schema for name, tool in self._tools.items() if self.is_on(name))

    @property
    def taken_names(self) -> frozenset[str]:
        """The names by which models know all tools, whether or not they are on: no other tool can have them."""
        return frozenset(self._tools)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, by which the user knows them, whether or not they are on; without useless ones."""
        shown = (self.shown_name(name) or name for name in self._tools)
        return tuple(name for name in shown if not self.switches.is_useless(name))

    def describe_all(self) -> dict[str, str]:
        """What each of them does, by these names."""
        told = {self.shown_name(name) or name: tool.schema.description for name, tool in self._tools.items()}
        return {name: told[name] for name in self.names}

    def is_on(self, name: str) -> bool:
        """Whether there is such a tool, and it is on."""
        return name in self._tools and self.switches.is_on(name, self.shown_name(name) or name)

    def add_tools(self, tools: Sequence[Tool]) -> None:
        """Offer more tools, behind those that there are; none is ever replaced."""
        for tool in tools:
            self._tools.setdefault(tool.schema.name, tool)

    def drop_tools(self, names: Collection[str]) -> None:
        """Offer some no longer."""
        self._tools = {name: tool for name, tool in self._tools.items() if name not in names}

    async def choose_tools(self, question: str, called: Collection[str]) -> None:
        """Add the tools that are best for a conversation, by its first question, and those that it knows already."""
        if self.chooser:
            await self.chooser(question, called)

    def shown_name(self, name: str) -> str:
        """The name by which the user knows a tool of that name, where it is another; else empty."""
        shown = self._tools[name].shown if name in self._tools else None
        return shown() if shown else ""

    def accepts_call(self, name: str, arguments: dict[str, Any]) -> bool:
        """Whether there is such a tool and the arguments fit its schema."""
        try:
            validate_arguments(self._tools[name], arguments)
        except (KeyError, ToolError):
            return False
        return self.is_on(name)

    async def execute_call(self, name: str, arguments: dict[str, Any], context: ToolContext) -> Outcome:
        """Carry out a call within its time; every failure becomes words that the model can act on."""
        start, about = time.monotonic(), {"tool": self.shown_name(name) or name, "arguments": arguments}
        log.debug("call", extra={"data": about})
        seconds, unsent = (name in self._tools and self._tools[name].seconds) or self._seconds, False
        try:
            async with asyncio.timeout(seconds):
                result, ok = await self._run_tool(name, arguments, context), True
        except TimeoutError:
            result, ok = (
                ToolResult(f"{name} took longer than {seconds:.0f} s. Try something narrower."),
                False,
            )
        except ToolError as error:
            result, ok, unsent = ToolResult(str(error)), False, isinstance(error, Unsent)
        except MagpieError:
            raise
        except Exception as error:  # noqa: BLE001 - what nobody foresaw in a tool ends this call alone
            result, ok = ToolResult(f"{record_fault(error, name).problem} Do without it."), False
        seconds = time.monotonic() - start
        ended = {"ok": ok, "seconds": round(seconds, 3)} | ({} if ok else {"told": result.text})
        log.info("call", extra={"data": about | ended})
        return Outcome(result, ok, seconds, unsent)

    async def _run_tool(self, name: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        if not self.is_on(name):
            offered = ", ".join(schema.name for schema in self.schemas)
            raise ToolError(f"There is no tool {name!r}. The tools are: {offered}.")
        return await self._tools[name].run(arguments, context)
