"""Weights of features, by pairs of what answers and what does not."""

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression


def fit_pairs(
    differences: NDArray[np.float64], strength: float, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """What each feature weighs, so that what answers comes before what does not.

    `differences` are the features of the one less those of the other, shape (pairs, features), `strength` the inverse
    of the regularization, `weights` what each pair weighs, shape (pairs,): all alike unless told.
    """
    logistic = LogisticRegression(C=strength, fit_intercept=False, max_iter=2000)
    both, labels = np.concatenate([differences, -differences]), np.repeat([1, 0], len(differences))
    counts = None if weights is None else np.tile(weights, 2)
    return np.asarray(logistic.fit(both, labels, sample_weight=counts).coef_[0])
