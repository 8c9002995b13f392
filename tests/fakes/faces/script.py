"""One conversation, word for word, that can be had at every face, and what whoever sits there sees of each turn."""

import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from chatbot.config import Configuration, load_configuration
from chatbot.conversation.events import (
    Answered,
    ContextUsed,
    Notice,
    Progress,
    ToolFinished,
    ToolProgress,
    TurnEvent,
)
from chatbot.conversation.json_events import event_object
from chatbot.conversation.messages import Message, Source
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.models.base import BY_SETTINGS, Piece, ReplyOptions, Thinking
from rag.documents import Document
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.site import Site
from tools.base import ToolSchema

NOTES = Document("/notes/oyster.md", "oyster.md", "The ferry Oyster is painted red and carries 80 people.", "file")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_COUNTED = re.compile(r'(?:\[|"number": )(?P<source>\d)\b|call_(?P<call>\d)')
SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
"""Looks like a token, so whoever sits at the face is asked whether it may leave."""
Reply = Sequence[Piece | BaseException]


@dataclass(frozen=True)
class ScriptedTurn:
    """A question, and what the model says to it, a reply after the other; a reply is given the number to cite."""

    question: str
    replies: tuple[Callable[[int], Reply], ...]
    cites: str = ""
    """Words of the passage that is cited."""
    asks: bool = False
    """Whether what would leave is asked about, and not allowed."""


def conversation(site: Site) -> tuple[ScriptedTurn, ...]:
    """The turns: a plain answer, a search with a page that is opened, what is not allowed, the library, an error."""
    steps = "Gull Point lighthouse lantern room steps"
    museum, missing = site.url("/lighthouse-museum.html"), site.url("/missing")
    return (
        ScriptedTurn("Hello!", (lambda _: says("Hello. ", "What shall we look at?"),)),
        ScriptedTurn(
            "How many steps lead up to the lantern room of the Gull Point lighthouse?",
            (
                lambda _: calls(("web_search", {"query": steps}), text="I look. "),
                lambda _: [
                    Thinking("The museum's page should say it."),
                    *calls(("fetch_url_content", {"url": museum})),
                ],
                lambda number: says("Visitors climb ", f"**142** steps [{number}], ", "or 143 [99]."),
            ),
            cites="142",
        ),
        ScriptedTurn(
            "Can you tell me whether my password is safe?",
            (
                lambda _: calls(("web_search", {"query": SECRET})),
                lambda _: says("I did not look that up, so I cannot tell you."),
            ),
            asks=True,
        ),
        ScriptedTurn(
            "Which colour has the ferry Oyster?",
            (
                lambda _: calls(("search_vector_db", {"query": "colour of the ferry Oyster"})),
                lambda number: says(f"It is red [{number}].\n\n", "```\nprint('red')\n```"),
            ),
            cites="painted red",
        ),
        ScriptedTurn(
            f"What does {missing} say?",
            (
                lambda _: calls(("fetch_url_content", {"url": missing})),
                lambda _: says("There is no such page on that site."),
            ),
        ),
    )


class ConversationModel(ScriptedModel):
    """Says what the script says to the last question: it needs to know nothing of what was said before."""

    def __init__(self, turns: Sequence[ScriptedTurn]) -> None:
        super().__init__([])
        self._turns = turns

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), options: ReplyOptions = BY_SETTINGS
    ) -> AsyncGenerator[Piece, None]:
        place = max(place for place, one in enumerate(messages) if one.role == "user")
        [turn] = [one for one in self._turns if one.question == messages[place].content]
        rounds = sum(one.role == "assistant" for one in messages[place:])
        found = [source for one in messages[place:] for source in one.sources if turn.cites in source.passage.text]
        self.replies = [turn.replies[rounds](found[0].number if turn.cites and found else 0)]
        async for piece in super().reply(messages, tools, options):
            yield piece


class WitnessedEngine(Engine):
    """The real engine with the scripted model; `turns` has all that its chats told, a turn after the other."""

    def __init__(self, configuration: Configuration, script: Sequence[ScriptedTurn]) -> None:
        super().__init__(configuration)
        self.script = script
        self.turns: list[list[TurnEvent]] = []

    async def chat(self, face: Face, person: str = "", **options: Any) -> Chat:
        chat = await super().chat(face, person, **options)
        chat.agent.use_model(ConversationModel(self.script))
        ask = chat.agent.ask

        async def witnessed(question: str, **options: Any) -> AsyncGenerator[TurnEvent, None]:
            told: list[TurnEvent] = []
            self.turns.append(told)
            async with aclosing(ask(question, **options)) as events:
                async for event in events:
                    told.append(event)
                    yield event

        chat.agent.ask = witnessed  # type: ignore[method-assign]
        return chat


async def fill_library(folder: Path) -> None:
    """Put the note into the library of a data folder."""
    library = await Library.open(folder, RagSettings(), WordEmbedder())
    await library.add_all([NOTES])
    await library.close()


def configure(folder: Path, site: Site, **settings: Any) -> Configuration:
    """The settings by which the loopback site is the web."""
    decided = {
        "data_dir": str(folder),
        "backend": "embedded",
        "citations.check": False,
        "search.searxng_url": site.searxng_url,
        "search.engines": [],
        "search.news_engines": [],
        "fetch.allow_hosts": [site.host],
        # When a page has got into the library depends on the time.
        "rag.web_search_rag_enabled": False,
        "show_thinking": True,
    }
    (folder / "config.json").write_text("{}")
    return load_configuration(folder / "config.json", decided | settings, {})


def comparable(turns: Sequence[Sequence[TurnEvent]]) -> list[list[dict[str, Any]]]:
    """What a conversation told, without what depends on the time and what is told of the process."""
    beside = (Progress, ToolProgress, Notice)
    return [as_json([timeless(event) for event in turn if not isinstance(event, beside)]) for turn in turns]


def as_json(turn: Sequence[TurnEvent]) -> list[dict[str, Any]]:
    """Events as a program reads them: a list where Python has a tuple."""
    read: list[dict[str, Any]] = json.loads(json.dumps([event_object(event) for event in turn]))
    return read


def timeless(event: TurnEvent) -> TurnEvent:
    """An event without seconds and days."""
    match event:
        case ContextUsed():
            # Of the last call knows only who made it in the same process.
            return replace(event, cached=0, last_prompt=0)
        case ToolFinished():
            return replace(event, text=_DAY.sub("", event.text), seconds=0.0, sources=_timeless(event.sources))
        case Answered():
            return replace(event, seconds=0.0, cited=_timeless(event.cited), unused=_timeless(event.unused))
    return event


def _timeless(sources: Sequence[Source]) -> tuple[Source, ...]:
    return tuple(replace(one, passage=replace(one.passage, fetched="")) for one in sources)


def numbered_anew(turns: Sequence[Sequence[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """The same as a face tells it that keeps nothing: sources and calls are counted from 1 in each turn.

    How full the window is is left out, as what was found before is not in it.
    """
    return [_counted_anew([event for event in turn if event["event"] != "context_used"]) for turn in turns]


def _counted_anew(turn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    seen: dict[str, list[str]] = {}

    def number(found: re.Match[str]) -> str:
        kind = "call" if found["call"] else "source"
        known = seen.setdefault(kind, [])
        counted = found["call"] or found["source"]
        known += [] if counted in known else [counted]
        return found[0].replace(counted, str(known.index(counted) + 1))

    counted: list[dict[str, Any]] = json.loads(_COUNTED.sub(number, json.dumps(turn)))
    return counted


@dataclass(frozen=True)
class TurnShown:
    """What is seen of a turn at a face; None: what that face cannot show."""

    answer: str | None
    """Its words, without markup."""
    sources: tuple[tuple[int, str], ...] | None
    """Number and title of each that is cited."""
    calls: tuple[tuple[str, bool], ...] | None = None
    """The tools that were called, and whether that went well."""
    thinking: str | None = None
    asked: str | None = None
    """The words of the question whether something may leave, empty where nothing would."""
    found: tuple[tuple[str, ...], ...] | None = None
    """What each call found, or why it found nothing."""


def words(text: str) -> str:
    """Its words alone, so that every markup is the same."""
    return " ".join(re.findall(r"\w+", text))


def must_be_seen(turn: Sequence[dict[str, Any]], asked: str, like: TurnShown) -> TurnShown:
    """What must be seen of a turn at a face that can show as much as in `like`."""
    answered, thought = turn[-1], [event["text"] for event in turn if event["event"] == "thinking_delta"]
    ended = [event for event in turn if event["event"] == "tool_finished"]
    everything = TurnShown(
        words(answered["text"]),
        tuple((source["number"], source["passage"]["title"]) for source in answered["cited"]),
        tuple((event["call"]["name"], event["ok"]) for event in ended),
        words("".join(thought)),
        words(asked),
        tuple(map(what_was_found, ended)),
    )
    return replace(everything, **{name: None for name, value in asdict(like).items() if value is None})


def what_was_found(ended: dict[str, Any]) -> tuple[str, ...]:
    """Titles and sources of what a call found, each once; or why it found nothing."""
    if not ended["ok"]:
        return (ended["text"].partition("\n\n")[0],)
    passages = [source["passage"] for source in ended["sources"]]
    return tuple(dict.fromkeys(f"{one['title']} {one['source']}" for one in passages))
