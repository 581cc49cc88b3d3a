"""Annotation without a place in a format: it is removed from a corpus before writing, and counted.

`TARGETS` lists the content of each format. Writing the reduced corpus and reading that again gives
the reduced corpus.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NoReturn

from ..measures.messages import quoted
from .conll_bytes import DOCSTART, FACT, is_tag
from .corpus import Corpus, Document, Span, Stretch, document_title, join_stretches, unique_names
from .documents import BY_LAYER
from .errors import FormatError, PathLike, known
from .jsonl import KEYS
from .prodigy import ATTRIBUTES, SPAN_KEYS
from .prodigy_out import HASH
from .rows import CATEGORIES, borders_in_text, is_json
from .sniffing import TAGS, WORDS
from .texts import join_words, simple_values, spaces_in

Holds = Callable[[str, Any], bool]  # whether a value can be written under a name
MAIN = ("spans", "gold", "ents")  # layers that files of one layer are about
# kinds of losses: the words for one, and for several
KINDS = {
    "textless": ("1 document without text", "{n} documents without text"),
    "wordless": ("1 document without tokens", "{n} documents without tokens"),
    "text": ("the text of 1 document", "the texts of {n} documents"),
    "spaces": ("the spaces of 1 document", "the spaces of {n} documents"),
    "lines": ("1 token that columns cannot hold", "{n} tokens that columns cannot hold"),
    "sentences": ("the sentences of 1 document", "the sentences of {n} documents"),
    "borders": ("1 border of sentences in a span", "{n} borders of sentences in spans"),
    "attributes": ("1 attribute of a document", "{n} attributes of documents"),
    "features": ("1 feature of a span", "{n} features of spans"),
    "categories": ("the categories of 1 document", "the categories of {n} documents"),
    "missing": ("1 stretch without annotation", "{n} stretches without annotation"),
    "unplaced": ("1 unplaced span", "{n} unplaced spans"),
    "copies": ("1 further annotation of a span", "{n} further annotations of spans"),
    "fragments": ("1 discontinuous span", "{n} discontinuous spans"),
    "overlaps": ("1 overlapping span", "{n} overlapping spans"),
    "gaps": ("1 span over positions not annotated", "{n} spans over positions not annotated"),
    "idle": ("1 layer that nobody annotated", "{n} layers that nobody annotated"),
    "layers": ("the name of 1 layer", "the names of {n} layers"),
    "labels": ("the spelling of 1 label", "the spelling of {n} labels"),
    "names": ("the name of 1 document", "the names of {n} documents"),
}
# kinds without which the spans are others
OF_SPANS = ("unplaced", "fragments", "overlaps", "gaps", "lines", "labels")


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
    attributes: Holds = lambda name, value: False
    features: Holds = lambda name, value: False


def _json(*taken: str) -> Holds:
    """Whether JSON gives a value back as it is, under a name that is free."""
    return lambda name, value: type(name) is str and name not in taken and is_json(value)


def _comment(name: str, value: Any) -> bool:
    """Whether an attribute can stand in a comment of columns."""
    return type(name) is type(value) is str and "=" not in name and all(
        one == one.strip() and not re.search(r"[\t\n\r]", one) for one in (name, value)
    )  # fmt: skip


def _cell(text: str) -> str:
    """A text as a label, or name, in columns."""
    return " ".join(re.split(r"[\t\n\r]+", text)).strip(" ").lstrip("=\ufeff").strip(" ") or "_"


def _or_line(text: str) -> str:
    """A label, or the name of a layer, that is not empty."""
    return text or "_"


def _column(name: str) -> str:
    """The name of a layer as that of a column."""
    name = _cell(name)
    return f"_{name}" if is_tag(name) or name == "token" else name


TARGETS = {
    "jsonl": Target(False, "any", "all", "all", attributes=_json(*KEYS), features=_json()),
    "conll": Target(True, "words", missing="layers", attributes=_comment),
    "tagged": Target(True, "words", sentences=False, attributes=_json(*KEYS, *TAGS, *WORDS)),
    "prodigy": Target(
        False, "laid", "all", sentences=False, attributes=_json(), features=_json(*SPAN_KEYS)
    ),
    "spacy": Target(
        True,
        "spaced",
        "one",
        "main",
        attributes=lambda name, value: (
            name != "name" and type(name) is str and bool(simple_values({name: value}))
        ),
    ),
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
    """
    lost: Counter[str] = Counter()
    if TARGETS[to].tokens and corpus.positions == "char":
        raise FormatError(f"{to} needs tokens; --tokenizer LANG makes some of texts", path)
    annotated = corpus.layer_names or corpus.category_layers
    corpus = _with_content(corpus, to, lost)
    corpus = _with_layers(corpus, to, layer, lost)
    corpus = _with_categories(corpus, TARGETS[to].categories, lost)
    documents = _with_labels(corpus.documents, to, lost)
    if to == "conll":
        documents = [_in_sentences(_in_lines(one, lost), lost) for one in documents]
    several = layer is None and (*corpus.layer_names, *corpus.category_layers) != ("spans",)
    documents = [_reduced(one, to, main, several, lost) for one in documents]
    if to == "conll":
        documents = _in_columns(documents, lost)
    corpus = replace(corpus, documents=_with_names(documents, to, lost))
    if (
        not documents
        or (annotated or to == "conll")
        and not (corpus.layer_names or corpus.category_layers)
    ):
        found = ", ".join(sentences(lost)) or "documents without annotation"
        raise FormatError(f"nothing is left to write: {to} cannot hold {found}", path)
    return corpus, +lost


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
    found = [KINDS[kind][lost[kind] != 1].format(n=f"{lost[kind]:,}") for kind in KINDS
             if lost.get(kind)]  # fmt: skip
    return found + [
        f"{lost[kind]:,} span{'s' * (lost[kind] != 1)} of {kind}"
        for kind in sorted(lost)
        if kind not in KINDS
    ]


def _with_content(corpus: Corpus, to: str, lost: Counter[str]) -> Corpus:
    """The documents that have the words or the text that the target needs."""
    kept, by_token = [], corpus.positions == "token"
    for document in corpus.documents:
        textless = document.size is not None or not by_token and document.text is None
        if textless:
            lost["textless"] += 1
        elif by_token and not document.words and to in ("tagged", "spacy"):
            lost["wordless"] += 1
        else:
            kept.append(_consistent(document, TARGETS[to].text, lost) if by_token else document)
    return replace(corpus, documents=kept)


def _consistent(document: Document, holds: str, lost: Counter[str]) -> Document:
    """A document with tokens whose text and spaces can be written."""
    text, spaces = document.text, document.spaces
    if holds == "words":
        lost["spaces"] += text is not None or spaces is not None
        text = spaces = None
    elif text is not None:
        if spaces is not None and join_words(document).rstrip() != text.rstrip():
            lost["spaces"] += 1
            spaces = None
        borders = borders_in_text(document.words, text)
        fits = spaces is not None or borders is not None
        if holds == "spaced" and spaces is None and document.words:
            spaces = spaces_in(text, borders) if borders else None
            fits = spaces is not None
        if holds != "any" and not fits:
            lost["text"] += 1
            text = None
    return replace(document, text=text, spaces=spaces)


def _with_layers(corpus: Corpus, to: str, layer: str | None, lost: Counter[str]) -> Corpus:
    """The corpus with the layers that are written, under names that can be."""
    documents = corpus.documents
    loose = {name for one in documents for name in one.unplaced}
    names = tuple(sorted({*corpus.layer_names, *loose}))
    seen = {name for one in documents for name, rows in one.layers.items() if rows is not None}
    if layer is not None:
        names = (known(layer, {*names, *corpus.category_layers}, "layer"),)
    elif to == "tagged" and names:
        order = (*MAIN, *names)
        names = (next((name for name in order if name in seen), names[0]),)
    elif to == "prodigy" and seen:
        seen |= {*corpus.category_layers, *loose}
        lost["idle"] += len({*names} - seen)
        names = tuple(name for name in names if name in seen)
    for document in documents:
        for name, rows in document.layers.items():
            if name not in names and rows:
                lost[f"the layer {quoted(name)}"] += len(rows)
    others = corpus.category_layers if layer is None and to != "tagged" else ()
    written = _column if to == "conll" else _or_line
    new = {name: written(name) for name in dict.fromkeys((*names, *others))}
    if to == "tagged":
        lost["layers"] += sum(name not in MAIN for name in names)
    else:
        lost["layers"] += sum(one != two for one, two in new.items())
    new = dict(zip(new, unique_names(list(new.values()))))
    return replace(corpus, documents=[renamed(one, new) for one in documents])


def renamed(document: Document, names: Mapping[str, str]) -> Document:
    """A document with some of its layers, under new names."""
    fields: dict[str, Any] = {
        field: {
            names[name]: found for name, found in getattr(document, field).items() if name in names
        }
        for field in (*BY_LAYER, "missing_in")
    }
    return replace(document, **fields)


def _with_categories(corpus: Corpus, holds: str, lost: Counter[str]) -> Corpus:
    """The corpus with the categories that are written."""
    names, kept = corpus.category_layers, set(corpus.category_layers)
    if holds == "none":
        kept = set()
    elif holds == "one":
        kept = {CATEGORIES} & kept if len(names) > 1 else kept
        chosen = (one.categories.get(name) for one in corpus.documents for name in kept)
        kept = kept if any(chosen) else set()
    documents = []
    for document in corpus.documents:
        own = {
            name: found and tuple(found)  # an error here if they cannot be read
            for name, found in document.categories.items()
            if name in kept
        }
        lost["categories"] += any(
            found is not None for name, found in document.categories.items() if name not in kept
        )
        documents.append(replace(document, categories=own))
    return replace(corpus, documents=documents)


def _with_labels(documents: Sequence[Document], to: str, lost: Counter[str]) -> list[Document]:
    """The documents with labels as they can be written."""
    fields = ("layers", "unplaced", "features", "copies")
    labels = {row[_label_at(row)] for one in documents for field in fields[:2]
              for rows in getattr(one, field).values() for row in rows or ()}  # fmt: skip
    new = {label: (_cell if to == "conll" else _or_line)(label) for label in labels}
    changed = sum(one != two for one, two in new.items())
    lost["labels"] += changed
    if not changed:
        return list(documents)

    def relabelled(found: Any) -> Any:
        if isinstance(found, Mapping):
            return {moved(row): value for row, value in found.items()}
        return found and {*map(moved, found)}

    def moved(row: Sequence[Any]) -> tuple[Any, ...]:
        at = _label_at(row)
        return (*row[:at], new[row[at]], *row[at + 1 :])

    made = []
    for one in documents:
        renamed: dict[str, Any] = {
            field: {name: relabelled(found) for name, found in getattr(one, field).items()}
            for field in fields
        }
        made.append(replace(one, **renamed))
    return made


def _label_at(row: Sequence[Any]) -> int:
    """Where a span, or a row (length, label), has its label."""
    return min(len(row) - 1, 2)


def _reduced(
    document: Document, to: str, main: str | None, several: bool, lost: Counter[str]
) -> Document:
    """A document with the values, spans and stretches that are written."""
    target = TARGETS[to]
    taken: set[str] = set()
    if to == "prodigy":  # a task has attributes of its own beside those of its document
        taken = {*ATTRIBUTES} if several else taken
        if document.name is not None and not HASH.fullmatch(document.name):
            taken |= {"document"}
    kept: dict[str, Any] = {
        "attributes": {
            key: said
            for key, said in document.attributes.items()
            if target.attributes(key, said) and key not in taken
        }
    }
    lost["attributes"] += len(document.attributes) - len(kept["attributes"])
    gaps: dict[str, list[Stretch]] = {}
    if target.missing != "all":
        gaps = _gaps(document, target.missing, main, lost)
        kept |= {"missing": (), "missing_in": gaps}
    whole = [(0, len(document.words))]
    kept["layers"] = {
        name: rows
        and _written_spans(
            rows, gaps.get(name, ()), to, target.tokens and main in (None, name), lost
        )
        for name, rows in document.layers.items()
    }
    if gaps:  # a layer of which all tokens are missing was not annotated
        idle = [name for name, rows in gaps.items() if rows == whole]
        kept["layers"] |= dict.fromkeys(idle)
        kept["missing_in"] = {name: rows for name, rows in gaps.items() if name not in idle}
    kept["features"] = _written_features(document, kept["layers"], target.features, lost)
    copies = (some for spans in document.copies.values() for some in spans.values())
    lost["copies"] += sum(map(len, copies))
    kept["copies"] = {}
    if to != "jsonl":
        lost["unplaced"] += sum(map(len, document.unplaced.values()))
        kept["unplaced"] = {}
    if not target.sentences:
        lost["sentences"] += any(document.sents)
        kept["sents"] = ()
    return replace(document, **kept)


def _written_spans(
    rows: Sequence[Span], gaps: Sequence[Stretch], to: str, apart: bool, lost: Counter[str]
) -> Sequence[Span]:
    """The spans of a layer that are written."""
    if to != "jsonl":
        n, rows = len(rows), [row for row in rows if len(row) == 3]
        lost["fragments"] += n - len(rows)
    if gaps:
        n = len(rows)
        starts = [start for start, _ in gaps]
        last = [bisect_left(starts, end) - 1 for _, end, *_ in rows]  # gap before the end
        rows = [row for row, i in zip(rows, last) if i < 0 or gaps[i][1] <= row[0]]
        lost["gaps"] += n - len(rows)
    if apart:
        n, rows = len(rows), _apart(rows)
        lost["overlaps"] += n - len(rows)
    return rows


def _written_features(
    document: Document,
    layers: Mapping[str, Sequence[Span] | None],
    holds: Holds,
    lost: Counter[str],
) -> dict[str, dict[Span, dict[str, Any]]]:
    """The features of the spans that are written, where the format can hold them."""
    found: dict[str, dict[Span, dict[str, Any]]] = {}
    for name, spans in document.features.items():
        there = {*(layers.get(name) or ())}
        found[name] = {
            span: {key: value for key, value in said.items() if holds(key, value)}
            for span, said in spans.items()
            if span in there
        }
        lost["features"] += sum(len(spans[span]) - len(said) for span, said in found[name].items())
    return found


def _gaps(
    document: Document, holds: str, main: str | None, lost: Counter[str]
) -> dict[str, list[Stretch]]:
    """The stretches without annotation that are written, by layer."""
    if holds == "none":
        lost["missing"] += len(document.missing) + sum(map(len, document.missing_in.values()))
        return {}
    found = {}
    for name, rows in document.layers.items():
        gaps = join_stretches(document.gaps(name))
        if rows is not None and (holds == "layers" or name == main):
            found[name] = gaps
        elif rows is not None:
            lost["missing"] += len(gaps)
    return found


def _apart(spans: Iterable[Span]) -> list[Span]:
    """The longest spans that do not overlap; of equally long ones the first."""
    kept: list[Span] = []
    taken: set[int] = set()
    for span in sorted(spans, key=lambda span: (span[0] - span[1], span)):
        if taken.isdisjoint(range(*span[:2])):
            taken.update(range(*span[:2]))
            kept.append(span)
    return sorted(kept)


def _in_lines(document: Document, lost: Counter[str]) -> Document:
    """A document each of whose tokens can be a line of columns."""
    odd = {
        i
        for i, word in enumerate(document.words)
        if re.search(r"^\ufeff|^$|[\t\n\r]", word)
        or FACT.match(word + "\tO")
        or word.split()[:1] == [DOCSTART]
    }
    lost["lines"] += len(odd)
    return _without_tokens(document, odd) if odd else document


def _in_sentences(document: Document, lost: Counter[str]) -> Document:
    """A document whose sentences end nowhere inside a span."""
    inside: set[int] = set()
    for start, end, *_ in (span for rows in document.layers.values() for span in rows or ()):
        first = bisect_right(document.sents, start)
        inside.update(document.sents[first : bisect_left(document.sents, end)])
    lost["borders"] += len(inside)
    return replace(document, sents=[*{*document.sents} - inside])


def _in_columns(documents: Sequence[Document], lost: Counter[str]) -> list[Document]:
    """Documents of which each layer is a column that says whether they were annotated."""
    names = {name for one in documents for name in one.layers}
    seen = {name for one in documents for name, rows in one.layers.items()
            if one.words and rows is not None}  # fmt: skip
    lost["idle"] += len(names - seen)
    kept = [one for one in documents
            if one.words or all(one.layers.get(name) is not None for name in seen)]  # fmt: skip
    lost["wordless"] += len(documents) - len(kept)
    kept = [renamed(one, dict(zip(seen, seen))) for one in kept]
    if not all(one.words and one.sents in ((), (0,)) for one in kept):
        lost["attributes"] += sum(len(one.attributes) for one in kept)
        kept = [replace(one, attributes={}) for one in kept]
    return kept


def _without_tokens(document: Document, odd: Collection[int]) -> Document:
    """A document without some of its tokens; spans of these alone go with them."""
    at = list(accumulate((i not in odd for i in range(len(document.words))), initial=0))

    def moved(rows: Iterable[Any]) -> list[Any]:
        return [(at[a], at[b], *label) for a, b, *label in rows if at[a] < at[b]]

    def moved_keys(by_layer: Mapping[str, Mapping[Span, Any]]) -> dict[str, dict[Span, Any]]:
        return {
            name: {tuple(span): found for old, found in spans.items() for span in moved([old])}
            for name, spans in by_layer.items()
        }

    return replace(
        document,
        words=[word for i, word in enumerate(document.words) if i not in odd],
        layers={name: rows and moved(rows) for name, rows in document.layers.items()},
        features=moved_keys(document.features),
        copies=moved_keys(document.copies),
        lines=None,
        sents=[*{at[start] for start in document.sents} - {at[-1]}],
        missing=moved(document.missing),
        missing_in={name: moved(rows) for name, rows in document.missing_in.items()},
    )


def _with_names(documents: Sequence[Document], to: str, lost: Counter[str]) -> list[Document]:
    """The documents under names that are different where they have to be, and can be written."""
    names = [one.name for one in documents]
    if to == "conll":
        names = [name and _cell(name) for name in names]
    elif to == "prodigy":
        keys = [one.name or one.words or one.text or "" for one in documents]
        times = Counter(keys)
        names = [one.name or (str(place) if times[key] > 1 else None)
                 for place, (key, one) in enumerate(zip(keys, documents), 1)]  # fmt: skip
        known_names = iter(unique_names([name for name in names if name is not None]))
        names = [name if name is None else next(known_names) for name in names]
    lost["names"] += sum(one.name is not None and one.name != name
                         for one, name in zip(documents, names))  # fmt: skip
    return [replace(one, name=name) for one, name in zip(documents, names)]
