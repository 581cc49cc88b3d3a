"""One task of Prodigy as a document: spans, choices, decisions on one label."""

import json
import zlib

from .corpus import Document
from .errors import Mistake
from .rows import checked_span, plain_values, shown, to_tokens, tokens_of, unique, value, whole

ANSWERS = ("accept", "reject", "ignore")
ATTRIBUTES = ("_session_id", "_annotator_id", "_view_id", "answer")
# what a task may show beside or instead of text
INPUTS = ("text", "html", "image", "audio", "video", "input")
SPAN_KEYS = ("start", "end", "token_start", "token_end", "label", "text")
INCLUSIVE = (
    "both need whole numbers, token_start <= token_end inside the tokens, and the same place as "
    "start and end (Prodigy's token_end is the last token of the span, its end lies behind it)"
)
OPTION = "'accept' holds ids of 'options', each once; an id is a non-empty string or a number"


def document_of(row, line, misaligned, tokens=None):
    """(document, tokens) of one task; `tokens` if they are known already."""
    tokens, text = tokens or tokens_of(row, verbatim=False), value(row, "text", str)
    choice, binary, has_spans = kinds_of(row, tokens)
    if text is None and (choice or binary):
        text = next((row[key] for key in INPUTS if type(row.get(key)) is str), None)
    if tokens is None and text is None:
        raise Mistake("a task without 'text'", "read span tasks only: text, and tokens if there")
    answer = row.get("answer", "accept")
    if answer not in ANSWERS:
        raise Mistake(f"'answer' is {shown(answer)}", f"expected one of {', '.join(ANSWERS)}")
    seen = answer == "accept" and not row.get("flagged")
    spans, unplaced, features = None, (), {}
    if seen and has_spans:
        spans, unplaced, features = spans_of(row, tokens, text, misaligned)
    categories = accepted(row) if seen and choice else None
    if binary and answer != "ignore" and not row.get("flagged"):
        categories = (answer,)
    meta = row["meta"] if type(row.get("meta")) is dict else {}
    own, label = own_name(row, meta), row["label"] if binary else None
    attributes = plain_values(meta, ("document",) if own is not None else ())
    attributes |= plain_values({key: row[key] for key in ATTRIBUTES if key in row}, ())
    document = Document(
        tokens.words if tokens else (),
        {"spans": spans} if has_spans else {},
        name=name_of(row, own, label, text),
        unplaced={"spans": unplaced},
        lines=(line,),
        text=text,
        spaces=tokens and tokens.spaces,
        attributes=attributes | ({"label": label} if binary else {}),
        features={"spans": features},
        categories={"spans": categories} if choice or binary else {},
    )
    return document, tokens


def kinds_of(row, tokens):
    """Whether a task is a choice, a decision on one label, and one that marks spans."""
    view = row.get("view_id") if type(row.get("versions")) is list else row.get("_view_id")
    choice = value(row, "options", list) is not None or value(row, "accept", list) is not None
    labelled = type(row.get("label")) is str and row["label"] and not choice
    binary = bool(labelled) and (
        view == "classification" or (view is None and tokens is None and row.get("spans") is None)
    )
    if binary or view == "choice":
        return choice, binary, False
    possible = not choice or row.get("spans") is not None or (view == "blocks" and tokens)
    return choice, binary, bool(possible)


def own_name(row, meta):
    """The name in `meta`, if the hash is made of it, as `write_prodigy` does; else None."""
    own = meta.get("document")
    return own if type(own) is str and row.get("_input_hash") == hash_of(own) else None


def name_of(row, own, label, text):
    """The name of the document: its own, or the hash; with the label that is decided on."""
    found = row.get("_input_hash")
    if found is None:
        return None if label is None else f"{hash_of(text)}:{label}"
    if type(found) not in (int, str):
        raise Mistake(f"'_input_hash' is {shown(found)}", "'_input_hash' is a whole number")
    name = str(found) if own is None else own
    return name if label is None else f"{name}:{label}"


def hash_of(content):
    """A number with sign of 32 bits, as Prodigy's hashes are, made of any JSON value."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return (zlib.crc32(text.encode()) ^ 2**31) - 2**31


def accepted(row):
    """The labels chosen, as strings."""
    chosen = value(row, "accept", list, [])
    options = value(row, "options", list)
    ids = chosen if options is None else [o.get("id") if type(o) is dict else o for o in options]
    good = all(type(one) is int or (type(one) is str and one) for one in (*ids, *chosen))
    if not good or len(set(map(str, chosen))) < len(chosen) or not {*chosen} <= {*ids}:
        raise Mistake(f"'accept' is {shown(chosen)} among {shown(ids)}", OPTION)
    return tuple(map(str, chosen))


def spans_of(row, tokens, text, misaligned):
    """The spans of an accepted task, its unplaced ones, and the features of spans."""
    placed, in_characters, features, in_text = [], [], {}, {}
    size = len(text) if text is not None else None
    for entry in value(row, "spans", list, []):
        if type(entry) is not dict:
            raise Mistake(f"a span is {shown(entry)}", "a span is an object with a label")
        if tokens is not None and entry.get("token_start") is not None:
            placed.append(token_span(entry, tokens))
            if entry.keys() - SPAN_KEYS:
                features[placed[-1]] = plain_values(entry, SPAN_KEYS)
            continue
        if tokens is not None and tokens.borders is None:
            raise Mistake(
                f"span {shown(entry)} has no token_start and its tokens no place in the text",
                "give tokens with start and end, or spans with token_start and token_end",
            )
        length = size if size is not None else max((e for _, e in tokens.borders), default=0)
        keys = ("start", "end", "label")
        in_characters.append(checked_span(*map(entry.get, keys), length, "characters"))
        in_text[in_characters[-1]] = plain_values(entry, SPAN_KEYS)
    unique(in_characters)
    if tokens is None:
        return tuple(in_characters), (), in_text
    if not in_characters:
        return unique(placed), (), features
    carried, unplaced = to_tokens(in_characters, tokens, misaligned)
    for first, last, label in carried:
        place = (tokens.borders[first][0], tokens.borders[last - 1][1], label)
        features[first, last, label] = in_text[place]
    return unique([*placed, *carried]), unplaced, features


def token_span(entry, tokens):
    """A span by its first and last token."""
    first, last, label = map(entry.get, ("token_start", "token_end", "label"))
    good = whole(first, last) and first <= last < len(tokens.words)
    if good and tokens.borders and "start" in entry and "end" in entry:
        place = (tokens.borders[first][0], tokens.borders[last][1])
        good = (entry["start"], entry["end"]) == place
    if not good:
        raise Mistake(f"span {shown(entry)} among {len(tokens.words)} tokens", INCLUSIVE)
    return checked_span(first, last + 1, label, len(tokens.words), "tokens")
