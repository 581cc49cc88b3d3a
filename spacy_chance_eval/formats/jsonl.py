"""Spans as JSON, one document a line."""

import json

from .corpus import Corpus, Document
from .errors import FormatError, Mistake, known
from .files import write_atomically
from .rows import (
    MISALIGNED,
    checked_span,
    plain_values,
    positions_of,
    read_rows,
    shown,
    to_tokens,
    tokens_of,
    unique,
    value,
    whole,
)

OFFSETS = ("token", "char")
KEYS = ("id", "text", "tokens", "spaces", "sents", "missing", "spans", "layers", "unplaced")


def read_jsonl(path, *, offsets="token", misaligned="error"):
    """The corpus of a file with one JSON object a line.

        {"id": "a", "tokens": ["Ada", "slept"], "spans": [{"start": 0, "end": 1, "label": "PER"}]}

    `spans` is the layer "spans", `layers` maps the names of further layers to spans. Without the
    key, or with null, the document was not annotated; an empty list is an annotation. A span may
    also be `[start, end, label]`, a token `{"text", "start", "end", "ws"}`. `sents` holds the first
    token of each sentence, `missing` the stretches [start, end] without annotation, `unplaced`
    rows [length, label] by layer. Other keys become attributes if their values are simple.

    Parameters
    ----------
    path : str or Path
    offsets : "token" or "char"
        What the half-open offsets of spans count. Those in characters of `text` are carried over to
        the tokens; in a file without any tokens they stay, as do `sents` and `missing`.
    misaligned : "error" or "unplaced"
        What becomes of a span in characters that does not fit the borders of the tokens.

    Raises
    ------
    FormatError
        Once, for all bad rows.
    """
    known(offsets, OFFSETS, "offsets")
    known(misaligned, MISALIGNED, "value of misaligned")
    documents = read_rows(path, lambda row, line: document_of(row, line, offsets, misaligned))
    positions = positions_of(path, documents)
    return Corpus(path, [document for document, _ in documents], positions)


def document_of(row, line, offsets, misaligned):
    """(document, tokens) of one row."""
    tokens, text = tokens_of(row), value(row, "text", str)
    if tokens is None and text is None:
        raise Mistake("a row without 'tokens' and 'text'", "a document needs one of them")
    if tokens is None and offsets == "token":
        raise Mistake("a row without 'tokens'", "add them, or pass --offsets char")
    name = row.get("id")
    if name is not None and type(name) not in (str, int):
        raise Mistake(f"'id' is {shown(name)}", "'id' must be a string")
    layers, unplaced = layers_of(row, tokens, text, offsets, misaligned)
    size = len(text if tokens is None else tokens.words)
    document = Document(
        tokens.words if tokens else (),
        layers,
        name=name if name is None else str(name),
        sents=sents_of(row, size),
        missing=missing_of(row, size),
        unplaced=unplaced,
        lines=(line,),
        text=text,
        spaces=tokens and tokens.spaces,
        attributes=plain_values(row, KEYS),
    )
    return document, tokens


def layers_of(row, tokens, text, offsets, misaligned):
    """The layers of a row, and their unplaced spans."""
    found = {"spans": value(row, "spans", list)} if "spans" in row else {}
    for name, entries in value(row, "layers", dict, {}).items():
        if name in found:
            raise Mistake("a layer 'spans' beside the key 'spans'", "keep one of them")
        found[name] = value({name: entries}, name, list)
    layers, unplaced = {}, unplaced_of(row)
    for name, entries in found.items():
        if entries is None:
            layers[name] = None
        elif tokens is None or offsets == "token":
            size, what = (
                (len(text), "characters") if tokens is None else (len(tokens.words), "tokens")
            )
            layers[name] = unique([span_of(entry, size, what) for entry in entries])
        else:
            layers[name], loose = carried_over(entries, tokens, text, misaligned)
            unplaced[name] = (*unplaced.get(name, ()), *loose)
    return layers, unplaced


def carried_over(entries, tokens, text, misaligned):
    """Spans with character offsets, on the tokens."""
    if tokens.borders is None:
        raise Mistake(
            "tokens without a place in the text",
            "character offsets need tokens with start and end, 'spaces', or a 'text' that they "
            "make up",
        )
    size = len(text) if text is not None else max((end for _, end in tokens.borders), default=0)
    return to_tokens(
        unique([span_of(entry, size, "characters") for entry in entries]), tokens, misaligned
    )


def span_of(entry, size, what):
    """(start, end, label) of one entry."""
    if type(entry) is dict:
        entry = [entry.get("start"), entry.get("end"), entry.get("label")]
    if type(entry) is not list or len(entry) != 3:
        raise Mistake(f"a span is {shown(entry)}", "a span has a start, an end and a label")
    return checked_span(*entry, size, what)


def sents_of(row, size):
    """First positions of the sentences."""
    sents = value(row, "sents", list, [])
    if not whole(*sents) or any(one >= two for one, two in zip(sents, [*sents[1:], size])):
        raise Mistake(
            f"'sents' is {shown(sents)}",
            "'sents' holds the first position of each sentence, in rising order, in the document",
        )
    return sents


def missing_of(row, size):
    """Stretches without annotation."""
    missing = value(row, "missing", list, [])
    for entry in missing:
        pair = type(entry) is list and len(entry) == 2 and whole(*entry)
        if not pair or not entry[0] < entry[1] <= size:
            raise Mistake(
                f"'missing' has {shown(entry)}", "'missing' holds [start, end] inside the document"
            )
    return missing


def unplaced_of(row):
    """Spans that were marked but do not fit the tokens: rows (length, label) by layer."""
    found = value(row, "unplaced", dict, {})
    for name in found:
        for entry in value(found, name, list, []):
            good = type(entry) is list and len(entry) == 2 and whole(entry[0])
            if not good or type(entry[1]) is not str or not entry[0] or not entry[1]:
                raise Mistake(f"'unplaced' has {shown(entry)}", "'unplaced' holds [length, label]")
    return {name: tuple(map(tuple, entries or ())) for name, entries in found.items()}


def write_jsonl(path, corpus):
    """Write a corpus so that `read_jsonl` returns it (with character positions: offsets="char").

    Raises
    ------
    FormatError
        If an attribute has a name that the format uses, or no JSON value; or if positions are
        missing in one layer alone.
    """
    write_atomically(path, [json_line(document, corpus, path) for document in corpus.documents])


def json_line(document, corpus, path):
    """The line of one document; what it does not have is left out."""
    clash = sorted(set(document.attributes) & set(KEYS))
    if clash:
        raise FormatError(f"attribute {clash[0]!r} has a name of the format; rename it", path)
    if any(document.missing_in.values()):
        raise FormatError("positions missing in one layer alone have no place in JSONL", path)
    others = {name: spans for name, spans in document.layers.items() if name != "spans"}
    row = {
        "id": document.name,
        "text": document.text,
        "tokens": document.words if corpus.positions == "token" else None,
        "spaces": document.spaces,
        "sents": document.sents or None,
        "missing": document.missing or None,
        "layers": {name: entries(others[name]) for name in sorted(others)} or None,
        "unplaced": {name: document.unplaced[name] for name in sorted(document.unplaced)} or None,
    }
    row = {key: found for key, found in row.items() if found is not None}
    if "spans" in document.layers:
        row["spans"] = entries(document.layers["spans"])
    try:
        return json.dumps(row | document.attributes, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise FormatError(f"an attribute has no JSON value ({error})", path) from error


def entries(spans):
    """Spans as JSON objects; null for a document that was not annotated."""
    if spans is None:
        return None
    return [{"start": start, "end": end, "label": label} for start, end, label in spans]
