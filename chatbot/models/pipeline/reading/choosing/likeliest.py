"""Which sentence answers a question: the model chooses among the likeliest, and how likely they are weighs in.

Vectors find what a question is about and not what it asks: to "who leads the band?" they bring what the band has won.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from chatbot.conversation.messages import Message, Source
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.reading.answer_evidence import (
    FOREIGN_LIKENESS,
    Reading,
    choose_passages,
    join_evidence,
)
from chatbot.models.pipeline.reading.answerability import measured_value
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.choosing.lines import AnswerLine, PassageQuery, likeliest_lines
from chatbot.models.pipeline.reading.evidence import Evidence, EvidenceFinder
from chatbot.prompts.fewshot import load_prompt
from rag.search.rare_words import telling_words, word_stems
from utils.fence import fence_text

LINES, FOREIGN_LINES = 5, 8
"""Sentences that the model chooses among: of six or eight it chooses none the better. More in a language that no vector
knows: of 28 questions in nine such languages the answer is among the first five for 22, among eight for 24."""
NEARNESS = {"1.5b": 1.0}
"""By a part of the model's name: what the log-odds of a line weigh beside the logarithm of the model's share for it. Of
113 questions about pages the likeliest line answers 89, the one that the 1.5B chooses 86, the best of both together 99;
with half of that weight 95, with twice as much 95."""
FAR_AHEAD = 1.5
"""The log-odds by which the likeliest line must be ahead of the next one not to be put to the choice, which costs
seconds: of the 113 it was for 56, and answered 55 of these."""
MIN_CHOSEN_LIKENESS = 0.3
"""Cosine of question and chosen sentence from which on its passage counts as near as its nearest sentence is."""
_ASKS_FOR_SEVERAL = re.compile(
    r"\W*(?:(?:and|but|so|then) )?(?:in |on |at |from )?which (?:of the )?(?:\w{1,20} )?\w{2,20}[^\Wsui]s\b",
    re.IGNORECASE,
)
"""What a question in English begins with that a list may answer: "which streets have no water?"."""
LEAST_SHARE = 1e-4
"""A share that is less says no more against a sentence."""


async def likeliest_readings(
    model: LanguageModel,
    finder: EvidenceFinder,
    sources: Sequence[Source],
    asked: PassageQuery,
) -> list[Reading]:
    """What passages have around the sentences that likeliest answer a question, of each passage once; raises
    `EmbedderUnavailable`. Empty where there is nothing to choose; a model that was not measured as one that can is not
    asked.
    """
    ranked = await finder.rank_evidence(asked.question, sources, asked.english, asked.there)
    if not ranked or ranked[0].named:
        return []
    known = await finder.knows_language(ranked[0].asked)
    ordered = (await likeliest_lines(finder, ranked, asked, known=known))[: LINES if known else FOREIGN_LINES]
    if len(ordered) < 2:
        return []
    ahead = ordered[0].odds - ordered[1].odds > FAR_AHEAD or _alone_has_the_days(ordered, asked)
    clear = ahead and asked.fits(ordered[0].sentence)
    weight = await measured_value(model, NEARNESS)
    if weight is not None and not clear:
        ordered = await _weigh_lines(model, ordered, asked.question, weight)
    if not known:
        # Where vectors know little, what has no time of the day is no likelier to say when it closes.
        ordered = sorted(ordered, key=lambda line: not asked.fits(line.sentence))
    vector = (await finder.embed_texts([ranked[0].asked]))[0]
    if asked.form == "list" or _ASKS_FOR_SEVERAL.match(asked.english or asked.question):
        ordered = _sharing_lists(ordered)
    first, *later = _each_passage_once(ordered, ranked)
    beside = choose_passages(vector, ranked, asked.form)
    # What only two passages say together is read with both; else small models tell what the others say.
    others = [one for one in beside if one.source is not first.evidence.source] if len(beside) > 1 else []
    readings = [_as_near(join_evidence([first.evidence, *others], vector), first)]
    readings += [_as_near(join_evidence([line.evidence], vector), line) for line in later]
    return readings if known else [replace(reading, alike=FOREIGN_LIKENESS) for reading in readings]


async def with_chosen_quote(
    model: LanguageModel, finder: EvidenceFinder, reading: Reading, question: str, english: str
) -> Reading:
    """A reading of a text with the sentence that likeliest answers a question, `english` in English, as its best."""
    if reading.certain or not reading.quote:
        return reading
    chosen = await likeliest_readings(model, finder, reading.sources, PassageQuery(question, "fact", english))
    return replace(reading, quote=chosen[0].quote) if chosen else reading


def _alone_has_the_days(lines: Sequence[AnswerLine], asked: PassageQuery) -> bool:
    """Whether the likeliest line is the one row of a table, or of a list, for the days that a question names: shown
    beside it, the 1.5B takes the season for when something opens on a Saturday. A line that has a word of the question
    more, as what tells of the café in a museum, may be meant as well.
    """
    days = days_in(f"{asked.question}\n{asked.english}")
    having = [line for line in lines if days <= days_in(line.name)]
    if not days or having != [lines[0]]:
        return False
    words, known = telling_words(asked.question), word_stems(f"{lines[0].text} {' '.join(lines[0].headings)}")
    return not any(asked.fits(line.sentence) and (words - known) & word_stems(line.sentence) for line in lines[1:])


def _sharing_lists(lines: Sequence[AnswerLine]) -> list[AnswerLine]:
    """The lines, each item of a list and the line that leads to it with the shares of all of these in its passage: of
    four streets of one list the model cannot choose one."""
    shares = dict[int, float]()
    for line in lines:
        if line.is_of_list:
            source = id(line.evidence.source)
            shares[source] = shares.get(source, 0.0) + line.share
    return [
        replace(line, share=min(1.0, shares[id(line.evidence.source)])) if line.is_of_list else line for line in lines
    ]


def _each_passage_once(lines: Sequence[AnswerLine], ranked: Sequence[Evidence]) -> list[AnswerLine]:
    """The likeliest line of each passage; behind them those of passages whose lines were too far to be put to the
    choice, no likelier than the least likely one."""
    least, shares = min(line.share for line in lines), {line.sentence: line.share for line in lines}
    others = [AnswerLine(evidence, evidence.score) for evidence in ranked]
    # What stands word for word in two passages was put to the choice once.
    others = [replace(line, share=shares.get(line.sentence, least)) for line in others]
    first = dict[int, AnswerLine]()
    for line in (*lines, *others):
        first.setdefault(id(line.evidence.source), line)
    return list(first.values())


def _as_near(reading: Reading, line: AnswerLine) -> Reading:
    """A reading as near to the question as its passage comes, by the nearest sentence though another one was chosen;
    unless that is like nothing that was asked."""
    evidence = line.evidence
    near = float(max(evidence.similarities)) if evidence.similarity >= MIN_CHOSEN_LIKENESS else 0.0
    return replace(reading, alike=max(reading.alike, near), share=line.share)


async def _weigh_lines(
    model: LanguageModel, lines: Sequence[AnswerLine], question: str, weight: float
) -> list[AnswerLine]:
    """The lines with the model's shares for them, the likeliest first."""
    shares = (await model.weigh_words(ask_which(lines, question), [str(n) for n in range(len(lines) + 1)])).shares
    said = [math.log(max(shares[str(number)], LEAST_SHARE)) for number in range(1, len(lines) + 1)]
    told = [replace(line, share=shares[str(number)]) for number, line in enumerate(lines, 1)]
    values = {id(line): log + weight * line.odds for line, log in zip(told, said, strict=True)}
    return sorted(told, key=lambda line: -values[id(line)])


def ask_which(lines: Sequence[AnswerLine], question: str) -> list[Message]:
    """The prompt in which a model says which of some lines answers a question; none of them is 0."""
    numbered = fence_text("\n".join(f"{number}. {line.text}" for number, line in enumerate(lines, 1)))
    return load_prompt("which_line").make_prompt(lines=numbered, question=question)
