"""Which sentence answers a question: the model chooses among the nearest, and what the vectors say weighs in.

Vectors find what a question is about and not what it asks: to "who leads the band?" they bring what the band has won.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.conversation.messages import Message, Source
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.reading.answer_evidence import (
    FOREIGN_LIKENESS,
    UNASKED_SHARE,
    Reading,
    choose_passages,
    join_evidence,
)
from chatbot.models.pipeline.reading.answerability import measured_value
from chatbot.models.pipeline.reading.evidence import Evidence, EvidenceFinder, behind_question
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_of_kind
from chatbot.models.pipeline.reading.sentences import asks_something, is_head
from chatbot.prompts.fewshot import clip_middle, load_prompt
from utils.fence import fence_text

LINES, FOREIGN_LINES = 5, 8
"""Sentences that the model chooses among: of six or eight it chooses none the better. More in a language that no vector
knows: of 28 questions in nine such languages the answer is among the first five for 22, among eight for 24."""
LINE_CHARS = 400
"""Of one of them: a row of a wide table is longer."""
NEARNESS = {"1.5b": 3.0}
"""By a part of the model's name: what the score of a sentence weighs beside the logarithm of the model's share for it.
Of 53 questions about pages and files that nothing was fitted on the nearest sentence answers 23, the one that the 1.5B
chooses 33, the best of both together 35, with weights from 2 to 8; among those that it chooses from 45 are answered."""
FAR_AHEAD = 0.25
"""The score by which the nearest sentence must be ahead of the next one not to be put to the choice, which costs
seconds: of the 53 it was for 5, and answered these; from .15 on it was for 12, and answered 11."""
FOREIGN_NEARNESS = 1.0
"""What the score weighs in a language that no vector knows, where it counts little more than common words."""
MIN_CHOSEN_LIKENESS = 0.3
"""Cosine of question and chosen sentence from which on its passage counts as near as its nearest sentence is."""
LEAST_SHARE = 1e-4
"""A share that is less says no more against a sentence."""


@dataclass(frozen=True)
class PassageQuery:
    """A question as it is put to passages."""

    question: str
    form: str
    """Of its answer, one of the router's `FORMS`."""
    english: str = ""
    """The question in English, and below in the language of the passages; each empty where it is in that."""
    there: str = ""


@dataclass(frozen=True)
class _Line:
    """One sentence that may answer."""

    evidence: Evidence
    """Its passage, with it as the best sentence."""
    score: float
    share: float = UNASKED_SHARE
    """The model's share for it; one half where it was not asked."""

    @property
    def sentence(self) -> str:
        """The sentence alone."""
        return self.evidence.sentences[self.evidence.best]

    @property
    def text(self) -> str:
        """The sentence below the title and the last heading, as the model reads it."""
        passage = self.evidence.source.passage
        sentence = behind_question(self.evidence.sentences, self.evidence.best)
        # The row of a table is told with its heading already.
        heading = [one for one in passage.heading[-1:] if not sentence.startswith(one)]
        heads = dict.fromkeys(filter(None, (passage.title, *heading)))
        return clip_middle(": ".join([*heads, sentence]), LINE_CHARS)


async def likeliest_readings(
    model: LanguageModel,
    finder: EvidenceFinder,
    sources: Sequence[Source],
    asked: PassageQuery,
    *,
    further: bool = False,
) -> list[Reading]:
    """What passages have around the sentences that likeliest answer a question, of each passage once; raises
    `EmbedderUnavailable`. Empty where there is nothing to choose, or the model was not measured as one that can.
    """
    weight = await measured_value(model, NEARNESS)
    ranked = (
        await finder.rank_evidence(asked.question, sources, asked.english, asked.there) if weight is not None else []
    )
    known = bool(ranked) and await finder.knows_language(ranked[0].asked)
    lines = _nearest_lines(ranked)[: LINES if known else FOREIGN_LINES]
    if weight is None or len(lines) < 2 or lines[0].evidence.named:
        return []
    clear = known and lines[0].score - lines[1].score > FAR_AHEAD and _is_of_kind_asked(lines[0].sentence, asked)
    ordered = (
        lines if clear else await _weigh_lines(model, lines, asked.question, weight if known else FOREIGN_NEARNESS)
    )
    if not known:
        # Where vectors know little, what has no time of the day is no likelier to say when it closes.
        ordered = sorted(ordered, key=lambda line: not _is_of_kind_asked(line.sentence, asked))
    vector = (await finder.embed_texts([ranked[0].asked]))[0]
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


def _is_of_kind_asked(sentence: str, asked: PassageQuery) -> bool:
    """Whether a sentence has what a question is answered by: "the clock that sells best" is no price. A name of a
    person is not told from others.
    """
    english = asked.english or asked.question
    kind = expected_kind(english, asked.question) if asked.form == "fact" else Kind.ANYTHING
    return kind is not Kind.PERSON and is_of_kind(sentence, kind, english)


def _each_passage_once(lines: Sequence[_Line], ranked: Sequence[Evidence]) -> list[_Line]:
    """The likeliest line of each passage; behind them those of passages whose lines were too far to be put to the
    choice, no likelier than the least likely one."""
    least, shares = min(line.share for line in lines), {line.sentence: line.share for line in lines}
    others = [_Line(evidence, evidence.score) for evidence in ranked]
    # What stands word for word in two passages was put to the choice once.
    others = [replace(line, share=shares.get(line.sentence, least)) for line in others]
    first = dict[int, _Line]()
    for line in (*lines, *others):
        first.setdefault(id(line.evidence.source), line)
    return list(first.values())


def _as_near(reading: Reading, line: _Line) -> Reading:
    """A reading as near to the question as its passage comes, by the nearest sentence though another one was chosen;
    unless that is like nothing that was asked."""
    evidence = line.evidence
    near = float(max(evidence.similarities)) if evidence.similarity >= MIN_CHOSEN_LIKENESS else 0.0
    return replace(reading, alike=max(reading.alike, near), share=line.share)


def _nearest_lines(ranked: Sequence[Evidence]) -> list[_Line]:
    """The sentences, those with the highest scores first, each once, and neither headings nor questions."""
    lines = dict[str, _Line]()
    for evidence in ranked:
        around = evidence.score - float(evidence.scores[evidence.best])
        for place, sentence in enumerate(evidence.sentences):
            line = _Line(replace(evidence, best=place), around + float(evidence.scores[place]))
            answers = not (is_head(sentence) or asks_something(sentence))
            if answers and (sentence not in lines or lines[sentence].score < line.score):
                lines[sentence] = line
    return sorted(lines.values(), key=lambda line: -line.score)


async def _weigh_lines(model: LanguageModel, lines: Sequence[_Line], question: str, weight: float) -> list[_Line]:
    """The lines with the model's shares for them, the likeliest first."""
    shares = (await model.weigh_words(ask_which(lines, question), [str(n) for n in range(len(lines) + 1)])).shares
    said = [math.log(max(shares[str(number)], LEAST_SHARE)) for number in range(1, len(lines) + 1)]
    told = [replace(line, share=shares[str(number)]) for number, line in enumerate(lines, 1)]
    values = {id(line): log + weight * line.score for line, log in zip(told, said, strict=True)}
    return sorted(told, key=lambda line: -values[id(line)])


def ask_which(lines: Sequence[_Line], question: str) -> list[Message]:
    """The prompt in which a model says which of some lines answers a question; none of them is 0."""
    numbered = fence_text("\n".join(f"{number}. {line.text}" for number, line in enumerate(lines, 1)))
    return load_prompt("which_line").make_prompt(lines=numbered, question=question)
