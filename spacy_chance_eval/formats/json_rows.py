"""Rows of JSON as files have them: an object a line, an array of objects, gzip, Parquet, or CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec.json import Decoder

from ..measures.messages import shortened
from .conll_columns import head_of
from .csv_rows import ENDINGS, json_lines
from .errors import ContentError, FormatError, PathLike, Problem
from .files import Excerpt, Run, open_text, suffix_of
from .json_text import parsed_json

AT_ONCE = 1000  # rows of an array, or of Parquet, that are converted together
MANY = 1 << 18  # characters of lines that are
PEEK = 1 << 16  # characters that tell an array from lines
PARQUET, MAGIC = (".parquet", ".pq"), b"PAR1"
ONE_ARRAY = "expected one JSON array of objects, or one object a line"
SPANS_ALONE = (
    'write one object for each text: {"text": text, "entities": spans}, with the spans '
    "that the pipeline returned"
)
# a JSON array, but for one that is a line: [text, object], or one before an object; or an
# object over several lines
WHOLE = re.compile(r'\s*(\[(?!\s*"|[^\n]*\][ \t\r]*\n\s*\{)|\{[ \t\r]*\n\s*")')
NOT_JSON = msgspec.DecodeError, ValueError, RecursionError  # which a decoder of msgspec raises
# syntax in spaCy's training data, which is not annotation of spans
OF_SYNTAX = {"tags", "pos", "morphs", "lemmas", "heads", "deps", "links", "sent_starts"}
Row: TypeAlias = dict[str, Any]  # a JSON object


class Rows(NamedTuple):
    """Objects that a file of that name holds in another form, read as if they were rows of JSON.

    `lines` are the lines of the file that they come from.
    """

    name: str
    rows: Iterable[Any]
    lines: Iterable[int]

    def __str__(self) -> str:
        return self.name


RowSource: TypeAlias = PathLike | Rows | Excerpt


def row_batches(
    path: RowSource, left_out: dict[int, Problem], plain: Sequence[Decoder[Any]] = ()
) -> Iterator[tuple[Sequence[Any], Sequence[int], Sequence[int]]]:
    """(rows, their lines, their places among all rows of the file), some at a time.

    Rows are objects, or [text, object], as spaCy is trained on: `row_of_pair`. Problems of others
    are added to `left_out`, by place. Rows are what one of `plain` makes of them, if it can read
    all of some.
    """
    if isinstance(path, Rows):
        rows = [*path.rows]
        yield rows, [*path.lines], range(len(rows))
        return
    n_rows = 0
    for texts, lines in _numbered_texts(path):
        found = _decoded(texts, plain)
        if isinstance(texts, str) and (found is None or len(found) != len(lines)):
            numbered = [pair for pair in zip(texts.split("\n"), lines) if pair[0].strip()]
            texts, lines = [text for text, _ in numbered], [line for _, line in numbered]
        places: Sequence[int] = range(n_rows, n_rows + len(lines))
        n_rows += len(lines)
        if found is None or len(found) != len(lines):
            sound: list[tuple[Row, int, int]] = []
            for text, line, place in zip(texts, lines, places):
                try:
                    sound.append((parsed_row(text), line, place))
                except ContentError as mistake:
                    left_out[place] = Problem(line, mistake.found, mistake.advice)
            found, lines, places = zip(*sound) if sound else ((), (), ())
        if found:
            yield found, lines, places


def _decoded(texts: str | Sequence[Any], plain: Sequence[Decoder[Any]]) -> Sequence[Any] | None:
    """The rows of lines, or of one text each, quickly; None if some are odd.

    What msgspec accepts it reads as `json` does; orjson makes floats of long integers.
    """
    for decoder in (*plain, OBJECTS):
        try:
            if isinstance(texts, str):
                rows = decoder.decode_lines(texts)
            else:
                rows = [*map(decoder.decode, texts)]
        except NOT_JSON:
            continue
        if decoder is not OBJECTS or not {*map(type, rows)} - {dict}:
            return rows
    return None


OBJECTS: Decoder[Any] = Decoder()


def _numbered_texts(
    path: PathLike | Excerpt,
) -> Iterator[tuple[str | Sequence[Any], Sequence[int]]]:
    """(many lines in one, or the text of each row; the numbers of the lines) at a time."""
    first = getattr(path, "first", 1)
    for text in _blocks(path):
        if first == 1 and not isinstance(path, Excerpt) and WHOLE.match(text):
            yield from _items_of_array(path, text)
            return
        n_lines = text.count("\n") + (text[-1:] not in ("\n", ""))
        yield text, range(first, first + n_lines)
        first += n_lines


def _blocks(path: PathLike | Excerpt) -> Iterator[str]:
    """Many whole lines of a file at a time; an array as one."""
    if isinstance(path, Excerpt):
        yield path.content
    elif is_parquet(path):
        from .parquet import json_rows

        rows = json_rows(path)
        while some := [*islice(rows, AT_ONCE)]:
            yield "\n".join([*some, ""])
    elif suffix_of(path) in ENDINGS and head_of(path, 1) not in (b"[", b"{"):
        yield json_lines(path)
    else:
        with open_text(path) as file:
            text = file.read(PEEK)
            if WHOLE.match(text):
                yield text + file.read()
                return
            while text := text + file.readline():
                yield text
                text = file.read(MANY)


def _items_of_array(path: object, text: str) -> Iterator[tuple[Sequence[Any], Sequence[int]]]:
    """(the texts of items, the lines where they begin) of an array that is a whole text."""
    data = (text if text.lstrip().startswith("[") else f"[{text}]").encode()
    try:
        items = msgspec.json.decode(data, type=list[msgspec.Raw])
    except NOT_JSON as error:
        byte = re.search(r"byte (\d+)", str(error))
        place = int(byte[1]) if byte else len(data)
        line = data.count(b"\n", 0, place) + 1
        raise FormatError(f"invalid JSON; {ONE_ARRAY}", path, line) from None
    texts = [bytes(item) for item in items]
    lines, line, behind = [], 1, data.index(b"[") + 1
    for one in texts:
        start = data.index(one, behind)
        line += data.count(b"\n", behind, start)
        lines.append(line)
        line += one.count(b"\n")
        behind = start + len(one)
    for at in range(0, len(texts), AT_ONCE):
        own = [*map(bytes.decode, texts[at : at + AT_ONCE])]
        yield own, lines[at : at + AT_ONCE]


def parsed_row(text: str) -> Row:
    """The JSON object that a text is, or that stands for [text, object]."""
    row = row_of_pair(parsed_json(text, "write one JSON object a line"))
    if type(row) is list and row and all(type(entry) is dict for entry in row):
        raise ContentError("spans without their text", SPANS_ALONE)
    if type(row) is not dict:
        raise ContentError(
            f"{shortened(text.strip())}, not an object", "write one JSON object a line"
        )
    return row


def row_of_pair(item: Any) -> Any:
    """The row of [text, annotation], as spaCy is trained on; another value as it is.

    Entities may be tags of the `words`, which then are its tokens.
    """
    if type(item) is not list or [type(part) for part in item] != [str, dict]:
        return item
    row = {key: value for key, value in item[1].items() if key not in OF_SYNTAX}
    tags = row.get("entities")
    if type(row.get("words")) is list and type(tags) is list and {*map(type, tags)} == {str}:
        row["ner_tags"] = row.pop("entities")
    return {"text": item[0], **row}


def sound_rows(path: PathLike) -> Iterator[tuple[Row, int]]:
    """(row, line) of each row that can be parsed. Others are reported when the rows are read."""
    for rows, lines, _ in row_batches(path, {}):
        yield from zip(rows, lines)


def line_documents(path: PathLike) -> Iterator[Run]:
    """The documents of a file, a line each, empty lines in front included; for a `BlockReader`."""
    found, front = False, ""
    for text in _blocks(path):
        lines = text.split("\n")
        sizes = [len(line) + 1 for line in lines]
        sizes[-1] -= 1
        ends = accumulate(sizes, initial=len(front))
        full = [end for end, line in zip(islice(ends, 1, None), lines) if line.strip()]
        if full:
            found, text = True, front + text
            yield Run(text[: full[-1]], full)
            front = text[full[-1] :]
        else:
            front += text
    if not found:
        raise FormatError("no documents; expected one JSON object a line", path)


def is_parquet(path: PathLike) -> bool:
    """Whether a file is called as Parquet is, or begins so."""
    return suffix_of(path) in PARQUET or head_of(path, len(MAGIC)) == MAGIC


def is_array(path: PathLike) -> bool:
    """Whether a file is one JSON value, an array or an object over several lines."""
    if is_parquet(path):
        return False
    with open_text(path) as file:
        return WHOLE.match(file.read(PEEK)) is not None
