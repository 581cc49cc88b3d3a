"""Files of the same documents made comparable: gold and predictions, or several annotators."""

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

import numpy as np

from ..measures.alignment import ALIGN
from ..measures.messages import quoted
from .blemishes import all_completed, completed
from .corpus import BY_LAYER, Corpus, Document, document_title
from .divisions import divided_alike, divided_like, with_sentences
from .errors import FormatError, known
from .notes import add_notes


def match_documents(
    gold: Corpus,
    pred: Corpus,
    *,
    sizes: str = "given",
    first: int = 0,
    align: str = "auto",
    whole: bool = True,
) -> tuple[Corpus, Corpus]:
    """The two corpora with the same documents in the same order, that of gold.

    Documents are matched by name if both files name all of theirs, each name once, and any name is
    in both (ids of different programs have nothing in common); else by text, if both have the same
    ones, each once; else by place. If these have the same tokens, or with align="position" as many,
    but divided otherwise, the documents of gold count. So do its sentences, where both
    know them. The notes of the prediction say in which documents it was divided otherwise, and in
    which it had other tokens.

    Parameters
    ----------
    gold, pred : Corpus
        Of the same documents.
    sizes : "given" or "spans"
        Whether sizes of documents are known, or only say where their last span ends: then a
        document of which neither text is known is as long as the longer of the two says.
    first : int
        Number of documents before both, for messages.
    align : "auto", "tokens", "characters" or "position"
        Documents with other tokens. "auto": if their text is the same but for white space and case,
        predicted spans are carried over to gold's tokens by characters; those that do not fit these
        are unplaced. "tokens": they are an error. "characters": gold and prediction are counted in
        characters. "position": like "auto", but equally many tokens of another text are compared
        by their places.
    whole : bool
        Whether these are all documents, so that a message can say how many differ.

    Raises
    ------
    FormatError
        If a document has no partner, or at the first place where the words (with character
        positions: the text) differ and cannot be aligned.
    """
    known(align, ALIGN, "value of align")
    if align == "characters":
        from .alignment import in_characters

        gold, pred = in_characters(gold), in_characters(pred)
    pred = completed(gold, pred)
    if gold.positions != pred.positions and align == "tokens":
        without = gold if gold.positions == "char" else pred
        raise FormatError(
            "there are no tokens here, but in the other file; give both tokens, or none: "
            "--tokenizer LANG makes tokens, and --align auto carries spans over",
            without.path,
        )
    gold, pred = _matched(gold, pred, align)
    if pred.notes.sizes and any(True for _ in _differing(gold, pred)):  # blemishes are left out
        from .alignment import on_gold_positions

        pred = on_gold_positions(gold, pred, _differing(gold, pred), align, skip=True)
    if sizes == "spans":
        gold, pred = _at_least_as_long(gold, pred), _at_least_as_long(pred, gold)
    for at in _differing(gold, pred):
        one, two = gold.documents[at], pred.documents[at]
        advise = partial(_advice, gold, pred, align, None if whole else at)
        _check_same(gold, pred, one, two, document_title(one, first + at + 1), advise)
    return gold, with_sentences(gold, pred)


def _matched(gold: Corpus, pred: Corpus, align: str) -> tuple[Corpus, Corpus]:
    """Gold and the prediction with documents in the same order, on the same tokens if they fit."""
    if _share_names(gold, pred):
        if gold.names() != pred.names():
            _check_names(gold, pred)
            place = {name: i for i, name in enumerate(pred.names())}
            order = np.array([place[name] for name in gold.names()], np.int64)
            pred = replace(pred, documents=pred.table.taken(order))
        return gold, _on_positions_of(gold, pred, align)
    if _are_divided_otherwise(gold, pred) and (divided := divided_like(gold, pred)):
        return gold, divided
    if align == "position" and (placed := _divided_by_place(gold, pred)):
        return gold, placed
    if len(gold.documents) == len(pred.documents):
        pred = _in_order_of_texts(gold, pred)
        pred = _on_positions_of(gold, pred, align)
        if align != "auto" or not any(True for _ in _differing(gold, pred)):
            return gold, pred
    if align == "auto" and (divided := _divided_with_other_tokens(gold, pred)):
        return gold, divided
    if len(gold.documents) != len(pred.documents):
        raise FormatError(
            f"{_n_documents(pred)}, but {gold.path} has {len(gold.documents)}; both need the same "
            f"documents, with names or in the same order{_by_file(gold, pred)}; "
            f"{_first_difference(gold, pred)}{_by_place(gold, pred)}",
            pred.path,
        )
    return gold, pred


def _divided_by_place(gold: Corpus, pred: Corpus) -> Corpus | None:
    """The prediction in the documents of gold, as many tokens compared by place; else None."""
    mine, theirs = gold.table, pred.table
    if mine.words is None or theirs.words is None or not _are_divided_otherwise(gold, pred):
        return None
    if gold.positions != pred.positions or len(mine.words) != len(theirs.words):
        return None
    from .alignment import noted_by_place

    respelled = replace(theirs, words=mine.words)
    divided = divided_like(gold, replace(pred, documents=respelled))
    return divided and replace(divided, notes=divided.notes + noted_by_place(gold, pred))


def _in_order_of_texts(first: Corpus, corpus: Corpus) -> Corpus:
    """The corpus in the order in which the other one has its texts, if both have the same ones.

    Each text has to be there once; white space aside.
    """
    if len(first.documents) != len(corpus.documents) or not any(
        True for _ in _differing(first, corpus)
    ):
        return corpus
    from .alignment import letters_of

    mine, theirs = (
        [letters_of(document, one.positions) for document in one.documents]
        for one in (first, corpus)
    )
    place = {text: at for at, text in enumerate(theirs)}
    if mine == theirs or len(place) < len(theirs) or place.keys() != {*mine}:
        return corpus
    order = np.array([place[text] for text in mine], np.int64)
    return replace(corpus, documents=corpus.table.taken(order))


def _divided_with_other_tokens(gold: Corpus, pred: Corpus) -> Corpus | None:
    """The prediction in the documents of gold, on its tokens; None if it has another text."""
    from .alignment import on_gold_tokens_throughout

    moved = on_gold_tokens_throughout(gold, pred)
    return None if moved is None else divided_like(gold, moved)


def _on_positions_of(gold: Corpus, pred: Corpus, align: str) -> Corpus:
    """The prediction, of the same documents, on the positions of gold where that is possible."""
    if align == "tokens":
        return pred
    if not any(True for _ in _differing(gold, pred)):
        return pred
    from .alignment import on_gold_positions

    return on_gold_positions(gold, pred, _differing(gold, pred), align)


def _n_documents(corpus: Corpus) -> str:
    """The number of documents, with the noun."""
    return f"{len(corpus.documents)} document{'s' * (len(corpus.documents) != 1)}"


def _by_file(*corpora: Corpus) -> str:
    """Advice on folders of CoNLL files of which one does not have a document for each file."""
    unnamed = (one for one in corpora if not one.table.has_names_of_their_own)
    if not any(os.path.isdir(one.path) for one in unnamed):
        return ""
    return " (--documents file makes a document of each file, or sentence of each sentence)"


def _share_names(one: Corpus, two: Corpus) -> bool:
    """Whether documents are matched by name: all have their own, and any name is in both."""
    if not one.table.has_names_of_their_own:
        return False
    if one.names() == two.names():
        return len(one.names()) > 0
    return two.table.has_names_of_their_own and not set(one.names()).isdisjoint(two.names())


def _are_divided_otherwise(gold: Corpus, pred: Corpus) -> bool:
    """Whether documents at the same places have other numbers of tokens."""
    return not np.array_equal(gold.table.n_words, pred.table.n_words)


def _differing(gold: Corpus, pred: Corpus) -> Iterable[int]:
    """The documents that may differ, of equally many in the same order; the first one does."""
    one, two = gold.table, pred.table
    if gold.positions != pred.positions:
        return range(len(one))
    if one.words is None or two.words is None:
        texts = [table.more.get("text") for table in (one, two)]
        same = gold.positions == "char" and None not in texts and texts[0] == texts[1]
        sized = "size" in one.more or "size" in two.more
        return () if same and not sized else range(len(one))
    if np.array_equal(one.sizes, two.sizes) and one.words == two.words:
        return ()
    pairs = zip(one.document_words(), two.document_words())
    return (at for at, (mine, theirs) in enumerate(pairs) if mine != theirs)


def _at_least_as_long(corpus: Corpus, other: Corpus) -> Corpus:
    """The corpus, documents known by their size alone at least as long as those of the other."""
    table = corpus.table
    if "size" not in table.more:
        return corpus
    given = table.more["size"]
    known = np.array([size is None for size in given], bool)
    sizes = np.where(known, table.sizes, np.maximum(table.sizes, other.table.sizes))
    column = [None if size is None else new for size, new in zip(given, sizes.tolist())]
    return replace(
        corpus, documents=replace(table, sizes=sizes, more={**table.more, "size": column})
    )


def _by_place(gold: Corpus, pred: Corpus) -> str:
    """Advice on files with as many tokens, if they are."""
    words = [one.table.words for one in (gold, pred) if one.table.words is not None]
    if len(words) < 2 or len(words[0]) != len(words[1]):
        return ""
    return f"; --align position compares as many tokens ({len(words[0]):,}) by place"


def _first_difference(gold: Corpus, pred: Corpus) -> str:
    """The first difference of two corpora with unequal numbers of documents, in words."""
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


def _check_names(gold: Corpus, pred: Corpus) -> None:
    """Raise for the first document that only one of the two files has."""
    for one, two in ((gold, pred), (pred, gold)):
        there = set(two.names())
        absent = [name for name in one.names() if name not in there]
        if absent:
            count = f" ({len(absent)} such documents)" if len(absent) > 1 else ""
            raise FormatError(
                f"there is no document {quoted(absent[0])}, which {one.path} has; both files need "
                f"the same documents{count}",
                two.path,
            )


def _check_same(
    gold: Corpus,
    pred: Corpus,
    one: Document,
    two: Document,
    name: str,
    advise: Callable[[], str] = str,
) -> None:
    """Raise at the first token, or with character positions the first character, that differs.

    `advise()` gives the end of the message.
    """
    token = gold.positions == "token"
    if one.size is not None or two.size is not None:
        return _check_size(gold, pred, one, two, name)
    first, second = (one.words, two.words) if token else (one.text, two.text)
    if first == second and gold.positions == pred.positions:
        return
    what, where = ("token", "tokens") if token else ("character", "text")
    if gold.positions != pred.positions:
        from .alignment import letters_of, same_letters

        first, second = letters_of(one, gold.positions), letters_of(two, pred.positions)
        if same_letters(first, second):
            return
        what, where = "character (blanks aside)", "text"
    pairs = enumerate(zip_longest(first or "", second or ""))
    at, found = next((i, found) for i, found in pairs if found[0] != found[1])
    here, there = ("the end" if item is None else repr(item) for item in found)
    lines = [document.line(at if token else 0) for document in (one, two)]
    other = ":".join(str(part) for part in (two.path or pred.path, lines[1]) if part is not None)
    raise FormatError(
        f"{what} {at + 1} of {name} is {here}, but {there} in {other}; score annotations of the "
        f"same {where}{advise()}",
        one.path or gold.path,
        lines[0],
    )


def _advice(gold: Corpus, pred: Corpus, align: str, only: int | None) -> str:
    """Advice on `--align` for gold and a prediction that differ, and how many documents do.

    With `only`, a number of a document, nothing else is said of the others.
    """
    from .alignment import fits_by_place, letters_of

    if len(gold.documents) != len(pred.documents):
        return ""
    if align == "tokens":
        moved = _on_positions_of(gold, pred, "auto")
        return "" if any(True for _ in _differing(gold, moved)) else CARRY
    pairs = ((gold.documents[at], pred.documents[at]) for at in _differing(gold, pred))
    if only is not None:
        pairs = ((gold.documents[only], pred.documents[only]) for _ in range(1))
    differ = [
        (one, two)
        for one, two in pairs
        if letters_of(one, gold.positions) != letters_of(two, pred.positions)
    ]
    fit = [fits_by_place(one, two, gold.positions) for one, two in differ]
    by_place = all(fit) and align == "auto" and gold.positions == pred.positions
    n_docs = f"{len(differ)} of {len(gold.documents)} documents"
    positions = "tokens" if gold.positions == "token" else "characters"
    tail = f"; --align position compares as many {positions} by place" * by_place
    if only is not None:
        return tail
    others = f", {fit.count(False)} of them with another number of {positions}"
    have = "has" if len(differ) == 1 else "have"
    others = f"; {n_docs} {have} another text{others * (False in fit)}"
    return f"{others}{tail}; --on-error skip leaves such documents out"


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


CARRY = "; the text is the same: --align auto carries spans over to the tokens of gold"
ANSWER = (*BY_LAYER, "missing_in")  # annotation of a document by annotator


class AnnotatorLayer(NamedTuple):
    """One layer of one corpus: the work of one annotator."""

    annotator: str
    corpus: Corpus
    layer: str


def merge_annotators(
    parts: Sequence[AnnotatorLayer], first: int = 0, align: str = "auto"
) -> Corpus:
    """One corpus of all documents, with a layer of spans or categories for each annotator.

    Documents are matched by name if all files name all of theirs, each name once; else by place.
    An annotator who lacks a document has not seen it. Where blemishes are left out, neither has one
    whose document has another text than those of most annotators. If those matched by place have
    the same tokens, but divided otherwise, documents end where those of all annotators do.

    Parameters
    ----------
    parts : sequence of AnnotatorLayer
        An annotator may have several, of different documents.
    first : int
        Number of documents before these, for messages.
    align : "auto", "tokens", "characters" or "position"
        Documents with other tokens. "auto": if their text is the same but for white space and case,
        a token ends where one of any annotator does; if some have no tokens, all are counted in
        characters. "tokens": they are an error. "characters": all are counted in characters.
        "position": like "auto", but equally many tokens of another text are compared by their
        places.
    """
    known(align, ALIGN, "value of align")
    one = parts[0].corpus
    for part in parts if align == "tokens" else ():
        if part.corpus.positions != one.positions:
            raise FormatError(
                f"positions are of the kind {quoted(part.corpus.positions)}, but "
                f"{quoted(one.positions)} in {one.path}; give all tokens, or none (--tokenizer "
                "makes tokens of texts, --align auto counts characters)",
                part.corpus.path,
            )
    named = all(part.corpus.table.has_names_of_their_own for part in parts)
    skip = any(part.corpus.notes.sizes for part in parts)  # blemishes are left out
    if skip and named and align in ("auto", "characters"):
        parts = _with_common_texts(parts, named, True)
    if align != "tokens":
        parts = _on_common_positions(parts, named, align)
    if not named:
        parts = _with_common_documents(parts)
        _check_n_docs(parts)
    if skip:
        parts = _with_common_texts(parts, named, False)
    one = parts[0].corpus
    made: dict[object, Document] = {}
    origin: dict[object, Corpus] = {}
    answers: dict[object, dict[str, Any]] = {}
    for corpus, layers in _by_corpus(parts):
        for place, document in enumerate(corpus.documents):
            key: object = document.name if named else place
            if key in made:
                others = origin[key], corpus, made[key], document
                _check_same(*others, document_title(document, first + place + 1))
            else:
                made[key], origin[key] = document, corpus
                answers[key] = {field: {} for field in ANSWER} | {"sents": document.sents}
            for layer in {**document.layers, **document.categories}:
                for part in layers.get(layer, ()):
                    _add_answer(answers[key], document, part)
    repairs = sorted({part.corpus.repair for part in parts})
    documents = [replace(made[key], missing=(), **found) for key, found in answers.items()]
    notes = add_notes({id(part.corpus): part.corpus.notes for part in parts}.values())
    return Corpus(one.path, documents, one.positions, "+".join(repairs), notes)


def _on_common_positions(
    parts: Sequence[AnnotatorLayer], named: bool, align: str
) -> Sequence[AnnotatorLayer]:
    """The parts on the same tokens, or on characters, where that is possible."""
    corpora = list({id(part.corpus): part.corpus for part in parts}.values())
    one = corpora[0]
    if align != "characters" and all(_have_same_documents(one, other) for other in corpora[1:]):
        return parts
    keys: list[Sequence[Hashable]] = [one.names() if named else one.places for one in corpora]
    from .alignment import on_common_positions

    return _with_corpora(parts, corpora, on_common_positions(corpora, keys, align))


def _with_common_texts(
    parts: Sequence[AnnotatorLayer], named: bool, letters: bool
) -> Sequence[AnnotatorLayer]:
    """The parts without documents whose text, or tokens, most annotators do not have."""
    corpora = list({id(part.corpus): part.corpus for part in parts}.values())
    one = corpora[0]
    if all(_have_same_documents(one, other) for other in corpora[1:]):
        return parts
    keys: list[Sequence[Hashable]] = [one.names() if named else one.places for one in corpora]
    weights = Counter(id(part.corpus) for part in parts)
    from .alignment import with_common_texts

    n_of = [weights[id(one)] for one in corpora]
    return _with_corpora(parts, corpora, with_common_texts(corpora, keys, n_of, letters))


def _have_same_documents(one: Corpus, two: Corpus) -> bool:
    """Whether two corpora have the same documents with the same tokens in the same order."""
    if len(one.documents) != len(two.documents) or one.names() != two.names():
        return False
    return one.positions == two.positions and not any(True for _ in _differing(one, two))


def _with_corpora(
    parts: Sequence[AnnotatorLayer], old: Iterable[Corpus], new: Iterable[Corpus]
) -> list[AnnotatorLayer]:
    """The parts with new corpora for the old ones."""
    by_old = {id(one): other for one, other in zip(old, new)}
    return [part._replace(corpus=by_old[id(part.corpus)]) for part in parts]


def _by_corpus(
    parts: Iterable[AnnotatorLayer],
) -> Iterator[tuple[Corpus, dict[str, list[AnnotatorLayer]]]]:
    """Each corpus with its annotators by layer, in the order of the parts."""
    for _, some in groupby(parts, key=lambda part: id(part.corpus)):
        layers: dict[str, list[AnnotatorLayer]] = {}
        for part in some:
            layers.setdefault(part.layer, []).append(part)
            corpus = part.corpus
        yield corpus, layers


def _with_common_documents(parts: Sequence[AnnotatorLayer]) -> Sequence[AnnotatorLayer]:
    """The parts with the same documents, if they have the same tokens divided otherwise."""
    read = list({id(part.corpus): part.corpus for part in parts}.values())
    corpora = all_completed(read)
    if any(_are_divided_otherwise(corpora[0], other) for other in corpora[1:]):
        corpora = divided_alike(corpora) or corpora
    if all(new is old for new, old in zip(corpora, read)):
        return parts
    return _with_corpora(parts, read, corpora)


def with_names(first: Corpus, corpus: Corpus, align: str = "auto") -> Corpus:
    """The corpus with the names of the first one, if it has its texts and none of its names.

    So documents are the same although different programs gave them different ids, and put them in
    another order. Texts are the same if `align` makes them so.
    """
    named = all(one.table.has_names_of_their_own for one in (first, corpus))
    if not named or not set(first.names()).isdisjoint(corpus.names()):
        return corpus
    if len(first.documents) != len(corpus.documents):
        return corpus
    corpus = _in_order_of_texts(first, corpus)
    if any(True for _ in _differing(first, _on_positions_of(first, corpus, align))):
        return corpus
    return replace(corpus, documents=replace(corpus.table, names=first.names()))


def _check_n_docs(parts: Sequence[AnnotatorLayer]) -> None:
    """Raise if documents that are matched by place are not equally many."""
    first = parts[0].corpus
    for part in parts:
        if len(part.corpus.documents) != len(first.documents):
            raise FormatError(
                f"{_n_documents(part.corpus)}, but {first.path} has "
                f"{len(first.documents)}; without a name for each (ids, `# id X`) documents are "
                f"matched by their place, and each file needs all of them"
                f"{_by_file(first, part.corpus)}",
                part.corpus.path,
            )


def _add_answer(answers: dict[str, Any], document: Document, part: AnnotatorLayer) -> None:
    """Add the annotation of a document by one annotator to that of all annotators."""
    if part.annotator in answers["layers"] or part.annotator in answers["categories"]:
        name = f"document {quoted(document.name)}" if document.name is not None else "a document"
        raise FormatError(
            f"{name} has two annotations by {quoted(part.annotator)}; keep one of them, or give "
            "the annotators different names (NAME=PATH)",
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
