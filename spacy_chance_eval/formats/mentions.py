"""Texts with mentions that do not say where they are: answers of language models.

They are JSON, or lines `LABEL: a, b`, and `align_mentions` places them on their text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias
from unicodedata import category

from ..measures.messages import quoted
from .blemishes import check_left, leave_out
from .columns import KEYS
from .corpus import Corpus
from .errors import ContentError, FormatError, Problem
from .forms import Form, read_form
from .json_rows import ONE_ARRAY, Row, Rows, RowSource, row_batches
from .json_text import reject_constant
from .jsonl import text_of
from .keys import Reading
from .notes import AMBIGUOUS, NORMALIZED, NOWHERE, OTHER_TEXTS, PLACED, Notes, Place
from .rows import brief, clip
from .sniffing import ANSWERS, TEXTS, WORDS, answer_keys, layers_in
from .table import LABEL_KEYS, NAMES
from .texts import UNPLACED_TEXTS, join_words, n_parts

HOW = {"normalized": NORMALIZED, "unplaced": NOWHERE}
PLACEMENT = "match:normalized+overlap:none"  # in signatures: how mentions are placed
NO_TEXT = (
    "mentions have no positions without their text, and the agreement expected by chance then is "
    "unknown: give each row its text, name its key (--read text=KEY), or a file that has the texts "
    "(--read texts=FILE); rows are matched by id, else by order if there are equally many"
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
# keys of numbers that say where a mention is
PLACE = re.compile("begin|start|from|offset|first|end|stop|last|finish|length", re.IGNORECASE)
NO_LABEL = re.compile(r"\s*$|[BIESLU]-|(output_)?text$")  # tags of pieces of words, blocks of APIs
LABEL_LINE = re.compile(r"([^\W\d][\w/&-]*(?: [\w/&-]+){0,3})\s*:(.*)")
# first words of a line with a colon that is about the answer
PROSE = {"note", "answer", "output", "result", "results", "text", "explanation", "here", "sentence"}
PROSE |= {"response", "input", "summary", "sorry", "i", "in", "this", "there", "the", "sure"}
READ = (
    'an answer is JSON, [{"text": .., "label": ..}] or {LABEL: [text, ..]}, or lines '
    "LABEL: text, text; [] says that there are no mentions"
)
QUOTES = "\"'`´\u2018-\u201f\u2032\u2033\u2039\u203a\u00ab\u00bb\uff02\uff07"
DASHES = "\\-\u2010-\u2015\u2212\uff0d"
PARTS = re.compile(rf"[{QUOTES}]+|[{DASHES}]+|\w+|\S")
# letters of scripts that are written without blanks, or of Korean, where particles are attached
CONTINUOUS = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)


def read_mentions(path: RowSource, reading: Reading) -> Corpus:
    """The corpus of rows with mentions that have no offsets. Positions are characters.

        {"text": "Ada slept in Oslo", "mentions": [{"text": "Oslo", "label": "LOC"}]}

    `parse_answer` reads the mentions, `align_mentions` places them; `Corpus.notes` count what was
    guessed. A mention that is nowhere is an unplaced span of as many characters as it has.

    `texts` of the reading is a corpus with the texts of rows without one, or a function that
    returns it.
    """
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


# --- rows


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
    if type(value) is list and value and all(map(_is_pair, value)):
        return [_labelled(*pair) for pair in value]
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


def _is_pair(value: Any) -> bool:
    """Whether a value is a text and a label."""
    return type(value) in (list, tuple) and [*map(type, value)] == [str, str]


def _of_mention(row: dict[str, Any]) -> list[Mention]:
    """The mention that an object is; none if it says so, as in spacy-llm's reasons."""
    text_key = next((key for key in TEXT_KEYS if key in row), "")
    label = next((row[key] for key in LABEL_KEYS if key in row and key != text_key), None)
    if row.get("is_entity") is False or text_key and row[text_key] in (None, ""):
        return []
    places = [key for key, one in row.items() if type(one) is int and PLACE.search(str(key))]
    if len(places) > 1:
        advice = "call them start and end, or leave them out: a mention has no place"
        raise ContentError(f"a mention with the numbers {', '.join(places)}", advice)
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


# --- places of mentions


class Placement(NamedTuple):
    """A mention with its place in the text.

    `start` and `end` are None if it occurs nowhere, or no occurrence is left for it. `how` is
    "exact", "normalized" or "unplaced". It is `ambiguous` if its place is a guess: its text occurs
    more often than it was mentioned, or inside words only.
    """

    start: int | None
    end: int | None
    label: str
    text: str
    how: str
    ambiguous: bool


def align_mentions(text: str, mentions: Sequence[tuple[str, str]]) -> list[Placement]:
    """Mentions without offsets, with their places in the text.

    Candidates of a mention are its occurrences of the first kind that it has:

    1. exact ones, at boundaries of words;
    2. at boundaries of words, whatever the case, the kind of quotes and dashes, and the white
       space, of which there may be none beside punctuation;
    3. exact ones, then such ones, inside words ("Art" in "Party"), which are always `ambiguous`.

    White space around a mention is left out. In scripts without blanks, and in Korean, words have
    boundaries everywhere, but not before a mark.

    No two mentions overlap: the longest text chooses first. Mentions of the same text have its
    occurrences from left to right. If it occurs more often than it is mentioned, those come first
    that follow the nearest mention before it in the list whose place is no choice.

    Parameters
    ----------
    text : str
        The text of the document.
    mentions : sequence of (str, str)
        Text and label of each, in the order of the document if that is known; an empty text is a
        ValueError.
    """
    numbers: dict[str, list[int]] = {}
    for i, mention in enumerate(mentions):
        if not _is_pair(mention) or not mention[0].strip():
            expected = "expected (text, label), two str, with a text that is not empty"
            raise ValueError(f"mention {i} is {quoted(mention, 80)}; {expected}")
        numbers.setdefault(mention[0].strip(), []).append(i)
    groups = [(part, own, *_occurrences(text, part)) for part, own in numbers.items()]
    fixed: dict[int, int] = {}  # where mentions begin whose places are no choice
    for _, own, _, places, _ in groups:
        if len(places) <= len(own):
            fixed |= zip(own, (start for start, _ in places))
    found = [Placement(None, None, label, given, "unplaced", False) for given, label in mentions]
    covered = bytearray(len(text))  # whether a mention has a character
    for _, own, how, places, inside in sorted(groups, key=lambda one: (-len(one[0]), one[2])):
        free = [(start, end) for start, end in places if not any(covered[start:end])]
        chosen = free
        if len(places) > len(own):
            chosen, rest = [], [*free]
            for i in own[: len(free)]:
                low = next((fixed[n] for n in range(i, -1, -1) if n in fixed), 0)
                chosen.append(min(rest, key=lambda place: (place[0] < low, place)))
                rest.remove(chosen[-1])
        for i, (start, end) in zip(own, sorted(chosen)):
            guess = inside or len(free) > len(own)
            found[i] = Placement(start, end, found[i].label, found[i].text, how, guess)
            covered[start:end] = b"\1" * (end - start)
    return found


def _occurrences(text: str, mention: str) -> tuple[str, list[tuple[int, int]], bool]:
    """(how, places, whether inside words) of the best occurrences of a mention."""
    exact = [one.span() for one in re.finditer(re.escape(mention), text)]
    if whole := [place for place in exact if _is_whole(text, place)]:
        return "exact", whole, False
    pattern = ""
    for before, part in pairwise(["", *PARTS.findall(mention)]):
        blank = r"\s+" if before[-1:].isalnum() and part[0].isalnum() else r"\s*"
        kind = next((one for one in (QUOTES, DASHES) if re.match(f"[{one}]", part)), "")
        pattern += blank * bool(before) + (f"[{kind}]+" if kind else re.escape(part))
    alike = [one.span() for one in re.finditer(pattern, text, re.IGNORECASE)]
    if whole := [place for place in alike if _is_whole(text, place)]:
        return "normalized", whole, False
    return ("exact", exact, True) if exact else ("normalized", alike, True)


def _is_whole(text: str, place: tuple[int, int]) -> bool:
    """Whether a place has boundaries of words on both sides; in scripts without blanks all are."""
    for at in place:
        before, after = text[at - 1 : at], text[at : at + 1]
        if before and after and _is_of_word(before) and _is_of_word(after):
            if category(after)[0] == "M" or not CONTINUOUS.search(before + after):
                return False
    return True


def _is_of_word(char: str) -> bool:
    """Whether words are made of a character: a letter, digit, mark or joiner."""
    return char.isalnum() or char == "_" or category(char) in ("Mn", "Mc", "Cf")
