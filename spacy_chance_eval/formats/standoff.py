"""Annotations beside a text, as in brat, GATE and UIMA: rows of JSONL of their tokens and spans."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

from .corpus import Stretch
from .errors import ContentError, PathLike
from .files import not_utf8
from .json_rows import Row, parsed_row
from .rows import brief, clip


def text_row(text: str, tokens: Collection[Stretch], sentences: Iterable[Stretch]) -> Row:
    """The row of a text: with tokens, if there are any, and the starts of sentences.

    Tokens and sentences are (start, end) in characters, in any order.
    """
    starts = sorted({start for start, end in sentences if start < end})
    if not tokens:
        return {"text": text, "sents": [start for start in starts if start < len(text)]}
    borders, gaps = sorted(tokens), []
    for (start, end), (following, _) in pairwise([*borders, (len(text), 0)]):
        gaps.append(text[end:following])
        if not start < end <= following:
            raise ContentError(
                f"token [{start}, {end}) before position {following}",
                "tokens must not be empty, overlap or leave the text; correct them",
            )
    begins = [start for start, _ in borders]
    is_spaced = not begins[0] and {*gaps} <= {"", " "}  # words and single spaces make the text
    return {
        "text": text,
        "tokens": [{"text": text[a:b], "start": a, "end": b} for a, b in borders],
        "spaces": [gap == " " for gap in gaps] if is_spaced else None,
        "sents": sorted({bisect_left(begins, start) for start in starts} - {len(borders)}),
    }


def label_feature(label: str | None) -> tuple[str | None, str | None]:
    """(feature that has the label, label of spans without it) of "FEATURE" or "FEATURE=LABEL"."""
    feature, _, default = (label or "").partition("=")
    return feature or None, default or None


def take_label(
    said: Row, keys: Sequence[str], default: str | None, what: str, line: int | None = None
) -> str:
    """The value of the first of some features that a span has, which is no feature then."""
    key = next((key for key in keys if said.get(key) not in (None, "")), None)
    found = default if key is None else str(said.pop(key))
    if found is None:
        raise ContentError(
            f"{what} has no {' or '.join(keys)}",
            "fill it in, name the feature that has the label, or give such spans a label "
            f"(--read feature={keys[0]}=LABEL)",
            line,
        )
    return found


def check_copy(
    text: str, pieces: Sequence[Stretch], copy: str, what: str, line: int | None = None
) -> None:
    """Raise if the text of some pieces is not the copy of it in an annotation, but for blanks."""
    there = " ".join(text[start:end] for start, end in pieces)
    if there.split() != copy.split():
        at = ", ".join(f"[{start}, {end})" for start, end in pieces)
        raise ContentError(
            f"{what} {brief(clip(copy))} at {clip(at)}, where the text has {brief(clip(there))}",
            "offsets count characters of the whole text, not bytes (a byte order mark and \\r\\n "
            "of a .txt, too); correct them",
            line,
        )


def utf_16_places(text: str) -> dict[Any, int]:
    """The place of each UTF-16 unit of a text that begins a character, and of its end."""
    widths = (2 if character > "\uffff" else 1 for character in text)
    return {unit: place for place, unit in enumerate(accumulate(widths, initial=0))}


def text_of(data: bytes, path: PathLike) -> str:
    """The text of a file in UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise not_utf8(path, data) from None


def json_object(data: bytes, path: PathLike) -> Row | None:
    """The object that a file of JSON or XML has; None if it is no JSON."""
    is_json = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    return parsed_row(text_of(data, path)) if is_json else None
