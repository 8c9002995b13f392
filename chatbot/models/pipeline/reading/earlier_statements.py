"""What the user said earlier that answers a question: looked for before any tool is, for it stands nowhere else."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chatbot.conversation.messages import Source
from chatbot.conversation.turns import Turn
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.decision.router import ACT_WORDS
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.answerability import clipped_log_odds, measured_value
from chatbot.models.pipeline.reading.evidence import EvidenceFinder, asks_something, split_sentences
from chatbot.prompts.fewshot import load_prompt
from rag.documents import Passage
from utils.fence import has_outside, without_fences

LIKE = 0.3
"""Cosine of question and sentence below which the model is not asked: 20 questions about what was said had 0.34 and
more, and in each the sentence that answers it was the nearest."""
YES = {"1.5b": 2.0, "0.5b": 0.0}
"""By a part of the model's name: the log-odds of yes from which on a sentence is taken to answer a question.

Of 20 such questions 19 and 9 reached it, of 23 that are near to something said but not answered by it 0 and 2.
"""
MAX_SENTENCES_COMPARED = 400
"""Sentences that are compared at most, the latest ones."""


async def read_told(
    model: LanguageModel, finder: EvidenceFinder, turns: Sequence[Turn], facts: Sequence[str] = ()
) -> Reading | None:
    """The sentence of an earlier turn, or the remembered fact, that answers the last question; None without one.

    Raises `EmbedderUnavailable`. The model's word is taken where it was measured, and from no other.
    """
    certain = await measured_value(model, YES)
    earlier = [turn.question.content for turn in turns[:-1] if not is_wish(turn)]
    said = dict(statement for text in earlier for statement in text_statements(text))
    said |= dict.fromkeys(facts, False)
    if certain is None or not said:
        return None
    question = turns[-1].question.content
    best = (await finder.rank_evidence(question, [_as_source(text) for text in list(said)[-MAX_SENTENCES_COMPARED:]]))[
        0
    ]
    if best.similarity < LIKE:
        return None
    statement = best.source.passage.text
    reading = Reading(statement, outside=said[statement], quote=statement, certain=True)
    check = load_prompt("read").make_prompt(passage=reading.prompt_text, question=question)
    told = replace(reading, text=f"The user said: {reading.text}")
    judged = await model.weigh_words(check, ("yes", "no"))
    return told if clipped_log_odds(judged.shares["yes"]) >= certain else None


def is_wish(turn: Turn) -> bool:
    """Whether a turn had something remembered, forgotten or reminded of: of that the facts themselves tell."""
    return any(call.name in ACT_WORDS for call in turn.calls)


def text_statements(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text that ask nothing, each with whether it may come from outside: as a summary's may."""
    for sentence in split_sentences(without_fences(text)):
        if not asks_something(sentence):
            yield sentence, has_outside(text)


def _as_source(text: str) -> Source:
    return Source(0, Passage(text, "", "", "file"))
