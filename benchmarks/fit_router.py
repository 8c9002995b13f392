"""Fits the router's weights on the training questions and writes them beside the router.

A language model's distributions (0.25 to 0.5 s a question) are kept under --cache: a run that was cut off goes on.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict

from benchmarks.router_data import SIZES, Distributions, Example, accuracy, choose_word, embedded, read_examples
from chatbot.models.pipeline import router
from chatbot.models.pipeline.router import BUCKETS, WORDS, Floats, count_grams, judge_features, observe
from chatbot.models.pipeline.tool_choice import describe_tool
from rag.embedding import SentenceEmbedder
from tools.base import ToolSchema

EMBEDDING_SCALE = GRAM_SCALE = 3.0
"""Beside the observed features; of 1 to 8 the best by five-fold cross-validation on the training questions."""
READER_C, JUDGE_C = 1.0, 0.3
FOLDS = 5


def main() -> None:
    """Fit, print what cross-validation says, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(".cache/router"))
    parser.add_argument("--ask", action="store_true", help="ask the models about questions missing in the cache")
    options = parser.parse_args()
    asyncio.run(fit(options.questions, options.cache, options.ask))


async def fit(questions: Path, cache: Path, ask: bool) -> None:
    """The two regressions and the odds of tools without training questions."""
    embedder = SentenceEmbedder()
    examples = await read_examples(questions, embedder)
    arrays, out_of_fold = fit_reader(examples)
    print(f"reader alone: {cross_validated(out_of_fold, examples):.3f} of {len(examples)}")
    for size in SIZES:
        said = Distributions(cache / f"{size}.jsonl")
        if ask:
            model = embedded(size)
            await said.complete(model, examples)
            await model.close()
        arrays[f"judge {size}"] = fit_judge(size, examples, said, out_of_fold)
    arrays["admission"] = await fit_admission(embedder, examples)
    np.savez_compressed(router.WEIGHTS, **{name: pack(array) for name, array in arrays.items()})
    print(f"{router.WEIGHTS.name}: {router.WEIGHTS.stat().st_size // 1024} KiB")


def pack(array: Floats) -> np.ndarray:
    """Half precision for what is large: the shares change by less than 0.001."""
    return array.astype(np.float16 if array.size > 1000 else np.float32)


def targets(examples: Sequence[Example]) -> np.ndarray:
    """The best acceptable word of each example, as a place in `WORDS`."""
    return np.array([WORDS.index(example.accept[0]) for example in examples])


def fit_reader(examples: Sequence[Example]) -> tuple[dict[str, Floats], Floats]:
    """Weights that need no language model, and their log-probabilities for examples that they were not fitted on."""
    counts = [count_grams(example.situation.message) for example in examples]
    rows = [row for row, count in enumerate(counts) for _ in count]
    columns = [bucket for count in counts for bucket in count]
    values = [value for count in counts for value in count.values()]
    grams = csr_matrix((values, (rows, columns)), shape=(len(examples), BUCKETS))
    rarity = np.log((1 + len(examples)) / (1 + np.asarray((grams > 0).sum(axis=0)).ravel())) + 1
    weighed = grams.multiply(rarity).tocsr()
    norms = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
    weighed = csr_matrix(weighed.multiply(GRAM_SCALE / norms[:, None]))
    vectors = np.stack([example.vector for example in examples])
    seen = np.stack([observe(example.situation) for example in examples])
    features = hstack([csr_matrix(seen), csr_matrix(EMBEDDING_SCALE * vectors), weighed]).tocsr()
    model = LogisticRegression(C=READER_C, max_iter=500)
    folds = KFold(FOLDS, shuffle=True, random_state=0)
    out_of_fold = cross_val_predict(model, features, targets(examples), cv=folds, method="predict_log_proba")
    model.fit(features, targets(examples))
    width = seen.shape[1]
    arrays = {
        "rarity": rarity,
        "seen": model.coef_[:, :width],
        "embedding": model.coef_[:, width:-BUCKETS] * EMBEDDING_SCALE,
        "grams": model.coef_[:, -BUCKETS:] * GRAM_SCALE,
        "bias": model.intercept_,
    }
    return arrays, out_of_fold


def fit_judge(size: str, examples: Sequence[Example], said: Distributions, read: Floats) -> Floats:
    """Weights for what a model says, fitted on what the reader says of questions that it has not seen."""
    places = said.known(examples)
    known = [examples[place] for place in places]
    features = np.stack(
        [judge_features(said[e], read[place], e.situation) for e, place in zip(known, places, strict=True)]
    )
    model = LogisticRegression(C=JUDGE_C, max_iter=1000, fit_intercept=False)
    folds = KFold(FOLDS, shuffle=True, random_state=0)
    tried = cross_val_predict(model, features, targets(known), cv=folds, method="predict_log_proba")
    print(f"with the {size}: {cross_validated(tried, known):.3f} of {len(known)}")
    weights: Floats = model.fit(features, targets(known)).coef_
    return weights


def cross_validated(logs: Floats, examples: Sequence[Example]) -> float:
    """Accuracy of log-probabilities of examples that were not fitted on."""
    return accuracy([choose_word(row, example) for row, example in zip(logs, examples, strict=True)], examples)


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
