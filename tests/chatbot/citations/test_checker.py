from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatbot.citations.checker import CitationChecker, FittedChecker, NliChecker, make_checker, plain_sentence
from chatbot.citations.sentences import Cited, SentenceJudge, nearest_parts
from chatbot.citations.support import FEATURE_NAMES
from chatbot.citations.weights import load_weights
from chatbot.settings import CitationSettings
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder
from rag.search.cross_encoder import entailment_place
from utils.errors import LibraryError

FERRY = Passage(
    "The ferry Aurora leaves the harbour of Bergen at 9 pm. It carries 1,490 people and sails before Easter.",
    "https://ferry.example/",
    "Timetable",
    "web",
)
TOWER = Passage("The tower is 55 m high and was built by Anna Krog in 1871.", "https://tower.example/", "Tower", "web")


@pytest.fixture(scope="module")
def checker() -> FittedChecker:
    return FittedChecker(SentenceEmbedder())


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The ferry Aurora leaves Bergen at 21:00 [1].", ""),
        ("It carries 1490 people.", "How many people does the ferry carry?"),
        ("- At **9 pm** [1]", "When does the ferry leave Bergen?"),
    ],
)
async def test_what_the_passage_says_is_supported(checker: FittedChecker, sentence: str, question: str) -> None:
    assert await checker.support_probability(sentence, [FERRY], question) >= checker.threshold


@pytest.mark.parametrize(
    "sentence",
    [
        "The ferry Aurora leaves the harbour of Bergen at 8 pm.",
        "It carries 1,940 people.",
        "The ferry Borealis leaves the harbour of Oslo at 9 pm.",
        "The ferry Aurora never leaves the harbour of Bergen.",
        "It carries 1,490 people and sails after Easter.",
        "The tower was built by Anna Krog in 1871.",
    ],
)
async def test_what_the_passage_does_not_say_is_not(checker: FittedChecker, sentence: str) -> None:
    assert await checker.support_probability(sentence, [FERRY]) < checker.threshold


async def test_nothing_supports_without_a_passage_or_a_sentence(checker: FittedChecker) -> None:
    assert await checker.support_probability("It sails.", []) == await checker.support_probability("[1]", [FERRY]) == 0


async def test_passages_are_read_together(checker: FittedChecker) -> None:
    both = "The ferry leaves Bergen at 9 pm, and the tower is 55 m high."
    assert await checker.support_probability(both, [FERRY, TOWER]) > await checker.support_probability(both, [FERRY])


def test_marks_and_numbers_are_no_part_of_a_sentence() -> None:
    assert plain_sentence("* **Bold** `code` [a link](https://example.org/) so [1, 2] ~~[3]~~") == "Bold code a link so"


@pytest.mark.parametrize("block", ["same", "foreign"])
def test_what_disagrees_never_speaks_for_a_sentence(block: str) -> None:
    weights = load_weights()[block]
    draw = np.random.default_rng(0)
    for _ in range(200):
        features = draw.random(len(FEATURE_NAMES)) * (draw.random(len(FEATURE_NAMES)) < 0.3)
        worse = features.copy()
        place = FEATURE_NAMES.index(
            str(draw.choice([n for n in FEATURE_NAMES if n not in ("nothing to check", "short")]))
        )
        worse[place] += 0.5
        assert weights.support_score(worse) <= weights.support_score(features) + 1e-6


def test_the_settings_choose_the_checker() -> None:
    embedder = SentenceEmbedder()
    assert make_checker(CitationSettings(check=False), embedder) is None
    fitted = make_checker(CitationSettings(threshold=0.7), embedder)
    assert isinstance(fitted, FittedChecker) and fitted.threshold == 0.7
    assert isinstance(make_checker(CitationSettings(checker="owner/model"), embedder), NliChecker)


def write_nli_model(folder: Path, labels: Sequence[str]) -> Path:
    """A cross-encoder of random weights that knows a dozen words."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *["the", "ferry", "leaves", "at", "nine", "eight", "it"]]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
        num_labels=len(labels), id2label=dict(enumerate(labels)), label2id={n: i for i, n in enumerate(labels)},
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


async def test_a_model_of_the_users_checks_by_its_label_of_entailment(tmp_path: Path) -> None:
    checker = NliChecker(str(write_nli_model(tmp_path, ["contradiction", "entailment", "neutral"])), 0.3)
    share = await checker.support_probability("the ferry leaves at nine", [FERRY, TOWER])
    assert 0 < share < 1 and checker.threshold == 0.3


async def test_a_model_without_entailment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="does not tell entailment"):
        await NliChecker(str(write_nli_model(tmp_path, ["good", "bad"]))).support_probability("It sails.", [FERRY])


async def test_a_model_that_is_not_there_is_named() -> None:
    with pytest.raises(LibraryError, match="There is no checker nothing"):
        await NliChecker("nothing").support_probability("It sails.", [FERRY])


def test_entailment_is_known_by_its_name() -> None:
    assert entailment_place({0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}) == 2
    assert entailment_place({0: "LABEL_0"}) is None


class ByWords:
    """Supports a sentence if the passages together have each of its words; counts how often it was asked."""

    threshold = 0.5

    def __init__(self, failure: LibraryError | None = None) -> None:
        self.failure = failure
        self.asked: list[tuple[str, str]] = []

    async def support_probability(self, sentence: str, passages: Sequence[Passage], question: str = "") -> float:
        self.asked.append((sentence, question))
        if self.failure:
            raise self.failure
        said = " ".join(passage.text for passage in passages).split()
        return float(all(word.strip(".") in said for word in sentence.split()))


def texts(*said: str) -> dict[int, Passage]:
    return {number: Passage(text, str(number), "", "web") for number, text in enumerate(said, 1)}


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (("a b", "a c"), {2}),
        (("a", "b"), set()),
        (("a b", "b a"), set()),
        (("c", "d"), {1, 2}),
        (("c",), {1}),
    ],
)
async def test_a_number_is_wrong_if_its_passage_adds_nothing(said: tuple[str, ...], wrong: set[int]) -> None:
    checker: Any = ByWords()
    assert await SentenceJudge(checker, "").find_wrong(Cited("a b"), texts(*said)) == wrong


async def test_a_list_of_sources_is_no_statement() -> None:
    checker: CitationChecker = ByWords()
    judge = SentenceJudge(checker, "")
    assert await judge.find_wrong(Cited("Sources:"), texts("a")) == frozenset()
    assert await judge.find_wrong(Cited(""), texts("a")) == frozenset()


async def test_a_checker_that_fails_is_asked_once_and_strikes_nothing() -> None:
    checker = ByWords(LibraryError("It is gone.", "Look."))
    judge = SentenceJudge(checker, "when?")
    for _ in range(2):
        assert await judge.find_wrong(Cited("a b", "c"), texts("d")) == frozenset()
    assert (checker.asked, judge.failure) == ([("a b", "when?\nc")], checker.failure)


def test_of_a_long_text_the_parts_are_judged_that_have_the_words_of_a_sentence() -> None:
    dull = "Nothing of note was said that day by anybody. " * 400
    long = Passage(f"{dull}\n\nThe ferry leaves at nine.\n\n{dull}", "notes.md", "notes.md", "file")
    near = nearest_parts(long, "The ferry leaves at nine.")
    assert near is not None and "The ferry leaves at nine." in near.text and len(near.text) < 4000
    assert nearest_parts(long, "Паром отходит в девять.") is None
    short = Passage("The ferry leaves at nine.", "a", "a", "file")
    assert nearest_parts(short, "Паром отходит в девять.") is short


async def test_a_number_of_a_long_text_that_shares_no_word_is_believed() -> None:
    long = Passage("Nothing of note was said that day. " * 400, "notes.md", "notes.md", "file")
    checker: Any = ByWords()
    assert await SentenceJudge(checker, "").find_wrong(Cited("Паром отходит в девять."), {1: long}) == frozenset()
    assert await SentenceJudge(checker, "").find_wrong(Cited("Nobody said nothing that day."), {1: long}) == {1}
