"""Annotation of any kind as `Spans`: the one door of the functions for Python.

Lists of tags, of Docs, of Examples, of tuples, of dicts, flat records and data frames; anything
else is refused, with the right call in the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..measures.alignment import as_prediction, check_same_corpus
from ..measures.docs import is_doc, is_example
from ..measures.messages import quoted
from ..measures.panel import Panel
from ..measures.spans import Spans
from ..measures.trees.trees import Trees
from ..measures.tuples import DICTS, ROWS
from ..metrics.request import Request
from .records import (
    SYSTEM,
    Frame,
    Records,
    by_annotator,
    lengths_by_name,
    with_all_records,
    with_records,
    with_seen,
)

# `Spans`, or a list for each document: of tags, of (start, end, label), of dicts; or a list of Docs
# or of flat records; or a data frame
Annotation: TypeAlias = Spans | Sequence[Any] | Frame

EXPECTED = "expected Spans, or a list of documents: tags, (start, end, label), dicts, or Docs"
RECORDS = "records"  # the kind of rows for each span
TWO_IN_ONE = "Examples have gold and prediction in one: gold, pred = Spans.from_examples(examples)"
EMPTY = "empty"  # the kind of a list without tags or spans: that of the others
WITH_SIZES: Mapping[str, Callable[[Any, ArrayLike], Spans]] = {
    "tuples": Spans.from_tuples,
    "dicts": Spans.from_dicts,
}


@dataclass(frozen=True)
class Inputs:
    """Conversion of common inputs to `Spans`.

    Parameters
    ----------
    call : str
        The function that was called, for messages.
    layer : str
        Of Docs and Examples: "ents" or "spans:KEY".
    pred_layer : str, optional
        The layer of the prediction; by default that of gold.
    sizes : integer array_like, or mapping of str to int, optional
        Lengths of the documents, for tuples, dicts and records; by their names in a mapping.
    """

    call: str
    layer: str = "ents"
    pred_layer: str | None = None
    sizes: ArrayLike | Mapping[Any, int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", lengths_by_name(self.sizes))

    @property
    def lengths(self) -> ArrayLike | None:
        """Lengths of the documents, if they were given."""
        return [*self.sizes.values()] if isinstance(self.sizes, Mapping) else self.sizes

    def pair(self, gold: Any, pred: Any = None) -> tuple[Spans, Spans]:
        """Gold and a prediction; `pred` is None for Examples, which have both.

        Raises
        ------
        ValueError
            For input that is not annotation.
        """
        gold, pred = with_all_records({"gold": gold, "pred": pred}).values()
        if _kind(gold, "gold") == "examples":
            if pred is not None:
                raise ValueError(f"{TWO_IN_ONE}, or {self.call}(examples, metrics=[...])")
            pair = Spans.from_examples(gold, self.layer, self.pred_layer)
            _check_seen(pair[0], "gold", self.layer)
            self._check_sizes(pair[0], "gold")
            return pair
        if pred is None:
            raise ValueError(
                f"no prediction; expected {self.call}(gold, pred), or a list of Examples, which "
                "have both"
            )
        given = {"gold": gold, "pred": pred}
        spans = self.spans(given, gold="gold")
        if all(_kind(side, "") == "docs" for side in (gold, pred)):
            try:
                check_same_corpus(*spans.values())
            except ValueError as error:
                raise ValueError(
                    f"{error}, or Examples, which align other tokens of the same text: "
                    f"{self.call}([Example(*pair) for pair in zip(pred, gold)])"
                ) from None
        return spans["gold"], as_prediction(spans["pred"])

    def systems(self, gold: Any, systems: Any) -> tuple[Spans, dict[str, Spans]]:
        """Gold, and predictions by the names of systems."""
        by_name = "{'one': pred, 'two': other}"
        rows = with_records(systems)
        systems = (rows.by(SYSTEM) if isinstance(rows, Records) else None) or systems
        if not isinstance(systems, Mapping):
            raise ValueError(
                f"systems are a {type(systems).__name__}; expected their names: {by_name}, or of "
                f"records a column {quoted(SYSTEM)}"
            )
        if wrong := [name for name in systems if not isinstance(name, str)]:
            raise ValueError(
                f"a system is called {quoted(wrong[0])}; expected texts for names: {by_name}"
            )
        given = with_all_records(
            {"gold": gold, **{f"system {name!r}": one for name, one in systems.items()}}
        )
        spans = self.spans(given, gold="gold")
        return spans["gold"], dict(zip(systems, map(as_prediction, list(spans.values())[1:])))

    def panel(self, annotators: Any, metrics: Any = None, positions: str | None = None) -> Panel:
        """The panel of annotators; one that is given stays as it is."""
        if not isinstance(annotators, Panel):
            annotators = self.annotators(annotators, metrics)
        return Panel.from_annotators(annotators, positions)

    def annotators(self, annotators: Any, metrics: Any = None) -> dict[str, Spans]:
        """Annotators by their names: those given, or numbers."""
        if metrics is not None and not _are_metrics(metrics):
            raise ValueError(
                f"metrics are {quoted(metrics)}; several annotators are one argument: "
                f"{self.call}([anna, ben]), or {self.call}({{'anna': anna, 'ben': ben}})"
            )
        annotators = by_annotator(annotators)
        if isinstance(annotators, Mapping):
            annotators = with_seen(with_all_records(annotators))
            return self.spans(annotators)
        one = isinstance(annotators, Spans) or not isinstance(annotators, Iterable)
        several = [] if one else list(annotators)
        if any(map(is_example, several)):
            raise ValueError(TWO_IN_ONE)
        if one or any(is_doc(item) or (isinstance(item, str) and item == "O") for item in several):
            raise ValueError(
                f"one annotator alone; expected several: {self.call}([anna, ben]), or "
                f"{self.call}({{'anna': anna, 'ben': ben}}). "
                "Where annotators are span groups of the same Docs: "
                f"{self.call}({{'anna': Spans.from_docs(docs, 'spans:anna'), 'ben': "
                "Spans.from_docs(docs, 'spans:ben')})"
            )
        return self.annotators({f"annotator {i}": item for i, item in enumerate(several, 1)})

    def spans(self, given: Mapping[str, Any], *, gold: str | None = None) -> dict[str, Spans]:
        """Several annotations of the same documents, by name.

        Parameters
        ----------
        gold : str, optional
            Which one is gold; the others are predictions, whose improper tags are read as the
            conlleval script does. Without it all are annotators.
        """
        kinds = {name: _kind(one, name) for name, one in given.items()}
        common = next(
            (kind for kind in kinds.values() if kind not in (EMPTY, RECORDS, "spans")),
            "tuples",
        )
        kinds = {name: common if kind == EMPTY else kind for name, kind in kinds.items()}
        made: dict[str, Spans] = {}
        # those that say their own lengths come first: others may need these
        for name in sorted(given, key=lambda name: _needs_sizes(kinds[name], given[name])):
            try:
                sizes = _sizes(self, made)
                if kinds[name] == RECORDS and sizes is not None:
                    made[name] = given[name].spans(sizes, self._names(made))
                else:
                    made[name] = self._spans(given[name], kinds[name], name, gold, sizes)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            self._check_sizes(made[name], name)
        return {name: made[name] for name in given}

    def _names(self, made: Mapping[str, Spans]) -> Sequence[str] | None:
        """Names of the documents: as given, or those of another annotation."""
        if isinstance(self.sizes, Mapping):
            return [*self.sizes]
        return next((spans.names for spans in made.values() if spans.names is not None), None)

    def _check_sizes(self, spans: Spans, name: str) -> None:
        """Raise ValueError for documents whose lengths are not those that were given."""
        sizes = spans.sizes if self.lengths is None else np.ravel(self.lengths)
        names = self._names({})
        if names is not None and spans.names is not None and [*spans.names] != names:
            raise ValueError(
                f"{name}: its documents are not those of sizes, in their order; leave sizes out "
                "where annotation says its lengths"
            )
        if len(sizes) != spans.n_docs:
            raise ValueError(f"{name}: {spans.n_docs} documents, but {len(sizes)} sizes")
        differ = np.flatnonzero(sizes != spans.sizes)
        if len(differ):
            doc = differ[0]
            raise ValueError(
                f"{name}: {spans.name(doc)} has {spans.sizes[doc]} tokens, but its size is "
                f"{sizes[doc]}; leave sizes out where annotation says its lengths"
            )

    def _spans(
        self, given: Any, kind: str, name: str, gold: str | None, sizes: ArrayLike | None
    ) -> Spans:
        """One annotation of a kind."""
        if kind == "spans":
            return given
        predicted = gold not in (None, name)
        if kind == "tags":
            unseen = any(tags is None for tags in given)
            return Spans.from_tags(given, sizes=sizes if unseen else self.lengths)
        if kind == "docs":
            layer = self.pred_layer if predicted and self.pred_layer else self.layer
            spans = Spans.from_docs(given, layer, role="pred" if predicted else "gold")
            _check_seen(spans, name, layer)
            return spans
        if kind == "examples":
            raise ValueError(TWO_IN_ONE)
        if sizes is None:
            raise ValueError(
                "spans do not say how long the documents are, and chance depends on it; pass their "
                f"lengths: {self.call}(..., sizes=[len(tokens) for tokens in documents])"
                + (", by the names of all documents: sizes={name: length}" * (kind == RECORDS))
            )
        return WITH_SIZES[kind](given, sizes)


def _check_seen(spans: Spans, name: str, layer: str) -> None:
    """Raise for Docs none of which is annotated: that is hardly meant."""
    if spans.n_docs and not spans.seen.any():
        raise ValueError(
            f"no Doc has annotation of {quoted(layer)} in {name}; where there are no entities, "
            "doc.set_ents([]) says that the Doc is annotated"
        )


def _needs_sizes(kind: str, given: Any) -> bool:
    """Whether an annotation does not say how long all documents are."""
    return kind in (*WITH_SIZES, RECORDS) or (
        kind == "tags" and any(tags is None for tags in given)
    )


def _sizes(how: Inputs, made: Mapping[str, Spans]) -> ArrayLike | None:
    """The lengths of documents: as given, or those of another annotation."""
    lengths = how.lengths
    if lengths is not None:
        for size in (lengths,) if isinstance(lengths, str) else np.ravel(lengths)[:1]:
            if isinstance(size, str):
                raise ValueError(
                    "sizes are texts; expected numbers: sizes=[len(tokens) for tokens in documents]"
                )
        return lengths
    return next((spans.sizes for spans in made.values()), None)


def _kind(given: Any, name: str) -> str:
    """The kind of an annotation: "spans", "examples", "docs", "tags", "dicts", "tuples", "records",
    "empty".
    """
    if isinstance(given, Spans):
        return "spans"
    if isinstance(given, Records):
        return RECORDS
    if hasattr(given, "layer_names") and hasattr(given, "spans"):
        layers = ", ".join(map(repr, given.layer_names)) or "none"
        raise ValueError(
            f"{name} is a corpus; expected one of its layers ({layers}): corpus.spans(LAYER)"
        )
    if isinstance(given, Trees):
        raise ValueError(
            f"{name} is Trees; evaluate(gold, pred) and agree take them if all are Trees"
        )
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        raise ValueError(
            f"{name} is a text or path, {quoted(str(given))}; expected its annotation: "
            "read(PATH).spans(LAYER). Files are scored by `spacy-chance-eval score`"
        )
    if is_doc(given) or is_example(given):
        kind = "Doc" if is_doc(given) else "Example"
        raise ValueError(f"{name} is one {kind}; expected a list of them: [{kind.lower()}]")
    if isinstance(given, Mapping) or not isinstance(given, (Sequence, np.ndarray)):
        raise ValueError(
            f"{name} is {quoted(given)}; {EXPECTED} (of a generator or a column: list(...))"
        )
    if not len(given):
        raise ValueError(f"{name} is empty; {EXPECTED}")
    documents = [one for one in given if one is not None]
    if documents and all(map(is_example, documents)):
        return "examples"
    if documents and all(map(is_doc, documents)):
        return "docs"
    return _kind_of_rows(documents, name)


def _kind_of_rows(documents: Sequence[Any], name: str) -> str:
    """The kind of a list of lists, by the first thing in it."""
    for document in documents:
        if isinstance(document, (str, int, np.integer)):
            return "tags"  # one document alone, which `Spans.from_tags` refuses
        if isinstance(document, Mapping):
            raise ValueError(f"{name} is a list of dicts; expected {DICTS}: [spans] for one alone")
        if not isinstance(document, (Sequence, np.ndarray)):
            raise ValueError(f"{name} has {quoted(document)} for a document; {EXPECTED}")
        kinds = [isinstance(value, str) for value in document]
        if isinstance(document, tuple) and any(kinds) and not all(kinds):  # numbers and a text
            raise ValueError(f"{name} is a list of spans; expected {ROWS}: [spans] for one alone")
        for item in document:
            if isinstance(item, (str, int, np.integer)):
                return "tags"
            return "dicts" if isinstance(item, Mapping) else "tuples"
    return EMPTY


def _are_metrics(given: Any) -> bool:
    """Whether something can be metrics: names, or what `request` made of them."""
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, Sequence):
        return all(isinstance(one, (str, Request)) for one in given)
    return not isinstance(given, Spans)
