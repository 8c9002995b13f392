import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.router_data import accuracy, choose_word, read_examples
from chatbot.models.pipeline.decision.router import ACTIONS, FORMS, RouterInput, count_grams, load_router, offered_words
from chatbot.models.pipeline.decision.tool_choice import read_message, weigh_wishes
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.places import ROOT, SHARED

QUESTIONS = SHARED / "router" / "questions.jsonl"
MESSAGES = sorted((ROOT / "benchmarks" / "messages").glob("*.jsonl"))
WISHES = [
    ("Please remember that my car is a blue Renault.", "keep"),
    ("Merk dir bitte, dass ich keine Nüsse vertrage.", "keep"),
    ("My sister lives in Ghent.", "answer"),
    ("My brother Emil plays the cello in Leipzig.", "answer"),
    ("Unser Nachbar arbeitet bei der Werft in Papenburg.", "answer"),
    ("find restaurants near my hotel in Leipzig", "search"),
    ("I need to know when the last bus to Papenburg leaves.", "search"),
    ("remind me on friday at 9 to call the plumber", "alarm"),
    ("What reminders do I have?", "agenda"),
    ("What is 17 % of 2340?", "calculate"),
    ("How many days is it until the 3rd of May 2027?", "date"),
    ("Translate into English: 'Der frühe Vogel fängt den Wurm.'", "answer"),
    ("When does the swimming pool in Vellin close on Sundays?", "search"),
    ("hello there, how are you?", "answer"),
]


async def wanted(embedder: SentenceEmbedder, situation: RouterInput) -> dict[str, float]:
    return dict((await weigh_wishes(EvidenceFinder(embedder), situation)).shares)


@pytest.mark.parametrize(("message", "word"), WISHES)
async def test_what_a_plain_message_wants_is_seen(embedder: SentenceEmbedder, message: str, word: str) -> None:
    shares = await wanted(embedder, RouterInput(message))
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=shares.__getitem__) == word


async def test_what_goes_on_from_before_is_told_from_what_stands_alone(embedder: SentenceEmbedder) -> None:
    finder, before = EvidenceFinder(embedder), "When does the museum in Vellin open?"
    alike = [
        RouterInput(message, before, history=True, library=True)
        for message in ("And on Sundays?", "What is the boiling point of mercury?")
    ]
    follows = [(await read_message(finder, situation)).follows for situation in alike]
    assert follows[0] > 0.5 > follows[1]


async def test_a_first_message_goes_on_from_nothing(embedder: SentenceEmbedder) -> None:
    assert (await read_message(EvidenceFinder(embedder), RouterInput("And on Sundays?"))).follows == 0


async def test_a_hit_in_the_library_makes_it_likelier(embedder: SentenceEmbedder) -> None:
    without = await wanted(embedder, RouterInput("what is the deposit?", library=True, hit=0.1))
    with_hit = await wanted(embedder, RouterInput("what is the deposit?", library=True, hit=0.7))
    assert with_hit["library"] > without["library"]


def test_digits_are_alike_to_the_router() -> None:
    assert count_grams("error 17") == count_grams("Error  42")


def test_a_page_can_be_opened_only_with_an_address_and_a_text_read_only_where_there_is_one() -> None:
    tools = ["web_search", "fetch_url_content", "remember", "calculate", "convert_currency"]
    assert offered_words(tools, has_address=False, has_text=False) == ["search", "keep", "calculate", "answer"]
    assert offered_words(tools, has_address=True, has_text=True) == [
        "search",
        "open",
        "keep",
        "calculate",
        "text",
        "answer",
    ]


def test_the_weights_have_a_row_for_every_word_and_form() -> None:
    router = load_router()
    assert len(router.bias) == len(ACTIONS) + 1 + len(FORMS)
    assert router.judge.shape[0] == len(ACTIONS)


async def most_are_right(rows: list[str], folder: Path, embedder: SentenceEmbedder) -> float:
    few = folder / "questions.jsonl"
    few.write_text("\n".join(rows), encoding="utf-8")
    examples = await read_examples(few, embedder)
    shares = [(await weigh_wishes(EvidenceFinder(embedder), example.situation)).shares for example in examples]
    chosen = [choose_word(np.log([each[w] for w in ACTIONS]), e) for each, e in zip(shares, examples, strict=True)]
    return accuracy(chosen, examples)


async def test_most_first_steps_of_questions_that_it_was_not_fitted_on_are_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: SentenceEmbedder
) -> None:
    if not QUESTIONS.exists():
        pytest.skip("the router's questions are not here")
    monkeypatch.chdir(tmp_path)
    assert await most_are_right(QUESTIONS.read_text(encoding="utf-8").splitlines()[:40], tmp_path, embedder) > 0.6


def test_the_training_messages_are_whole() -> None:
    rows = [json.loads(line) for path in MESSAGES for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 6000
    assert len({row["lang"] for row in rows}) >= 20
    assert {row["form"] for row in rows} <= set(FORMS)
    assert all(row["accept"] and row["subject"] and isinstance(row["follows"], bool) for row in rows)
