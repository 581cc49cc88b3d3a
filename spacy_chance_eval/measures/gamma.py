"""Gamma: agreement of any number of annotators on where units are and on what they are.

The coefficient is worked out by pygamma-agreement, an optional package; what is here brings
documents to it, always in the same order and with the same random numbers, and sums over them.
"""

import logging
import random
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

import numpy as np

from .stats import Divided, Valued, ratio
from .unitizing import continuum_of

NOT_INSTALLED = "gamma needs pygamma-agreement: pip install 'spacy-chance-eval[gamma]'"
LIMIT = 1_000_000  # possible alignments of one document; all are looked at, for every sample


@dataclass(frozen=True, eq=False)
class Disorders(Valued):
    """What gamma is made of, for all labels together. Sum over documents. Shape (..., 1).

    Disorders of documents are weighted by their units, as both are means per unit.
    """

    observed: np.ndarray  # disorder of the best alignment, times units
    expected: np.ndarray  # mean disorder of the samples' best alignments, times units
    units: np.ndarray  # mean number of units per annotator


def disorders(annotators, *, samples=30, seed=0, position_weight=1.0, label_weight=1.0):
    """Observed and expected disorder of two or more annotators, for `gamma`.

    Every document is a continuum of its own: the spans of all annotators who saw it, also of those
    who marked nothing. Documents that fewer than two saw, or in which nobody marked anything, count
    nothing; neither do spans that do not fit the tokens. The random numbers of a document come from
    `seed` and its own annotation, so that neither the order of documents, annotators and labels nor
    their names count. numpy's and Python's global random states stay as they were.

    It takes long: about a second per document, more with many units, and much more with each
    further annotator: minutes, if ten marked two spans each. The package itself takes seconds to
    import.

    Parameters
    ----------
    annotators : sequence of Spans
        On the same documents (`alignment.align_panel`); each has seen their own of them.
    samples : int
        Random continua per document from which the expected disorder is estimated.
    seed : int
    position_weight, label_weight : float
        Of positions and of labels in the dissimilarity of two units, alpha and beta of the paper. A
        unit without a partner costs 1.

    Returns
    -------
    Divided of Disorders
        One row per document. Labels are all 0, undefined: one alignment is of all labels.

    Raises
    ------
    ValueError
        If the package is missing, or if a document has too many units to align.
    """
    continuum = continuum_of(annotators)
    spans = continuum.annotators
    found = np.zeros((3, spans[0].n_docs))
    rated = [(doc, _units_of(spans, doc)) for doc in np.flatnonzero(continuum.raters > 1)]
    rated = [(doc, units) for doc, units in rated if any(units)]
    for doc, units in rated:
        _check_size(spans[0].name(doc), units)
    with _isolation():
        package = _import_package()
        dissimilarity = package.CombinedCategoricalDissimilarity(position_weight, label_weight)
        for doc, units in rated:
            both = _document_disorders(package, dissimilarity, units, samples, seed)
            mean = sum(map(len, units)) / len(units)
            found[:, doc] = both[0] * mean, both[1] * mean, mean
    none = np.zeros((spans[0].n_docs, len(spans[0].labels)))
    return Divided(Disorders(*found[..., None]), Disorders(none, none, none))


def _import_package():
    """The optional package, imported when it is needed: that takes seconds."""
    try:
        import pygamma_agreement
    except ImportError as error:
        raise ValueError(NOT_INSTALLED) from error
    return pygamma_agreement


def _units_of(annotators, doc):
    """The units of those who saw a document: for each of them rows (start, end, number of label).

    Labels are numbered from the most frequent one, and annotators are ordered by their units.
    Labels that tie are exchangeable: samples depend on frequencies only.
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


def _check_size(name, units):
    """Raise for a document that has more possible alignments than can be looked at."""
    size = prod(len(side) + 1 for side in units)
    if size > LIMIT:
        raise ValueError(
            f"{name}: {len(units)} annotators with up to {max(map(len, units))} spans make "
            f"{size:.0e} possible alignments, and gamma looks at all of them; it can take "
            f"{LIMIT:.0e} a document: split long documents, compare fewer annotators, or use "
            "u_alpha or alpha_u"
        )


def document_seed(units, seed):
    """The seed of one document: of positions and numbers of labels, not of any order or name."""
    places = sorted(unit[:2] for side in units for unit in side)
    counts = np.bincount([label for side in units for *_, label in side])
    content = [seed, len(units), *(x for place in places for x in place), *counts.tolist()]
    return int(np.random.SeedSequence(content).generate_state(1)[0])


def _document_disorders(package, dissimilarity, units, samples, seed):
    """Observed and expected disorder of one document, as the package gives them."""
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
def _isolation():
    """Silences the package, and puts back the global random states that it uses."""
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


def _solver_options():
    """The global options of the solver that the package falls back on; nobody's without it."""
    try:
        from cvxopt import glpk
    except ImportError:
        return {}
    return glpk.options


def _is_foreign(record):
    """Whether a message logged by the root logger comes from elsewhere."""
    return "pygamma_agreement" not in record.pathname


def gamma(found):
    """Gamma: one minus observed over expected disorder.

        gamma = 1 - sum_d w_d D_o(d) / sum_d w_d D_e(d)

    D_o(d) is the disorder of the best alignment of the units of document d: the mean dissimilarity
    of the units that are aligned, summed over the alignment, and divided by w_d, the mean number of
    units per annotator. D_e(d) is the mean of the same over random continua with as many
    annotators, whose units have lengths, gaps, numbers and labels like those of the document. Of
    one document this is the gamma of the package.

    Parameters
    ----------
    found : Disorders

    Returns
    -------
    ndarray of shape (..., 1)
        At most 1, at 0 for chance; nan without units, and if the samples never disagree either
        (where the package says 1).

    References
    ----------
    Mathet, Widlöcher and Métivier (2015), "The unified and holistic method gamma for
    inter-annotator agreement measure and alignment", Computational Linguistics 41(3). Titeux and
    Riad (2021), "pygamma-agreement", Journal of Open Source Software 6(62).
    """
    return 1 - ratio(found.observed, found.expected)


def gamma_parts(found):
    """Observed and expected disorder per unit."""
    return ratio(found.observed, found.units), ratio(found.expected, found.units)
