"""brat's standoff annotation: a text, and beside it a file of annotations.

Offsets count the characters of the `.txt` as it is: both of a line end `\\r\\n`, and a byte order
mark.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..measures.fragments import joined_pieces
from .blemishes import SPANS, VALUES, leave_out_parts, part_of, sound_files
from .corpus import Corpus, Document, Span, Stretch
from .errors import ContentError, FormatError, PathLike, Problem
from .files import open_text
from .notes import OTHERS, RELATIONS, Notes, Place, add_notes, note
from .paths import files_below, path_of
from .rows import (
    Row,
    RowSpans,
    brief,
    checked_span,
    clip,
    gather_spans,
)
from .texts import label_feature

LAYER = "spans"
LONGEST = 100_000_000  # characters of one file
PIECE = "[0-9]{1,10} [0-9]{1,10}"
OFFSET_PATTERN = re.compile(f"{PIECE}(?:;{PIECE})*")
FORMS = {
    "T": "a span is T1<tab>LABEL start end<tab>its text",
    "A": "an attribute is A1<tab>NAME T1 VALUE, or without VALUE",
    "N": "a normalisation is N1<tab>NAME T1 ENTRY<tab>its text",
    "#": "a note is #1<tab>NAME T1<tab>its text",
}
LEFT_OUT = {"R": RELATIONS, "E": OTHERS, "*": RELATIONS}  # kinds of notes
COUNTED = "offsets count the characters of the .txt, a byte order mark and both of \\r\\n too"


class _Fact(NamedTuple):
    """A fact about an annotation; `many` if it may have several of the same name."""

    line: int
    key: str
    name: str
    value: Any
    many: bool


_Marks: TypeAlias = dict[str, tuple[int, Span | None]]  # by identifier: line, span if it is sound


def read_brat(path: PathLike, *, label: str | None = None) -> Corpus:
    """The corpus of a `.ann` file and the `.txt` beside it, or of all pairs in a folder.

    Text-bound annotations (`T`), triggers of events among them, are the layer "spans". Their
    features are attributes (`A`, `M`) with their value, or True without one, normalisations (`N`)
    with their entry and notes (`#`) with their text, several of a name joined by "; ". A span with
    several pieces is discontinuous; pieces that touch are one.
    Relations, events and equivalences are left out, and a note counts them. Skipped: attributes and
    notes of these, and lines with # but no tab.

    A `.txt` without `.ann` was not seen; an empty `.ann` is an annotation without spans. Documents
    are named by their files, without the ending, in a folder by the path in it; they come in the
    order of their names. Hidden files are passed over.

    Parameters
    ----------
    label : str, optional
        An attribute whose value is the label of a span, instead of its type. With "role=none",
        spans without a value have the label "none".
    """
    place = path_of(path)
    if not place.exists():
        raise FormatError("no such file; check the path", path)
    if place.is_dir():
        pairs = [(place / name, name) for name in _names_in(place)]
    elif place.suffix.lower() in (".ann", ".txt"):
        pairs = [(place.parent / place.stem, place.stem)]
    else:
        raise FormatError("neither a .ann nor a .txt file nor a folder; name one of these", path)
    if not pairs:
        raise FormatError("no .txt and .ann files in this folder", path)
    notes: list[Notes] = []
    convert = partial(_document_of, label=label, notes=notes)
    documents = sound_files(path, pairs, convert)
    return Corpus(str(path), documents, positions="char", notes=add_notes(notes))


def _names_in(folder: Path) -> list[str]:
    """Names of the documents of a folder, sorted."""
    files = [file.relative_to(folder) for file in files_below(folder)]
    names = {
        file.as_posix()[: -len(file.suffix)]
        for file in files
        if file.suffix.lower() in (".ann", ".txt")
        and not any(part.startswith(".") for part in file.parts)
    }
    return sorted(names, key=lambda name: name.split("/"))


def _beside(stem: Path, ending: str) -> Path:
    """The file of a document with an ending, or with the same in capitals, if that one is there."""
    small, large = (stem.parent / (stem.name + one) for one in (ending, ending.upper()))
    return large if large.exists() and not small.exists() else small


def _document_of(pair: tuple[Path, str], label: str | None, notes: list[Notes]) -> Document:
    """The document of a pair of files, and its name; adds annotation left out to the notes."""
    stem, name = pair
    path, beside = (_beside(stem, ending) for ending in (".ann", ".txt"))
    if path.exists() and not beside.exists():
        raise FormatError(f"there is no {beside.name} beside it; put the text there", path)
    text = whole_text(beside, encoding="utf-8", newline="")
    if not path.exists():
        return Document((), {LAYER: None}, name=name, text=text, path=str(beside))
    with part_of(path):
        rows = whole_text(path, newline="").split("\n")
        found = _spans_of(path, rows, text, label)
    notes += (
        note(LEFT_OUT[row[0]], [Place(str(path), line, brief(clip(row.rstrip())))])
        for line, row in enumerate(rows, 1)
        if row[:1] in LEFT_OUT
    )
    return Document(
        (),
        {LAYER: found.spans},
        name=name,
        text=text,
        features={LAYER: found.features},
        copies={LAYER: found.copies},
        path=str(path),
    )


def whole_text(path: PathLike, **settings: Any) -> str:
    """A file as one string, read with settings such as `newline=""`."""
    with open_text(path) as lines:
        lines.reconfigure(**settings)
        text = lines.read(LONGEST + 1)
    if len(text) > LONGEST:
        raise FormatError(f"more than {LONGEST:,} characters; divide the file", path)
    return text


def _spans_of(path: PathLike, rows: Iterable[str], text: str, label: str | None) -> RowSpans:
    """The spans of the lines of an annotation file, each with its features."""
    marks: _Marks = {}
    facts: list[_Fact] = []
    problems: list[tuple[str, Problem]] = []
    said: dict[str, dict[str, list[Any]]] = {}
    found: list[tuple[Span, Row]] = []
    feature, default = label_feature(label)

    def attempt(unit: str, function: Callable[..., None], line: int, *arguments: object) -> None:
        try:
            function(line, *arguments)
        except ContentError as mistake:
            problems.append((unit, Problem(line, mistake.found, mistake.advice)))

    for line, row in enumerate(rows, 1):
        unit = SPANS if row[:1] == "T" else VALUES
        attempt(unit, _read_line, line, row, text, marks, facts)
    for fact in facts:
        attempt(VALUES, _add_fact, fact.line, fact, marks, said)
    for key, (line, span) in marks.items():
        if span is not None:
            attempt(SPANS, _add_span, line, span, said.get(key, {}), feature, default, found)
    leave_out_parts(path, problems)
    return gather_spans(found)


def _read_line(line: int, row: str, text: str, marks: _Marks, facts: list[_Fact]) -> None:
    """Add the content of a line to the marks (identifier: line, span) or to the facts."""
    kind = row[:1]
    if kind == "T":
        key, *fields = row.split("\t", 2)
        if key in marks:
            raise ContentError(f"a second annotation {brief(key)}", "an identifier stands for one")
        marks[key] = line, None  # known to facts, even if the rest is bad
        marks[key] = line, _parse_span(fields, text)
    elif kind in ("A", "M", "N", "#"):
        facts += _parse_facts(line, kind, row.removesuffix("\r"))
    elif row.strip() and kind not in LEFT_OUT:
        raise ContentError(
            f"a line {brief(row)}", "lines of brat begin with T, A, M, N, R, E, * or #"
        )


def _parse_span(fields: Sequence[str], text: str) -> Span:
    """The span of a text-bound annotation."""
    label, _, offsets = fields[0].partition(" ") if fields else ("", "", "")
    if len(fields) < 2 or not label or not OFFSET_PATTERN.fullmatch(offsets):
        raise ContentError(f"a span {brief(fields)}", FORMS["T"])
    numbers = [map(int, piece.split(" ")) for piece in offsets.split(";")]
    pieces = [(start, end) for start, end in numbers]
    for piece in pieces:
        checked_span(*piece, label, len(text), "characters")
    if not _quotes_text(fields[1], pieces, text):
        start, end = pieces[0]
        raise ContentError(
            f"span {label} [{clip(offsets)}] quotes {brief(clip(fields[1]))}, but the text "
            f"has {brief(clip(text[start:end]))}",
            COUNTED,
        )
    try:
        start, end, own = joined_pieces(pieces)
    except ValueError as error:
        what = f"span {label} [{clip(offsets)}]: {str(error).partition('; ')[0]}"
        raise ContentError(what, "join them, or make them end where the next one starts") from None
    return (start, end, label) if own is None else (start, end, label, own)


def _quotes_text(quote: str, pieces: Sequence[Stretch], text: str) -> bool:
    """Whether a quote is the text of the pieces. Line ends stand in it as blanks."""
    length = sum(end - start for start, end in pieces) + len(pieces) - 1
    if length > len(quote):
        return False  # pieces of a hostile file overlap: their text could be very long
    there = _in_one_line(" ".join(text[start:end] for start, end in pieces))
    return there in (_in_one_line(quote), _in_one_line(quote.removesuffix("\r")))


def _in_one_line(text: str) -> str:
    """A text without line ends, as brat quotes it."""
    return text.replace("\n", " ").replace("\r", " ")


def _parse_facts(line: int, kind: str, row: str) -> list[_Fact]:
    """The fact of a line, if it is about a text-bound annotation."""
    fields = row.split("\t", 1 if kind in "AM" else 2)
    if kind == "#" and len(fields) == 1:
        return []  # a comment
    name, _, rest = fields[1].partition(" ") if len(fields) > 1 else ("", "", "")
    key, _, value = rest.partition(" ")
    if kind == "#":
        value = fields[2] if len(fields) > 2 else ""
    if not name or not key or len(fields) < 3 and kind == "#" or (kind == "N" and not value):
        raise ContentError(f"a line {brief(row)}", FORMS["A" if kind == "M" else kind])
    if kind == "#" and not value:
        return []
    return [_Fact(line, key, name, value or True, kind in "N#")] if key.startswith("T") else []


def _add_fact(line: int, fact: _Fact, marks: _Marks, said: dict[str, dict[str, list[Any]]]) -> None:
    """Add to the facts about an annotation: values by name."""
    if fact.key not in marks:
        raise ContentError(
            f"{fact.name} of {brief(fact.key)}, which is not there", "restore the line"
        )
    values = said.setdefault(fact.key, {}).setdefault(fact.name, [])
    if fact.many and values[:1] != [True]:
        values.append(fact.value)
    elif not values:
        values.append(fact.value)
    elif values != [fact.value]:
        raise ContentError(
            f"a second value of {fact.name} of {fact.key}", "give an attribute one value"
        )


def _add_span(
    line: int,
    span: Span,
    said: Mapping[str, Sequence[Any]],
    label: str | None,
    default: str | None,
    found: list[tuple[Span, Row]],
) -> None:
    """Add the span of one annotation, with its features."""
    about = {name: "; ".join(rows) if len(rows) > 1 else rows[0] for name, rows in said.items()}
    if label is not None:
        value = about.pop(label, default)
        if type(value) is not str:
            advice = (
                "--label-feature needs it at every span; give the others a label "
                f"(--label-feature {label}=LABEL)"
            )
            raise ContentError(f"a span without a value of {label}", advice)
        span = (*span[:2], value, span[3]) if len(span) > 3 else (*span[:2], value)
    found.append((span, about))
