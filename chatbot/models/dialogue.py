"""What a chat's turns hold: a text that was pasted or attached, web addresses, an answer as the model wrote it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from chatbot.conversation.capitals import with_capitals
from chatbot.conversation.messages import PAGE_ORIGIN, Message, Source
from chatbot.conversation.turns import Turn, split_turns
from chatbot.prompts.loader import read_prompt
from chatbot.prompts.phrases import fill_phrase, phrase_languages
from rag.search.rare_words import telling_words, word_stems
from utils.fence import CONVERSATION, fence_text, find_fences
from utils.languages.message_parts import QUOTED_TEXT, asks_translation
from utils.languages.unmarked_questions import with_question_mark

# A scheme or www, or a host whose last label is letters; one slash or none may follow.
ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'`{}|\\^]+"
    r"|(?<![\w@./-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?![\w@.-])(?:[:/?#][^\s<>\"'`{}|\\^]*)?",
    re.IGNORECASE,
)
_PAGE_MENTION = re.compile(r"""(?<!\S)@(?:"https?://[^"\n]+"|https?://\S*[^\s.,;:!?)\]}'"])""", re.IGNORECASE)
_NAMES_BEHIND = re.compile(r" \([^()]{1,300}\)$")
"""What stands in brackets behind a query: the names that it is about."""
_FILE_MENTION = re.compile(
    r"(?<!\S)@(?!\"?\w+://)(?:\"[^\"\n]{0,200}?|\S{0,200}?)[/\\](?P<name>[^/\\\s\"]{1,120}\"?)(?!\S)"
)
"""The path of a file as it is typed."""
_FILES_BEFORE = re.compile(r"^\s*(?:@(?!\"?\w+://)(?:\"[^\"\n]{1,200}\"|\S{0,200}\.\w{1,8})\s+)+(?=\S+\s+\S)")
"""Files that a message begins with, before at least two words."""
FITS, FAILS = "✓", "✗"
"""What stands behind a thing that keeps to the conditions of a message, and behind one that does not."""
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_QUESTION_END = re.compile(r"[?？؟]\s*$")
_ASKS_OF_TEXT = re.compile(
    r"^\W*(?:(?:please|bitte) )?(?:(?:can|could) you )?(?:please )?(?:tell me|say|find out|sage?|dis|dime|dimmi)\b"
    r"(?=.*\b(?:e-?mail|mail|letter|text|message|note|article|list|post|notice|invitation|contract|brief|nachricht|texte"
    r"|lettre|courriel|carta|correo|mensaje|lettera|messaggio)\b)"
    r".*\b(?:what|when|who|where|which|how|why|whether|was|wann|wer|wo|welche\w?|wie|ob|quand|qui|où|quoi|combien|cuándo"
    r"|quién|dónde|qué|quando|chi|dove|cosa|quanto)\b[^\n]*:\s*$",
    re.IGNORECASE,
)
"""What announces a text in a line that asks something about it: "tell me what I have to bring along:"."""
_GIVES_TEXT = re.compile(
    r"^(?P<asks>[^\n]{0,200}[?？؟]|\W{0,9}(?:what|where|who|which|how|when (?:do|does|is|are|will|can|must|should))\b"
    r"[^?\n]{8,200}?[.,;:–-])[?!.…\s]{0,6}\s(?:and )?"
    r"(?:here(?:['’]s| is| are| comes)|this is (?=what|the|his|her|their)|see below|hier (?:ist|kommt|is|komt)"
    r"|voici|voilà|aquí (?:está|tienes|va)|ecco|aqui (?:está|vai))(?: [^\s.,;:!?]{1,20}){0,5}[.:]?\s{0,3}$",
    re.IGNORECASE,
)
"""What announces a text behind a question: "what do I have to bring? here is her letter"."""
_CODE_LINE = re.compile(
    r"[{};][^\S\n]{0,20}$|^[^\S\n]{0,40}(?:Traceback|File \"|import |def |class |[<#$>])|\w\(\)|[=!<>]=|</",
    re.MULTILINE,
)
_ASKS_OF_QUOTED = re.compile(
    r"[\s,;:.–-]*(?:what|when|where|who|whose|which|how (?:much|many|long|late|far|old)|was|wann|wo|wer|wie ?viel"
    r"|quand|où|combien|cuándo|dónde|cuánto|quando|dove|quanto|wanneer|waar|hoeveel)\b[^?\n]{3,200}\?\s*$",
    re.IGNORECASE,
)
"""What asks something behind such a text."""
INTRODUCING_WORDS = 6
"""Words before it, at most: "from this notice:"."""
QUOTED_WORDS = 12
"""Words of a text in quotation marks, at least, that something may be asked of."""
MAX_ASKING_CHARS, PASTED = 300, 400
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
FACTS_HEAD = "known_about_you"
"""The name of the one before what is remembered of the user."""
NOTHING_CERTAIN = "nothing_certain"
"""The name of the one that stands before what comes nearest, which is no answer."""
_NEAREST_QUOTES = r"[^\n]*(?:\n[^\n“]* – “[^\n]*)*"
"""What stands behind it: a quote, or one for each of several questions in lines of their own."""


def answer_text(turn: Turn) -> str:
    """A turn's answer as the model wrote it, without the numbers that were put into it and the program's own words."""
    return turn.without_cited(without_notices(turn.answer.content)) if turn.answer else ""


def thing_that_fits(answer: str) -> str:
    """The one thing that an answer says to fit, of several that were held against conditions; empty without one."""
    fitting = [line for line in answer.splitlines() if f" {FITS} – " in line]
    return fitting[0].removeprefix("- ").partition(f" {FITS} – ")[0] if len(fitting) == 1 else ""


def without_notices(text: str) -> str:
    """A text without what the program said of where it comes from: a model that reads it says it too."""
    return _notice_pattern().sub("", text).lstrip()


@cache
def _notice_pattern() -> re.Pattern[str]:
    languages = sorted(phrase_languages())
    told = [re.escape(fill_phrase(name, language)) for language in languages for name in NOTICES]
    near = [re.escape(fill_phrase(NOTHING_CERTAIN, language)) + _NEAREST_QUOTES for language in languages]
    heads = "|".join(re.escape(fill_phrase(FACTS_HEAD, language)) for language in languages)
    # What is remembered may stand below it, and is no answer either.
    return re.compile(rf"(?:{'|'.join([*near, *told])})(?:\n\n(?:{heads})(?:\n- [^\n]*)*)?")


def read_turns(messages: Sequence[Message]) -> list[Turn]:
    """The turns of a chat, oldest first, each question with its mark, apart from a text that was pasted with it."""
    turns = _with_earlier_sources(split_turns(messages))
    asked = [marked(apart_from_pasted(without_paths(without_page_addresses(turn.question)))) for turn in turns]
    return [replace(turn, messages=(question, *turn.messages[1:])) for turn, question in zip(turns, asked, strict=True)]


def marked(message: Message) -> Message:
    """A message with the mark of a question where it was typed without."""
    return replace(message, content=with_question_mark(message.content))


def _with_earlier_sources(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, each question with the numbered texts of those before it as well: an answer may still be from them."""
    sources: tuple[Source, ...] = ()
    found = []
    for turn in turns:
        sources += turn.question.sources
        found.append(replace(turn, messages=(replace(turn.question, sources=sources), *turn.messages[1:])))
    return found


def without_page_addresses(message: Message) -> Message:
    """A message in which `@address` is a name as those of files are, where pages came with it.

    An address would be a wish to open what is here already; its title would be a stranger's words among the user's.
    """
    if not any(name.startswith(PAGE_ORIGIN) for name, _ in find_fences(message.note)):
        return message
    return replace(message, content=_PAGE_MENTION.sub("@page", message.content))


def without_paths(message: Message) -> Message:
    """A message in which the files that came with it are called by their names, and left out where they only stand
    before what is said: what is wanted of "@/home/jo/gym.md What does it cost?" the folders do not tell."""
    if "@" not in message.content or not find_fences(message.note):
        return message
    said = _FILES_BEFORE.sub("", message.content)
    return replace(message, content=_FILE_MENTION.sub(lambda path: f"@{path['name'].rstrip(chr(34))}", said))


def apart_from_pasted(message: Message) -> Message:
    """A message whose first or last paragraph asks something about the others, with these as a text that came with it.

    What is pasted is no wish and no question of the user's. Code is left where it is: it is talked about as a whole.
    """
    if apart := _apart_from_quoted(message):
        return apart
    paragraphs = _PARAGRAPHS.split(message.content.strip())
    if len(message.content) < PASTED or len(paragraphs) < 2 or _CODE_LINE.search(message.content):
        return message
    paragraphs[0] = _GIVES_TEXT.sub(lambda found: f"{found['asks'].rstrip(' ?.,;:–-')}?", paragraphs[0])
    for place, asks in ((0, _QUESTION_END), (-1, _QUESTION_END), (0, _ASKS_OF_TEXT)):
        asked = paragraphs[place]
        pasted = "\n\n".join(paragraphs[1:] if place == 0 else paragraphs[:-1])
        if len(asked) <= MAX_ASKING_CHARS and asks.search(asked) and len(pasted) >= PASTED:
            note = "\n\n".join(filter(None, [message.note, fence_text(pasted, "the pasted text")]))
            return replace(message, content=asked, note=note)
    return message


def _apart_from_quoted(message: Message) -> Message | None:
    """A message that asks something of a long text in quotation marks, with this as a text that came with it; None for
    any other: what is to be translated, answered or put otherwise is no source."""
    said = message.content.strip()
    quoted = max(QUOTED_TEXT.finditer(said), key=lambda found: len(found[0]), default=None)
    if quoted is None or len(quoted[0].split()) < QUOTED_WORDS or asks_translation(said) or _CODE_LINE.search(said):
        return None
    before, asked = said[: quoted.start()].rstrip(" :–-"), said[quoted.end() :]
    # What it says is asked for with a word of it; what to think of it, or to reply, is not.
    if not (_ASKS_OF_QUOTED.match(asked) and telling_words(asked) & word_stems(quoted[0])):
        return None
    if len(before.split()) > INTRODUCING_WORDS or "?" in before:
        return None
    asked = f"{before}: {asked.lstrip(' ,;:.–-')}" if before else asked.lstrip(" ,;:.–-")
    note = "\n\n".join(filter(None, [message.note, fence_text(quoted[0][1:-1], "the pasted text")]))
    return replace(message, content=asked, note=note)


def attached_texts(turn: Turn) -> list[tuple[str, str]]:
    """The texts that came with a turn's question, each with its name."""
    return [(name, text) for name, text in find_fences(turn.question.note) if name != CONVERSATION]


def recalled_text(turn: Turn) -> str:
    """What was recalled, for a turn's question, of turns that are not sent any more; empty for nothing."""
    told = [text for name, text in find_fences(turn.question.note) if name == CONVERSATION]
    if told:
        return fence_text("\n".join(told), CONVERSATION)
    note = turn.question.note
    return note.partition("\n\n")[0] if note.startswith(read_prompt("recalled")) else ""


def standing_question(turn: Turn) -> str:
    """A turn's question as it was searched for, which stands alone; as it was typed where nothing was searched.

    Names that were typed small stand there as what was found has them.
    """
    return with_capitals(_searched_question(turn), (source.passage.text for source in turn.sources))


def _searched_question(turn: Turn) -> str:
    queries = dict.fromkeys(str(call.arguments["query"]) for call in turn.first_calls if call.arguments.get("query"))
    if len(queries) < 2:
        return " ".join(queries) or turn.question.content
    # Each may have the names that it is about behind it, or the first of them as a whole: they are said once.
    behind = next(iter(map(_NAMES_BEHIND.search, queries)))
    asked = " ".join(_NAMES_BEHIND.sub("", query) for query in queries)
    return f"{asked}{behind[0]}" if behind else asked


def addresses_in(text: str) -> list[str]:
    """The web addresses of a text, without what ends the sentence that they stand in."""
    return [match.rstrip(".,;:!?)]") for match in ADDRESS.findall(text)]


def known_addresses(turns: Sequence[Turn]) -> list[str]:
    """The web addresses that a chat holds, the latest turn's first: of its texts, then of its passages."""
    found: list[str] = []
    for turn in reversed(turns):
        texts = [turn.question.content, turn.answer.content if turn.answer else ""]
        found += [address for text in texts for address in addresses_in(text)]
        found += [s.passage.source for s in turn.sources if s.passage.source.startswith(("http://", "https://"))]
    return list(dict.fromkeys(found))
