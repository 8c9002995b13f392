"""What the calls of a turn brought, or attached texts have, for each part of its question: what comes nearest, and what
answers it."""

import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from chatbot.conversation.messages import Source
from chatbot.conversation.turns import Turn
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.comparing import compares
from chatbot.models.pipeline.decision.arguments import in_language
from chatbot.models.pipeline.decision.going_on import names_something
from chatbot.models.pipeline.decision.names import names_in, new_names
from chatbot.models.pipeline.decision.pointing import points_back
from chatbot.models.pipeline.parts import Part, asks_of_another_time, asks_place
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.answer_evidence import (
    ALTERNATIVES,
    UNASKED_SHARE,
    Reading,
    find_alternatives,
    find_document,
    find_reading,
    read_sources,
)
from chatbot.models.pipeline.reading.answerability import VERDICTS, holds_answer, measured_value
from chatbot.models.pipeline.reading.attachments import LENIENT, read_attached
from chatbot.models.pipeline.reading.choosing.likeliest import likeliest_readings, with_chosen_quote
from chatbot.models.pipeline.reading.choosing.lines import PassageQuery
from chatbot.models.pipeline.reading.evidence import PASSAGES_COMPARED, EvidenceFinder
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_of_kind, new_figures
from rag.search.rare_words import telling_words, word_stems
from utils.languages.detection import language_of, same_language

ONE_THING = ("fact", "yesno")
"""Forms of answers that one passage has."""

_ASKS_BY_ITSELF = re.compile(
    r"\W*(?:(?:and|but|so|then) )?(?:am|is|are|was|were|do|does|did|can|could|may|must|will|would|should|has|have|who"
    r"|whose|when|where|which|why|how (?!about\b))\w* +(?:\w+\W+){2}",
    re.IGNORECASE,
)
"""What a question in English begins with that says all that it asks but of what: "may I bring my dog?"."""
_TELLS_OF_HER = re.compile(r"\W*(?:he|she|they|his|her|their)\b", re.IGNORECASE)
CHOSEN = (*ONE_THING, "several", "explain")
"""Forms of answers that begin with one sentence, which the model chooses."""
READ_FIRST = 2
"""Passages of each call that tell the language of what was found."""
SAME_MESSAGE = 1.2
"""What is added to the score of passages that answered another part of the message: they are what it is about."""


async def nearest_parts(finder: EvidenceFinder, at: Situation) -> tuple[Part, ...]:
    """What the calls brought that is nearest to each part of the question, whether it answers it or not."""
    intent, parts = at.intent, []
    if intent.decision.form == "summary":
        whole = await find_document(finder, at.last_turn, intent.question, "summary")
        if whole:
            return at.as_one_part(whole, read=False)
    for question in intent.parts:
        form, other = intent.form_of(question), at.other_wording(question)
        if reading := await find_reading(finder, at.last_turn, question, form, other):
            parts.append(Part(question, form, reading))
    if _says_all(parts):
        # Taken apart, one sentence that has what all of them ask would be told twice and by halves.
        return (Part(intent.question, "several", parts[0].reading),)
    return tuple(parts)


def _says_all(parts: Sequence[Part]) -> bool:
    """Whether one sentence is the nearest to several questions in English for one thing each, all of different kinds,
    and says these: "Concert: 8 May, town hall" to when and where the concert is."""
    quotes, kinds = {part.reading.quote for part in parts}, [expected_kind(part.question) for part in parts]
    if len(parts) < 2 or len(quotes) > 1 or "" in quotes or len(set(kinds)) < len(kinds):
        return False
    return all(map(_says_kind, parts, kinds))


def _says_kind(part: Part, kind: Kind) -> bool:
    quote = part.reading.quote
    if part.form != "fact" or compares(part.question):
        return False
    if kind is Kind.ANYTHING:
        return bool(telling_words(part.question) & word_stems(quote))
    # Who "she" is another sentence says, and whom this one names is somebody else.
    named = kind is not Kind.PERSON or (bool(new_names(quote, part.question)) and not _TELLS_OF_HER.match(quote))
    return named and is_of_kind(quote, kind, part.question)


async def answering_parts(
    model: LanguageModel, finder: EvidenceFinder, at: Situation, found: Sequence[Part]
) -> tuple[Part, ...]:
    """What the calls brought that answers the question, or at least a part of it."""
    asked = list[Part]()
    for index, part in enumerate(found):
        # Of several questions each has one reading that is asked about: the next ones wait for their turn.
        readings = await _readings_of(model, finder, at, part, ALTERNATIVES if len(found) == 1 else 1)
        for reading in readings:
            english = at.english_of(part.question)
            if await holds_answer(model, reading, part.question, part.form, english=english):
                # What comes after it is asked about when it is written: the model then reads each passage once.
                return (*asked, replace(part, reading=reading, read=True), *found[index + 1 :])
        asked.append(replace(part, reading=readings[0], chosen=True))
    for one in (await own_part(finder, at), await _part_of_page_before(finder, at)):
        if one and await holds_answer(model, one.reading, one.question, one.form, english=at.english_of(one.question)):
            return (replace(one, read=True),)
    form = at.intent.decision.form
    if form in ONE_THING:
        return ()
    document = await find_document(finder, at.last_turn, at.intent.question, form)
    return at.as_one_part(document) if document else ()


async def part_of_texts(
    model: LanguageModel,
    finder: EvidenceFinder,
    at: Situation,
    texts: Sequence[tuple[str, str]],
    question: str,
    leniency: float = LENIENT,
) -> Part:
    """What attached texts have for a question, read if they answer it: a request for a text as a whole they do."""
    form, numbered = at.intent.form_of(question), at.last_turn.question.sources
    wordings = at.wordings_of(question)
    nearest = Reading("")
    for reading in await read_attached(finder, texts, wordings, form, numbered):
        if form in ONE_THING:
            reading = await with_chosen_quote(model, finder, reading, *wordings[-1])
        broad = reading.certain or not asks_place(form, wordings[-1][1] or question)
        if broad or await holds_answer(model, reading, question, form, leniency):
            # What a whole column says is one thing, however it was asked for.
            return Part(question, "fact" if reading.certain else form, reading, read=True)
        nearest = nearest if nearest.text else reading
    return Part(question, form, nearest)


async def read_part(
    model: LanguageModel, finder: EvidenceFinder, at: Situation, part: Part, answered: Part | None
) -> AsyncGenerator[Part, None]:
    """One of several parts with what may answer it, the likelier first; `answered` is the one answered last."""
    if answered and (same := await _in_same_reading(model, part, answered)):
        yield same
    if part.read or part.chosen:
        yield part
    else:
        yield await likeliest_part(model, finder, at, part)
    if answered and (beside := await _beside_answer(model, finder, at, part, answered)):
        yield beside


async def likeliest_part(model: LanguageModel, finder: EvidenceFinder, at: Situation, part: Part) -> Part:
    """A part with what likeliest answers it."""
    return replace(part, reading=(await _readings_of(model, finder, at, part, 1))[0], chosen=True)


async def _readings_of(
    model: LanguageModel, finder: EvidenceFinder, at: Situation, part: Part, most: int
) -> list[Reading]:
    """What is asked about one after the other, the likeliest first: what one sentence says, the model chooses."""
    if part.form not in CHOSEN or not (part.reading.quote and at.last_turn.calls) or part.reading.certain:
        return [part.reading]
    asked = await _query_of(model, at, part)
    chosen = await likeliest_readings(model, finder, at.last_turn.first_sources(PASSAGES_COMPARED), asked)
    if chosen:
        return chosen[:most]
    others = await find_alternatives(finder, at.last_turn, part.question, asked.english) if most > 1 else []
    known = part.reading.sources
    return [part.reading, *(reading for reading in others if reading.sources[0] not in known)][:most]


def text_found(turn: Turn) -> str:
    """What the first passages of each call of a turn say: by it the language of what was found is told."""
    return " ".join(source.passage.text for source in turn.first_sources(READ_FIRST))


async def _query_of(model: LanguageModel, at: Situation, part: Part) -> PassageQuery:
    """A part's question in the languages in which it is known, and in that of what was found."""
    text = text_found(at.last_turn)
    spoken, other = language_of(text), at.other_wording(part.question)
    known = not spoken or same_language(text, at.intent.language) or (other and same_language(other, spoken))
    there = "" if known else await in_language(model, part.question, spoken)
    return PassageQuery(part.question, part.form, other, there)


async def other_parts(finder: EvidenceFinder, at: Situation, part: Part) -> list[Part]:
    """The same question with the next passages that the calls brought, for one that asks a single thing of them."""
    if part.form not in ONE_THING or not part.reading.passage_numbers:
        return []
    known = {source.number for source in part.reading.sources}
    readings = await find_alternatives(finder, at.last_turn, part.question, at.other_wording(part.question))
    return [
        replace(part, reading=reading, read=False) for reading in readings if known.isdisjoint(reading.passage_numbers)
    ]


async def _in_same_reading(model: LanguageModel, part: Part, answered: Part) -> Part | None:
    """A part that asks one thing more of what another part asked, in what answered that: in which year somebody was
    there first stands beside who was. None where it asks something else, or that does not say it.
    """
    more = telling_words(part.question) - telling_words(answered.question)
    named = word_stems(names_in(part.question)) <= word_stems(answered.question)
    if part.read or part.form != "fact" or len(more) > 1 or not named or not answered.reading.quote:
        return None
    # How long the Beam 500 burns what was read of the Beam 300 does not say.
    if new_figures(part.question, answered.question):
        return None
    if asks_of_another_time(part.question, answered.question):
        return None
    # Its best sentence is the other part's answer, and would be quoted once more.
    reading = replace(answered.reading, quote="", share=UNASKED_SHARE)
    # How like the question and how much of it is there was told of the other part's: the model's own word is needed.
    if reading.certain or await measured_value(model, VERDICTS) is None:
        return None
    if not await holds_answer(model, reading, part.question, part.form):
        return None
    return replace(part, reading=reading, read=True)


async def _beside_answer(
    model: LanguageModel, finder: EvidenceFinder, at: Situation, part: Part, answered: Part
) -> Part | None:
    """A part in the pages that answered another part of the message: "and what does it cost a month?" goes on there.

    None where they do not answer it.
    """
    own = answered.reading.numbered_sources
    reading = await read_sources(finder, _of_same_pages(at, own) or own, part.question, part.form)
    if not reading or not await holds_answer(model, reading, part.question, part.form, SAME_MESSAGE):
        return None
    return replace(part, reading=reading, read=True)


async def asked_by_itself(finder: EvidenceFinder, at: Situation, part: Part) -> Part | None:
    """A part in the user's own words where these ask the whole of it by themselves: "And when is it shut?".

    "And on Sundays?" does not; what is near to that can be about anything.
    """
    own = at.intent.own
    if not own or part.question != at.intent.question:
        return None
    whole = points_back(own.message) or _ASKS_BY_ITSELF.match(own.english or own.message)
    if not whole:
        return None
    return await own_part(finder, at)


async def own_part(finder: EvidenceFinder, at: Situation) -> Part | None:
    """A message that goes on from before in the user's own words, with what was read before where it was read again."""
    if not (own := at.intent.own):
        return None
    form = at.intent.decision.form
    sources = _of_same_pages(at, at.turns[-2].cited_sources) or at.last_turn.first_sources(PASSAGES_COMPARED)
    reading = await read_sources(finder, sources, own.message, form, own.english)
    return Part(own.named, form, reading) if reading else None


async def _part_of_page_before(finder: EvidenceFinder, at: Situation) -> Part | None:
    """A message that names nothing in the pages that were cited before, where they were found again: not all that goes
    on from an answer shows it. None where nothing is known of such pages."""
    question = at.intent.question
    if at.intent.own or len(at.turns) < 2 or len(at.intent.parts) > 1 or names_something(question):
        return None
    again = _of_same_pages(at, [source for source in at.turns[-2].cited_sources if source.passage.origin == "web"])
    form = at.intent.decision.form
    reading = await read_sources(finder, again, question, form, at.intent.english) if again else None
    return Part(question, form, reading) if reading else None


def _of_same_pages(at: Situation, known: Sequence[Source]) -> list[Source]:
    """What the calls of this turn found in the pages and files that some passages are of."""
    pages = {source.passage.source for source in known}
    return [source for source in at.last_turn.sources if source.passage.source in pages]
