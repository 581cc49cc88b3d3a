"""Exports that are one JSON array, or one JSON object a line; and what a writer has to keep."""

import json

from .corpus import title
from .errors import FormatError, Mistake, Problem, raise_first
from .files import open_text
from .rows import read_rows, reject_constant

ONE_ARRAY = "expected one JSON array of objects, or one object a line"


def read_items(path, convert):
    """What `convert(item, line)` makes of each JSON object; raises once for all mistakes."""
    if not is_array(path):
        return read_rows(path, convert)
    with open_text(path) as file:
        text = file.read()
    items = array_items(path, text)
    made = converted(path, items, lambda item, line: convert(checked_object(item), line))
    if not made:
        raise FormatError(f"no documents; {ONE_ARRAY}", path)
    return made


def converted(path, items, convert):
    """What `convert(item, line)` makes of each (item, line); raises once for all mistakes."""
    made, problems = [], []
    for item, line in items:
        try:
            made.append(convert(item, line))
        except Mistake as mistake:
            problems.append(Problem(line, mistake.found, mistake.advice))
    raise_first(path, problems)
    return made


def is_array(path):
    """Whether the first character of a file opens a JSON array."""
    with open_text(path) as file:
        return file.read(1 << 16).lstrip().startswith("[")


def checked_object(item):
    """The item, if it is an object."""
    if type(item) is not dict:
        raise Mistake(f"a {type(item).__name__}, not an object", ONE_ARRAY)
    return item


def array_items(path, text):
    """(item, line) of the array that is the whole text."""
    decoder = json.JSONDecoder(parse_constant=reject_constant)
    at, line, counted = skip_blanks(text, text.index("[") + 1), 1, 0
    first = True
    while text[at : at + 1] != "]":
        if not first:
            if text[at : at + 1] != ",":
                broken(path, "expected a comma or the end of the array", text, at)
            at = skip_blanks(text, at + 1)
        line, counted, first = line + text.count("\n", counted, at), at, False
        try:
            item, end = decoder.raw_decode(text, at)
            if "\\u" in text[at:end]:
                json.dumps(item, ensure_ascii=False).encode()  # half a surrogate pair
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", None) or getattr(error, "reason", None) or error
            broken(path, reason, text, getattr(error, "pos", at), error)
        yield item, line
        at = skip_blanks(text, end)
    if rest := text[at + 1 :].strip():
        broken(path, f"{rest[:20]!r} behind the array", text, skip_blanks(text, at + 1))


def skip_blanks(text, at):
    """The next place that is no white space of JSON."""
    while text[at : at + 1] in (" ", "\n", "\t", "\r"):
        at += 1
    return at


def broken(path, reason, text, at, error=None):
    """Raise for a text that is no array; nothing behind that place can be read."""
    line = text.count("\n", 0, at) + 1
    raise FormatError(f"invalid JSON ({reason}); {ONE_ARRAY}", path, line) from error


# What messages call the fields of a document.
KEPT = {
    "words": "tokens",
    "text": "its text",
    "size": "a document without text",
    "spaces": "spaces behind tokens",
    "name": "its name",
    "missing": "missing positions",
    "missing_in": "positions missing in one layer",
    "unplaced": "unplaced spans",
    "features": "features of spans",
    "attributes": "attributes",
    "categories": "categories",
    "layers": "layers",
}


def check_kept(path, corpus, documents, name):
    """Raise for the first document that would be read as something else than what is written.

    Parameters
    ----------
    path : str or Path
    corpus : Corpus
    documents : sequence of Document
        What the reader makes of the rows to write.
    name : str
        What messages call the format.
    """
    if len(documents) != len(corpus.documents):
        raise FormatError(
            f"{len(corpus.documents)} documents would be read as {len(documents)}; give each of "
            "them a name of its own",
            path,
        )
    for place, (document, again) in enumerate(zip(corpus.documents, documents), 1):
        for field, what in KEPT.items():
            one, two = getattr(document, field), getattr(again, field)
            if one != two:
                raise FormatError(
                    f"{title(document, place)}: {name} cannot hold {what} as they are here "
                    f"({shown_difference(one, two)}); write JSONL",
                    path,
                )


def shown_difference(one, two):
    """The first entry of a field that is lost, or what it turns into."""
    if type(one) is dict and type(two) is dict:
        keys = sorted((k for k in {*one, *two} if one.get(k, ...) != two.get(k, ...)), key=repr)
        if keys:
            return f"{keys[0]!r}: {brief(one.get(keys[0]))} becomes {brief(two.get(keys[0]))}"
    return f"{brief(one)} becomes {brief(two)}"


def brief(found):
    """A value in few characters."""
    text = repr(found)
    return text if len(text) <= 40 else text[:37] + "..."
