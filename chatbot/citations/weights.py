"""The fitted weights of the check of citations: boosted trees over its features, and what a model's word adds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WEIGHTS_FILE = Path(__file__).with_name("citation_weights.npz")
MAX_MODEL_LOG_ODDS = 6.0
"""Log-odds of a language model beyond which they weigh no more."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SupportWeights:
    """Trees of which none lets a feature that disagrees speak for a sentence; their nodes one after another."""

    feature: NDArray[np.int16]
    """Which feature a node looks at; -1: it is a leaf."""
    limit: Floats
    """A feature that is not above it goes to `below`, else to `above`."""
    below: NDArray[np.int32]
    above: NDArray[np.int32]
    value: Floats
    """What a leaf adds to the score."""
    roots: NDArray[np.int32]
    bias: float
    """Set so that a score of 0 is where the false alarms are as few as they are to be."""
    slope: float = 1.0
    log_odds: float = 0.0
    """Weights of the trees' score and of what a language model says, where it was asked; 0 until they were fitted."""
    bias_with_model: float = 0.0

    def support_score(self, features: Floats) -> float:
        """Log-odds, roughly, that the passages say the sentence."""
        nodes = self.roots
        # All trees at once, a level at a time.
        while (self.feature[nodes] >= 0).any():
            inner = self.feature[nodes] >= 0
            goes_below = features[self.feature[nodes]] <= self.limit[nodes]
            nodes = np.where(inner, np.where(goes_below, self.below[nodes], self.above[nodes]), nodes)
        return float(self.value[nodes].sum()) + self.bias

    def support_probability(self, features: Floats, log_odds: float | None = None) -> float:
        """That the passages say the sentence."""
        score = self.support_score(features)
        if log_odds is not None and self.log_odds:
            certain = max(-MAX_MODEL_LOG_ODDS, min(MAX_MODEL_LOG_ODDS, log_odds))
            score = self.slope * score + self.log_odds * certain + self.bias_with_model
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


@cache
def load_weights() -> Mapping[str, SupportWeights]:
    """The shipped weights: for a passage in the `same` language as the sentence, and in a `foreign` one."""
    with np.load(WEIGHTS_FILE) as arrays:
        return {block: _read_weights(arrays, block) for block in ("same", "foreign")}


def _read_weights(arrays: Any, block: str) -> SupportWeights:
    numbers = {name: float(arrays[f"{block} {name}"]) for name in ("bias", "slope", "log_odds", "bias_with_model")}
    return SupportWeights(
        arrays[f"{block} feature"].astype(np.int16),
        arrays[f"{block} limit"].astype(np.float64),
        arrays[f"{block} below"].astype(np.int32),
        arrays[f"{block} above"].astype(np.int32),
        arrays[f"{block} value"].astype(np.float64),
        arrays[f"{block} roots"].astype(np.int32),
        **numbers,
    )
