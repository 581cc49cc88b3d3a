"""`Request`: a metric of the catalog with every parameter fixed; made from names and texts."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType, ModuleType

from ..measures.items import WEIGHTS, checked_table
from . import catalog
from .catalog import METRICS, NO_TABLE, POSITIVE

CHOICES = catalog.CHOICES | catalog.TREE_CHOICES
WHOLE = catalog.WHOLE | catalog.TREE_WHOLE


@dataclass(frozen=True)
class Scorer:
    """How sums become scores: a callable, with `parts` where it corrects itself for chance."""

    value: Callable
    parts: Callable | None = None

    def __call__(self, statistics):
        return self.value(statistics)


@dataclass(frozen=True)
class Request:
    """A metric with every parameter fixed. Equal requests have equal names: `str(request)`."""

    metric: str
    name: str
    parameters: Mapping = field(compare=False)

    def __str__(self):
        return self.name

    def __reduce__(self):  # mapping proxies cannot be pickled
        return restored, (self.metric, self.name, unwrapped(self.parameters))

    def only(self, names):
        """Some of the parameters, as a dict."""
        return {name: self.parameters[name] for name in names}

    def scorer(self):
        """The `Scorer` of the metric, with its parameters."""
        metric = METRICS[self.metric]
        given = self.only(metric.scored)
        return Scorer(
            partial(metric.score, **given), metric.parts and partial(metric.parts, **given)
        )

    def prior(self, teams):
        """What several teams of annotators have to be counted with, if their rows are to be mixed.

        A team is a sequence of aligned `Spans`.
        """
        metric = METRICS[self.metric]
        return metric.prior(teams, **self.only(metric.counted)) if metric.prior else {}

    @property
    def placement(self):
        return self.parameters.get("chance", "none")


def restored(metric, name, parameters):
    """The `Request` that was pickled."""
    return Request(metric, name, wrapped(parameters))


def wrapped(parameters):
    """Parameters, and tables among them, that cannot be changed."""
    return MappingProxyType(
        {k: MappingProxyType(v) if type(v) is dict else v for k, v in parameters.items()}
    )


def unwrapped(parameters):
    """Parameters, and tables among them, as dicts."""
    return {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in parameters.items()}


def request(metric, /, **parameters):
    """A `Request` with the defaults of the catalog filled in.

    Examples
    --------
    >>> str(request("token_f", encoding="BIO"))
    'token_f(beta=1.0,chance=disjoint,encoding=BIO,unit=doc)'

    Raises
    ------
    ValueError
        For an unknown metric, parameter or value.
    """
    if metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}; expected one of {', '.join(METRICS)}")
    defaults = METRICS[metric].parameters
    unknown = sorted(parameters.keys() - defaults.keys())
    if unknown:
        known = ", ".join(defaults)
        raise ValueError(f"{metric} has no parameter {unknown[0]!r}; expected one of {known}")
    values = {
        name: checked(name, parameters.get(name, default), default)
        for name, default in sorted(defaults.items())
    }
    return Request(metric, f"{metric}{written(values)}", MappingProxyType(values))


def parse(text, **defaults):
    """The `Request` that a text such as "token_f(encoding=BIO)" asks for.

    `defaults` stand for parameters that the text leaves open, if the metric has them.

    Examples
    --------
    >>> str(parse("span_f(chance=none)"))
    'span_f(beta=1.0,chance=none,unit=doc)'
    """
    if isinstance(text, Request):
        return text
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if not match:
        raise ValueError(f"cannot read the metric {text!r}; expected name or name(key=value,...)")
    pairs = [part.partition("=") for part in (match[2] or "").split(",") if part.strip()]
    wrong = [key for key, equals, _ in pairs if not equals]
    if wrong:
        raise ValueError(f"cannot read {wrong[0]!r} in the metric {text!r}; expected key=value")
    keys = [key.strip() for key, _, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError(f"the metric {text!r} has a parameter twice; give each once")
    if match[1] in METRICS:
        defaults = {k: v for k, v in defaults.items() if k in METRICS[match[1]].parameters}
    return request(match[1], **defaults | {key.strip(): value.strip() for key, _, value in pairs})


def of_spans(request):
    """The request, if it is not one of trees."""
    if METRICS[request.metric].kinds:
        raise ValueError(
            f"{request.metric} compares trees, of treebanks or parsed documents; of spans ask for "
            f"one of {', '.join(catalog.CATALOG)}"
        )
    return request


def checked(name, value, default=None):
    """A parameter's value, if it is one."""
    if name in CHOICES and value not in CHOICES[name]:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(CHOICES[name])}")
    known = ("constant", "corpus")
    if name == "token_information" and isinstance(value, str) and value not in known:
        raise ValueError(
            f"token_information is {value!r}; expected constant or corpus (or, in Python, a "
            "mapping or callable from words to bits)"
        )
    if name in WHOLE:
        return whole_number(name, value)
    if name in POSITIVE:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if not 0 < number < float("inf"):
            raise ValueError(f"{name} is {value!r}; expected a number above 0")
        return number
    if name == "weights" and isinstance(value, str) and value not in WEIGHTS:
        raise ValueError(
            f"weights is {value!r}; expected one of {', '.join(WEIGHTS)} (or, in Python, a mapping "
            "from pairs of labels to their closeness)"
        )
    if name == "ignore":
        return sorted_labels(value)
    if name == "closeness" and default == NO_TABLE and isinstance(value, Mapping):
        return MappingProxyType(checked_table(value))  # the same, however pairs are put
    if name == "closeness" and not (isinstance(value, Mapping) or value == default == NO_TABLE):
        raise ValueError(
            f"closeness is {value!r}; expected a mapping from pairs of labels to "
            "numbers (on the command line --bdm FILE)"
        )
    return value


def sorted_labels(value):
    """Labels joined by +, sorted; "none"."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"ignore is {value!r}; expected labels joined by +, or none")
    return "+".join(sorted(set(value.split("+"))))


def whole_number(name, value):
    """A whole number, not below the least one that its parameter can be."""
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < WHOLE[name]:
        raise ValueError(f"{name} is {value!r}; expected a whole number, {WHOLE[name]} or more")
    return number


def written(values):
    """Parameters as names and signatures show them: "(key=value,...)"."""
    return "(" + ",".join(f"{key}={written_value(value)}" for key, value in values.items()) + ")"


def written_value(value):
    """A value as names and signatures show it; a table by its digest, a function by its name."""
    if isinstance(value, Mapping):
        rows = repr(sorted((str(key), float(bits)) for key, bits in value.items()))
        return f"table:{hashlib.sha256(rows.encode()).hexdigest()[:8]}"
    if callable(value):
        name = getattr(value, "__qualname__", "<")
        if hasattr(value, "signature"):
            return value.signature
        owner = getattr(value, "__self__", None)
        method = owner is not None and not isinstance(owner, ModuleType)
        if "<" in name or method or value.__module__ is None:
            raise ValueError(
                f"{value!r} has no name of its own to stand in signatures; "
                "give it an attribute `signature`, a text that is different for every function"
            )
        return f"{value.__module__}.{name}"
    return str(value)
