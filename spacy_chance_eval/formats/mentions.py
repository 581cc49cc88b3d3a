"""Texts with mentions that do not say where they are: answers of language models.

The mentions are read by `answers`, and placed on their text by `mention_alignment`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ..measures.messages import quoted
from .answers import LABEL_KEYS, Answer, Mention, are_texts, parse_answer, without_nothing
from .brat import whole_text
from .columns import KEYS
from .corpus import Corpus, Document
from .errors import ContentError, FormatError, PathLike
from .files import Excerpt, suffix_of
from .forms import Form, read_form
from .json_rows import Row, Rows, RowSource
from .jsonl import tokens_of
from .keys import Reading
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
)
from .paths import files_below, path_of
from .rows import brief, clip, read_items
from .sniffing import ANSWERS, TEXTS, WORDS, answer_keys, conversation_of, layers_in
from .table import NAMES, mention_rows
from .texts import UNPLACED_TEXTS, join_words, n_parts

HOW = {"normalized": NORMALIZED, "unplaced": NOWHERE}
PLACEMENT = frozenset(["match:normalized+overlap:none"])  # in signatures: how mentions are placed

NO_TEXT = (
    "mentions have no positions without their text, and the agreement expected by chance then is "
    "unknown: give each row its text, or name a file of any format that has the texts (--texts "
    "FILE); rows are matched by id, else by order"
)
NOT_IN_TEXT = (
    "every mention of gold must be in its text: correct it, or count it as a span that fits no "
    "tokens (--misaligned unplaced)"
)
NO_ANSWER = "every row of a prediction has an answer; [] says that there are no mentions"


class NoTextError(FormatError):
    """Raised if nothing has the texts of documents."""


def read_mentions(path: RowSource, reading: Reading) -> Corpus:
    """The corpus of rows with mentions that have no offsets. Positions are characters.

        {"text": "Ada slept in Oslo", "mentions": [{"text": "Oslo", "label": "LOC"}]}

    The file is JSON lines, one JSON array or object, or a table (CSV) with a mention in each row.
    Mentions are objects, pairs, lists by label, or a text that holds one of these as JSON, inline
    tags, or lines of a known form: see docs/mentions.md. `Corpus.notes` say how many were found
    only after normalisation, nowhere, or several times. A mention that is nowhere is an unplaced
    span of as many characters as it has. Rows with tokens keep these.

    `texts` of the reading is a corpus with the texts of rows without one, or a function that
    returns it; `read` also takes a path: a file of any format, or a folder of NAME.txt. Rows are
    matched by id, else by order.
    """
    columns, role = reading.columns, reading.role
    if not isinstance(path, (Rows, Excerpt)) and suffix_of(path) in (".csv", ".tsv"):
        items = mention_rows(path, reading.annotator, named=columns is not None)
    else:
        items = read_items(path, lambda row, line: (row, line))
    objects = [row for row, _ in items]
    layers = layers_in(path, objects, columns, role, answer_keys, ANSWERS)
    if not layers:
        known = ", ".join(ANSWERS)
        message = f"no row has mentions under a known key ({known}); name it (--column)"
        raise FormatError(message, path)
    rows = _one_row_each([_row_of(row, line, layers, reading.text) for row, line in items])
    source = _add_texts(path, rows, reading.texts)
    answers = [*map(_answers_of, rows)]
    turned = _turned(rows, answers)
    n_placed = 0

    def translate(n: Any, reading: Reading) -> tuple[Row, str]:
        """(the row of a number as one of JSONL, the unit of its offsets)."""
        nonlocal n_placed
        if isinstance(answer := answers[n], ContentError):
            raise answer
        if role == "pred" and None in answer.values():
            raise ContentError("a row without an answer", NO_ANSWER)
        own = _placed(rows[n], answer, turned, reading.misaligned != "unplaced")
        parts = (*own["layers"].values(), *own.get("unplaced", {}).values())
        n_placed += sum(len(one) for one in parts if one)
        return own, "char"

    numbers: Any = [*range(len(rows))]
    source_rows = Rows(str(path), numbers, [row.line for row in rows])
    corpus = read_form(source_rows, Form(translate), reading)
    notes = Notes({PLACED: n_placed}, how={"mentions": PLACEMENT})
    if n_others := sum(row.is_elsewhere for row in rows):
        place = Place(str(path), None, f"from {source}")
        notes += Notes({OTHER_TEXTS: n_others}, {OTHER_TEXTS: (place,)})
    return replace(corpus, notes=corpus.notes + notes)


# --- rows


@dataclass(eq=False)
class _Row:
    """The keys of a row as in JSONL, its line, and by layer its (label, answer); None without.

    The label is that which was asked for, or None.
    """

    own: Row
    line: int
    asked: dict[str, list[tuple[str | None, Any]] | None]
    is_elsewhere: bool = False  # whether its text is that of another file

    @property
    def lacks_text(self) -> bool:
        """Whether there is neither text nor tokens."""
        return self.own["text"] is None and self.own["tokens"] is None


def _row_of(row: Row, line: int, layers: Mapping[str, str], text_key: str | None) -> _Row:
    """The row of an object of a file."""

    def first(keys: Iterable[str], *kinds: type) -> Any:
        return next((row[key] for key in keys if type(row.get(key)) in kinds), None)

    keys = [text_key] if text_key else [*TEXTS]
    taken = {*layers.values(), *KEYS, *keys, *WORDS}
    own: Row = {key: one for key, one in row.items() if key not in taken}
    own |= {key: row[key] for key in ("spaces", "sents", "categories", "cats") if key in row}
    own |= {"id": first(NAMES, str, int), "text": first(keys, str), "tokens": first(WORDS, list)}
    asked: dict[str, list[tuple[str | None, Any]] | None] = {}
    label = first(LABEL_KEYS, str)
    for layer, key in layers.items():
        value = row.get(key)
        asked[layer] = None if value is None else [(None, value)]
        if (talk := conversation_of(value)) is not None:
            own["text"] = talk[0] or own["text"]
            asked[layer] = [(None, talk[1])] if isinstance(talk[1], str) else [*talk[1]]
        elif label is not None and (type(value) is str or are_texts(value)):
            asked[layer] = [(label, value)]
    return _Row(own, line, asked)


def _one_row_each(rows: Iterable[_Row]) -> list[_Row]:
    """The rows, those that ask for other labels of the document of the row before as one."""
    made: list[_Row] = []
    for row in rows:
        last = made[-1] if made else row
        same = "text" if row.own["text"] is not None else "id"
        labels = [
            {
                (layer, label)
                for layer, asked in one.asked.items()
                for label, _ in asked or [(None, 0)]
            }
            for one in (last, row)
        ]
        if (
            row.own[same] is None
            or any(row.own[key] != last.own[key] for key in (same, "tokens"))
            or None in {label for _, label in labels[0] | labels[1]}
            or labels[0] & labels[1]
        ):
            made.append(row)
        else:
            for layer, asked in row.asked.items():
                last.asked[layer] = [*(last.asked[layer] or ()), *(asked or ())]
    return made


# --- texts


def _add_texts(path: object, rows: Sequence[_Row], texts: object) -> str:
    """Add texts of another file to rows that have none; the path of that."""
    lacking = [row for row in rows if row.lacks_text]
    if not lacking or texts is None:
        return ""
    corpus = texts() if callable(texts) else texts
    if not isinstance(corpus, Corpus):
        raise TypeError(f"texts is {quoted(texts)}; expected a corpus, or a function of one")
    named = {one.name: one for one in corpus.documents if one.name is not None}
    names = [None if row.own["id"] is None else str(row.own["id"]) for row in lacking]
    found = [named[name] for name in names if name in named]
    if not found and len(corpus.documents) == len(rows):
        found = [one for one, row in zip(corpus.documents, rows) if row.lacks_text]
    if len(found) < len(lacking):
        absent = [name for name in names if name not in named]
        raise FormatError(
            f"{corpus.path} has no text of the document {quoted(absent[0])} ({len(absent)} such "
            "documents); give the texts of all: rows are matched with texts by id, else by order, "
            "if there are equally many",
            path,
        )
    for row, document in zip(lacking, found):
        if document.text is None and not document.words:
            what = f"document {quoted(document.name)} has no text; give the text"
            raise NoTextError(what, corpus.path)
        row.own["text"] = _whole(document)
        row.is_elsewhere = True
    return corpus.path


def texts_of_rows(path: PathLike) -> Corpus | None:
    """The texts of a folder of NAME.txt, or of rows of JSON with texts or tokens; else None."""
    folder = path_of(path)
    if folder.is_dir():
        files = {
            file.relative_to(folder).as_posix().removesuffix(".txt"): file
            for file in files_below(folder, "*.txt")
        }
        documents = [
            Document((), {}, name=name, text=whole_text(file, encoding="utf-8", newline=""))
            for name, file in files.items()
        ]
    else:
        documents = read_items(path, _text_of)
    if not documents or any(one.text is None and not one.words for one in documents):
        return None
    if not (by_token := all(one.words for one in documents)):
        documents = [replace(one, words=(), spaces=None, text=_whole(one)) for one in documents]
    return Corpus(str(path), documents, "token" if by_token else "char")


def _whole(document: Document) -> str:
    """The text of a document, or its words with blanks between them."""
    return join_words(document) if document.text is None else document.text


def _text_of(row: Row, line: int) -> Document:
    """The text of a row, its tokens, and its name."""
    own = _row_of(row, line, {}, None).own
    name = None if own["id"] is None else str(own["id"])
    found = tokens_of(own) or Document((), {}, text=own["text"])
    return replace(found, name=name)


# --- answers


def _answers_of(row: _Row) -> dict[str, Answer | None] | ContentError:
    """The answers of a row by layer, and its text added; or the mistake in them."""
    own, answers = row.own, dict[str, Answer | None]()
    try:
        if own["text"] is None and own["tokens"] and (tokens := tokens_of(own)):
            own["text"] = join_words(tokens)
        if own["text"] is None:
            raise ContentError("a row without text", NO_TEXT)
        for layer, asked in row.asked.items():
            some = [_answer_of(value, label, own["text"]) for label, value in asked or ()]
            mentions = [*chain.from_iterable(one.mentions for one in some)]
            answers[layer] = (
                None if asked is None else some[0] if len(some) == 1 else Answer(mentions)
            )
    except ContentError as mistake:
        return mistake
    return answers


def _answer_of(value: Any, label: str | None, text: str) -> Answer:
    """The mentions in an answer on a text; none if it repeats the text without any tag."""
    if type(value) is str and _letters(value) == _letters(text):
        return Answer([])
    return parse_answer(value, label)


def _letters(text: str) -> str:
    """A text without white space and case."""
    return "".join(text.split()).casefold()


def _turned(
    rows: Sequence[_Row], answers: Sequence[dict[str, Answer | None] | ContentError]
) -> set[str]:
    """Kinds of answers in which the label stands where the text was expected.

    Each answer of two strings votes: is the one or the other in the text of its document?
    """
    votes = Counter[str]()
    for row, found in zip(rows, answers):
        for answer in found.values() if isinstance(found, dict) else ():
            if answer and answer.turnable:
                text = row.own["text"]
                votes[answer.turnable] += sum((a in text) - (b in text) for a, b in answer.mentions)
    return {kind for kind, n in votes.items() if n < 0}


def _placed(row: _Row, answers: Mapping[str, Answer | None], turned: set[str], strict: bool) -> Row:
    """A row of JSONL, with the mentions on its text, and notes on them."""
    own = {key: one for key, one in row.own.items() if one is not None}
    text: str = own["text"]
    layers: dict[str, Any] = {}
    lost: dict[str, list[Mention]] = {}
    notes: list[tuple[str, str]] = []
    for layer, answer in answers.items():
        layers[layer] = None
        if answer is None:
            continue
        if answer.turnable in turned:
            answer = answer.turned()
            notes.append((TURNED, brief((row.asked[layer] or [(None, None)])[0][1])))
        answer = without_nothing(answer, text)
        if (shift := _shift(answer, text)) is not None:
            layers[layer] = [
                [start + shift, end + shift, name] for start, end, name in answer.spans
            ]
            continue
        found = align_mentions(text, answer.mentions)
        layers[layer] = [[*span] for span in found.spans]
        lost[layer] = [(one.text, one.label) for one in found.unplaced]
        for one in found.placements:
            what = f"{one.label} {brief(clip(one.text))}"
            if one.start is None and strict:
                raise ContentError(f"the mention {what} is not in its text", NOT_IN_TEXT)
            kinds = [HOW.get(one.how), AMBIGUOUS if one.ambiguous else None]
            notes += [(kind, what) for kind in kinds if kind]
        if not found.optimal:
            notes.append((CUT_OFF, f"{len(answer.mentions)} mentions"))
    own |= {"layers": layers, "*notes": notes}
    if any(lost.values()):
        length = n_parts if "tokens" in own else len
        own["unplaced"] = {
            layer: [(length(one), name) for one, name in some]
            for layer, some in lost.items()
            if some
        }
        own[UNPLACED_TEXTS] = {
            layer: [[*one] for one in some] for layer, some in lost.items() if some
        }
    return own


def _shift(answer: Answer, text: str) -> int | None:
    """How far the text begins before that of the tags, if that has it all; None if it has not."""
    if answer.text is None or not text or answer.text.count(text) != 1:
        return None
    at = answer.text.index(text)
    inside = all(at <= start and end <= at + len(text) for start, end, _ in answer.spans)
    return -at if inside else None
