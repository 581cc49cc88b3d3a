"""brat's standoff annotation: a text, and beside it a file of annotations.

Offsets count the characters of the `.txt` as it is: both of a line end `\\r\\n`, and a byte order
mark.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..measures.fragments import joined_pieces
from .blemishes import SPANS, VALUES, leave_out_parts, part_of, sound_files
from .corpus import Corpus, Document, Span
from .documents import span_title
from .errors import ContentError, FormatError, PathLike, Problem
from .files import open_text
from .notes import MISQUOTED, OTHERS, RELATIONS, Notes, Place, add_notes, note
from .paths import files_below, path_of
from .rows import Row, RowSpans, brief, checked_span, clip, gather_spans
from .texts import label_feature

LAYER = "spans"
ENDINGS = (".ann", ".a1", ".txt")  # .a1 of shared tasks of BioNLP
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
LINE_ENDS = str.maketrans("\r\n", "  ")  # as brat quotes them
# characters, of which one may differ in a quote: a text that was corrected, not wrong offsets
SHARE = 5
COUNTED = "offsets count the characters of the .txt, a byte order mark and both of \\r\\n too"


class _Fact(NamedTuple):
    """A fact about an annotation; `many` if it may have several of the same name."""

    line: int
    key: str
    name: str
    value: Any
    many: bool


def read_brat(path: PathLike, *, label: str | None = None) -> Corpus:
    """The corpus of a `.ann` file and the `.txt` beside it, or of all pairs in a folder.

    Text-bound annotations (`T`), triggers of events among them, are the layer "spans". Their
    features are attributes (`A`, `M`) with their value, or True without one, normalisations (`N`)
    with their entry and notes (`#`) with their text, several of a name joined by "; ". A span with
    several pieces is discontinuous; pieces that touch are one.
    Relations, events and equivalences are left out, and a note counts them. Skipped: attributes and
    notes of these, and lines with # but no tab.

    In shared tasks of BioNLP, `.a1` stands for `.ann`. A `.txt` without `.ann` was not seen; an
    empty `.ann` is an annotation without spans. Documents are named by their files, without the
    ending, in a folder by the path in it; they come in the order of their names. Hidden files are
    passed over.

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
    elif place.suffix.lower() in ENDINGS:
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
        if file.suffix.lower() in ENDINGS and not any(part.startswith(".") for part in file.parts)
    }
    return sorted(names, key=lambda name: name.split("/"))


def _beside(stem: Path, *endings: str) -> Path:
    """The file of a document with one of some endings, also in capitals; else with the first."""
    files = [
        stem.parent / (stem.name + one) for ending in endings for one in (ending, ending.upper())
    ]
    return next((file for file in files if file.exists()), files[0])


def _document_of(pair: tuple[Path, str], label: str | None, notes: list[Notes]) -> Document:
    """The document of a pair of files, and its name; adds annotation left out to the notes."""
    stem, name = pair
    path, beside = _beside(stem, ".ann", ".a1"), _beside(stem, ".txt")
    if path.exists() and not beside.exists():
        raise FormatError(f"there is no {beside.name} beside it; put the text there", path)
    text = whole_text(beside, encoding="utf-8", newline="")
    if not path.exists():
        return Document((), {LAYER: None}, name=name, text=text, path=str(beside))
    with part_of(path):
        rows = whole_text(path, newline="").split("\n")
        odd: list[Place] = []
        found = _spans_of(path, rows, text, label, odd)
    notes.append(note(MISQUOTED, odd))
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


def _spans_of(
    path: PathLike, rows: Iterable[str], text: str, label: str | None, odd: list[Place]
) -> RowSpans:
    """The spans of the lines of an annotation file, each with its features.

    `odd` gets the places of those that quote a slightly other text.
    """
    marks: dict[str, tuple[int, Span | None]] = {}  # by identifier: line, span if it is sound
    facts: list[_Fact] = []
    problems: list[tuple[str, Problem]] = []
    said: dict[str, dict[str, list[Any]]] = {}
    found: list[tuple[Span, Row]] = []
    feature, default = label_feature(label)

    @contextmanager
    def attempt(unit: str, line: int) -> Iterator[None]:
        try:
            yield
        except ContentError as mistake:
            problems.append((unit, Problem(line, mistake.found, mistake.advice)))

    for line, row in enumerate(rows, 1):
        kind = row[:1]
        with attempt(SPANS if kind == "T" else VALUES, line):
            if kind == "T":
                key, *fields = row.split("\t", 2)
                if key in marks:
                    what = f"a second annotation {brief(key)}"
                    raise ContentError(what, "an identifier stands for one")
                marks[key] = line, None  # known to facts, even if the rest is bad
                span, is_odd = _parse_span(fields, text)
                marks[key] = line, span
                odd += [Place(str(path), line, span_title(span))] * is_odd
            elif kind in ("A", "M", "N", "#"):
                facts += _parse_facts(line, kind, row.removesuffix("\r"))
            elif row.strip() and kind not in LEFT_OUT:
                what = f"a line {brief(row)}"
                raise ContentError(what, "lines of brat begin with T, A, M, N, R, E, * or #")
    for line, key, name, value, many in facts:
        with attempt(VALUES, line):
            if key not in marks:
                what = f"{name} of {brief(key)}, which is not there"
                raise ContentError(what, "restore the line")
            values = said.setdefault(key, {}).setdefault(name, [])
            if not values or many and values[0] is not True:
                values.append(value)
            elif many or values != [value]:
                what = f"a second value of {name} of {key}"
                raise ContentError(what, "give an attribute one value")
    for key, (line, marked) in marks.items():
        with attempt(SPANS, line):
            if marked is None:
                continue
            features = said.get(key, {}).items()
            about = {name: "; ".join(some) if len(some) > 1 else some[0] for name, some in features}
            if feature is not None:
                value = about.pop(feature, default)
                if type(value) is not str:
                    advice = (
                        "--label-feature needs it at every span; give the others a label "
                        f"(--label-feature {feature}=LABEL)"
                    )
                    raise ContentError(f"a span without a value of {feature}", advice)
                start, end, _, *pieces = marked
                marked = (start, end, value, *pieces)  # type: ignore[assignment]
            found.append((marked, about))
    leave_out_parts(path, problems)
    return gather_spans(found)


def _parse_span(fields: Sequence[str], text: str) -> tuple[Span, bool]:
    """(the span of a text-bound annotation, whether it quotes a slightly other text)."""
    label, _, offsets = fields[0].partition(" ") if fields else ("", "", "")
    if len(fields) < 2 or not label or not OFFSET_PATTERN.fullmatch(offsets):
        raise ContentError(f"a span {brief(fields)}", FORMS["T"])
    numbers = [map(int, piece.split(" ")) for piece in offsets.split(";")]
    pieces = [(start, end) for start, end in numbers]
    for piece in pieces:
        checked_span(*piece, label, len(text), "characters")
    there = ""
    # pieces of a hostile file overlap: their text could be very long
    if sum(end - start for start, end in pieces) + len(pieces) - 1 <= len(fields[1]):
        there = " ".join(text[start:end] for start, end in pieces).translate(LINE_ENDS)
    quote = fields[1].translate(LINE_ENDS)
    quotes = (quote, quote[:-1] if fields[1].endswith("\r") else quote)
    n_other = sum(a != b for a, b in zip(there, quotes[1]))
    is_odd = there not in quotes
    if is_odd and not (len(there) == len(quotes[1]) and n_other * SHARE <= len(there)):
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
    span: Span = (start, end, label) if own is None else (start, end, label, own)
    return span, is_odd


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
