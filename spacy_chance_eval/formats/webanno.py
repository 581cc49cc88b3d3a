"""WebAnno TSV 3, an export of INCEpTION and WebAnno: one annotator of one document per file."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from ..measures.messages import quoted
from .corpus import Corpus, Stretch
from .errors import ContentError, PathLike
from .files import name_by_file, open_text, suffix_of
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import RELATIONS
from .paths import name_of
from .standoff import label_feature, take_label, text_row, utf_16_places

OPENING = "#FORMAT=WebAnno TSV 3"
LABELS = ("value", "identifier", "label")  # features that have the label, the best first
SPANS, CHAINS = "#T_SP=", "#T_CH="
UNIT = re.compile(r"(\d{1,9})-\d{1,9}((?:\.\d{1,9})*)", re.ASCII)
OFFSETS = re.compile(r"(\d{1,8})-(\d{1,8})", re.ASCII)
STACKED = re.compile(r"(?:\\.|[^\\|]|\\$)+", re.DOTALL)
NUMBERED = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# what INCEpTION calls the folder of a document, with the files of its annotators inside
DOCUMENT_FOLDERS = (".tsv", ".txt", ".xmi", ".conll", ".conllu", ".html", ".pdf", ".xml", ".json")
GIVE_LINE = "a line has the number of its token, offsets, the token, and a column for each feature"


class _Layer(NamedTuple):
    """A layer of the header: the feature in each of its columns, "" for none; those of arrows."""

    name: str
    is_of_spans: bool
    columns: dict[int, str]
    arrows: list[int]

    @property
    def short(self) -> str:
        """The name without those of the packages around it."""
        return self.name.rpartition(".")[2]


def read_webanno(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of one file: the work of one annotator on one document.

    Each layer of spans is a layer, called by the last part of its name. Labels are the feature
    `value`; of layers without it, `identifier` or `label`, the first that an annotation has, or the
    only feature; of a layer without features, its name. A layer with several others becomes a layer
    for each of them, such as `Frame.sense`. Relations, links and chains are left out, with a note.

    Programs write no column for a layer in which a document has no annotation. Such a document has
    no spans in it if it is read together with others of a folder; for a single file, `type` says
    that the layer was annotated. The text is that of the tokens, with as many blanks between them
    as their offsets say.
    """
    with open_text(path) as file:
        return corpus_of(file.read(), path, reading)


def corpus_of(text: str, path: PathLike, reading: Reading) -> Corpus:
    """The corpus of the text of a file; a layer in which nothing is annotated may lack."""
    form = Form(partial(_translate, path=path))
    return read_form(Rows(str(path), [text.replace("\r\n", "\n")], [0]), form, reading)


def _translate(text: str, reading: Reading, path: PathLike) -> tuple[Row, str]:
    """The row of the text of a file."""
    lines = text.split("\n")
    header = _header_of(lines)
    body = _Body(header)
    for line, row in enumerate(lines, 1):
        if row.strip() and not row.startswith("#"):
            try:
                body.add(line, row.split("\t"))
            except ContentError as mistake:
                mistake.line = line
                raise
    if not body.tokens:
        raise ContentError("no tokens", "expected WebAnno TSV, one token a line")
    kind, (feature, default) = reading.type, label_feature(reading.feature)
    asked = [one for one in header if kind in (None, one.name, one.short)]
    of_spans = [one for one in asked if one.is_of_spans]
    if asked and not of_spans:
        raise ContentError(
            f"no layer of spans, but relations or chains: {', '.join(one.short for one in asked)}",
            "name the layer of spans that was annotated (--read type=NAME)",
        )
    names = sorted({name for layer in of_spans for name in layer.columns.values() if name})
    if feature is not None and of_spans and feature not in names:
        has = ", ".join(names) or "none"
        raise ContentError(f"no feature {quoted(feature)}", f"there are {has}")
    layers: dict[str, list[Row]] = {} if kind is None else {kind.rpartition(".")[2]: []}
    for layer in of_spans:
        found = _named_layers(layer, [*body.spans[layer.name].values()], feature, default)
        if any(layers.get(name) for name in found):
            advice = f"name one with its packages (--read type={layer.name})"
            raise ContentError(f"two layers called {layer.short}", advice)
        layers |= found
    folder = name_of(path).parent
    name = name_by_file(folder if suffix_of(folder) in DOCUMENT_FOLDERS else path)
    content = text_row("".join(body.texts), body.tokens, [body.tokens[n] for n in body.sents])
    return {**content, "id": name, "layers": layers, "*notes": body.notes}, "char"


def _header_of(lines: Sequence[str]) -> list[_Layer]:
    """The layers that the first lines declare."""
    if not lines[0].startswith(OPENING):
        raise ContentError(f"no first line {OPENING}.3", "export it as WebAnno TSV v3", 1)
    layers: list[_Layer] = []
    at = 3
    for text in takewhile(lambda text: text.startswith("#T_"), lines[1:]):
        kind, (name, *columns) = text[:6], text[6:].strip().split("|")
        numbered = dict(enumerate([*filter(None, columns)] or [""], at))
        roles = {i for i, column in numbered.items() if column.startswith("ROLE_")}
        arrows = [i for i in numbered if i - 1 in roles or numbered[i].startswith("BT_")]
        if kind == CHAINS:
            arrows = [at]
        features = {i: "" if i in roles else numbered[i] for i in numbered if i not in arrows}
        layers.append(_Layer(name, kind == SPANS, features, arrows))
        at += len(numbered)
    return layers


class _Body:
    """The tokens and annotations of the lines behind the header.

    `texts` are tokens and the blanks before them, `sents` the first tokens of sentences, `spans`
    those of layers by number, `notes` are of arrows.
    """

    def __init__(self, header: Sequence[_Layer]) -> None:
        self.header = header
        self.width = 3 + sum(len(one.columns) + len(one.arrows) for one in header)
        self.texts: list[str] = []
        self.tokens: list[Stretch] = []
        self.begin = self.end = self.size = 0  # of the last token in the file; of the texts
        self.sents: list[int] = []
        self.sentence = ""
        self.spans: dict[str, dict[str, Row]] = {layer.name: {} for layer in header}
        self.notes: list[tuple[str, str, int]] = []

    def add(self, line: int, fields: Sequence[str]) -> None:
        """Add a line."""
        if len(fields) < self.width or not {*fields[self.width :]} <= {"", "_"}:
            what = f"{len(fields)} columns, where the header has {self.width}"
            raise ContentError(what, GIVE_LINE)
        start, end = self.place_of(*fields[:3])
        for layer in self.header:
            for i in layer.arrows:
                targets = [one for one in re.split("[|;]", fields[i]) if one not in ("_", "*")]
                self.notes += [(RELATIONS, layer.short, line)] * len(targets)
            columns = (*layer.columns, *layer.arrows)
            if not layer.is_of_spans or all(fields[i] == "_" for i in columns):
                continue
            for key, features in _stacked(layer, fields):
                number = key if type(key) is str else f"{line} {key}"
                span: Row = {"start": start, "features": {}, "line": line}
                span = self.spans[layer.name].setdefault(number, span)
                span["end"] = end
                span["features"] = {**features, **span["features"]}

    def place_of(self, number: str, offsets: str, word: str) -> Stretch:
        """(start, end) in the text of the token, or part of the last token, of a line."""
        unit, places = UNIT.fullmatch(number), OFFSETS.fullmatch(offsets)
        begin, end = map(int, places.groups()) if places else (0, 0)
        if unit and unit[2] and self.tokens:
            at, first = utf_16_places(self.texts[-1]), self.tokens[-1][0]
            start, stop = (at.get(one - self.begin, -1) for one in (begin, end))
            if 0 <= start <= stop:
                return first + start, first + stop
        elif unit and not unit[2] and word and self.end <= begin < end:
            if unit[1] != self.sentence:
                self.sents.append(len(self.tokens))
                self.sentence = unit[1]
            start = self.size + begin - self.end
            self.texts += [" " * (begin - self.end), word]
            self.begin, self.end, self.size = begin, end, start + len(word)
            self.tokens.append((start, self.size))
            return self.tokens[-1]
        what = f"a line that begins with {quoted(' '.join((number, offsets, word))[:60])}"
        raise ContentError(what, GIVE_LINE)


def _stacked(layer: _Layer, fields: Sequence[str]) -> Iterator[tuple[int | str, dict[str, str]]]:
    """(number in brackets, else the place in the cell; features) of each annotation of a line.

    Where each value has its number, GUM leaves empty ones out.
    """
    cells = {i: _values(fields[i]) for i in layer.columns if fields[i] != "_"} or {0: {0: "*"}}
    keys = dict.fromkeys(key for one in cells.values() for key in one)
    if any(type(key) is int and key not in one for key in keys for one in cells.values()):
        raise ContentError(
            f"different numbers of values in the columns of {layer.name}",
            "each feature has a value for each annotation, * for none, or all values a [number]",
        )
    for key in keys:
        own = {layer.columns.get(i): values.get(key, "") for i, values in cells.items()}
        said = {name: value for name, value in own.items() if name and value not in ("", "*")}
        for name, one in said.items():
            said[name] = ESCAPED.sub(lambda match: CONTROL.get(match[1], match[1]), one)
        yield key, said


def _values(cell: str) -> dict[int | str, str]:
    """The values of stacked annotations, still escaped, by their numbers, or else places."""
    pieces = STACKED.findall(cell) if "\\" in cell else cell.split("|")
    pairs = [(NUMBERED.fullmatch(piece), piece) for piece in pieces]
    found: dict[int | str, str] = {
        m[2] if m else i: m[1] if m else piece for i, (m, piece) in enumerate(pairs)
    }
    if len(found) < len(pieces):
        what = f"a cell {quoted(cell[:60])}"
        raise ContentError(what, "an annotation has one value; give each a [number] of its own")
    return found


def _named_layers(
    layer: _Layer, spans: list[Row], feature: str | None, default: str | None
) -> dict[str, list[Row]]:
    """The spans with labels, by the name of their layer: if in doubt one of each feature."""
    names = [name for name in layer.columns.values() if name]
    keys = [feature] if feature in names else [key for key in LABELS if key in names] or names
    keys = keys[:1] if keys[:1] == ["value"] else keys
    is_one = len(keys) < 2 or keys[0] in LABELS
    found: dict[str, list[Row]] = {layer.short: []} if is_one else {}
    for span in spans:
        for own in [keys] if is_one else [[key] for key in names if key in span["features"]]:
            said = dict(span["features"])
            what = f"an annotation of {layer.short}"
            label = take_label(said, own, default, what, span["line"]) if own else layer.short
            name = layer.short if is_one else f"{layer.short}.{own[0]}"
            found.setdefault(name, []).append({**span, "label": label, "features": said})
    return found
