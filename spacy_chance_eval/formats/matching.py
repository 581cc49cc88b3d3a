"""Gold and predictions with the same documents in the same order, and why they do not match."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from ..measures.alignment import ALIGN
from ..measures.messages import quoted
from ..measures.spans import GOLD_TOKENS
from .alignment import (
    POSITION,
    aligned,
    fits_by_place,
    in_characters,
    letters_of,
    parts_of,
    same_letters,
)
from .blemishes import completed
from .corpus import Corpus, Document, all_letters, all_parts
from .divisions import divided_like, with_sentences
from .documents import n_positions
from .errors import FormatError, known
from .notes import BY_PLACE, BY_TEXT, Place, add_notes, note

NO_TOKENS = (
    "there are no tokens here, but in another file; give tokens of all, or of none: --read "
    "tokenizer=LANG makes tokens, and --align auto aligns texts"
)
COMPARE_BY_PLACE = "; --align position compares as many tokens by place"


def match_documents(gold: Corpus, pred: Corpus, *, align: str = "auto") -> tuple[Corpus, Corpus]:
    """The two corpora with the same documents in the same order, that of gold.

    Documents are matched by name if both files name all of theirs, each name once, and any name is
    in both (ids of different programs have nothing in common, or are those of other texts); else by
    text, if both have the same ones, each once; else by place. If these have the same tokens, or
    with align="position" as many, but divided otherwise, the documents of gold count. So do its
    sentences. The notes of the prediction say in which documents it was divided otherwise, in which
    it had other tokens, and which had other names.

    Parameters
    ----------
    gold, pred : Corpus
        Of the same documents.
    align : "auto", "tokens", "characters" or "position"
        How documents with other tokens are compared: see `Reading`.
    """
    known(align, ALIGN, "value of align")
    if align == "characters":
        gold, pred = in_characters(gold), in_characters(pred)
    pred = completed(gold, pred)
    if gold.positions != pred.positions and align == "tokens":
        without = gold if gold.positions == "char" else pred
        raise FormatError(NO_TOKENS, without.path)
    pred = _matched(gold, pred, align)
    for doc in differing(gold, pred):
        pair = gold.documents[doc], pred.documents[doc]
        if error := difference(gold, pred, *pair, gold.title(doc)):
            advice = _advice(gold, pred, align, *pair)
            raise FormatError(f"{error.args[0]}{advice}", error.path, error.line)
    return gold, with_sentences(gold, pred)


def _matched(gold: Corpus, pred: Corpus, align: str) -> Corpus:
    """The prediction with the documents of gold in their order, on their tokens if they fit."""
    skip = bool(pred.notes.sizes)  # blemishes are left out
    if _share_names(gold, pred):
        pred = with_names(gold, pred, align)
        if gold.names() != pred.names():
            _check_names(gold, pred)
            pred = _in_order_of(gold.names(), pred, pred.names())
        return _on_positions_of(gold, pred, align, skip)
    same_number = len(gold.documents) == len(pred.documents)
    if same_number:
        pred = _in_order_of_texts(gold, pred)
        if not differing(gold, found := _on_positions_of(gold, pred, align)):
            return found
    n_tokens = [int(one.table.n_words.sum()) for one in (gold, pred)]
    as_many = n_tokens[0] == n_tokens[1] > 0
    if are_divided_otherwise(gold, pred) or not same_number:
        respelled = _respelled(gold, pred) if align == "position" and as_many else pred
        if divided := divided_like(gold, respelled, by_letters=align == "auto"):
            return divided
    if same_number:
        return _on_positions_of(gold, pred, align, skip)
    raise other_number(gold, pred, COMPARE_BY_PLACE * as_many)


def _respelled(gold: Corpus, pred: Corpus) -> Corpus:
    """The prediction, of as many tokens, with the tokens of gold."""
    mine, theirs = gold.table.words or (), pred.table.words or ()
    if mine == theirs:
        return pred
    others = ((one, two) for one, two in zip(mine, theirs) if one != two)
    places = [Place(pred.path, None, f"{quoted(two)} for {quoted(one)}") for one, two in others]
    notes = (pred.notes + note(BY_PLACE, places)).with_how("align", POSITION)
    return replace(pred, documents=replace(pred.table, words=mine), notes=notes)


def _in_order_of(keys: Iterable[object], corpus: Corpus, own: Iterable[object]) -> Corpus:
    """The corpus in the order of some keys; `own` are those of its documents."""
    place = {key: at for at, key in enumerate(own)}
    order = np.array([place[key] for key in keys], np.int64)
    return replace(corpus, documents=corpus.table.taken(order))


def _in_order_of_texts(first: Corpus, corpus: Corpus) -> Corpus:
    """The corpus in the order in which the other one has its texts, if both have the same ones.

    Each text has to be there once; white space aside. Both have equally many documents.
    """
    if not differing(first, corpus):
        return corpus
    mine, theirs = all_letters(first), all_letters(corpus)
    if mine == theirs or len({*theirs}) < len(theirs) or {*mine} != {*theirs}:
        return corpus
    return _in_order_of(mine, corpus, theirs)


def _on_positions_of(gold: Corpus, pred: Corpus, align: str, skip: bool = False) -> Corpus:
    """The prediction, of the same documents, on the positions of gold where that is possible.

    With `skip`, documents of another text are left out: they remain without annotation.
    """
    differ = differing(gold, pred)
    likes = dict(zip(differ, gold.table.taken(np.array(differ, np.int64))))
    found, notes = aligned(pred, likes, gold.positions, GOLD_TOKENS, align=align, skip=skip)
    if not notes:
        return pred
    return replace(found, notes=add_notes([pred.notes, *notes.values()]))


def with_names(first: Corpus, corpus: Corpus, align: str = "auto") -> Corpus:
    """The corpus with the names of the first one for the documents of its texts.

    So documents are the same although different programs gave them different ids, and put them in
    another order. Names that are in both corpora decide, unless a text has another name here than
    there. Texts are the same if `align` makes them so in the same order; in another order, if they
    differ in white space alone, and each corpus has them once.
    """
    if not all(one.table.has_names_of_their_own for one in (first, corpus)):
        return corpus
    names, own = first.names(), corpus.names()
    mine, theirs = (dict(zip(one.names(), all_letters(one))) for one in (first, corpus))
    n_here, n_there = Counter(mine.values()), Counter(theirs.values())
    here = {text: name for name, text in mine.items() if text and n_here[text] == 1}
    new = {one: here[text] for one, text in theirs.items() if text in here and n_there[text] == 1}
    moved = [name for name in own if new.get(name, name) != name]
    share = _share_names(first, corpus)
    if share and not any(name in mine or new[name] in theirs for name in moved):
        return corpus
    if len(names) == len(own) and not differing(first, _on_positions_of(first, corpus, align)):
        new = dict(zip(own, names))
    elif not moved:
        return corpus
    for name in own:
        if name not in new:  # a document of its own, though the first may have one of this name
            is_other = name in mine and mine[name] != theirs[name]
            new[name] = f"{name} ({corpus.path})" if is_other else name
    renamed = replace(corpus.table, names=[new[name] for name in own])
    if share or {*names} != {*new.values()}:
        said = (Place(corpus.path, None, f"{quoted(one)} for {quoted(new[one])}") for one in moved)
        corpus = replace(corpus, notes=corpus.notes + note(BY_TEXT, said))
    return replace(corpus, documents=renamed)


def _share_names(one: Corpus, two: Corpus) -> bool:
    """Whether documents are matched by name: all have their own, and any name is in both."""
    own = one.table.has_names_of_their_own and two.table.has_names_of_their_own
    return own and not {*one.names()}.isdisjoint(two.names())


def are_divided_otherwise(gold: Corpus, pred: Corpus) -> bool:
    """Whether documents at the same places have other numbers of tokens."""
    return not np.array_equal(gold.table.n_words, pred.table.n_words)


def differing(gold: Corpus, pred: Corpus) -> list[int]:
    """The documents that may differ, of equally many in the same order."""
    one, two = gold.table, pred.table
    if gold.positions != pred.positions:
        return [*range(len(one))]
    if one.words is not None and np.array_equal(one.sizes, two.sizes) and one.words == two.words:
        return []
    pairs = enumerate(zip(all_parts(gold), all_parts(pred)))
    return [at for at, (mine, theirs) in pairs if None in (mine, theirs) or mine != theirs]


# --- messages


def other_number(gold: Corpus, pred: Corpus, advice: str = "") -> FormatError:
    """The error for another number of documents, with the first difference, and more advice."""
    mine, theirs = (len(one.documents) for one in (gold, pred))
    pairs = enumerate(zip(gold.documents, pred.documents))
    errors = (difference(gold, pred, *pair, gold.title(doc)) for doc, pair in pairs)
    first = next(filter(None, errors), None)
    return FormatError(
        f"{theirs} document{'s' * (theirs != 1)}, but {gold.path} has {mine}; both need the same "
        "documents, with a name for each (ids, `# id X`) or in the same order (--documents file or "
        "sentence says what a document of CoNLL is)"
        + f"; the first difference: {first}" * (first is not None)
        + advice,
        pred.path,
    )


def _check_names(gold: Corpus, pred: Corpus) -> None:
    """Raise for the first document that only one of the two files has."""
    for one, two in ((gold, pred), (pred, gold)):
        there = {*two.names()}
        if absent := [name for name in one.names() if name not in there]:
            found = f"there is no document {quoted(absent[0])}, which {one.path} has"
            advice = f"both files need the same documents ({len(absent)} such)"
            raise FormatError(f"{found}; {advice}", two.path)


def difference(
    gold: Corpus, pred: Corpus, one: Document, two: Document, title: str
) -> FormatError | None:
    """The error for the first token or character of two documents that differs, if any does."""
    mine, theirs = parts_of(one, gold.positions), parts_of(two, pred.positions)
    what, same = ("token", "tokens") if gold.positions == "token" else ("character", "text")
    if gold.positions != pred.positions:
        what, same = "character (blanks aside)", "text"
        if mine is not None and theirs is not None:
            mine, theirs = letters_of(one, gold.positions), letters_of(two, pred.positions)
            if same_letters(mine, theirs):
                return None
    at = 0
    if mine is None or theirs is None:
        here, there = n_positions(one, gold.positions), n_positions(two, pred.positions)
        found = f"{title} has {here} {gold.positions}s, but {there}"
        if here == there:
            return None
    else:
        if mine == theirs:
            return None
        pairs = enumerate(zip_longest(mine, theirs))
        at, pair = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
        words = ["the end" if item is None else repr(item) for item in pair]
        found = f"{what} {at + 1} of {title} is {words[0]}, but {words[1]}"
    (path, line), other = (
        (document.path or corpus.path, document.line(at if same == "tokens" else 0))
        for corpus, document in ((gold, one), (pred, two))
    )
    where = ":".join(str(part) for part in other if part is not None)
    return FormatError(f"{found} in {where}; score annotations of the same {same}", path, line)


def _advice(gold: Corpus, pred: Corpus, align: str, one: Document, two: Document) -> str:
    """What options do about documents of a prediction that differ, of which these are the first."""
    if align == "tokens":
        is_other = differing(gold, _on_positions_of(gold, pred, "auto"))
        return "" if is_other else "; --align auto carries spans of the same text over"
    by_place = align == "auto" and gold.positions == pred.positions
    by_place &= fits_by_place(one, two, gold.positions)
    return COMPARE_BY_PLACE * by_place + "; --on-error skip leaves such documents out"
