"""The table of metrics: name -> how to count, how to score, parameters, paper. And requests."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType, ModuleType

from .measures import matching, slicm
from .measures.alignment import UNITS
from .measures.expectation import CHANNELS, PLACEMENTS

CHANCE = ("none", *PLACEMENTS)
LI = "Li et al. (2024), Estimating Agreement by Chance for Sequence Annotation"
AMIGO = "Amigó et al., Evaluating Sequence Labeling on the basis of Information Theory"


@dataclass(frozen=True)
class Metric:
    """A row of the catalog.

    `count(gold, pred, **counted)` gives statistics, one row per document; `score(total, **scored)`
    the score. `expected(gold, pred, observed, placement=, unit=, **counted)` gives the statistics
    expected by chance, or None where they have to be drawn. `parameters` are all parameters with
    their defaults. Swapping gold and prediction gives the metric named `swapped`, if any.

    A metric for a `team` counts any number of aligned annotators: `count(annotators, **counted)`.
    A coefficient with a chance model of its own has `parts(total, **scored)`: the observed and the
    expected agreement that its score, (observed - expected) / (1 - expected), is made of.
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


@dataclass(frozen=True)
class Scorer:
    """How sums become scores: a callable, with `parts` where it corrects itself for chance."""

    value: Callable
    parts: Callable | None = None

    def __call__(self, statistics):
        return self.value(statistics)


CHOICES = {
    "chance": CHANCE,
    "unit": UNITS,
    "encoding": tuple(CHANNELS),
    "rank": slicm.RANKS,
    "matching": slicm.MATCHINGS,
}
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


CATALOG = {metric.name: metric for metric in (*hit_metrics(), *information_metrics())}


@dataclass(frozen=True)
class Request:
    """A metric with every parameter fixed. Equal requests have equal names: `str(request)`."""

    metric: str
    name: str
    parameters: Mapping = field(compare=False)

    def __str__(self):
        return self.name

    def only(self, names):
        """Some of the parameters, as a dict."""
        return {name: self.parameters[name] for name in names}

    def scorer(self):
        """The `Scorer` of the metric, with its parameters."""
        metric = CATALOG[self.metric]
        given = self.only(metric.scored)
        return Scorer(
            partial(metric.score, **given), metric.parts and partial(metric.parts, **given)
        )

    @property
    def placement(self):
        return self.parameters.get("chance", "none")


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
    if metric not in CATALOG:
        raise ValueError(f"unknown metric {metric!r}; expected one of {', '.join(CATALOG)}")
    defaults = CATALOG[metric].parameters
    unknown = sorted(parameters.keys() - defaults.keys())
    if unknown:
        known = ", ".join(defaults)
        raise ValueError(f"{metric} has no parameter {unknown[0]!r}; expected one of {known}")
    values = {
        name: checked(name, parameters.get(name, defaults[name])) for name in sorted(defaults)
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
    if match[1] in CATALOG:
        defaults = {k: v for k, v in defaults.items() if k in CATALOG[match[1]].parameters}
    return request(match[1], **defaults | {key.strip(): value.strip() for key, _, value in pairs})


def checked(name, value):
    """A parameter's value, if it is one."""
    if name in CHOICES and value not in CHOICES[name]:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(CHOICES[name])}")
    known = ("constant", "corpus")
    if name == "token_information" and isinstance(value, str) and value not in known:
        raise ValueError(
            f"token_information is {value!r}; expected constant or corpus (or, in Python, a "
            "mapping or callable from words to bits)"
        )
    if name == "beta":
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if not 0 < number < float("inf"):
            raise ValueError(f"beta is {value!r}; expected a number above 0")
        return number
    return value


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
