"""How the lines of a CoNLL file are to be read: what its options leave open, by the whole file."""

import re
from typing import NamedTuple

from .columns import DOCSTART, UNSEEN, all_places, header_of, place_of, splitter, width_of
from .conll_lines import Reading, Sentence, body, opens_document, paragraphs, parts_of
from .errors import Problem, known, raise_first
from .tags import FAMILIES, REPAIRS, SCHEMES, families

DOCUMENTS = ("auto", "docstart", "sentence")
NEWDOC = "newdoc"


def settled(path, texts, *, columns, scheme, repair, separator, documents, token):
    """The `Reading` of a file by options as `read_conll` has them.

    Parameters
    ----------
    path : str or Path
        For messages.
    texts : callable
        Gives (line of the beginning, text) from the beginning on, as often as it is called.

    Raises
    ------
    FormatError
        For a file without tokens or such columns, a column with tags of two schemes, and one of
        hyphens alone.
    ValueError
        For unknown values of options.
    """
    check_options(columns, scheme, repair, documents)
    width = width_of(path, texts(), separator)
    _, first = next(iter(texts()))
    header = header_of(first.partition("\n")[0], width, separator)
    token = place_of(path, token, width, header)
    columns = {"gold": -1} if columns is None else columns
    if columns == "all":
        places = all_places(path, width, header, token)
    else:
        places = {layer: place_of(path, column, width, header) for layer, column in columns.items()}
    repairs = repair if isinstance(repair, dict) else dict.fromkeys(places, repair)
    repairs = {layer: repairs.get(layer, "error") for layer in places}
    schemes = dict.fromkeys(places, scheme)
    reading = Reading(separator, width, token, places, schemes, repairs, True, False, bool(header))
    found = surveyed(
        body(texts(), bool(header)), reading, scheme == "auto", documents != "docstart"
    )
    check(path, found, places)
    if scheme == "auto":
        schemes = {layer: next(iter(found.tags[at]), "IOB2") for layer, at in places.items()}
    by_sentence = documents == "sentence" or (documents == "auto" and not found.articles)
    return reading._replace(schemes=schemes, by_sentence=by_sentence, articles=found.articles)


def check_options(columns, scheme, repair, documents):
    """Raise for unknown values of options."""
    if type(columns) is str:
        known(columns, ("all",), "value of columns")
    known(scheme, ("auto", *SCHEMES), "scheme")
    known(documents, DOCUMENTS, "value of documents")
    for one in repair.values() if isinstance(repair, dict) else [repair]:
        known(one, REPAIRS, "repair")


class Found(NamedTuple):
    """What a survey of a file has found.

    `first` is the line of the first token, `tags` the first tag of each family by column,
    `articles` whether any line begins a document, `untagged` the columns of hyphens alone.
    """

    first: int | None
    tags: dict
    articles: bool
    untagged: set


def surveyed(texts, reading, by_tags, by_articles):
    """What is `Found` in texts; only paragraphs that may tell anything new are looked into."""
    places = {*reading.places.values()}
    found, marks = Found(None, {place: {} for place in places}, False, places), None
    for first, text in texts:
        split, at, line, pattern = None, 0, first, None
        while True:
            wanted = wanted_marks(found, reading, by_tags, by_articles)
            if wanted != marks or not at:
                marks, pattern = wanted, pattern_in(text, wanted)
            match = pattern and pattern.search(text, at)
            if not match:
                break
            split = split or splitter(text, reading.separator)
            start, end = around(text, at, match.end() - 1)
            line += text.count("\n", at, start)
            for number, paragraph in paragraphs(text[start:end], line):
                for _, part in parts_of(paragraph, number, split, reading, []):
                    found = with_part(found, part)
            line += text.count("\n", start, end)
            at = end
    return found


def around(text, at, place):
    """Start and end of the paragraph around a place in a text, from `at` on."""
    start, end = text.rfind("\n\n", at, place), text.find("\n\n", place)
    return at if start < 0 else start + 2, len(text) if end < 0 else end


def with_part(found, part):
    """What is found with one more part of a file."""
    if not isinstance(part, Sentence):
        return found._replace(articles=found.articles or part == DOCSTART or opens_document(part))
    tags = {place: families(part.columns[place]) | old for place, old in found.tags.items()}
    unseen = {p for p in found.untagged if {tag.strip(" ") for tag in part.columns[p]} == {UNSEEN}}
    return found._replace(first=found.first or part.numbers[0], tags=tags, untagged=unseen)


def wanted_marks(found, reading, by_tags, by_articles):
    """What a paragraph has, one of these, that may tell anything new; an empty one: any has."""
    if found.untagged or found.first is None:
        return ("",)
    separators = (reading.separator,) if reading.separator else ("\t", " ")
    before = ("",) if 0 in found.tags else separators
    lacking = [
        letter
        for letter, family in FAMILIES.items()
        if by_tags and any(family not in tags for tags in found.tags.values())
    ]
    borders = (DOCSTART, NEWDOC) if by_articles and not found.articles else ()
    return (*(f"{mark}{letter}-" for mark in before for letter in lacking), *borders)


def pattern_in(text, marks):
    """A pattern for the marks that are in a text, found much faster alone; None without any."""
    there = [mark for mark in marks if mark in text]
    return re.compile("|".join(re.escape(mark) or r"[^\n]" for mark in there)) if there else None


def check(path, found, places):
    """Raise for a column of hyphens alone, and for tags of two schemes in one."""
    for place in places.values():
        problem = None
        if place in found.untagged and found.first is not None:
            advice = "name a column of tags; a layer needs a document that was annotated"
            problem = Problem(found.first, f"column {place} has hyphens alone", advice)
        elif len(found.tags[place]) > 1:
            both = " and ".join(
                f"{tag} of {name}" for name, tag in sorted(found.tags[place].items())
            )
            advice = "a column has one scheme: correct the tags, or name it with --scheme"
            problem = Problem(found.first, f"column {place} has both {both}", advice)
        raise_first(path, [problem] if problem else [])
