"""Rows read as columns are what the careful reader makes of them, with any parser of JSON."""

import dataclasses
import gzip
import json
import random
import sys
from itertools import islice

import pytest

from spacy_chance_eval.formats import READERS, jsonl, plain_rows, read, rows
from spacy_chance_eval.formats.documents import DocumentTable
from spacy_chance_eval.formats.errors import FormatError

WORDS = ("Ada", "Byron", "slept", "in", "Zürich", ".", "東京", "👍", "a b", '"', "\\", "\u2028")
LABELS = ("PER", "LOC", "Ort", "東")
VALUES = (None, True, 0, -1, 2, 1.0, 2**31, 2**70, "", "x", [], {}, [1], {"a": 1})
SPAN = ("start", "end", "label")
FILES = range(100)  # seeds of random files


def clear_caches():
    """Look for msgspec again."""
    rows.line_decoder.cache_clear()
    plain_rows.typed_decoder.cache_clear()


@pytest.fixture(params=["json", "msgspec"])
def parser(request, monkeypatch):
    if request.param == "json":
        monkeypatch.setitem(sys.modules, "msgspec", None)
    else:
        pytest.importorskip("msgspec")
    clear_caches()
    yield request.param
    clear_caches()


@pytest.fixture
def careful(monkeypatch):
    """A function that reads as if no row were plain, with `json` alone."""

    def refuse(*given):
        raise rows.OddRowError

    def read_carefully(*given):
        with monkeypatch.context() as patch:
            patch.setattr(jsonl, "plain_table", refuse)
            patch.setattr(rows, "parsed_rows", refuse)
            return outcome(*given)

    return read_carefully


def outcome(call, path, options):
    """The corpora that a function reads, in values that can be compared, or its error."""
    try:
        corpora = list(call(path, options))
    except (FormatError, ValueError) as error:
        return type(error).__name__, str(error)
    return [
        (
            corpus.positions,
            list(corpus.notes.sentences()),
            [
                {one.name: getattr(document, one.name) for one in dataclasses.fields(document)}
                for document in corpus.documents
            ],
        )
        for corpus in corpora
    ]


def random_spans(draw, size):
    spans = []
    for _ in range(draw.randrange(4) if size else 0):
        start = draw.randrange(size)
        spans.append([start, draw.randint(start + 1, size), draw.choice(LABELS)])
    once = [*map(list, {*map(tuple, spans)})]
    return once if draw.random() < 0.5 else [dict(zip(SPAN, span)) for span in once]


def random_row(draw, kind):
    """A row with tokens, with characters, or with tokens and spans in characters ("both")."""
    words = draw.choices(WORDS, k=draw.randrange(7))
    spaces = [draw.random() < 0.8 for _ in words]
    text = "".join(word + " " * space for word, space in zip(words, spaces))
    size = len(words) if kind == "token" else len(text)
    row = {"text": text} if kind == "char" else {"tokens": words}
    if draw.random() < 0.9:
        row["spans"] = draw.choice([random_spans(draw, size), random_spans(draw, size), None])
    if kind == "both" or draw.random() < 0.3:
        row |= {"text": text, "spaces": spaces}
    if draw.random() < 0.3:
        names = draw.sample(["a", "b", "ents"], 2)
        row["layers"] = {name: draw.choice([random_spans(draw, size), None]) for name in names}
    if draw.random() < 0.3 and kind != "both":
        row["sents"] = sorted({0, draw.randrange(size)}) if size else []
    if draw.random() < 0.3:
        row["id"] = draw.choice(["d", "e", 5, None, f"d{draw.random()}"])
    if draw.random() < 0.2:
        row |= {"source": "web", "n": draw.choice(VALUES)}
    return row


def unusual(draw, row):
    """A row that is right, but says something else."""
    size = len(row.get("tokens", row.get("text")))
    if not size:
        return row
    span = dict(zip(SPAN, (0, size, "PER")))
    return row | draw.choice(
        [
            {"spans": [span, span]},
            {"spans": [span | {"features": draw.choice([{}, {"a": 2**70}])}]},
            {"spans": [span, [0, 1, "LOC"]]},
            {"missing": [[0, 1]]},
            {"missing_in": {"a": [[0, 1]]}},
            {"unplaced": {"spans": [[2, "PER"], [2, "PER"]]}},
            {"categories": draw.choice([["a"], "a", {"x": ["a", "b"], "y": None}])},
            {"cats": draw.choice([{"a": 0.7, "b": 0.2}, None])},
            {"tokens": [{"text": one, "ws": True} for one in row["tokens"]], "spaces": None}
            if "tokens" in row and "text" not in row
            else {"id": "again"},
            {"layers": {"spans": [span]}, "spans": None} if draw.random() < 0.1 else {},
        ]
    )


def blemished(draw, row):
    """A row with something out of the way, or wrong."""
    key = draw.choice([*jsonl.KEYS, *jsonl.KEYS, "other"])
    found = row.get(key)
    kind = draw.randrange(5)
    if kind == 0:
        row.pop(key, None)
    elif kind == 1 and type(found) is list and found:
        found[draw.randrange(len(found))] = draw.choice([*VALUES, [0, 1, "PER"], {"text": "a"}])
    elif kind == 2 and type(found) is list:
        found += draw.choice([found[:1], [{"start": 0, "end": 1, "label": "PER", "features": {}}]])
    elif kind == 3 and type(found) is list and found and type(found[0]) in (list, dict):
        inner = found[0]
        inner[draw.choice([*inner] if type(inner) is dict else [0, 1, 2])] = draw.choice(VALUES)
    else:
        row[key] = draw.choice(
            [
                *VALUES,
                [[0, 1]],
                {"spans": [[1, "PER"]]},
                {"spans": [[0, 1, "PER"]]},
                {"spans": [[0, 1, "PER"], [0, 1, "PER"]]},
                {"x": ["a"]},
                {"x": 0.7},
                [{"text": word, "ws": True} for word in row.get("tokens") or ()],
                [{"start": 0, "end": 1, "label": "PER", "features": {"a": 2**70}}],
            ]
        )
    return row


def blemished_line(draw, line):
    """A line that is no JSON, or JSON that parsers may read differently."""
    return draw.choice(
        [
            "",
            "  ",
            line[:-1],
            line + "}",
            " " + line + "\t",
            line.replace('"spans"', '"spans": [[0, 1, "PER"]], "spans"', 1),
            line.replace("{", '{"n": NaN, ', 1),
            line.replace("{", '{"n": 1e999, ', 1),
            line.replace("{", '{"n": 12345678901234567890123, ', 1),
            line.replace("{", '{"n": 0.1e1, ', 1),
            line.replace("{", '{"n": "\\ud83d\\udc4d", ', 1),
            line.replace("{", '{"n": "\\ud83d", ', 1),
            line.replace("{", '{"n": "\\udc4d\\uD83D", ', 1),
            line.replace("{", '{"n": "\\ud83d!!!!!!!!", ', 1),
            line.replace('["', '["\\u0000', 1),
            "[" * 2000 + "]" * 2000,
            f"[{line}]",
            "5",
        ]
    )


def random_file(path, seed):
    """Write a file; whether there is something odd in it depends on the seed."""
    draw = random.Random(seed)
    bad, odd = draw.choice([0, 0, 0, 0.02, 0.3]), draw.choice([0, 0.05, 0.5])
    kind = draw.choice(["token", "token", "char", "both"])
    lines = []
    for _ in range(draw.randrange(1, 60)):
        row = random_row(draw, kind)
        row = unusual(draw, row) if draw.random() < odd else row
        row = blemished(draw, row) if draw.random() < bad else row
        line = json.dumps(row, ensure_ascii=draw.random() < 0.5)
        lines.append(blemished_line(draw, line) if draw.random() < bad else line)
    if draw.random() < 0.1:
        text = "[" + ",\n".join(lines) + "]"
    else:
        text = draw.choice(["\n", "\r\n"]).join(lines) + draw.choice(["", "\n", "\n\n"])
    data = text.encode(draw.choice(["utf-8", "utf-8-sig"]))
    path.write_bytes(gzip.compress(data) if draw.random() < 0.2 else data)
    return {
        "offsets": "token" if kind == "token" else "char",
        "misaligned": draw.choice(["error", "unplaced", "unplaced"]),
        "duplicates": draw.choice(["error", "merge", "last", "keep"]),
    }


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(rows, "AT_ONCE", 7)
    monkeypatch.setattr(rows, "FEW", 3)


def whole(path, options):
    """The corpus of a file, in a list."""
    return [read(path, format="jsonl", **options)]


def in_blocks(path, options, n_docs=11):
    """The corpora of a file that is read so many documents at a time."""
    format = READERS["jsonl"]
    whole, documents = format.blocks.open(path, options)
    first = 1
    while raw := list(islice(documents, n_docs)):
        content = format.blocks.join([text for text, _ in raw])
        yield format.read_excerpt(rows.Excerpt(path, content, first), whole, options, None)
        first += content.count("\n")


def test_columns_are_what_the_careful_reader_reads(tmp_path, parser, careful, small_chunks):
    path = tmp_path / "a.jsonl"
    for seed in FILES:
        options = random_file(path, seed)
        assert outcome(whole, path, options) == careful(whole, path, options), seed


def test_so_they_are_in_blocks(tmp_path, parser, careful, small_chunks):
    path = tmp_path / "a.jsonl"
    for seed in FILES:
        options = random_file(path, seed)
        assert outcome(in_blocks, path, options) == careful(in_blocks, path, options), seed


def test_random_files_have_plain_rows_and_others_and_errors(tmp_path, monkeypatch, small_chunks):
    plain, found = jsonl.plain_table, {"plain": 0, "odd": 0, "error": 0, "read": 0}

    def counted(*given):
        found["odd"] += 1
        made = plain(*given)
        found["odd"] -= 1
        found["plain"] += 1
        return made

    monkeypatch.setattr(jsonl, "plain_table", counted)
    for seed in FILES:
        options = random_file(tmp_path / "a.jsonl", seed)
        error = outcome(whole, tmp_path / "a.jsonl", options)[0]
        found["error" if error == "FormatError" else "read"] += 1
    assert min(found.values()) > 20, found


@pytest.mark.parametrize("key", ["text", "spaces", "id", "sents", "layers", "source"])
def test_a_key_that_only_some_rows_have_is_read_as_columns(tmp_path, key):
    value = {
        "text": "Ada slept ",
        "spaces": [True, False],
        "sents": [0, 1],
        "layers": {"b": [[0, 1, "X"]]},
    }.get(key, "x")
    plain = {"tokens": ["Ada", "slept"], "spans": [[0, 1, "PER"]]}
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, [plain, plain | {key: value}, plain])))
    assert isinstance(read(path).documents, DocumentTable)


def test_a_row_that_is_not_plain_leaves_the_others_columns(tmp_path, small_chunks):
    plain = {"tokens": ["Ada", "slept"], "spans": [[0, 1, "PER"]]}
    odd = plain | {"missing": [[1, 2]]}
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, [*[plain] * 20, odd, *[plain] * 20])))
    corpus = read(path)
    assert isinstance(corpus.documents, DocumentTable)
    assert [d.lines for d in corpus.documents if d.missing] == [(21,)]
