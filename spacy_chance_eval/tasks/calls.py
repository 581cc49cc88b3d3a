"""Calls that cannot work: the error in an argument, and the right call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from ..formats.errors import did_you_mean
from ..measures.messages import quoted
from ..metrics.catalog import METRICS
from ..metrics.request import Request
from ..scoring.evaluation import DEFAULT_METRICS
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison

P = ParamSpec("P")
R = TypeVar("R")

# arguments of other libraries' functions, and what takes their place
ELSEWHERE = {
    "y_true": "it is called gold",
    "y_pred": "it is called pred",
    "scheme": "it belongs to the tags: Spans.from_tags(tags, scheme=...)",
    "repair": "it belongs to the tags: Spans.from_tags(tags, repair=...)",
    "suffix": "the prefix of a tag comes first, as in 'B-PER'",
    "average": "labels are pooled (micro); scores['span_f'].macro is the mean of the labels",
    "labels": "the result has all of them, by name",
    "target_names": "the result has labels by their names in the data",
    "sample_weight": "all documents count alike",
    "output_dict": "the result has to_dict(), records() and to_frame()",
    "zero_division": "undefined scores are None, and shown as a dash",
    "resamples": "intervals=Resampling(...)",
}
# here, the equivalent of a strict report of seqeval's
STRICT = (
    "mode='strict' of seqeval drops improper tags as they are read: "
    "{}(y_true, Spans.from_tags(y_pred, scheme={!r}, repair='drop'))"
)
SCHEMES_OF_SEQEVAL = {"None": "IOB2", "IOBES": "BIOES", "BILOU": "BILUO"}


def explain_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose callers are told the right call for arguments that it does not have.

    So are those who give a number for `intervals`, or a text for `comparison`; values of other
    kinds than `ARGUMENTS` has are errors.
    """
    parameters = signature(function).parameters
    known = list(parameters)
    by_place = [key for key, one in parameters.items() if one.kind != one.KEYWORD_ONLY]
    is_open = any(one.kind == one.VAR_POSITIONAL for one in parameters.values())
    name = function.__name__

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for key, value in kwargs.items():
            if key not in known:
                raise TypeError(_unknown_argument(name, key, value, known, kwargs, args))
        if len(args) > len(by_place) and not is_open:
            raise TypeError(_too_many(name, by_place, len(args)))
        for key, value in {**dict(zip(by_place, args)), **kwargs}.items():
            _check_argument(key, value, parameters[key].default)
        _check_intervals(name, kwargs.get("intervals"))
        _check_comparison(name, kwargs.get("comparison"))
        return function(*args, **kwargs)

    return call


def _unknown_argument(
    function: str,
    key: str,
    value: object,
    known: Iterable[str],
    kwargs: Mapping[str, object],
    args: tuple[object, ...],
) -> str:
    """The message for an argument that a function does not have."""
    start = f"{function}() has no argument {key!r}"
    given = [kwargs.get("metrics"), *args[2:3]]
    asked = _metric_names(next((one for one in given if one is not None), ()))
    of_seqeval = key in ("mode", "scheme") and kwargs.get("mode") == "strict"
    if of_seqeval and not _metrics_with("mode", asked):
        scheme = kwargs.get("scheme")
        scheme = str(getattr(scheme, "__name__", scheme))  # seqeval's are classes
        scheme = SCHEMES_OF_SEQEVAL.get(scheme, scheme)
        return f"{start}: {STRICT.format(function, scheme)}"
    if any(key in metric.parameters for metric in METRICS.values()):
        metric = _metrics_with(key, [*asked, *DEFAULT_METRICS, *METRICS])[0]
        shown = f"'{metric}({key}={value})'"
        if not isinstance(value, (str, int, float)):
            shown = f"request({metric!r}, {key}=...)"
        where = "..., metrics=" if "metrics" in known else "gold, pred, metrics="
        call = function if "metrics" in known else "evaluate"
        return f"{start}: it is a parameter of metrics; {call}({where}[{shown}])"
    if key in ELSEWHERE:
        return f"{start}: {ELSEWHERE[key]}"
    return f"{start}{did_you_mean(key, known)}; it has {', '.join(known)}"


def _too_many(function: str, by_place: Sequence[str], n_given: int) -> str:
    """The message for more arguments without names than a function takes."""
    start = f"{function}() takes {' and '.join(by_place)}, not {n_given} arguments without names"
    if by_place[0] == "annotators":
        return f"{start}; several annotators are one: {function}({{'anna': anna, 'ben': ben}})"
    return f"{start}; name the others: {function}({', '.join(by_place)}, NAME=...)"


def _metric_names(asked: object) -> list[str]:
    """The names of metrics that were asked for, in any form."""
    several = [asked] if isinstance(asked, (str, Request)) else asked
    return [
        one.metric if isinstance(one, Request) else str(one).partition("(")[0].strip()
        for one in (several if isinstance(several, Iterable) else ())
    ]


def _metrics_with(parameter: str, names: Iterable[str]) -> list[str]:
    """Those metrics that have a parameter."""
    return [name for name in names if name in METRICS and parameter in METRICS[name].parameters]


def _may_be_metrics(value: Any) -> bool:
    """Whether something is not nothing, and no number; names are looked at one by one."""
    is_empty = isinstance(value, Sized) and not len(value)
    return value is not None and not isinstance(value, Real) and not is_empty


def _is_whole(value: Any) -> bool:
    """Whether something is a whole number, 0 or more."""
    return type(value) is not bool and isinstance(value, Integral) and int(value) >= 0


def _is_list(value: object) -> bool:
    """Whether something is a list or the like: not a text, of which the letters would be taken."""
    return isinstance(value, Iterable) and not isinstance(value, str)


# kinds of arguments, in whatever function: a check, and what is expected; defaults fit anyway
ARGUMENTS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "metrics": (_may_be_metrics, "names, such as ['span_f', 'token_f']"),
    "clusters": (_is_list, "a list with the name of each document's cluster"),
    "progress": (callable, "a function that wraps steps, such as tqdm.tqdm"),
    "unit": (lambda value: isinstance(value, str), "a text"),
    **dict.fromkeys(("digits", "seed"), (_is_whole, "a whole number, 0 or more")),
    **dict.fromkeys(
        ("worst", "top"),
        (lambda value: value is None or _is_whole(value), "a whole number, 0 or more"),
    ),
    **dict.fromkeys(
        ("data", "subsets"), (lambda value: isinstance(value, Mapping), "a mapping of names")
    ),
    **dict.fromkeys(
        ("power", "verbose_below", "width"),
        (lambda value: isinstance(value, Real), "a number"),
    ),
}


def _check_argument(key: str, value: object, default: object) -> None:
    """Raise for a value of a kind that an argument cannot have."""
    fits, expected = ARGUMENTS.get(key, (None, ""))
    if fits is not None and value is not default and not fits(value):
        raise TypeError(f"{key} is {quoted(value)}; expected {expected}")


def _check_intervals(function: str, intervals: Any) -> None:
    """Raise for intervals that are no `Resampling`."""
    if intervals is None or isinstance(intervals, Resampling):
        return
    inside = ""
    if isinstance(intervals, int) and not isinstance(intervals, bool):
        inside = str(intervals)
    elif isinstance(intervals, str):
        inside = f"interval={intervals!r}"
    elif isinstance(intervals, float) and 0 < intervals < 1:
        inside = f"level={intervals}"
    elif intervals is False:
        inside = "0"
    raise TypeError(
        f"intervals is {intervals!r}; expected a Resampling: {function}(..., "
        f"intervals=Resampling({inside}))"
    )


def _check_comparison(function: str, comparison: Any) -> None:
    """Raise for a comparison that is no `Comparison`."""
    if comparison is None or isinstance(comparison, Comparison):
        return
    inside = repr(comparison) if isinstance(comparison, str) else ""
    if isinstance(comparison, float):
        inside = f"alpha={comparison}"
    raise TypeError(
        f"comparison is {comparison!r}; expected a Comparison: {function}(..., "
        f"comparison=Comparison({inside}))"
    )
