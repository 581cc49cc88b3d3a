"""What every reader returns: documents with layers of spans, and two files made comparable."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from operator import ne
from typing import Any, NamedTuple, TypeAlias, cast

from ..measures.spans import Copy, Spans
from .errors import FormatError, did_you_mean
from .notes import NO_NOTES, Notes, add_notes

Span: TypeAlias = tuple[int, int, str]  # start, end and label
Stretch: TypeAlias = tuple[int, int]  # start and end
Unplaced: TypeAlias = tuple[int, str]  # length in tokens and label


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


def match_documents(
    gold: Corpus, pred: Corpus, *, sizes: str = "given", first: int = 0
) -> tuple[Corpus, Corpus]:
    """The two corpora with the same documents in the same order, that of gold.

    Documents are matched by name if both files name all of theirs, each name once, and any name is
    in both (ids of different programs have nothing in common); else by place. If these have the
    same tokens, but divided otherwise, the documents of gold count. So do its sentences, where both
    know them. The notes of the prediction say in which documents it was divided otherwise.

    Parameters
    ----------
    gold, pred : Corpus
    sizes : "given" or "spans"
        Whether sizes of documents are known, or only say where their last span ends: then a
        document of which neither text is known is as long as the longer of the two says.
    first : int
        Number of documents in front of both, for messages.

    Raises
    ------
    FormatError
        If a document has no partner, or at the first place where the words (with character
        positions: the text) differ.
    """
    if gold.positions != pred.positions:
        without = gold if gold.positions == "char" else pred
        raise FormatError(
            "there are no tokens here, but in the other file; give both tokens, or none: "
            "--tokenizer LANG makes tokens (before rank: of convert)",
            without.path,
        )
    from .divisions import divided_like, with_sentences

    names = [{document.name for document in corpus.documents} for corpus in (gold, pred)]
    if _has_unique_names(gold) and _has_unique_names(pred) and not names[0].isdisjoint(names[1]):
        _check_names(gold, pred)
        by_name = {document.name: document for document in pred.documents}
        order = tuple(by_name[document.name] for document in gold.documents)
        pred = replace(pred, documents=order)
    elif _are_divided_otherwise(gold, pred) and (divided := divided_like(gold, pred)):
        pred = divided
    elif len(gold.documents) != len(pred.documents):
        raise FormatError(
            f"{len(pred.documents)} documents, but {gold.path} has {len(gold.documents)}; both "
            "need the same documents, with names or in the same order (CoNLL files with different "
            f"-DOCSTART- lines: --documents sentence); {_first_difference(gold, pred)}",
            pred.path,
        )
    if sizes == "spans":
        gold, pred = _at_least_as_long(gold, pred), _at_least_as_long(pred, gold)
    for place, (one, two) in enumerate(zip(gold.documents, pred.documents), first + 1):
        _check_same(gold, pred, one, two, document_title(one, place))
    return gold, with_sentences(gold, pred)


def _are_divided_otherwise(gold: Corpus, pred: Corpus) -> bool:
    """Whether documents at the same places have other numbers of tokens."""
    sizes = ([len(document.words) for document in corpus.documents] for corpus in (gold, pred))
    return ne(*sizes)


def _at_least_as_long(corpus: Corpus, other: Corpus) -> Corpus:
    """The corpus, documents known by their size alone at least as long as those of the other."""
    documents = (
        one if one.size is None else replace(one, size=max(one.size, other.size(two)))
        for one, two in zip(corpus.documents, other.documents)
    )
    return replace(corpus, documents=tuple(documents))


def _first_difference(gold: Corpus, pred: Corpus) -> str:
    """Where two corpora with other numbers of documents begin to differ, in words."""
    for place, (one, two) in enumerate(zip(gold.documents, pred.documents), 1):
        try:
            _check_same(gold, pred, one, two, document_title(one, place))
        except FormatError as error:
            return f"the first difference: {error}"
    longer = max(gold, pred, key=lambda corpus: len(corpus.documents))
    place = min(len(gold.documents), len(pred.documents))
    extra = longer.documents[place]
    line = f":{extra.line(0)}" if extra.line(0) else ""
    path = extra.path or longer.path
    return f"the first one too many is {document_title(extra, place + 1)} of {path}{line}"


def _has_unique_names(corpus: Corpus) -> bool:
    """Whether all documents have a name of their own."""
    names = {document.name for document in corpus.documents}
    return None not in names and len(names) == len(corpus.documents)


def _check_names(gold: Corpus, pred: Corpus) -> None:
    """Raise for the first document that only one of the two files has."""
    for one, two in ((gold, pred), (pred, gold)):
        there = {document.name for document in two.documents}
        absent = [document.name for document in one.documents if document.name not in there]
        if absent:
            count = f" ({len(absent)} such documents)" if len(absent) > 1 else ""
            raise FormatError(
                f"there is no document {absent[0]!r}, which {one.path} has; both files need the "
                f"same documents{count}",
                two.path,
            )


def _check_same(gold: Corpus, pred: Corpus, one: Document, two: Document, name: str) -> None:
    """Raise at the first token, or with character positions the first character, that differs."""
    token = gold.positions == "token"
    if one.size is not None or two.size is not None:
        return _check_size(gold, pred, one, two, name)
    first, second = (one.words, two.words) if token else (one.text, two.text)
    if first == second:
        return
    pairs = enumerate(zip_longest(first or "", second or ""))
    at, found = next((i, found) for i, found in pairs if found[0] != found[1])
    here, there = ("the end" if item is None else repr(item) for item in found)
    lines = [document.line(at if token else 0) for document in (one, two)]
    other = ":".join(str(part) for part in (two.path or pred.path, lines[1]) if part is not None)
    what, where = ("token", "tokens") if token else ("character", "text")
    raise FormatError(
        f"{what} {at + 1} of {name} is {here}, but {there} in {other}; score annotations of the "
        f"same {where}",
        one.path or gold.path,
        lines[0],
    )


def _check_size(gold: Corpus, pred: Corpus, one: Document, two: Document, name: str) -> None:
    """Raise if two documents, of which one is known by its size alone, differ in it."""
    sizes = gold.size(one), pred.size(two)
    if sizes[0] != sizes[1]:
        raise FormatError(
            f"{name} has {sizes[0]} {gold.positions}s, but {sizes[1]} in {two.path or pred.path}; "
            "score annotations of the same text",
            one.path or gold.path,
            one.line(0),
        )


BY_LAYER = ("layers", "categories", "unplaced", "features", "copies")
ANSWER = (*BY_LAYER, "missing_in")  # what a document has by annotator


class AnnotatorLayer(NamedTuple):
    """One layer of one corpus: what an annotator did."""

    annotator: str
    corpus: Corpus
    layer: str


def merge_annotators(parts: Sequence[AnnotatorLayer], first: int = 0) -> Corpus:
    """One corpus of all documents, with a layer of spans or categories for each annotator.

    Documents are matched by name if all files name all of theirs, each name once; else by place.
    An annotator who lacks a document has not seen it.

    Parameters
    ----------
    parts : sequence of Part
        An annotator may have several, of different documents.
    first : int
        Number of documents in front of these, for messages.

    Raises
    ------
    FormatError
        If files have other tokens or texts for one document, if some have tokens and others have
        not, if documents without names differ in number, or if an annotator has one twice.
    """
    one = parts[0].corpus
    for part in parts:
        if part.corpus.positions != one.positions:
            raise FormatError(
                f"positions are of the kind {part.corpus.positions!r}, but {one.positions!r} in "
                f"{one.path}; give all tokens, or none (--tokenizer makes tokens of texts)",
                part.corpus.path,
            )
    named = all(_has_unique_names(part.corpus) for part in parts)
    if not named:
        _check_n_docs(parts)
    made: dict[object, Document] = {}
    origin: dict[object, Corpus] = {}
    answers: dict[object, dict[str, Any]] = {}
    for part in parts:
        for place, document in enumerate(part.corpus.documents):
            key: object = document.name if named else place
            if key in made:
                others = origin[key], part.corpus, made[key], document
                _check_same(*others, document_title(document, first + place + 1))
            else:
                made[key], origin[key] = document, part.corpus
                answers[key] = {field: {} for field in ANSWER} | {"sents": document.sents}
            _add_answer(answers[key], document, part)
    repairs = sorted({part.corpus.repair for part in parts})
    documents = [replace(made[key], missing=(), **found) for key, found in answers.items()]
    notes = add_notes({id(part.corpus): part.corpus.notes for part in parts}.values())
    return Corpus(one.path, documents, one.positions, "+".join(repairs), notes)


def with_names(first: Corpus, corpus: Corpus) -> Corpus:
    """The corpus with the names of the first one, if it has its texts and none of its names.

    So documents are the same although different programs gave them different ids.
    """
    names = {document.name for document in first.documents}
    known = any(document.name in names for document in corpus.documents)
    if known or not (_has_unique_names(first) and _has_unique_names(corpus)):
        return corpus
    if _content_of(first) != _content_of(corpus):
        return corpus
    pairs = zip(first.documents, corpus.documents)
    return replace(corpus, documents=tuple(replace(two, name=one.name) for one, two in pairs))


def _content_of(corpus: Corpus) -> object:
    """The tokens, or texts, of all documents; the corpus itself if it does not say them."""
    if any(document.size is not None for document in corpus.documents):
        return corpus
    token = corpus.positions == "token"
    return [document.words if token else document.text for document in corpus.documents]


def _check_n_docs(parts: Sequence[AnnotatorLayer]) -> None:
    """Raise if documents that are matched by place are not equally many."""
    first = parts[0].corpus
    for part in parts:
        if len(part.corpus.documents) != len(first.documents):
            raise FormatError(
                f"{len(part.corpus.documents)} documents, but {first.path} has "
                f"{len(first.documents)}; without a name for each (ids, `# id X`) documents are "
                "matched by their place, and each file needs all of them",
                part.corpus.path,
            )


def _add_answer(answers: dict[str, Any], document: Document, part: AnnotatorLayer) -> None:
    """Add what one annotator did with a document to what all of them did."""
    if part.layer not in document.layers and part.layer not in document.categories:
        return
    if part.annotator in answers["layers"] or part.annotator in answers["categories"]:
        name = f"document {document.name!r}" if document.name is not None else "a document"
        raise FormatError(
            f"{name} has two annotations by {part.annotator!r}; keep one of them, or give the "
            "annotators different names (NAME=PATH)",
            document.path or part.corpus.path,
            document.line(0),
        )
    for name in BY_LAYER:
        found = getattr(document, name)
        if part.layer in found:
            answers[name][part.annotator] = found[part.layer]
    gaps = document.gaps(part.layer)
    if gaps:
        answers["missing_in"][part.annotator] = gaps
    if document.sents != answers["sents"]:
        answers["sents"] = tuple(sorted({*answers["sents"], *document.sents}))
