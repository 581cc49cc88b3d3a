"""WebAnno TSV 3, an export of INCEpTION and WebAnno: one annotator of one document per file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, takewhile
from typing import Any, NamedTuple, TypeAlias

from ..measures.messages import quoted
from .blemishes import LINES, SPANS, TOKENS, blemishes, leave_out_part, sound_entries
from .corpus import Corpus, Stretch, join_stretches
from .errors import ContentError, PathLike
from .files import name_by_file, open_text, suffix_of
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import RELATIONS, Place, note
from .paths import given_path
from .rows import borders_in_text
from .texts import spaces_in

OPENING = "#FORMAT=WebAnno TSV 3"
LABELS = ("value", "identifier", "label")  # features that have the label, the best first
KINDS = {"#T_SP=": "span", "#T_CH=": "chain", "#T_RL=": "relation"}
UNIT = re.compile(r"(\d{1,9}-\d{1,9})((?:\.\d{1,9})*)", re.ASCII)
OFFSETS = re.compile(r"(\d{1,12})-(\d{1,12})", re.ASCII)
STACKED = re.compile(r"(?:\\.|[^\\|]|\\$)+", re.DOTALL)
VALUE = re.compile(r"((?:\\.|[^\\]|\\$)*?)(?:\[(\d+)\])?", re.DOTALL)
LINK = re.compile(r"((?:\\.|[^\\]|\\$)*?)->(\d+-\d+)", re.DOTALL)
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
LONGEST_GAP = 1_000_000  # characters between two sentences
# what INCEpTION calls the folder of a document, with the files of its annotators inside
DOCUMENT_FOLDERS = (".tsv", ".txt", ".xmi", ".conll", ".conllu", ".html", ".pdf", ".xml", ".json")
GIVE_HEADER = "expected #T_SP=, #T_CH= or #T_RL= and the name of a layer, each layer once"
GIVE_LINE = "a line has the number of its token, offsets, the token, and a column for each feature"
GIVE_VALUES = (
    "each feature has a value for each annotation, * for none, or all values have a [number]"
)
GIVE_LABEL = (
    "fill it in, name the feature of the label (--label-feature), or another layer (--type)"
)
INSIDE = "move it to the borders; --misaligned unplaced counts it as wrong in predictions"

_Place: TypeAlias = tuple[int, int]  # a token, and how many UTF-16 units into it
_Values: TypeAlias = list[tuple[str | None, str | None]]  # each with its number in brackets


class _Layer(NamedTuple):
    """A layer of the header: columns of features by name, of roles, and of targets of arrows."""

    name: str
    kind: str
    features: dict[str, int]
    roles: list[int]
    targets: list[int]

    @property
    def short(self) -> str:
        """The name without those of the packages around it."""
        return self.name.rpartition(".")[2]


@dataclass
class _Annotation:
    """Where an annotation begins and ends, its first line, and its features."""

    start: _Place
    end: _Place
    line: int
    features: dict[str, str] = field(default_factory=dict)


def read_webanno(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of one file: the work of one annotator on one document.

    Each layer of spans or chains is a layer, called by the last part of its name. Labels are the
    feature `value`; of layers without it, `identifier` or `label`, the first that an annotation
    has, or the only feature; of a layer without features, its name. A layer with several
    others becomes a layer for each of them, such as `Frame.sense`. The remaining features are kept
    beside the label, and of chains their number. Relations and links are left out, with a note.
    The `type` that is named is the only layer to read, in full or by the last part of its name; a
    `feature` has the labels of the layers that have it.

    Programs write no column for a layer in which a document has no annotation. Such a document has
    no spans in it if it is read together with others of a folder; for a single file, `type` says
    that the layer was annotated.

    The document is called as its file; as the folder, if that is named like a file, as in exports
    of projects.
    """
    with open_text(path) as file:
        return corpus_of_lines(file.readlines(), path, reading)


def corpus_of_lines(lines: Sequence[str], path: PathLike, reading: Reading) -> Corpus:
    """The same of lines that are read."""
    links: list[Place] = []
    form = Form(partial(_translate, path=path, links=links))
    corpus = read_form(Rows(str(path), [lines], [0]), form, reading)
    return replace(corpus, notes=corpus.notes + note(RELATIONS, links))


def _translate(
    lines: Sequence[str], reading: Reading, path: PathLike, links: list[Place]
) -> tuple[Row, str]:
    """The row of the lines of a file; the places of arrows are added to `links`."""
    texts = [line.rstrip("\n") for line in lines]
    header = _header_of(texts)
    body = _Body(header)
    for line, said in enumerate(texts, 1):
        body.add(line, said)
    body.drop_lost()
    if not body.words:
        raise ContentError("no tokens", "expected WebAnno TSV, one token a line")
    links += (Place(str(path), line, name) for line, name in body.links)
    kind, label = reading.type, reading.feature
    asked = [
        one for one in header if one.kind != "relation" and kind in (None, one.name, one.short)
    ]
    names = sorted({name for layer in asked for name in layer.features if name})
    if label is not None and asked and label not in names:
        raise ContentError(f"no feature {quoted(label)}", f"there are {', '.join(names) or 'none'}")
    layers: dict[str, list[Row]] = {} if kind is None else {kind.rpartition(".")[2]: []}
    unplaced: dict[str, list[Any]] = {}
    missing_in: dict[str, list[Stretch]] = {}
    for layer in asked:
        gaps = join_stretches(body.missing.get(layer.name, []))
        found = [*body.found[layer.name].values()]
        for name, keys, some in _named_layers(layer, found, label, bool(gaps)):
            convert = partial(_span_of, layer=layer, keys=keys, body=body, reading=reading)
            spans = [*sound_entries(some, convert)]
            layers[name] = [one for one in spans if "unplaced" not in one]
            lost = {
                one["unplaced"]: [one["length"], one["label"]] for one in spans if "unplaced" in one
            }
            unplaced[name], missing_in[name] = [*lost.values()], gaps
    text = body.text()
    borders = borders_in_text(body.words, text)
    folder = given_path(path).parent
    row = {
        "id": name_by_file(folder if suffix_of(folder) in DOCUMENT_FOLDERS else path),
        "tokens": body.words,
        "text": text if borders else None,
        "spaces": spaces_in(text, borders) if text and borders else None,
        "sents": body.sents,
        "layers": layers,
        "unplaced": unplaced,
        "missing_in": missing_in,
    }
    return row, "token"


def _header_of(texts: Sequence[str]) -> list[_Layer]:
    """The layers that the first lines declare."""
    if not texts or not texts[0].startswith(OPENING):
        raise ContentError(f"no first line {OPENING}.3", "export it as WebAnno TSV v3", 1)
    layers: dict[str, _Layer] = {}
    at = 3
    for line, text in enumerate(takewhile(lambda text: text.startswith("#T_"), texts[1:]), 2):
        name, *columns = text[6:].strip().split("|")
        if text[:6] not in KINDS or not name or name in layers:
            raise ContentError(f"a line {quoted(text[:60])}", GIVE_HEADER, line)
        layer = layers[name] = _Layer(name, KINDS[text[:6]], {}, [], [])
        for column in filter(None, columns) if any(columns) else [""]:
            if column.startswith("BT_") or at - 1 in layer.roles:
                layer.targets.append(at)
            if column.startswith("ROLE_"):
                layer.roles.append(at)
            elif at not in layer.targets:
                layer.features[column] = at
            at += 1
    return [*layers.values()]


class _Body:
    """The tokens and annotations of the lines behind the header.

    `begins` and `sizes` of tokens count UTF-16 units. `texts` are lines of text by the number of
    the token that follows, `found` annotations by layer and number, `links` (line, layer) of
    arrows, `missing` tokens by layer, `lost` annotations, each with its mistake and whether that is
    of its layer.
    """

    def __init__(self, header: Sequence[_Layer]) -> None:
        self.header = header
        self.words: list[str] = []
        self.begins: list[int] = []
        self.sizes: list[int] = []
        self.sents: list[int] = []
        self.sentence = ""
        self.texts: dict[int, list[str]] = {}
        self.found: dict[str, dict[str, _Annotation]] = {layer.name: {} for layer in header}
        self.links: list[tuple[int, str]] = []
        self.missing: dict[str, list[Stretch]] = {}
        self.lost: dict[tuple[str, str], tuple[ContentError, bool]] = {}

    def add(self, line: int, row: str) -> None:
        """Add the content of a line, or why it cannot be read."""
        if row.startswith("#Text="):
            self.texts.setdefault(len(self.words), []).append(_unescaped(row[6:]))
        if row.startswith("#") or not row.strip():
            return
        fields = row.split("\t")
        try:
            place = self.place_of(fields)
        except ContentError as mistake:
            self.leave_out(mistake, line, None, fields[3:])
            return
        for layer in self.header:
            try:
                self.add_annotations(layer, fields, place, line)
            except ContentError as mistake:
                cells = [fields[i] for i in (*layer.features.values(), *layer.roles)]
                self.leave_out(mistake, line, layer, cells)

    def leave_out(
        self, mistake: ContentError, line: int, layer: _Layer | None, cells: Sequence[str]
    ) -> None:
        """Leave out a line, or what it has of a layer.

        An annotation without its part there would be a shorter one, and is lost. If a number is not
        known, any annotation may have a part there: the token is not annotated. The numbers of
        chains stand behind arrows.
        """
        mistake.line = line
        values = [value for cell in cells for value in _values(cell)]
        found = [(LINK.fullmatch(value or ""), number) for value, number in values]
        is_chain = layer is not None and layer.kind == "chain"
        numbers = {link[2] if link else None if is_chain else number for link, number in found}
        if layer is None:
            leave_out_part(mistake, LINES)
        elif None in numbers or blemishes() is None:
            leave_out_part(mistake, TOKENS)
            place = len(self.words) - 1, len(self.words)
            self.missing.setdefault(layer.name, []).append(place)
        for name in self.found if layer is None else [layer.name]:
            for number in filter(None, numbers):
                self.lost.setdefault((name, number), (mistake, layer is not None))

    def drop_lost(self) -> None:
        """Remove annotations that have a part on a line that is left out."""
        for (name, number), (mistake, is_of_layer) in self.lost.items():
            if self.found[name].pop(number, None) or is_of_layer:
                leave_out_part(mistake, SPANS)

    def place_of(self, fields: Sequence[str]) -> tuple[_Place, _Place]:
        """The place of the token, or part of a token, of a line."""
        width = 3 + sum(len(one.features) + len(one.roles + one.targets) for one in self.header)
        if len(fields) < width or not {*fields[width:]} <= {"", "_"}:
            raise ContentError(f"{len(fields)} columns, where the header has {width}", GIVE_LINE)
        unit, offsets, word = UNIT.fullmatch(fields[0]), OFFSETS.fullmatch(fields[1]), fields[2]
        begin, end = map(int, offsets.groups()) if offsets else (0, 0)
        if unit is None or offsets is None or (begin >= end or not word) and not unit[2]:
            what = f"a line that begins with {quoted(' '.join(fields[:3])[:60])}"
            raise ContentError(what, GIVE_LINE)
        token = len(self.words)
        if unit[2]:
            first = self.begins[-1] if self.begins else 0
            if not first <= begin <= end <= first + sum(self.sizes[-1:]):
                what = f"a part [{begin}, {end}) outside of any token"
                raise ContentError(what, "a part follows its token")
            return (token - 1, begin - first), (token - 1, end - first)
        sentence = unit[1].partition("-")[0]
        if sentence != self.sentence:
            self.sents.append(token)
            self.sentence = sentence
        self.words.append(word)
        self.begins.append(begin)
        self.sizes.append(end - begin)
        return (token, 0), (token, end - begin)

    def add_annotations(
        self, layer: _Layer, fields: Sequence[str], place: tuple[_Place, _Place], line: int
    ) -> None:
        """Add the annotations of a layer on a line; one that continues becomes longer."""
        for at in layer.targets:
            ends = _pieces(fields[at].replace(";", "|"))
            self.links += [(line, layer.short) for end in ends if end not in ("_", "*")]
        columns = [*layer.features.items(), *((None, i) for i in layer.roles)]
        if layer.kind == "relation" or all(
            fields[i] == "_" for i in (*layer.features.values(), *layer.roles, *layer.targets)
        ):
            return
        found = self.found[layer.name]
        cells = [(name, values) for name, i in columns if (values := _values(fields[i]))]
        for i, (key, said) in enumerate(_stacked(layer, cells)):
            own = found.setdefault(key or f"{line} {i}", _Annotation(*place, line))
            own.start, own.end = min(own.start, place[0]), max(own.end, place[1])
            for name, value in said.items():
                if name is not None and value and value != "*":
                    own.features.setdefault(name, _unescaped(value))

    def text(self) -> str | None:
        """The text of all sentences with blanks between them; None if offsets do not fit it."""
        parts, size = [], 0
        for first, lines in self.texts.items():
            gap = self.begins[first] - size if first < len(self.begins) else 0
            if not 0 <= gap <= LONGEST_GAP:
                return None
            parts.append(" " * gap + "\n".join(lines))
            size += len(parts[-1].encode("utf-16-le", "surrogatepass")) // 2
        return "".join(parts)


def _stacked(
    layer: _Layer, columns: Sequence[tuple[str | None, _Values]]
) -> Iterator[tuple[str | None, dict[str | None, str | None]]]:
    """(number, values) of each annotation of a line: by the numbers of all values, else in order.

    Where each value has its number, GUM leaves empty ones out.
    """
    by_number = [(name, {number: value for value, number in values}) for name, values in columns]
    is_numbered = all(
        None not in one and len(one) == len(values)
        for (_, one), (_, values) in zip(by_number, columns)
    )
    if columns and layer.kind == "span" and is_numbered:
        for number in dict.fromkeys(chain.from_iterable(one for _, one in by_number)):
            yield number, {name: one[number] for name, one in by_number if number in one}
        return
    n_stacked = {len(values) for _, values in columns} or {1}
    if len(n_stacked) > 1:
        counts = " and ".join(map(str, sorted(n_stacked)))
        raise ContentError(f"{counts} values in the columns of {layer.name}", GIVE_VALUES)
    for i in range(*n_stacked):
        number = next(filter(None, (values[i][1] for _, values in columns)), None)
        said = {name: values[i][0] for name, values in columns}
        if layer.kind == "chain":
            said["chain"], number = number, None
            for name, value in [*said.items()]:
                if value and (link := LINK.fullmatch(value)):
                    said[name], number = link[1], link[2]
        yield number, said


def _values(cell: str) -> _Values:
    """The values of stacked annotations, escaped, each followed by the number in brackets."""
    matches = (VALUE.fullmatch(piece) for piece in _pieces(cell) if cell != "_")
    return [(match[1], match[2]) for match in matches if match]


def _pieces(cell: str) -> list[str]:
    """The parts of a cell between its vertical lines."""
    return STACKED.findall(cell) if "\\" in cell else cell.split("|")


def _unescaped(text: str) -> str:
    """A text without its escapes."""
    return re.sub(r"\\(.)", lambda match: CONTROL.get(match[1], match[1]), text, flags=re.DOTALL)


def _named_layers(
    layer: _Layer, found: list[_Annotation], label: str | None, has_gaps: bool
) -> Iterator[tuple[str, list[str], list[_Annotation]]]:
    """(name, features of the label, annotations): one layer, or if in doubt one of each feature."""
    names = [*layer.features]
    keys = [label] if label in names else [key for key in LABELS if key in names]
    keys = ["value"] if keys[:1] == ["value"] else keys
    keys = ["referenceType"] if layer.kind == "chain" else keys or names
    if not (len(keys) > 1 and keys == names and not {*names} <= {*LABELS}):
        yield layer.short, keys, found
        return
    for key in names:
        some = [one for one in found if key in one.features]
        if some or has_gaps:
            yield f"{layer.short}.{key}", [key], some


def _span_of(
    one: _Annotation, layer: _Layer, keys: list[str], body: _Body, reading: Reading
) -> Row:
    """The span of an annotation in tokens; of one that fits none, its length and label."""
    said = dict(one.features)
    key = next((key for key in keys if key in said), None)
    label = layer.short if key is None else said.pop(key)
    if key is None and layer.kind == "span" and keys and keys != [""]:
        what = f"an annotation of {layer.short} has no {' or '.join(keys)}"
        raise ContentError(what, GIVE_LABEL, one.line)
    if one.start == one.end:
        what = f"a span {label} of length 0"
        raise ContentError(what, "remove it, or mark some text", one.line)
    first, last = one.start[0], one.end[0] + 1
    if one.start[1] == 0 and one.end[1] == body.sizes[last - 1]:
        return {"start": first, "end": last, "label": label, "features": said, "line": one.line}
    if reading.misaligned != "unplaced":
        raise ContentError(f"a span {label} over a part of a token", INSIDE, one.line)
    place = one.start, one.end, label
    return {"unplaced": place, "length": last - first, "label": label}
