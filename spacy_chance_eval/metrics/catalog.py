"""The table of metrics: name -> how to count, how to score, parameters, paper."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ..measures import gamma, gate, items, matching, nominal, slicm, u_alpha, unitizing
from ..measures.alignment import UNITS
from ..measures.chance.expectation import CHANNELS, PLACEMENTS
from ..measures.items import item_values
from ..measures.trees import syntax
from ..measures.trees.trees import KINDS

CHANCE = ("none", *PLACEMENTS)
LI = "Li et al. (2024), Estimating Agreement by Chance for Sequence Annotation"
AMIGO = "Amigó et al., Evaluating Sequence Labeling on the basis of Information Theory"
GATE = "GATE user guide, chapter 10"
MAYNARD = "Maynard, Peters and Li (2006), Metrics for evaluation of ontology-based IE; GATE"
UNITIZING = "Krippendorff (1995), On the reliability of unitizing; (2004), Quality & Quantity 38"
U_ALPHA = "Krippendorff, Mathet, Bouvry, Widlöcher (2016), On the reliability of unitizing"
MATHET = "Mathet, Widlöcher and Métivier (2015), The unified and holistic method gamma"
SPECIFIC = "Cicchetti and Feinstein (1990), High agreement but low kappa: II"


@dataclass(frozen=True)
class Metric:
    """A row of the catalog.

    `count(gold, pred, **counted)` gives statistics, one row per document; `score(total, **scored)`
    the score. `expected(gold, pred, observed, placement=, unit=, **counted)` gives the statistics
    expected by chance, or None where they have to be drawn. `parameters` are all parameters with
    their defaults. Swapping gold and prediction gives the metric named `swapped`, if any.

    A metric for a `team` counts any number of aligned annotators: `count(annotators, **counted)`.
    `prior(teams, **counted)` gives further arguments of the count, by which statistics of several
    teams get columns for the same things. A coefficient with a chance model of its own has
    `parts(total, **scored)`: the observed and the expected agreement that its score, (observed -
    expected) / (1 - expected), is made of.
    """

    name: str
    count: Callable
    score: Callable
    parameters: Mapping
    paper: str
    expected: Callable | None = None
    counted: tuple = ()
    scored: tuple = ()
    swapped: str | None = None
    bits: bool = False  # measured in bits, without a best value; otherwise 1 is perfect
    higher_is_better: bool = True
    team: bool = False
    parts: Callable | None = None
    prior: Callable | None = None
    slow: bool = False  # about a second per document
    kinds: tuple = ()  # of trees that it compares; of spans none


CHOICES = {
    "chance": CHANCE,
    "unit": UNITS,
    "encoding": tuple(CHANNELS),
    "rank": slicm.RANKS,
    "matching": slicm.MATCHINGS,
    "items": ("token", "category", "span"),
    "mode": tuple(gate.MODES),
    "empty": gate.EMPTY,
    "of": gate.PER,
}
POSITIVE = ("beta", "per", "position_weight", "label_weight")  # numbers above 0
WHOLE = {
    "samples": 1,
    "seed": 0,
    "sample": 0,
    "p": 1,
    "q": 1,
}  # whole numbers: the least that they can be
CORRECTION = {"chance": "disjoint", "unit": "doc"}
INFORMATION = {"token_information": "constant", "rank": "position", "matching": "mutual"}

# what is weighed: count, expectation, parameters of the count, paper
WEIGHED = {
    "span": (matching.span_hits, matching.expected_span_hits, {}, LI),
    "token": (matching.token_hits, matching.expected_token_hits, {"encoding": "IO"}, LI),
    "link": (matching.link_hits, matching.expected_link_hits, {}, AMIGO),
    "bcubed": (matching.bcubed_hits, matching.expected_bcubed_hits, {}, AMIGO),
    "int": (matching.int_hits, matching.expected_int_hits, {}, AMIGO),
}
# score of the masses: function, parameters, its mirror image
SCORES = {
    "precision": (matching.precision, {}, "recall"),
    "recall": (matching.recall, {}, "precision"),
    "f": (matching.f_score, {"beta": 1.0}, "f"),
}


def hit_metrics():
    """The rows of span, token, link, BCubed and Int precision, recall and F."""
    for what, (count, expected, counted, paper) in WEIGHED.items():
        for suffix, (score, scored, mirror) in SCORES.items():
            yield Metric(
                f"{what}_{suffix}",
                count,
                score,
                MappingProxyType({**CORRECTION, **counted, **scored}),
                paper,
                expected=expected,
                counted=tuple(counted),
                scored=tuple(scored),
                swapped=f"{what}_{mirror}",
            )


def information_metrics():
    """The rows of SL-ICM. Only the normalised one has a best value, so only it can be corrected."""
    for name, score, more in (
        ("slicm", slicm.slicm, {}),
        ("slicm_norm", slicm.slicm_norm, {**CORRECTION, "chance": "none"}),
    ):
        yield Metric(
            name,
            slicm.slicm_information,
            score,
            MappingProxyType({**INFORMATION, **more}),
            AMIGO,
            counted=tuple(INFORMATION),
            bits=name == "slicm",
        )


def value_prior(teams, *, items, **_):
    """The table of values of all teams, for what is counted by value."""
    return {"values": tuple(sorted({v for team in teams for v in item_values(team, items)}))}


def length_prior(teams):
    """The lengths of the units of all teams, for what is counted by length."""
    lengths = [unitizing.distinct_lengths(team) for team in teams]
    return {"lengths": np.unique(np.concatenate(lengths)) if lengths else None}


PRIORS = {
    items.label_confusion: value_prior,
    items.team_confusion: value_prior,
    items.coincidences: value_prior,
    items.weighted_coincidences: value_prior,
    unitizing.unit_distances: length_prior,
}


def agreements(parts):
    """Observed and expected agreement, from a function that gives disagreements."""

    def of(total):
        return tuple(1 - disagreement for disagreement in parts(total))

    return of


ITEMS = {"items": "token"}
# coefficients: count, score, (observed, expected), parameters of the count, for a team, paper
COEFFICIENTS = {
    "percent_agreement": (
        items.coincidences,
        nominal.percent_agreement,
        None,
        ITEMS,
        True,
        "Gwet (2014), Handbook of Inter-Rater Reliability",
    ),
    "positive_agreement": (
        items.specific_counts,
        nominal.positive_agreement,
        None,
        ITEMS,
        False,
        SPECIFIC,
    ),
    "negative_agreement": (
        items.specific_counts,
        nominal.negative_agreement,
        None,
        ITEMS,
        False,
        SPECIFIC,
    ),
    "cohen_kappa": (
        items.label_confusion,
        nominal.cohen_kappa,
        nominal.davies_fleiss_parts,
        ITEMS,
        False,
        "Cohen (1960), A coefficient of agreement for nominal scales",
    ),
    "scott_pi": (
        items.label_confusion,
        nominal.scott_pi,
        nominal.fleiss_parts,
        ITEMS,
        False,
        "Scott (1955), Reliability of content analysis; Siegel and Castellan (1988)",
    ),
    "davies_fleiss": (
        items.team_confusion,
        nominal.davies_fleiss,
        nominal.davies_fleiss_parts,
        ITEMS,
        True,
        "Davies and Fleiss (1982), Measuring agreement for multinomial data",
    ),
    "fleiss_kappa": (
        items.team_confusion,
        nominal.fleiss_kappa,
        nominal.fleiss_parts,
        ITEMS,
        True,
        "Fleiss (1971), Measuring nominal scale agreement among many raters",
    ),
    "krippendorff_alpha": (
        items.coincidences,
        nominal.krippendorff_alpha,
        agreements(nominal.alpha_parts),
        ITEMS,
        True,
        "Krippendorff (2004), Content Analysis, chapter 11",
    ),
    "gwet_ac1": (
        items.coincidences,
        nominal.gwet_ac1,
        nominal.ac1_parts,
        ITEMS,
        True,
        "Gwet (2008), Computing inter-rater reliability and its variance",
    ),
    "gwet_ac2": (
        items.weighted_coincidences,
        nominal.gwet_ac2,
        nominal.ac2_parts,
        {**ITEMS, "weights": "identity"},
        True,
        "Gwet (2014), Handbook of Inter-Rater Reliability",
    ),
    "alpha_u": (
        unitizing.unit_distances,
        unitizing.alpha_u,
        agreements(unitizing.alpha_u_parts),
        {},
        True,
        UNITIZING,
    ),
    "u_alpha": (
        u_alpha.unit_lengths,
        u_alpha.u_alpha,
        agreements(u_alpha.u_alpha_parts),
        {},
        True,
        U_ALPHA,
    ),
    "bar_u_alpha": (
        u_alpha.unit_lengths,
        u_alpha.bar_u_alpha,
        agreements(u_alpha.bar_u_alpha_parts),
        {},
        True,
        U_ALPHA,
    ),
    "cu_alpha": (
        u_alpha.unit_intersections,
        u_alpha.cu_alpha,
        agreements(u_alpha.cu_alpha_parts),
        {},
        True,
        f"{U_ALPHA}; by label it is (k)u-alpha",
    ),
    "cu_coverage": (
        u_alpha.unit_intersections,
        u_alpha.cu_coverage,
        None,
        {},
        True,
        U_ALPHA,
    ),
    "gamma": (
        gamma.disorders,
        gamma.gamma,
        agreements(gamma.gamma_parts),
        {"samples": 30, "seed": 0, "position_weight": 1.0, "label_weight": 1.0},
        True,
        MATHET,
    ),
}
SLOW = {"gamma"}


def coefficient_metrics():
    """The rows of agreement coefficients. Swapping two annotators changes none of them."""
    for name, (count, score, parts, counted, team, paper) in COEFFICIENTS.items():
        yield Metric(
            name,
            count,
            score,
            MappingProxyType(counted),
            paper,
            counted=tuple(counted),
            swapped=name,
            team=team,
            parts=parts,
            prior=PRIORS.get(count),
            slow=name in SLOW,
        )


def gate_metrics():
    """The rows of GATE's precision, recall and F, and of the same scored by closeness (BDM)."""
    scored = {"mode": "strict", "empty": "nan"}
    for suffix, (score, more, mirror) in {
        "precision": (gate.gate_precision, {}, "recall"),
        "recall": (gate.gate_recall, {}, "precision"),
        "f": (gate.gate_f, {"beta": 1.0}, "f"),
    }.items():
        for what, counted, paper in (
            ("gate", {"features": "none"}, GATE),
            ("bdm", {"features": "none", "closeness": None}, MAYNARD),
        ):
            yield Metric(
                f"{what}_{suffix}",
                gate.pairings,
                score,
                MappingProxyType({**CORRECTION, "chance": "none", **counted, **scored, **more}),
                paper,
                counted=tuple(counted),
                scored=(*scored, *more),
                swapped=f"{what}_{mirror}",
            )
    counted, scored = {"of": "token", "features": "none"}, {"per": 1000.0, "mode": "strict"}
    yield Metric(
        "false_positives",
        gate.false_positive_counts,
        gate.false_positives,
        MappingProxyType(counted | scored),
        GATE,
        counted=tuple(counted),
        scored=tuple(scored),
        higher_is_better=False,
    )


ROWS = (hit_metrics, information_metrics, coefficient_metrics, gate_metrics)
CATALOG = {metric.name: metric for rows in ROWS for metric in rows()}


SKJAERHOLT = "Skjærholt (2014), A chance-corrected measure of inter-annotator agreement for syntax"
AUGSTEN = "Augsten, Böhlen and Gamper (2005), Approximate matching of hierarchical data; alpha as "
BUCHHOLZ = "Buchholz and Marsi (2006), CoNLL-X shared task on multilingual dependency parsing"
DEPENDENCY, CONSTITUENCY = KINDS
NO_TABLE = "none"
TREE_CHOICES = {"delta": tuple(syntax.DELTAS)}
TREE_WHOLE = {"sample": 0, "p": 1, "q": 1}  # whole numbers: the least that they can be
# distances whose alpha is asked for: parameters, paper
ALPHAS = {
    "syntax_alpha": (
        {"closeness": NO_TABLE, "delta": "plain", "sample": 0, "seed": 0},
        SKJAERHOLT,
    ),
    "pq_alpha": ({"delta": "plain", "p": 2, "q": 3}, AUGSTEN + "Skjærholt (2014)"),
}
# sums over items: count, score, parameters of the count, kind of trees, paper
SUMS = {
    "las": (
        syntax.labelled_edges,
        matching.f_score,
        {"ignore": "none"},
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "uas": (
        syntax.unlabelled_edges,
        matching.f_score,
        {"ignore": "none"},
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "label_accuracy": (
        syntax.edge_labels,
        matching.f_score,
        {"ignore": "none"},
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "jaccard": (syntax.bracket_overlap, syntax.weighted_mean, {}, CONSTITUENCY, SKJAERHOLT),
}
USUAL = {
    DEPENDENCY: ("syntax_alpha", "las", "uas", "label_accuracy"),
    CONSTITUENCY: ("syntax_alpha", "jaccard"),
}


def alpha_metrics():
    """The rows of alphas over distances. Two annotators may change places."""
    for name, (parameters, paper) in ALPHAS.items():
        yield Metric(
            name,
            syntax.within_items,
            syntax.alpha,
            MappingProxyType(parameters),
            paper,
            swapped=name,
            team=True,
            parts=syntax.alpha,
            kinds=KINDS,
        )


def sum_metrics():
    """The rows of attachment scores and of brackets."""
    for name, (count, score, counted, kind, paper) in SUMS.items():
        yield Metric(
            name,
            count,
            score,
            MappingProxyType(counted),
            paper,
            counted=tuple(counted),
            swapped=name,
            kinds=(kind,),
        )


TREE_CATALOG = {row.name: row for rows in (alpha_metrics, sum_metrics) for row in rows()}
METRICS = CATALOG | TREE_CATALOG
