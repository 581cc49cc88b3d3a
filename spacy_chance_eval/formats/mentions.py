"""Texts with mentions that do not say where they are: answers of language models.

The mentions are read by `answers`, and placed on their text by `mention_alignment`.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .answers import LABEL_KEYS, Answer, Mention, Questions, parse_answer, without_nothing
from .corpus import Corpus, Document
from .errors import ContentError, FormatError, PathLike
from .files import Excerpt, open_text, suffix_of
from .jsonl import KEYS, read_translated, tokens_of
from .mention_alignment import align_mentions
from .notes import (
    AMBIGUOUS,
    CUT_OFF,
    NORMALIZED,
    NOWHERE,
    OTHER_TEXTS,
    PLACED,
    TURNED,
    Notes,
    Place,
    add_notes,
    note,
)
from .paths import path_of
from .rows import Row, Rows, RowSource, bounded, brief, clip, read_items
from .sniffing import (
    ANSWERS,
    TEXTS,
    WORDS,
    Columns,
    answer_keys,
    conversation_of,
    resolve_columns,
)
from .table import text_files
from .texts import UNPLACED_TEXTS, join_words, with_lengths

NAMES = ("custom_id", "id", "doc_id", "document_id", "docid", "document", "doc", "sample_id")
# columns of tables with a mention in each row
MENTION = ("mention", "entity", "entity_text", "span", "surface", "surface_form", "word")
SEPARATORS = (",", "\t", ";")
HOW = {"normalized": NORMALIZED, "unplaced": NOWHERE}
PLACEMENT = frozenset(["match:normalized+overlap:none"])  # in signatures: how mentions are placed

NO_TEXT = (
    "mentions are placed on a text: give each row its text, or name a file that has the texts "
    "(--texts FILE, of any format; rows are matched by id, else by order). score, rank, agree and "
    "diff take those of the other files, where these have any"
)
NO_POSITIONS = (
    "documents, texts and labels alone have no positions: how many other texts could have been "
    "marked is unknown, and so is the agreement expected by chance; give each row its text, or "
    "name a file that has the texts (--texts FILE)"
)
NOT_IN_TEXT = (
    "every mention of gold must be in its text: correct it, or count it as a span that fits no "
    "tokens (--misaligned unplaced)"
)
NO_TABLE = (
    "a table has columns mention and label, a row for each mention, and id or text of the "
    f"document; or an answer in each row ({', '.join(ANSWERS[:8])} ...)"
)


class NoTextError(FormatError):
    """Raised if nothing has the texts of documents."""


def read_mentions(
    path: RowSource,
    *,
    columns: Columns = None,
    texts: object = None,
    text: str | None = None,
    misaligned: str = "error",
    annotator: str | None = None,
    duplicates: str = "merge",
    role: str = "gold",
) -> Corpus:
    """The corpus of rows with mentions that have no offsets. Positions are characters.

        {"text": "Ada slept in Oslo", "mentions": [{"text": "Oslo", "label": "LOC"}]}

    The file is JSON lines, one JSON array or object, or a table (CSV) with a mention in each row.
    Mentions are objects, pairs, lists by label, or a text that holds one of these as JSON, inline
    tags, or lines of a known form: see docs/mentions.md. `Corpus.notes` say how many were found
    only after normalisation, nowhere, or several times. A mention that is nowhere is an unplaced
    span of as many characters as it has. Rows with tokens keep these.

    Parameters
    ----------
    path : str or Path
    columns : mapping of str to str, or "all", optional
        {layer: key} of the answers; "all": each known key is a layer. Needed if there are several.
    texts : Corpus or callable, optional
        The texts of rows without one, or a function that returns them; `read` also takes a path: a
        file of any format, or a folder of NAME.txt. Rows are matched by id, else by order.
    text : str, optional
        Key of the text of a row; by default `text` or `sentence`.
    misaligned : "error" or "unplaced"
        How to treat a mention that is nowhere in its text, or does not fit the tokens of its row.
    annotator : str, optional
        Key of the annotator of a row. Each annotator then is a layer, and rows with the same id, or
        without an id the same tokens or text, are one document.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second answer of an annotator to a document: equal ones are one, or the
        last one counts.
    role : "gold" or "pred"
        Which of several keys is read. In a prediction, a row without an answer is a bad row.
    """
    items = _items(path, annotator, columns)
    layers = _layers_of(path, (row for row, _ in items), columns, role)
    items = _one_row_each([(_plain_row(row, layers, text), line) for row, line in items], layers)
    rows, lines = [row for row, _ in items], [line for _, line in items]
    found = _find_texts(path, rows, texts)
    reader = _Reader(str(path), rows, lines, layers, found, misaligned, role)
    corpus = read_translated(
        Rows(str(path), [*range(len(rows))], lines),
        translate=reader.translate,
        misaligned=misaligned,
        annotator=annotator,
        duplicates=duplicates,
    )
    return replace(
        corpus, notes=corpus.notes + replace(reader.notes(), how={"mentions": PLACEMENT})
    )


# --- rows


def _items(path: RowSource, annotator: str | None, columns: Columns) -> list[tuple[Row, int]]:
    """(row, line) of each row of a file."""
    if not isinstance(path, (Rows, Excerpt)) and suffix_of(path) in (".csv", ".tsv"):
        return _table_items(path, annotator, columns)
    return read_items(path, lambda row, line: (row, line))


def table_header(path: PathLike) -> tuple[list[str], str]:
    """(the names of the columns of a table, in lower case, their separator)."""
    with open_text(path) as file:
        first = next(iter(bounded(file, path)), "").rstrip("\r\n")
    separator = max(SEPARATORS, key=first.count)
    try:
        cells = next(csv.reader([first], delimiter=separator), [])
    except csv.Error:
        cells = []
    return [cell.strip().lower().replace(" ", "_") for cell in cells], separator


def is_mention_table(path: PathLike) -> bool:
    """Whether a table has a mention and its label in each row, without offsets."""
    names, _ = table_header(path)
    labels = {*names} & {*LABEL_KEYS} - {"entity"}
    return bool({*names} & {*MENTION}) and bool(labels) and "start" not in names


def _table_items(path: PathLike, annotator: str | None, columns: Columns) -> list[tuple[Row, int]]:
    """(row, line) of each document of a table, with a mention or a whole answer in each row."""
    names, separator = table_header(path)
    mention = next((name for name in MENTION if name in names), None)
    label = next((name for name in LABEL_KEYS if name in names and name != mention), None)
    if len({*names}) < len(names):
        raise FormatError(f"the first line is {brief(names)}; names of columns differ", path, 1)
    items = []
    with open_text(path) as file:
        file.reconfigure(newline="")
        reader = csv.reader(file, delimiter=separator, strict=True)
        try:
            next(reader, None)
            for cells in reader:
                if any(cells) and len(cells) != len(names):
                    message = f"{len(cells)} cells; every line needs {len(names)}, as the first one"
                    raise FormatError(message, path, reader.line_num)
                row = {name: cell for name, cell in zip(names, cells) if cell}
                items += [(row, reader.line_num)] if row else []
        except csv.Error as error:
            raise FormatError(
                f"no table ({error}); close all quotes", path, reader.line_num
            ) from None
    if mention is None or label is None or columns is not None:
        if not {*names} & {*ANSWERS} and columns is None:
            raise FormatError(f"the columns are {brief(names)}; {NO_TABLE}", path, 1)
        return items
    return _joined_rows(path, items, mention, label, annotator)


def _joined_rows(
    path: PathLike,
    items: Iterable[tuple[Row, int]],
    mention: str,
    label: str,
    annotator: str | None,
) -> list[tuple[Row, int]]:
    """A row for each document of rows with a mention each; rows without one only name it."""
    documents: dict[tuple[Any, ...], tuple[Row, int]] = {}
    for row, line in items:
        key = next((row[name] for name in NAMES if name in row), None)
        own = {name: one for name, one in row.items() if name in (*NAMES, *TEXTS, annotator)}
        if key is None and not any(name in row for name in TEXTS):
            raise FormatError("a row without id and text; name its document", path, line)
        key = key if key is not None else next(row[name] for name in TEXTS if name in row)
        whole, _ = documents.setdefault((key, row.get(annotator or "")), (own, line))
        whole.update({name: one for name, one in own.items() if name not in whole})
        entries = whole.setdefault("mentions", [])
        if mention in row:
            entries.append({"text": row[mention], "label": row.get(label)})
    return list(documents.values())


def _layers_of(path: object, rows: Iterable[Row], columns: Columns, role: str) -> dict[str, str]:
    """{layer: key} of the answers of a file."""
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    found: dict[str, None] = {}
    poor: dict[str, None] = {}
    for row in rows:
        found |= dict.fromkeys(answer_keys(row) + [key for key in row if key in asked])
        poor |= dict.fromkeys(key for key in ANSWERS if key in row)
    found = found or poor  # then each row reports its own error
    keys = sorted(found, key=lambda key: ANSWERS.index(key) if key in ANSWERS else -1)
    layers = resolve_columns(path, keys, columns, role)
    if not layers:
        raise FormatError(
            f"no row has mentions under a known key ({', '.join(ANSWERS)}); name it (--column)",
            path,
        )
    return layers


def _plain_row(row: Row, layers: Mapping[str, str], text_key: str | None) -> Row:
    """The row with its name, text and answers under the keys of JSONL and of `layers`."""
    keys = [text_key] if text_key else [*TEXTS]
    text = next((row[key] for key in keys if type(row.get(key)) is str), None)
    words = next((row[key] for key in WORDS if type(row.get(key)) is list), None)
    name = next((row[key] for key in NAMES if type(row.get(key)) in (str, int)), None)
    taken = {*layers.values(), *KEYS, *keys, *WORDS}
    own: Row = {key: one for key, one in row.items() if key not in taken}
    own |= {key: row[key] for key in ("spaces", "sents", "categories", "cats") if key in row}
    answers: dict[str, Any] = {}
    label = next((row[key] for key in LABEL_KEYS if type(row.get(key)) is str), None)
    for key in layers.values():
        if key not in row or row[key] is None:
            answers[key] = None
        elif (asked := conversation_of(row[key])) is not None:
            text, said = asked[0] or text, asked[1]
            answers[key] = said if isinstance(said, str) else Questions(said)
        elif label is not None and _needs_label(row[key]):
            answers[key] = Questions([(label, row[key])])
        else:
            answers[key] = row[key]
    return own | {"id": name, "text": text, "tokens": words, "answers": answers}


def _needs_label(value: Any) -> bool:
    """Whether an answer may be about one label that its row names."""
    return type(value) is str or type(value) is list and all(type(one) is str for one in value)


def _one_row_each(
    items: Sequence[tuple[Row, int]], layers: Mapping[str, str]
) -> list[tuple[Row, int]]:
    """The rows, those that ask for other labels of the same document as one."""
    made: list[tuple[Row, int]] = []
    for row, line in items:
        asked = [one for one in row["answers"].values() if isinstance(one, Questions)]
        last = made[-1][0] if made else None
        if last is None or not asked or not _go_on(last, row):
            made.append((row, line))
            continue
        for key, answer in row["answers"].items():
            last["answers"][key] = Questions([*last["answers"][key], *answer])
    return made


def _go_on(last: Row, row: Row) -> bool:
    """Whether a row asks for other labels of the document of the last row."""
    same = "text" if row["text"] is not None else "id"
    if row[same] is None or last[same] != row[same] or last["tokens"] != row["tokens"]:
        return False
    pairs = [(last["answers"][key], answer) for key, answer in row["answers"].items()]
    return all(
        isinstance(one, Questions) and isinstance(two, Questions)
        and not {name for name, _ in one} & {name for name, _ in two}
        for one, two in pairs
    )  # fmt: skip


# --- texts


class _Texts(NamedTuple):
    """Texts from elsewhere, by number of the row, and where they are from."""

    source: str = ""
    by_row: Mapping[int, str] = {}


def _find_texts(path: object, rows: Sequence[Row], texts: object) -> _Texts:
    """The texts of the rows that have none."""
    lacking = [n for n, row in enumerate(rows) if row["text"] is None and row["tokens"] is None]
    if not lacking or texts is None:
        return _Texts()
    corpus = texts() if callable(texts) else texts
    if not isinstance(corpus, Corpus):
        raise TypeError(
            f"texts is {quoted(texts)}; expected a corpus, or a function that returns one"
        )
    named = {one.name: one for one in corpus.documents if one.name is not None}
    names = [None if rows[n]["id"] is None else str(rows[n]["id"]) for n in lacking]
    if any(name in named for name in names):
        absent = [name for name in names if name not in named]
        if absent:
            raise FormatError(
                f"{corpus.path} has no text of the document {quoted(absent[0])} ({len(absent)} "
                "such documents); give the texts of all",
                path,
            )
        found = {n: named[str(name)] for n, name in zip(lacking, names)}
    elif len(corpus.documents) == len(rows):
        found = {n: corpus.documents[n] for n in lacking}
    else:
        raise FormatError(
            f"{len(lacking)} rows have no text, and {corpus.path} has none of their ids and "
            f"another number of documents ({len(corpus.documents)}, not {len(rows)}); rows are "
            "matched with texts by id, else by order",
            path,
        )
    return _Texts(corpus.path, {n: _text_of(one, corpus) for n, one in found.items()})


def _text_of(document: Document, corpus: Corpus) -> str:
    """The text of a document, or its words with blanks between them."""
    if document.text is None and not document.words:
        raise NoTextError(
            f"document {quoted(document.name)} has no text; give the text", corpus.path
        )
    return join_words(document) if document.text is None else document.text


def texts_of_rows(path: PathLike) -> Corpus | None:
    """The texts of a folder of NAME.txt, or of rows of JSON with texts or tokens; else None."""
    if path_of(path).is_dir():
        found = text_files(path_of(path))
        documents = [Document((), {}, name=name, text=text) for name, text in found.items()]
    else:
        documents = read_items(path, lambda row, line: _document_of(row))
    known_all = bool(documents) and all(one.text is not None for one in documents)
    return Corpus(str(path), documents, "char") if known_all else None


def _document_of(row: Row) -> Document:
    """The text of a row, and its name."""
    plain = _plain_row(row, {}, None)
    if plain["text"] is None and plain["tokens"] and (found := tokens_of(plain)):
        plain["text"] = join_words(found)
    name = plain["id"] if plain["id"] is None else str(plain["id"])
    return Document((), {}, name=name, text=plain["text"])


# --- one document


@dataclass(eq=False)
class _Reader:
    """Rows on their way to rows of JSONL, each translated once, with notes on each."""

    path: str
    rows: Sequence[Row]
    lines: Sequence[int]
    layers: Mapping[str, str]
    texts: _Texts
    misaligned: str
    role: str
    made: dict[int, tuple[Row, list[Notes]]] = field(default_factory=dict)
    turned: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.turned = self._turned()

    def _turned(self) -> frozenset[str]:
        """Kinds of answers in which the label stands where the text was expected.

        Each answer of two strings votes: is the one or the other in the text of its document?
        """
        votes = Counter[str]()
        for n, row in enumerate(self.rows):
            for value in row["answers"].values():
                try:
                    answer = parse_answer(value) if value is not None else Answer([])
                    text = self._text(n)
                except ContentError:
                    continue
                if answer.turnable:
                    votes[answer.turnable] += sum(
                        (one in text) - (two in text) for one, two in answer.mentions
                    )
        return frozenset(kind for kind, n in votes.items() if n < 0)

    def _text(self, n: int) -> str:
        """The text of a row."""
        row = self.rows[n]
        if row["text"] is not None:
            return str(row["text"])
        if row["tokens"] is not None and (tokens := tokens_of(row)):
            return join_words(tokens)
        if n in self.texts.by_row:
            return self.texts.by_row[n]
        raise ContentError("a row without text", NO_TEXT if self.role == "pred" else NO_POSITIONS)

    def translate(self, n: Any) -> tuple[Row, str]:
        """(the row of a number as one of JSONL, the unit of its offsets)."""
        if n not in self.made:
            self.made[n] = self._row(n)
        return self.made[n][0], "char"

    def _row(self, n: int) -> tuple[Row, list[Notes]]:
        """A row of JSONL, and notes on it."""
        row, text = self.rows[n], self._text(n)
        own = {key: one for key, one in row.items() if key != "answers" and one is not None}
        own["text"] = text
        notes: list[Notes] = []
        spans: dict[str, Any] = {}
        lost: dict[str, list[Mention]] = {}
        for layer, key in self.layers.items():
            value = row["answers"][key]
            if value is None and self.role != "pred":
                spans[layer] = None
                continue
            answer, some = self._answer(n, value)
            spans[layer], lost[layer], more = self._placed(n, answer, text)
            notes += [*some, *more]
        own["layers"] = spans
        if any(lost.values()):
            own |= _unplaced_of({layer: some for layer, some in lost.items() if some}, own)
        return own, notes

    def _answer(self, n: int, value: Any) -> tuple[Answer, list[Notes]]:
        """The answer of a row, and notes on it."""
        text = self._text(n)
        if type(value) is str and _letters(value) == _letters(text):
            return Answer([]), []  # inline, without any tag
        if value is None:
            raise ContentError("a row without an answer", NO_ANSWER)
        answer = parse_answer(value)
        if answer.turnable not in self.turned:
            return without_nothing(answer, text), []
        return without_nothing(answer.turned(), text), [self._note(TURNED, n, brief(value))]

    def _placed(
        self, n: int, answer: Answer, text: str
    ) -> tuple[list[Row], list[Mention], list[Notes]]:
        """(spans, mentions without a place, notes) of an answer."""
        count = len(answer.mentions)
        notes = [Notes({PLACED: count})] if count else []
        if (shift := _shift(answer, text)) is not None:
            spans = [(start + shift, end + shift, label) for start, end, label in answer.spans]
            return [_span(*one) for one in spans], [], notes
        found = align_mentions(text, answer.mentions)
        for one in found.placements:
            what = f"{one.label} {brief(clip(one.text))}"
            if one.start is None and self.misaligned == "error":
                raise ContentError(f"the mention {what} is not in its text", NOT_IN_TEXT)
            kinds = [HOW[one.how]] if one.how in HOW else []
            kinds += [AMBIGUOUS] if one.ambiguous else []
            notes += [self._note(kind, n, what) for kind in kinds]
        if not found.optimal:
            notes.append(self._note(CUT_OFF, n, f"{count} mentions"))
        lost = [(one.text, one.label) for one in found.unplaced]
        return [_span(*one) for one in found.spans], lost, notes

    def _note(self, kind: str, n: int, what: str) -> Notes:
        """The note on one thing in a row."""
        return note(kind, [Place(self.path, self.lines[n], what)])

    def notes(self) -> Notes:
        """The notes on all rows, in their order."""
        every = [one for _, (_, notes) in sorted(self.made.items()) for one in notes]
        if n_others := sum(n in self.texts.by_row for n in self.made):
            place = Place(self.path, None, f"from {self.texts.source}")
            every.append(Notes({OTHER_TEXTS: n_others}, {OTHER_TEXTS: (place,)}))
        return add_notes([Notes({PLACED: 0}), *every])


NO_ANSWER = "every row of a prediction has an answer; [] says that there are no mentions"


def _span(start: int, end: int, label: str) -> Row:
    """A span as in JSONL."""
    return {"start": start, "end": end, "label": label}


def _unplaced_of(lost: Mapping[str, Sequence[Mention]], own: Row) -> Row:
    """The mentions of a row without a place: their lengths in its positions, their texts."""
    unplaced = {layer: [(len(text), label) for text, label in some] for layer, some in lost.items()}
    texts = {UNPLACED_TEXTS: {layer: [[*one] for one in some] for layer, some in lost.items()}}
    document = Document((), {}, unplaced=unplaced, attributes=texts)
    if "tokens" in own:
        document = with_lengths(document, len(own["text"]), len(own["tokens"]))
    rows = {layer: [[*one] for one in some] for layer, some in document.unplaced.items()}
    return {"unplaced": rows, **texts}


def _letters(text: str) -> str:
    """A text without white space and case."""
    return "".join(text.split()).casefold()


def _shift(answer: Answer, text: str) -> int | None:
    """How far the text begins before that of the tags, if that has it all; None if it has not."""
    if answer.text is None or not text or answer.text.count(text) != 1:
        return None
    at = answer.text.index(text)
    inside = all(at <= start and end <= at + len(text) for start, end, _ in answer.spans)
    return -at if inside else None
