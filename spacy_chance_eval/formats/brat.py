"""brat's standoff annotation: a text, and beside it a file of annotations.

Offsets count the characters of the `.txt` as it is: both of a line end `\\r\\n`, and a byte order
mark.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from .blemishes import STOP, check_left, leave_out_document
from .blemishes import reading as blemishes_of
from .corpus import Corpus, join_corpora
from .errors import ContentError, FormatError, PathLike
from .files import file_bytes, open_text
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import OTHERS, RELATIONS
from .paths import files_below, path_of
from .rows import brief, clip
from .standoff import check_copy, label_feature, take_label, text_of

ENDINGS = (".ann", ".a1", ".txt")  # .a1 of shared tasks of BioNLP
PIECE = "[0-9]{1,9} [0-9]{1,9}"
OFFSET_PATTERN = re.compile(f"{PIECE}(?:;{PIECE})*")
ATTRIBUTE = re.compile(r"[AM][^\t]*\t(\S+) (\S+)(?: (.+))?")
LEFT_OUT = {"R": RELATIONS, "E": OTHERS, "*": RELATIONS}  # kinds of notes


def read_brat(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a `.ann` file and the `.txt` beside it, or of all pairs in a folder.

    Text-bound annotations (`T`), triggers of events among them, are the layer "spans"; attributes
    (`A`, `M`) are their features, True without a value, or the `feature` that is the label.
    Relations, events and equivalences are left out, with a note; normalisations (`N`) and notes
    (`#`) say nothing of spans. A `.txt` without `.ann` was not seen.
    """
    place = path_of(path)
    if not place.is_dir():
        if place.suffix not in ENDINGS:
            message = "neither a .ann nor a .txt file nor a folder; name one of these"
            raise FormatError(message, path)
        return _corpus_of(str(place.with_suffix("")), place.stem, reading)
    files = [file.relative_to(place) for file in files_below(place)]
    names = {
        file.with_suffix("").as_posix()
        for file in files
        if file.suffix in ENDINGS and not any(part.startswith(".") for part in file.parts)
    }
    if not names:
        raise FormatError("no .txt and .ann files in this folder", path)
    corpora = []
    for number, name in enumerate(sorted(names, key=lambda name: name.split("/"))):
        try:
            with blemishes_of(path, STOP):
                corpora.append(_corpus_of(str(place / name), name, reading))
        except FormatError as error:
            leave_out_document(path, error, number)
    check_left(path, len(corpora))
    return join_corpora(path, corpora)


def _corpus_of(stem: str, name: str, reading: Reading) -> Corpus:
    """The corpus of a pair of files, of whose paths the beginning is known."""
    *files, beside = (Path(stem + ending) for ending in ENDINGS)
    path = next((file for file in files if file.exists()), files[0])
    is_seen = path.exists()
    if is_seen and not beside.exists():
        raise FormatError(f"there is no {beside.name} beside it; put the text there", path)
    with open_text(beside) as file:
        file.reconfigure(encoding="utf-8", newline="")
        text = file.read()
    lines = text_of(file_bytes(path), path).split("\n") if is_seen else ()

    def translate(lines: Sequence[str], reading: Reading) -> tuple[Row, str]:
        said = _row_of(lines, text, reading.feature) if is_seen else {"spans": None}
        return {"id": name, "text": text, **said}, "char"

    source = Rows(str(path if is_seen else beside), [lines], [0])
    return read_form(source, Form(translate), reading)


def _row_of(lines: Sequence[str], text: str, label: str | None) -> Row:
    """The spans in the lines of an annotation, and what is left out, or odd."""
    spans: dict[str, Row] = {}
    notes: list[tuple[str, str, int]] = []
    for line, said in enumerate(lines, 1):
        if said.startswith("T"):
            key, *fields = said.split("\t", 2)
            if key in spans:
                what = f"a second annotation {brief(key)}"
                raise ContentError(what, "an identifier stands for one", line)
            spans[key] = _parse_span(line, fields, text)
        elif said[:1] in LEFT_OUT:
            notes.append((LEFT_OUT[said[0]], brief(clip(said.rstrip())), line))
        elif said.strip() and said[0] not in "AMN#":
            advice = "lines of brat begin with T, A, M, N, R, E, * or #"
            raise ContentError(f"a line {brief(said)}", advice, line)
    for line, said in enumerate(lines, 1):
        if said[:1] in ("A", "M"):
            _add_attribute(spans, line, said)
    feature, default = label_feature(label)
    for span in spans.values() if feature else ():
        if span["features"].get(feature) is True:  # which is no label
            del span["features"][feature]
        span["label"] = take_label(
            span["features"], [str(feature)], default, f"span {span['label']}", span["line"]
        )
    return {"spans": [*spans.values()], "*notes": notes}


def _add_attribute(spans: dict[str, Row], line: int, said: str) -> None:
    """Give a span the attribute of a line as a feature."""
    match = ATTRIBUTE.fullmatch(said.removesuffix("\r"))
    if match is None:
        advice = "an attribute is A1<tab>NAME T1 VALUE, or without VALUE"
        raise ContentError(f"a line {brief(said)}", advice, line)
    name, key, value = match[1], match[2], match[3] or True
    if not key.startswith("T"):  # of events and relations
        return
    if key not in spans:
        raise ContentError(f"{name} of {brief(key)}, which is not there", "restore the line", line)
    if spans[key]["features"].setdefault(name, value) != value:
        what = f"a second value of {name} of {key}"
        raise ContentError(what, "give an attribute one value", line)


def _parse_span(line: int, fields: Sequence[str], text: str) -> Row:
    """The span of a text-bound annotation."""
    label, _, offsets = fields[0].partition(" ") if fields else ("", "", "")
    if len(fields) < 2 or not label or not OFFSET_PATTERN.fullmatch(offsets):
        advice = "a span is T1<tab>LABEL start end<tab>its text"
        raise ContentError(f"a span {brief(fields)}", advice, line)
    pairs = (piece.split(" ") for piece in offsets.split(";"))
    first, *more = pieces = [(int(start), int(end)) for start, end in pairs]
    check_copy(text, pieces, fields[1], f"span {label}", line)
    place = {"fragments": pieces} if more else dict(zip(("start", "end"), first))
    return {**place, "label": label, "features": {}, "line": line}
