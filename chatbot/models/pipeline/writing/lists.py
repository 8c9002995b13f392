"""Lists of passages in answers: an item that stands there, a sentence that enumerates one, and what it forgot of it."""

import re
from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.answer_evidence import Reading
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import same_language
from utils.languages.lexicon import load_lexicon

ITEM_SHARE = 0.8
"""Of an item's words, how many the passage must have."""
WHOLE_HOUR = ("0",)
"""The number that the minutes of a whole hour have: "9 am" is told as "9:00"."""
GIVEN_SHARE = 0.5
"""The same of an attached text, which may be told in other words, and not made up."""
MIN_ITEMS, ITEM_NAME_WORDS = 3, 2
"""Items of a list that a sentence which enumerates them has at least, and words of an item that name it."""
FORGOTTEN_SHARE = 1 / 3
"""Items that were left out of an enumeration for each that it names, up to which they are taken to be forgotten: who
is asked for some of a list alone leaves out more."""
ITEM_SIGN = r"(?:[-*•]|\d{1,2}[.)])"
"""What an item of a list begins with; for a pattern."""
_COUNTED = re.compile(rf"^\s*{ITEM_SIGN}\s+")
_LIST_BLOCK = re.compile(rf"(?:^[^\S\n]*{ITEM_SIGN}[^\S\n]+.+\n?)+", re.MULTILINE)
_LIST_ITEM = re.compile(rf"^[^\S\n]*{ITEM_SIGN}[^\S\n]+(.+)$", re.MULTILINE)

_AS_LIST = re.compile(
    r"\b(?:(?:as|in|into) (?:an? |the )?(?:\w+ )?(?:list|bullets?|bullet points)|bullet(?:ed)? (?:points|list)|"
    r"als (?:eine )?(?:liste|aufzählung)|in stichpunkten|(?:sous forme de|en) liste|en (?:forma de )?lista|"
    r"como (?:una |uma )?lista|come (?:un )?(?:elenco|lista)|in un elenco|em (?:forma de )?lista|em tópicos|"
    r"als (?:een )?lijst|in een lijst|puntsgewijs|jako list[ęa]|w punktach|som (?:en )?list[ae]|i punktform|"
    r"v bodech|jako seznam|liste halinde|madde madde|списком|в виде списка|у вигляді списку)\b|"
    r"列表|列出|箇条書き|リスト",
    re.IGNORECASE,
)


def without_sign(item: str) -> str:
    """An item without what it begins with."""
    return _COUNTED.sub("", item).strip()


def as_item(sentence: str, question: str) -> str:
    """A sentence as a line of a list where the question says, in a dozen languages, that it wants one.

    Small models write sentences where the passage has such.
    """
    is_line = _COUNTED.match(sentence) or not _AS_LIST.search(question)
    return sentence if is_line else f"- {sentence.strip()}\n"


def has_item(text: str, item: str) -> bool:
    """Whether a text has an item of a list: its numbers, and nearly all of its words."""
    return _has_words(text, item, ITEM_SHARE) and set(numbers_in(item)) <= set(numbers_in(text))


def _has_words(text: str, item: str, share: float) -> bool:
    said = word_stems(item)
    return bool(said) and len(said & word_stems(text)) >= share * len(said)


_SAID_OF_LISTS = word_stems(
    "requires needs calls includes contains consists comprises following recipe ingredients items benötigt braucht"
    " enthält besteht umfasst zutaten nécessite contient comprend ingrédients necesita requiere contiene incluye"
    " ingredientes richiede comprende ingredienti nodig bevat ingrediënten precisa contém inclui"
)
"""What a sentence that enumerates may say of its own."""
_LEAVES_OUT = re.compile(
    r"\b(?:not|no|never|leave|except\w*|exclud\w*|extra|without|nicht|kein\w*|außer|ohne|ne|pas|sauf|sans|sin|non|senza"
    r"|não|sem|niet|geen|zonder)\b",
    re.IGNORECASE,
)
"""What stands around a list of what is not meant."""


def source_with_item(reading: Reading, item: str, duties_in: str) -> Sequence[Source] | None:
    """The numbered passage that has an item of a list; None where none has it, nothing where none is needed.

    A list of what has to be done, in the language `duties_in` (ISO 639-1, empty for any other list), is borne out by
    an attached text in that language alone.
    """
    if sources := reading.numbered_sources:
        return [source for source in sources if has_item(source.passage.text, item)][:1] or None
    unchecked = not duties_in or reading.certain or not same_language(reading.text, duties_in)
    return () if unchecked or _may_say_duty(reading.text, item) else None


def _may_say_duty(text: str, item: str) -> bool:
    """Whether an attached text may say what has to be done: half of its words, and its numbers but for a whole hour's
    minutes. What is short, or heads others, no words tell."""
    brief = len(item.split()) <= ITEM_NAME_WORDS or item.endswith(":")
    return brief or (_has_words(text, item, GIVEN_SHARE) and set(numbers_in(item)) <= {*numbers_in(text), *WHOLE_HOUR})


def has_list(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence names at least `MIN_ITEMS` of the items of a list in a text, and nothing that neither list
    nor question has."""
    known = word_stems(text) | word_stems(question)
    enumerates = any(len(_named_items(items, sentence)) >= MIN_ITEMS for items in _lists_in(text))
    # What is not in the price is enumerated too.
    known |= frozenset() if _LEAVES_OUT.search(_LIST_BLOCK.sub("", text)) else _SAID_OF_LISTS
    # What says nothing may stand there too, but for what denies.
    said = telling_words(sentence) | (word_stems(sentence) & load_lexicon().negations)
    return enumerates and said <= known and set(numbers_in(sentence)) <= set(numbers_in(f"{text} {question}"))


def items_behind(text: str, sentence: str) -> list[str]:
    """The items of the list of a text that a sentence announces: "on Monday the water is off in these streets:"."""
    items = list[str]()
    if not sentence.rstrip().endswith((":", "：")):
        return items
    for line in text.partition(sentence)[2].splitlines():
        if found := _LIST_ITEM.match(line):
            items.append(found[1].strip())
        elif line[:1].isspace() and line.strip() and items:
            items[-1] += f" {line.strip()}"
        elif line.strip():
            break
    # Of a list of lists a line does not tell which is of which.
    return [] if any(item.endswith(":") for item in items) else items


def forgotten_items(texts: Sequence[str], told: str) -> tuple[list[str], list[str]]:
    """The list of which an answer names nearly all items, and those of them that it forgot; empty where it forgot none.

    `told` is what was said of the list, `texts` are the passages.
    """
    for items in (items for text in texts for items in _lists_in(text)):
        named = _named_items(items, told)
        forgotten = [item for item in items if item not in named]
        if len(named) >= MIN_ITEMS and 0 < len(forgotten) <= max(1, FORGOTTEN_SHARE * len(named)):
            return items, forgotten
    return [], []


def _lists_in(text: str) -> list[list[str]]:
    """The items of each list of a text, without their signs."""
    return [_LIST_ITEM.findall(found) for found in _LIST_BLOCK.findall(text)]


def _named_items(items: Sequence[str], told: str) -> list[str]:
    """The items of a list whose names stand in what was told."""
    said = word_stems(told)
    stems = {item: word_stems(item) for item in items}
    return [item for item in items if stems[item] and len(stems[item] & said) >= _least_shared(len(stems[item]))]


def _least_shared(words: int) -> float:
    return ITEM_SHARE * min(words, ITEM_NAME_WORDS)
