"""Annotation without a place in a format: it is removed from a corpus before writing, and counted.

`TARGETS` lists the content of each format. Writing the reduced corpus and reading that again gives
the reduced corpus.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, NamedTuple

from ..measures.messages import counted, quoted
from .columns import KEYS
from .conll_bytes import DOCSTART, FACT
from .corpus import Corpus, Document, Span, Stretch, unique_names
from .documents import SEEN, document_in_order
from .errors import FormatError, PathLike, known
from .prodigy import SPAN_KEYS
from .rows import CATEGORIES, borders_in_text, is_json
from .sniffing import TAGS, WORDS
from .texts import join_words, simple_values

MAIN = ("spans", "gold", "ents")  # layers that files of one layer are about
KINDS = {  # of losses: (one|several)
    "bare": "{n} (document|documents) without text or tokens",
    "lines": "{n} (token|tokens) that columns cannot hold, written as _",
    "sentences": "the sentences of {n} (document|documents)",
    "borders": "{n} (sentence boundary in a span|sentence boundaries in spans)",
    "attributes": "{n} (attribute of a document|attributes of documents)",
    "features": "{n} (feature of a span|features of spans)",
    "categories": "the categories of {n} (document|documents)",
    "missing": "{n} (stretch|stretches) without annotation",
    "unplaced": "{n} unplaced (span|spans)",
    "copies": "{n} further (annotation of a span|annotations of spans)",
    "fragments": "{n} discontinuous (span|spans)",
    "overlaps": "{n} overlapping (span|spans)",
    "gaps": "{n} (span|spans) over positions not annotated",
}
OF_SPANS = ("unplaced", "fragments", "overlaps", "gaps")  # without them spans are others


def _json(*taken: str) -> Callable[[str, Any], bool]:
    """Whether JSON gives a value back as it is, under a name that is free."""
    return lambda name, value: type(name) is str and name not in taken and is_json(value)


def _nothing(name: str, value: Any) -> bool:
    return False


class Target(NamedTuple):
    """Annotation that a format can hold beside labels: all write spans, and JSONL all of them."""

    tokens: bool  # whether it needs tokens, and spans that do not overlap
    categories: str = "none"  # how many layers of them: "all", "one" or "none"
    # where positions without annotation are held: in "all", in "layers", in the "main" one, "none"
    missing: str = "none"
    sentences: bool = True
    attributes: Callable[[str, Any], bool] = _nothing  # whether it holds a value under a name
    features: Callable[[str, Any], bool] = _nothing


TARGETS = {
    "jsonl": Target(False, "all", "all", True, _json(*KEYS), _json()),
    "conll": Target(True, missing="layers"),
    "tagged": Target(True, sentences=False, attributes=_json(*KEYS, *TAGS, *WORDS)),
    "prodigy": Target(False, "none", "none", False, _json("document"), _json(*SPAN_KEYS)),
    "spacy": Target(
        True, "one", "main",
        attributes=lambda name, value: name != "name" and bool(simple_values({name: value})),
    ),
}  # fmt: skip


def reduced(
    corpus: Corpus, to: str, path: PathLike, *, layer: str | None = None, main: str | None = None
) -> tuple[Corpus, Counter[str]]:
    """(the corpus without annotation that a format cannot hold, the amount of each kind removed).

    `layer` is the only one to write, `main` that which becomes the entities of `.spacy`. If nothing
    is left to write, or a label or layer cannot be named, that is an error.
    """
    if TARGETS[to].tokens and corpus.positions == "char":
        raise FormatError(f"{to} needs tokens; --read tokenizer=LANG makes some of texts", path)
    part = _Reduction(corpus, to, layer, main)
    if to == "jsonl" and _holds_all(corpus):
        return corpus, Counter()
    documents = [part.document(one) for one in corpus.documents if part.has_content(one)]
    documents = [one if name == one.name else replace(one, name=name)
                 for one, name in zip(documents, _names(documents, to))]  # fmt: skip
    made = replace(corpus, documents=documents)
    if to == "conll":  # a layer without any tag was not annotated
        seen = [name for name, one in made.table.layers.items() if (one.state == SEEN).any()]
        if len(seen) < len(made.layer_names):
            made = replace(made, documents=made.table.with_layers({name: name for name in seen}))
    annotated = corpus.layer_names or corpus.category_layers or to == "conll"
    if not documents or annotated and not (made.layer_names or made.category_layers):
        lost = ", ".join(sentences(part.lost)) or "documents without annotation"
        raise FormatError(f"nothing is left to write: {to} cannot hold {lost}", path)
    labels = {label for one in made.table.layers.values() for label in one.used_labels()}
    for what, names in (("label", labels), ("layer", {*made.layer_names})):
        for name in names:
            if not name or to == "conll" and re.search(r"[\t\n\r]|^ | $", name):
                raise FormatError(f"{to} cannot hold the {what} {quoted(name)}; rename it", path)
    return made, +part.lost


def _holds_all(corpus: Corpus) -> bool:
    """Whether JSONL holds a corpus of tokens as it is, told by its columns: most are such."""
    more = corpus.table.more
    plain = corpus.positions == "token" and more.keys() <= {"lines", "path", "spaces", "attributes"}
    holds, found = TARGETS["jsonl"].attributes, more.get("attributes", ())
    named = all(map(len, chain.from_iterable(one.labels for one in corpus.table.layers.values())))
    named &= all(corpus.layer_names)
    return plain and named and all(holds(*pair) for one in found for pair in one.items())


def sentences(lost: Mapping[str, int]) -> list[str]:
    """How much was lost of each kind, in words."""
    kinds = [*KINDS, *sorted(lost.keys() - KINDS.keys())]
    return [counted(KINDS.get(kind, kind), lost[kind]) for kind in kinds if lost.get(kind)]


class _Reduction:
    """The documents of a corpus as they are written, and the numbers of losses."""

    def __init__(self, corpus: Corpus, to: str, layer: str | None, main: str | None) -> None:
        self.to, self.main, self.target, self.lost = to, main, TARGETS[to], Counter[str]()
        self.by_token, tables = corpus.positions == "token", corpus.table.layers
        # not layers that nobody annotated
        names = [name for name, one in sorted(tables.items())
                 if to == "jsonl" or len(one.unplaced) or (one.state == SEEN).any()]  # fmt: skip
        categories = {*corpus.category_layers}
        if layer is not None:
            names = [known(layer, {*tables, *categories}, "layer")]
            categories &= {layer}
        elif to == "tagged" and names:
            names = [next((name for name in MAIN if name in names), names[0])]
        if self.target.categories == "one":
            by_doc = corpus.table.column("categories", {})
            categories &= {CATEGORIES} if len(categories) > 1 else categories
            categories &= {name for one in by_doc for name, labels in one.items() if labels}
        self.layers = {*names}
        self.categories = categories if self.target.categories != "none" else set()
        words = {*(corpus.table.words or ())} if to == "conll" else set()
        self.no_lines = {word for word in words if _is_no_line(word)}

    def has_content(self, one: Document) -> bool:
        """Whether a document has the words or the text that the target needs."""
        has = bool(one.words or not self.target.tokens) and one.size is None
        has = has and (self.by_token or one.text is not None)
        self.lost["bare"] += not has
        return has

    def document(self, one: Document) -> Document:
        """A document as it is written."""
        own: dict[str, Any] = {"layers": {}, "features": {}, "categories": {}, "copies": {}}
        gaps: dict[str, Sequence[Stretch]] = {}
        for name, spans in one.layers.items():
            if name not in self.layers:
                self.lost[f"{{n}} (span|spans) of the layer {quoted(name)}"] += len(spans or ())
                continue
            own["layers"][name], rows = self.spans(one, name)
            gaps |= {name: rows} if rows else {}
            if said := one.features.get(name):
                kept = {*(own["layers"][name] or ())} & said.keys()
                features = {span: self.values(said[span], "features") for span in kept}
                if any(features.values()):
                    own["features"][name] = {span: one for span, one in features.items() if one}
        for name, labels in one.categories.items():
            if name in self.categories:
                own["categories"][name] = labels
        others = one.categories.keys() - self.categories
        self.lost["categories"] += any(one.categories[name] is not None for name in others)
        copies = chain.from_iterable(by_span.values() for by_span in one.copies.values())
        self.lost["copies"] += sum(map(len, copies))
        own["attributes"] = self.values(one.attributes, "attributes")
        if one.text is not None and one.spaces and join_words(one).rstrip() != one.text.rstrip():
            own["spaces"] = None
        if self.to != "jsonl":  # which holds the rest
            self.lost["unplaced"] += sum(len(one.unplaced.get(name, ())) for name in self.layers)
            own |= {"unplaced": {}, "missing": (), "missing_in": gaps}
        if not self.target.sentences:
            self.lost["sentences"] += any(one.sents)
            own["sents"] = ()
        if self.to == "conll":
            inner = (range(start + 1, end) for spans in own["layers"].values()
                     for start, end, _ in spans or ())  # fmt: skip
            inside = {*one.sents}.intersection(chain.from_iterable(inner))
            self.lost["borders"] += len(inside)
            own["sents"] = tuple(sorted({*one.sents} - inside))
            if not self.no_lines.isdisjoint(one.words):
                self.lost["lines"] += sum(word in self.no_lines for word in one.words)
                own["words"] = tuple("_" if word in self.no_lines else word for word in one.words)
        if self.to == "prodigy" and one.words and borders_in_text(one.words, one.text) is None:
            own["text"] = None
        return document_in_order({**vars(one), **own})

    def spans(self, one: Document, name: str) -> tuple[Sequence[Span] | None, Sequence[Stretch]]:
        """(spans or None, stretches without annotation) of a layer that are written."""
        spans, gaps = one.layers[name], one.gaps(name)
        if self.to == "jsonl" or spans is None:
            return spans, ()
        if (self.target.missing, name) not in (("layers", name), ("main", self.main)):
            self.lost["missing"] += len(gaps)
            gaps = ()
        missing = {at for gap in gaps for at in range(*gap)}
        whole = tuple(span for span in spans if len(span) == 3)
        self.lost["fragments"] += len(spans) - len(whole)
        sure = whole
        if gaps:
            sure = tuple(span for span in whole if missing.isdisjoint(range(*span[:2])))
        self.lost["gaps"] += len(whole) - len(sure)
        apart = _apart(sure) if self.target.tokens and self.main in (None, name) else sure
        self.lost["overlaps"] += len(sure) - len(apart)
        return None if len(missing) == len(one.words) and missing else apart, gaps

    def values(self, said: Mapping[str, Any], kind: str) -> dict[str, Any]:
        """The attributes or features that are written."""
        holds = getattr(self.target, kind)
        own = {name: value for name, value in said.items() if holds(name, value)}
        self.lost[kind] += len(said) - len(own)
        return own


def _names(documents: Sequence[Document], to: str) -> Sequence[str | None]:
    """Names of documents that the format can hold, different where they have to be."""
    names = [one.name for one in documents]
    if to == "conll":
        return [name and (" ".join(name.split()) or "_") for name in names]
    contents = {one.name or one.words or one.text or "" for one in documents}
    if to == "prodigy" and len(contents) < len(names):  # where the text tells them apart, too
        return unique_names([name or str(place) for place, name in enumerate(names, 1)])
    return names


def _is_no_line(word: str) -> bool:
    """Whether a token cannot be the first field of a line."""
    return bool(
        re.search(r"^\ufeff|^$|[\t\n\r]", word)
        or FACT.match(word + "\tO")
        or word.split()[:1] == [DOCSTART]
    )


def _apart(spans: Sequence[Span]) -> Sequence[Span]:
    """The longest spans that do not overlap; of equally long ones the first."""
    if all(one[1] <= two[0] for one, two in pairwise(spans)):
        return spans
    kept, taken = [], set[int]()
    for span in sorted(spans, key=lambda span: span[0] - span[1]):
        place = range(*span[:2])
        if taken.isdisjoint(place):
            kept.append(span)
            taken.update(place)
    return tuple(sorted(kept))
