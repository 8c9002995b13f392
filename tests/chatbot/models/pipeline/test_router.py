import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.router_data import accuracy, choose_word, read_examples
from chatbot.models.fewshot import load_prompt
from chatbot.models.pipeline.router import WORDS, Situation, count_grams, load_router, offered_words
from rag.embedding import SentenceEmbedder

QUESTIONS = Path(__file__).parents[5] / "shared" / "router" / "questions.jsonl"
NOBODY = np.zeros(384, np.float32)


def shares(model: str, said: dict[str, float], situation: Situation) -> dict[str, float]:
    router = load_router()
    logs = router.weigh(model, said, router.read(situation, NOBODY), situation)
    return dict(zip(WORDS, map(float, np.exp(logs)), strict=True))


def test_shares_sum_to_one_and_follow_what_the_model_says() -> None:
    situation = Situation("what happened today?")
    news = shares("qwen2.5-coder-1.5b", {"news": 0.9, "search": 0.1}, situation)
    search = shares("qwen2.5-coder-1.5b", {"news": 0.1, "search": 0.9}, situation)
    assert sum(news.values()) == pytest.approx(1)
    assert (news["news"] > search["news"], search["search"] > news["search"]) == (True, True)


def test_a_model_without_fitted_weights_is_not_listened_to() -> None:
    situation = Situation("what happened today?")
    assert shares("unknown", {"open": 1.0}, situation) == shares("unknown", {}, situation)


def test_a_hit_in_the_library_makes_it_likelier() -> None:
    said = dict.fromkeys(WORDS, 0.2)
    without = shares("1.5b", said, Situation("what is the deposit?", library=True, hit=0.1))
    with_hit = shares("1.5b", said, Situation("what is the deposit?", library=True, hit=0.7))
    assert with_hit["library"] > without["library"]


def test_digits_are_alike_to_the_router() -> None:
    assert count_grams("error 17") == count_grams("Error  42")


def test_a_page_can_be_opened_only_with_an_address() -> None:
    tools = ["web_search", "fetch_url_content", "convert_currency"]
    assert offered_words(tools, has_address=False) == ["search", "answer"]
    assert offered_words(tools, has_address=True) == ["search", "open", "answer"]


def test_the_examples_of_the_decision_use_its_words() -> None:
    assert {answer for _, answer in load_prompt("decide").examples} == set(WORDS)


async def test_even_without_a_language_model_most_first_steps_are_right(tmp_path: Path) -> None:
    if not QUESTIONS.exists():
        pytest.skip("the router's questions are not here")
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()[:40]
    assert all(json.loads(line)["accept"] for line in lines)
    few = tmp_path / "questions.jsonl"
    few.write_text("\n".join(lines), encoding="utf-8")
    examples = await read_examples(few, SentenceEmbedder())
    router = load_router()
    chosen = [choose_word(router.read(example.situation, example.vector), example) for example in examples]
    assert accuracy(chosen, examples) > 0.7
