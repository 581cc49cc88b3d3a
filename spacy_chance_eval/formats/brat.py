"""brat's standoff annotation: a text, and beside it a file of annotations.

Offsets count the characters of the `.txt` as it is: both of a line end `\\r\\n`, and a byte order
mark.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .blemishes import VALUES, leave_out_document, part_of, sound_entries
from .corpus import Corpus, join_corpora
from .errors import ContentError, FormatError, PathLike
from .files import open_text
from .forms import ROWS_IN_CHARACTERS, Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import MISQUOTED, OTHERS, RELATIONS, Notes, Place, add_notes, note
from .paths import files_below, path_of
from .rows import brief, clip
from .standoff import label_feature

ENDINGS = (".ann", ".a1", ".txt")  # .a1 of shared tasks of BioNLP
LONGEST = 100_000_000  # characters of one file
PIECE = "[0-9]{1,9} [0-9]{1,9}"
OFFSET_PATTERN = re.compile(f"{PIECE}(?:;{PIECE})*")
FORMS = {
    "T": "a span is T1<tab>LABEL start end<tab>its text",
    "A": "an attribute is A1<tab>NAME T1 VALUE, or without VALUE",
    "M": "an attribute is M1<tab>NAME T1 VALUE, or without VALUE",
    "N": "a normalisation is N1<tab>NAME T1 ENTRY<tab>its text",
    "#": "a note is #1<tab>NAME T1<tab>its text",
}
LEFT_OUT = {"R": RELATIONS, "E": OTHERS, "*": RELATIONS}  # kinds of notes
LINE_ENDS = str.maketrans("\r\n", "  ")  # as brat quotes them
# characters, of which one may differ in a quote: a text that was corrected, not wrong offsets
SHARE = 5
COUNTED = "offsets count the characters of the .txt, a byte order mark and both of \\r\\n too"


def read_brat(path: PathLike, reading: Reading) -> Corpus:
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
    passed over. The `feature` that is named is an attribute whose value is the label of a span,
    instead of its type. With "role=none", spans without a value have the label "none".
    """
    place = path_of(path)
    if not place.exists():
        raise FormatError("no such file; check the path", path)
    if not place.is_dir():
        if place.suffix.lower() not in ENDINGS:
            message = "neither a .ann nor a .txt file nor a folder; name one of these"
            raise FormatError(message, path)
        return _corpus_of(place.parent / place.stem, place.stem, reading)
    corpora = []
    for number, name in enumerate(_names_in(place)):
        try:
            corpora.append(_corpus_of(place / name, name, reading))
        except FormatError as error:
            leave_out_document(path, error, number)
    if not corpora:
        raise FormatError("no .txt and .ann files in this folder", path)
    return join_corpora(path, corpora)


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


def _corpus_of(stem: Path, name: str, reading: Reading) -> Corpus:
    """The document of a pair of files."""
    path, beside = _beside(stem, ".ann", ".a1"), _beside(stem, ".txt")
    if path.exists() and not beside.exists():
        raise FormatError(f"there is no {beside.name} beside it; put the text there", path)
    row = {"id": name, "text": whole_text(beside, encoding="utf-8", newline="")}
    if not path.exists():
        unseen = Rows(str(beside), [{**row, "spans": None}], [0])
        return read_form(unseen, ROWS_IN_CHARACTERS, reading)
    notes: list[Notes] = []
    with part_of(path):
        lines = whole_text(path, newline="").split("\n")
        form = Form(partial(_translate, path=path, lines=lines, notes=notes))
        corpus = read_form(Rows(str(path), [row], [0]), form, reading)
    return replace(corpus, notes=add_notes([corpus.notes, *notes]))


def whole_text(path: PathLike, **settings: Any) -> str:
    """A file as one string, read with settings such as `newline=""`."""
    with open_text(path) as lines:
        lines.reconfigure(**settings)
        text = lines.read(LONGEST + 1)
    if len(text) > LONGEST:
        raise FormatError(f"more than {LONGEST:,} characters; divide the file", path)
    return text


def _translate(
    row: Row, reading: Reading, path: Path, lines: Sequence[str], notes: list[Notes]
) -> tuple[Row, str]:
    """The row of a text with the spans of the lines; adds notes on what is left out, or odd."""
    every = [(line, text) for line, text in enumerate(lines, 1) if text.strip()]
    spans: dict[str, Row | None] = {}  # by identifier; None if it is unsound
    said: dict[str, dict[str, list[Any]]] = {}

    def add_span(entry: tuple[int, str]) -> None:
        line, (key, *fields) = entry[0], entry[1].split("\t", 2)
        if key in spans:
            advice = "an identifier stands for one"
            raise ContentError(f"a second annotation {brief(key)}", advice, line)
        spans[key] = None  # known to facts, even if the rest is bad
        spans[key], is_odd = _parse_span(line, fields, row["text"])
        notes.extend([note(MISQUOTED, [Place(str(path), line, _title(fields[0]))])] * is_odd)

    def add_fact(entry: tuple[int, str]) -> None:
        key, name, value, many = _parse_fact(*entry)
        if not key.startswith("T"):
            return
        if key not in spans:
            what = f"{name} of {brief(key)}, which is not there"
            raise ContentError(what, "restore the line", entry[0])
        values = said.setdefault(key, {}).setdefault(name, [])
        if not values or many and values[0] is not True:
            values.append(value)
        elif many or values != [value]:
            what = f"a second value of {name} of {key}"
            raise ContentError(what, "give an attribute one value", entry[0])

    def labelled(pair: tuple[str, Row]) -> Row:
        key, span = pair
        named = said.get(key, {}).items()
        features = {name: "; ".join(some) if len(some) > 1 else some[0] for name, some in named}
        feature, default = label_feature(reading.feature)
        found = span["label"] if feature is None else features.pop(feature, default)
        if type(found) is not str:
            advice = (
                "--label-feature needs it at every span; give the others a label "
                f"(--label-feature {feature}=LABEL)"
            )
            raise ContentError(f"a span without a value of {feature}", advice, span["line"])
        return {**span, "label": found, "features": features}

    [*sound_entries([one for one in every if one[1][0] == "T"], add_span)]
    others = [one for one in every if one[1][0] not in ("T", *LEFT_OUT)]
    [*sound_entries(others, add_fact, VALUES)]
    notes += [
        note(LEFT_OUT[text[0]], [Place(str(path), line, brief(clip(text.rstrip())))])
        for line, text in every
        if text[0] in LEFT_OUT
    ]
    found = [(key, span) for key, span in spans.items() if span is not None]
    return {**row, "spans": [*sound_entries(found, labelled)]}, "char"


def _title(said: str) -> str:
    """How messages call a span: "LABEL [start end]"."""
    label, _, offsets = said.partition(" ")
    return f"{label} [{clip(offsets)}]"


def _parse_span(line: int, fields: Sequence[str], text: str) -> tuple[Row, bool]:
    """(the span of a text-bound annotation, whether it quotes a slightly other text)."""
    label, _, offsets = fields[0].partition(" ") if fields else ("", "", "")
    if len(fields) < 2 or not label or not OFFSET_PATTERN.fullmatch(offsets):
        raise ContentError(f"a span {brief(fields)}", FORMS["T"], line)
    pieces = [[int(one) for one in piece.split(" ")] for piece in offsets.split(";")]
    place = {"fragments": pieces} if len(pieces) > 1 else dict(zip(("start", "end"), pieces[0]))
    span = {**place, "label": label, "line": line}
    if any(not start < end <= len(text) for start, end in pieces):
        return span, False  # an error that is found later
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
        what = (
            f"span {_title(fields[0])} quotes {brief(clip(fields[1]))}, but the text "
            f"has {brief(clip(text[start:end]))}"
        )
        raise ContentError(what, COUNTED, line)
    return span, is_odd


def _parse_fact(line: int, text: str) -> tuple[str, str, Any, bool]:
    """(identifier, name, value, whether it may have several) of a line; of a comment, none."""
    kind, row = text[0], text.removesuffix("\r")
    if kind not in FORMS:
        advice = "lines of brat begin with T, A, M, N, R, E, * or #"
        raise ContentError(f"a line {brief(row)}", advice, line)
    fields = row.split("\t", 1 if kind in "AM" else 2)
    if kind == "#" and len(fields) == 1:
        return "", "", "", True
    name, _, rest = fields[1].partition(" ") if len(fields) > 1 else ("", "", "")
    key, _, value = rest.partition(" ")
    if kind == "#":
        value = fields[2] if len(fields) > 2 else ""
    if not name or not key or len(fields) < 3 and kind == "#" or (kind == "N" and not value):
        raise ContentError(f"a line {brief(row)}", FORMS[kind], line)
    return "" if kind == "#" and not value else key, name, value or True, kind in "N#"
