"""Reading rows of JSON, against `json.loads` of their lines: processor time in this process.

    python benchmarks/reading.py [FORM ...] [--rows 10000]

The best of ten runs each; rows are made-up sentences, the same on every machine.
"""

import argparse
import gc
import json
import random
import tempfile
import time
from functools import partial
from pathlib import Path

from spacy_chance_eval import read

WORDS = (
    "the of Ada Byron London and university is a running house in Zürich committee said .".split()
)
RUNS = 10
FORMATS = {
    "tokens": "jsonl",
    "text": "jsonl",
    "prodigy": "prodigy",
    "doccano": "doccano",
    "doccano 1.5": "doccano",
    "tags": "tagged",
}


def rows_of(number, draw):
    """A sentence in each form."""
    words = draw.choices(WORDS, k=draw.randint(8, 35))
    borders, spans, at = [], [], 0
    for word in words:
        borders.append((at, at + len(word)))
        at += len(word) + 1
    start = draw.randint(0, 9)
    while start < len(words):
        end = min(len(words), start + draw.randint(1, 3))
        spans.append((start, end, draw.choice(["PER", "LOC", "ORG"])))
        start = end + draw.randint(0, 12)
    tags = ["O"] * len(words)
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    text = " ".join(words)
    places = [(borders[start][0], borders[end - 1][1], label) for start, end, label in spans]
    keys, offsets = ("start", "end", "label"), ("start_offset", "end_offset", "label")
    tokens = [
        {"text": word, "start": start, "end": end, "id": n, "ws": True}
        for n, (word, (start, end)) in enumerate(zip(words, borders))
    ]
    marked = [
        dict(zip(keys, place)) | {"token_start": start, "token_end": end - 1}
        for place, (start, end, _) in zip(places, spans)
    ]
    task = {"text": text, "tokens": tokens, "spans": marked, "answer": "accept"}
    hashes = {"_input_hash": number * 7 - 5, "_task_hash": number, "_session_id": "x"}
    entities = [{"id": number + n, **dict(zip(offsets, one))} for n, one in enumerate(places)]
    return {
        "tokens": {"tokens": words, "spans": [dict(zip(keys, span)) for span in spans]},
        "text": {"text": text, "spans": [dict(zip(keys, place)) for place in places]},
        "prodigy": task | hashes,
        "doccano": {"id": number, "text": text, "label": places},
        "doccano 1.5": {"id": number, "text": text, "entities": entities, "relations": []},
        "tags": {"id": str(number), "tokens": words, "ner_tags": tags},
    }


def seconds(function):
    """The least processor time of some runs."""
    times = []
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def parse(path):
    """The lines of a file, parsed."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            json.loads(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("forms", nargs="*", default=[*FORMATS])
    parser.add_argument("--rows", type=int, default=10_000)
    given = parser.parse_args()
    draw = random.Random(1)
    made = [rows_of(number, draw) for number in range(given.rows)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        for form in given.forms:
            rows = [row[form] for row in made]
            lines = (json.dumps(row, ensure_ascii=False) for row in rows)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            ours = seconds(partial(read, path, format=FORMATS[form]))
            theirs = seconds(partial(parse, path))
            print(f"{form:12} {ours:.3f} s, json.loads {theirs:.3f} s: {ours / theirs:.2f} times")


if __name__ == "__main__":
    main()
