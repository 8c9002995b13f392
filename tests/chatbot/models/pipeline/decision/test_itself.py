"""Questions about Magpie itself."""

import pytest

from chatbot.models.pipeline.decision.itself import about_itself
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.embedding.sentence_model import SentenceEmbedder

ITSELF = [
    ("And which kinds of things could I ask you?", ("what_i_can_do",)),
    ("Can you read PDF files?", ("what_i_can_do",)),
    ("And could you also open one of my documents if I gave it to you?", ("what_i_can_do",)),
    ("hi, who are you?", ("who_i_am",)),
    ("are you a robot or a person", ("who_i_am",)),
    ("what can you help me with", ("what_i_can_do",)),
    ("Good evening to you! I am new here. What are you able to do?", ("what_i_can_do",)),
    ("so, what are you good at?", ("what_i_can_do",)),
    ("Thank you! And do you ever get some sleep?", ("i_am_a_program",)),
    ("How are you? Who are you?", ("who_i_am",)),
    ("are you tired", ("i_am_a_program",)),
    ("do you have feelings too?", ("i_am_a_program",)),
    ("and do you run here on my own pc or in some cloud", ("where_i_run",)),
    ("are you running locally?", ("where_i_run",)),
    (
        "so what kinda stuff can i ask you? and do you run on my machine or on a server?",
        ("where_i_run", "what_i_can_do"),
    ),
    ("what do you know about me?", ("known_about_you",)),
    ("What have I told you about myself?", ("known_about_you",)),
]
OTHERS = [
    "Can you read the PDF file in my downloads?",
    "Can you open a web page about beavers and tell me what they eat?",
    "Could you read my lease document?",
    "Could you read my file rent.md and say when it ends?",
    "who are they?",
    "what is your brother good at?",
    "what kinds of things are sold at the market?",
    "hello?",
    "how are you?",
    "hello, how are you doing today?",
    "do you have a recipe for pancakes?",
    "how do you sleep with back pain?",
    "how do you run a server at home?",
    "can you run this script on my computer?",
    "how do I send my data to the cloud?",
    "where do you run in Lisbon when it rains?",
    "who can read this handwriting?",
    "do you have to feel pain after a jab?",
    "what do you think about me?",
    "what did I ask you before?",
    "what do you know about my lease?",
    "who made the Eiffel tower?",
    "what can I do in Lisbon?",
    "can you help me write a letter?",
    "do you know my husband's name",
    "What is my name, and where do I live?",
    "what is the name of this street?",
]


@pytest.fixture
def finder(embedder: SentenceEmbedder) -> EvidenceFinder:
    return EvidenceFinder(embedder)


@pytest.mark.parametrize(("message", "answers"), ITSELF)
async def test_a_question_about_magpie_is_known_in_any_words(
    finder: EvidenceFinder, message: str, answers: tuple[str, ...]
) -> None:
    assert await about_itself(finder, message) == answers


@pytest.mark.parametrize("message", OTHERS)
async def test_a_question_about_the_user_or_the_world_is_none_about_magpie(
    finder: EvidenceFinder, message: str
) -> None:
    assert await about_itself(finder, message) == ()


async def test_what_a_model_made_a_question_about_magpie_is_none_where_the_user_asked_of_themselves(
    finder: EvidenceFinder,
) -> None:
    assert await about_itself(finder, "Who are you?", "And what is my profession?") == ()
    assert await about_itself(finder, "Who are you?", "And who is that?") == ("who_i_am",)
    assert await about_itself(finder, "What can you do for me?", "And what can you do for me?") == ("what_i_can_do",)
