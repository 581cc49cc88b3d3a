"""Gamma: agreement of any number of annotators on the places and the labels of units.

The coefficient is computed by pygamma-agreement, an optional package. This module passes documents
to it, always in the same order and with the same random numbers, and sums over them.
"""

import logging
import random
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from math import prod
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from .arrays import Array, FloatArray
from .spans import Spans
from .stats import Divided, Valued, ratio
from .unitizing import continuum_of

Unit: TypeAlias = tuple[int, int, int]

NOT_INSTALLED = "gamma needs pygamma-agreement: pip install 'spacy-chance-eval[gamma]'"
LIMIT = 1_000_000  # possible alignments of one document; all are looked at, for every sample


@dataclass(frozen=True, eq=False)
class Disorders(Valued):
    """The components of gamma over all labels, arrays of shape (..., 1). Sum over documents.

    Disorders of documents are weighted by their units, as both are means per unit.
    """

    observed: Array  # disorder of the best alignment, times units
    expected: Array  # mean disorder of the samples' best alignments, times units
    units: Array  # mean number of units per annotator


def disorders(
    annotators: Iterable[Spans],
    *,
    samples: int = 30,
    seed: int = 0,
    position_weight: float = 1.0,
    label_weight: float = 1.0,
) -> Divided[Disorders]:
    """Observed and expected disorder of two or more annotators, for `gamma`.

    Every document is a continuum of its own: the spans of all annotators who saw it, including
    those who marked nothing. Documents that fewer than two saw, or in which nobody marked anything,
    count nothing; neither do spans that do not fit the tokens. The random numbers of a document
    depend on `seed` and on its own annotation, not on the order or the names of documents,
    annotators and labels. numpy's and Python's global random states are restored.

    This is slow: about a second per document, more with many units, and much more with each further
    annotator: minutes, if ten marked two spans each. The package itself takes seconds to import.

    Parameters
    ----------
    annotators : sequence of Spans
        On the same documents (`alignment.align_panel`); each has seen their own of them.
    samples : int
        Random continua per document from which the expected disorder is estimated.
    position_weight, label_weight : float
        Weights of positions and of labels in the dissimilarity of two units, alpha and beta of the
        paper. A unit without a partner costs 1.

    Returns
    -------
    Divided of Disorders
        One row per document. Those of labels are 0, so that gamma of a label is undefined: one
        alignment is of all labels.

    Raises
    ------
    ValueError
        If the package is missing, or if a document has too many units to align.
    """
    continuum = continuum_of(annotators)
    spans = continuum.annotators
    sums = np.zeros((3, spans[0].n_docs))
    shared = np.flatnonzero(continuum.n_annotators > 1).tolist()
    rated = [(doc, _units_of(spans, doc)) for doc in shared]
    rated = [(doc, units) for doc, units in rated if any(units)]
    for doc, units in rated:
        _check_size(spans[0].name(doc), units)
    with _isolation():
        package = _import_package()
        dissimilarity = package.CombinedCategoricalDissimilarity(position_weight, label_weight)
        for doc, units in rated:
            both = _document_disorders(package, dissimilarity, units, samples, seed)
            mean = sum(map(len, units)) / len(units)
            sums[:, doc] = both[0] * mean, both[1] * mean, mean
    none = np.zeros((spans[0].n_docs, len(spans[0].labels)))
    return Divided(Disorders(*sums[..., None]), Disorders(none, none, none))


def _import_package() -> ModuleType:
    """The optional package, imported when it is needed: that takes seconds."""
    try:
        return import_module("pygamma_agreement")
    except ImportError as error:
        raise ValueError(NOT_INSTALLED) from error


def _units_of(annotators: Iterable[Spans], doc: int) -> list[list[Unit]]:
    """The units of those who saw a document: for each annotator (start, end, number of label).

    Labels are numbered from the most frequent one, annotators are ordered by their units. Labels
    that tie are exchangeable: samples depend on frequencies only.
    """
    sides = []
    for spans in annotators:
        if spans.seen[doc]:
            rows = slice(*np.searchsorted(spans.doc, [doc, doc + 1]))
            columns = (spans.start[rows], spans.end[rows], spans.label[rows])
            sides.append(list(zip(*(column.tolist() for column in columns))))
    labels, counts = np.unique([label for side in sides for *_, label in side], return_counts=True)
    number = {label: i for i, label in enumerate(labels[np.argsort(-counts, kind="stable")])}
    sides = [sorted((start, end, number[label]) for start, end, label in side) for side in sides]
    return sorted(sides, key=lambda side: ([unit[:2] for unit in side], side))


def _check_size(name: str, units: Sequence[Sequence[Unit]]) -> None:
    """Raise ValueError for a document with more possible alignments than can be tried."""
    size = prod(len(side) + 1 for side in units)
    if size > LIMIT:
        raise ValueError(
            f"{name}: {len(units)} annotators with up to {max(map(len, units))} spans make "
            f"{size:.0e} possible alignments, and gamma looks at all of them; it can take "
            f"{LIMIT:.0e} a document: split long documents, compare fewer annotators, or use "
            "u_alpha or alpha_u"
        )


def document_seed(units: Sequence[Sequence[Unit]], seed: int) -> int:
    """The seed of one document, from positions and numbers of labels, not from order or names."""
    places = sorted(unit[:2] for side in units for unit in side)
    counts = np.bincount([label for side in units for *_, label in side])
    content = [seed, len(units), *(x for place in places for x in place), *counts.tolist()]
    return int(np.random.SeedSequence(content).generate_state(1)[0])


def _document_disorders(
    package: ModuleType,
    dissimilarity: object,
    units: Sequence[Sequence[Unit]],
    samples: int,
    seed: int,
) -> tuple[float, float]:
    """Observed and expected disorder per unit of one document."""
    from cvxpy.error import SolverError
    from pyannote.core import Segment

    continuum = package.Continuum()
    width = len(str(len(units)))  # the package sorts annotators and labels as texts
    for number, side in enumerate(units):
        continuum.add_annotator(f"{number:0{width}}")
        for start, end, label in side:
            continuum.add(f"{number:0{width}}", Segment(start, end), f"{label:09}")
    np.random.seed(document_seed(units, seed))
    try:
        result = continuum.compute_gamma(dissimilarity, n_samples=samples)
    except (AssertionError, SolverError) as error:
        raise ValueError(f"pygamma-agreement cannot align the units: {error}") from error
    return float(result.observed_disorder), float(result.expected_disorder)


@contextmanager
def _isolation() -> Iterator[None]:
    """Silences the package and restores the global states that it changes."""
    numpys, pythons = np.random.get_state(), random.getstate()
    root, handler = logging.getLogger(), logging.NullHandler()
    options = _solver_options()
    before = dict(options)
    options["msg_lev"] = "GLP_MSG_OFF"  # solvers in other threads switch it on again otherwise
    root.addFilter(_is_foreign)
    root.addHandler(handler)  # without any handler the package would set up logging for everybody
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        root.removeHandler(handler)
        root.removeFilter(_is_foreign)
        options.clear()
        options.update(before)
        random.setstate(pythons)
        np.random.set_state(numpys)


def _solver_options() -> dict[str, Any]:
    """The global options of the package's fallback solver; empty if it is not installed."""
    try:
        options: dict[str, Any] = import_module("cvxopt.glpk").options
    except ImportError:
        return {}
    return options


def _is_foreign(record: logging.LogRecord) -> bool:
    """Whether a message of the root logger is not the package's."""
    return "pygamma_agreement" not in record.pathname


def gamma(sums: Disorders) -> FloatArray:
    """Gamma: one minus observed over expected disorder.

        gamma = 1 - sum_d w_d D_o(d) / sum_d w_d D_e(d)

    D_o(d) is the disorder of the best alignment of the units of document d: the mean dissimilarity
    of the units that are aligned, summed over the alignment, and divided by w_d, the mean number of
    units per annotator. D_e(d) is the mean of the same over random continua with as many
    annotators, whose units have lengths, gaps, numbers and labels like those of the document. Of
    one document this is the gamma of the package.

    Returns
    -------
    ndarray of shape (..., 1)
        At most 1, at 0 for chance; nan without units, and if the samples never disagree either
        (the package returns 1 there).

    References
    ----------
    Mathet, Widlöcher and Métivier (2015), "The unified and holistic method gamma for
    inter-annotator agreement measure and alignment", Computational Linguistics 41(3). Titeux and
    Riad (2021), "pygamma-agreement", Journal of Open Source Software 6(62).
    """
    return 1 - ratio(sums.observed, sums.expected)


def gamma_parts(sums: Disorders) -> tuple[FloatArray, FloatArray]:
    """Observed and expected disorder per unit; nan without units."""
    return ratio(sums.observed, sums.units), ratio(sums.expected, sums.units)
