"""A cross-encoder reads a question and a passage together: the only importer of sentence_transformers' CrossEncoder."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from rag.documents import Passage, contextual_text
from rag.embedding.base import whole
from utils.errors import LibraryError
from utils.files import expand_home, is_folder
from utils.network.model_hub import Hub
from utils.platform import spare_cores

# What has been trained to give a score: any other kind is loaded all the same, with a last layer of random numbers.
TRAINED = ("ForSequenceClassification", "ForCausalLM")

# `owner/model`; what begins with a dot or a tilde is a folder.
HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w.-]+")


class CrossEncoderReranker:
    """A `Reranker` that is a sentence-transformers model by name or folder, loaded at its first use."""

    def __init__(self, model: str, hub: Hub | None = None) -> None:
        self._name = model
        self._hub = hub or Hub()
        self._model: Any = None
        # A thread of its own: what is loading is not waited for by whoever no longer wants it.
        self._pool = ThreadPoolExecutor(1, "cross-encoder")

    async def scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """What the model says of each pair; raises `LibraryError` where it cannot be loaded or is no reranker."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._score_pairs, question, passages)

    def _score_pairs(self, question: str, passages: Sequence[Passage]) -> list[float]:
        if self._model is None:
            self._model = load_encoder(self._name, self._hub)
        asked = whole(question)
        pairs = [(asked, whole(contextual_text(p.title, p.heading, p.text))) for p in passages]
        try:
            return [float(score) for score in self._model.predict(pairs, show_progress_bar=False)]
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            raise encoder_failure(f"The reranker {self._name} failed", error) from error


def load_encoder(name: str, hub: Hub) -> Any:
    """The model from a folder, or by its name from what was fetched before, and only then from the hub."""
    folder = expand_home(Path(name))
    if not is_folder(folder) and not HUB_NAME.fullmatch(name):
        raise LibraryError(f"There is no reranker {name}.", "Name a folder or a model of the hub with rag.reranker.")
    try:
        model = _load_by_name(str(folder)) if is_folder(folder) else hub.load_model(name, partial(_load_by_name, name))
    except (ImportError, OSError, ValueError, RuntimeError, KeyError) as error:
        raise encoder_failure(f"The reranker {name} cannot be loaded", error) from error
    kinds = model.config.architectures or [""]
    if model.num_labels != 1 or not kinds[0].endswith(TRAINED):
        raise LibraryError(f"The model {name} gives no score of relevance.", "Name a cross-encoder with rag.reranker.")
    return model


def _load_by_name(name: str, local: bool = True) -> Any:
    spare_cores()
    # Torch, transformers and their kin: six seconds.
    import huggingface_hub
    import transformers
    from sentence_transformers import CrossEncoder

    # They tell of each step on standard error, where the chat is.
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    huggingface_hub.logging.set_verbosity_error()
    huggingface_hub.utils.disable_progress_bars()
    return CrossEncoder(name, local_files_only=local)


def encoder_failure(what: str, error: Exception) -> LibraryError:
    """What a library says, on one line."""
    reason = str(error).splitlines()[0] if str(error) else repr(error)
    return LibraryError(f"{what}: {reason.rstrip('.')}.", "Check rag.reranker.")


class EntailmentModel:
    """A cross-encoder that tells whether one text follows from another, by name or folder, loaded at its first use."""

    def __init__(self, model: str, hub: Hub | None = None) -> None:
        self._name = model
        self._hub = hub or Hub()
        self._model: Any = None
        self._pool = ThreadPoolExecutor(1, "entailment")

    async def entailment_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each premise and hypothesis the probability of entailment; raises `LibraryError`."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._entail_pairs, pairs)

    def _entail_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if self._model is None:
            self._model = load_entailment(self._name, self._hub)
        place = entailment_place(self._model.config.id2label)
        try:
            read = [(whole(premise), whole(hypothesis)) for premise, hypothesis in pairs]
            shares = self._model.predict(read, apply_softmax=True, show_progress_bar=False)
            return [float(row[place]) for row in shares]
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            raise _checker_failure(f"The checker {self._name} failed", error) from error


def load_entailment(name: str, hub: Hub) -> Any:
    """A model that has a label for entailment, from a folder, from what was fetched before, or from the hub."""
    folder = expand_home(Path(name))
    if not is_folder(folder) and not HUB_NAME.fullmatch(name):
        raise LibraryError(
            f"There is no checker {name}.", "Name a folder or a model of the hub with citations.checker."
        )
    try:
        model = _load_by_name(str(folder)) if is_folder(folder) else hub.load_model(name, partial(_load_by_name, name))
    except (ImportError, OSError, ValueError, RuntimeError, KeyError) as error:
        raise _checker_failure(f"The checker {name} cannot be loaded", error) from error
    kinds = model.config.architectures or [""]
    if entailment_place(model.config.id2label) is None or not kinds[0].endswith(TRAINED):
        told = f"The model {name} does not tell entailment."
        raise LibraryError(told, "Name an NLI cross-encoder with citations.checker.")
    return model


def entailment_place(labels: Mapping[int, str]) -> int | None:
    """Which of a model's labels is entailment; None where none is."""
    return next((int(place) for place, label in labels.items() if label.lower() in ("entailment", "entail")), None)


def _checker_failure(what: str, error: Exception) -> LibraryError:
    reason = str(error).splitlines()[0] if str(error) else repr(error)
    return LibraryError(f"{what}: {reason.rstrip('.')}.", "Check citations.checker.")
