"""What tables of passages come to: read off and worked out, each figure beside where it stands."""

from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.worked_out.party_price import tell_party_price
from chatbot.models.pipeline.worked_out.row_difference import tell_row_difference


def tell_worked_out(question: str, english: str, sources: Sequence[Source], language: str) -> str:
    """The whole answer, with its passage's number; empty where a question asks for nothing that is worked out here.

    `english` is the question in English, `language` the ISO 639-1 code of the answer.
    """
    return tell_party_price(question, english, sources) or tell_row_difference(question, english, sources, language)
