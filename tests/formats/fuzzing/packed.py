"""Hostile changes of binary files, with examples: `.spacy`, files of runs, folders of pipelines."""

import io
import random
import tempfile
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import spacy
import srsly
from spacy.tokens import Doc, DocBin, Span
from structures import Pairs, changed_bytes, changed_json, changed_value

from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.runs.files import stored_run, write_run

NLP = spacy.blank("xx")
WORDS = ("Ada", "Byron", "slept", "in", "Oslo", ".", "ORG", "\n", "東京")
UNPACKABLE = OverflowError, ValueError, TypeError

# --- .spacy

# numbers of attributes and strings, and those at the ends of their types
TOKENS = (0, 1, 2, 3, 4, 5, 91, 450, 456, 457, 2**31, 2**32 - 1, 2**63, 2**64 - 3, 2**64 - 1, 12345)
LENGTHS = (0, -1, 1, 5, -20, 2**20, 2**30)
SCORES = (np.float32(0.7), np.float64("nan"), np.bool_(True), np.array(0.5), np.array([0.5, 1.0]),
          np.array(["a"]), np.int64(3), "0.7", {"score": 1}, {b"nd": True}, b"x", None)  # fmt: skip


def doc(draw, number):
    """A Doc with entities, span groups, a tree, categories and user data."""
    n = draw.randint(3, 8)
    made = Doc(
        NLP.vocab,
        words=draw.choices(WORDS, k=n),
        heads=[max(i - 1, 0) for i in range(n)],
        deps=["ROOT", *["nsubj"] * (n - 1)],
        tags=["X"] * n,
        morphs=["Case=Nom|Number=Sing"] * n,
    )
    made.set_ents([Span(made, 0, 2, "PER", kb_id="Q1")], default="outside")
    made.spans["sc"] = [Span(made, 0, 2, "PER"), Span(made, 1, 3, "LOC", span_id="s")]
    made.spans["ada"] = made.spans["bob"] = [Span(made, 1, 2, "ORG")]
    made.cats = {"a": 1.0, "b": draw.random(), "c": 0}
    made.user_data |= {"name": f"d{number}", "source": "web", "n": 3}
    return made


def docbin_seeds():
    """Sound files of one to six Docs."""
    draw = random.Random(0)
    for n_docs in (1, 3, 6):
        for user_data in (True, False):
            docs = [doc(draw, number) for number in range(n_docs)]
            yield {"a.spacy": DocBin(store_user_data=user_data, docs=docs).to_bytes()}


def changed_docbin(data, rng):
    """A file with other values in its message, or other bytes in what is compressed."""
    content = zlib.decompress(data)
    message = srsly.msgpack_loads(content)
    part = rng.choice([*message, "tokens", "tokens", "span_groups", "cats", "bytes"])
    if part == "tokens":
        message[part] = changed_numbers(message, part, "uint64", TOKENS, rng)
    elif part == "lengths":
        message[part] = changed_numbers(message, part, "int32", LENGTHS, rng)
    elif rng.random() < 0.1:
        message.pop(part, None)
    elif part != "bytes":
        message[part] = changed_packed(message[part], rng)
    try:
        packed = srsly.msgpack_dumps(message)
    except UNPACKABLE:
        packed = content
    return zlib.compress(changed_bytes(content, rng) if packed == content else packed)


def changed_numbers(message, part, kind, odd, rng):
    """The bytes of an array with another number in one place, or in a column of attributes."""
    numbers = np.frombuffer(message[part], kind).copy()
    step = rng.choice([len(message["attrs"]), len(numbers)])
    numbers[rng.randrange(len(numbers)) :: step] = rng.choice([*odd, numbers[0], numbers[-1]])
    return numbers.tobytes()


def changed_packed(value, rng):
    """A value with another one in it, also in what is packed in its bytes."""
    if isinstance(value, bytes):
        try:
            return srsly.msgpack_dumps(changed_packed(srsly.msgpack_loads(value), rng))
        except UNPACKABLE:
            return changed_bytes(value, rng)
    if isinstance(value, (list, tuple)) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], changed_packed(value[at], rng), *value[at + 1 :]]
    if isinstance(value, dict) and value and rng.random() < 0.8:
        rest = dict(value)
        key = rng.choice([*rest])
        old = rest.pop(key)
        if isinstance(key, bytes) and rng.random() < 0.7:
            return {**rest, changed_packed(key, rng): old}
        return {**rest, key: changed_packed(old, rng)}
    return rng.choice(SCORES) if rng.random() < 0.4 else plain(changed_value(value, rng, "x", 0.4))


def plain(value):
    """A changed value in the types that msgpack knows."""
    if isinstance(value, (Pairs, dict)):
        pairs = value.items() if isinstance(value, dict) else value
        return {key: plain(one) for key, one in pairs}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, str) else value


# --- runs

SHAPES = ("(1000000000000,)", "(-1,)", "(3,", "(3L,)", "()", "(2, 2)", "(True,)", "(1.5,)", "None",
          "(" * 300, "(10**12,)", "(99999999999999999999,)", "(0,)", "(1, 0)")  # fmt: skip
DTYPES = ("|O", "O", "<f8", ">f4", "<U8", "|V8", "[('a', '<i8')]", "<M8[s]", "<c16", "x", "", "|b1",
          "<i8" * 50, "|S0", "<i1")  # fmt: skip
NUMBERS = (0, 1, 2, 127, -1, 2**31 - 1, 2**40)
MEMBERS = ("x", "../x", "999.npy", "0.npy", "run.npy")


def run_seeds():
    """Files of runs of the same gold annotation, each beside a sound one and a file of rows."""
    gold = [[(0, 2, "PER"), (3, 4, "LOC")], [(1, 2, "ORG")], [], [(0, 1, "PER")]]
    preds = [[(0, 2, "PER")], [(1, 2, "LOC")], [(0, 1, "ORG")], [(0, 1, "PER")]], gold
    how = {"words": [f"w{i}" for i in range(20)], "names": list("abcd")}
    kinds = {"text": "span_f token_f", "none": "span_f cohen_kappa", "spans": "slicm span_f"}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in preds:
            sides = [Spans.from_tuples(one, [5] * 4, **how) for one in (gold, rows)]
            for kept, metrics in kinds.items():
                run = stored_run(*sides, metrics.split(), annotations=kept)
                write_run(Path(folder) / "a.run", run)
                found.append((Path(folder) / "a.run").read_bytes())
    rows = b'{"tokens": ["a", "b"], "spans": [[0, 1, "X"]]}\n'
    return [{"a.run": one, "sound.run": found[-1], "gold.jsonl": rows} for one in found]


def changed_run(data, rng):
    """An archive with other members, or with members of other content."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [[name, archive.read(name)] for name in archive.namelist()]
    at = 0 if rng.random() < 0.5 else rng.randrange(len(members))
    name, content = members[at]
    kind = rng.random()
    if kind < 0.05:
        del members[at]
    elif kind < 0.1:
        members.append([name, rng.choice(members)[1]])
    elif kind < 0.15:
        members[at][0] = rng.choice(MEMBERS)
    elif name == "run.npy":
        text = changed_json(np.load(io.BytesIO(content)).tobytes(), rng)
        members[at][1] = saved(np.frombuffer(text, np.uint8))
    else:
        members[at][1] = changed_array(content, rng)
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for member in members:
            rare = rng.random() < 0.05
            how = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
            archive.writestr(*member, how if rare else zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def saved(array):
    """The bytes of an array in a file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def changed_array(content, rng):
    """An array with another header, or of other numbers."""
    kind = rng.random()
    if kind < 0.25:
        return changed_bytes(content, rng)
    if kind < 0.5:  # in the header alone
        return changed_bytes(content[:128], rng)[:128].ljust(128) + content[128:]
    if kind < 0.7:
        shape, dtype, order = rng.choice(SHAPES), rng.choice(DTYPES), rng.random() < 0.5
        text = f"{{'descr': {dtype!r}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
        version = rng.choice([1, 1, 1, 2, 3, 9])
        size = rng.choice([len(text)] * 5 + [0, 65535])
        packed = size.to_bytes(2 if version == 1 else 4, "little")
        return b"\x93NUMPY" + bytes([version, 0]) + packed + text.encode() + content[128:]
    array = np.load(io.BytesIO(content))
    others = [
        array.astype(rng.choice(["<f8", "<i8", "|b1", "|u1", "<f2", "<c16"])),
        array.reshape(-1)[:-1],
        array.reshape(-1),
        np.concatenate([array.reshape(-1)] * 2),
        array[..., None],
        np.array([{"a": 1}], object),
    ]
    if array.size and rng.random() < 0.5:
        other = array.astype(rng.choice(["<i8", "<f8"]))
        odd = NUMBERS if other.dtype.kind == "i" else (*NUMBERS, np.nan, np.inf, -1e300)
        other.flat[rng.randrange(other.size)] = rng.choice(odd)
        others = [other]
    return saved(rng.choice(others))


# --- pipelines

SETTINGS = ("null", "[]", "{}", "-1", "1e99", '"x"', "${a.b}", '["x"]', "x", '{"@misc":"x"}')


def pipeline_seeds():
    """The files of a pipeline, of which each comes first once, beside gold documents."""
    nlp = spacy.blank("xx")
    patterns = [{"label": "PER", "pattern": "Ada"}, {"label": "LOC", "pattern": "Oslo"}]
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    nlp.add_pipe("span_ruler", config={"spans_key": "sc"}).add_patterns(patterns)
    nlp.add_pipe("sentencizer")
    gold = Doc(nlp.vocab, words=["Ada", "met", "Bob", "in", "Oslo"])
    gold.set_ents([Span(gold, 0, 1, "PER"), Span(gold, 4, 5, "LOC")], default="outside")
    gold.spans["sc"] = [Span(gold, 0, 1, "PER")]
    with tempfile.TemporaryDirectory() as folder:
        nlp.to_disk(Path(folder) / "model")
        paths = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    files["gold.spacy"] = DocBin(docs=[gold]).to_bytes()
    often = [*["model/config.cfg"] * 6, *["model/meta.json"] * 4]
    return [{name: files[name], **files} for name in [*files, *often] if name != "gold.spacy"]


def changed_pipeline(data, rng):
    """A file of a pipeline with other lines of its config, other values or other bytes."""
    if not data.startswith(b"["):
        return (changed_json if data.startswith(b"{") else changed_bytes)(data, rng)
    lines = data.decode().splitlines()
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(lines))
        kind, (key, equals, _) = rng.randrange(5), lines[at].partition("=")
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif kind == 2 and equals:
            lines[at] = f"{key}= {rng.choice(SETTINGS)}"
        elif kind == 3:
            lines[at] = rng.choice(lines)
        else:
            lines[at] = changed_bytes(lines[at].encode(), rng).decode("latin-1")
    return "\n".join(lines).encode()
