"""Fits the router's weights on the training messages and writes them beside the router.

Messages are held out by subject, never by line.
"""

import argparse
import asyncio
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks.router_data import Example, accuracy, choose_word, read_examples, read_lines
from chatbot.models.dialogue import ADDRESS
from chatbot.models.pipeline.decision import router
from chatbot.models.pipeline.decision.router import (
    ACTIONS,
    ANSWER,
    FORMS,
    GRAM_BUCKETS,
    TOOL_WORDS,
    Floats,
    MessageReading,
    Router,
    RouterInput,
    count_grams,
    judge_features,
    log_odds_to_probability,
    log_softmax,
    observe_situation,
)
from chatbot.models.pipeline.decision.tool_choice import describe_tool
from rag.embedding.sentence_model import SentenceEmbedder
from tools.base import ToolSchema

EMBEDDING_SCALE = GRAM_SCALE = 3.0
"""Beside the observed features; of 1 to 8 the best by five-fold cross-validation on the training questions."""
READER_C, JUDGE_C = 1.0, 0.3
FOLDS = 5


def main() -> None:
    """Fit, print what cross-validation says, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("messages", type=Path, nargs="+")
    given = parser.parse_args()
    if (found := count_subjects(given.messages)) < FOLDS:
        parser.error(f"messages of at least {FOLDS} subjects are needed, to hold some out, and these have {found}.")
    asyncio.run(fit(given.messages))


def count_subjects(files: Sequence[Path]) -> int:
    """How many groups of messages there are of which each is held out as one."""
    return len({row.get("subject") or row["question"] for file in files for row in read_lines(file)})


async def fit(files: Sequence[Path]) -> None:
    """The regressions, and the odds of tools without training messages."""
    embedder = SentenceEmbedder()
    examples = [example for file in files for example in await read_examples(file, embedder)]
    examples = relabelled(examples)
    examples += [elsewhere(example, examples) for example in examples if not example.situation.history]
    inputs = Inputs(examples)
    reader, readings = fit_reader(inputs)
    arrays = reader | {"judge": fit_judge(examples, readings), "admission": await fit_admission(embedder, examples)}
    np.savez_compressed(router.WEIGHTS, **{name: pack(array) for name, array in arrays.items()})
    print(f"{router.WEIGHTS.name}: {router.WEIGHTS.stat().st_size // 1024} KiB")


def pack(array: Floats) -> np.ndarray:
    """Half precision for what is large: the shares change by less than 0.001."""
    return array.astype(np.float16 if array.size > 2000 else np.float32)


class Inputs:
    """The features of all examples, and who is held out together."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples
        counts = [count_grams(example.situation.message) for example in examples]
        rows = [row for row, count in enumerate(counts) for _ in count]
        columns = [bucket for count in counts for bucket in count]
        values = [value for count in counts for value in count.values()]
        grams = csr_matrix((values, (rows, columns)), shape=(len(examples), GRAM_BUCKETS))
        self.rarity = np.log((1 + len(examples)) / (1 + np.asarray((grams > 0).sum(axis=0)).ravel())) + 1
        weighed = grams.multiply(self.rarity).tocsr()
        norms = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
        weighed = csr_matrix(weighed.multiply(GRAM_SCALE / norms[:, None]))
        vectors = np.stack([example.vector for example in examples])
        seen = np.stack([observe_situation(example.situation) for example in examples])
        self.width = seen.shape[1]
        self.features = hstack([csr_matrix(seen), csr_matrix(EMBEDDING_SCALE * vectors), weighed]).tocsr()
        self.groups = np.array([zlib.crc32((e.subject or e.situation.message).encode()) for e in examples])


def fit_reader(inputs: Inputs) -> tuple[dict[str, Floats], list[MessageReading]]:
    """Weights that need no language model, and what they say of examples that they were not fitted on."""
    examples = inputs.examples
    steps = np.array([ACTIONS.index(example.accept[0]) for example in examples])
    with_history = np.array([e.situation.history and e.follows is not None for e in examples])
    follows = np.array([bool(example.follows) for example in examples]).astype(int)
    formed = np.array([example.form in FORMS for example in examples])
    forms = np.array([FORMS.index(e.form) if e.form in FORMS else 0 for e in examples])
    rows = len(examples)
    wide = np.zeros((rows, len(ACTIONS) + 1 + len(FORMS)))
    for fitted, held in GroupKFold(FOLDS).split(inputs.features, groups=inputs.groups):
        tried = [(steps, fitted), (follows, fitted[with_history[fitted]]), (forms, fitted[formed[fitted]])]
        wide[held] = scores_of(inputs, tried, held)
    every = np.arange(rows)
    tasks = [(steps, every), (follows, every[with_history]), (forms, every[formed])]
    weights, bias = zip(*(regression(inputs, target, chosen) for target, chosen in tasks), strict=True)
    stacked, width = np.vstack(weights), inputs.width
    arrays = {
        "rarity": inputs.rarity,
        "seen": stacked[:, :width],
        "embedding": stacked[:, width:-GRAM_BUCKETS] * EMBEDDING_SCALE,
        "grams": stacked[:, -GRAM_BUCKETS:] * GRAM_SCALE,
        "bias": np.concatenate(bias),
    }
    guessed = (wide[:, len(ACTIONS)] > 0).astype(int)
    print(f"goes on from before: {np.mean(guessed[with_history] == follows[with_history]):.3f} of {with_history.sum()}")
    told = wide[:, len(ACTIONS) + 1 :].argmax(axis=1)
    print(f"form: {np.mean(told[formed] == forms[formed]):.3f} of {formed.sum()}")
    readings = held_out_readings(arrays, examples, wide)
    chosen = [choose_word(r.logs, e) for r, e in zip(readings, examples, strict=True)]
    print(f"reader alone: {accuracy(chosen, examples):.3f}")
    return arrays, readings


def regression(inputs: Inputs, target: np.ndarray, chosen: np.ndarray) -> tuple[Floats, Floats]:
    """Weights and bias, a row a class; one row for two classes."""
    model = LogisticRegression(C=READER_C, max_iter=150).fit(inputs.features[chosen], target[chosen])
    return model.coef_, model.intercept_


def scores_of(inputs: Inputs, tasks: Sequence[tuple[np.ndarray, np.ndarray]], held: np.ndarray) -> Floats:
    """What the regressions that were fitted on others say of those held out: the scores of all rows."""
    parts = []
    for target, chosen in tasks:
        weights, bias = regression(inputs, target, chosen)
        parts.append(inputs.features[held] @ weights.T + bias)
    return np.hstack(parts)


def held_out_readings(arrays: dict[str, Floats], examples: Sequence[Example], wide: Floats) -> list[MessageReading]:
    """What the product's router would read, had it not been fitted on these examples."""
    whole = Router(**arrays, admission=np.zeros(2), judge=np.zeros((0, 0)))
    readings = []
    for example, scores in zip(examples, wide, strict=True):
        follows = log_odds_to_probability(float(scores[len(ACTIONS)])) if example.situation.history else 0.0
        earlier = np.zeros(len(ACTIONS))
        if example.before is not None:
            asked = RouterInput(example.situation.earlier, library=example.situation.library)
            earlier = log_softmax(whole.score_rows(asked, example.before)[: len(ACTIONS)])
        form = FORMS[int(scores[len(ACTIONS) + 1 :].argmax())]
        readings.append(MessageReading(log_softmax(scores[: len(ACTIONS)]), earlier, follows, form))
    return readings


def relabelled(examples: Sequence[Example]) -> list[Example]:
    """Examples that only know four tools and answering, with what the others teach of the words beyond these."""
    old = [example for example in examples if not example.subject]
    if not old or len(old) == len(examples):
        return list(examples)
    inputs = Inputs(examples)
    steps = np.array([ACTIONS.index(example.accept[0]) for example in examples])
    new = np.array([place for place, example in enumerate(examples) if example.subject])
    weights, bias = regression(inputs, steps, new)
    known = sorted(set(steps[new]))
    scores = inputs.features @ weights.T + bias
    result = []
    for example, row in zip(examples, scores, strict=True):
        word = ACTIONS[known[int(row.argmax())]]
        beyond = not example.subject and example.accept[0] == ANSWER and word not in TOOL_WORDS.values()
        result.append(replace(example, accept=(word, ANSWER)) if beyond else example)
    return result


def elsewhere(example: Example, others: Sequence[Example]) -> Example:
    """A first message as a later one, after a question that it has nothing to do with: it wants the same there."""
    other = others[zlib.crc32(example.situation.message.encode()) % len(others)]
    address = bool(ADDRESS.search(other.situation.message))
    situation = replace(
        example.situation,
        earlier=other.situation.message,
        history=True,
        address_before=address,
        attached_before=other.situation.attached,
        alike=float(example.vector @ other.vector),
    )
    found = example.has_address or address
    return replace(example, situation=situation, before=other.vector, has_address=found, follows=False)


def fit_judge(examples: Sequence[Example], readings: Sequence[MessageReading]) -> Floats:
    """Weights for what the reader says, fitted on what it says of messages that it has not seen."""
    features = np.stack([judge_features(r, e.situation) for e, r in zip(examples, readings, strict=True)])
    targets = np.array([ACTIONS.index(example.accept[0]) for example in examples])
    groups = np.array([zlib.crc32((e.subject or e.situation.message).encode()) for e in examples])
    tried = np.zeros((len(examples), len(ACTIONS)))
    for fitted, held in GroupKFold(FOLDS).split(features, groups=groups):
        tried[held] = features[held] @ judge(features[fitted], targets[fitted]).T
    chosen = [choose_word(row, example) for row, example in zip(tried, examples, strict=True)]
    print(f"with the question before: {accuracy(chosen, examples):.3f} of {len(examples)}")
    return judge(features, targets)


def judge(features: Floats, targets: np.ndarray) -> Floats:
    """Weights, a row a word; a word that no example wants is never chosen."""
    model = LogisticRegression(C=JUDGE_C, max_iter=1000, fit_intercept=False).fit(features, targets)
    weights = np.zeros((len(ACTIONS), features.shape[1]))
    weights[:, -1] = -50.0
    weights[model.classes_] = model.coef_
    return weights


async def fit_admission(embedder: SentenceEmbedder, examples: Sequence[Example]) -> Floats:
    """Slope and middle: from questions for a dozen other tools, against the nearest of those tools to the others."""
    tools = json.loads((Path(__file__).parent / "other_tools.json").read_text(encoding="utf-8"))
    texts = [describe_tool(ToolSchema(tool["name"], tool["description"], {})) for tool in tools]
    described = await embedder.embed(texts)
    asked = await embedder.embed([question for tool in tools for question in tool["questions"]])
    right = (asked @ described.T).max(axis=1)
    wrong = (np.stack([example.vector for example in examples]) @ described.T).max(axis=1)
    alike, is_right = np.concatenate([right, wrong])[:, None], np.repeat([1, 0], [len(right), len(wrong)])
    model = LogisticRegression(C=1000, class_weight="balanced").fit(alike, is_right)
    slope = float(model.coef_[0, 0])
    middle = -float(model.intercept_[0]) / slope
    print(f"other tools: {np.mean(right > middle):.2f} admitted, {np.mean(wrong > middle):.2f} of the rest")
    return np.array([slope, middle])


if __name__ == "__main__":
    main()
