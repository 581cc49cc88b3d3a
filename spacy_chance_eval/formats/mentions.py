"""Texts with mentions that do not say where they are: answers of language models.

They are JSON, or lines `LABEL: a, b`, and are placed on their text by `mention_alignment`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ..measures.messages import quoted
from .blemishes import check_left, leave_out
from .brat import whole_text
from .columns import KEYS
from .corpus import Corpus, Document
from .errors import ContentError, FormatError, PathLike, Problem
from .files import Excerpt, suffix_of
from .forms import Form, read_form
from .json_rows import ONE_ARRAY, Row, Rows, RowSource, row_batches
from .json_text import reject_constant
from .jsonl import text_of
from .keys import Reading
from .mention_alignment import align_mentions
from .notes import AMBIGUOUS, NORMALIZED, NOWHERE, OTHER_TEXTS, PLACED, Notes, Place
from .paths import files_below, path_of
from .rows import brief, clip
from .sniffing import ANSWERS, TEXTS, WORDS, answer_keys, layers_in
from .table import LABEL_KEYS, NAMES, table_rows
from .texts import UNPLACED_TEXTS, join_words, n_parts

HOW = {"normalized": NORMALIZED, "unplaced": NOWHERE}
PLACEMENT = "match:normalized+overlap:none"  # in signatures: how mentions are placed
NO_TEXT = (
    "mentions have no positions without their text, and the agreement expected by chance then is "
    "unknown: give each row its text, or name a file that has the texts (--read texts=FILE); rows "
    "are matched by id, else by order if there are equally many"
)
NOT_IN_TEXT = (
    "every mention of gold must be in its text: correct it, or count it as a span that fits no "
    "tokens (--read misaligned=unplaced)"
)
Mention: TypeAlias = tuple[str, str]  # its text and its label
# keys of a mention: the first one that it has counts. `entity` is the label beside `word`
TEXT_KEYS = (
    *("text", "mention", "span", "word", "entity_text", "extraction_text", "value", "name"),
    *("entity_name", "entity"),
)
LISTS = {"mentions", "entities", "named_entities", "spans", "ents", "extractions"}  # in an object
NOTHING = {"", "none", "nothing", "n/a", "null", "no entities", "no entities found", "no mentions"}
THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"```[ \t]*[\w+-]*")
# how JSON begins, or what looks like it, but not "[1]" in prose
DATA = re.compile(r"""\[\s*(?=[\[{"'(\]])|\{\s*(?=["'}])""")
NO_LABEL = re.compile(r"\s*$|[BIESLU]-|(output_)?text$")  # tags of pieces of words, blocks of APIs
LABEL_LINE = re.compile(r"([^\W\d][\w/&-]*(?: [\w/&-]+){0,3})\s*:(.*)")
# first words of a line with a colon that is about the answer
PROSE = {"note", "answer", "output", "result", "results", "text", "explanation", "here", "sentence"}
PROSE |= {"response", "input", "summary", "sorry", "i", "in", "this", "there", "the", "sure"}
READ = (
    'an answer is JSON, [{"text": .., "label": ..}] or {LABEL: [text, ..]}, or lines '
    "LABEL: text, text; [] says that there are no mentions"
)


def read_mentions(path: RowSource, reading: Reading) -> Corpus:
    """The corpus of rows with mentions that have no offsets. Positions are characters.

        {"text": "Ada slept in Oslo", "mentions": [{"text": "Oslo", "label": "LOC"}]}

    `parse_answer` reads the mentions, `align_mentions` places them; `Corpus.notes` count what was
    guessed. A mention that is nowhere is an unplaced span of as many characters as it has.

    `texts` of the reading is a corpus with the texts of rows without one, or a function that
    returns it.
    """
    if not isinstance(path, (Rows, Excerpt)) and suffix_of(path) in (".csv", ".tsv"):
        items = [({key: one for key, one in row.items() if one}, n) for row, n in table_rows(path)]
    else:
        left_out: dict[int, Problem] = {}
        batches = [*row_batches(path, left_out)]
        leave_out(path, left_out.values(), left_out)
        items = [pair for rows, lines, _ in batches for pair in zip(rows, lines)]
        check_left(path, len(items), f"no documents; {ONE_ARRAY}")
    rows = [row for row, _ in items]
    layers = layers_in(path, rows, reading.columns, reading.role, answer_keys, ANSWERS)
    if not layers:
        what = f"no row has mentions under a known key ({', '.join(ANSWERS)})"
        raise FormatError(f"{what}; name it: {path}#KEY", path)
    plain = [_plain_row(row, layers, reading.text) for row in rows]
    notes = _add_texts(path, plain, reading.texts)
    source = Rows(str(path), plain, [line for _, line in items])
    corpus = read_form(source, Form(_placed), reading)
    return replace(corpus, notes=corpus.notes + notes.with_how("mentions", PLACEMENT))


def _plain_row(row: Row, layers: Mapping[str, str], text_key: str | None) -> Row:
    """The keys of a row as in JSONL, and its answers by layer; its text and tokens may lack."""
    texts = [text_key] if text_key else TEXTS
    taken = {*layers.values(), *KEYS, *texts, *WORDS} - {"spaces", "sents", "categories", "cats"}
    own: Row = {key: one for key, one in row.items() if key not in taken}
    keys = {"id": (NAMES, (str, int)), "text": (texts, (str,)), "tokens": (WORDS, (list,))}
    for name, (known, types) in keys.items():
        if found := [row[key] for key in known if type(row.get(key)) in types]:
            own[name] = found[0]
    return own | {"*answers": {layer: row.get(key) for layer, key in layers.items()}}


# --- texts


def _add_texts(path: object, rows: Sequence[Row], texts: Any) -> Notes:
    """Add texts of another file to rows that have none; the notes on that."""
    numbers = [n for n, row in enumerate(rows) if not row.keys() & {"text", "tokens"}]
    lacking = [rows[n] for n in numbers]
    if not lacking or texts is None:
        return Notes()
    corpus: Corpus = texts() if callable(texts) else texts
    named = {one.name: one for one in corpus.documents if one.name is not None}
    names = [str(row["id"]) if "id" in row else None for row in lacking]
    found = [named[name] for name in names if name in named]
    if not found and len(corpus.documents) == len(rows):
        found = [corpus.documents[n] for n in numbers]
    if len(found) < len(lacking):
        absent = next(name for name in names if name not in named)
        raise FormatError(
            f"{corpus.path} has no text of the document {quoted(absent)}; {NO_TEXT}", path
        )
    for row, document in zip(lacking, found):
        row["text"] = join_words(document) if document.text is None else document.text
        if not row["text"] and document.size:
            raise FormatError(f"document {quoted(document.name)} has no text", corpus.path)
    place = Place(str(path), None, f"from {corpus.path}")
    return Notes({OTHER_TEXTS: len(lacking)}, {OTHER_TEXTS: (place,)})


def texts_of_folder(path: PathLike) -> Corpus | None:
    """The texts of the files NAME.txt in a folder and those below; None without any."""
    documents = []
    for file in files_below(path_of(path), "*.txt"):
        name = file.relative_to(path_of(path)).as_posix().removesuffix(".txt")
        text = whole_text(file, encoding="utf-8", newline="")
        documents.append(Document((), {}, name=name, text=text))
    return Corpus(str(path), documents, "char") if documents else None


# --- places


def _placed(row: Row, reading: Reading) -> tuple[Row, str]:
    """A row of JSONL, with the mentions of answers on its text, and notes on them."""
    row = {**row}
    answers = row.pop("*answers")
    if (text := text_of(row)) is None:
        raise ContentError("a row without text", NO_TEXT)
    layers: dict[str, Any] = dict.fromkeys(answers)
    lost: dict[str, list[list[str]]] = {}
    notes: list[tuple[str, str]] = []
    for layer, value in answers.items():
        if value is None and reading.role == "gold":
            continue
        mentions = [
            (one, name)
            for one, name in parse_answer(value)
            if one.strip().casefold() not in NOTHING or one.strip() in text  # a company Nothing
        ]
        if mentions and all(name in text and one not in text for one, name in mentions):
            raise ContentError(f"labels where texts are expected: {brief(value)}", READ)
        layers[layer] = []
        for one in align_mentions(text, mentions):
            what = f"{one.label} {brief(clip(one.text))}"
            kinds = [PLACED, HOW.get(one.how), AMBIGUOUS if one.ambiguous else None]
            notes += [(kind, what) for kind in kinds if kind]
            if one.start is not None:
                layers[layer].append((one.start, one.end, one.label))
            elif reading.misaligned == "unplaced":
                lost.setdefault(layer, []).append([one.text, one.label])
            else:
                raise ContentError(f"the mention {what} is not in its text", NOT_IN_TEXT)
    length = n_parts if "tokens" in row else len
    unplaced = {layer: [(length(one), name) for one, name in some] for layer, some in lost.items()}
    own: Row = {**row, "text": text, "layers": layers, "unplaced": unplaced, "*notes": notes}
    return own | ({UNPLACED_TEXTS: lost} if lost else {}), "char"


# --- answers


def parse_answer(value: Any) -> list[Mention]:
    """The mentions in an answer, in its order: JSON, or a text with JSON or lines; see `READ`."""
    if type(value) is str:
        return _of_text(value)
    while type(value) is dict and len(keys := value.keys() & LISTS) == 1:
        value = value[keys.pop()]  # JSON modes want an object
    if type(value) is list and all(type(one) is dict for one in value):
        return [mention for one in value for mention in _of_mention(one)]
    wrong = ContentError(f"an answer {brief(value)}", READ)
    if type(value) is not dict or value.keys() & {*TEXT_KEYS} and value.keys() & {*LABEL_KEYS}:
        raise wrong
    found = []
    for label, texts in value.items():
        texts = [] if texts is None else texts
        if type(texts) is not list or {*map(type, texts)} - {str, type(None)}:
            raise wrong
        found += [_labelled(text, label) for text in texts if text and text.strip()]
    return found


def _of_mention(row: dict[str, Any]) -> list[Mention]:
    """The mention that an object is; none if it says so, as in spacy-llm's reasons."""
    text_key = next((key for key in TEXT_KEYS if key in row), "")
    label = next((row[key] for key in LABEL_KEYS if key in row and key != text_key), None)
    if row.get("is_entity") is False or text_key and row[text_key] in (None, ""):
        return []
    if type(row.get(text_key)) is not str:
        raise ContentError(f"a mention is {brief(row)}", READ)
    return [_labelled(row[text_key], label)]


def _labelled(text: str, label: Any) -> Mention:
    """A mention with a label."""
    if type(label) is not str or NO_LABEL.match(label):
        raise ContentError(f"a mention {brief(text)} with the label {brief(label)}", READ)
    return text, label.strip()


def _of_text(text: str) -> list[Mention]:
    """The mentions in a text: one JSON value, whatever stands around it, or lines."""
    body = FENCE.sub("", THINKING.sub("", text)).strip()
    if body and body.strip(" .=*\"'").casefold() in NOTHING:
        return []
    if match := DATA.search(body):
        try:
            value, end = _decoder.raw_decode(body, match.start())
        except (ValueError, RecursionError) as error:
            raise ContentError(f"a broken answer {brief(text)}", READ) from error
        if DATA.search(body, end):
            raise ContentError(f"several lists in an answer {brief(text)}", READ)
        return parse_answer(value)
    found = []
    for line in filter(str.strip, body.splitlines()):
        label = LABEL_LINE.fullmatch(line.strip())
        texts = [part.strip(" \"'`") for part in label[2].split(",")] if label else []
        if label is None or any(texts) and label[1].split()[0].casefold() in PROSE:
            raise ContentError(f"no mentions in an answer {brief(text)}", READ)
        found += [(part, label[1]) for part in texts if part]
    if not body:
        raise ContentError(f"no mentions in an answer {brief(text)}", READ)
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, each key of which is there once."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=reject_constant, strict=False)
