"""Rows of several annotators as documents with one layer for each annotator."""

from dataclasses import replace
from typing import NamedTuple

from .corpus import in_order
from .errors import Mistake, Problem, raise_first
from .rows import shown

# What the rows of one document must agree in, and the value of a row that does not say it.
SHARED = {"words": None, "text": None, "spaces": None, "sents": ()}
SAME_TEXT = "rows of one document need the same text and tokens: correct the row, or its id"
ONE_ANSWER = "keep one answer of each annotator to each document"
NAME_IT = "say in every row whose annotation it is, or leave the annotation out"
ONE_LAYER = "keep one layer in a row that names its annotator"


class Answer(NamedTuple):
    """What one row says of one document: spans or categories, and what belongs to them."""

    found: tuple
    unplaced: tuple = ()
    features: dict = {}
    missing: tuple = ()


def annotator_of(row, key):
    """The annotator that a JSON object names under a key; None if it names nobody."""
    found = row.get(key)
    if found is not None and type(found) is not int and (type(found) is not str or not found):
        raise Mistake(
            f"{key!r} is {shown(found)}", "an annotator is a non-empty string or a number"
        )
    return found if found is None else str(found)


def by_annotator(path, rows):
    """Documents with the layers of all their annotators, in the order of their first rows.

    Rows are of the same document if they have the same name; rows without a name, if they have the
    same tokens (without tokens: the same text). A layer that is None, not annotated, gives way to
    an annotation by the same annotator, and equal answers count once. Attributes stay that no two
    rows of the document contradict.

    Parameters
    ----------
    path : str or Path
        For messages.
    rows : sequence of (Document, annotator)
        Each document with at most one layer of spans and one of categories, whatever their names.
        The annotator may be None in a row without annotation.

    Raises
    ------
    FormatError
        Once, if rows of one document have other words or texts, or an annotator gave two different
        answers to one document; with the lines of both rows.
    """
    groups, problems = {}, []
    for document, annotator in rows:
        groups.setdefault(identity(document), []).append((document, annotator))
    merged = [merged_document(group, problems) for group in groups.values()]
    raise_first(path, problems)
    return merged


def identity(document):
    """What rows of the same document have in common."""
    if document.name is not None:
        return ("name", document.name)
    return ("tokens", document.words) if document.words else ("text", document.text)


def merged_document(group, problems):
    """One document of all its rows; what is wrong is added to `problems`."""
    documents = [document for document, _ in group]
    shared = {name: agreed(documents, name, problems) for name in SHARED}
    spans, categories = {}, {}
    for document, annotator in group:
        for answers, answer in ((spans, spans_of(document, problems)),
                                (categories, categories_of(document, problems))):  # fmt: skip
            if answer == () or (annotator is None and answer is None):
                continue
            if annotator is None:
                found = "an annotation without its annotator"
                problems.append(Problem(document.line(0), found, NAME_IT))
                continue
            add_answer(answers, annotator, answer, document, problems)
    given = {name: answer for name, (answer, _) in spans.items() if answer is not None}
    missing = [set(answer.missing) for answer in given.values()] or [set(documents[0].missing)]
    everywhere = set.intersection(*missing)
    return replace(
        documents[0],
        **shared,
        layers={name: answer and answer.found for name, (answer, _) in spans.items()},
        categories={name: answer and answer.found for name, (answer, _) in categories.items()},
        unplaced={name: answer.unplaced for name, answer in given.items()},
        features={name: answer.features for name, answer in given.items()},
        missing=in_order(everywhere),
        missing_in={name: {*answer.missing} - everywhere for name, answer in given.items()},
        attributes=common(documents),
    )


def agreed(documents, field, problems):
    """The value of a field that all rows share as far as they know it."""
    given = [doc for doc in documents if getattr(doc, field) != SHARED[field]] or documents[:1]
    found = getattr(given[0], field)
    for other in given:
        if getattr(other, field) != found:
            what = f"other {field} than line {given[0].line(0)} has for the same document"
            problems.append(Problem(other.line(0), what, SAME_TEXT))
            break
    return found


def spans_of(document, problems):
    """The `Answer` of a row about spans; None if not annotated, () if it has no such layer."""
    name = only({*document.layers, *document.unplaced, *document.features}, document, problems)
    if name is None:
        return ()
    found, unplaced = document.layers.get(name), document.unplaced.get(name, ())
    if found is None and not unplaced:
        return None
    return Answer(found or (), unplaced, document.features.get(name, {}), document.gaps(name))


def categories_of(document, problems):
    """The `Answer` of a row about the document; None if not annotated, () without the layer."""
    name = only(document.categories, document, problems)
    if name is None:
        return ()
    found = document.categories[name]
    return found if found is None else Answer(found)


def only(names, document, problems):
    """The one name, or None."""
    if len(names) > 1:
        found = f"the layers {', '.join(map(repr, sorted(names)))} in one row"
        problems.append(Problem(document.line(0), found, ONE_LAYER))
    return min(names, default=None)


def add_answer(answers, annotator, answer, document, problems):
    """Note an answer, with its row; one that contradicts an earlier one is a problem."""
    before, row = answers.get(annotator, (None, document))
    if before is None:
        answers[annotator] = (answer, document)
    elif answer is not None and answer != before:
        found = f"a second, other answer of {annotator!r}, who also has one in line {row.line(0)}"
        problems.append(Problem(document.line(0), found, ONE_ANSWER))


def common(documents):
    """The attributes that no two rows contradict."""
    found = {}
    for document in documents:
        for key, said in document.attributes.items():
            found.setdefault(key, []).append(said)
    same = lambda said: all(type(one) is type(said[0]) and one == said[0] for one in said)  # noqa: E731
    return {key: said[0] for key, said in found.items() if same(said)}


def one_by_one(document):
    """(annotator, document with that annotator's layers alone), the opposite of `by_annotator`."""
    for name in sorted({*document.layers, *document.categories, *document.unplaced}):
        mine = {
            field: {name: getattr(document, field)[name]}
            for field in ("layers", "categories", "unplaced", "features")
            if name in getattr(document, field)
        }
        absent = dict.fromkeys(("layers", "categories", "unplaced", "features", "missing_in"), {})
        yield name, replace(document, **(absent | mine), missing=in_order(document.gaps(name)))
