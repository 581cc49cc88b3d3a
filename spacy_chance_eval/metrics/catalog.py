"""The table of metrics of spans and of trees: how to count, score, store and name each.

Functions and classes are named as "module.name" of `measures`. A module is imported when
the row of its metric is first asked for, so that a score by two metrics does not load all of them.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..measures.alignment import UNITS
from ..measures.arrays import FloatArray
from ..measures.chance.expectation import CHANNELS, PLACEMENTS
from ..measures.spans import Spans
from ..measures.stats import Additive
from ..measures.trees import TREE_KINDS

CHANCE_MODELS = ("none", *PLACEMENTS)
LI = "Li et al. (2024), Estimating Agreement by Chance for Sequence Annotation"
AMIGO = "Amigó et al., Evaluating Sequence Labeling on the basis of Information Theory"
GATE = "GATE user guide, chapter 10"
MAYNARD = "Maynard, Peters and Li (2006), Metrics for evaluation of ontology-based IE; GATE"
UNITIZING = "Krippendorff (1995), On the reliability of unitizing; (2004), Quality & Quantity 38"
U_ALPHA = "Krippendorff, Mathet, Bouvry, Widlöcher (2016), On the reliability of unitizing"
SPECIFIC = "Cicchetti and Feinstein (1990), High agreement but low kappa: II"
SKJAERHOLT = "Skjærholt (2014), A chance-corrected measure of inter-annotator agreement for syntax"
AUGSTEN = "Augsten, Böhlen and Gamper (2005), Approximate matching of hierarchical data; alpha as "
PARSEVAL = "Black et al. (1991), Comparing the syntactic coverage of English grammars; evalb"
BUCHHOLZ = "Buchholz and Marsi (2006), CoNLL-X shared task on multilingual dependency parsing"


class Number(NamedTuple):
    """The numbers that a parameter can be: whole ones from `least` on, or any above 0."""

    least: int | None = None


class Layout(NamedTuple):
    """The result of a count: a class of statistics, and the axes of its arrays.

    `axes` maps each field to a letter per axis, by which saved runs are checked: d documents, l
    labels, 1 one entry, g groups of labels (all together, or each by itself), any other letter a
    size that the fields of one object share. A field of statistics has a `Layout` of its own.
    `padded` says that a label that nobody used adds zeros: then runs with different labels can be
    compared.
    """

    kind: type[Additive]
    axes: Mapping[str, str | Layout]
    padded: bool = False


class CorpusSurvey(NamedTuple):
    """Knowledge of the whole corpus that counting some of its documents requires.

    Parameters
    ----------
    survey : callable
        survey(annotators, **counted) gives the facts of some documents, so that they can be
        pickled.
    add : callable
        add(one, two) gives the facts of the documents of both.
    arguments : callable
        arguments(known, labels, **counted) gives further keyword arguments of the count.
    columns : bool
        Whether the arguments name the columns of the statistics: then those of several pairs of
        annotators are only compared if all were counted with the sum of the facts known of each,
        and `add` is a union.
    """

    survey: Callable[..., Any]
    add: Callable[[Any, Any], Any]
    arguments: Callable[..., dict[str, Any]]
    columns: bool = True


@dataclass(frozen=True)
class Metric:
    """A row of the catalog: all that scoring, saving, comparing and boards know of a metric.

    Parameters
    ----------
    name : str
        As requests spell it, such as "span_f".
    count : callable
        count(gold, pred, **counted) gives statistics, one row per document; of a metric for a
        `team`, count(annotators, **counted) for any number of aligned annotators.
    score : callable
        score(statistics, **scored) gives the score of sums.
    layout : Layout
        The result of the count.
    parameters : mapping of str to default
        All parameters.
    paper : str
        The source.
    choices : mapping of str to (tuple of str, or Number), optional
        Allowed values of parameters; by default those that `CHOICES` lists under their names.
    expected : callable, optional
        expected(gold, pred, observed, placement=, unit=, **counted) gives the statistics expected
        by chance, or None where they have to be drawn.
    counted, scored : tuples of str
        The parameters that the count and the score take.
    swapped : str, optional
        The metric that swapping gold and prediction gives.
    bits : bool
        Whether it is measured in bits, without a best value; otherwise 1 is perfect.
    higher_is_better : bool
        Whether a higher score is a better one.
    team : bool
        Whether it is a coefficient of any number of annotators at once.
    anonymous : bool
        Whether it does not matter which annotator of a team marked something.
    parts : callable, optional
        Of a coefficient with a chance model of its own: parts(statistics, **scored) gives what its
        score is made of, observed and expected: agreement, with a score of
        (observed - expected) / (1 - expected), or disagreement, with 1 - observed / expected.
    disagreement : bool
        Whether `parts` are disagreements.
    relations : callable, optional
        relations(statistics) gives the numbers of pairs and single spans behind the score, by the
        names of their relations.
    survey : CorpusSurvey, optional
        Knowledge of the whole corpus that the count of a part requires.
    kinds : tuple of str
        The kinds of trees that it compares; of spans none.
    page : str
        The page of docs/ that explains it.
    """

    name: str
    count: Callable[..., Additive]
    score: Callable[..., Any]
    layout: Layout
    parameters: Mapping[str, Any]
    paper: str
    choices: Mapping[str, Choice] | None = None
    expected: Callable[..., Additive | None] | None = None
    counted: tuple[str, ...] = ()
    scored: tuple[str, ...] = ()
    swapped: str | None = None
    bits: bool = False
    higher_is_better: bool = True
    team: bool = False
    anonymous: bool = False
    parts: Callable[..., tuple[FloatArray, FloatArray]] | None = None
    disagreement: bool = False
    relations: Callable[[Any], dict[str, Any]] | None = None
    survey: CorpusSurvey | None = None
    kinds: tuple[str, ...] = ()
    page: str = ""

    def __post_init__(self) -> None:
        if self.choices is None:
            known = {name: _choices(name) for name in self.parameters if name in CHOICES}
            object.__setattr__(self, "choices", known)


class Catalog(MutableMapping[str, Metric]):
    """Metrics by name, each of which is made when it is first asked for."""

    def __init__(self, rows: Iterable[tuple[str, Callable[[], Metric]]]) -> None:
        self._rows: dict[str, Metric | Callable[[], Metric]] = dict(rows)

    def __getitem__(self, name: str) -> Metric:
        row = self._rows[name]
        if not isinstance(row, Metric):
            row = self._rows[name] = row()
        return row

    def __setitem__(self, name: str, row: Metric) -> None:
        self._rows[name] = row

    def __delitem__(self, name: str) -> None:
        del self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def _choices(name: str) -> Choice:
    """The possible values of a parameter of this name."""
    choices = CHOICES[name]
    return choices if isinstance(choices, Number) else tuple(_measure(choices))


def _measure(name: Any) -> Any:
    """The object that "module.name" of `measures` names; anything but a text stays unchanged."""
    if not isinstance(name, str):
        return name
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(f"..measures.{module}", __package__), attribute)


Choice: TypeAlias = "tuple[str, ...] | Number"
NO_TABLE = "none"
ABOVE_ZERO = Number()
# the values of parameters of these names, in all metrics; a text names the constant with them
CHOICES: dict[str, Choice | str] = {
    "chance": CHANCE_MODELS,
    "unit": UNITS,
    "encoding": tuple(CHANNELS),
    "rank": "slicm.RANKS",
    "matching": "slicm.MATCHINGS",
    "items": ("token", "category", "span", "any_span"),
    "mode": "gate.MODES",
    "empty": "gate.EMPTY",
    "of": "gate.PER",
    "delta": "trees.syntax.DELTAS",
    "subtypes": "trees.syntax.SUBTYPES",
    "params": "trees.parseval.PARAMS",
    "labels": "trees.parseval.LABELS",
    "most": Number(0),
    "beta": ABOVE_ZERO,
    "per": ABOVE_ZERO,
    "seed": Number(0),
    "sample": Number(0),
    "p": Number(1),
    "q": Number(1),
}

FLAT = "dl"


class _Shape(NamedTuple):
    """A `Layout` whose class is named."""

    kind: str
    axes: Mapping[str, str | _Shape]
    padded: bool = False

    def layout(self) -> Layout:
        """The `Layout`."""
        axes = {
            name: own if isinstance(own, str) else own.layout() for name, own in self.axes.items()
        }
        return Layout(_measure(self.kind), axes, self.padded)


def _flat(kind: str, *names: str, padded: bool = False, **others: str) -> _Shape:
    """The layout of statistics by document and label; `others` are fields with other axes."""
    return _Shape(kind, dict.fromkeys(names, FLAT) | others, padded)


HITS = _flat("matching.Hits", "gold", "recalled", "pred", "correct", padded=True)
OVERLAP = _flat("trees.syntax.Overlap", "score", "weight")
COINCIDENCES = _Shape(
    "items.Coincidences",
    {
        **dict.fromkeys(("pairable", "agreeing", "disagreeing"), "dg"),
        **dict.fromkeys(("values", "shares", "single"), "dgv"),
    },
)
CONFUSION = _Shape("items.Confusion", {"agreeing": "dg", "items": "dg", "marginals": "dgjv"})
UNIT_LENGTHS = dict.fromkeys(("valued", "differing", "squares"), "dgv")
# layouts of the arrays that each count returns
LAYOUTS: dict[str, _Shape] = {
    "matching.span_hits": HITS,
    "matching.token_hits": HITS,
    "matching.link_hits": HITS,
    "matching.bcubed_hits": HITS,
    "matching.int_hits": HITS,
    "slicm.slicm_information": _flat(
        "slicm.Information", "n_gold", "gold", "n_pred", "pred", "n_common", "common", padded=True
    ),
    "gate.pairings": _flat(
        "gate.Pairings", "gold", "recalled", "touched", "pred", "correct", "partial", padded=True
    ),
    "gate.false_positive_counts": _flat(
        "gate.FalsePositives", "spurious", "partial", size="d1", padded=True
    ),
    "items.specific_counts": _flat("items.Specific", "both", "first", "second", "items"),
    "items.label_confusion": CONFUSION,
    "items.team_confusion": CONFUSION,
    "items.coincidences": COINCIDENCES,
    "items.weighted_coincidences": _Shape(
        "items.Weighted", {"sums": COINCIDENCES, "closeness": "vv"}
    ),
    "unitizing.unit_distances": _Shape(
        "unitizing.Distances",
        {
            **dict.fromkeys(("rated", "length"), "dg"),
            **dict.fromkeys(("observed", "units", "marked", "cubes"), "dgm"),
            **dict.fromkeys(("squares", "places"), "dgmn"),
        },
    ),
    "u_alpha.unit_lengths": _Shape("u_alpha.UnitLengths", UNIT_LENGTHS),
    "u_alpha.unit_intersections": _Shape(
        "u_alpha.Intersections", UNIT_LENGTHS | dict.fromkeys(("shared", "others"), "dgv")
    ),
    "trees.syntax.labelled_edges": HITS,
    "trees.syntax.unlabelled_edges": HITS,
    "trees.syntax.edge_labels": HITS,
    "trees.syntax.bracket_overlap": OVERLAP,
    "trees.parseval.bracket_hits": HITS,
    "trees.parseval.complete_matches": OVERLAP,
    "trees.parseval.crossing_brackets": OVERLAP,
    "trees.parseval.few_crossing": OVERLAP,
    "trees.parseval.same_tags": OVERLAP,
    "trees.syntax.within_items": _flat("trees.syntax.Within", "squares", "annotations"),
}


# --- facts of the whole corpus that a part needs


def _values_of_items(annotators: Sequence[Spans], *, items: str, **_: object) -> tuple[Any, ...]:
    """The values that occur, sorted; see `measures.items.item_values`."""
    values: tuple[Any, ...] = _measure("items.item_values")(annotators, items)
    return values


def _union_of_values(one: tuple[Any, ...], two: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of either, sorted."""
    return tuple(sorted({*one, *two}))


def _value_columns(known: tuple[Any, ...], labels: Sequence[str], **_: object) -> dict[str, Any]:
    """The argument by which counts have a column for each of some values."""
    return {"values": known}


def _lengths_of_units(annotators: Sequence[Spans], **_: object) -> Any:
    """The lengths of units, sorted."""
    return _measure("unitizing.distinct_lengths")(annotators)


def _length_columns(known: Any, labels: Sequence[str], **_: object) -> dict[str, Any]:
    """The argument by which counts have a column for each of some lengths."""
    return {"lengths": known}


VALUES = (_values_of_items, _union_of_values, _value_columns)
LENGTHS = (_lengths_of_units, np.union1d, _length_columns)
INFORMATION_KNOWN = tuple(
    f"slicm.{name}" for name in ("survey_information", "add_information", "information_arguments")
)
# the functions of each `CorpusSurvey`, and whether they name columns
SURVEYS: dict[str, tuple[Any, ...]] = {
    "items.label_confusion": VALUES,
    "items.team_confusion": VALUES,
    "items.coincidences": VALUES,
    "items.weighted_coincidences": VALUES,
    "unitizing.unit_distances": LENGTHS,
    "slicm.slicm_information": (*INFORMATION_KNOWN, False),
}

# pairs and single spans behind the statistics of a count
RELATIONS = {"gate.pairings": "gate.relation_counts"}

# counts for which it does not matter who annotated what
ANONYMOUS = (
    "items.coincidences",
    "items.weighted_coincidences",
    "unitizing.unit_distances",
    "u_alpha.unit_lengths",
    "u_alpha.unit_intersections",
)


# --- the rows

Rows: TypeAlias = Iterator[tuple[str, Callable[[], Metric]]]
CORRECTION = {"chance": "disjoint", "unit": "sentence"}
INFORMATION = {"token_information": "constant", "rank": "position", "matching": "mutual"}


def _row(
    name: str, count: str, score: str, parameters: Mapping[str, Any], paper: str, **more: Any
) -> tuple[str, Callable[[], Metric]]:
    """(name, maker of the row), whose layout and survey are those of its count."""
    return name, partial(_made, name, count, score, parameters, paper, **more)


def _made(
    name: str,
    count: str,
    score: str,
    parameters: Mapping[str, Any],
    paper: str,
    expected: str | None = None,
    parts: str | None = None,
    **more: Any,
) -> Metric:
    """A row of which everything is imported."""
    return Metric(
        name,
        _measure(count),
        _measure(score),
        LAYOUTS[count].layout(),
        MappingProxyType(dict(parameters)),
        paper,
        expected=_measure(expected),
        parts=_measure(parts),
        relations=_measure(RELATIONS.get(count)),
        survey=CorpusSurvey(*map(_measure, SURVEYS[count])) if count in SURVEYS else None,
        anonymous=count in ANONYMOUS,
        **more,
    )


# the weighed items: count, expectation, parameters of the count, paper
WEIGHED: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "span": ("matching.span_hits", "matching.expected_span_hits", {}, LI),
    "token": ("matching.token_hits", "matching.expected_token_hits", {"encoding": "IO"}, LI),
    "link": ("matching.link_hits", "matching.expected_link_hits", {}, AMIGO),
    "bcubed": ("matching.bcubed_hits", "matching.expected_bcubed_hits", {}, AMIGO),
    "int": ("matching.int_hits", "matching.expected_int_hits", {}, AMIGO),
}
# score of the masses: function, parameters, its mirror image
SCORES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "precision": ("matching.precision", {}, "recall"),
    "recall": ("matching.recall", {}, "precision"),
    "f": ("matching.f_score", {"beta": 1.0}, "f"),
}


def _hit_metrics() -> Rows:
    """The rows of span, token, link, BCubed and Int precision, recall and F."""
    for what, (count, expected, counted, paper) in WEIGHED.items():
        for suffix, (score, scored, mirror) in SCORES.items():
            yield _row(
                f"{what}_{suffix}",
                count,
                score,
                {**CORRECTION, **counted, **scored},
                paper,
                expected=expected,
                counted=tuple(counted),
                scored=tuple(scored),
                swapped=f"{what}_{mirror}",
                page="spans.md",
            )


def _information_metrics() -> Rows:
    """The rows of SL-ICM. Only the normalised one has a best value, so only it can be corrected."""
    correction = {**CORRECTION, "chance": "none"}
    raw, normalised = INFORMATION, {**INFORMATION, **correction}
    counted = tuple(INFORMATION)
    count = "slicm.slicm_information"
    more: dict[str, Any] = {"counted": counted, "page": "slicm.md"}
    yield _row("slicm", count, "slicm.slicm", raw, AMIGO, bits=True, **more)
    yield _row("slicm_norm", count, "slicm.slicm_norm", normalised, AMIGO, **more)


ITEMS = {"items": "token"}
# coefficients that are 1 - observed / expected disagreement
OF_DISAGREEMENT = (
    *("krippendorff_alpha", "alpha_u", "u_alpha", "bar_u_alpha", "cu_alpha"),
    *("syntax_alpha", "pq_alpha"),
)
# coefficients: count, score, (observed, expected), parameters of the count, for a team, paper
COEFFICIENTS: dict[str, tuple[str, str, str | None, dict[str, Any], bool, str]] = {
    "percent_agreement": (
        "items.coincidences",
        "nominal.percent_agreement",
        None,
        ITEMS,
        True,
        "Gwet (2014), Handbook of Inter-Rater Reliability",
    ),
    "positive_agreement": (
        "items.specific_counts",
        "nominal.positive_agreement",
        None,
        ITEMS,
        False,
        SPECIFIC,
    ),
    "negative_agreement": (
        "items.specific_counts",
        "nominal.negative_agreement",
        None,
        ITEMS,
        False,
        SPECIFIC,
    ),
    "cohen_kappa": (
        "items.label_confusion",
        "nominal.cohen_kappa",
        "nominal.davies_fleiss_parts",
        ITEMS,
        False,
        "Cohen (1960), A coefficient of agreement for nominal scales",
    ),
    "scott_pi": (
        "items.label_confusion",
        "nominal.scott_pi",
        "nominal.fleiss_parts",
        ITEMS,
        False,
        "Scott (1955), Reliability of content analysis; Siegel and Castellan (1988)",
    ),
    "davies_fleiss": (
        "items.team_confusion",
        "nominal.davies_fleiss",
        "nominal.davies_fleiss_parts",
        ITEMS,
        True,
        "Davies and Fleiss (1982), Measuring agreement for multinomial data",
    ),
    "fleiss_kappa": (
        "items.team_confusion",
        "nominal.fleiss_kappa",
        "nominal.fleiss_parts",
        ITEMS,
        True,
        "Fleiss (1971), Measuring nominal scale agreement among many raters",
    ),
    "fleiss_cuzick": (
        "items.coincidences",
        "nominal.fleiss_cuzick",
        "nominal.fleiss_cuzick_parts",
        ITEMS,
        True,
        "Fleiss and Cuzick (1979), The reliability of dichotomous judgments: unequal numbers",
    ),
    "krippendorff_alpha": (
        "items.coincidences",
        "nominal.krippendorff_alpha",
        "nominal.alpha_parts",
        ITEMS,
        True,
        "Krippendorff (2004), Content Analysis, chapter 11",
    ),
    "gwet_ac1": (
        "items.coincidences",
        "nominal.gwet_ac1",
        "nominal.ac1_parts",
        ITEMS,
        True,
        "Gwet (2008), Computing inter-rater reliability and its variance",
    ),
    "gwet_ac2": (
        "items.weighted_coincidences",
        "nominal.gwet_ac2",
        "nominal.ac2_parts",
        {**ITEMS, "weights": "identity"},
        True,
        "Gwet (2014), Handbook of Inter-Rater Reliability",
    ),
    "alpha_u": (
        "unitizing.unit_distances",
        "unitizing.alpha_u",
        "unitizing.alpha_u_parts",
        {},
        True,
        UNITIZING,
    ),
    "u_alpha": (
        "u_alpha.unit_lengths",
        "u_alpha.u_alpha",
        "u_alpha.u_alpha_parts",
        {},
        True,
        U_ALPHA,
    ),
    "bar_u_alpha": (
        "u_alpha.unit_lengths",
        "u_alpha.bar_u_alpha",
        "u_alpha.bar_u_alpha_parts",
        {},
        True,
        U_ALPHA,
    ),
    "cu_alpha": (
        "u_alpha.unit_intersections",
        "u_alpha.cu_alpha",
        "u_alpha.cu_alpha_parts",
        {},
        True,
        f"{U_ALPHA}; by label it is (k)u-alpha",
    ),
    "cu_coverage": (
        "u_alpha.unit_intersections",
        "u_alpha.cu_coverage",
        None,
        {},
        True,
        U_ALPHA,
    ),
}


def _coefficient_metrics() -> Rows:
    """The rows of agreement coefficients. Swapping two annotators changes none of them."""
    for name, (count, score, parts, counted, team, paper) in COEFFICIENTS.items():
        yield _row(
            name,
            count,
            score,
            counted,
            paper,
            counted=tuple(counted),
            swapped=name,
            team=team,
            parts=parts,
            disagreement=name in OF_DISAGREEMENT,
            page="nominal.md" if "items" in counted else "unitizing.md",
        )


def _gate_metrics() -> Rows:
    """The rows of GATE's precision, recall and F, and of the same scored by closeness (BDM)."""
    correction = {**CORRECTION, "chance": "none"}
    scored: dict[str, Any] = {"mode": "strict", "empty": "nan"}
    scores: dict[str, tuple[Any, dict[str, Any], str]] = {
        "precision": ("gate.gate_precision", {}, "recall"),
        "recall": ("gate.gate_recall", {}, "precision"),
        "f": ("gate.gate_f", {"beta": 1.0}, "f"),
    }
    counts: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("gate", {"features": "none"}, GATE),
        ("bdm", {"features": "none", "closeness": None}, MAYNARD),
    )
    for suffix, (score, more, mirror) in scores.items():
        for what, counted, paper in counts:
            yield _row(
                f"{what}_{suffix}",
                "gate.pairings",
                score,
                {**correction, **counted, **scored, **more},
                paper,
                counted=tuple(counted),
                scored=(*scored, *more),
                swapped=f"{what}_{mirror}",
                page="gate.md",
            )
    yield _row(
        "error_rate",
        "gate.pairings",
        "gate.error_rate",
        {"features": "none", **scored},
        f"{GATE}, section 10.1.3",
        counted=("features",),
        scored=tuple(scored),
        higher_is_better=False,
        page="gate.md",
    )
    counted, scored = {"of": "token", "features": "none"}, {"mode": "lenient", "per": 1000.0}
    yield _row(
        "false_positives",
        "gate.false_positive_counts",
        "gate.false_positives",
        counted | scored,
        f"{GATE}, equation 10.8, which is mode=lenient",
        counted=tuple(counted),
        scored=tuple(scored),
        higher_is_better=False,
        page="gate.md",
    )


# --- trees

DEPENDENCY, CONSTITUENCY = TREE_KINDS
# distances whose alpha is asked for: parameters, paper
ALPHAS: dict[str, tuple[dict[str, Any], str]] = {
    "syntax_alpha": (
        {"closeness": NO_TABLE, "delta": "plain", "sample": 0, "seed": 0},
        SKJAERHOLT,
    ),
    "pq_alpha": ({"delta": "plain", "p": 2, "q": 3}, AUGSTEN + "Skjærholt (2014)"),
}
EDGES = {"ignore": "none", "subtypes": "keep"}
# sums over items: count, score, parameters of the count, kind of trees, paper
SUMS: dict[str, tuple[Any, Any, dict[str, Any], str, str]] = {
    "las": (
        "trees.syntax.labelled_edges",
        "matching.f_score",
        EDGES,
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "uas": (
        "trees.syntax.unlabelled_edges",
        "matching.f_score",
        EDGES,
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "label_accuracy": (
        "trees.syntax.edge_labels",
        "matching.f_score",
        EDGES,
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "jaccard": (
        "trees.syntax.bracket_overlap",
        "trees.syntax.weighted_mean",
        {},
        CONSTITUENCY,
        SKJAERHOLT,
    ),
}
USUAL = {
    DEPENDENCY: ("syntax_alpha", "las", "uas", "label_accuracy"),
    CONSTITUENCY: ("syntax_alpha", "jaccard"),
}


def _alpha_metrics() -> Rows:
    """The rows of alphas over distances. Two annotators may change places."""
    for name, (parameters, paper) in ALPHAS.items():
        yield _row(
            name,
            "trees.syntax.within_items",
            "trees.syntax.alpha",
            parameters,
            paper,
            swapped=name,
            team=True,
            parts="trees.syntax.alpha",
            disagreement=name in OF_DISAGREEMENT,
            kinds=TREE_KINDS,
            page="syntax.md",
        )


def _sum_metrics() -> Rows:
    """The rows of attachment scores and of brackets."""
    for name, (count, score, counted, kind, paper) in SUMS.items():
        yield _row(
            name,
            count,
            score,
            counted,
            paper,
            counted=tuple(counted),
            swapped=name,
            kinds=(kind,),
            page="syntax.md",
        )


# other scores of brackets: count, its own parameters, mirror image, whether higher is better
DELETED = {"params": "collins", "ignore": "none"}
OF_BRACKETS: dict[str, tuple[str, dict[str, Any], str | None, bool]] = {
    "complete_match": ("complete_matches", {"labels": "compare"}, "complete_match", True),
    "crossing_brackets": ("crossing_brackets", {}, None, False),
    "few_crossing": ("few_crossing", {"most": 0}, None, True),
    "tag_accuracy": ("same_tags", {}, "tag_accuracy", True),
}


def _bracket_metrics() -> Rows:
    """The rows of PARSEVAL. Crossing brackets are those of the prediction."""
    more: dict[str, Any] = {"kinds": (CONSTITUENCY,), "page": "syntax.md"}
    for suffix, (score, scored, mirror) in SCORES.items():
        counted = DELETED | {"labels": "compare"}
        yield _row(
            f"bracket_{suffix}",
            "trees.parseval.bracket_hits",
            score,
            counted | scored,
            PARSEVAL,
            counted=tuple(counted),
            scored=tuple(scored),
            swapped=f"bracket_{mirror}",
            **more,
        )
    for name, (count, own, swapped, higher) in OF_BRACKETS.items():
        yield _row(
            name,
            f"trees.parseval.{count}",
            "trees.syntax.weighted_mean",
            DELETED | own,
            PARSEVAL,
            counted=(*DELETED, *own),
            swapped=swapped,
            higher_is_better=higher,
            **more,
        )


ROWS = (_hit_metrics, _information_metrics, _coefficient_metrics, _gate_metrics)
TREE_ROWS = (_alpha_metrics, _sum_metrics, _bracket_metrics)
CATALOG = Catalog(row for rows in ROWS for row in rows())
"""All metrics of spans and of categories: a mapping from their names to `Metric`."""
TREE_CATALOG = Catalog(row for rows in TREE_ROWS for row in rows())
"""All metrics of trees: a mapping from their names to `Metric`."""
METRICS: Mapping[str, Metric] = ChainMap(TREE_CATALOG, CATALOG)
