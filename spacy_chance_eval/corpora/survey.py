"""`Survey`: what counting a block must know of the whole corpus. Those of blocks add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, TypeAlias

from ..formats.errors import did_you_mean
from ..formats.notes import Notes
from ..measures.messages import quoted
from ..metrics.request import Request
from .sources import Layers, add_layers

Names: TypeAlias = frozenset[str]


@dataclass(frozen=True, eq=False)
class Survey:
    """The facts found in some documents.

    Parameters
    ----------
    n_docs : int
        Number of documents.
    layers : tuple of Layers
        Of each source.
    data : tuple of frozensets
        Pairs of positions and repair of improper tags, of each source.
    notes : tuple of Notes
        The notes of the reader of each source.
    attributes : frozenset of str
        Names of the attributes of documents, in the first source.
    overlapping : frozenset of (str, bool)
        Annotators, or predictions with gold, whose spans overlap or have gaps, and whether without
        labels; if any metric has another chance model for them.
    labels : mapping of str to frozenset of str
        Labels by annotator.
    used : mapping of str to frozenset of str
        Labels that have spans, by annotator.
    features : frozenset of str
        Names of the features of spans.
    known : mapping of (str, str) to object
        Facts that counts of predictions need, by their names and `Request.survey_name`.
    reasons : mapping of str to str
        Predictions that cannot be compared with gold, with reasons: they count nowhere.
    """

    n_docs: int
    layers: tuple[Layers, ...]
    data: tuple[frozenset[tuple[str, str]], ...]
    notes: tuple[Notes, ...]
    attributes: frozenset[str]
    overlapping: frozenset[tuple[str, bool]] = frozenset()
    labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    used: Mapping[str, frozenset[str]] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    known: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def overlaps(self) -> frozenset[bool]:
        """For `fitting_requests`, of all that are compared."""
        return frozenset(ignored for name, ignored in self.overlapping if name not in self.reasons)

    def all_labels(self) -> list[str]:
        """The labels of all annotators that can be compared, sorted."""
        return sorted(
            frozenset().union(*(v for k, v in self.labels.items() if k not in self.reasons))
        )

    def arguments(self, requests: Iterable[Request]) -> dict[Request, dict[str, Any]]:
        """Arguments by which the counts of all blocks, and of all predictions, go together."""
        labels, arguments = self.all_labels(), {}
        for one in requests:
            known = [
                value
                for (name, survey), value in self.known.items()
                if survey == one.survey_name and name not in self.reasons
            ]
            if known:
                assert one.row.survey is not None
                joint = reduce(one.row.survey.add, known) if one.row.survey.columns else known[0]
                arguments[one] = one.arguments(joint, labels)
        return arguments

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


def add_surveys(one: Survey, two: Survey, requests: Iterable[Request]) -> Survey:
    """The survey of the documents of two blocks, for some requests."""
    add = {r.survey_name: r.row.survey.add for r in requests if r.row.survey is not None}
    both = one.known.keys() & two.known.keys()
    sums = {key: add[key[1]](one.known[key], two.known[key]) for key in both}
    return Survey(
        n_docs=one.n_docs + two.n_docs,
        layers=tuple(map(add_layers, one.layers, two.layers)),
        data=tuple(a | b for a, b in zip(one.data, two.data)),
        notes=tuple(a + b for a, b in zip(one.notes, two.notes)),
        attributes=one.attributes | two.attributes,
        overlapping=one.overlapping | two.overlapping,
        labels=_united(one.labels, two.labels),
        used=_united(one.used, two.used),
        features=one.features | two.features,
        known={**one.known, **two.known, **sums},
        reasons={**two.reasons, **one.reasons},
    )


def _united(one: Mapping[str, Names], two: Mapping[str, Names]) -> dict[str, Names]:
    """The labels of each annotator in either of two blocks."""
    nothing: Names = frozenset()
    return {key: one.get(key, nothing) | two.get(key, nothing) for key in {*one, *two}}
