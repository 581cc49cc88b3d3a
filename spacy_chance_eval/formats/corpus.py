"""What every reader returns: documents with layers of spans."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, cast

from ..measures.spans import Copy, Spans
from .errors import FormatError, did_you_mean
from .notes import NO_NOTES, Notes, add_notes

Span: TypeAlias = tuple[int, int, str]  # start, end and label
Stretch: TypeAlias = tuple[int, int]  # start and end
Unplaced: TypeAlias = tuple[int, str]  # length in tokens and label
BY_LAYER = ("layers", "categories", "unplaced", "features", "copies")  # fields of a document


@dataclass(frozen=True)
class Document:
    """One document of a file. Spans are half-open stretches of tokens, or of characters.

    Parameters
    ----------
    words : sequence of str
        Empty in a corpus with character positions.
    layers : dict of str to (sequence of (start, end, label), or None)
        None: not annotated. Empty: annotated, without spans.
    name : str, optional
    sents : sequence of int
        First position of each sentence; empty if unknown.
    missing : sequence of (start, end)
        Positions without annotation.
    missing_in : dict of str to sequence of (start, end)
        By layer: more positions without annotation, in that layer alone.
    unplaced : dict of str to sequence of (length, label)
        By layer: spans that do not fit the tokens.
    lines : sequence of int, optional
        Line of each token in the file, or the one line of the row.
    text : str, optional
    spaces : sequence of bool, optional
        Whether a space follows the token.
    attributes : dict
        Anything else that the file says about the document.
    path : str, optional
        Its file, in a corpus that is a folder of files.
    features : dict of str to dict of (start, end, label) to dict
        By layer: what else is said of a span; nothing for most.
    categories : dict of str to (sequence of str, or None)
        By layer: the labels of the document as a whole. None: not annotated.
    size : int, optional
        Number of positions, of a document without words and text.
    copies : dict of str to dict of (start, end, label) to sequence of Copy
        By layer: further annotations of spans that are there already. Those of spans that do not
        fit the tokens have the place (-length, 0), as a reader gives them.
    """

    words: Sequence[str]
    layers: Mapping[str, Sequence[Span] | None]
    name: str | None = None
    sents: Sequence[int] = ()
    missing: Sequence[Stretch] = ()
    unplaced: Mapping[str, Sequence[Unplaced]] = field(default_factory=dict)
    lines: Sequence[int] | None = field(default=None, compare=False)
    text: str | None = None
    spaces: Sequence[bool] | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    missing_in: Mapping[str, Sequence[Stretch]] = field(default_factory=dict)
    path: str | None = field(default=None, compare=False)
    features: Mapping[str, Mapping[Span, Mapping[str, Any]]] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    size: int | None = None
    copies: Mapping[str, Mapping[Span, Sequence[Copy]]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        # most of it is empty in most documents, and there are many of these
        fix = partial(object.__setattr__, self)
        fix("words", tuple(self.words))
        layers = self.layers.items()
        fix("layers", {name: None if rows is None else in_order(rows) for name, rows in layers})
        for name in ("missing_in", "unplaced"):
            if rows := getattr(self, name):
                fix(name, {layer: in_order(found) for layer, found in rows.items() if found})
        if self.features:
            by_layer = {
                layer: {tuple(span): dict(said) for span, said in spans.items() if said}
                for layer, spans in self.features.items()
            }
            fix("features", {layer: spans for layer, spans in by_layer.items() if spans})
        if self.copies:
            again = {
                layer: {tuple(span): tuple(some) for span, some in spans.items() if some}
                for layer, spans in self.copies.items()
            }
            fix("copies", {layer: spans for layer, spans in again.items() if spans})
        if rows := self.categories:
            fix("categories", {k: None if v is None else tuple(sorted(v)) for k, v in rows.items()})
        fix("sents", tuple(sorted(self.sents)))
        if self.missing != ():
            fix("missing", in_order(self.missing))
        if self.spaces is not None:
            fix("spaces", tuple(self.spaces))
        if self.lines is not None and not isinstance(self.lines, range):
            fix("lines", tuple(self.lines))

    def gaps(self, layer: str) -> tuple[Stretch, ...]:
        """All positions without annotation in a layer."""
        return in_order({*self.missing, *self.missing_in.get(layer, ())})

    def line(self, token: int) -> int | None:
        """Line of a token in the file; the last known one behind the end, None if unknown."""
        return self.lines[min(token, len(self.lines) - 1)] if self.lines else None


def in_order(rows: Iterable[Any]) -> tuple[Any, ...]:
    """Rows as sorted tuples: order never matters."""
    return tuple(sorted(map(tuple, rows))) if rows else ()


@dataclass(frozen=True)
class Corpus:
    """The documents of one file.

    Parameters
    ----------
    path : str
    documents : sequence of Document
    positions : "token" or "char"
        What the offsets of spans, sentences and missing stretches count.
    repair : str
        How improper tags were read; "none" for a format without tags.
    notes : Notes
        What the reader has to say of the file: what it merged, for example, and where.
    """

    path: str = field(compare=False)
    documents: Sequence[Document]
    positions: str = "token"
    repair: str = field(default="none", compare=False)
    notes: Notes = field(default=NO_NOTES, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", str(self.path))
        object.__setattr__(self, "documents", tuple(self.documents))

    @property
    def layer_names(self) -> tuple[str, ...]:
        """Names of all layers of any document, sorted."""
        return tuple(sorted({name for document in self.documents for name in document.layers}))

    @property
    def category_layers(self) -> tuple[str, ...]:
        """Names of all layers of categories of any document, sorted."""
        return tuple(sorted({name for document in self.documents for name in document.categories}))

    def size(self, document: Document) -> int:
        """Number of positions of a document."""
        if document.size is not None:
            return document.size
        return len(document.words if self.positions == "token" else cast(str, document.text))

    def spans(self, layer: str, *, anywhere: bool = False, first: int = 0) -> Spans:
        """One layer as `Spans`.

        Labels are sorted; documents that lack the layer are not seen; stretches end at the borders
        of sentences and leave missing positions out.

        Parameters
        ----------
        layer : str
        anywhere : bool
            For a part of a corpus: the layer may be in other parts alone, and documents without a
            name are called by their place.
        first : int
            Number of documents in front of the part.

        Raises
        ------
        ValueError
            If no document has such a layer.
        """
        if not anywhere and layer not in self.layer_names:
            available = ", ".join(self.layer_names) or "none"
            hint = did_you_mean(layer, self.layer_names)
            raise ValueError(f"{self.path} has no layer {layer!r}{hint}; available: {available}")
        documents = self.documents
        rows = [document.layers.get(layer) for document in documents]
        unplaced = [document.unplaced.get(layer, ()) for document in documents]
        labels = {span[2] for spans in rows for span in spans or ()}
        names = sorted(labels.union(label for pairs in unplaced for _, label in pairs))
        index = {label: i for i, label in enumerate(names)}
        worded = self.positions == "token" and all(one.size is None for one in documents)
        return Spans.from_tuples(
            rows,
            [self.size(document) for document in documents],
            names,
            unplaced=[(d, index[name], n) for d, pairs in enumerate(unplaced) for n, name in pairs],
            stretches=self.stretches(layer),
            words=[word for document in documents for word in document.words] if worded else None,
            names=self._unique_names(first if anywhere else None),
            sentences=[bool(document.sents) for document in documents],
            features=self.features(layer),
            copies=self.copies(layer),
        )

    def names(self, first: int | None = None) -> list[str | None]:
        """Names of the documents; after `first` others, by their place where they have none."""
        names = [document.name for document in self.documents]
        if first is None:
            return names
        return [name if name else f"document {first + i}" for i, name in enumerate(names, 1)]

    def _unique_names(self, first: int | None) -> list[str] | None:
        """The same names, all different; None if some have none."""
        names = [name for name in self.names(first) if name is not None]
        return unique_names(names) if len(names) == len(self.documents) else None

    def features(self, layer: str) -> list[list[Mapping[str, Any]]] | None:
        """What is said of the spans of a layer, a list for each document; None if nothing is."""
        if not any(layer in document.features for document in self.documents):
            return None
        return [
            [document.features.get(layer, {}).get(span, {}) for span in rows]
            for document in self.documents
            for rows in [document.layers.get(layer) or ()]
        ]

    def copies(self, layer: str) -> list[list[Sequence[Copy]]] | None:
        """Further annotations of the spans of a layer, by document; None if there are none."""
        if not any(layer in document.copies for document in self.documents):
            return None
        return [
            [document.copies.get(layer, {}).get(span, ()) for span in rows]
            for document in self.documents
            for rows in [document.layers.get(layer) or ()]
        ]

    def categories(self, layer: str, *, anywhere: bool = False, first: int = 0) -> Spans:
        """Labels of whole documents as `Spans`: every document is one position.

        Parameters
        ----------
        layer : str
        anywhere : bool
            For a part of a corpus: the layer may be in other parts alone, and documents without a
            name are called by their place.
        first : int
            Number of documents in front of the part.

        Raises
        ------
        ValueError
            If no document has such a layer of categories.
        """
        if not anywhere and layer not in self.category_layers:
            available = ", ".join(self.category_layers) or "none"
            hint = did_you_mean(layer, self.category_layers)
            raise ValueError(
                f"{self.path} has no layer {layer!r} of categories{hint}; available: {available}"
            )
        rows = [document.categories.get(layer) for document in self.documents]
        return Spans.from_tuples(
            [None if found is None else [(0, 1, label) for label in found] for found in rows],
            [1] * len(rows),
            names=self._unique_names(first if anywhere else None),
        )

    def stretches(self, layer: str) -> list[tuple[int, int, int]]:
        """Rows (document, start, end) of positions annotated in a layer, by sentence."""
        return [
            (d, start, end)
            for d, document in enumerate(self.documents)
            for start, end in _annotated_stretches(
                self.size(document), document.sents, document.gaps(layer)
            )
        ]


def join_corpora(path: object, corpora: Sequence[Corpus]) -> Corpus:
    """The documents of several files as one corpus.

    Raises
    ------
    FormatError
        If some files have tokens and others have not.
    """
    other = next((one for one in corpora if one.positions != corpora[0].positions), None)
    if other is not None:
        raise other_positions(other.path, other.positions, corpora[0].path, corpora[0].positions)
    documents = (replace(doc, path=one.path) for one in corpora for doc in one.documents)
    repairs = sorted({one.repair for one in corpora})
    notes = add_notes(one.notes for one in corpora)
    return Corpus(str(path), tuple(documents), corpora[0].positions, "+".join(repairs), notes)


def other_positions(path: object, positions: str, first_path: object, first: str) -> FormatError:
    """The error for a file with other positions than the first one."""
    return FormatError(
        f"positions are of the kind {positions!r}, but {first!r} in {first_path}; files of one "
        "folder need the same",
        path,
    )


def unique_names(names: Collection[str]) -> list[str]:
    """The same names, repeated ones with a number."""
    count: Counter[str] = Counter()
    found = []
    for name in names:
        count[name] += 1
        found.append(name if count[name] == 1 else f"{name} ({count[name]})")
    return found if len(set(found)) == len(found) else [f"{i}: {n}" for i, n in enumerate(names, 1)]


def _annotated_stretches(
    size: int, sents: Iterable[int], missing: Collection[Stretch]
) -> list[Stretch]:
    """The annotated stretches (start, end) of one document, which end at borders of sentences."""
    cuts = sorted({0, size, *sents, *(cut for stretch in missing for cut in stretch)})
    stretches = zip(cuts, cuts[1:])
    if not missing:
        return list(stretches)
    out = {t for start, end in missing for t in range(start, end)}
    return [(start, end) for start, end in stretches if start not in out]


def join_stretches(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Stretches (start, end) in order, those that touch or overlap as one."""
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def document_title(document: Document, place: int | str) -> str:
    """How messages call a document."""
    return f"document {place}" if document.name is None else f"document {document.name!r}"


def check_words(corpus: Corpus, path: object) -> None:
    """Raise a `FormatError`, with the path, for a document of which only the size is known."""
    for place, document in enumerate(corpus.documents, 1):
        if document.size and not document.words:
            called = document_title(document, place)
            raise FormatError(f"{called} has a size, but no words; give the texts (--texts)", path)
