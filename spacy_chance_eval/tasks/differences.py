"""Differences between files of gold and predictions, and why they score as they do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..analysis.diff import Diff, diff
from ..corpora.pairs import CorpusPair, ReadOptions, read_pair

if TYPE_CHECKING:
    from ..analysis.explain import Model


def diff_files(
    gold: str | Path,
    pred: str | Path | None = None,
    *,
    reading: ReadOptions | None = None,
    labels: Iterable[str] = (),
    relations: Iterable[str] = (),
    documents: Iterable[str] = (),
    equal: bool = False,
    sort: str = "errors",
    features: str = "none",
    beta: float = 1.0,
    pairs: Iterable[tuple[str, str]] = (),
) -> Diff:
    """The `Diff` of a file of gold annotation and one of predictions.

    Parameters
    ----------
    gold : str or Path
        A file, a folder of files, or a pattern.
    pred : str or Path, optional
        The same, or a trained pipeline; without it, gold and prediction are two layers of gold's
        file.
    reading : ReadOptions, optional
    labels, relations, documents : iterable of str
        Show differences with any of them only; all, if there are none.
    equal : bool
        Also show documents without a difference.
    sort : "errors", "f" or "document"
        Documents with most differences first, with the lowest strict F first, or in their order.
    features : "none", "all" or names joined by "+"
        Features that must agree for a pair to be correct or partial.
    beta : float
        Of all F: above 1 it favours recall.
    pairs : iterable of (str, str)
        Labels of gold and of the prediction that are compared with each other: ("Person", "PER").

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, layers that do not exist, and
        filters and pairs that name nothing that is there.
    """
    return diff(
        read_pair(gold, pred, reading or ReadOptions()),
        labels=labels,
        relations=relations,
        documents=documents,
        equal=equal,
        sort=sort,
        features=features,
        beta=beta,
        pairs=pairs,
    )


def explain_files(
    gold: str | Path,
    pred: str | Path | None = None,
    *,
    reading: ReadOptions | None = None,
    document: str | None = None,
    labels: Iterable[str] = (),
    model: Model | None = None,
) -> tuple[dict[str, Any], CorpusPair]:
    """The differences behind the scores of a file of predictions, and their documents.

    Parameters
    ----------
    gold : str or Path
        A file, a folder of files, or a pattern.
    pred : str or Path, optional
        The same, or a trained pipeline; without it, gold and prediction are two layers of gold's
        file.
    reading : ReadOptions, optional
    document : str, optional
        Name of the document to explain, or its number from 1; by default the whole corpus.
    labels : iterable of str
        Which labels; by default all of the corpus, or those that the document has.
    model : Model, optional
        How chance places segments, and how tokens and information are counted.

    Returns
    -------
    result : dict
        The result of `explain_document` or `explain_corpus`.
    compared : CorpusPair
        Gold and the predictions, for pages.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, layers, labels or a document that
        do not exist, and spans that contradict the chance model.
    """
    from ..analysis.explain import explain_corpus, explain_document

    compared = read_pair(gold, pred, reading or ReadOptions())
    if document is None:
        return explain_corpus(compared, labels=labels, model=model), compared
    return explain_document(compared, document, labels=labels, model=model), compared
