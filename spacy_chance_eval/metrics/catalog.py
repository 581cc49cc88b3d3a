"""The table of metrics of spans and of trees: how to count, score, store and name each.

The rows are in `catalog.json`. Functions and classes are named there as "module.name" of
`measures`. A module is imported when the row of its metric is first asked for, so that a score by
two metrics does not load all of them.
"""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.resources import files
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
    score : callable or None
        score(statistics, **scored) gives the score of sums; None where `parts` make it.
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
    sources : tuple of str
        The keys of its sources in `references.bib`.
    """

    name: str
    count: Callable[..., Additive]
    score: Callable[..., Any] | None
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
    sources: tuple[str, ...] = ()

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


# --- facts of the whole corpus that a part needs


def _values_of_items(annotators: Sequence[Spans], *, items: str, **_: object) -> tuple[Any, ...]:
    """The values that occur, sorted; see `measures.items.items_of`."""
    values: tuple[Any, ...] = _measure("items.items_of")(annotators, items).values
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


# how counts name the facts of the whole corpus that they need
SURVEYS: dict[str, tuple[Any, ...]] = {
    "values": (_values_of_items, _union_of_values, _value_columns),
    "lengths": (_lengths_of_units, np.union1d, _length_columns),
    "information": (
        "slicm.survey_information",
        "slicm.add_information",
        "slicm.information_arguments",
        False,
    ),
}


# --- the rows


def _layout(count: Mapping[str, Any]) -> Layout:
    """The layout that a row of counts describes."""
    axes = {
        name: own if isinstance(own, str) else _layout(own) for name, own in count["axes"].items()
    }
    return Layout(_measure(count["kind"]), axes, count.get("padded", False))


def _metric(name: str, row: Mapping[str, Any]) -> Metric:
    """The metric of a row, of which everything is imported."""
    count = _TABLES["counts"][row["count"]]
    survey = count.get("survey")
    functions = ("count", "score", "expected", "parts")
    names = ("counted", "scored", "kinds", "sources")
    lists: dict[str, Any] = {key: tuple(row.get(key, ())) for key in names}
    return Metric(
        name,
        **{key: value for key, value in row.items() if key not in {*functions, *lists}}
        | {key: _measure(row.get(key)) for key in functions}
        | {"parameters": MappingProxyType(row["parameters"])},
        **lists,
        layout=_layout(count),
        relations=_measure(count.get("relations")),
        survey=CorpusSurvey(*map(_measure, SURVEYS[survey])) if survey else None,
        anonymous=count.get("anonymous", False),
    )


def _catalog(table: str) -> Catalog:
    """The metrics of a table."""
    return Catalog((name, partial(_metric, name, row)) for name, row in _TABLES[table].items())


# "counts": what each count returns (a class and the axes of its arrays, see `Layout`), and what is
# true of all metrics that are made from it; "metrics" and "tree_metrics": the fields of `Metric`
_TABLES = json.loads(files(__package__).joinpath("catalog.json").read_text(encoding="utf-8"))
CATALOG = _catalog("metrics")
"""All metrics of spans and of categories: a mapping from their names to `Metric`."""
TREE_CATALOG = _catalog("tree_metrics")
"""All metrics of trees: a mapping from their names to `Metric`."""
METRICS: Mapping[str, Metric] = ChainMap(TREE_CATALOG, CATALOG)

DEPENDENCY, CONSTITUENCY = TREE_KINDS
ALPHAS = ("syntax_alpha", "pq_alpha")  # of distances between trees
USUAL = {
    DEPENDENCY: ("syntax_alpha", "las", "uas", "label_accuracy"),
    CONSTITUENCY: ("syntax_alpha", "jaccard"),
}
