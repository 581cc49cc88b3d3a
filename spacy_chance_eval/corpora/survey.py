"""`Survey`: what counting a block must know of the whole corpus. Those of blocks add up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

from ..formats.errors import did_you_mean
from ..formats.notes import Notes
from ..measures.messages import quoted
from ..metrics.request import Request
from ..scoring.counts import Key
from .sources import Layers, add_layers

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class Survey:
    """The facts found in some documents.

    Parameters
    ----------
    layers : tuple of Layers
        Of each source.
    data : tuple of frozensets
        Pairs of positions and repair of improper tags, of each source.
    notes : tuple of Notes
        The notes of the reader of each source.
    attributes : frozenset of str
        Names of the attributes of documents, in the first source.
    named, articles : bool
        Whether all documents have names, and say of which article they are.
    overlapping : frozenset of (str, bool)
        Annotators, or predictions with gold, whose spans overlap or have gaps, and whether without
        labels; if any metric has another chance model for them.
    labels : mapping of str to frozenset of str
        Labels by annotator.
    used : mapping of str to frozenset of str
        Labels that have spans, by annotator.
    features : frozenset of str
        Names of the features of spans.
    known : mapping of (key, str) to object
        Facts that counts need, by the side counted (the name of a prediction, or a `Key`) and by
        `Request.survey_name`.
    reasons : mapping of str to str
        Predictions that cannot be compared with gold, with reasons: they count nowhere.
    """

    layers: tuple[Layers, ...]
    data: tuple[frozenset[tuple[str, str]], ...]
    notes: tuple[Notes, ...]
    attributes: frozenset[str]
    named: bool
    articles: bool
    overlapping: frozenset[tuple[str, bool]]
    labels: Mapping[str, frozenset[str]]
    used: Mapping[str, frozenset[str]]
    features: frozenset[str]
    known: Mapping[tuple[Any, str], Any]
    reasons: Mapping[str, str]

    def for_counting(self) -> Survey:
        """The same without what only results say."""
        nothing: frozenset[str] = frozenset()
        return replace(self, layers=(), data=(), notes=(), attributes=nothing, features=nothing)

    def decides(self) -> tuple[Any, ...]:
        """The facts that counts of a block depend on, if no request asks for more than labels."""
        found = frozenset(self.reasons), self.overlaps(), self.named, self.articles
        return (*found, self.all_labels(), dict(self.used))

    def overlaps(self) -> frozenset[bool]:
        """For `fitting_requests`, of all that are compared."""
        return frozenset(ignored for name, ignored in self.overlapping if name not in self.reasons)

    def all_labels(self) -> list[str]:
        """The labels of all annotators that can be compared, sorted."""
        return sorted(
            frozenset().union(*(v for k, v in self.labels.items() if k not in self.reasons))
        )

    def check_attribute(self, name: str, others: Sequence[str], path: str) -> None:
        """Raise unless some document has the attribute; `others` are the choices beside them."""
        attributes = sorted(self.attributes)
        if name not in attributes:
            hint = did_you_mean(name.partition(":")[0], [*others, *attributes])
            raise ValueError(
                f"no document of {path} has an attribute {quoted(name)}{hint}; expected "
                f"{', '.join(others)}, or an attribute of the documents "
                f"({', '.join(attributes) or 'these have none'})"
            )

    def repairs(self, number: int) -> str:
        """How improper tags of a source were read."""
        return "+".join(sorted({repair for _, repair in self.data[number]}))

    def positions(self) -> list[str]:
        """Unit of positions, sorted: "token", "char" or both."""
        return sorted({positions for source in self.data for positions, _ in source})

    def prediction_arguments(self, requests: Iterable[Request]) -> dict[Request, dict[str, Any]]:
        """Arguments by which the counts of all blocks, and of all predictions, go together."""
        labels, arguments = self.all_labels(), {}
        for one in requests:
            known = [
                value
                for (name, survey), value in self.known.items()
                if survey == one.survey_name and name not in self.reasons
            ]
            if not known:
                continue
            assert one.row.survey is not None
            joint = reduce(one.row.survey.add, known) if one.row.survey.columns else known[0]
            arguments[one] = one.arguments(joint, labels)
        return arguments

    def panel_arguments(
        self, requests: Iterable[Request]
    ) -> dict[tuple[Key, Request], dict[str, Any]]:
        """Arguments that make the counts of all blocks compatible, by key and request."""
        labels, arguments = self.all_labels(), {}
        for one in requests:
            for (key, survey), value in self.known.items():
                if survey == one.survey_name:
                    try:
                        arguments[key, one] = one.arguments(value, labels)
                    except ValueError:  # of words, for example: counting will meet it, too
                        continue
        return arguments


def add_surveys(one: Survey, two: Survey, requests: Iterable[Request]) -> Survey:
    """The survey of the documents of two blocks, for requests that use surveys."""
    add = {r.survey_name: r.row.survey.add for r in requests if r.row.survey is not None}
    both = one.known.keys() & two.known.keys()  # not all pairs share documents in each block
    sums = {key: add[key[1]](one.known[key], two.known[key]) for key in both}
    return Survey(
        layers=tuple(map(add_layers, one.layers, two.layers)),
        data=tuple(a | b for a, b in zip(one.data, two.data)),
        notes=tuple(a + b for a, b in zip(one.notes, two.notes)),
        attributes=one.attributes | two.attributes,
        named=one.named and two.named,
        articles=one.articles and two.articles,
        overlapping=one.overlapping | two.overlapping,
        labels=_by_key(frozenset.union, one.labels, two.labels),
        used=_by_key(frozenset.union, one.used, two.used),
        features=one.features | two.features,
        known={**one.known, **two.known, **sums},
        reasons={**two.reasons, **one.reasons},
    )


def _by_key(add: Callable[[V, V], V], one: Mapping[K, V], two: Mapping[K, V]) -> dict[K, V]:
    """Two mappings as one; what both have is added up."""
    both = {key: add(one[key], two[key]) for key in one.keys() & two.keys()}
    return {**one, **two, **both}
