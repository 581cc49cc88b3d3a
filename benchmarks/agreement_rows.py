"""Agreement of three annotators of sentences: `agree`, alphas on a continuum, alpha of tokens."""

from functools import partial

import numpy as np

import inputs
from rows import Row, Topic
from spacy_chance_eval import Resampling, agree
from spacy_chance_eval.measures import items, nominal, u_alpha, unitizing
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.gamma import disorders

ANNOTATORS, RESAMPLES = 3, 1000


def agreeing(metrics, resamples, n_docs):
    """`agree` with some metrics, or its default ones."""
    sides = inputs.team(ANNOTATORS, n_docs)

    def work():
        agree(sides, metrics, intervals=Resampling(resamples))

    return work


def all_pairs_by_seqeval(n_docs):
    """F of all pairs of annotators."""
    from seqeval.metrics import f1_score

    sides = list(map(inputs.tags, inputs.team(ANNOTATORS, n_docs)))

    def work():
        for number, side in enumerate(sides):
            for other in sides[:number]:
                f1_score(side, other)

    return work


# --- on a continuum


def our_alpha_u(sides):
    """alpha_U of a team."""
    return float(unitizing.alpha_u(unitizing.unit_distances(sides).total().pooled())[0])


def our_u_alpha(sides):
    """u-alpha of a team."""
    return float(u_alpha.u_alpha(u_alpha.unit_lengths(sides).total().pooled())[0])


def on_a_continuum(function, n_docs):
    """One of the alphas of a team; it is no peer of the other."""
    sides = align_panel(inputs.team(ANNOTATORS, n_docs))

    def work():
        function(sides)

    return work


def by_pygamma(n_docs):
    """gamma by pygamma-agreement, one document after the other."""
    import pygamma_agreement  # noqa: F401  not what is measured

    sides = align_panel(inputs.team(ANNOTATORS, n_docs))

    def work():
        disorders(sides)

    return work


# --- tokens


def our_nominal_alpha(sides):
    """Krippendorff's alpha of the labels of tokens, that of no span included."""
    counts = items.coincidences(sides).total().pooled()
    return float(nominal.krippendorff_alpha(counts)[0])


def token_alpha(n_docs):
    return partial(our_nominal_alpha, align_panel(inputs.team(ANNOTATORS, n_docs)))


def table_of(n_docs):
    """Annotators by tokens: 0, or 1 and the number of the label."""
    sides = inputs.team(ANNOTATORS, n_docs)
    return np.array([inputs.codes(side, begins=False) for side in sides], np.int64)


def by_krippendorff(n_docs):
    import krippendorff

    table = table_of(n_docs)
    return lambda: float(krippendorff.alpha(table, level_of_measurement="nominal"))


def by_nltk(n_docs):
    from nltk.metrics.agreement import AnnotationTask

    table = table_of(n_docs).tolist()
    rows = [(i, j, label) for i, row in enumerate(table) for j, label in enumerate(row)]
    return lambda: float(AnnotationTask(rows).alpha())


OURS = "ours"
TOPICS = {
    "agreement": Topic(
        "agreement",
        (
            Row(
                OURS,
                partial(agreeing, None, RESAMPLES),
                remark="span F, token F, u-alpha, alpha_U; team, pairs, labels",
            ),
            Row(
                "ours, span F",
                partial(agreeing, ["span_f(chance=none)"], 0),
                remark="span F only, nothing resampled; team, pairs, labels, documents",
            ),
            Row(
                "seqeval",
                all_pairs_by_seqeval,
                "ours, span F",
                "span F of all pairs only, nothing resampled",
            ),
        ),
        remark=f"{ANNOTATORS} annotators, {RESAMPLES:,} resamples of documents",
    ),
    "alpha_u": Topic(
        "alpha_U, u-alpha",
        (
            Row("alpha_U", partial(on_a_continuum, our_alpha_u), remark="all labels"),
            Row("u-alpha", partial(on_a_continuum, our_u_alpha), remark="all labels"),
            Row(
                "pygamma-agreement",
                by_pygamma,
                "alpha_U",
                "gamma: another coefficient, so no ratio; 30 samples a document",
                comparable=False,
            ),
        ),
        smallest=10,
        remark=f"units of {ANNOTATORS} annotators on a continuum",
    ),
    "alpha": Topic(
        "nominal alpha",
        (
            Row(OURS, token_alpha, remark="labels, too"),
            Row("krippendorff", by_krippendorff, OURS, "a table of annotators by tokens"),
            Row("nltk", by_nltk, OURS, "a list of annotator, token, label"),
        ),
        smallest=100,
        remark=f"Krippendorff's alpha of the labels of tokens, {ANNOTATORS} annotators",
    ),
}
