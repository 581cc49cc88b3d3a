"""Fuzz the reader of Prodigy's JSONL: whatever the file, only a `FormatError` may be raised.

What is read also has to be written or refused, and to read the same again.

    python tests/formats/fuzzing/fuzz_prodigy.py -max_total_time=600

With atheris if it is installed, else with hypothesis; other arguments go to libFuzzer.
"""

import json
import random
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

try:
    import atheris
except ImportError:
    atheris = None

with (
    atheris.instrument_imports(include=["spacy_chance_eval.formats"]) if atheris else nullcontext()
):
    from spacy_chance_eval.formats.errors import FormatError
    from spacy_chance_eval.formats.prodigy import read_prodigy
    from spacy_chance_eval.formats.prodigy_out import write_prodigy

TOKENS = [
    {"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": True},
    {"text": "😀", "start": 4, "end": 5, "id": 1, "ws": False},
]
SPAN = {"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER", "source": "m"}
BASE = {"text": "Ada 😀", "_input_hash": 5, "_task_hash": -6, "_timestamp": 7, "answer": "accept"}
WHO = {"_annotator_id": "d-ann", "_session_id": None}
SPANS = BASE | WHO | {"tokens": TOKENS, "spans": [SPAN], "_view_id": "ner_manual"}
CHOICE = BASE | WHO | {"options": [{"id": "A"}, {"id": 2}], "accept": ["A"], "_view_id": "choice"}
BINARY = BASE | WHO | {"label": "POS", "_view_id": "classification", "meta": {"score": 0.5}}
VERSIONS = [SPANS | {"sessions": ["ann", "bob"]}, SPANS | {"spans": [], "sessions": ["cat"]}]
REVIEW = SPANS | {"_view_id": "review", "view_id": "ner_manual", "versions": VERSIONS}
TEACH = BASE | WHO | {"spans": [{"start": 0, "end": 3, "label": "PER", "score": 0.5}]}
TASKS = [
    SPANS,
    CHOICE,
    BINARY,
    REVIEW,
    BASE | {"spans": [SPAN]},
    TEACH,
    TEACH | {"_view_id": "ner"},
]
ODD = [None, True, 0, -1, 1, 2, 3, 2**31, 1.5, 1e999, "", "x", "ann", "accept", "reject", "ignore",
       "\ud800", "choice", "blocks", "classification", [], {}, [1], ["A"], ["A", "A"], [[]], [{}],
       {"id": "A"}, [None], SPAN, [SPAN], [SPAN, SPAN], TOKENS, TOKENS[:1], ["Ada", "😀"], VERSIONS,
       "Ada", "Ada 😀", {"document": "x"}, {"a": []}]  # fmt: skip
KEYS = sorted({key for task in (*TASKS, SPAN, *TOKENS) for key in task} | {"flagged", "image"})
FIELDS = (None, "auto", "_session_id", "label", "answer")
FILE = Path(tempfile.mkdtemp(prefix="fuzz-")) / "task.jsonl"
counts = {"executions": 0, "read": 0, "written": 0}


def mutated(value, rng):
    """A task with some values, keys or entries other than they should be."""
    if rng.random() < 0.08:
        return rng.choice(ODD)
    if type(value) is dict:
        row = {key: mutated(one, rng) for key, one in value.items() if rng.random() > 0.04}
        if rng.random() < 0.1:
            row[rng.choice(KEYS)] = rng.choice(ODD)
        return row
    if type(value) is list:
        rows = [mutated(one, rng) for one in value if rng.random() > 0.04]
        return rows * 2 if rng.random() < 0.03 else rows
    return value


def lines_of(rows, rng):
    """A file of tasks, some bytes of it wrong."""
    text = "\n".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) for row in rows)
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    while rng.random() < 0.1 and data:
        at = rng.randrange(len(data))
        data[at : at + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
    return bytes(data)


def tasks_from(seed):
    """A file made of a seed."""
    rng = random.Random(seed)
    return lines_of([mutated(rng.choice(TASKS), rng) for _ in range(rng.randint(1, 4))], rng)


def changed(data, max_size, seed):
    """Another file: other bytes, other tasks, or the same tasks with other values."""
    rng = random.Random(seed)
    if rng.random() < 0.3:
        return atheris.Mutate(data, max_size)
    try:
        rows = [json.loads(line) for line in bytes(data).decode().splitlines()]
    except (ValueError, RecursionError):
        return tasks_from(seed)[:max_size]
    rows += [rng.choice(TASKS)] * (rng.random() < 0.3)
    return lines_of([mutated(row, rng) for row in rows], rng)[:max_size]


def check(data):
    """Read a file in every way, and write and read again what was read."""
    counts["executions"] += 1
    if counts["executions"] % 5000 == 0:
        print(counts, flush=True)
    FILE.write_bytes(data)
    for annotator in FIELDS:
        for misaligned in ("error", "unplaced"):
            try:
                corpus = read_prodigy(FILE, annotator=annotator, misaligned=misaligned)
            except FormatError:
                continue
            counts["read"] += 1
            for layer in {*corpus.layer_names}:
                corpus.spans(layer)
            for layer in {*corpus.category_layers}:
                corpus.categories(layer)
            again(corpus, annotator)


def again(corpus, annotator):
    """Write, read and compare twice: what is added or left out the first time stays so."""
    copy = FILE.with_name("copy.jsonl")
    alone = {*corpus.layer_names, *corpus.category_layers} == {"spans"}
    try:
        write_prodigy(copy, corpus)
    except FormatError:
        return
    counts["written"] += 1
    how = {"annotator": None if alone else "auto"}
    first = read_prodigy(copy, **how)
    write_prodigy(copy, first)
    assert read_prodigy(copy, **how) == first
    for one, two in zip(corpus.documents, first.documents, strict=True):
        mine, other = (
            [(kind, name, said) for kind in ("layers", "categories", "features")
             for name, said in sorted(getattr(doc, kind).items()) if said is not None]
            for doc in (one, two)
        )  # fmt: skip
        assert (one.name, mine) == (two.name, other), (one, two)


def fuzz_with_atheris(arguments):
    """Files that reach new code are kept, and changed further."""
    corpus = FILE.parent / "corpus"
    corpus.mkdir()
    for i, task in enumerate(TASKS):
        (corpus / f"{i}.jsonl").write_text(json.dumps(task, ensure_ascii=False))
    arguments = [*arguments, "-max_len=8192", "-timeout=60", str(corpus)]
    atheris.Setup(arguments, check, custom_mutator=changed)
    atheris.Fuzz()


def fuzz_with_hypothesis(seconds):
    """Seeds of tasks, until the time is over."""
    from hypothesis import given, settings
    from hypothesis import strategies as st

    @settings(max_examples=500, deadline=None, database=None)
    @given(st.one_of(st.binary(max_size=200), st.integers(0, 2**64).map(tasks_from)))
    def test(data):
        check(data)

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        test()


def seconds_in(arguments):
    """What -max_total_time says; ten minutes by default."""
    given = [one.partition("=")[2] for one in arguments if one.startswith("-max_total_time=")]
    return float(given[-1]) if given else 600


if __name__ == "__main__":
    if atheris:
        fuzz_with_atheris(sys.argv)
    else:
        fuzz_with_hypothesis(seconds_in(sys.argv))
