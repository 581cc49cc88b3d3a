"""`Spans`: one annotator's labelled spans in a corpus, as columns of integers."""

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, BoolArray, Index, IntArray, KeyArray, distinct, stable_order
from .fragments import (
    Pieces,
    check_hulls,
    fragment_column,
    fragment_ranks,
    joined_columns,
    joined_pieces,
    used_column,
)
from .messages import quoted
from .tags import (
    SCHEMES,
    UNSEEN,
    Span,
    check_tags,
    detect_scheme,
    lengths_of_tags,
    spans_of_tags,
    tags_of_scheme,
)
from .tuples import DICTS, ROWS, raise_for
from .words import ByteWords, joined_words

if TYPE_CHECKING:
    from .chance.expectation import Cells
    from .docs import Columns


ANY_LABEL = "*"  # the label of all spans where labels are ignored
GOLD_TOKENS = "gold_tokens"  # in signatures: spans of other tokens were carried over to these


class Copy(NamedTuple):
    """A further annotation of a place and label that are annotated already.

    Parameters
    ----------
    features : mapping
        Its further attributes.
    counted : bool
        Whether it counts by itself even if the features that a measure looks at are the same.
    """

    features: Mapping[str, object]
    counted: bool = False


@dataclass(frozen=True, eq=False, init=False)
class Spans:
    """The labelled spans that one annotator marked in a corpus.

    A span is a half-open interval of tokens (or characters) `start <= t < end` of a document, or
    several of these: its `fragments`. Rows are kept in the order (doc, start, end, label,
    fragments), so that the order of the input never matters.
    Columns are checked when `Spans` are made, and trusted afterwards.

    Parameters
    ----------
    doc, start, end, label : integer array_like of shape (n_spans,)
        Columns; `label` indexes `labels`.
    sizes : integer array_like of shape (n_docs,)
        Length of each document.
    labels : sequence of str
        The names of the labels, each once.
    seen : boolean array_like of shape (n_docs,), optional
        Whether the annotator worked on the document. Not seen is not the same as empty.
    unplaced : integer array_like of shape (n_unplaced, 3), optional
        Rows (doc, label, length): spans that do not fit the tokens of the corpus. They match
        nothing, but count as marked.
    stretches : integer array_like of shape (n_stretches, 3), optional
        Rows (doc, start, end): the tokens that carry annotation, cut at sentence boundaries.
        Stretches that touch are sentences of one text; tokens between others are missing. Without
        it every document is one stretch.
    sentences : boolean array_like of shape (n_docs,), optional
        Whether the sentences of a document are known; by default if `stretches` are given.
    words : sequence of str, optional
        All tokens of the corpus, one document after the other.
    names : sequence of str, optional
        One per document, all different.
    features : sequence of mappings, optional
        One per span: its further attributes, such as GATE's features.
    copies : sequence of sequences of Copy, optional
        One per span: further annotations of the same place and label. GATE's measures count those,
        all others count the span once.
    fragments : sequence of (sequence of (start, end), or None), optional
        One per span: the pieces of a discontinuous span, two or more, in order, apart from each
        other, the first beginning at `start` and the last ending at `end`; None for a span of one
        piece. The column is None if no span is discontinuous.

    Raises
    ------
    ValueError
        For an empty, reversed or duplicate span, one outside its document, an unknown label, pieces
        that do not make up their span, or columns that are no integers.
    """

    doc: IntArray
    start: IntArray
    end: IntArray
    label: IntArray
    sizes: IntArray
    labels: tuple[str, ...]
    seen: BoolArray
    unplaced: IntArray
    stretches: IntArray
    sentences: BoolArray
    words: Sequence[str] | None
    names: Sequence[str] | None
    features: Array | None
    copies: Array | None
    fragments: Array | None
    # set by `align`, one object for all that are aligned with each other
    partner: object = field(default=None, init=False, repr=False)
    # set by what reads annotation: how it was read, for signatures
    facts: Mapping[str, str] = field(init=False, repr=False)
    # set by `prepared`, with the place in the pair
    prepared: "tuple[Cells, int] | None" = field(default=None, init=False, repr=False)

    def __init__(
        self,
        doc: ArrayLike,
        start: ArrayLike,
        end: ArrayLike,
        label: ArrayLike,
        sizes: ArrayLike,
        labels: Iterable[str],
        seen: ArrayLike | None = None,
        unplaced: ArrayLike | None = None,
        stretches: ArrayLike | None = None,
        sentences: ArrayLike | None = None,
        words: Iterable[str] | None = None,
        names: Iterable[str] | None = None,
        features: Sequence[Mapping[str, object]] | Array | None = None,
        copies: Sequence[Sequence[Copy]] | Array | None = None,
        fragments: Sequence[Sequence[Sequence[int]] | None] | Array | None = None,
    ) -> None:
        columns: dict[str, Array] = {
            "doc": integers("doc", doc),
            "start": integers("start", start),
            "end": integers("end", end),
            "label": integers("label", label),
        }
        if features is not None:
            columns["features"] = object_column([dict(one) for one in features])
        if copies is not None:
            columns["copies"] = object_column([tuple(some) for some in copies])
        if fragments is not None and (pieces := fragment_column(fragments)) is not None:
            columns["fragments"] = pieces
        sizes = integers("sizes", sizes)
        n_docs = len(sizes)
        if sentences is None:
            sentences = np.full(n_docs, stretches is not None)
        if stretches is None:
            some = np.flatnonzero(sizes)
            stretches = np.column_stack([some, np.zeros_like(some), sizes[some]])
        self.__dict__.update(
            columns,
            sizes=sizes,
            labels=tuple(labels),
            seen=np.asarray(np.ones(n_docs) if seen is None else seen, bool).reshape(-1),
            unplaced=sorted_rows(() if unplaced is None else unplaced),
            stretches=sorted_rows(stretches),
            sentences=np.asarray(sentences, bool),
            words=words if words is None or isinstance(words, ByteWords) else tuple(words),
            names=names if names is None or isinstance(names, Places) else tuple(names),
            features=columns.get("features"),
            copies=columns.get("copies"),
            fragments=columns.get("fragments"),
            facts={},
        )
        _check(self)
        self.__dict__.update(sorted_columns(columns))
        _check_unique(self)

    @classmethod
    def from_tuples(
        cls,
        documents: Sequence[Sequence[tuple[int, int, str]] | None],
        sizes: ArrayLike,
        labels: Iterable[str] | None = None,
        **columns: Any,
    ) -> "Spans":
        """Spans from a list of (start, end, label) for each document.

        Parameters
        ----------
        documents : sequence of sequences of (int, int, str)
            None stands for a document that the annotator has not seen.
        sizes : integer array_like of shape (n_docs,)
            Length of each document.
        labels : iterable of str, optional
            All labels; by default those that occur, sorted.
        **columns
            Others of `Spans`; by default, documents that are not None are `seen`. `features`,
            `copies` and `fragments` have a sequence for each document.

        Raises
        ------
        ValueError
            For a label that is not in `labels`, and where `Spans` raises it.

        Examples
        --------
        >>> spans = Spans.from_tuples([[(0, 2, "PER")], None], sizes=[9, 4])
        >>> spans.labels, spans.seen.tolist()
        (('PER',), [True, False])
        """
        try:
            rows = [(d, *span) for d, spans in enumerate(documents) for span in spans or ()]
            used = {label for _, _, _, label in rows}
            numbers = not any(issubclass(kind, str) for kind in {type(row[1]) for row in rows})
        except (TypeError, ValueError):
            numbers = False
        if not numbers or not all(isinstance(label, str) for label in used):
            raise_for(documents, ROWS)
        known = sorted(used) if labels is None else list(labels)
        index = {name: i for i, name in enumerate(known)}
        unknown = sorted(used - set(known))
        if unknown:
            raise ValueError(f"unknown label {quoted(unknown[0])}; expected one of {known}")
        if len(documents) != np.size(sizes):
            raise ValueError(
                f"{len(documents)} documents, but {np.size(sizes)} sizes; expected the length of "
                "each document, in the same order"
            )
        doc, start, end, label = zip(*rows) if rows else ((), (), (), ())
        for name in OBJECTS:
            if columns.get(name) is not None:
                columns[name] = [one for some in columns[name] for one in some or ()]
        if columns.get("seen") is None:
            columns["seen"] = [spans is not None for spans in documents]
        return cls(doc, start, end, [index[name] for name in label], sizes, known, **columns)

    @classmethod
    def from_dicts(
        cls,
        documents: Sequence[Sequence[Mapping[str, Any]] | None],
        sizes: ArrayLike,
        labels: Iterable[str] | None = None,
        **columns: Any,
    ) -> "Spans":
        """Spans from a list of {"start": ..., "end": ..., "label": ...} for each document.

        A discontinuous span has the key "fragments" instead of "start" and "end": a list of its
        pieces [start, end]. Pieces that touch are joined.

        Parameters
        ----------
        documents : sequence of sequences of mappings
            The end is exclusive. Other keys are ignored. None stands for a document that the
            annotator has not seen.
        sizes : integer array_like of shape (n_docs,)
            Length of each document, in what `start` and `end` count: tokens or characters.
        labels : iterable of str, optional
            All labels; by default those that occur, sorted.
        **columns
            Others of `Spans`, such as words and names.

        Raises
        ------
        ValueError
            For a mapping without these keys, and where `from_tuples` raises it.

        Examples
        --------
        >>> spans = Spans.from_dicts([[{"start": 0, "end": 2, "label": "PER"}]], sizes=[9])
        >>> len(spans), spans.labels
        (1, ('PER',))
        >>> dicts = [{"fragments": [[0, 2], [5, 6]], "label": "ORG"}]
        >>> Spans.from_dicts([dicts], sizes=[9]).span_name(0)
        'ORG [0, 2) + [5, 6) in document 1'
        """
        try:
            rows = [
                None if spans is None else [span_of_dict(s) for s in spans] for spans in documents
            ]
        except (TypeError, KeyError, IndexError):
            raise_for(documents, DICTS)
        for doc, spans in enumerate(documents):
            for span in spans or ():
                if "token_start" in span:
                    raise ValueError(
                        f"document {doc + 1} has spans with both characters (start, end) and "
                        "tokens (token_start, token_end); score tokens: {'start': "
                        "s['token_start'], 'end': s['token_end'] + 1, 'label': s['label']}, or "
                        "read the file: read(FILE).spans(LAYER)"
                    )
        plain = [None if spans is None else [row[:3] for row in spans] for spans in rows]
        fragments = [[row[3] for row in spans or ()] for spans in rows]
        return cls.from_tuples(plain, sizes, labels, **columns, fragments=fragments)

    @classmethod
    def from_tags(
        cls,
        documents: Sequence[Sequence[str] | None],
        *,
        scheme: str = "auto",
        repair: str = "conlleval",
        sizes: ArrayLike | None = None,
        labels: Iterable[str] | None = None,
        words: Sequence[Sequence[str]] | None = None,
        names: Iterable[str] | None = None,
    ) -> "Spans":
        """Spans from a list of tags for each document: IOB1, IOB2, BIOES or BILUO.

        Parameters
        ----------
        documents : sequence of sequences of str
            O or PREFIX-LABEL, or - for a token that is not annotated. Each sequence is a document
            of its own, usually a sentence; no span crosses its boundary. None stands for a document
            that the annotator has not seen.
        scheme : "auto", "IOB1", "IOB2", "BIOES", "BILUO" or "BMES"
            By default the one that the tags belong to; IOB2 stands for both, which have the same
            spans but for `repair="drop"`.
        repair : "conlleval" or "drop"
            How to treat an improper tag, such as I-PER after O: by the rule of the conlleval script
            of CoNLL, it begins a span; or its span is ignored, as in seqeval's strict mode.
        sizes : integer array_like of shape (n_docs,), optional
            Length of each document; only needed for documents that are None.
        labels : iterable of str, optional
            All labels; by default those that occur, sorted.
        words : sequence of sequences of str, optional
            The tokens of each document.
        names : iterable of str, optional
            One per document, all different.

        Raises
        ------
        ValueError
            For anything but a list of lists of tags, tags of two schemes, and lengths that differ.

        Examples
        --------
        >>> spans = Spans.from_tags([["B-PER", "I-PER", "O"], ["O", "B-LOC"]])
        >>> spans.start.tolist(), spans.end.tolist(), spans.sizes.tolist()
        ([0, 1], [2, 2], [3, 2])
        """
        check_tags(documents)
        if scheme == "auto":
            scheme = detect_scheme(tags for tags in documents if tags is not None)
        rows: list[list[Span] | None] = []
        lengths = lengths_of_tags(documents, sizes, words)
        stretches: list[tuple[int, int, int]] = []  # between tokens that are not annotated
        for doc, tags in enumerate(documents):
            gaps = [i for i, tag in enumerate(() if tags is None else tags) if tag == UNSEEN]
            ends = zip([-1, *gaps], [*gaps, lengths[doc]])
            stretches += [(doc, start + 1, end) for start, end in ends if start + 1 < end]
            if tags is None or gaps and len(gaps) == len(tags):
                rows.append(None)
                continue
            plain = ["O" if tag == UNSEEN else tag for tag in tags] if gaps else tags
            found, _, wrong = spans_of_tags(plain, scheme=scheme, repair=repair)
            if wrong:
                raise ValueError(
                    f"document {doc + 1}, token {wrong[0] + 1}: {quoted(tags[wrong[0]])} is not a "
                    f"tag; {scheme} has {tags_of_scheme(scheme)}: correct the tag, or name another "
                    f"scheme: Spans.from_tags(tags, scheme=...) with one of {', '.join(SCHEMES)}"
                )
            rows.append(found)
        spans = cls.from_tuples(
            rows,
            lengths,
            labels,
            stretches=stretches,
            sentences=np.zeros(len(rows)),
            words=None if words is None else [word for tokens in words for word in tokens],
            names=names,
        )
        return trusted(spans, facts={"repair": repair})

    @classmethod
    def from_docs(
        cls,
        docs: Iterable[Any],
        layer: str = "ents",
        *,
        role: str = "gold",
    ) -> "Spans":
        """Spans from a list of spaCy's Docs.

        Parameters
        ----------
        docs : iterable of spacy.tokens.Doc
            Documents are named by `user_data["name"]`, if all have one.
        layer : str
            "ents" or "spans:KEY".
        role : "gold" or "pred"
            In gold, and of an annotator, a document without annotation is not seen, tokens with
            missing annotation are left out, and sentences are kept. A prediction leaves nothing
            out: a token that it does not mark is outside.

        Raises
        ------
        ValueError
            For an unknown layer, and a group that no document has.
        """
        from .docs import columns_of_docs  # not for those who have no Docs

        if not isinstance(docs, Iterable):
            raise ValueError(f"docs are {quoted(docs)}; expected a list of Docs")
        docs = list(docs)
        columns = columns_of_docs(docs, layer, role=role)
        return cls._of_columns([columns], docs)[0]

    @classmethod
    def from_examples(
        cls,
        examples: Iterable[Any],
        layer: str = "ents",
        pred_layer: str | None = None,
        *,
        words: bool = True,
        filtered: bool = False,
    ) -> "tuple[Spans, Spans]":
        """Gold and predicted spans from a list of spaCy's Examples, both on the gold tokens.

        A predicted span that does not begin and end where gold tokens do is unplaced: it still
        counts as predicted. One over gold tokens with missing annotation is ignored, as spaCy does.
        Repeated spans of a group are one. Documents without gold annotation are not seen.

        Parameters
        ----------
        examples : iterable of spacy.training.Example
            `reference` is gold, `predicted` the prediction.
        layer : str
            "ents" or "spans:KEY".
        pred_layer : str, optional
            The layer of the prediction; by default that of gold.
        words : bool
            Keep the gold words.
        filtered : bool
            Of overlapping spans of a group keep the longest, then the first, then the one whose
            label comes first in the alphabet.

        Raises
        ------
        ValueError
            For an unknown layer.
        """
        from .docs import ReadExamples, columns_of_examples  # not for those who have no Docs

        if not isinstance(examples, ReadExamples):
            examples = ReadExamples(examples)
        columns = columns_of_examples(
            examples, layer, pred_layer or layer, words=words, filtered=filtered
        )
        gold, pred = cls._of_columns(columns, [*examples.golds.docs, *examples.preds.docs])
        return gold, pred if examples.same.all() else trusted(pred, facts={"align": GOLD_TOKENS})

    @classmethod
    def _of_columns(cls, several: "Sequence[Columns]", docs: Sequence[Any]) -> "list[Spans]":
        """Spans with the same labels from rows with hashed labels, which some Docs know."""
        from .docs import label_names

        hashed = [rows["label"] for one in several for rows in (one.rows, one.unplaced)]
        hashes = distinct(*hashed)
        names = label_names(hashes, docs)
        labels = sorted(names)
        index = np.array([labels.index(name) for name in names], np.int64)
        spans = []
        for rows, unplaced, fields in several:
            label, label_2 = (
                index[np.searchsorted(hashes, table["label"])] for table in (rows, unplaced)
            )
            table = np.column_stack([unplaced["doc"], label_2, unplaced["end"] - unplaced["start"]])
            columns = rows["doc"], rows["start"], rows["end"], label
            spans.append(cls(*columns, labels=labels, unplaced=table, **fields))
        return spans

    def __len__(self) -> int:
        return len(self.doc)

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.sizes)

    @property
    def lengths(self) -> IntArray:
        """Length of each span."""
        return self.end - self.start

    @property
    def offsets(self) -> IntArray:
        """Corpus-wide position of the first token of each document, shape (n_docs + 1,)."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    def name(self, doc: int) -> str:
        """The name of a document in messages and tables.

        Parameters
        ----------
        doc : int
            Number of the document, from 0.
        """
        return self.names[doc] if self.names else f"document {doc + 1}"

    def span_name(self, row: int) -> str:
        """The name of a span in messages.

        Parameters
        ----------
        row : int
            Row of the span.
        """
        label = self.labels[self.label[row]]
        pieces = self.fragments is not None and self.fragments[row]
        pieces = pieces or [(self.start[row], self.end[row])]
        place = " + ".join(f"[{start}, {end})" for start, end in pieces)
        return f"{label} {place} in {self.name(self.doc[row])}"

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each span, with document, start, end and label, for a data frame.

        A document without spans has a row of None, one that was not seen none. Documents without
        names have their numbers, from 0. Words and features are left out.

        Raises
        ------
        ValueError
            For discontinuous and unplaced spans, which have no such row.

        Examples
        --------
        >>> from spacy_chance_eval import Spans
        >>> for row in Spans.from_tuples([[(0, 2, "PER")], [], None], sizes=[9, 4, 7]).records():
        ...     print(*row.values())
        0 0 2 PER
        1 None None None
        """
        if self.fragments is not None or len(self.unplaced):
            raise ValueError("discontinuous and unplaced spans have no rows of start and end")
        places = zip(self.start.tolist(), self.end.tolist(), self.label.tolist())
        found: list[list[tuple[Any, ...]]] = [[] for _ in range(self.n_docs)]
        for doc, (start, end, label) in zip(self.doc.tolist(), places):
            found[doc].append((start, end, self.labels[label]))
        return [
            dict(zip(("document", "start", "end", "label"), (name, *span)))
            for name, spans, seen in zip(self.names or range(self.n_docs), found, self.seen)
            for span in spans or [(None, None, None)] * int(seen)
        ]

    def columns(self) -> dict[str, Array]:
        """The columns with one entry per span, by name."""
        more = [name for name in OBJECTS if getattr(self, name) is not None]
        return {name: getattr(self, name) for name in ("doc", "start", "end", "label", *more)}

    def keep(self, rows: Index) -> "Spans":
        """The same corpus with the spans of a boolean or index array only.

        Parameters
        ----------
        rows : boolean or integer array
            Which spans are kept.
        """
        columns: dict[str, Array | None] = {
            name: column[rows] for name, column in self.columns().items()
        }
        return trusted(self, **columns | {"fragments": used_column(columns.get("fragments"))})

    def digest(self) -> str:
        """Eight hexadecimal digits of the annotation.

        They do not depend on words, names, labels without spans, or the order of documents and
        labels.
        """
        return digest_of(self.document_keys(), self.used_labels())

    def used_labels(self) -> list[str]:
        """Labels that have spans, sorted."""
        return sorted(self.labels[i] for i in distinct(self.label, self.unplaced[:, 1]))

    def n_sentences(self, docs: BoolArray) -> int | None:
        """Number of sentences in some documents; None if it is not known for all of them.

        Documents with missing tokens are not counted, as these divide sentences.

        Parameters
        ----------
        docs : boolean array of shape (n_docs,)
            The documents.
        """
        rows = self.stretches[docs[self.stretches[:, 0]]]
        whole = (rows[:, 2] - rows[:, 1]).sum() == self.sizes[docs].sum()
        return len(rows) if whole and self.sentences[docs].all() else None

    def feature_names(self) -> frozenset[str]:
        """Names of all features of any span, or of a further annotation of it."""
        names: set[str] = set() if self.features is None else set().union(*self.features)
        for copies in () if self.copies is None else self.copies:
            names.update(*(copy.features for copy in copies))
        return frozenset(names)

    def document_keys(
        self, *, by_name: bool = False, used: Sequence[str] | None = None
    ) -> KeyArray:
        """64 bits for each document that identify its annotation: shape (n_docs,).

        Parameters
        ----------
        by_name : bool
            Whether labels count by their names, so that keys of documents of different corpora can
            be compared; otherwise by their rank among the labels of the corpus.
        used : sequence of str, optional
            The labels of the corpus that have spans, sorted, if this is a part of it.
        """
        if by_name:
            ranks = [zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in self.labels]
        else:
            names = self.used_labels() if used is None else used
            place = {name: i for i, name in enumerate(names)}
            ranks = [place.get(name, 0) for name in self.labels]
        rank = np.array(ranks, np.int64)
        doc, label, length = self.unplaced.T
        keys = scrambled(2 * self.sizes + self.seen)
        np.add.at(keys, self.doc, scrambled(self.start, self.end, rank[self.label]))
        np.add.at(keys, self.stretches[:, 0], scrambled(*self.stretches[:, 1:].T, -1))
        np.add.at(keys, doc, scrambled(length, rank[label], -2, -2))
        for column, text, mark in (
            (self.features, lambda one: repr(sorted(one.items())), -3),
            (self.copies, _copies_text, -4),
            (self.fragments, repr, -5),
        ):
            # a span without them adds nothing: no document's key depends on other documents
            rows = np.flatnonzero([] if column is None else [bool(one) for one in column])
            texts = [] if column is None else [text(one).encode() for one in column[rows]]
            content = np.array([zlib.crc32(one) for one in texts], np.int64)
            places = self.start[rows], self.end[rows], rank[self.label[rows]]
            np.add.at(keys, self.doc[rows], scrambled(*places, content, mark))
        return scrambled(keys)


def _copies_text(copies: Sequence[Copy]) -> str:
    """Copies as a text that does not depend on their order."""
    return repr(sorted(repr((sorted(one.features.items()), one.counted)) for one in copies))


def digest_of(keys: KeyArray, used: Iterable[str]) -> str:
    """Eight hexadecimal digits of the keys of documents, in any order, and the labels used."""
    data = np.sort(keys).tobytes() + repr(list(used)).encode()
    return hashlib.sha256(data).hexdigest()[:8]


def scrambled(*columns: ArrayLike) -> KeyArray:
    """Rows of integers mixed to 64 bits, for sums that do not depend on order (splitmix64)."""
    mixed: KeyArray = np.zeros((), np.uint64)
    for column in columns:
        mixed = mixed + np.asarray(column).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return mixed


def integers(name: str, column: ArrayLike) -> IntArray:
    """A column as int64; ValueError, with its name, unless it holds whole numbers of 64 bits."""
    try:
        values = np.asarray(column).reshape(-1)
    except ValueError as error:  # of rows of several lengths
        raise ValueError(f"{name} must hold whole numbers, not lists of other lengths") from error
    if values.dtype.kind in "ib":
        return values.astype(np.int64)
    wrong = [one for one in values.tolist() if not _is_whole(one)]
    if wrong:
        shown = quoted(wrong[:3], 100)
        raise ValueError(f"{name} must hold whole numbers, not {shown}")
    return values.astype(np.int64)


def _is_whole(value: object) -> bool:
    """Whether a value is a whole number that int64 holds."""
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return bool(-(2**63) <= value < 2**63 and value == int(value))


def object_column(objects: Sequence[object]) -> Array:
    """Objects as a column."""
    column = np.empty(len(objects), object)
    column[:] = objects
    return column


def moved_pieces(fragments: Array, steps: IntArray) -> Array:
    """The pieces of spans, each span moved by its number of positions."""
    pairs = zip(fragments, steps.tolist())
    return object_column([own and tuple((a + by, b + by) for a, b in own) for own, by in pairs])


# columns of objects, and the values of spans without any
OBJECTS: dict[str, Any] = {"features": {}, "copies": (), "fragments": None}


def sorted_columns(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Columns of spans in the order (doc, start, end, label, fragments)."""
    keys = _keys_of(columns)
    if _are_sorted(keys):
        return dict(columns)
    order = stable_order(*keys)
    return {name: column[order] for name, column in columns.items()}


def _keys_of(columns: Mapping[str, Array]) -> list[IntArray]:
    """The columns that identify a span, as integers."""
    keys = [columns[name] for name in ("doc", "start", "end", "label")]
    fragments = columns.get("fragments")
    return keys if fragments is None else [*keys, fragment_ranks(fragments)]


def span_of_dict(span: Mapping[str, Any]) -> tuple[Any, Any, Any, Pieces | None]:
    """(start, end, label, pieces) of a mapping with start and end, or with fragments."""
    if "fragments" not in span or span["fragments"] is None:
        return span["start"], span["end"], span["label"], None
    start, end, pieces = joined_pieces(span["fragments"])
    if (span.get("start", start), span.get("end", end)) != (start, end):
        raise ValueError(
            f"a span has fragments {span['fragments']} and start {span.get('start')}, end "
            f"{span.get('end')}; leave out start and end"
        )
    return start, end, span["label"], pieces


def _are_sorted(keys: Sequence[IntArray]) -> bool:
    """Whether rows are in the order of their first, then second... number."""
    undecided = np.arange(max(len(keys[0]) - 1, 0))
    for key in keys:
        one, two = key[undecided], key[undecided + 1]
        if (one > two).any():
            return False
        undecided = undecided[one == two]
    return True


def sorted_rows(rows: ArrayLike) -> IntArray:
    """An (n, 3) table of integers, its rows in lexicographic order."""
    rows = np.asarray(rows, np.int64)
    if rows.shape[1:] != (3,):
        rows = rows.reshape(-1, 3)
    if _are_sorted(list(rows.T)):
        return rows
    return rows[np.lexsort(rows.T[::-1])]


def trusted(spans: Spans, **columns: object) -> Spans:
    """A copy with other columns, without checks: for spans that are known to be right."""
    copy = object.__new__(Spans)
    copy.__dict__.update({**spans.__dict__, "prepared": None, **columns})
    return copy


def without_labels(spans: Spans) -> Spans:
    """The spans with one label for all, "*"; those of several labels at one place are one span.

    Unplaced spans, of which no place is known, all stay.

    Examples
    --------
    >>> spans = Spans.from_tuples([[(0, 2, "ORG"), (0, 2, "PER"), (3, 4, "LOC")]], [5])
    >>> without_labels(spans).start.tolist(), without_labels(spans).labels
    ([0, 3], ('*',))
    """
    if spans.labels == (ANY_LABEL,):
        return spans
    table = np.zeros(len(spans.labels), np.int64)
    return trusted(recoded(spans, table), labels=(ANY_LABEL,))


def recoded(spans: Spans, table: IntArray) -> Spans:
    """The spans with other codes of labels, by the old ones; equal ones are one span."""
    columns = sorted_columns({**spans.columns(), "label": table[spans.label]})
    rows = np.stack(_keys_of(columns), axis=1)
    new = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))[: len(rows)]
    doc, label, length = spans.unplaced.T
    unplaced = sorted_rows(np.stack([doc, table[label], length], axis=1))
    return trusted(
        spans, unplaced=unplaced, **{name: column[new] for name, column in columns.items()}
    )


@dataclass(frozen=True)
class Places(Sequence[str]):
    """Names of documents by number, for a part of a corpus after its `first` documents."""

    first: int
    n_docs: int

    def __len__(self) -> int:
        return self.n_docs

    def __getitem__(self, doc: int) -> str:  # type: ignore[override]  # nobody takes slices
        return f"document {self.first + range(self.n_docs)[doc] + 1}"


def columns_of(parts: Sequence[Spans], objects: Iterable[str] = OBJECTS) -> dict[str, Array]:
    """The columns of several `Spans`, one after the other; of `objects` those that any has."""
    columns = {
        name: np.concatenate([getattr(one, name) for one in parts])
        for name in ("doc", "start", "end", "label")
    }
    for name in objects:
        given = ((getattr(one, name), len(one)) for one in parts)
        if (column := joined_columns(given, OBJECTS[name])) is not None:
            columns[name] = column
    return columns


def concatenated(parts: Sequence[Spans]) -> Spans:
    """One annotator's spans in several corpora with the same labels, one after the other."""
    first = np.cumsum([0, *(one.n_docs for one in parts[:-1])])
    columns: dict[str, object] = dict.fromkeys(OBJECTS)
    columns |= columns_of(parts)
    for name in ("sizes", "seen", "sentences"):
        columns[name] = np.concatenate([getattr(one, name) for one in parts])
    columns["doc"] = np.concatenate([one.doc + shift for one, shift in zip(parts, first)])
    for name in ("stretches", "unplaced"):
        shifted = [getattr(one, name) + [shift, 0, 0] for one, shift in zip(parts, first)]
        columns[name] = np.concatenate(shifted)
    words = [one.words for one in parts if one.words is not None]
    columns["words"] = joined_words(words) if len(words) == len(parts) else None
    names = [one.names for one in parts if one.names is not None]
    columns["names"] = tuple(chain.from_iterable(names)) if len(names) == len(parts) else None
    return trusted(parts[0], partner=None, **columns)


def _check(spans: Spans) -> None:
    """Raise ValueError for columns that cannot describe annotation."""
    n_docs = spans.n_docs
    by_document: list[Sized] = [spans.seen, spans.sentences, spans.names or spans.sizes]
    if any(len(column) != n_docs for column in by_document):
        raise ValueError(f"seen, sentences and names need one entry per document ({n_docs})")
    names = () if isinstance(spans.names, Places) else spans.names
    if names and len(set(names)) < n_docs:
        raise ValueError("names of documents must differ from each other")
    if spans.words is not None and len(spans.words) != spans.sizes.sum():
        raise ValueError(f"{len(spans.words)} words for {spans.sizes.sum()} tokens")
    columns = spans.columns()
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError(f"{', '.join(columns)} must have one entry per span each")
    if len(set(spans.labels)) < len(spans.labels):
        raise ValueError(f"labels must differ from each other: {list(spans.labels)}")
    _check_numbers(spans.doc, n_docs, "document")
    _check_numbers(spans.label, len(spans.labels), "label")
    _check_numbers(spans.unplaced[:, 0], n_docs, "document of an unplaced span")
    _check_numbers(spans.unplaced[:, 1], len(spans.labels), "label of an unplaced span")
    if (spans.unplaced[:, 2] < 1).any():
        raise ValueError("an unplaced span has no length; expected rows (doc, label, length >= 1)")
    wrong = (spans.start < 0) | (spans.end <= spans.start) | (spans.end > spans.sizes[spans.doc])
    if wrong.any():
        row = np.flatnonzero(wrong)[0]
        raise ValueError(
            f"{spans.span_name(row)} is empty, reversed or outside its document of "
            f"{spans.sizes[spans.doc[row]]} positions; expected 0 <= start < end <= size, with an "
            "exclusive end"
        )
    check_hulls(spans)
    _check_numbers(spans.stretches[:, 0], n_docs, "document of a stretch")
    doc, start, end = spans.stretches.T
    bad = (start < 0) | (end <= start) | (end > spans.sizes[doc])
    if bad.any() or ((doc[1:] == doc[:-1]) & (start[1:] < end[:-1])).any():
        raise ValueError("stretches must not be empty, overlap or leave their document")


def _check_numbers(column: IntArray, size: int, what: str) -> None:
    """Raise ValueError for a number that nothing has."""
    if len(column) and (column.min() < 0 or column.max() >= size):
        raise ValueError(f"{what} outside 0..{size - 1}")


def _check_unique(spans: Spans) -> None:
    """Raise ValueError for a duplicate span (the rows are in order)."""
    rows = np.column_stack(_keys_of(spans.columns()))
    twice = np.flatnonzero((rows[1:] == rows[:-1]).all(axis=1))
    if len(twice):
        raise ValueError(f"{spans.span_name(twice[0])} is duplicated; remove the duplicate")


def overlapping_pairs(first: Spans, second: Spans) -> tuple[IntArray, IntArray]:
    """Pairs of spans of one label that share a token: their rows in either, two index arrays.

    Sorted by position, a span can only meet those that begin before its end and are not preceded by
    a running maximum of ends that lies before its start: near-linear unless many spans overlap.
    """
    plane = first.sizes.sum() + 1
    base = [s.label * plane + s.offsets[s.doc] for s in (first, second)]
    start_1, end_1 = base[0] + first.start, base[0] + first.end
    order = np.argsort(base[1] + second.start, kind="stable")
    start_2, end_2 = (base[1] + second.start)[order], (base[1] + second.end)[order]
    low = np.searchsorted(np.maximum.accumulate(end_2) if len(end_2) else end_2, start_1, "right")
    high = np.searchsorted(start_2, end_1, "left")
    i, j = expanded(low, np.maximum(high, low))
    touch = end_2[j] > start_1[i]
    return i[touch], order[j[touch]]


def merge_sorted(columns: Sequence[IntArray]) -> IntArray:
    """All numbers of some columns, ascending; fast if each column is in order, or nearly."""
    return np.sort(np.concatenate(columns), kind="stable")


def expanded(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """All (row, value) with low[row] <= value < high[row], as two arrays."""
    counts = high - low
    row = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(low - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    return row, first + np.arange(len(row))
