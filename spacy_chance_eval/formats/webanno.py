"""WebAnno TSV 3, an export of INCEpTION and WebAnno: one annotator of one document per file."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from ..measures.messages import quoted
from .corpus import Corpus, Stretch
from .errors import ContentError, FormatError, PathLike
from .files import name_by_file, not_utf8, open_text, suffix_of
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import RELATIONS
from .paths import name_of
from .standoff import text_row, utf_16_places

OPENING = "#FORMAT=WebAnno TSV 3"
LABELS = ("value", "identifier", "label")  # features that have the label, the best first
SPANS, CHAINS, RELATIONS_OF = "#T_SP=", "#T_CH=", "#T_RL="
UNIT = re.compile(r"(\d{1,9})-\d{1,9}((?:\.\d{1,9})*)", re.ASCII)
OFFSETS = re.compile(r"(\d{1,12})-(\d{1,12})", re.ASCII)
STACKED = re.compile(r"(?:\\.|[^\\|]|\\$)+", re.DOTALL)
NUMBERED = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
LONGEST_GAP = 1_000_000  # characters between two tokens
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
        return last_part(self.name)


def last_part(name: str) -> str:
    """The name of a type without those of the packages around it."""
    return name.rpartition(".")[2]


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
        return corpus_of_lines(file.readlines(), path, reading)


def corpus_of_bytes(data: bytes, path: PathLike, reading: Reading, preferred: str) -> Corpus:
    """The corpus of a file in a zip, of one layer: the preferred one, if there are several.

    A file has no layer in which nothing is annotated.
    """
    try:
        rows = io.StringIO(data.decode("utf-8-sig"), newline=None).readlines()
    except UnicodeDecodeError:
        raise not_utf8(path, data) from None
    corpus = corpus_of_lines(rows, path, reading)
    names = corpus.layer_names
    if reading.type is None and len(names) > 1 and preferred in names:
        return corpus_of_lines(rows, path, replace(reading, type=preferred))
    if len(names) > 1:
        what = f"layers {', '.join(names)}; name the type of the spans (type: --type)"
        raise FormatError(what, path)
    (document,) = corpus.documents
    return corpus if names else replace(corpus, documents=[replace(document, layers={"spans": ()})])


def corpus_of_lines(lines: Sequence[str], path: PathLike, reading: Reading) -> Corpus:
    """The same of lines that are read."""
    form = Form(partial(_translate, path=path))
    return read_form(Rows(str(path), [lines], [0]), form, reading)


def _translate(lines: Sequence[str], reading: Reading, path: PathLike) -> tuple[Row, str]:
    """The row of the lines of a file."""
    texts = [line.rstrip("\n") for line in lines]
    body = _Body(_header_of(texts))
    for line, row in enumerate(texts, 1):
        if row.startswith("#") or not row.strip():
            continue
        try:
            body.add(line, row.split("\t"))
        except ContentError as mistake:
            mistake.line = line
            raise
    if not body.tokens:
        raise ContentError("no tokens", "expected WebAnno TSV, one token a line")
    notes = [(RELATIONS, name, line) for line, name in body.links]
    kind, label = reading.type, reading.feature
    asked = [one for one in body.header if kind in (None, one.name, one.short)]
    if kind is not None and not all(one.is_of_spans for one in asked):
        raise ContentError(
            f"{kind} is a layer of relations or chains", "name one of spans (--type)"
        )
    asked = [one for one in asked if one.is_of_spans]
    names = sorted({name for layer in asked for name in layer.columns.values() if name})
    if label is not None and asked and label not in names:
        raise ContentError(f"no feature {quoted(label)}", f"there are {', '.join(names) or 'none'}")
    layers: dict[str, list[Row]] = {} if kind is None else {kind.rpartition(".")[2]: []}
    for layer in asked:
        layers |= _named_layers(layer, [*body.spans[layer.name].values()], label)
    folder = name_of(path).parent
    name = name_by_file(folder if suffix_of(folder) in DOCUMENT_FOLDERS else path)
    content = text_row("".join(body.texts), body.tokens, [body.tokens[n] for n in body.sents])
    return {**content, "id": name, "layers": layers, "*notes": notes}, "char"


def _header_of(texts: Sequence[str]) -> list[_Layer]:
    """The layers that the first lines declare."""
    if not texts or not texts[0].startswith(OPENING):
        raise ContentError(f"no first line {OPENING}.3", "export it as WebAnno TSV v3", 1)
    layers: dict[str, _Layer] = {}
    at = 3
    for line, text in enumerate(takewhile(lambda text: text.startswith("#T_"), texts[1:]), 2):
        kind, (name, *columns) = text[:6], text[6:].strip().split("|")
        if kind not in (SPANS, CHAINS, RELATIONS_OF) or not name or name in layers:
            advice = "expected #T_SP=, #T_CH= or #T_RL= and the name of a layer, each layer once"
            raise ContentError(f"a line {quoted(text[:60])}", advice, line)
        numbered = dict(enumerate([*filter(None, columns)] or [""], at))
        roles = {i for i, column in numbered.items() if column.startswith("ROLE_")}
        arrows = [i for i in numbered if i - 1 in roles or numbered[i].startswith("BT_")]
        if kind == CHAINS:
            arrows = [at]
        features = {i: "" if i in roles else numbered[i] for i in numbered if i not in arrows}
        layers[name] = _Layer(name, kind == SPANS, features, arrows)
        at += len(numbered)
    return [*layers.values()]


class _Body:
    """The tokens and annotations of the lines behind the header.

    `texts` are tokens and the blanks before them, `sents` the first tokens of sentences, `spans`
    those of layers by number, `links` (line, layer) of arrows.
    """

    def __init__(self, header: Sequence[_Layer]) -> None:
        self.header = header
        self.width = 3 + sum(len(one.columns) + len(one.arrows) for one in header)
        self.texts: list[str] = []
        self.tokens: list[tuple[int, int]] = []
        self.begin = self.end = self.size = 0  # of the last token in the file; of the texts
        self.sents: list[int] = []
        self.sentence = ""
        self.spans: dict[str, dict[str, Row]] = {layer.name: {} for layer in header}
        self.links: list[tuple[int, str]] = []

    def add(self, line: int, fields: Sequence[str]) -> None:
        start, end = self.place_of(fields)
        for layer in self.header:
            for i in layer.arrows:
                targets = re.split("[|;]", fields[i])
                self.links += [(line, layer.short) for one in targets if one not in ("_", "*")]
            columns = (*layer.columns, *layer.arrows)
            if not layer.is_of_spans or all(fields[i] == "_" for i in columns):
                continue
            for key, features in _stacked(layer, fields):
                number = key if type(key) is str else f"{line} {key}"
                span: Row = {"start": start, "features": {}, "line": line}
                span = self.spans[layer.name].setdefault(number, span)
                span["end"] = end
                span["features"] = {**features, **span["features"]}

    def place_of(self, fields: Sequence[str]) -> Stretch:
        """(start, end) of the token, or part of a token, of a line in the text."""
        if len(fields) < self.width or not {*fields[self.width :]} <= {"", "_"}:
            what = f"{len(fields)} columns, where the header has {self.width}"
            raise ContentError(what, GIVE_LINE)
        unit, offsets, word = UNIT.fullmatch(fields[0]), OFFSETS.fullmatch(fields[1]), fields[2]
        begin, end = map(int, offsets.groups()) if offsets else (0, 0)
        at: dict[int, int] = {}
        if unit and unit[2] and self.tokens:
            at = utf_16_places(self.texts[-1])
            begin, end = (at.get(one - self.begin, -1) for one in (begin, end))
            is_sound = 0 <= begin <= end
        else:
            is_sound = bool(word) and begin < end and 0 <= begin - self.end <= LONGEST_GAP
        if unit is None or not is_sound or unit[2] and not at:
            what = f"a line that begins with {quoted(' '.join(fields[:3])[:60])}"
            raise ContentError(what, GIVE_LINE)
        if unit[2]:
            start = self.tokens[-1][0]
            return start + begin, start + end
        if unit[1] != self.sentence:
            self.sents.append(len(self.tokens))
            self.sentence = unit[1]
        start = self.size + begin - self.end
        self.texts += [" " * (begin - self.end), word]
        self.begin, self.end, self.size = begin, end, start + len(word)
        self.tokens.append((start, self.size))
        return self.tokens[-1]


def _stacked(layer: _Layer, fields: Sequence[str]) -> Iterator[tuple[int | str, dict[str, str]]]:
    """(number in brackets, else the place in the cell; features) of each annotation of a line.

    Where each value has its number, GUM leaves empty ones out.
    """
    cells = {i: _values(fields[i]) for i in layer.columns if fields[i] != "_"} or {0: {0: "*"}}
    found: dict[int | str, dict[str, str]] = {key: {} for one in cells.values() for key in one}
    if any(type(key) is int and key not in one for key in found for one in cells.values()):
        raise ContentError(
            f"different numbers of values in the columns of {layer.name}",
            "each feature has a value for each annotation, * for none, or all values a [number]",
        )
    for i, values in cells.items():
        for key, value in values.items():
            if value not in ("", "*") and layer.columns[i]:
                found[key][layer.columns[i]] = _unescaped(value)
    yield from found.items()


def _values(cell: str) -> dict[int | str, str]:
    """The values of stacked annotations, still escaped, by their numbers, or else places."""
    pieces = STACKED.findall(cell) if "\\" in cell else cell.split("|")
    pairs = [(NUMBERED.fullmatch(piece), piece) for piece in pieces]
    return {m[2] if m else i: m[1] if m else piece for i, (m, piece) in enumerate(pairs)}


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: CONTROL.get(match[1], match[1]), text, flags=re.DOTALL)


def _named_layers(layer: _Layer, spans: list[Row], label: str | None) -> dict[str, list[Row]]:
    """The spans with labels, by the name of their layer: if in doubt one of each feature."""
    names = [name for name in layer.columns.values() if name]
    keys = [label] if label in names else [key for key in LABELS if key in names] or names
    if len(keys) > 1 and keys[0] not in LABELS:
        some = {key: [one for one in spans if key in one["features"]] for key in names}
        return {
            f"{layer.short}.{key}": [_labelled(one, layer, [key]) for one in own]
            for key, own in some.items()
            if own
        }
    keys = keys[:1] if keys[:1] == ["value"] else keys
    return {layer.short: [_labelled(one, layer, keys) for one in spans]}


def _labelled(span: Row, layer: _Layer, keys: list[str]) -> Row:
    """The span with the first feature that it has as label; without features, the layer's name."""
    features = dict(span["features"])
    key = next((key for key in keys if key in features), None)
    if key is None and keys:
        what = f"an annotation of {layer.short} has no {' or '.join(keys)}"
        advice = "fill it in, name its feature (--label-feature), or another layer (--type)"
        raise ContentError(what, advice, span["line"])
    label = layer.short if key is None else features.pop(key)
    return {**span, "label": label, "features": features}
