"""Annotation without a place in a format: it is removed from a corpus before writing, and counted.

`TARGETS` lists the content of each format. Writing the reduced corpus and reading that again gives
the reduced corpus.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np

from ..measures.arrays import BoolArray
from ..measures.messages import counted, quoted
from ..measures.words import document_words_of
from .columns import KEYS
from .conll_bytes import DOCSTART, FACT
from .corpus import Corpus, document_title, join_stretches, unique_names
from .documents import NO_ROWS, SEEN, UNSEEN, LayerTable, table_of
from .errors import FormatError, PathLike, known
from .prodigy import ATTRIBUTES, SPAN_KEYS
from .prodigy_out import HASH
from .rows import CATEGORIES, borders_in_text, is_json
from .sniffing import TAGS, WORDS
from .tags import is_tag
from .texts import simple_values, spaces_in

Holds = Callable[[str, Any], bool]  # whether a value can be written under a name
MAIN = ("spans", "gold", "ents")  # layers that files of one layer are about
KINDS = {  # of losses: (one|several)
    "textless": "{n} (document|documents) without text",
    "wordless": "{n} (document|documents) without tokens",
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


def _nothing(name: str, value: Any) -> bool:
    """No value can be written."""
    return False


def _json(*taken: str) -> Holds:
    """Whether JSON gives a value back as it is, under a name that is free."""
    return lambda name, value: type(name) is str and name not in taken and is_json(value)


def _comment(name: str, value: Any) -> bool:
    """Whether an attribute can stand in a comment of columns."""
    return type(name) is type(value) is str and "=" not in name and all(
        one == one.strip() and not re.search(r"[\t\n\r]", one) for one in (name, value)
    )  # fmt: skip


def _simple(name: str, value: Any) -> bool:
    """Whether an attribute can be one of a Doc."""
    return type(name) is str and name != "name" and bool(simple_values({name: value}))


@dataclass(frozen=True)
class Target:
    """What a format can hold beside labels: all write spans, and JSONL all of them.

    Parameters
    ----------
    tokens : bool
        Whether it needs tokens, and spans that do not overlap.
    text : "any", "laid", "spaced" or "words"
        Words and any text; words that make it up; words with spaces that do; words alone.
    categories : "all", "one" or "none"
        How many layers of them.
    missing : "all", "layers", "main" or "none"
        Where positions without annotation are held: everywhere, in single layers, in the main one.
    sentences : bool
    attributes, features : callable
        Whether it holds a value under a name.
    """

    tokens: bool
    text: str
    categories: str = "none"
    missing: str = "none"
    sentences: bool = True
    attributes: Holds = _nothing
    features: Holds = _nothing


OWN_KEYS = _json(*KEYS, *TAGS, *WORDS)
TARGETS = {
    "jsonl": Target(False, "any", "all", "all", attributes=_json(*KEYS), features=_json()),
    "conll": Target(True, "words", missing="layers", attributes=_comment),
    "tagged": Target(True, "words", sentences=False, attributes=OWN_KEYS),
    "prodigy": Target(False, "laid", "all", "none", False, _json(), _json(*SPAN_KEYS)),
    "spacy": Target(True, "spaced", "one", "main", attributes=_simple),
}


def reduced(
    corpus: Corpus, to: str, path: PathLike, *, layer: str | None = None, main: str | None = None
) -> tuple[Corpus, Counter[str]]:
    """(the corpus without annotation that a format cannot hold, the amount of each kind removed).

    Parameters
    ----------
    corpus : Corpus
    to : str
        One of `TARGETS`.
    path : str or Path
        The file to write.
    layer : str, optional
        The one to write, alone.
    main : str, optional
        Of `.spacy`: the layer that becomes the entities.

    Raises
    ------
    FormatError
        If nothing is left to write, or the name of a label or layer cannot be written.
    """
    if TARGETS[to].tokens and corpus.positions == "char":
        raise FormatError(f"{to} needs tokens; --tokenizer LANG makes some of texts", path)
    annotated = corpus.layer_names or corpus.category_layers
    part = _Reduction(corpus, to, layer, main)
    part.check_names(path)
    made = replace(corpus, documents=part.table)
    if not len(part.table) or (annotated or to == "conll") and not (
        made.layer_names or made.category_layers
    ):  # fmt: skip
        found = ", ".join(sentences(part.lost)) or "documents without annotation"
        raise FormatError(f"nothing is left to write: {to} cannot hold {found}", path)
    return made, +part.lost


def refuse(
    corpus: Corpus, lost: Mapping[str, int], to: str, path: PathLike, main: str | None
) -> NoReturn:
    """Raise for losses that must not be, with the first document that has one of them."""
    title = ""
    for place, document in enumerate(corpus.documents, 1):
        try:
            _, own = reduced(replace(corpus, documents=[document]), to, path, main=main)
        except FormatError:
            own = Counter(lost)
        if own.keys() & lost.keys():
            title = f" (the first in {document_title(document, place)})"
            break
    found = ", ".join(sentences(lost))
    raise FormatError(f"{to} cannot hold {found}{title}; write JSONL", path)


def sentences(lost: Mapping[str, int]) -> list[str]:
    """How much was lost of each kind, in words."""
    found = [counted(KINDS[kind], lost[kind]) for kind in KINDS if lost.get(kind)]
    others = sorted(kind for kind in lost if kind not in KINDS)
    return found + [counted(f"{{n}} (span|spans) of {kind}", lost[kind]) for kind in others]


@dataclass(eq=False)
class _Reduction:
    """The documents that are written, step by step, and what was lost."""

    corpus: Corpus
    to: str
    layer: str | None
    main: str | None
    lost: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.target, self.table = TARGETS[self.to], self.corpus.table
        self.keep_documents_with_content()
        self.keep_texts()
        self.keep_layers()
        self.keep_categories()
        if self.to == "conll":
            self.keep_tokens_of_lines()
            self.keep_sentences_around_spans()
        self.keep_spans()
        self.keep_values()
        if not self.target.sentences:
            starts = self.table.sents
            self.lost["sentences"] += len({*starts[starts[:, 1] > 0, 0].tolist()})
            self.table = replace(self.table, sents=NO_ROWS[:, :2])
        self.table = replace(self.table, names=self.names())

    def set(self, **columns: Any) -> None:
        """Replace columns of `more`; None takes one away."""
        more = {**self.table.more, **columns}
        more = {name: column for name, column in more.items() if column is not None}
        self.table = replace(self.table, more=more)

    def keep_documents_with_content(self) -> None:
        """Keep those with the words or the text that the target needs."""
        table, by_token = self.table, self.corpus.positions == "token"
        textless = np.array([size is not None for size in table.column("size", None)], bool)
        if not by_token:
            textless |= np.array([text is None for text in table.column("text", None)], bool)
        wordless = (table.n_words == 0) & ~textless & self.target.tokens
        self.lost["textless"] += int(textless.sum())
        self.lost["wordless"] += int(wordless.sum())
        self.table = table.taken(np.flatnonzero(~(textless | wordless)))
        if "size" in table.more and by_token:  # words stood beside those of sizes alone
            self.table = table_of([*self.table], "token")

    def keep_texts(self) -> None:
        """Keep texts that tokens make up, where they have to, and the spaces of these."""
        table, holds = self.table, self.target.text
        if holds == "words":
            self.set(text=None, spaces=None)
        if holds == "words" or self.corpus.positions == "char" or "text" not in table.more:
            return
        texts, spaces = ([*table.column(name, None)] for name in ("text", "spaces"))
        for doc, words in enumerate(table.document_words()):
            if (text := texts[doc]) is None:
                continue
            laid = "".join(word + " " * space for word, space in zip(words, spaces[doc] or ()))
            if spaces[doc] is not None and laid.rstrip() != text.rstrip():
                spaces[doc] = None
            borders = borders_in_text(words, text)
            if holds == "spaced" and spaces[doc] is None and borders:
                spaces[doc] = spaces_in(text, borders)
            if holds != "any" and spaces[doc] is None and (borders is None or holds == "spaced"):
                texts[doc] = None
        self.set(text=texts, spaces=spaces)

    def keep_layers(self) -> None:
        """Keep the layers that are written: not those that nobody annotated."""
        tables, categories = self.table.layers, self.corpus.category_layers
        loose = {name for name, one in tables.items() if len(one.unplaced)}
        seen = {name for name, one in tables.items() if (one.state == SEEN).any()}
        names = [name for name in sorted(tables) if name in seen | loose or self.to == "jsonl"]
        if self.layer is not None:
            names = [known(self.layer, {*tables, *categories}, "layer")]
        elif self.to == "tagged" and names:
            names = [next((name for name in (*MAIN, *names) if name in seen), names[0])]
        for name, one in tables.items():
            if name not in names and len(one.doc):
                self.lost[f"the layer {quoted(name)}"] += len(one.doc)
        others = categories if self.layer is None else ()
        self.table = self.table.with_layers({name: name for name in (*names, *others)})

    def keep_categories(self) -> None:
        """Keep the categories that are written."""
        if "categories" not in self.table.more:
            return
        found = self.table.more["categories"]
        kept = {name for one in found for name in one}
        if self.target.categories == "none":
            kept = set()
        elif self.target.categories == "one":
            kept = {CATEGORIES} & kept if len(kept) > 1 else kept
            kept = kept if any(one.get(name) for one in found for name in kept) else set()
        self.lost["categories"] += sum(
            any(labels is not None for name, labels in one.items() if name not in kept)
            for one in found
        )
        self.set(
            categories=[
                # an error here if they cannot be read
                {name: labels and tuple(labels) for name, labels in one.items() if name in kept}
                for one in found
            ]
        )

    def keep_tokens_of_lines(self) -> None:
        """Write _ for tokens that cannot begin a line of columns, such as line breaks."""
        words = [*(self.table.words or ())]
        odd = {word for word in {*words} if _is_no_line(word)}
        if odd:
            self.lost["lines"] += sum(word in odd for word in words)
            words = ["_" if word in odd else word for word in words]
            self.table = replace(self.table, words=document_words_of([words]))

    def keep_sentences_around_spans(self) -> None:
        """Keep borders of sentences that are nowhere inside a span."""
        table = self.table
        starts = table.offsets[table.sents[:, 0]] + table.sents[:, 1]
        depth = np.zeros(len(starts) + 1, np.int64)
        for one in table.layers.values():
            begin = table.offsets[one.doc]
            first = np.searchsorted(starts, begin + one.start, "right")
            last = np.searchsorted(starts, begin + one.end)
            inner = first < last
            np.add.at(depth, first[inner], 1)
            np.add.at(depth, last[inner], -1)
        inside = np.cumsum(depth)[:-1] > 0
        self.lost["borders"] += int(inside.sum())
        self.table = replace(table, sents=table.sents[~inside])

    def keep_spans(self) -> None:
        """Keep the spans and the stretches without annotation that are written."""
        layers, some = {}, self.target.missing != "all"
        if self.target.missing == "none":
            self.lost["missing"] += len(self.table.missing)
        for name, one in self.table.layers.items():
            if self.to != "jsonl":
                self.lost["unplaced"] += len(one.unplaced)
                one = replace(one, unplaced=NO_ROWS)
                if one.fragments is not None:
                    whole = np.array([pieces is None for pieces in one.fragments], bool)
                    one = replace(self.some_spans(one, whole, "fragments"), fragments=None)
            if some and (len(self.table.missing) or len(one.missing)):
                one = self.without_gaps(name, one)
            if self.target.tokens and self.main in (None, name):
                one = self.some_spans(one, _apart(one), "overlaps")
            if self.to != "conll" or (one.state == SEEN).any():
                layers[name] = one
        missing = NO_ROWS if some else self.table.missing
        self.table = replace(self.table, layers=layers, missing=missing)

    def some_spans(self, one: LayerTable, kept: BoolArray, kind: str) -> LayerTable:
        """The layer with some of its spans; the others are lost."""
        if kept.all():
            return one
        self.lost[kind] += int((~kept).sum())
        columns = {name: getattr(one, name)[kept] for name in ("doc", "start", "end", "label")}
        fragments = None if one.fragments is None else one.fragments[kept]
        return replace(one, **columns, fragments=fragments)

    def without_gaps(self, name: str, one: LayerTable) -> LayerTable:
        """The layer with its stretches without annotation where they are held, no span in them."""
        if self.target.missing == "none":
            self.lost["missing"] += len(one.missing)
            return replace(one, missing=NO_ROWS)
        by_doc: dict[int, list[tuple[int, int]]] = {}
        for doc, start, end in np.concatenate([self.table.missing, one.missing]).tolist():
            if one.state[doc] == SEEN:
                by_doc.setdefault(doc, []).append((start, end))
        by_doc = {doc: join_stretches(rows) for doc, rows in sorted(by_doc.items())}
        if self.target.missing == "main" and name != self.main:
            self.lost["missing"] += sum(map(len, by_doc.values()))
            return replace(one, missing=NO_ROWS)
        kept, state = np.ones(len(one.doc), bool), one.state.copy()
        held = []
        for doc, gaps in by_doc.items():
            rows = slice(*np.searchsorted(one.doc, [doc, doc + 1]))
            for start, end in gaps:
                kept[rows] &= (one.end[rows] <= start) | (one.start[rows] >= end)
            if gaps == [(0, self.table.sizes[doc])]:
                state[doc] = UNSEEN  # a layer without any token was not annotated
            else:
                held += [(doc, *gap) for gap in gaps]
        missing = np.array(held, np.int64).reshape(-1, 3)
        return replace(self.some_spans(one, kept, "gaps"), state=state, missing=missing)

    def keep_values(self) -> None:
        """Keep attributes, and features of the spans that are written; no further annotations."""
        more, layers = self.table.more, self.table.layers
        copies = (some for one in more.get("copies", ()) for by in one.values()
                  for some in by.values())  # fmt: skip
        self.lost["copies"] += sum(map(len, copies))
        attributes = []
        for name, said in zip(self.table.all_names(), more.get("attributes", ())):
            taken: set[str] = set()
            if self.to == "prodigy":  # a task has attributes beside those of its document
                several = {*layers, *self.corpus.category_layers} != {"spans"}
                taken = {*(ATTRIBUTES if several else ())}
                taken |= {"document"} if name is not None and not HASH.fullmatch(name) else set()
            kept = {k: v for k, v in said.items() if self.target.attributes(k, v)}
            if self.to == "conll" and (self.table.sents[:, 1] > 0).any():
                kept = {}  # which have a place at the only sentence of a document
            attributes.append({k: v for k, v in kept.items() if k not in taken})
            self.lost["attributes"] += len(said) - len(attributes[-1])
        features: list[dict[str, Any]] = []
        for doc, by_layer in enumerate(more.get("features", ())):
            features.append({})
            for name, about in by_layer.items():
                (spans,) = layers[name].spans(doc, doc + 1) if name in layers else ((),)
                for span in {*(spans or ())} & about.keys():
                    own = {k: v for k, v in about[span].items() if self.target.features(k, v)}
                    self.lost["features"] += len(about[span]) - len(own)
                    if own:
                        features[-1].setdefault(name, {})[span] = own
        self.set(
            copies=None,
            attributes=attributes if any(attributes) else None,
            features=features if any(features) else None,
        )

    def names(self) -> Sequence[str | None] | None:
        """The names of documents, different where they have to be, on one line."""
        names = self.table.all_names()
        if self.to == "conll":
            names = [name and (" ".join(name.split()) or "_") for name in names]
        elif self.to == "prodigy":  # where the text tells documents apart, too
            contents = zip(names, self.table.document_words(), self.table.column("text", None))
            keys = [name or words or text or "" for name, words, text in contents]
            times = Counter(keys)
            names = [name or (str(place) if times[key] > 1 else None)
                     for place, (key, name) in enumerate(zip(keys, names), 1)]  # fmt: skip
            known_names = iter(unique_names([name for name in names if name is not None]))
            names = [name if name is None else next(known_names) for name in names]
        return names if any(name is not None for name in names) else None

    def check_names(self, path: PathLike) -> None:
        """Raise for a label, or the name of a layer, that cannot be written."""
        labels = {label for one in self.table.layers.values() for label in one.used_labels()}
        for what, names in (("label", labels), ("layer", {*self.table.layers})):
            for name in names:
                odd = not name
                if self.to == "conll":
                    odd |= name != name.strip(" ") or bool(re.search(r"[\t\n\r]", name))
                    odd |= what == "layer" and (is_tag(name) or name == "token")
                if odd:
                    found = f"the {what} {quoted(name)}"
                    raise FormatError(f"{self.to} cannot hold {found}; rename it", path)


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
        rows = range(first, last)
        places = {row: range(int(one.start[row]), int(one.end[row])) for row in rows}
        taken: set[int] = set()
        # rows are in order of start, end and the names of labels
        for row in sorted(rows, key=lambda row: (-len(places[row]), row)):
            kept[row] = taken.isdisjoint(places[row])
            taken.update(places[row] if kept[row] else ())
    return kept
