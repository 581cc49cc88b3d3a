"""WebAnno TSV 3, an export of INCEpTION and WebAnno: one annotator of one document per file."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from ..measures.messages import quoted
from .blemishes import LINES, SPANS, TOKENS, blemishes, leave_out, leave_out_parts
from .corpus import Corpus, Document, Span, Stretch, join_stretches
from .errors import ContentError, FormatError, PathLike, Problem, known, raise_first
from .files import name_by_file, open_text, suffix_of
from .notes import RELATIONS, Place, note
from .paths import given_path
from .rows import MISALIGNED, RowSpans, borders_in_text, gather_spans, spans_on_tokens
from .texts import place_text

OPENING = "#FORMAT=WebAnno TSV 3"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LABELS = ("value", "identifier", "label")  # features that have the label, the best first
CHAIN_LABEL, CHAIN = "referenceType", "chain"
KINDS = {"#T_SP=": "span", "#T_CH=": "chain", "#T_RL=": "relation"}
ROLE, BASE = "ROLE_", "BT_"
NO_ANNOTATION, NO_VALUE = "_", "*"
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
GIVE_LINE = (
    "a line has the number of its token, its offsets, the token, and a column for each feature"
)
GIVE_VALUES = (
    "each feature has a value for each annotation, * for none; or each value has the number of its "
    "annotation in brackets"
)
GIVE_LABEL = (
    "fill it in, name the feature that has the label (label: --label-feature), or read another "
    "layer alone (type: --type)"
)

_Values: TypeAlias = list[tuple[str | None, str | None]]  # each with its number in brackets


class _Layer(NamedTuple):
    """A layer of the header.

    `features` are columns by name, `roles` and `targets` those of links; of relations, `targets`
    is the column of their other end.
    """

    name: str
    kind: str
    features: Mapping[str, int]
    roles: Sequence[int]
    targets: Sequence[int]


@dataclass
class _Annotation:
    """Where an annotation is, its first line, and its features."""

    start: int
    end: int
    line: int
    features: dict[str, str] = field(default_factory=dict)


class _Tokens:
    """The tokens, one after the other, each after a gap of one character."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.borders: list[Stretch] = []
        self.sents: list[int] = []
        self.begins: list[int] = []  # in the file, in UTF-16 units
        self._sentence = ""

    def add(self, sentence: str, begin: int, end: int, word: str) -> Stretch:
        """The place of one more token."""
        if sentence != self._sentence:
            self.sents.append(len(self.words))
            self._sentence = sentence
        start = self.borders[-1][1] + 1 if self.borders else 0
        self.words.append(word)
        self.begins.append(begin)
        self.borders.append((start, start + end - begin))
        return self.borders[-1]

    def part(self, begin: int, end: int) -> Stretch:
        """The place of a part of the last token."""
        first, last = self.borders[-1] if self.borders else (0, 0)
        shift = first - (self.begins[-1] if self.begins else 0)
        if not first <= begin + shift <= end + shift <= last:
            raise ContentError(
                f"a part [{begin}, {end}) outside of any token", "a part follows its token"
            )
        return begin + shift, end + shift

    def fit(self, start: int, end: int) -> bool:
        """Whether a span begins and ends with tokens."""
        return start in self._starts and end in self._ends

    @cached_property
    def _starts(self) -> set[int]:
        return {start for start, _ in self.borders}

    @cached_property
    def _ends(self) -> set[int]:
        return {end for _, end in self.borders}


_Found: TypeAlias = dict[str, dict[str, _Annotation]]  # by layer, and by number


class _Unread(NamedTuple):
    """A line that cannot be read: of a layer, or "" of all, with the numbers of its annotations.

    One number is None if an annotation has none; `token` is the place of the last token.
    """

    problem: Problem
    layer: str
    numbers: set[str | None]
    token: int


def read_webanno(
    path: PathLike, *, type: str | None = None, label: str | None = None, misaligned: str = "error"
) -> Corpus:
    """The corpus of one file: the work of one annotator on one document.

    Each layer of spans or chains is a layer, called by the last part of its name. Labels are the
    feature `value`; of layers without it, `identifier` or `label`, the first that an annotation
    has, or the only feature; of a layer without features, its name. A layer with several
    others becomes a layer for each of them, such as `Frame.sense`. The remaining features are kept
    beside the label, and of chains their number. Relations and links are left out, with a note.

    Programs write no column for a layer in which a document has no annotation. Such a document has
    no spans in it if it is read together with others of a folder; for a single file, `type` says
    that the layer was annotated.

    The document is called as its file; as the folder, if that is named like a file, as in exports
    of projects.

    Parameters
    ----------
    type : str, optional
        The only layer to read: its name, or the last part of it.
    label : str, optional
        The feature with the label, of the layers that have it.
    misaligned : "error" or "unplaced"
        How to treat an annotation of a part of a token.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    problems: list[Problem] = []
    unread: list[_Unread] = []
    with open_text(path) as file:
        lines = enumerate((line.rstrip("\n") for line in file), 1)
        header, following = _header_of(path, lines)
        tokens, texts, found = _read_body(chain(following, lines), header, unread)
    missing = _leave_out_lines(path, unread, found)
    if not tokens.words:
        raise FormatError("no tokens; expected WebAnno TSV, one token a line", path)
    asked = [layer for layer in header if layer.kind != "relation" and _is_asked(layer, type)]
    if label is not None and asked and not any(label in layer.features for layer in asked):
        names = sorted({name for layer in asked for name in layer.features if name})
        raise FormatError(
            f"no feature {quoted(label)}; there are {', '.join(names) or 'none'}", path
        )
    layers: dict[str, RowSpans] = {} if type is None else {_last_part(type): RowSpans(())}
    missing_in: dict[str, list[Stretch]] = {}
    for layer in asked:
        some, gaps = found[layer.name].values(), missing.get(layer.name, [])
        own = _spans_of(layer, some, tokens, label, misaligned, problems, bool(gaps))
        layers |= own
        missing_in |= dict.fromkeys(own, join_stretches(gaps))
    leave_out(path, problems, SPANS)
    text = _text_of(tokens, texts)
    borders = borders_in_text(tokens.words, text)
    document = Document(
        tuple(tokens.words),
        {name: one.spans for name, one in layers.items()},
        name=_document_name(path),
        sents=tokens.sents,
        missing_in=missing_in,
        unplaced={name: one.unplaced for name, one in layers.items()},
        text=text if borders else None,
        spaces=place_text(text, borders, ()).spaces if text and borders else None,
        features={name: one.features for name, one in layers.items()},
        copies={name: one.copies for name, one in layers.items()},
    )
    notes = note(RELATIONS, (Place(str(path), one.line, name) for name, one in _links(found)))
    return Corpus(str(path), (document,), notes=notes)


def _header_of(
    path: PathLike, lines: Iterator[tuple[int, str]]
) -> tuple[list[_Layer], list[tuple[int, str]]]:
    """(the layers that the first lines declare, the line after them)."""
    if not next(lines, (1, ""))[1].startswith(OPENING):
        raise FormatError(f"no first line {OPENING}.3; export it as WebAnno TSV v3", path, 1)
    layers: dict[str, _Layer] = {}
    at = 3
    for line, text in lines:
        if not text.startswith("#T_"):
            return [*layers.values()], [(line, text)]
        name, *columns = text[6:].strip().split("|")
        if text[:6] not in KINDS or not name or name in layers:
            raise FormatError(f"a line {quoted(text[:60])}; {GIVE_HEADER}", path, line)
        columns = [one for one in columns if one] or [""]
        places = range(at, at + len(columns))
        roles = [i for i, one in zip(places, columns) if one.startswith(ROLE)]
        ends = [i for i, one in zip(places, columns) if one.startswith(BASE) or i - 1 in roles]
        features = {one: i for i, one in zip(places, columns) if i not in (*roles, *ends)}
        layers[name] = _Layer(name, KINDS[text[:6]], features, roles, ends)
        at += len(columns)
    return [*layers.values()], []


def _read_body(
    lines: Iterable[tuple[int, str]], header: Sequence[_Layer], unread: list[_Unread]
) -> tuple[_Tokens, dict[int, list[str]], _Found]:
    """(tokens, lines of text by the first token of the sentence, annotations) of a file."""
    tokens = _Tokens()
    texts: dict[int, list[str]] = {}
    found: _Found = {name: {} for name in ("", *(layer.name for layer in header))}
    width = 3 + sum(len(one.features) + len(one.roles) + len(one.targets) for one in header)
    for line, text in lines:
        if text.startswith("#Text="):
            texts.setdefault(len(tokens.words), []).append(_unescaped(text[6:]))
        elif text.strip() and not text.startswith("#"):
            try:
                fields = _fields_of(text, width)
                place = _place_of(fields, tokens)
            except ContentError as mistake:
                problem = Problem(line, mistake.found, mistake.advice)
                unread.append(_Unread(problem, "", _numbers_in(text.split("\t")[3:]), 0))
                continue
            for layer in header:
                try:
                    _add_annotations(layer, fields, place, line, found)
                except ContentError as mistake:
                    problem = Problem(line, mistake.found, mistake.advice)
                    cells = [fields[i] for i in (*layer.features.values(), *layer.roles)]
                    numbers = _numbers_in(cells, only_links=layer.kind == "chain")
                    unread.append(_Unread(problem, layer.name, numbers, len(tokens.words) - 1))
    return tokens, texts, found


def _leave_out_lines(
    path: PathLike, unread: Sequence[_Unread], found: _Found
) -> dict[str, list[Stretch]]:
    """The tokens that are not annotated, by layer; annotations of unread lines are removed.

    An annotation without its part in an unread line would be a shorter one. If a number is not
    known, any annotation may have a part there: the token is not annotated.
    """
    if blemishes() is None:
        raise_first(path, [one.problem for one in unread])
    missing: dict[str, list[Stretch]] = {}
    lost: dict[tuple[str, str], Problem] = {}
    parts = [(LINES, one.problem) for one in unread if not one.layer]
    for problem, layer, numbers, token in unread:
        if layer and None in numbers:
            missing.setdefault(layer, []).append((token, token + 1))
            parts.append((TOKENS, problem))
        for name in [layer] if layer else found:
            for number in numbers:
                if number is not None and (layer or number in found[name]):
                    lost.setdefault((name, number), problem)
    for name, number in lost:
        found[name].pop(number, None)
    leave_out_parts(path, [*parts, *((SPANS, problem) for problem in lost.values())])
    return missing


def _fields_of(text: str, width: int) -> list[str]:
    """The columns of a line, behind which there may be tabs, and columns without annotations."""
    fields = text.split("\t")
    if len(fields) < width or not {*fields[width:]} <= {"", NO_ANNOTATION}:
        raise ContentError(f"{len(fields)} columns, where the header has {width}", GIVE_LINE)
    return fields


def _place_of(fields: Sequence[str], tokens: _Tokens) -> Stretch:
    """The place of the token, or part of a token, of a line."""
    unit, offsets, word = UNIT.fullmatch(fields[0]), OFFSETS.fullmatch(fields[1]), fields[2]
    begin, end = map(int, offsets.groups()) if offsets else (0, 0)
    if unit is None or offsets is None or (begin >= end or not word) and not unit[2]:
        raise ContentError(
            f"a line that begins with {quoted(' '.join(fields[:3])[:60])}", GIVE_LINE
        )
    if unit[2]:
        return tokens.part(begin, end)
    return tokens.add(unit[1].partition("-")[0], begin, end, word)


def _add_annotations(
    layer: _Layer, fields: Sequence[str], place: Stretch, line: int, found: _Found
) -> None:
    """Add the annotations of a layer on a line; one that continues becomes longer."""
    places = (*layer.features.values(), *layer.roles, *layer.targets)
    if all(fields[i] == NO_ANNOTATION for i in places):
        return
    for at in layer.targets:
        for number, end in enumerate(_pieces(fields[at].replace(";", "|"))):
            if end not in (NO_ANNOTATION, NO_VALUE):
                found[""][f"{line} {at} {number}"] = _Annotation(*place, line, {"": layer.name})
    if layer.kind == "relation":
        return
    named = [*layer.features.items(), *((None, i) for i in layer.roles)]
    columns = [(name, values) for name, i in named if (values := _values(fields[i]))]
    for i, (key, said) in enumerate(_stacked(layer, columns)):
        own = found[layer.name].setdefault(key or f"{line} {i}", _Annotation(*place, line))
        own.start, own.end = min(own.start, place[0]), max(own.end, place[1])
        for name, value in said.items():
            if name is not None and value and value != NO_VALUE:
                own.features.setdefault(name, _unescaped(value))


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
        numbers = [values[i][1] for _, values in columns]
        said = {name: values[i][0] for name, values in columns}
        if layer.kind == "chain":
            said[CHAIN], numbers = next(filter(None, numbers), None), []
            for name, value in [*said.items()]:
                if value and (link := LINK.fullmatch(value)):
                    said[name], numbers = link[1], [link[2]]
        yield next(filter(None, numbers), None), said


def _numbers_in(cells: Iterable[str], only_links: bool = False) -> set[str | None]:
    """The numbers of the annotations in some cells; those in brackets of chains are other ones."""
    every = [one for cell in cells for one in _values(cell)]
    links = [LINK.fullmatch(value or "") for value, _ in every]
    return {
        link[2] if link else None if only_links else number
        for link, (_, number) in zip(links, every)
    }


def _values(cell: str) -> _Values:
    """The values of stacked annotations, escaped, each followed by the number in brackets."""
    if cell == NO_ANNOTATION:
        return []
    matches = (VALUE.fullmatch(piece) for piece in _pieces(cell))
    return [(match[1], match[2]) for match in matches if match]


def _pieces(cell: str) -> list[str]:
    """The parts of a cell between its vertical lines."""
    return STACKED.findall(cell) if "\\" in cell else cell.split("|")


def _unescaped(text: str) -> str:
    """A text without its escapes."""
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda match: CONTROL.get(match[1], match[1]), text, flags=re.DOTALL)


def _spans_of(
    layer: _Layer,
    annotations: Iterable[_Annotation],
    tokens: _Tokens,
    label: str | None,
    misaligned: str,
    problems: list[Problem],
    has_gaps: bool,
) -> dict[str, RowSpans]:
    """The spans of a layer; or, if it is not clear which feature has the label, of each feature."""
    found, short, names = [*annotations], _last_part(layer.name), [*layer.features]
    keys = [label] if label in names else [key for key in LABELS if key in names]
    keys = [LABELS[0]] if LABELS[0] in keys else keys
    keys = [CHAIN_LABEL] if layer.kind == "chain" else keys or names
    rows = {short: (keys, found)}
    if len(keys) > 1 and keys == names and not {*names} <= {*LABELS}:
        each = ((key, [one for one in found if key in one.features]) for key in names)
        rows = {f"{short}.{key}": ([key], some) for key, some in each if some or has_gaps}
    spans = {}
    for name, (keys, some) in rows.items():
        entries = []
        for one in some:
            try:
                entries.append(_entry(one, keys, layer, tokens, misaligned))
            except ContentError as mistake:
                problems.append(Problem(one.line, mistake.found, mistake.advice))
        spans[name] = spans_on_tokens(gather_spans(entries), tokens.borders, "unplaced")
    return spans


def _entry(
    one: _Annotation, keys: Sequence[str], layer: _Layer, tokens: _Tokens, misaligned: str
) -> tuple[Span, dict[str, str]]:
    """(span, its other features) of an annotation."""
    short = _last_part(layer.name)
    said = dict(one.features)
    key = next((key for key in keys if key in said), None)
    if key is None and layer.kind == "span" and keys and keys != [""]:
        raise ContentError(f"an annotation of {short} has no {' or '.join(keys)}", GIVE_LABEL)
    label = short if key is None else said.pop(key)
    if one.start == one.end:
        raise ContentError(f"a span {label} of length 0", "remove it, or mark some text")
    if misaligned == "error" and not tokens.fit(one.start, one.end):
        raise ContentError(
            f"a span {label} over a part of a token",
            "move it to the borders; --misaligned unplaced counts it as wrong in predictions",
        )
    return (one.start, one.end, label), said


def _text_of(tokens: _Tokens, texts: Mapping[int, Sequence[str]]) -> str | None:
    """The text of all sentences with blanks between them; None if the offsets do not fit it."""
    parts, size = [], 0
    for first, lines in texts.items():
        gap = tokens.begins[first] - size if first < len(tokens.begins) else 0
        if not 0 <= gap <= LONGEST_GAP:
            return None
        parts.append(" " * gap + "\n".join(lines))
        size += gap + _size(parts[-1][gap:])
    return "".join(parts)


def _size(text: str) -> int:
    """The number of UTF-16 units of a text, which offsets count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _links(found: _Found) -> list[tuple[str, _Annotation]]:
    """(layer, place) of each relation and link, which are left out."""
    return [(_last_part(one.features[""]), one) for one in found[""].values()]


def _document_name(path: PathLike) -> str:
    """The name of the document: of the file, or of the folder that INCEpTION made for it."""
    folder = given_path(path).parent
    return name_by_file(folder if suffix_of(folder) in DOCUMENT_FOLDERS else path)


def _is_asked(layer: _Layer, type: str | None) -> bool:
    """Whether a layer is read."""
    return type is None or type in (layer.name, _last_part(layer.name))


def _last_part(name: str) -> str:
    """The name of a layer without those of the packages around it."""
    return name.rpartition(".")[2]
