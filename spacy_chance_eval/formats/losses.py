"""Annotation without a place in a format: it is removed from a corpus before writing, and counted.

`TARGETS` lists the content of each format. Writing the reduced corpus and reading that again gives
the reduced corpus.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import BoolArray
from ..measures.messages import counted, quoted
from ..measures.words import document_words_of
from .columns import KEYS
from .conll_bytes import DOCSTART, FACT
from .corpus import Corpus, unique_names
from .documents import NO_ROWS, SEEN, UNSEEN, LayerTable, table_of
from .errors import FormatError, PathLike, known
from .prodigy import SPAN_KEYS
from .rows import CATEGORIES, borders_in_text, is_json
from .sniffing import TAGS, WORDS
from .texts import simple_values, spaces_in

MAIN = ("spans", "gold", "ents")  # layers that files of one layer are about
KINDS = {  # of losses: (one|several)
    "bare": "{n} (document|documents) without text or tokens",
    "lines": "{n} (token|tokens) that columns cannot hold, written as _",
    "sentences": "the sentences of {n} (document|documents)",
    "borders": "{n} (border of sentences in a span|borders of sentences in spans)",
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
    """What a format can hold beside labels: all write spans, and JSONL all of them."""

    tokens: bool  # whether it needs tokens, and spans that do not overlap
    # words and any text; words that make it up; words with spaces that do; words alone
    text: str
    categories: str = "none"  # how many layers of them: "all", "one" or "none"
    # where positions without annotation are held: in "all", in "layers", in the "main" one, "none"
    missing: str = "none"
    sentences: bool = True
    attributes: Callable[[str, Any], bool] = _nothing  # whether it holds a value under a name
    features: Callable[[str, Any], bool] = _nothing


TARGETS = {
    "jsonl": Target(False, "any", "all", "all", True, _json(*KEYS), _json()),
    "conll": Target(True, "words", missing="layers"),
    "tagged": Target(True, "words", sentences=False, attributes=_json(*KEYS, *TAGS, *WORDS)),
    "prodigy": Target(
        False, "laid", "all", "none", False, _json("document"), _json(*SPAN_KEYS)
    ),
    "spacy": Target(
        True, "spaced", "one", "main",
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
    part = _Reduction(corpus, to, main)
    part.keep_documents_with_content()
    part.keep_texts()
    part.keep_layers(layer)
    part.keep_categories()
    if to == "conll":
        part.keep_what_lines_hold()
    part.keep_spans()
    part.keep_values()
    part.keep_names(path)
    made = replace(corpus, documents=part.table)
    annotated = corpus.layer_names or corpus.category_layers or to == "conll"
    if not len(part.table) or annotated and not (made.layer_names or made.category_layers):
        lost = ", ".join(sentences(part.lost)) or "documents without annotation"
        raise FormatError(f"nothing is left to write: {to} cannot hold {lost}", path)
    return made, +part.lost


def sentences(lost: Mapping[str, int]) -> list[str]:
    """How much was lost of each kind, in words."""
    kinds = [*KINDS, *sorted(lost.keys() - KINDS.keys())]
    return [counted(KINDS.get(kind, kind), lost[kind]) for kind in kinds if lost.get(kind)]


class _Reduction:
    """The documents that are written, step by step, and what was lost."""

    def __init__(self, corpus: Corpus, to: str, main: str | None) -> None:
        self.corpus, self.to, self.main = corpus, to, main
        self.target, self.table, self.lost = TARGETS[to], corpus.table, Counter[str]()

    def set(self, **columns: Any) -> None:
        """Replace columns of `more`; those that are empty everywhere go."""
        more = {name: one for name, one in self.table.more.items() if name not in columns}
        more |= {name: one for name, one in columns.items() if any(one)}
        self.table = replace(self.table, more=more)

    def keep_documents_with_content(self) -> None:
        """Keep those with the words or the text that the target needs."""
        table, by_token = self.table, self.corpus.positions == "token"
        bare = np.array([size is not None for size in table.column("size", None)], bool)
        if self.target.tokens:
            bare |= table.n_words == 0
        if not by_token:
            bare |= np.array([text is None for text in table.column("text", None)], bool)
        self.lost["bare"] = int(bare.sum())
        self.table = table.taken(np.flatnonzero(~bare))
        if "size" in table.more and by_token:  # words stood beside those of sizes alone
            self.table = table_of([*self.table], "token")

    def keep_texts(self) -> None:
        """Keep texts that tokens make up, where they have to, and the spaces of these."""
        table, holds = self.table, self.target.text
        if holds == "words":
            self.set(text=(), spaces=())
        if holds == "words" or self.corpus.positions == "char" or "text" not in table.more:
            return
        texts, spaces = ([*table.column(name, None)] for name in ("text", "spaces"))
        for doc, (words, text) in enumerate(zip(table.document_words(), texts)):
            laid = "".join(word + " " * space for word, space in zip(words, spaces[doc] or ()))
            if text is None or spaces[doc] is not None and laid.rstrip() == text.rstrip():
                continue
            borders = borders_in_text(words, text)
            spaces[doc] = spaces_in(text, borders) if holds == "spaced" and borders else None
            if holds == "laid" and borders is None or holds == "spaced" and spaces[doc] is None:
                texts[doc] = None
        self.set(text=texts, spaces=spaces)

    def keep_layers(self, layer: str | None) -> None:
        """Keep the layers that are written: not those that nobody annotated."""
        tables, categories = self.table.layers, self.corpus.category_layers
        names = [
            name
            for name, one in sorted(tables.items())
            if self.to == "jsonl" or len(one.unplaced) or (one.state == SEEN).any()
        ]
        if layer is not None:
            names = [known(layer, {*tables, *categories}, "layer")]
        elif self.to == "tagged" and names:
            names = [next((name for name in MAIN if name in names), names[0])]
        for name in tables.keys() - names:
            self.lost[f"{{n}} (span|spans) of the layer {quoted(name)}"] = len(tables[name].doc)
        others = categories if layer is None else ()
        table = self.table.with_layers({name: name for name in (*names, *others)})
        # categories may be called as a layer of spans
        self.table = replace(
            table, layers={name: table.layers[name] for name in names if name in table.layers}
        )

    def keep_categories(self) -> None:
        """Keep the categories that are written."""
        by_doc = self.table.column("categories", {})
        kept = {name for one in by_doc for name in one}
        if self.target.categories == "none":
            kept = set()
        elif self.target.categories == "one":
            kept = {CATEGORIES} & kept if len(kept) > 1 else kept
            kept = kept if any(one.get(name) for one in by_doc for name in kept) else set()
        self.lost["categories"] = sum(
            any(one[name] is not None for name in one.keys() - kept) for one in by_doc
        )
        rows = [{name: one[name] and tuple(one[name]) for name in one if name in kept}
                for one in by_doc]  # fmt: skip
        self.set(categories=rows)

    def keep_what_lines_hold(self) -> None:
        """Write _ for tokens that cannot begin a line; no border of sentences inside a span."""
        table, words = self.table, [*(self.table.words or ())]
        if odd := {word for word in {*words} if _is_no_line(word)}:
            self.lost["lines"] = sum(word in odd for word in words)
            words = ["_" if word in odd else word for word in words]
            table = replace(table, words=document_words_of([words]))
        depth = np.zeros(len(words) + 1, np.int64)  # number of spans that go on at a token
        for one in table.layers.values():
            np.add.at(depth, table.offsets[one.doc] + one.start + 1, 1)
            np.add.at(depth, table.offsets[one.doc] + one.end, -1)
        inside = np.cumsum(depth)[table.offsets[table.sents[:, 0]] + table.sents[:, 1]] > 0
        self.lost["borders"] = int(inside.sum())
        self.table = replace(table, sents=table.sents[~inside])

    def keep_spans(self) -> None:
        """Keep the spans and the stretches without annotation that are written."""
        layers, missing = {}, self.table.missing
        for name, one in self.table.layers.items():
            if self.to != "jsonl":
                self.lost["unplaced"] += len(one.unplaced)
                one = replace(one, unplaced=NO_ROWS)
                if one.fragments is not None:
                    whole = np.array([pieces is None for pieces in one.fragments], bool)
                    one = replace(self.some_spans(one, whole, "fragments"), fragments=None)
                if len(missing) or len(one.missing):
                    one = self.without_gaps(name, one)
            if self.target.tokens and self.main in (None, name):
                one = self.some_spans(one, _apart(one), "overlaps")
            if self.to != "conll" or (one.state == SEEN).any():
                layers[name] = one
        self.table = replace(
            self.table, layers=layers, missing=missing if self.to == "jsonl" else NO_ROWS
        )

    def some_spans(self, one: LayerTable, kept: BoolArray, kind: str) -> LayerTable:
        """The layer with some of its spans; the others are lost."""
        self.lost[kind] += int((~kept).sum())
        columns = {name: getattr(one, name)[kept] for name in ("doc", "start", "end", "label")}
        fragments = None if one.fragments is None else one.fragments[kept]
        return replace(one, **columns, fragments=fragments)

    def without_gaps(self, name: str, one: LayerTable) -> LayerTable:
        """The layer with its stretches without annotation where they are held, no span in them."""
        table, missing = self.table, np.concatenate([self.table.missing, one.missing])
        if self.target.missing == "none" or self.target.missing == "main" and name != self.main:
            self.lost["missing"] += len(missing)
            return replace(one, missing=NO_ROWS)
        gone = np.zeros(table.offsets[-1] + 1, np.int64)
        for doc, start, end in missing.tolist():
            gone[table.offsets[doc] + start + 1 : table.offsets[doc] + end + 1] = 1
        n_gone = np.cumsum(gone)  # in front of each position
        begin, first = table.offsets[:-1], table.offsets[one.doc]
        # a layer without any token was not annotated
        whole = (n_gone[table.offsets[1:]] - n_gone[begin] == table.sizes) & (table.sizes > 0)
        state = np.where(whole & (one.state == SEEN), UNSEEN, one.state)
        kept = n_gone[first + one.end] == n_gone[first + one.start]
        return replace(self.some_spans(one, kept, "gaps"), state=state, missing=missing)

    def keep_values(self) -> None:
        """Keep attributes, features and sentences that have a place; no further annotations."""
        more, layers, target = self.table.more, self.table.layers, self.target
        by_layer = (by for one in more.get("copies", ()) for by in one.values())
        self.lost["copies"] = sum(len(some) for by in by_layer for some in by.values())
        if not target.sentences:
            starts = self.table.sents
            self.lost["sentences"] = len({*starts[starts[:, 1] > 0, 0].tolist()})
            self.table = replace(self.table, sents=NO_ROWS[:, :2])

        def held(said: Mapping[str, Any], holds: Callable[[str, Any], bool], kind: str) -> Any:
            own = {name: value for name, value in said.items() if holds(name, value)}
            self.lost[kind] += len(said) - len(own)
            return own

        attributes = [held(said, target.attributes, "attributes")
                      for said in more.get("attributes", ())]  # fmt: skip
        features: list[dict[str, Any]] = []
        for doc, by_layer in enumerate(more.get("features", ())):
            features.append({})
            for name in by_layer.keys() & layers.keys():
                said, (spans,) = by_layer[name], layers[name].spans(doc, doc + 1)
                own = {span: held(said[span], target.features, "features")
                       for span in {*(spans or ())} & said.keys()}  # fmt: skip
                if any(own.values()):
                    features[-1][name] = {span: one for span, one in own.items() if one}
        self.set(copies=(), attributes=attributes, features=features)

    def keep_names(self, path: PathLike) -> None:
        """Make names of documents different where they have to be; check those of labels."""
        table, names = self.table, [*self.table.all_names()]
        if self.to == "conll":
            names = [name and (" ".join(name.split()) or "_") for name in names]
        elif self.to == "prodigy":  # where the text tells documents apart, too
            contents = zip(names, table.document_words(), table.column("text", None))
            if len({name or words or text or "" for name, words, text in contents}) < len(names):
                named = [name or str(place) for place, name in enumerate(names, 1)]
                names = [*unique_names(named)]
        self.table = replace(table, names=names if {*names} != {None} else None)
        labels = {label for one in table.layers.values() for label in one.used_labels()}
        for what, some in (("label", labels), ("layer", {*table.layers})):
            for name in some:
                if not name or self.to == "conll" and re.search(r"[\t\n\r]|^ | $", name):
                    wrong = f"{self.to} cannot hold the {what} {quoted(name)}; rename it"
                    raise FormatError(wrong, path)


def _is_no_line(word: str) -> bool:
    """Whether a token cannot be the first field of a line."""
    return bool(
        re.search(r"^\ufeff|^$|[\t\n\r]", word)
        or FACT.match(word + "\tO")
        or word.split()[:1] == [DOCSTART]
    )


def _apart(one: LayerTable) -> BoolArray:
    """The longest spans that do not overlap; of equally long ones the first."""
    kept = np.ones(len(one.doc), bool)
    meets = (one.doc[1:] == one.doc[:-1]) & (one.start[1:] < one.end[:-1])
    for doc in {*one.doc[1:][meets].tolist()}:
        first, last = np.searchsorted(one.doc, [doc, doc + 1]).tolist()
        taken: set[int] = set()
        # rows are in order of start, end and the names of labels
        for row in sorted(range(first, last), key=lambda row: (one.start[row] - one.end[row], row)):
            place = range(int(one.start[row]), int(one.end[row]))
            kept[row] = taken.isdisjoint(place)
            taken.update(place if kept[row] else ())
    return kept
