"""Ranks of systems by their scores, and groups of those that a test cannot tell apart."""

import numpy as np

from .resampling import TIE, tails
from .stats import ratio


def ranks(scores):
    """Rank of each system along the last axis: 1 for the highest score, equal scores share one.

    nan for an undefined score, which no other is compared with.
    """
    scores = np.asarray(scores, float)
    bound = scores + TIE * np.maximum(np.abs(scores), 1)
    above = np.empty_like(scores)
    for i in range(scores.shape[-1]):
        above[..., i] = (scores > bound[..., i : i + 1]).sum(axis=-1)
    return np.where(np.isnan(scores), np.nan, 1 + above)


def rank_interval(replicas, *, level=0.95):
    """The ranks between which a system stays in a share `level` of the resamples.

    `replicas` are ranks of shape (n_resamples, ...); two arrays, nan where no rank is defined.
    """
    replicas = np.asarray(replicas, float)
    limits = np.full((2, *replicas.shape[1:]), np.nan)
    some = ~np.isnan(replicas).all(axis=0)
    limits[:, some] = np.nanquantile(replicas[:, some], tails(level), axis=0, method="inverted_cdf")
    return limits


def first_shares(replicas):
    """Share of the resamples in which each system is first; those that tie share it.

    `replicas` are ranks of shape (n_resamples, n_systems); nan if no resample ranks anything.
    """
    first = np.asarray(replicas) == 1
    winners = first.sum(axis=-1, keepdims=True)
    defined = (winners > 0).sum()
    return ratio((first / np.maximum(winners, 1)).sum(axis=0), np.full(first.shape[-1], defined))


def rank_groups(distinct):
    """Letters for systems, so that two share one exactly if they cannot be told apart.

    Parameters
    ----------
    distinct : boolean ndarray of shape (n_systems, n_systems)
        Symmetric; whether a test tells the two apart. Systems are in the order of their ranks.

    Returns
    -------
    list of str
        "a" for the group of the first system, and so on; several letters where groups overlap.

    References
    ----------
    Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons
    (insert and absorb).
    """
    groups = [frozenset(range(len(distinct)))]
    for i, j in zip(*np.nonzero(np.triu(distinct))):
        parts = []
        for group in groups:
            parts += [group - {i}, group - {j}] if {i, j} <= group else [group]
        parts = list(dict.fromkeys(parts))
        groups = [part for part in parts if not any(part < other for other in parts)]
    groups = sorted(sorted(group) for group in groups if group)
    letters = [letter(number) for number in range(len(groups))]
    return [
        "".join(name for name, group in zip(letters, groups) if system in group)
        for system in range(len(distinct))
    ]


def letter(number):
    """a ... z, then a1 ... z1, and so on."""
    return chr(ord("a") + number % 26) + (str(number // 26) if number >= 26 else "")
