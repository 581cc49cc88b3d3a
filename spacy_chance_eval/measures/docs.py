"""spaCy's documents: what `Spans` are made of. spaCy is not imported: Docs are asked themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .arrays import Array, BoolArray, IntArray, distinct
from .messages import listed, quoted

Doc: TypeAlias = Any  # a `spacy.tokens.Doc`
Example: TypeAlias = Any  # a `spacy.training.Example`
DocSpan: TypeAlias = Any  # a `spacy.tokens.Span`

ATTRIBUTES = ("ORTH", "ENT_IOB", "ENT_TYPE", "SENT_START")
IN, BEGIN = 1, 3  # values of ENT_IOB; 2 is out, 0 missing
ROW = np.dtype([("doc", np.int64), ("start", np.int64), ("end", np.int64), ("label", np.uint64)])


class Columns(NamedTuple):
    """Parts of `Spans`: the spans of one layer, those that fit no tokens, and the rest."""

    rows: Array  # of `ROW`, with hashed labels
    unplaced: Array  # the same
    fields: dict[str, Any]  # keyword arguments of `Spans`


def columns_of_docs(docs: Sequence[Doc], layer: str, *, role: str) -> Columns:
    """The columns of a layer of some Docs; the arguments are those of `Spans.from_docs`."""
    if role not in ("gold", "pred"):
        raise ValueError(f"role is {quoted(role)}; expected gold or pred")
    _check_all(docs, is_doc, "Docs")
    if layer != "ents" and docs and not any(_group_key(layer) in doc.spans for doc in docs):
        groups = sorted({f"spans:{key}" for doc in docs for key in doc.spans})
        raise ValueError(
            f"no document has the layer {quoted(layer)}; available: {listed(['ents', *groups])}"
        )
    tokens = DocTokens(docs)
    rows = tokens.rows(layer)
    if role == "pred":
        fields: dict[str, Any] = {"names": names_of_docs(docs)}
    else:
        fields = tokens.gold_fields(layer)
        rows = rows[fields["seen"][rows["doc"]]]
    fields |= {"words": tokens.words(), "sizes": tokens.sizes}
    return Columns(rows, rows[:0], fields)


def columns_of_examples(
    examples: ReadExamples,
    gold_layer: str,
    pred_layer: str,
    *,
    words: bool,
    filtered: bool,
) -> tuple[Columns, Columns]:
    """The columns of gold and prediction of some Examples, both on the gold tokens."""
    golds, preds = examples.golds, examples.preds
    fields = golds.gold_fields(gold_layer)
    seen = fields["seen"]
    gold_rows = golds.rows(gold_layer, filtered)
    gold_rows = gold_rows[seen[gold_rows["doc"]]]
    pred_rows = preds.rows(pred_layer, filtered)
    pred_rows = pred_rows[seen[pred_rows["doc"]]]
    ents = gold_layer == "ents"
    pred_rows, unplaced = _on_gold_tokens(pred_rows, examples, ents)
    if words:
        fields["words"] = golds.words()
    fields["sizes"] = golds.sizes
    return Columns(gold_rows, unplaced[:0], fields), Columns(pred_rows, unplaced, fields)


class ReadExamples(list[Example]):
    """Examples whose tokens are read once, for all layers and for spaCy's own scores."""

    @cached_property
    def golds(self) -> DocTokens:
        """The tokens of the references."""
        _check_all(self, is_example, "Examples")
        return DocTokens([one.reference for one in self])

    @cached_property
    def preds(self) -> DocTokens:
        """The tokens of the predictions."""
        _check_all(self, is_example, "Examples")
        return DocTokens([one.predicted for one in self])

    @cached_property
    def same(self) -> BoolArray:
        """Whether gold and prediction of each document have the same tokens."""
        return self.preds.same_as(self.golds)


class DocTokens:
    """The tokens of some Docs as columns: made by one call per Doc, as that is what takes time."""

    def __init__(self, docs: Sequence[Doc]) -> None:
        self.docs = docs
        self._groups: dict[tuple[str, bool], tuple[BoolArray, Array]] = {}
        # names of attributes are symbols, which every vocabulary has: looked up once, not per Doc
        attributes = [doc.vocab.strings[name] for doc in docs[:1] for name in ATTRIBUTES]
        tables = [doc.to_array(attributes) for doc in docs]
        self.sizes = np.array(list(map(len, tables)), np.int64)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        table = np.concatenate(tables) if tables else np.zeros((0, 4), np.uint64)
        self.orth, self.iob, self.type, self.sent_start = table.reshape(-1, 4).T
        self.first = np.zeros(len(table), bool)  # tokens that begin a document
        self.first[self.offsets[:-1][self.sizes > 0]] = True

    def have_ents(self) -> BoolArray:
        """Whether each document has entity annotation (`Doc.has_annotation`; empty ones do)."""
        have: BoolArray = (self.sizes == 0) | self.any(self.iob != 0)
        return have

    def gold_fields(self, layer: str) -> dict[str, Any]:
        """The keyword arguments of `Spans` that gold provides besides the spans of a layer."""
        ents = layer == "ents"
        return {
            "seen": self.have(layer),
            "stretches": _token_stretches(self, ents),
            # those of one token are annotated
            "sentences": (self.sizes < 2) | self.any((self.sent_start != 0) & ~self.first),
            "names": names_of_docs(self.docs),
        }

    def words(self) -> list[str]:
        """The words of all documents."""
        return [token.text for doc in self.docs for token in doc]

    def have_gaps(self, rows: Array) -> BoolArray:
        """Whether some token of each row has no entity annotation."""
        n_missing = np.append(0, np.cumsum(self.iob == 0))
        first = self.offsets[rows["doc"]]
        have: BoolArray = n_missing[first + rows["end"]] > n_missing[first + rows["start"]]
        return have

    def any(self, marks: BoolArray) -> BoolArray:
        """Whether any token of each document is marked."""
        count = np.concatenate([[0], np.cumsum(marks)])
        some: BoolArray = count[self.offsets[1:]] > count[self.offsets[:-1]]
        return some

    def have(self, layer: str) -> BoolArray:
        """Whether each document has annotation of a layer."""
        return self.have_ents() if layer == "ents" else self._group(layer, False)[0]

    def rows(self, layer: str, filtered: bool = False) -> Array:
        """Distinct spans of a layer, as an array of `ROW`."""
        return self.ent_rows if layer == "ents" else self._group(layer, filtered)[1]

    def _group(self, layer: str, filtered: bool) -> tuple[BoolArray, Array]:
        """Whether each document has a span group, and its distinct spans."""
        found = self._groups.get((layer, filtered))
        if found is None:
            key, have = _group_key(layer), np.zeros(len(self.docs), bool)
            rows: list[tuple[int, int, int, int]] = []
            for i, doc in enumerate(self.docs):
                groups = doc.spans
                if key not in groups:
                    continue
                have[i] = True
                group = _without_overlaps(groups[key]) if filtered else groups[key]
                rows += {(i, span.start, span.end, span.label) for span in group}
            found = self._groups[layer, filtered] = have, np.array(rows, ROW)
        return found

    @cached_property
    def ent_rows(self) -> Array:
        """The entities; each begins with a B token of some type and goes on while tokens are I."""
        border = (self.iob != IN) | self.first
        border = np.append(np.flatnonzero(border), len(border))
        start = np.flatnonzero((self.iob == BEGIN) & (self.type != 0))
        doc = np.searchsorted(self.offsets, start, "right") - 1
        rows = np.empty(len(start), ROW)
        rows["doc"], rows["start"], rows["label"] = doc, start - self.offsets[doc], self.type[start]
        rows["end"] = border[np.searchsorted(border, start, "right")] - self.offsets[doc]
        return rows

    def proper_ents(self) -> bool:
        """Whether each token inside an entity follows one of it: else spaCy has no entities."""
        inside = (self.iob == IN) | (self.iob == BEGIN) & (self.type != 0)
        follows = np.append(False, inside[:-1])[: len(inside)] & ~self.first
        return bool(follows[self.iob == IN].all())

    def same_as(self, other: DocTokens) -> BoolArray:
        """Whether each document has the same tokens as in the other columns."""
        same: BoolArray = self.sizes == other.sizes
        doc = np.repeat(np.flatnonzero(same), self.sizes[same])
        mine, theirs = (one.orth[np.repeat(same, one.sizes)] for one in (self, other))
        same[doc[mine != theirs]] = False
        return same


def is_doc(given: object) -> bool:
    """Whether something is a Doc of spaCy's, by its attributes."""
    return all(hasattr(given, name) for name in ("spans", "to_array", "user_data"))


def is_example(given: object) -> bool:
    """Whether something is an Example of spaCy's, by its attributes."""
    return hasattr(given, "reference") and hasattr(given, "predicted")


def _check_all(given: Sequence[object], is_one: Callable[[object], bool], kind: str) -> None:
    """Raise ValueError for a list of anything but Docs, or Examples."""
    if all(map(is_one, set(map(type, given)))):  # classes have what their objects have
        return
    for number, one in enumerate(given, 1):
        if not is_one(one):
            raise ValueError(
                f"document {number} is {quoted(one)}; expected a list of {kind}, also of one alone "
                "(tags: Spans.from_tags, Docs: Spans.from_docs, Examples: Spans.from_examples)"
            )


def check_layer(layer: object) -> None:
    """Raise for anything but "ents" and "spans:KEY"."""
    group = isinstance(layer, str) and layer.startswith("spans:") and layer != "spans:"
    if layer != "ents" and not group:
        raise ValueError(f'unknown layer {quoted(layer)}; expected "ents" or "spans:KEY"')


def _group_key(layer: str) -> str:
    """The name of a span group from the name of its layer."""
    check_layer(layer)
    return layer.removeprefix("spans:")


def _on_gold_tokens(rows: Array, examples: ReadExamples, ents: bool) -> tuple[Array, Array]:
    """Predicted rows on the gold tokens, and the rows that do not fit them.

    A row fits if its tokens are aligned to gold tokens that are aligned to just these. An entity
    that touches a gold token without annotation is neither right nor wrong, and left out.
    """
    golds, same = examples.golds, examples.same[rows["doc"]]
    others = rows[~same]
    docs = distinct(others["doc"])
    number = np.searchsorted(docs, others["doc"])
    alignments = [examples[doc].alignment for doc in docs.tolist()]
    moved = aligned_rows(others, [one.x2y for one in alignments], number)
    back = aligned_rows(moved, [one.y2x for one in alignments], number)
    fits = (moved["end"] > moved["start"]) & (back == others)
    counts = ~(ents & golds.have_gaps(moved))
    return distinct(rows[same], moved[fits & counts]), others[~fits & counts]


def aligned_rows(rows: Array, alignments: Sequence[Any], number: IntArray) -> Array:
    """Rows on the tokens that theirs are aligned to, from the first to the last; empty if none are.

    `alignments` are an `AlignmentArray` of spaCy's for each document, `number` has that of a row.
    """
    found: Array = rows.copy()
    found["start"] = found["end"] = 0
    some = rows["end"] > rows["start"]
    if not some.any():
        return found
    tokens, data = (
        np.cumsum([0, *(len(getattr(one, name)) for one in alignments)])[number[some]]
        for name in ("starts", "data")
    )
    starts, ends, others = (
        np.concatenate([getattr(one, name) for one in alignments])
        for name in ("starts", "ends", "data")
    )
    first = data + starts[tokens + rows["start"][some]]
    last = data + ends[tokens + rows["end"][some] - 1] - 1
    some[some] = has = first <= last
    found["start"][some], found["end"][some] = others[first[has]], others[last[has]] + 1
    return found


def _token_stretches(golds: DocTokens, ents: bool) -> IntArray:
    """Rows (doc, start, end) of the tokens with annotation, divided at the sentences."""
    present = golds.iob != 0 if ents else np.ones(len(golds.iob), bool)
    cut = np.append(golds.first | (golds.sent_start == 1), True)
    cut[1:-1] |= present[1:] != present[:-1]
    border = np.flatnonzero(cut)
    start, end = border[:-1], border[1:]
    start, end = start[present[start]], end[present[start]]
    doc = np.searchsorted(golds.offsets, start, "right") - 1
    return np.column_stack([doc, start - golds.offsets[doc], end - golds.offsets[doc]])


def names_of_docs(docs: Sequence[Doc]) -> list[str] | None:
    """Names that documents carry as `user_data["name"]`, if all do and no two alike; else None."""
    names = []
    for doc in docs:
        name = doc.user_data.get("name")
        if not isinstance(name, str):
            return None
        names.append(str(name))  # numpy's texts are of a type of their own
    return names if len(set(names)) == len(names) else None


def label_names(hashes: Array, docs: Iterable[Doc]) -> list[str]:
    """Texts of hashed labels, each from the string store of the first document that knows it."""
    names: dict[int, str] = {}
    wanted, known = set(hashes.tolist()), None
    for doc in docs:
        if not wanted:
            break
        if doc.vocab is not known:
            known = doc.vocab
            names |= {key: known.strings[key] for key in wanted if key in known.strings}
            wanted -= names.keys()
    return [names[key] for key in hashes.tolist()]


def _without_overlaps(group: Iterable[DocSpan]) -> list[DocSpan]:
    """The longest spans, of those as long the first, by label, that share no token."""
    kept: list[DocSpan] = []
    taken: set[int] = set()
    for span in sorted(group, key=lambda one: (one.start - one.end, one.start, one.label_)):
        tokens = range(span.start, span.end)
        if taken.isdisjoint(tokens):
            kept.append(span)
            taken.update(tokens)
    return kept
