"""What the program answers by itself: who it is, what it remembers, what the user said, which things of a table fit. No
model puts it into words."""

import re
from collections.abc import Sequence
from datetime import date

from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import FACTS_HEAD, attached_texts
from chatbot.models.pipeline.decision.itself import about_itself
from chatbot.models.pipeline.decision.recalled import (
    asks_of_mentioned,
    asks_what_is_known,
    asks_what_was_said,
    names_nothing,
    recalled_topic,
)
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.earlier_statements import latest_statements, meant_statements, statement_sources
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.worked_out.from_tables import tell_read_off
from chatbot.models.pipeline.worked_out.relative_day import tell_relative_day
from chatbot.models.pipeline.worked_out.repeated_price import tell_repeated_answer
from chatbot.prompts.phrases import fill_phrase
from rag.search.rare_words import telling_words, word_stems

_KNOWING = word_stems("know remember")
_FOR_ME = re.compile(r"\b(?:for|suits?|visit\w*|feed\w*|invit\w+) (?:me|us)\b")


async def answer_by_itself(model: LanguageModel, finder: EvidenceFinder, at: Situation) -> str:
    """The whole answer to a question about Magpie, about what the user said, about the day after tomorrow, about
    which things of an attached table are as is wanted, or about several times what was just answered; empty for any
    other message."""
    # What a calendar says has words in common with what is asked of Magpie.
    told = tell_relative_day(at.last_turn.question.content, date.today())
    told = told or await _tell_itself(model, finder, at) or await _tell_recalled(model, finder, at) or tell_read_off(at)
    return told or (tell_repeated_answer(at.said_in_english, at.turns[-2]) if len(at.turns) > 1 else "")


def facts_for_user(at: Situation) -> str:
    """What is remembered of the user, below what was said before, for a question in English that asks something for
    them or what is known of their things: what a host should know before cooking for me. Empty for any other.

    All of it: how like the question a fact is does not tell ("I am allergic to walnuts" is less than any other).
    """
    asked = _FOR_ME.search(at.said_in_english) or asks_what_is_known(at.said_in_english)
    return f"\n\n{_list_facts(at.facts, at.intent.language)}" if at.facts and asked else ""


def _list_facts(facts: Sequence[str], language: str) -> str:
    return "\n".join([fill_phrase(FACTS_HEAD, language), *(f"- {fact}" for fact in facts)])


async def _tell_itself(model: LanguageModel, finder: EvidenceFinder, at: Situation) -> str:
    """What the program says of itself and of what it remembers, if it was asked."""
    own, language = at.intent.own, at.intent.language
    said = (own.english or own.message) if own else ""
    meant = await about_itself(finder, at.intent.english or at.intent.question, said)
    name = (await model.describe()).label
    told = [fill_phrase(said, language, model=name) for said in meant if said != FACTS_HEAD]
    if FACTS_HEAD in meant and at.facts:
        told.append(_list_facts(at.facts, language))
    return "\n\n".join(told)


async def _tell_recalled(model: LanguageModel, finder: EvidenceFinder, at: Situation) -> str:
    """What the user said of what they ask about, word for word, or all that is remembered of them where they ask what
    is known of that; that there is nothing, unless a text or a page may have it."""
    message = at.last_turn.question.content
    of_oneself = asks_what_is_known(at.said_in_english, of_oneself=True)
    if not (of_oneself or asks_what_was_said(message)) or len(at.intent.parts) > 1:
        return ""
    english = at.intent.own.english if at.intent.own else at.intent.english
    topic = recalled_topic(english or message)
    if names_nothing(topic):
        said = latest_statements(at.turns)
    else:
        sources = statement_sources(at.turns, at.facts)
        ranked = await finder.rank_evidence(message if english else topic, sources, topic if english else "")
        said = await meant_statements(model, message, ranked)
    if said:
        return fill_phrase("you_said", at.intent.language, statement=" … ".join(said))
    if asks_what_is_known(at.said_in_english):
        # "I am a vegetarian" says little of "what I eat" by its words, and one of a thing has its word.
        named = telling_words(topic) - _KNOWING
        if about := [fact for fact in at.facts if of_oneself or named & word_stems(fact)]:
            return _list_facts(about, at.intent.language)
    elsewhere = of_oneself or asks_of_mentioned(message) or any(attached_texts(turn) for turn in at.turns)
    return "" if elsewhere else fill_phrase("nothing_recalled", at.intent.language)
