"""Annotation without a place in a format: it is removed from a corpus before writing, and counted.

`TARGETS` lists the content of each format. Writing the reduced corpus and reading that again gives
the reduced corpus.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any, NoReturn

from ..measures.messages import quoted
from ..measures.spans import Copy
from .cas import OWN_NAMES
from .cas_files import is_feature
from .conll_lines import DOCSTART, FACT, is_tag
from .corpus import Corpus, Document, Span, Stretch, document_title, join_stretches, unique_names
from .doccano import ANNOTATOR, DOCCANO_SPAN_KEYS
from .doccano import KEYS as DOCCANO_KEYS
from .documents import BY_LAYER
from .errors import FormatError, PathLike, known
from .files import file_key, file_names, safe_name, suffix_of
from .gate import LINGUISTIC, MARKUP
from .jsonl import KEYS
from .prodigy import ATTRIBUTES, SPAN_KEYS
from .prodigy_out import HASH
from .rows import CATEGORIES, borders_in_text, is_json, plain_values
from .safe_xml import NOT_XML
from .sniffing import TAGS, WORDS
from .table import OWN
from .texts import FRAGMENTS, join_words, simple_values, spaces_in, to_characters

Holds = Callable[[str, Any], bool]  # whether a value can be written under a name
MAIN = ("spans", "gold", "ents")  # layers that files of one layer are about
# kinds of losses: the words for one, and for several
KINDS = {
    "textless": ("1 document without text", "{n} documents without text"),
    "wordless": ("1 document without tokens", "{n} documents without tokens"),
    "unseen": ("1 document that was not annotated", "{n} documents that were not annotated"),
    "tokens": ("the tokens of 1 document", "the tokens of {n} documents"),
    "words": ("the words of 1 document", "the words of {n} documents"),
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
    "blank": ("that 1 layer was not annotated", "that {n} layers of documents were not annotated"),
    "fragments": ("1 discontinuous span", "{n} discontinuous spans"),
    "overlaps": ("1 overlapping span", "{n} overlapping spans"),
    "gaps": ("1 span over positions not annotated", "{n} spans over positions not annotated"),
    "idle": ("1 layer that nobody annotated", "{n} layers that nobody annotated"),
    "layers": ("the name of 1 layer", "the names of {n} layers"),
    "labels": ("the spelling of 1 label", "the spelling of {n} labels"),
    "names": ("the name of 1 document", "the names of {n} documents"),
    "characters": ("1 character that XML cannot hold", "{n} characters that XML cannot hold"),
}
# kinds without which the spans are others
OF_SPANS = ("unplaced", "fragments", "overlaps", "gaps", "lines", "labels")


@dataclass(frozen=True)
class Target:
    """The kinds of annotation that a format can hold.

    Parameters
    ----------
    positions : "token", "char" or "any"
    text : "any", "laid", "spaced", "words" or "none"
        Words and any text; words that make it up; words with spaces that do; words alone; nothing.
    one_layer : bool
        Whether a file has one layer of spans.
    categories : "all", "one", "alone", "beside" or "none"
        How many layers of them: "alone" without spans, "beside" of annotators with spans, too.
    missing : "all", "layers", "main" or "none"
        Where positions without annotation are held: everywhere, in single layers, in the main one.
    sentences, unplaced, overlaps, fragments : bool
        Whether it holds these; `fragments` are discontinuous spans.
    copies : "all", "counted" or "none"
        Which further annotations of spans it holds.
    idle, unseen, empty : bool
        Whether it holds layers that nobody annotated, documents not annotated, or without tokens.
    unique, files, xml : bool
        Whether documents need different names, become files of their names, are written as XML.
    attributes, features : callable
        Whether it holds a value under a name.
    label, layer : callable
        A label, and the name of a layer, as it can be written.
    """

    positions: str = "any"
    text: str = "laid"
    one_layer: bool = False
    categories: str = "none"
    missing: str = "none"
    sentences: bool = False
    unplaced: bool = False
    overlaps: bool = True
    fragments: bool = False
    copies: str = "none"
    idle: bool = True
    unseen: bool = True
    empty: bool = True
    unique: bool = False
    files: bool = False
    xml: bool = False
    attributes: Holds = lambda name, value: False
    features: Holds = lambda name, value: False
    label: Callable[[str], str] = lambda label: label or "_"
    layer: Callable[[str], str] = lambda name: name or "_"


def _plain(*taken: str) -> Holds:
    """Whether a value is a string, finite number, truth or null, under a name that is free."""

    def holds(name: str, value: Any) -> bool:
        finite = type(value) is not float or math.isfinite(value)
        return type(name) is str and finite and bool(plain_values({name: value}, taken))

    return holds


def _simple(name: str, value: Any) -> bool:
    """Whether a value is a string, finite number or truth."""
    return type(name) is str and bool(simple_values({name: value}))


def _json(*taken: str) -> Holds:
    """Whether JSON gives a value back as it is, under a name that is free."""
    return lambda name, value: type(name) is str and name not in taken and is_json(value)


def _table_cell(name: str, value: Any) -> bool:
    """Whether a value can stand in a column of a table."""
    return _json("")(name, value) and name.strip() not in OWN


def _label_studio(name: str, value: Any) -> bool:
    """Whether a value is a choice or a number."""
    return type(value) in (str, int, float) and _plain()(name, value)


def _brat(name: str, value: Any) -> bool:
    """Whether a value is an attribute of brat."""
    in_line = type(value) is str and value != "" and not re.search(r"[\r\n]", value)
    return type(name) is str and name.split() == [name] and (value is True or in_line)


def _uima(name: str, value: Any) -> bool:
    """Whether a value is one of UIMA."""
    fits = type(value) is not int or -(2**63) <= value < 2**63
    return _simple(name, value) and is_feature(name) and name not in OWN_NAMES and fits


def _gate(name: str, value: Any) -> bool:
    """Whether a value is a feature of GATE that is not ours."""
    return _simple(name, value) and name != FRAGMENTS


def _word(name: str, value: Any) -> bool:
    """Whether a value is a text under a name in plain letters."""
    plain = type(name) is str and re.fullmatch(r"(?!ROLE_|BT_|\d)\w+", name, re.ASCII)
    return bool(plain) and name != "value" and type(value) is str and value != ""


def _comment(name: str, value: Any) -> bool:
    """Whether an attribute can stand in a comment of columns."""
    return type(name) is type(value) is str and "=" not in name and all(
        one == one.strip() and not re.search(r"[\t\n\r]", one) for one in (name, value)
    )  # fmt: skip


def _cell(text: str) -> str:
    """A text as a label, or name, in columns."""
    return " ".join(re.split(r"[\t\n\r]+", text)).strip(" ").lstrip("=\ufeff").strip(" ") or "_"


def _column(name: str) -> str:
    """The name of a layer as that of a column."""
    name = _cell(name)
    return f"_{name}" if is_tag(name) or name == "token" else name


TARGETS = {
    "jsonl": Target(
        text="any", categories="all", missing="all", sentences=True, unplaced=True,
        fragments=True, attributes=_json(*KEYS), features=_json(),
    ),
    "conll": Target(
        "token", "words", missing="layers", sentences=True, overlaps=False,
        attributes=_comment, label=_cell, layer=_column,
    ),
    "tagged": Target(
        "token", "words", one_layer=True, overlaps=False, empty=False,
        attributes=_json(*KEYS, *TAGS, *WORDS),
    ),
    "csv": Target(
        text="none", categories="alone", idle=False, unique=True, features=_table_cell
    ),
    "prodigy": Target(
        categories="all", idle=False, unique=True, attributes=_json(),
        features=_json(*SPAN_KEYS),
    ),
    "doccano": Target(
        "char", categories="all", unique=True, attributes=_plain(*DOCCANO_KEYS, ANNOTATOR),
        features=_plain(*DOCCANO_SPAN_KEYS),
    ),
    "labelstudio": Target(
        "char", categories="beside", attributes=_plain("text"), features=_label_studio
    ),
    "brat": Target(
        "char", one_layer=True, unique=True, files=True, fragments=True, features=_brat,
        label=lambda label: "_".join(label.split()) or "_",
    ),
    "cas": Target(
        one_layer=True, sentences=True, unseen=False, empty=False, xml=True, fragments=True,
        features=_uima,
    ),
    "webanno": Target(
        "token", sentences=True, copies="all", unseen=False, empty=False,
        features=_word,
        layer=lambda name: re.sub(r"\W|^(?=ROLE_|BT_|\d)", "_", name, flags=re.ASCII) or "_",
    ),
    "gate": Target(
        sentences=True, copies="counted", idle=False, empty=False, fragments=True,
        attributes=_simple, features=_gate,
        label=lambda label: f"{label}_" if label in LINGUISTIC else label or "_",
        layer=lambda name: f"{name}_" if name in ("", MARKUP) else name,
    ),
    "spacy": Target(
        "token", "spaced", categories="one", missing="main", sentences=True, overlaps=False,
        empty=False,
        attributes=lambda name, value: name != "name" and _simple(name, value),
    ),
}  # fmt: skip


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
        If nothing is left to write, or if the format needs tokens and the corpus has none.
    """
    target, lost = TARGETS[to], Counter[str]()
    if target.positions == "token" and corpus.positions == "char":
        raise FormatError(f"{to} needs tokens; --tokenizer LANG makes some of texts", path)
    if suffix_of(path) == ".xml":
        target = replace(target, xml=True)
    if to == "cas":
        target = replace(target, features=_of_one_type(target.features))
    annotated = corpus.layer_names or corpus.category_layers
    corpus = _with_content(corpus, target, lost)
    corpus = _with_layers(corpus, target, layer, lost)
    corpus = _with_categories(corpus, target.categories, lost)
    documents = _with_labels(corpus.documents, target, lost)
    if to == "conll":
        documents = [_in_sentences(_in_lines(one, True, lost), lost) for one in documents]
    elif to == "webanno":
        documents = [_in_lines(one, False, lost) for one in _filled(documents, lost)]
        lost["wordless"] += sum(not one.words for one in documents)
        documents = [one for one in documents if one.words]
    documents = [_reduced(one, target, main, lost) for one in documents]
    if to == "conll":
        documents = _in_columns(documents, lost)
    if to == "prodigy":
        several = layer is None and (*corpus.layer_names, *corpus.category_layers) != ("spans",)
        documents = [_as_task(one, ATTRIBUTES if several else (), lost) for one in documents]
    corpus = replace(corpus, documents=documents)
    if target.positions == "char" and corpus.positions == "token":
        lost["tokens"] += sum(bool(one.words) for one in documents)
        corpus = to_characters(corpus)
    corpus = replace(corpus, documents=_with_names(corpus, to, target, lost))
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


def _of_one_type(holds: Holds) -> Holds:
    """The same, of values of one type under each name: that of the first."""
    types: dict[str, type] = {"identifier": str}

    def first_type(name: str, value: Any) -> bool:
        return holds(name, value) and types.setdefault(name, type(value)) is type(value)

    return first_type


def _with_content(corpus: Corpus, target: Target, lost: Counter[str]) -> Corpus:
    """The documents that have the words or the text that the target needs."""
    kept, by_token = [], corpus.positions == "token"
    for document in corpus.documents:
        textless = document.size is not None or not by_token and document.text is None
        if textless and target.text != "none":
            lost["textless"] += 1
        elif by_token and not document.words and not target.empty:
            lost["wordless"] += 1
        elif target.text == "none":
            lost["words" if document.words else "text"] += bool(document.words or document.text)
            size = corpus.size(document)
            kept.append(replace(document, words=(), text=None, spaces=None, size=size))
        else:
            kept.append(_consistent(document, target.text, lost) if by_token else document)
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


def _with_layers(corpus: Corpus, target: Target, layer: str | None, lost: Counter[str]) -> Corpus:
    """The corpus with the layers that are written, under names that can be."""
    documents = corpus.documents
    loose = {name for one in documents for name in one.unplaced}
    names = tuple(sorted({*corpus.layer_names, *loose}))
    seen = {name for one in documents for name, rows in one.layers.items() if rows is not None}
    if layer is not None:
        names = (known(layer, {*names, *corpus.category_layers}, "layer"),)
    elif target.one_layer and names:
        order = (*MAIN, *names)
        names = (next((name for name in order if name in seen), names[0]),)
    elif not target.idle and seen:
        seen |= {*corpus.category_layers, *loose}
        lost["idle"] += len({*names} - seen)
        names = tuple(name for name in names if name in seen)
    if target.one_layer:
        lost["layers"] += sum(name not in MAIN for name in names)
    for document in documents:
        for name, rows in document.layers.items():
            if name not in names and rows:
                lost[f"the layer {quoted(name)}"] += len(rows)
    others = corpus.category_layers if layer is None and not target.one_layer else ()
    new = {name: target.layer(name) for name in dict.fromkeys((*names, *others))}
    if not target.one_layer:
        lost["layers"] += sum(one != two for one, two in new.items())
    new = dict(zip(new, unique_names(list(new.values()))))
    kept = [_renamed(one, new) for one in documents]
    if not target.unseen:
        kept = [one for one in kept if any(rows is not None for rows in one.layers.values())]
        lost["unseen"] += len(documents) - len(kept)
    return replace(corpus, documents=kept)


def _renamed(document: Document, names: Mapping[str, str]) -> Document:
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
    if holds == "none" or holds == "alone" and corpus.layer_names:
        kept = set()
    elif holds == "one":
        kept = {CATEGORIES} & kept if len(names) > 1 else kept
        chosen = (one.categories.get(name) for one in corpus.documents for name in kept)
        kept = kept if any(chosen) else set()
    elif holds == "beside" and not _stand_beside(corpus):
        kept = set()
    documents = []
    for document in corpus.documents:
        own = {
            name: found and tuple(found)  # an error here if they cannot be read
            for name, found in document.categories.items()
            if name in kept
        }
        if holds == "beside" and kept and corpus.layer_names:
            own = {**dict.fromkeys(document.layers), **own}
            document = replace(document, layers={**dict.fromkeys(own), **document.layers})
        lost["categories"] += any(
            found is not None for name, found in document.categories.items() if name not in kept
        )
        documents.append(replace(document, categories=own))
    return replace(corpus, documents=documents)


def _stand_beside(corpus: Corpus) -> bool:
    """Whether each annotator has spans and categories, of all documents, or nobody has spans."""
    if not any(found for one in corpus.documents for found in one.categories.values()):
        return False  # categories that were never chosen
    if not corpus.layer_names:
        return True
    return any(rows for one in corpus.documents for rows in one.layers.values()) and all(
        {name for name, rows in one.layers.items() if rows is not None}
        == {name for name, found in one.categories.items() if found is not None}
        for one in corpus.documents
    )


def _with_labels(
    documents: Sequence[Document], target: Target, lost: Counter[str]
) -> list[Document]:
    """The documents with labels as they can be written."""
    fields = ("layers", "unplaced", "features", "copies")
    labels = {row[_label_at(row)] for one in documents for field in fields[:2]
              for rows in getattr(one, field).values() for row in rows or ()}  # fmt: skip
    new = {label: target.label(label) for label in labels}
    if target.xml:
        new = {label: _of_xml(name) for label, name in new.items()}
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


def _of_xml(value: Any) -> Any:
    """A value whose characters XML can hold."""
    return NOT_XML.sub("\ufffd", value) if type(value) is str else value


def _reduced(document: Document, target: Target, main: str | None, lost: Counter[str]) -> Document:
    """A document with the values, spans and stretches that are written."""
    held = target.attributes
    kept: dict[str, Any] = {
        "attributes": {key: said for key, said in document.attributes.items() if held(key, said)}
    }
    lost["attributes"] += len(document.attributes) - len(kept["attributes"])
    gaps: dict[str, list[Stretch]] = {}
    if target.missing != "all":
        gaps = _gaps(document, target.missing, main, lost)
        kept |= {"missing": (), "missing_in": gaps}
    whole = [(0, len(document.words))]
    kept["layers"] = {
        name: rows and _written_spans(rows, gaps.get(name, ()), target, main in (None, name), lost)
        for name, rows in document.layers.items()
    }
    if gaps:  # a layer of which all tokens are missing was not annotated
        idle = [name for name, rows in gaps.items() if rows == whole]
        kept["layers"] |= dict.fromkeys(idle)
        kept["missing_in"] = {name: rows for name, rows in gaps.items() if name not in idle}
    kept["features"] = _written_features(document, kept["layers"], target.features, lost)
    kept["copies"] = _written_copies(document, target, lost)
    if not target.unplaced:
        lost["unplaced"] += sum(map(len, document.unplaced.values()))
        kept["unplaced"] = {}
    if not target.sentences:
        lost["sentences"] += any(document.sents)
        kept["sents"] = ()
    return replace(document, **kept)


def _written_spans(
    rows: Sequence[Span], gaps: Sequence[Stretch], target: Target, main: bool, lost: Counter[str]
) -> Sequence[Span]:
    """The spans of a layer that are written."""
    if not target.fragments:
        n, rows = len(rows), [row for row in rows if len(row) == 3]
        lost["fragments"] += n - len(rows)
    if gaps:
        n = len(rows)
        starts = [start for start, _ in gaps]
        last = [bisect_left(starts, end) - 1 for _, end, *_ in rows]  # gap before the end
        rows = [row for row, i in zip(rows, last) if i < 0 or gaps[i][1] <= row[0]]
        lost["gaps"] += n - len(rows)
    if main and not target.overlaps:
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


def _written_copies(
    document: Document, target: Target, lost: Counter[str]
) -> dict[str, dict[Span, list[Copy]]]:
    """The further annotations of spans that are written."""
    found: dict[str, dict[Span, list[Copy]]] = {}
    for name, spans in document.copies.items():
        for span, some in spans.items():
            for copy in some:
                if target.copies != "all" and not (target.copies == "counted" and copy.counted):
                    lost["copies"] += 1
                    continue
                said = {k: v for k, v in copy.features.items() if target.features(k, v)}
                lost["features"] += len(copy.features) - len(said)
                own = found.setdefault(name, {}).setdefault(span, [])
                own.append(copy._replace(features=said))
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


def _filled(documents: Sequence[Document], lost: Counter[str]) -> list[Document]:
    """Documents that were annotated in all layers, as files read that leave a layer out."""
    names = {name for one in documents for name in one.layers}
    blank = [[name for name in names if one.layers.get(name) is None] for one in documents]
    lost["blank"] += sum(map(len, blank))
    return [
        replace(one, layers={**one.layers, **dict.fromkeys(some, ())})
        for one, some in zip(documents, blank)
    ]


def _in_lines(document: Document, columns: bool, lost: Counter[str]) -> Document:
    """A document each of whose tokens can be a line, of columns without escapes or others."""
    odd = {i for i, word in enumerate(document.words)
           if re.search(r"[\t\n\r]", word) or columns and not _fits_a_line(word)}  # fmt: skip
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
    kept = [_renamed(one, dict(zip(seen, seen))) for one in kept]
    if not all(one.words and one.sents in ((), (0,)) for one in kept):
        lost["attributes"] += sum(len(one.attributes) for one in kept)
        kept = [replace(one, attributes={}) for one in kept]
    return kept


def _fits_a_line(word: str) -> bool:
    """Whether a word can be a token of columns."""
    special = re.search(r"^\ufeff|^$", word) or FACT.match(word + "\tO")
    return not special and word.split()[:1] != [DOCSTART]


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


def _as_task(document: Document, taken: Sequence[str], lost: Counter[str]) -> Document:
    """A document whose attributes a task can hold beside those of its format."""
    hashed = document.name is None or HASH.fullmatch(document.name)
    taken = taken if hashed else (*taken, "document")
    kept = {key: value for key, value in document.attributes.items() if key not in taken}
    lost["attributes"] += len(document.attributes) - len(kept)
    return replace(document, attributes=kept)


def _with_names(corpus: Corpus, to: str, target: Target, lost: Counter[str]) -> list[Document]:
    """The documents under names that are different where they have to be, and can be written."""
    documents, width = list(corpus.documents), len(str(len(corpus.documents)))
    names: Sequence[str | None] = [one.name for one in documents]
    if to == "csv" or target.files:
        names = [name or f"{place:0{width}}" for place, name in enumerate(names, 1)]
    elif to == "webanno":
        names = file_names(names)
    elif to == "conll":
        names = [name and _cell(name) for name in names]
    elif target.unique and (to != "doccano" or _is_team(corpus)):
        keys = [one.name or one.words or one.text or "" for one in documents]
        times = Counter(keys)
        names = [one.name or (str(place) if times[key] > 1 else None)
                 for place, (key, one) in enumerate(zip(keys, documents), 1)]  # fmt: skip
    if target.unique:
        known_names = iter(unique_names([name for name in names if name is not None]))
        names = [name if name is None else next(known_names) for name in names]
    if target.files and not _are_files([name or "" for name in names]):
        names = file_names(names)
    if target.xml:
        documents = [_in_xml(one, lost) for one in documents]
        names = [_of_xml(name) for name in names]
    lost["names"] += sum(one.name is not None and one.name != name
                         for one, name in zip(documents, names))  # fmt: skip
    return [replace(one, name=name) for one, name in zip(documents, names)]


def _is_team(corpus: Corpus) -> bool:
    """Whether layers are those of annotators."""
    plain = {*corpus.layer_names} <= {"spans"} and {*corpus.category_layers} <= {CATEGORIES}
    return not plain


def _are_files(names: Sequence[str]) -> bool:
    """Whether documents can give their names to files of a folder, on every system."""
    if len(set(map(file_key, names))) < len(names):
        return False
    files = {file_key(f"{name}{ending}") for name in names for ending in (".txt", ".ann")}
    try:
        return not any(
            file_key(str(parent)) in files
            for name in names
            for parent in PurePosixPath(safe_name(name, "")).parents
        )
    except FormatError:
        return False


def _in_xml(document: Document, lost: Counter[str]) -> Document:
    """A document whose characters XML can hold."""
    features = {
        name: {
            span: {key: _of_xml(value) for key, value in said.items()}
            for span, said in spans.items()
        }
        for name, spans in document.features.items()
    }
    attributes = {key: _of_xml(value) for key, value in document.attributes.items()}
    text, words = _of_xml(document.text), tuple(map(_of_xml, document.words))
    made = replace(document, text=text, words=words, features=features, attributes=attributes)
    lost["characters"] += sum(
        len(NOT_XML.findall(one)) for one in ((document.text,) if document.text else document.words)
    )
    return made
