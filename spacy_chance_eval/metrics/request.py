"""`Request`: a metric of the catalog with every parameter fixed; made from names and texts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias

from ..formats.errors import did_you_mean
from ..measures.arrays import FloatArray
from ..measures.messages import quoted
from ..measures.spans import ANY_LABEL, Spans, without_labels
from ..measures.stats import Additive, chance_corrected, ratio
from .catalog import CATALOG, METRICS, NO_TABLE, Choice, Metric, Number

LARGEST = 1e100  # of numbers: their squares, and those times counts, are numbers, too
IGNORE = "ignore"  # of the parameter labels: all labels are one
# what others call a metric: spaCy's scores by their last letter, and usual names
OF_SPACY = re.compile(r"(?:ents|spans_\w+?)_([prf])(?:_corrected)?")
USUAL = {
    **dict.fromkeys(("f", "f1", "f1_score", "seqeval"), "span_f"),
    **dict.fromkeys(("p", "precision"), "span_precision"),
    **dict.fromkeys(("r", "recall"), "span_recall"),
    "kappa": "cohen_kappa",
    "alpha": "krippendorff_alpha",
}


@dataclass(frozen=True)
class Scorer:
    """A callable from sums to scores; with `parts` if the metric has a chance model of its own.

    `disagreement` is True if the parts are disagreements. Without a `value` the parts make it.
    """

    value: Callable[[Additive], FloatArray] | None
    parts: Callable[[Additive], tuple[FloatArray, FloatArray]] | None = None
    disagreement: bool = False

    def __call__(self, statistics: Additive) -> FloatArray:
        if self.value is not None:
            return self.value(statistics)
        assert self.parts is not None
        observed, expected = self.parts(statistics)
        if self.disagreement:
            return 1 - ratio(observed, expected)
        return chance_corrected(observed, expected)


@dataclass(frozen=True)
class Request:
    """A metric with every parameter fixed. Equal requests have equal names: `str(request)`.

    Attributes
    ----------
    metric : str
        Its name in the catalog.
    name : str
        The metric with all parameters, in the order of their names.
    parameters : mapping of str to value
        All parameters, with the defaults of the catalog.
    overlapping : Request, optional
        The request for spans that overlap or have gaps, where no chance model was named.
    """

    metric: str
    name: str
    parameters: Mapping[str, Any] = field(compare=False)
    overlapping: Request | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:  # mapping proxies cannot be pickled
        parameters = _unwrapped(self.parameters)
        return _restored, (self.metric, self.name, parameters, self.overlapping)

    @property
    def row(self) -> Metric:
        """The metric's row of the catalog."""
        return METRICS[self.metric]

    @property
    def placement(self) -> str:
        """How chance places spans; "none" without correction."""
        placement: str = self.parameters.get("chance", "none")
        return placement

    @property
    def is_corrected(self) -> bool:
        """Whether scores are corrected for chance: by a chance model, or the metric's own."""
        return self.placement != "none" or self.row.parts is not None

    @property
    def is_symmetric(self) -> bool:
        """Whether swapping the annotators changes nothing; F prefers one if beta is not 1."""
        return self.row.swapped == self.metric and self.parameters.get("beta", 1.0) == 1

    @property
    def ignores_labels(self) -> bool:
        """Whether all labels of spans are one: `labels=ignore`."""
        return not self.row.kinds and self.parameters.get("labels") == IGNORE

    @property
    def labels_mark(self) -> str:
        """The mark of ignored labels in names of counts; "" where labels are compared."""
        return f"labels={IGNORE}" if self.ignores_labels else ""

    @property
    def with_labels(self) -> Request:
        """The same request of spans whose labels are not ignored."""
        if not self.ignores_labels:
            return self
        parameters = {name: value for name, value in self.parameters.items() if name != "labels"}
        return request(self.metric, **parameters)

    @property
    def counted(self) -> dict[str, Any]:
        """The parameters that the count takes."""
        return self.only(self.row.counted)

    def only(self, names: Iterable[str]) -> dict[str, Any]:
        """Some of the parameters, as a dict.

        Parameters
        ----------
        names : iterable of str
            Names of parameters.
        """
        return {name: self.parameters[name] for name in names}

    def scorer(self) -> Scorer:
        """The score of the metric, with its parameters."""
        given = self.only(self.row.scored)
        parts = self.row.parts and partial(self.row.parts, **given)
        value = self.row.score and partial(self.row.score, **given)
        return Scorer(value, parts, self.row.disagreement)

    @property
    def survey_name(self) -> str | None:
        """The name in surveys of the corpus facts that the count needs; None for none."""
        if self.row.survey is None:
            return None
        return f"{self.row.survey.survey.__name__}{written(self.counted)}{self.labels_mark}"

    def survey(self, annotators: Sequence[Spans]) -> Any:
        """The corpus facts that the count needs; only if there is a `survey_name`.

        Parameters
        ----------
        annotators : sequence of Spans
            Of the whole corpus.
        """
        assert self.row.survey is not None
        if self.ignores_labels:
            annotators = [without_labels(spans) for spans in annotators]
        return self.row.survey.survey(annotators, **self.counted)

    def arguments(self, known: Any, labels: Sequence[str]) -> dict[str, Any]:
        """Further arguments of the count, from what surveys know and the labels of the columns.

        Parameters
        ----------
        known : object
            The result of `survey`.
        labels : sequence of str
            The labels of the columns that are counted.
        """
        assert self.row.survey is not None
        columns = (ANY_LABEL,) if self.ignores_labels else labels
        return self.row.survey.arguments(known, columns, **self.counted)


def _restored(metric: str, name: str, parameters: dict[str, Any], *more: Any) -> Request:
    """The `Request` that was pickled."""
    return Request(metric, name, _wrapped(parameters), *more)


def _wrapped(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Parameters, and tables among them, that cannot be changed."""
    return MappingProxyType(
        {k: MappingProxyType(v) if type(v) is dict else v for k, v in parameters.items()}
    )


def _unwrapped(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters, and tables among them, as dicts."""
    return {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in parameters.items()}


# one metric or several, or several by shorter names
Metrics: TypeAlias = Request | Mapping[str, str | Request] | Iterable[str | Request]


def request(metric: str, /, **parameters: Any) -> Request:
    """A `Request` with the defaults of the catalog filled in.

    Parameters
    ----------
    metric : str
        A name of the catalog, such as "token_f".
    **parameters : str, float or bool
        Values that differ from the defaults of the metric.

    Examples
    --------
    >>> str(request("token_f", encoding="BIO"))
    'token_f(beta=1.0,chance=disjoint,encoding=BIO,unit=sentence)'

    Raises
    ------
    ValueError
        For an unknown metric, parameter or value.
    """
    if metric not in METRICS:
        usual = OF_SPACY.fullmatch(str(metric))
        usual_name = USUAL.get(usual[1] if usual else str(metric).lower())
        hint = f" (did you mean {usual_name!r}?)" if usual_name else did_you_mean(metric, METRICS)
        raise ValueError(f"unknown metric {quoted(metric)}{hint}; the command metrics lists all")
    row = METRICS[metric]
    possible = {**row.parameters, **_further(row)}
    unknown = sorted(parameters.keys() - possible.keys())
    if unknown:
        hint, known = did_you_mean(unknown[0], possible), ", ".join(possible)
        raise ValueError(
            f"{metric} has no parameter {quoted(unknown[0])}{hint}; expected one of {known}"
        )
    values = {
        name: checked(row, name, parameters.get(name, default))
        for name, default in sorted(row.parameters.items())
    }
    for name, choices in _further(row).items():
        value = parameters.get(name, choices[0])
        _check_choice(name, value, choices)
        if value != choices[0]:
            values = dict(sorted({**values, name: value}.items()))
    if values.get("labels") == IGNORE:
        _check_ignores_labels(row, values)
    return Request(metric, f"{metric}{written(values)}", MappingProxyType(values))


# further parameters of all metrics of spans, with their values: the first, which is the default,
# is in no name, so that the names and signatures of earlier versions stay the same
FURTHER = {"labels": ("compare", IGNORE)}


def _further(row: Metric) -> Mapping[str, tuple[str, ...]]:
    """The parameters of a metric that its row does not list."""
    return {} if row.kinds else FURTHER


def _check_ignores_labels(row: Metric, values: Mapping[str, Any]) -> None:
    """Raise for a metric that looks at nothing but labels where these are ignored."""
    if row.name.startswith("bdm_") and values["closeness"] is not None:
        raise ValueError(
            f"{row.name} weighs the closeness of labels, and labels=ignore leaves none; ask for "
            f"{row.name.replace('bdm', 'gate')}(labels=ignore)"
        )
    if isinstance(values.get("weights"), Mapping):
        raise ValueError(
            "weights are of pairs of labels, and labels=ignore leaves none; ask for "
            "gwet_ac1(labels=ignore)"
        )


def parse(text: str | Request, **defaults: Any) -> Request:
    """The `Request` that a text such as "token_f(encoding=BIO)" asks for.

    Parameters
    ----------
    text : str or Request
        A name of the catalog, with or without parameters; a `Request` is returned as it is.
    **defaults : str, float or bool
        Values of parameters that the text leaves open, if the metric has them.

    Examples
    --------
    >>> str(parse("span_f(chance=none)"))
    'span_f(beta=1.0,chance=none,unit=sentence)'
    """
    if isinstance(text, Request):
        return text
    if not isinstance(text, str):
        raise TypeError(f"a metric is {quoted(text)}; expected its name, such as 'span_f'")
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if not match:
        raise ValueError(
            f"cannot read the metric {quoted(text)}; expected name or name(key=value,...)"
        )
    pairs = [part.partition("=") for part in (match[2] or "").split(",") if part.strip()]
    wrong = [key for key, equals, _ in pairs if not equals]
    if wrong:
        raise ValueError(
            f"cannot read {quoted(wrong[0])} in the metric {quoted(text)}; expected key=value"
        )
    keys = [key.strip() for key, _, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError(f"the metric {quoted(text)} has a parameter twice; give each once")
    if match[1] in METRICS:
        row = METRICS[match[1]]
        defaults = {k: v for k, v in defaults.items() if k in {**row.parameters, **_further(row)}}
    return request(match[1], **defaults | {key.strip(): value.strip() for key, _, value in pairs})


def requests_of(
    metrics: Metrics, parse_one: Callable[[str | Request], Request] = parse
) -> dict[str, Request]:
    """{name: Request} of one metric, a sequence of metrics, or a mapping from shorter names."""
    if isinstance(metrics, (str, Request)):
        metrics = [metrics]
    if not isinstance(metrics, Iterable):
        raise TypeError(f"metrics is {quoted(metrics)}; expected names, such as ['span_f']")
    if not isinstance(metrics, Mapping):
        return {str(metric): parse_one(metric) for metric in metrics}
    return {name: parse_one(metric) for name, metric in metrics.items()}


def of_spans(request: Request) -> Request:
    """The request, if it is not one of trees."""
    if request.row.kinds:
        raise ValueError(
            f"{request.metric} compares trees, of treebanks or parsed documents; of spans ask for "
            f"one of {', '.join(CATALOG)}"
        )
    return request


def checked(row: Metric, name: str, value: Any) -> Any:
    """The value of a parameter of a metric, if it is one."""
    choices: Choice | None = row.choices.get(name) if row.choices else None
    if isinstance(choices, Number):
        return _number(name, value, choices)
    if choices is not None:
        _check_choice(name, value, choices)
    known = ("constant", "corpus")
    if name == "token_information" and isinstance(value, str) and value not in known:
        raise ValueError(
            f"token_information is {quoted(value)}; expected constant or corpus (or, in Python, a "
            "mapping or callable from words to bits)"
        )
    if name == "weights" and isinstance(value, str):
        _check_weights(value)
    if name == "ignore":
        return _sorted_labels(value)
    if name == "closeness":
        return _closeness(value, row.parameters[name])
    return value


def _check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise for a value that a parameter cannot be."""
    if value not in choices:
        hint = did_you_mean(value, choices)
        raise ValueError(f"{name} is {quoted(value)}{hint}; expected one of {', '.join(choices)}")


def _check_weights(value: str) -> None:
    """Raise for a text that is not the name of weights."""
    from ..measures.items import WEIGHTS

    if value not in WEIGHTS:
        raise ValueError(
            f"weights is {quoted(value)}; expected one of {', '.join(WEIGHTS)} (or, in Python, a "
            "mapping from pairs of labels to their closeness)"
        )


def _number(name: str, value: Any, choices: Number) -> float | int:
    """A number, if a parameter can be it."""
    if choices.least is None:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if not 0 < number < float("inf"):
            raise ValueError(f"{name} is {quoted(value)}; expected a number above 0")
        if number > LARGEST:
            raise ValueError(f"{name} is {quoted(value)}; expected {LARGEST:g} or less")
        return number
    try:
        whole = int(str(value))
    except ValueError:
        whole = -1
    if whole < choices.least:
        raise ValueError(
            f"{name} is {quoted(value)}; expected a whole number, {choices.least} or more"
        )
    return whole


def _sorted_labels(value: Any) -> str:
    """Labels joined by +, sorted; "none"."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"ignore is {quoted(value)}; expected labels joined by +, or none")
    return "+".join(sorted(set(value.split("+"))))


def _closeness(value: Any, default: Any) -> Any:
    """A table of the closeness of labels, of a file if that is named; or the default."""
    if isinstance(value, (str, Path)) and value not in (default, ""):
        path = Path(value)
        value = _table_of_file(path, path.stat().st_mtime_ns if path.is_file() else 0)
    if default == NO_TABLE and isinstance(value, Mapping):
        from ..measures.items import checked_table

        return MappingProxyType(checked_table(value))  # the same, however pairs are put
    if not (isinstance(value, Mapping) or value == default == NO_TABLE):
        raise ValueError(
            f"closeness is {quoted(value)}; expected the name of a file (closeness=places.csv), or "
            "in Python a mapping from pairs of labels to numbers"
        )
    return value


@lru_cache(maxsize=4)  # jobs ask for their requests again and again
def _table_of_file(path: Path, changed: int) -> Mapping[tuple[str, str], float]:
    """The closeness in a file, which is read again when it has changed."""
    from ..formats.ontology import read_closeness

    return read_closeness(path)


def written(values: Mapping[str, Any]) -> str:
    """Parameters as names and signatures show them: "(key=value,...)"."""
    return "(" + ",".join(f"{key}={written_value(value)}" for key, value in values.items()) + ")"


def written_value(value: Any) -> str:
    """A value as names and signatures show it; a table by its digest, a function by its name."""
    if isinstance(value, Mapping):
        rows = repr(sorted((str(key), float(bits)) for key, bits in value.items()))
        return f"table:{hashlib.sha256(rows.encode()).hexdigest()[:8]}"
    if callable(value):
        name = getattr(value, "__qualname__", "<")
        if hasattr(value, "signature"):
            return str(value.signature)
        owner = getattr(value, "__self__", None)
        method = owner is not None and not isinstance(owner, ModuleType)
        if "<" in name or method or value.__module__ is None:
            raise ValueError(
                f"{quoted(value)} has no name of its own to stand in signatures; "
                "give it an attribute `signature`, a text that is different for every function"
            )
        return f"{value.__module__}.{name}"
    return str(value)
