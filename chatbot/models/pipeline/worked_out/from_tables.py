"""What tables of passages and attached texts come to: read off and worked out, each figure beside where it stands."""

from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.dialogue import attached_texts
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.namesakes import has_all_names
from chatbot.models.pipeline.worked_out.departures import tell_departure
from chatbot.models.pipeline.worked_out.fitting import tell_fitting
from chatbot.models.pipeline.worked_out.open_at import tell_open
from chatbot.models.pipeline.worked_out.party_price import quote_party_prices, tell_party_price
from chatbot.models.pipeline.worked_out.repeated_price import tell_repeated_price
from chatbot.models.pipeline.worked_out.row_difference import tell_row_difference
from rag.search.rare_words import word_stems
from utils.languages.message_parts import asks_translation


def tell_worked_out(part: Part, english: str, sources: Sequence[Source], language: str) -> str:
    """The whole answer, with its passage's number; empty where a question asks for nothing that is worked out here.

    `english` is the question in English, `sources` the passages that it may be worked out from, `language` the ISO
    639-1 code of the answer.
    """
    question = part.question
    return (
        tell_party_price(question, english, sources)
        or (tell_repeated_price(english or question, part.reading) if sources else "")
        or quote_party_prices(question, english, sources)
        or tell_row_difference(question, english, sources, language)
    )


def sources_named(part: Part) -> list[Source]:
    """The passages of a reading that have all the names of its question: the prices of another place are none of it."""
    names = word_stems(names_in(part.question))
    return [source for source in part.reading.sources if has_all_names(source.passage, names)]


def tell_read_off(at: Situation) -> str:
    """Which things keep to the conditions of the last message, which of several times it asks for, or whether something
    is open then, by a text that came with it or was looked up for it; empty where it asks for none of these, or no text
    has it.

    What came with earlier messages this one need not be about.
    """
    turn = at.last_turn
    came = {text for _, text in attached_texts(turn)}
    sources = [*(one for one in turn.question.sources if one.passage.text in came), *turn.sources]
    if not sources or asks_translation(turn.question.content):
        return ""
    if fitting := tell_fitting(turn.question.content, at.said_in_english, sources):
        return fitting
    asked, english = at.intent.question, at.intent.english or at.intent.question
    if len(at.intent.parts) > 1:
        return ""
    return tell_departure(asked, english, sources) or tell_open(english, sources, at.intent.language)
