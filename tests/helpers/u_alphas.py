"""The u-alpha family by score, and the scores of annotators."""

import numpy as np
import pytest

from spacy_chance_eval.measures.u_alpha import (
    bar_u_alpha,
    cu_alpha,
    cu_coverage,
    u_alpha,
    unit_intersections,
    unit_lengths,
)

SCORES = {
    u_alpha: unit_lengths,
    bar_u_alpha: unit_lengths,
    cu_alpha: unit_intersections,
    cu_coverage: unit_intersections,
}
every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)


def pooled(score, annotators):
    """The score of all labels together."""
    return score(SCORES[score](annotators).total().pooled())


def by_label(score, annotators):
    """The score of each label."""
    return score(SCORES[score](annotators).total().by_label())


def same(found, expected):
    """Assert that numbers are equal but for rounding."""
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
