"""The messages of a chat read as turns: a question, what was called and found, an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.prompts.loader import read_prompt
from chatbot.prompts.phrases import phrase, phrase_languages
from utils.untrusted import CONVERSATION, fenced, fences

# A scheme or www, or a host whose last label is letters; one slash or none may follow.
ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'`{}|\\^]+"
    r"|(?<![\w@./-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?![\w@.-])(?:[:/?#][^\s<>\"'`{}|\\^]*)?",
    re.IGNORECASE,
)
_CITED = re.compile(r" ?\[(\d+)\]")
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_ASKED = re.compile(r"[?？؟]\s*$")
_CODE = re.compile(
    r"[{};][^\S\n]{0,20}$|^[^\S\n]{0,40}(?:Traceback|File \"|import |def |class |[<#$>])|\w\(\)|[=!<>]=|</",
    re.MULTILINE,
)
ASKING, PASTED = 300, 400
"""Characters of a question that a text was pasted below at most, and of such a text at least."""


NOTICES = (
    "no_network",
    "offline_switched",
    "from_model",
    "nothing_found",
    "nothing_in_files",
    "nothing_on_web",
    "nothing_in_attachment",
)
"""Names of the phrases that stand before an answer without a source, or in its place."""


@dataclass
class Turn:
    """One question with what came of it so far."""

    question: Message
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    answer: Message | None = None
    first_calls: list[ToolCall] = field(default_factory=list)
    """Of the calls those that were made at once, before anything was found."""

    @property
    def sources(self) -> list[Source]:
        """The passages that this turn's calls handed out, each once, in their order."""
        return self.first_sources(None)

    def first_sources(self, count: int | None) -> list[Source]:
        """Of each call's passages that many, each once."""
        found = {source.number: source for message in self.results for source in message.sources[:count]}
        return list(found.values())

    @property
    def cited(self) -> list[Source]:
        """The passages whose numbers stand in the answer: those that say it."""
        numbers = map(int, _CITED.findall(self.answer.content)) if self.answer else ()
        known = {source.number: source for source in self.sources}
        return [known[number] for number in dict.fromkeys(numbers) if number in known]

    @property
    def answer_text(self) -> str:
        """The answer as the model wrote it, without the numbers that were put into it and the program's own words."""
        text = without_notices(self.answer.content) if self.answer else ""
        numbers = {str(source.number) for source in self.cited}
        return _CITED.sub(lambda match: "" if match[1] in numbers else match[0], text).rstrip() if numbers else text


def without_notices(text: str) -> str:
    """A text without what the program said of where it comes from: a model that reads it says it too."""
    return _notices().sub("", text).lstrip()


@cache
def _notices() -> re.Pattern[str]:
    told = (phrase(name, language) for language in sorted(phrase_languages()) for name in NOTICES)
    return re.compile("|".join(map(re.escape, told)))


def read_turns(messages: Sequence[Message]) -> list[Turn]:
    """The turns of a chat, oldest first; what stands before the first question is left out."""
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user":
            turns.append(Turn(apart_from_pasted(message)))
        elif not turns or message.role == "system":
            continue
        elif message.role == "tool":
            turns[-1].results.append(message)
        elif message.tool_calls:
            turns[-1].first_calls = turns[-1].first_calls or list(message.tool_calls)
            turns[-1].calls += message.tool_calls
        else:
            turns[-1].answer = message
    return turns


def apart_from_pasted(message: Message) -> Message:
    """A message whose first or last paragraph asks something about the others, with these as a text that came with it.

    What is pasted is no wish and no question of the user's. Code is left where it is: it is talked about as a whole.
    """
    paragraphs = _PARAGRAPHS.split(message.content.strip())
    if len(message.content) < PASTED or len(paragraphs) < 2 or _CODE.search(message.content):
        return message
    for place in (0, -1):
        asked = paragraphs[place]
        pasted = "\n\n".join(paragraphs[1:] if place == 0 else paragraphs[:-1])
        if len(asked) <= ASKING and _ASKED.search(asked) and len(pasted) >= PASTED:
            note = "\n\n".join(filter(None, [message.note, fenced(pasted, "the pasted text")]))
            return replace(message, content=asked, note=note)
    return message


def attached_texts(turn: Turn) -> list[tuple[str, str]]:
    """The texts that came with a turn's question, each with its name."""
    return [(name, text) for name, text in fences(turn.question.note) if name != CONVERSATION]


def recalled_text(turn: Turn) -> str:
    """What was recalled, for a turn's question, of turns that are not sent any more; empty for nothing."""
    told = [text for name, text in fences(turn.question.note) if name == CONVERSATION]
    if told:
        return fenced("\n".join(told), CONVERSATION)
    note = turn.question.note
    return note.partition("\n\n")[0] if note.startswith(read_prompt("recalled")) else ""


def standing_question(turn: Turn) -> str:
    """A turn's question as it was searched for, which stands alone; as it was typed where nothing was searched."""
    queries = [str(call.arguments["query"]) for call in turn.first_calls if call.arguments.get("query")]
    return " ".join(dict.fromkeys(queries)) or turn.question.content


def addresses_in(text: str) -> list[str]:
    """The web addresses of a text, without what ends the sentence that they stand in."""
    return [match.rstrip(".,;:!?)]") for match in ADDRESS.findall(text)]


def addresses(turns: Sequence[Turn]) -> list[str]:
    """The web addresses that a chat holds, the latest turn's first: of its texts, then of its passages."""
    found: list[str] = []
    for turn in reversed(turns):
        texts = [turn.question.content, turn.answer.content if turn.answer else ""]
        found += [address for text in texts for address in addresses_in(text)]
        found += [s.passage.source for s in turn.sources if s.passage.source.startswith(("http://", "https://"))]
    return list(dict.fromkeys(found))
