"""The result of every reader: documents with layers of spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from ..measures.messages import listed, quoted
from ..measures.spans import Places, Spans, trusted
from .documents import ABSENT, SEEN, DocumentTable, joined_tables, table_of
from .documents import Document as Document
from .documents import Span as Span
from .documents import Stretch as Stretch
from .documents import one_piece as one_piece
from .errors import FormatError, did_you_mean
from .notes import NO_NOTES, Notes, add_notes
from .paths import path_text


@dataclass(frozen=True)
class Corpus:
    """The documents of one file.

    Parameters
    ----------
    path : str
        The file, as messages name it.
    documents : sequence of Document
        In the order of the file.
    positions : "token" or "char"
        The unit of the offsets of spans, sentences and missing stretches.
    repair : str
        How improper tags were read, also of a format without tags.
    notes : Notes
        The reader's notes on the file: for example, duplicates that it merged, and where.
    skipped : tuple of int
        Places of documents that were left out, among all documents of the file.
    first : int, optional
        Of a part of a larger corpus, the number of documents in front.
    """

    path: str = field(compare=False)
    documents: Sequence[Document]
    positions: str = "token"
    repair: str = field(default="conlleval", compare=False)
    notes: Notes = field(default=NO_NOTES, compare=False)
    skipped: tuple[int, ...] = field(default=(), compare=False)
    first: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_text(self.path))
        if not isinstance(self.documents, DocumentTable):
            object.__setattr__(self, "documents", tuple(self.documents))

    @cached_property
    def table(self) -> DocumentTable:
        """The documents as columns."""
        return table_of(self.documents, self.positions)

    @property
    def n_in_file(self) -> int:
        """Number of documents of the file, with those that were left out."""
        return len(self.documents) + len(self.skipped)

    @property
    def places(self) -> Sequence[int]:
        """Place of each document among all documents of the file."""
        if not self.skipped:
            return range(len(self.documents))
        left_out = {*self.skipped}
        return [place for place in range(self.n_in_file) if place not in left_out]

    @cached_property
    def layer_names(self) -> tuple[str, ...]:
        """Names of all layers of any document, sorted."""
        layers = self.table.layers.items()
        return tuple(sorted(name for name, one in layers if (one.state != ABSENT).any()))

    @cached_property
    def category_layers(self) -> tuple[str, ...]:
        """Names of all layers of categories of any document, sorted."""
        return tuple(sorted({*chain(*self.table.more.get("categories", ()))}))

    def with_layer(self, layer: str) -> Corpus:
        """The corpus with one of its layers alone.

        Parameters
        ----------
        layer : str
            One of `layer_names`.
        """
        self._check_layer(layer)
        return replace(self, documents=replace(self.table, layers={layer: self.table.layer(layer)}))

    def _check_layer(self, layer: str) -> None:
        if layer not in self.layer_names:
            hint = did_you_mean(layer, self.layer_names)
            raise ValueError(
                f"{self.path} has no layer {quoted(layer)}{hint}; "
                f"available: {listed(self.layer_names)}"
            )

    def spans(self, layer: str | None = None) -> Spans:
        """One layer as `Spans`.

        Labels are sorted; documents that lack the layer are not seen; stretches end at boundaries
        of sentences and leave missing positions out. In a part of a larger corpus documents without
        a name are called by their place.

        Parameters
        ----------
        layer : str, optional
            One of `layer_names`; by default the only one. Of a part it may be in others alone.

        Raises
        ------
        ValueError
            If no document has such a layer; without `layer`, if there is not one alone.
        """
        if layer is None:
            if len(self.layer_names) != 1:
                names = listed(self.layer_names) if self.layer_names else "none"
                raise ValueError(f"{self.path}: name a layer; available: {names}")
            (layer,) = self.layer_names
        if self.first is None:
            self._check_layer(layer)
        table, of_layer = self.table, self.table.layer(layer)
        columns = ("doc", "start", "end", "label", "fragments")
        rows = {name: getattr(of_layer, name) for name in columns}
        spans = Spans(
            sizes=table.sizes,
            labels=of_layer.labels,
            seen=of_layer.state == SEEN,
            unplaced=of_layer.unplaced[:, [0, 2, 1]],
            stretches=table.stretches(layer),
            sentences=np.bincount(table.sents[:, 0], minlength=len(table)) > 0,
            words=table.words if self.positions == "token" else None,
            names=self._unique_names(),
            features=self._by_span("features", layer, {}),
            copies=self._by_span("copies", layer, ()),
            **rows,
        )
        return trusted(spans, facts=self.facts)

    @property
    def facts(self) -> dict[str, str]:
        """How the file was read, for signatures."""
        return {"positions": self.positions, "repair": self.repair, **self.notes.signed()}

    def names(self) -> Sequence[str | None]:
        """Names of the documents."""
        return self.table.all_names()

    def title(self, doc: int) -> str:
        """How messages call a document.

        Parameters
        ----------
        doc : int
            Its number in this corpus, from 0.
        """
        name = self.names()[doc]
        return f"document {(self.first or 0) + doc + 1 if name is None else quoted(name)}"

    def _unique_names(self) -> Sequence[str] | None:
        """Names of the documents, all different; None if some have none."""
        names = self.names()
        if self.first is not None and not (self.table.has_names_of_their_own and "" not in names):
            places = Places(self.first, len(names))
            if self.table.names is None:
                return places
            names = [name or place for name, place in zip(names, places)]
        known = [name for name in names if name is not None]
        return unique_names(known) if len(known) == len(names) else None

    def _by_span(self, kind: str, layer: str, nothing: Any) -> list[Any] | None:
        """The features or copies of the spans of a layer; None if none has any."""
        found = self.table.more.get(kind, ())
        if not any(layer in one for one in found):
            return None
        spans = self.table.layer(layer).spans(0, len(found))
        return [
            one.get(layer, {}).get(span, nothing)
            for one, mine in zip(found, spans)
            for span in mine or ()
        ]

    @cached_property
    def labelled_documents(self) -> Corpus:
        """The documents as single positions, with categories instead of layers of spans."""
        documents = [
            Document((), {k: v and [(0, 1, one) for one in v] for k, v in found.items()}, size=1)
            for found in self.table.column("categories", {})
        ]
        table = replace(table_of(documents, "char"), names=self.table.names)
        return Corpus(self.path, table, "char", first=self.first)


def join_corpora(path: object, corpora: Sequence[Corpus]) -> Corpus:
    """The documents of several files as one corpus."""
    sound = [one for one in corpora if len(one.documents)] or corpora
    positions = sound[0].positions
    other = next((one for one in sound if one.positions != positions), None)
    if other is not None:
        raise other_positions(other.path, other.positions, sound[0].path, positions)
    tables = [  # documents say from which file they are
        replace(one.table, more={**one.table.more, "path": [one.path] * len(one.documents)})
        for one in sound
    ]
    notes = add_notes(one.notes for one in corpora)
    skipped: list[int] = []
    n_in_front = 0
    for one in corpora:
        skipped += (n_in_front + place for place in one.skipped)
        n_in_front += one.n_in_file
    repair = "+".join(sorted({one.repair for one in sound}))
    return Corpus(str(path), joined_tables(tables), positions, repair, notes, tuple(skipped))


def other_positions(path: object, positions: str, first_path: object, first: str) -> FormatError:
    """The error for a file with other positions than the first one."""
    return FormatError(
        f"positions are of the kind {quoted(positions)}, but {quoted(first)} in {first_path}; "
        "files of one folder need the same",
        path,
    )


def unique_names(names: Collection[str]) -> list[str]:
    """The same names, repeated ones with a number."""
    if len(set(names)) == len(names):
        return list(names)
    count: Counter[str] = Counter()
    found = []
    for name in names:
        count[name] += 1
        found.append(name if count[name] == 1 else f"{name} ({count[name]})")
    return found if len(set(found)) == len(found) else [f"{i}: {n}" for i, n in enumerate(names, 1)]


def check_words(corpus: Corpus, path: object) -> None:
    """Raise a `FormatError`, with the path, for documents with known sizes alone."""
    if "size" in corpus.table.more and corpus.table.sizes.any():
        raise FormatError("documents have sizes, but no words; write JSONL with the words", path)


def all_parts(corpus: Corpus) -> Iterable[Sequence[str] | None]:
    """The words of each document, or its text; None if only its size is known."""
    table = corpus.table
    parts = table.document_words() if corpus.positions == "token" else table.column("text", None)
    sizes = table.column("size", None)
    return (None if size is not None else part for part, size in zip(parts, sizes))


def all_letters(corpus: Corpus) -> list[str]:
    """The text of each document without white space; "" if only its size is known."""
    return ["".join("".join(parts or ()).split()) for parts in all_parts(corpus)]
