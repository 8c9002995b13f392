"""Translations that a user wishes for, the first and the next of one text."""

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.router import ANSWER, TOOL_WORDS
from chatbot.models.pipeline.decision.tool_choice import decide_tool
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.translations import (
    language_of_translation,
    translated_text,
    wish_for_translation,
    with_amounts_of,
)
from rag.embedding.sentence_model import SentenceEmbedder
from tools.base import ToolSchema

WISH = "Translate into Danish: the pool is closed on Friday."


@pytest.mark.parametrize("later", [[], ["And into Italian?"], ["And into Italian?", "Und jetzt auf Spanisch, bitte."]])
def test_what_wants_the_translation_in_another_language_has_the_text_of_the_first_wish(later: list[str]) -> None:
    assert wish_for_translation(["Hello", WISH, *later]) == WISH
    assert translated_text(["Hello", WISH, *later]) == "the pool is closed on Friday."


@pytest.mark.parametrize("message", ["Who speaks Italian there?", "Thank you.", "When does the pool in Vellin open?"])
def test_another_message_after_a_translation_translates_nothing(message: str) -> None:
    assert wish_for_translation([WISH, message]) == translated_text([WISH, message]) == ""


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("could you say that last bit in german, its for my neighbour", "de"),
        ("And now in Spanish please!", "es"),
        ("Translate your last answer into Spanish.", "es"),
        ("Übersetze deine letzte Antwort ins Englische.", "en"),
        ("Und jetzt auf Italienisch, bitte.", "it"),
        ("the same in dutch pls", "nl"),
        ("Et maintenant en anglais ?", "en"),
        ("Make it shorter and in German.", ""),
        ("Explain it more simply in German.", ""),
        ("Write me a poem in French.", ""),
        ("Translate into Danish: the pool is closed.", ""),
        ("Thanks, that is good.", ""),
    ],
)
def test_the_last_answer_alone_is_wanted_in_the_language_that_is_named(message: str, language: str) -> None:
    assert language_of_translation(message) == language


@pytest.mark.parametrize("message", ["And into Italian?", "And into Spanish?", "Et en français ?"])
async def test_the_next_translation_is_not_looked_up_either(embedder: SentenceEmbedder, message: str) -> None:
    tools = [ToolSchema(name, name, {}) for name in TOOL_WORDS]
    answer = Message("assistant", "Svømmehallen er lukket på fredag.")
    turns = read_turns([Message("user", WISH), answer, Message("user", message)])
    decision = await decide_tool(EvidenceFinder(embedder), turns, tools, None)
    assert decision.best_wish == ANSWER
    assert decision.share_of(*TOOL_WORDS) == 0


def test_an_amount_of_the_text_is_put_together_again() -> None:
    assert with_amounts_of("A ticket costs 6.50 euros.", "Le billet coûte 6, 50 €.") == "Le billet coûte 6.50 €."
    assert with_amounts_of("Buses 6, 50 and 7.", "Lignes 6, 50 et 7.") == "Lignes 6, 50 et 7."
