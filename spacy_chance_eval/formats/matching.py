"""Gold and predictions with the same documents in the same order, and why they do not match."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise, zip_longest

import numpy as np

from ..measures.alignment import ALIGN
from ..measures.messages import quoted
from .alignment import (
    GOLD_TOKENS,
    POSITION,
    aligned,
    all_parts,
    fits_by_place,
    in_characters,
    letters,
    letters_of,
    same_letters,
)
from .blemishes import completed
from .corpus import Corpus, Document, document_title
from .divisions import divided_like, with_sentences
from .documents import n_positions
from .errors import FormatError, known
from .notes import BY_PLACE, Place, add_notes, note

CARRY = "; the text is the same: --align auto carries spans over to the tokens of gold"


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
        gold, pred = in_characters(gold), in_characters(pred)
    pred = completed(gold, pred)
    if gold.positions != pred.positions and align == "tokens":
        without = gold if gold.positions == "char" else pred
        raise FormatError(
            "there are no tokens here, but in the other file; give both tokens, or none: "
            "--tokenizer LANG makes tokens, and --align auto carries spans over",
            without.path,
        )
    if align != "tokens":
        pred = _unquoted(gold, pred)
    pred = _matched(gold, pred, align)
    if sizes == "spans":
        gold, pred = _at_least_as_long(gold, pred), _at_least_as_long(pred, gold)
    for at in differing(gold, pred):
        one, two = gold.documents[at], pred.documents[at]
        advise = partial(_advice, gold, pred, align, None if whole else at)
        check_same(gold, pred, one, two, document_title(one, first + at + 1), advise)
    return gold, with_sentences(gold, pred)


def _matched(gold: Corpus, pred: Corpus, align: str) -> Corpus:
    """The prediction with the documents of gold in their order, on their tokens if they fit."""
    skip = bool(pred.notes.sizes)  # blemishes are left out
    if _share_names(gold, pred):
        if gold.names() != pred.names():
            _check_names(gold, pred)
            pred = _in_order_of(gold.names(), pred, pred.names())
        return _on_positions_of(gold, pred, align, skip)
    if are_divided_otherwise(gold, pred):
        if found := divided_like(gold, _respelled(gold, pred) if align == "position" else pred):
            return found
    same_number = len(gold.documents) == len(pred.documents)
    if same_number:
        pred = _in_order_of_texts(gold, pred)
        found = _on_positions_of(gold, pred, align)
        if not differing(gold, found):
            return found
    if align == "auto" and (moved := _on_tokens_throughout(gold, pred)):
        if found := divided_like(gold, moved):
            return found
    if same_number:
        return _on_positions_of(gold, pred, align, skip)
    raise FormatError(
        f"{n_documents(pred)}, but {gold.path} has {len(gold.documents)}; both need the same "
        f"documents, with names or in the same order{by_file(gold, pred)}; "
        f"{_first_difference(gold, pred)}{_by_place(gold, pred)}",
        pred.path,
    )


def _n_tokens(corpus: Corpus) -> int | None:
    """Number of all tokens; None where there are none."""
    words = corpus.table.words
    return None if words is None or corpus.positions != "token" else len(words)


def _respelled(gold: Corpus, pred: Corpus) -> Corpus:
    """The prediction with the tokens of gold, with a note, if it has as many; else itself."""
    n_tokens = _n_tokens(gold)
    if n_tokens is None or n_tokens != _n_tokens(pred) or gold.table.words == pred.table.words:
        return pred
    places = (
        Place(pred.path, None, f"{quoted(theirs)} for {quoted(mine)}")
        for mine, theirs in zip(gold.table.words or (), pred.table.words or ())
        if mine != theirs
    )
    notes = pred.notes + note(BY_PLACE, places).with_how("align", POSITION)
    return replace(pred, documents=replace(pred.table, words=gold.table.words), notes=notes)


def _unquoted(gold: Corpus, pred: Corpus) -> Corpus:
    """The prediction without the quotes of CSV around its tokens, with a note, if gold has none.

    Both need equally many tokens.
    """
    n_tokens, mine, theirs = _n_tokens(gold), gold.table.words, pred.table.words
    if n_tokens is None or n_tokens != _n_tokens(pred) or mine == theirs:
        return pred
    quote = '"'
    found = [
        (one, two)
        for one, two in zip(mine or (), theirs or ())
        if two[:1] == quote and two == f"{quote}{one.replace(quote, 2 * quote)}{quote}"
    ]
    if not found:
        return pred
    plain = {two: one for one, two in found}
    words = tuple(plain[two] if plain.get(two) == one else two
                  for one, two in zip(mine or (), theirs or ()))  # fmt: skip
    places = [Place(pred.path, None, f"{quoted(two)} for {quoted(one)}") for one, two in found]
    notes = pred.notes + note(BY_PLACE, places)
    return replace(pred, documents=replace(pred.table, words=words), notes=notes)


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
    mine, theirs = (
        [letters_of(document, one.positions) for document in one.documents]
        for one in (first, corpus)
    )
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


def _on_tokens_throughout(gold: Corpus, pred: Corpus) -> Corpus | None:
    """The prediction, which has other documents, on the tokens of gold; None if these do not fit.

    Its documents stay its own; each has to begin and end with a token of gold.
    """
    own = [*all_parts(pred)]
    if gold.positions != "token" or gold.table.words is None or None in own:
        return None
    tokens = list(gold.table.words)
    (text, borders), texts = letters(tokens), [letters(found or ())[0] for found in own]
    if not same_letters(text, "".join(texts)):
        return None
    ends = {end: at + 1 for at, (_, end) in enumerate(borders)}
    cuts = [0, *(ends.get(end) for end in accumulate(map(len, texts)))]
    cuts[-1] = len(tokens)
    found = [cut for cut in cuts if cut is not None]
    if len(found) < len(cuts):
        return None
    likes = [Document(tokens[start:end], {}) for start, end in pairwise(found)]
    return _on_positions_of(Corpus(gold.path, likes), pred, "auto")


def with_names(first: Corpus, corpus: Corpus, align: str = "auto") -> Corpus:
    """The corpus with the names of the first one, if it has its texts and none of its names.

    So documents are the same although different programs gave them different ids, and put them in
    another order. Texts are the same if `align` makes them so.
    """
    named = all(one.table.has_names_of_their_own for one in (first, corpus))
    same_number = len(first.documents) == len(corpus.documents)
    if not (named and same_number) or _share_names(first, corpus):
        return corpus
    corpus = _in_order_of_texts(first, corpus)
    if differing(first, _on_positions_of(first, corpus, align)):
        return corpus
    return replace(corpus, documents=replace(corpus.table, names=first.names()))


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
    if one.words is None or two.words is None:
        texts = [table.more.get("text") for table in (one, two)]
        same = gold.positions == "char" and None not in texts and texts[0] == texts[1]
        sized = "size" in one.more or "size" in two.more
        return [] if same and not sized else [*range(len(one))]
    if np.array_equal(one.sizes, two.sizes) and one.words == two.words:
        return []
    pairs = zip(one.document_words(), two.document_words())
    return [at for at, (mine, theirs) in enumerate(pairs) if mine != theirs]


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


# --- messages


def n_documents(corpus: Corpus) -> str:
    """The number of documents, with the noun."""
    return f"{len(corpus.documents)} document{'s' * (len(corpus.documents) != 1)}"


def by_file(*corpora: Corpus) -> str:
    """Advice on folders of CoNLL files of which one does not have a document for each file."""
    unnamed = (one for one in corpora if not one.table.has_names_of_their_own)
    if not any(os.path.isdir(one.path) for one in unnamed):
        return ""
    return " (--documents file makes a document of each file, or sentence of each sentence)"


def _by_place(gold: Corpus, pred: Corpus) -> str:
    """Advice on files with as many tokens, if they are."""
    n_tokens = _n_tokens(gold)
    if n_tokens is None or n_tokens != _n_tokens(pred):
        return ""
    return f"; --align position compares as many tokens ({n_tokens:,}) by place"


def _first_difference(gold: Corpus, pred: Corpus) -> str:
    """The first difference of two corpora with unequal numbers of documents, in words."""
    for place, (one, two) in enumerate(zip(gold.documents, pred.documents), 1):
        try:
            check_same(gold, pred, one, two, document_title(one, place))
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


def check_same(
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
        sizes = n_positions(one, gold.positions), n_positions(two, pred.positions)
        if sizes[0] != sizes[1]:
            raise FormatError(
                f"{name} has {sizes[0]} {gold.positions}s, but {sizes[1]} in "
                f"{two.path or pred.path}; score annotations of the same text",
                one.path or gold.path,
                one.line(0),
            )
        return
    first, second = (one.words, two.words) if token else (one.text, two.text)
    if first == second and gold.positions == pred.positions:
        return
    what, where = ("token", "tokens") if token else ("character", "text")
    if gold.positions != pred.positions:
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
    if len(gold.documents) != len(pred.documents):
        return ""
    if align == "tokens":
        moved = _on_positions_of(gold, pred, "auto")
        return "" if differing(gold, moved) else CARRY
    places = differing(gold, pred) if only is None else [only]
    differ = [
        (one, two)
        for one, two in ((gold.documents[at], pred.documents[at]) for at in places)
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
