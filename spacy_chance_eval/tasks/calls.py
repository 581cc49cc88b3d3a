"""Calls that cannot work: the error in an argument, and the right call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from ..formats.corpus import Corpus
from ..formats.errors import did_you_mean
from ..measures.messages import quoted
from ..metrics.catalog import METRICS
from ..scoring.evaluation import DEFAULT_METRICS
from ..scoring.intervals import Resampling
from ..scoring.ranking import Comparison

SETTINGS = {"intervals": Resampling, "comparison": Comparison}
P = ParamSpec("P")
R = TypeVar("R")

# arguments of other libraries' functions, and what takes their place
ELSEWHERE = {
    "y_true": "it is called gold",
    "y_pred": "it is called pred",
    "scheme": "it belongs to the tags: Spans.from_tags(tags, scheme=...)",
    "repair": "it belongs to the tags: Spans.from_tags(tags, repair=...)",
    "suffix": "the prefix of a tag comes first, as in 'B-PER'",
    "average": "labels are pooled (micro); report(gold, pred)['macro avg'] has their means",
    "labels": "the result has all of them, by name",
    "target_names": "the result has labels by their names in the data",
    "sample_weight": "all documents count alike",
    "output_dict": "the result has to_dict(), records() and to_frame()",
    "zero_division": "undefined scores are None, and shown as a dash",
    "resamples": "intervals=Resampling(...)",
}


def explain_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose callers are told the right call for arguments that it does not have.

    So are those who give something else for `SETTINGS`; values of other kinds than `ARGUMENTS` has
    are errors.
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
                raise TypeError(_unknown_argument(name, key, value, known))
        if len(args) > len(by_place) and not is_open:
            raise TypeError(_too_many(name, by_place, len(args)))
        for key, value in {**dict(zip(by_place, args)), **kwargs}.items():
            fits, expected = ARGUMENTS.get(key, (None, ""))
            if key in SETTINGS and value is not None and not isinstance(value, SETTINGS[key]):
                kind = SETTINGS[key].__name__
                expected = f"a {kind}: {name}(..., {key}={kind}(...))"
            elif fits is None or value is parameters[key].default or fits(value):
                continue
            raise TypeError(f"{key} is {quoted(value)}; expected {expected}")
        return function(*args, **kwargs)

    return call


def _unknown_argument(
    function: str,
    key: str,
    value: object,
    known: Iterable[str],
) -> str:
    """The message for an argument that a function does not have."""
    start = f"{function}() has no argument {key!r}"
    names = [*DEFAULT_METRICS, *METRICS]
    metric = next((name for name in names if key in METRICS[name].parameters), None)
    if metric is not None:
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


def _may_be_metrics(value: Any) -> bool:
    """Whether something is not nothing, and no number; names are looked at one by one."""
    is_empty = isinstance(value, Sized) and not len(value)
    return value is not None and not isinstance(value, Real) and not is_empty


def _is_whole(value: Any) -> bool:
    """Whether something is a whole number, 0 or more."""
    return type(value) is not bool and isinstance(value, Integral) and int(value) >= 0


# kinds of arguments, in whatever function: a check, and what is expected; defaults fit anyway
ARGUMENTS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "metrics": (_may_be_metrics, "names, such as ['span_f', 'token_f']"),
    "clusters": (  # not a text, of which the letters would be taken
        lambda value: isinstance(value, Iterable) and not isinstance(value, str),
        "a list with the name of each document's cluster",
    ),
    "corpus": (lambda value: isinstance(value, Corpus), "a Corpus, as read() gives it"),
    "target": (lambda value: isinstance(value, str | Path), "the path of a file"),
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
