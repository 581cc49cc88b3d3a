"""Summaries of an agreement of trees in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .agreement_verdict import agreement_verdict, pair_verdict
from .words import Result, quantity, quantity_word

ALONE = {
    "head": "in the head alone",
    "relation": "in the relation alone",
    "head and relation": "in head and relation",
}


def tree_verdict(result: Result, rows: Sequence[Result]) -> str:
    """Summary of an agreement of trees: its degree, identical trees, most frequent difference.

    The sentences are plain text: names are not escaped.

    Parameters
    ----------
    result : dict
        An agreement of trees as plain values.
    rows : sequence of dict
        The pairs of annotators whose trees were compared one by one, each a `TreePair.row`.
    """
    parts = [agreement_verdict(result), *_identical(rows), *_most_frequent(rows)]
    return " ".join(filter(None, parts))


def tree_pair_verdict(result: Result, row: Result) -> str:
    """Summary of a pair of annotators: agreement, number of differences, most frequent kind.

    Parameters
    ----------
    result : dict
        An agreement of trees as plain values.
    row : dict
        A `TreePair.row`.
    """
    names = (row["first"], row["second"])
    parts = [pair_verdict(result, names, row["n_differing"]), *_most_frequent([row])]
    return " ".join(filter(None, parts))


def _identical(rows: Sequence[Result]) -> Iterator[str]:
    """The sentence on identical trees."""
    n_docs = sum(row["n_docs"] for row in rows)
    n_same = n_docs - sum(row["n_differing"] for row in rows)
    if not n_docs:
        return
    if len(rows) > 1:
        yield f"Of {n_docs:,} pairs of trees, {n_same:,} {_are(n_same)} identical."
    elif n_same == n_docs:
        yield "All trees are identical." if n_docs > 1 else "Their trees are identical."
    else:
        yield f"The trees of {n_same:,} of {n_docs:,} sentences are identical."


def _most_frequent(rows: Sequence[Result]) -> Iterator[str]:
    """The sentence on differences: tokens with their relations, or brackets."""
    counts: Counter[str] = Counter()
    confused: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts.update(row["counts"])
        for pair, n in row["confused"].items():
            confused[min(pair), max(pair)] += n
    n_all = counts.total()
    if not n_all:
        return
    if not set(counts) <= set(ALONE):
        yield _brackets(rows, counts)
        return
    kind, n = min(counts.items(), key=lambda item: (-item[1], list(ALONE).index(item[0])))
    do = "does" if n == 1 else "do"
    said = f"Of {n_all:,} tokens that differ, {n:,} {do} so {ALONE[kind]}"
    if n_all == 1:
        said = f"One token differs, {ALONE[kind]}"
    elif n == n_all:
        said = f"{n_all:,} tokens differ, all of them {ALONE[kind]}"
    if confused:
        times = max(confused.values())
        most = sorted(pair for pair, n in confused.items() if n == times)
        often = f" ({quantity(times, 'time')})" if times > 1 else ""
        if len(most) == 1:
            said += f"; the relations confused most often are {' and '.join(most[0])}{often}"
        elif times > 1:
            each = f"{quantity_word(len(most), 'pair')} of relations"
            said += f"; {each} are confused most often ({quantity(times, 'time')} each)"
        else:
            said += "; no two relations are confused more than once"
    yield f"{said}."


def _brackets(rows: Sequence[Result], counts: Counter[str]) -> str:
    """The sentence on brackets that are in only one of two trees."""
    n_all = counts.total()
    said = f"{quantity(n_all, 'bracket')} {_are(n_all)} in only one of two trees"
    if len(rows) > 1:
        return f"{said}."
    names = (rows[0]["first"], rows[0]["second"])
    shares = [f"{n:,} only in that of {name}" for name, n in zip(names, rows[0]["counts"].values())]
    return f"{said}: {' and '.join(shares)}."


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
