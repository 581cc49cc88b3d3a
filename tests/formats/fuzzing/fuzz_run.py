"""Fuzz what reads files of runs: python fuzz_run.py -runs=16000 -jobs=2

Inputs are files with changed bytes, or archives with other members: a description with other
values, arrays with other headers, shapes, types and bytes, other compression.
"""

import io
import json
import sys
import zipfile
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import batch_fuzzing
from batch_fuzzing import changed_bytes, changed_values

from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.runs.files import stored_run, write_run

LABELS = ("PER", "LOC", "ORG")
FEW = ("--resamples", "20")
COMMANDS = [
    ("compare", "ODD", "SOUND", *FEW),
    ("compare", "SOUND", "ODD", *FEW),
    ("compare", "ODD", "ODD", "--force", "--below", "0.9", *FEW),
    ("compare", "ODD", "SOUND", "-o", "FOLDER/a.json", *FEW),
    ("plan", "ODD"),
    ("plan", "SOUND", "ODD"),
    ("score", "ODD", "GOLD"),
    ("score", "GOLD", "ODD", "GOLD"),
    ("score", "GOLD", "GOLD", "-o", "ODD"),
]
HEADERS = ["(1000000000000,)", "(-1,)", "(3,", "(3L,)", "()", "(2, 2)", "(True,)", "(1.5,)",
           "None", "(" * 300, "(10**12,)", "(99999999999999999999,)", "(0,)", "(1, 0)"]  # fmt: skip
DTYPES = ["|O", "O", "<f8", ">f4", "<U8", "|V8", "[('a', '<i8')]", "<M8[s]", "<c16", "x", "", "|b1",
          "<i8" * 50, "|S0", "<i1"]  # fmt: skip


@cache
def seeds():
    """The bytes of sound files of runs of the same gold annotation."""
    folder = Path(batch_fuzzing.tempfile.mkdtemp())
    gold = [[(0, 2, "PER"), (3, 4, "LOC")], [(1, 2, "ORG")], [], [(0, 1, "PER")]]
    preds = [[(0, 2, "PER")], [(1, 2, "LOC")], [(0, 1, "ORG")], [(0, 1, "PER")]], gold
    found = []
    words, names = [f"w{i}" for i in range(20)], list("abcd")
    for rows in preds:
        sides = [Spans.from_tuples(one, [5] * 4, words=words, names=names) for one in (gold, rows)]
        for metrics, kept in ((["span_f", "token_f"], "text"), (["span_f", "cohen_kappa"], "none"),
                              (["krippendorff_alpha", "slicm", "span_f"], "spans")):  # fmt: skip
            write_run(folder / "a.run", stored_run(*sides, metrics, annotations=kept))
            found.append((folder / "a.run").read_bytes())
    batch_fuzzing.shutil.rmtree(folder)
    return found


def mutated(data, rng):
    """The bytes of a file of a run, changed."""
    if rng.random() < 0.2:
        return changed_bytes(data, rng)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    for _ in range(rng.choice([1, 1, 2])):
        at = 0 if rng.random() < 0.5 else rng.randrange(len(members))
        name, content = members[at]
        kind = rng.random()
        if kind < 0.05:
            del members[at]
        elif kind < 0.1:
            members.append((name, rng.choice(members)[1]))
        elif kind < 0.13:
            members[at] = (rng.choice(["x", "../x", "999.npy", "0.npy", "run.npy"]), content)
        elif name == "run.npy":
            members[at] = (name, changed_json(content, rng))
        else:
            members[at] = (name, changed_array(content, rng))
        if not members:
            return data[:100]
    packed = io.BytesIO()
    with batch_fuzzing.warnings.catch_warnings():
        batch_fuzzing.warnings.simplefilter("ignore")
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in members:
                how = rng.choice(
                    [8] * 30 + [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
                )
                archive.writestr(name, content, how)
    return changed_bytes(packed.getvalue(), rng) if rng.random() < 0.1 else packed.getvalue()


def changed_json(content, rng):
    """A description with other values, or other bytes."""
    if rng.random() < 0.1:
        return changed_bytes(content, rng)
    try:
        header = json.loads(np.load(io.BytesIO(content)).tobytes())
    except Exception:  # changed before
        return content
    odd = [one for one in batch_fuzzing.ODD if not isinstance(one, bytes) and one != {b"nd": True}]
    odd += [10**30, 1e308, "\ud800", list(range(50)), [None] * 4, "span_f", "PER", "gold", "<f8"]
    changed = json.dumps(changed_values(header, rng, odd)).encode()
    file = io.BytesIO()
    np.save(file, np.frombuffer(changed, np.uint8))
    return file.getvalue()


def changed_array(content, rng):
    """An array with another header, or other numbers."""
    kind = rng.random()
    if kind < 0.25:
        return changed_bytes(content, rng)
    if kind < 0.5:  # in the header alone
        head, tail = content[:128], content[128:]
        return changed_bytes(head, rng)[:128].ljust(128) + tail
    shape, dtype = rng.choice(HEADERS), rng.choice(DTYPES)
    text = f"{{'descr': {dtype!r}, 'fortran_order': {rng.random() < 0.5}, 'shape': {shape}, }}"
    if kind < 0.7:
        version = rng.choice([1, 1, 1, 2, 3, 9])
        size = rng.choice([len(text) + 1] * 5 + [0, 65535])
        packed = size.to_bytes(2 if version == 1 else 4, "little")
        return b"\x93NUMPY" + bytes([version, 0]) + packed + text.encode() + b"\n" + content[128:]
    if kind < 0.75:
        file = io.BytesIO()
        np.save(file, np.array([{"a": 1}], object), allow_pickle=True)
        return file.getvalue()
    try:
        array = np.load(io.BytesIO(content))
    except Exception:  # changed before
        return content
    file = io.BytesIO()
    np.save(file, _other(array, rng))
    return file.getvalue()


def _other(array, rng):
    """Another array of numbers."""
    kind = rng.randrange(7)
    if kind == 0:
        return array.astype(rng.choice(["<f8", "<i8", "|b1", "|u1", "<f2", "<c16"]))
    if kind == 1:
        return array[:-1] if array.ndim else array
    if kind == 2:
        return array.reshape(-1)
    if kind == 3:
        return np.concatenate([array, array]) if array.ndim else array
    if kind == 4:
        return array[..., None]
    other = array.copy()
    if other.size:
        info = [0, 1, 2, 127, -1, 2**31 - 1, 2**40, float("nan"), float("inf"), -1e300]
        with np.errstate(all="ignore"):
            wide = other.astype(rng.choice(["<i8", "<f8"]))
            value = rng.choice(info)
            wide.flat[rng.randrange(wide.size)] = value if wide.dtype.kind == "f" else (
                0 if value != value or abs(value) > 2**62 else int(value)
            )  # fmt: skip
        return wide
    return other


def once(rng, folder):
    """Whether a command takes a mutated run."""
    odd, sound, gold = folder / "odd.run", folder / "sound.run", folder / "gold.jsonl"
    gold.write_text('{"tokens": ["a", "b"], "spans": [[0, 1, "X"]]}\n', encoding="utf-8")
    odd.write_bytes(mutated(rng.choice(seeds()), rng))
    sound.write_bytes(rng.choice(seeds()))
    words = rng.choices(COMMANDS, [4, 4, 4, 2, 3, 3, 1, 1, 1])[0]
    for name, path in {"ODD": odd, "SOUND": sound, "GOLD": gold, "FOLDER": folder}.items():
        words = [word.replace(name, str(path)) for word in words]
    return batch_fuzzing.command(*words)


if __name__ == "__main__":
    batch_fuzzing.main(__file__, once, 16_000)
