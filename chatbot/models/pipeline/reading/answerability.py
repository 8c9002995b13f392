"""Whether a reading holds the answer to a question: by its words and the model's word where that was measured."""

import math
import re
from collections.abc import Mapping
from typing import TypeVar

from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.decision.statements import without_remark
from chatbot.models.pipeline.leave import asks_leave, forbids, speaks_of_leave
from chatbot.models.pipeline.reading.answer_evidence import FOREIGN_LIKENESS, Reading
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import times_of_day
from chatbot.models.pipeline.reading.tables.clear_cell import clear_cell
from chatbot.prompts.fewshot import load_prompt
from utils.languages.detection import language_of
from utils.languages.lexicon import load_lexicon
from utils.languages.question_words import asking_part, bare_question

Value = TypeVar("Value")

_WORD_OF_SENTENCE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

_CONDITION = re.compile(
    r"\d|\b(?:i|we|s?he|they|my \w{1,20})(?:['’]?(?:m|re|s)| (?:am|is|are|was|were|have|has|had))\b"
    r"(?! to (?!(?:use|bring|take|wear|travel|go in|be in|stay in)\b))",
    re.IGNORECASE,
)
"""What says of somebody who they are or what they have, and not what they have to do, unless it is with something."""

MAX_LOG_ODDS = 3.0
"""Log-odds of yes beyond which a model's word weighs no more."""
VERDICTS = {"1.5b": (1.4, 1.55, 0.67, -0.55)}
"""By a part of the model's name: weights of the words that the passage has, of the model's log-odds of yes and of the
log-odds of its share for the best sentence, and the bias. Fitted on 144 answers to questions about pages and files in
five languages, with the passage that answers among what was found and without it: of 41 that are right 34 hold with
them, of 103 that are not 17. The words tell little where all passages are of the one page that was asked for, and much
among pages of several (areas under the curve of .68 and .83; of the log-odds .90 and .87, of the share .76 and .82).
How like the question the best sentence is tells least: the nearest one is always like it."""
UNASKED = (6.0, 3.0, -3.8)
"""The same for a model whose word is worth nothing: likeness, words, bias."""
LENIENCY_UNASKED = 0.67
"""What leniency weighs there, about as much as before: what is added below was set for a model that is asked."""
DENYING_LENIENCY, DENYING_LIKENESS = 1.6, 0.38
"""What is added to the score of a sentence that denies or forbids something, for a question that wants yes or no, and
the likeness from which on: asked whether "dogs are not allowed" answers "may I bring my dog?" the 1.5B says no, as it
does of what says nothing of it (shares of yes from .2 to .4)."""
NAMED_ROW_LENIENCY = 2.9
"""What is added for the row of a table that a question names, with a column or its season: the 1.5B does not see in it
when something closes on a Saturday in winter."""
CLEAR_CELL_LENIENCY = 2.2
"""What is added where one cell of a table is clearly ahead, is of the kind that is asked for, and stands in a row with
a word of the question: of 132 questions that pages with tables answer that is so for 11, all in the right row, and of
88 that these pages do not answer for none."""
RULE_LENIENCY = 3.7
"""What is added for a rule, where yes or no is asked of something that it names: the 1.5B does not see in "dogs may
sleep in the porch only" whether I may bring mine."""
DAY_LIKENESS, DAY_COVERAGE = 0.6, 0.3
"""Likeness and share of the question's words from which on a line with times of the day that it names answers it: the
1.5B does not see in "« The Lamp »: Friday 8 pm, Sunday 5 pm" when that is shown on Sunday."""


async def holds_answer(
    model: LanguageModel,
    reading: Reading,
    question: str,
    form: str = "fact",
    leniency: float = 0.0,
    english: str = "",
) -> bool:
    """Whether a reading says the answer: by what the model says where weights were fitted, and else by its likeness.

    `form` is that of the answer, one of the router's `FORMS`; `english` the question in it, empty for English.

    The passage that the model reads here it need not read again for its answer: both prompts begin alike.
    """
    if not reading.text:
        return False
    if reading.certain or (form != "yesno" and times_day_of(question, reading)):
        return True
    if reading.is_off_subject(question, english):
        return False
    leniency += _leniency_for(question, reading, form, english)
    weights = await measured_value(model, VERDICTS)
    if weights is None:
        slope, words, bias = UNASKED
        return slope * reading.alike + words * reading.coverage + bias + LENIENCY_UNASKED * leniency > 0
    words, weight, choice, bias = weights
    known = words * reading.coverage + choice * clipped_log_odds(reading.share) + bias + leniency
    for wording in _wordings_of(question):
        said = await model.weigh_words(ask_for(reading, wording), ("yes", "no"))
        if known + weight * clipped_log_odds(said.shares["yes"]) > 0:
            return True
    return False


def _wordings_of(question: str) -> list[str]:
    """A question, and what it is without what is told behind and before it: of that no passage says a word. What may be
    a condition is asked with it alone."""
    plain = without_remark(question)
    asked = asking_part(plain)
    others = [one for one in dict.fromkeys((plain, asked)) if one != question and plain.endswith(one)]
    others += [bare] if (bare := bare_question(asked)) != asked else []
    # The bare one begins with a capital where the question has it behind an "and".
    return [question, *(one for one in others if not _CONDITION.search(question.lower().replace(one.lower(), "")))]


def _leniency_for(question: str, reading: Reading, form: str, english: str) -> float:
    """What is added to the score of a reading whose best sentence answers such a question where the model says no."""
    leniency, leave = 0.0, asks_leave(question)
    if form == "yesno":
        if reading.alike >= DENYING_LIKENESS and denies(reading.headed_quote):
            leniency += DENYING_LENIENCY
        foreign = language_of(question) not in ("en", "", None)
        if (foreign or leave) and _is_rule_for(question, reading):
            leniency += RULE_LENIENCY
    if reading.quotes_row_named_in(question) and not leave:
        leniency += NAMED_ROW_LENIENCY
    elif form == "fact" and _has_cell_for(question, reading, english):
        leniency += CLEAR_CELL_LENIENCY
    return leniency


async def measured_value(model: LanguageModel, values: Mapping[str, Value]) -> Value | None:
    """What was measured of a model, by a part of its name; None for a model that was not measured."""
    name = (await model.describe()).name.lower()
    return next((value for part, value in values.items() if part in name), None)


def clipped_log_odds(share: float) -> float:
    """Logarithm of the odds, cut at `MAX_LOG_ODDS` on either side."""
    odds = math.log(max(share, 1e-9) / max(1 - share, 1e-9))
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, odds))


def ask_for(reading: Reading, question: str) -> list[Message]:
    """The prompt in which a model says yes or no of a reading, and goes on from there with its answer."""
    return load_prompt("read").make_prompt(passage=reading.prompt_text, question=question)


def times_day_of(question: str, reading: Reading) -> bool:
    """Whether the best sentence is like a question, and has the days that it names and times of the day."""
    days, quote = days_in(question), reading.quote
    near = reading.alike >= DAY_LIKENESS or reading.alike == FOREIGN_LIKENESS
    if not days or not near or reading.coverage < DAY_COVERAGE:
        return False
    return days <= days_in(quote) and bool(times_of_day(quote))


def _has_cell_for(question: str, reading: Reading, english: str) -> bool:
    """Whether the best sentence is a row with the one cell that clearly answers a question, and has a word of it that
    the titles have not."""
    cell = clear_cell(reading.quoted_row, reading.rows, question)
    return cell is not None and cell.is_of_kind(question, english) and reading.says_of_thing(question)


def _is_rule_for(question: str, reading: Reading) -> bool:
    """Whether the best sentence says what is allowed or forbidden of something that a question names."""
    return speaks_of_leave(reading.headed_quote) and reading.says_of_thing(question)


def denies(sentence: str) -> bool:
    """Whether a sentence denies or forbids something."""
    words = {word.casefold().replace("’", "'") for word in _WORD_OF_SENTENCE.findall(sentence)}
    parts = any(part in sentence for part in load_lexicon().negation_parts)
    return parts or bool(words & load_lexicon().negations) or forbids(sentence)
