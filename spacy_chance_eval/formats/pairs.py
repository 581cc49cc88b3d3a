"""Files of the same documents: brought into the same order, and compared word by word."""

from dataclasses import replace
from itertools import zip_longest

from .corpus import title
from .errors import FormatError


def pair(gold, pred, *, sizes="given", first=0):
    """The two corpora with the same documents in the same order, that of the gold.

    Documents are matched by name if both files name all of theirs, each name once, and any name is
    in both (ids of different programs have nothing in common); else by place.

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
    names = [{document.name for document in corpus.documents} for corpus in (gold, pred)]
    if unique_names(gold) and unique_names(pred) and not names[0].isdisjoint(names[1]):
        check_names(gold, pred)
        by_name = {document.name: document for document in pred.documents}
        order = tuple(by_name[document.name] for document in gold.documents)
        pred = replace(pred, documents=order)
    elif len(gold.documents) != len(pred.documents):
        raise FormatError(
            f"{len(pred.documents)} documents, but {gold.path} has {len(gold.documents)}; both "
            "need the same documents, with names or in the same order (CoNLL files with different "
            f"-DOCSTART- lines: --documents sentence); {first_difference(gold, pred)}",
            pred.path,
        )
    if sizes == "spans":
        gold, pred = as_long(gold, pred), as_long(pred, gold)
    for place, (one, two) in enumerate(zip(gold.documents, pred.documents), first + 1):
        check_same(gold, pred, one, two, title(one, place))
    return gold, pred


def as_long(corpus, other):
    """The corpus, documents known by their size alone at least as long as those of the other."""
    documents = (
        one if one.size is None else replace(one, size=max(one.size, other.size(two)))
        for one, two in zip(corpus.documents, other.documents)
    )
    return replace(corpus, documents=tuple(documents))


def first_difference(gold, pred):
    """Where two corpora with other numbers of documents begin to differ, in words."""
    for place, (one, two) in enumerate(zip(gold.documents, pred.documents), 1):
        try:
            check_same(gold, pred, one, two, title(one, place))
        except FormatError as error:
            return f"the first difference: {error}"
    longer = max(gold, pred, key=lambda corpus: len(corpus.documents))
    place = min(len(gold.documents), len(pred.documents))
    extra = longer.documents[place]
    line = f":{extra.line(0)}" if extra.line(0) else ""
    path = extra.path or longer.path
    return f"the first one too many is {title(extra, place + 1)} of {path}{line}"


def unique_names(corpus):
    """Whether all documents have a name of their own."""
    names = {document.name for document in corpus.documents}
    return None not in names and len(names) == len(corpus.documents)


def check_names(gold, pred):
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


def check_same(gold, pred, one, two, name):
    """Raise at the first token, or with character positions the first character, that differs."""
    token = gold.positions == "token"
    if one.size is not None or two.size is not None:
        return check_size(gold, pred, one, two, name)
    first, second = (one.words, two.words) if token else (one.text, two.text)
    if first == second:
        return
    pairs = enumerate(zip_longest(first, second))
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


def check_size(gold, pred, one, two, name):
    """Raise if two documents, of which one is known by its size alone, differ in it."""
    sizes = gold.size(one), pred.size(two)
    if sizes[0] != sizes[1]:
        raise FormatError(
            f"{name} has {sizes[0]} {gold.positions}s, but {sizes[1]} in {two.path or pred.path}; "
            "score annotations of the same text",
            one.path or gold.path,
            one.line(0),
        )
