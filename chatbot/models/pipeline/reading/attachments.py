"""Texts that came with a question, as evidence: they come before the library and the web."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from chatbot.conversation.messages import PAGE_ORIGIN, Source
from chatbot.conversation.turns import Turn
from chatbot.models.dialogue import attached_texts
from chatbot.models.pipeline.comparing import compares
from chatbot.models.pipeline.reading.answer_evidence import Reading, choose_passages, join_evidence
from chatbot.models.pipeline.reading.calendar.timetables import without_other_days
from chatbot.models.pipeline.reading.condensing import ROOM, condense_text
from chatbot.models.pipeline.reading.editions import years_in
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.tables.columns import ColumnAnswer, answer_from_columns
from chatbot.prompts.fewshot import clip_middle
from rag.chunk_size import ChunkShape
from rag.chunking import split_text
from rag.documents import Origin, Passage
from rag.search.rare_words import telling_words, word_stems
from utils.languages.question_words import asking_part

_CODE_FILE = re.compile(
    r"\.(?:py|js|ts|tsx|c|cc|cpp|h|rs|go|java|kt|sh|rb|php|sql|lua|r|diff|patch|log)$", re.IGNORECASE
)
"""Names of texts of which one line says nothing without the others."""
LENIENT = 1.5
"""What is added to the score of a text that the user attached: it is probably what the question is about. Set in
proportion to what was fitted for other weights: of 16 questions that five such texts answer 13 passed, of 13 two."""
MADE_FROM = 0.4
"""The share of an answer's telling words that a text which it was made from has."""
_PAGE_NAME = re.compile(rf"{PAGE_ORIGIN}(?P<title>.*) \((?P<address>\S+?)\)?")
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_PATH_AND_SUFFIX = re.compile(r"^.*[/\\]|\.\w{1,5}$|_")
"""What of a path is no word of a name: its folders, its ending, what stands between words."""
_PART_OF_TEXT = re.compile(
    r"\bthe (?:\w+ )?(?:(?:part|bit)s? about|(?:section|paragraph|passage|chapter)s? (?:about|on|with|of|that))\b",
    re.IGNORECASE,
)
"""What a message in English has that speaks of a part of a text."""
SHORT_TEXT_CHARS = 1600
"""Characters of a text that is read whole: once read it is kept for the next question about it."""
WHOLE_TEXT_FORMS = ("summary", "list", "explain")
"""Forms of answers for which a text is read as far as there is room."""
OWN_WORDS = "text"
"""The form of an answer that a model writes of its own."""


def latest_texts(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """The texts of the last turn that had any, each with its name."""
    for turn in reversed(turns):
        if texts := attached_texts(turn):
            return texts
    return []


def is_about_text(turns: Sequence[Turn]) -> bool:
    """Whether a text came with an earlier message, and nothing was looked up since."""
    for turn in reversed(turns[:-1]):
        if attached_texts(turn):
            return True
        if turn.calls:
            return False
    return False


_SUMS_UP_TEXT = re.compile(
    r"\W*(?:please |can you |could you |bitte |kannst du |peux-tu |puoi |puedes )?"
    r"(?:summari[sz]e|sum up|(?:give me |write )?an? (?:short |brief )?summary of|tl;?dr of|fasse?|résume[rz]?|resume"
    r"|riassumi|vat) (?:me |mir |uns )?"
    r"(?:(?:the|that|this) (?:letter|e-?mail|file|document|notice|leaflet|text|contract|report)"
    r"|(?:den|der|das|die|diese[nrs]?) (?:brief|e-?mail|datei|dokument|schreiben|text|vertrag)"
    r"|(?:la|cette) lettre|(?:le|ce) (?:fichier|document|texte|courrier)|(?:la|esta) carta"
    r"|(?:el|este) (?:documento|texto)|(?:la|questa) lettera|(?:il|questo) (?:documento|testo)|(?:de|deze) brief)"
    r"(?=\W*$|,? (?:please|pls|bitte|in |for me|kurz|zusammen|auf |en |samen))",
    re.IGNORECASE,
)
"""What wants a text summed up that came with an earlier message, whatever its file is called."""


def names_one(message: str, texts: Sequence[tuple[str, str]]) -> bool:
    """Whether a message has a word of a text's name, speaks of a part, or wants the one text summed up."""
    if texts and _PART_OF_TEXT.search(message):
        return True
    if len(texts) == 1 and _SUMS_UP_TEXT.match(message):
        return True
    names = " ".join(_PATH_AND_SUFFIX.sub(" ", _text_title(name)) for name, _ in texts)
    return bool(telling_words(message) & telling_words(names)) if names.strip() else False


def is_made_from(answer: str, texts: Sequence[tuple[str, str]]) -> bool:
    """Whether an answer has at least `MADE_FROM` of its words from the texts; one that says nothing may have."""
    words, known = telling_words(answer), word_stems(" ".join(text for _, text in texts))
    return len(words & known) >= MADE_FROM * len(words)


async def worked_on(finder: EvidenceFinder, texts: Sequence[tuple[str, str]], form: str) -> str:
    """The texts as a whole, where one of them is code or something is to be made of them; empty for a question.

    A long one is condensed, of code the beginning is taken; several files that have no room together are searched
    like other texts. Raises `EmbedderUnavailable`.
    """
    together = _join_texts([(name, text) for name, text in texts if text.strip()])
    if any(_CODE_FILE.search(name) for name, _ in texts) and (len(texts) == 1 or len(together) <= ROOM):
        return clip_middle(together, ROOM)
    return await condense_text(finder, together) if form == OWN_WORDS else ""


async def read_attached(
    finder: EvidenceFinder,
    texts: Sequence[tuple[str, str]],
    wordings: Sequence[tuple[str, str]],
    form: str,
    numbered: Sequence[Source] = (),
) -> list[Reading]:
    """What the texts have for a question, the likelier first: what is nearest to it, and short texts whole.

    For a summary and its like they are read as a whole, long ones condensed. `numbered` are texts that can be cited.
    What is asked of a whole column of a table is worked out. `wordings` are the question as it was said and, at last,
    as it stands alone, each with what it is in English, empty for English.
    """
    question = wordings[-1][0]
    texts = [(name, text) for name, text in texts if text.strip()]
    if not texts:
        return []
    parts = {text: await _cut_sources(name, text) for name, text in texts}
    sources = [source for each in parts.values() for source in each]
    given = [
        replace(part, number=whole.number)
        for whole in dict.fromkeys(numbered)
        for part in parts.get(whole.passage.text, ())
    ]
    if column := _answer_of_column(wordings, _texts_of_year(question, texts)):
        worked_out = Reading(column.told, outside=column.stands_there, quote=column.told, certain=True)
        if not column.stands_there:
            return [worked_out]
        return [replace(worked_out, sources=tuple(sources), given=tuple(given), decisive=column.decisive)]
    ranked = await finder.rank_evidence(question, sources)
    asked = (await finder.embed_texts([question]))[0]
    weighed = [row for evidence in ranked for row in evidence.rows]
    together = _join_texts([(name, without_other_days(question, text, weighed)) for name, text in texts])
    nearest = join_evidence(choose_passages(asked, ranked, form), asked) if ranked else Reading("")
    nearest = replace(nearest, given=tuple(given))
    wide = form in WHOLE_TEXT_FORMS or not ranked or len(together) <= SHORT_TEXT_CHARS
    if not wide and len(together) > ROOM:
        return [nearest]
    whole = replace(nearest, text=await condense_text(finder, together), sources=tuple(sources))
    return [whole] if wide else [nearest, whole]


def _answer_of_column(wordings: Sequence[tuple[str, str]], texts: Sequence[tuple[str, str]]) -> ColumnAnswer | None:
    """What the one table of some texts says of a whole column; what is told before the question asks nothing of it."""
    title, contents = " ".join(_text_title(name) for name, _ in texts), [text for _, text in texts]
    asked = [(asking_part(said), asking_part(english)) for said, english in wordings]
    return next(filter(None, (answer_from_columns(*wording, contents, title) for wording in asked)), None)


def _texts_of_year(question: str, texts: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """The texts that are called after a year of the question where all are called after one, of two years' tables the
    one; else all, and for a question that compares."""
    years, named = years_in(question), [years_in(_text_title(name)) for name, _ in texts]
    if not all(named) or (compares(question) and _THAN.search(question)):
        return texts
    return [pair for pair, of in zip(texts, named, strict=True) if years & of] or texts


def _join_texts(texts: Sequence[tuple[str, str]]) -> str:
    return "\n\n".join(f"{_text_title(name)}:\n{text}" for name, text in texts)


async def _cut_sources(name: str, text: str) -> list[Source]:
    chunks = await asyncio.to_thread(split_text, text, "text/plain", ChunkShape(), None)
    title, page = _text_title(name), _PAGE_NAME.fullmatch(name)
    source = page["address"] if page else title
    kind: Origin = "web" if page else "file"
    return [Source(0, Passage(chunk.text, source, title, kind, chunk.index, len(chunks))) for chunk in chunks]


def _text_title(name: str) -> str:
    """The name of a text without what kind of thing it is; of a page its title."""
    if page := _PAGE_NAME.fullmatch(name):
        return page["title"]
    return name.removeprefix("the file ").removeprefix("the resource ")
