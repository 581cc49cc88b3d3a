"""Folders of pages as the commands make them: of the sample, and of what wishes harm."""

import json
import random

from helpers.textfiles import call
from spacy_chance_eval import sample

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
LABELS = {"PER": SCRIPT, "ORG": "' onmouseover='alert(1)", "LOC": "{{ 7*7 }}", "PROD": "a & &lt;b"}
DOCUMENTS = ["../../up", IMAGE, "a?b#c%2f../d.html", "javascript:alert(1)", "/etc/x", "w" * 150]
WORDS = {"a": SCRIPT, "the": IMAGE, ".": "</style></script>", "to": "\u202eltr", "in": "w" * 90}
MISTAKES = ("missing", "longer", "shorter", "renamed", "twofold")


def sample_rows(*splits):
    """Documents of the sample (six of its test set) with their entities only."""
    rows = []
    for split in splits or ("train", "dev", "test"):
        lines = sample.path(f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
        rows += [json.loads(line) for line in (lines[:6] if split == "test" else lines)]
    return [{key: value for key, value in row.items() if key != "layers"} for row in rows]


def hostile_rows():
    """A few documents of the sample with hostile labels, words and names."""
    rows = sample_rows("dev")
    for row, name in zip(rows, DOCUMENTS):
        row["id"] = name
        row["tokens"] = [WORDS.get(word, word) for word in row["tokens"]]
        row["spans"] = [span | {"label": LABELS[span["label"]]} for span in row["spans"]]
    return rows


def erring(rows, seed, share=0.25):
    """The same documents as somebody else marks them: some spans go, grow or are renamed."""
    rng = random.Random(seed)
    labels = sorted({span["label"] for row in rows for span in row["spans"]})
    return [row | {"spans": list(erring_spans(row, rng, share, labels))} for row in rows]


def erring_spans(row, rng, share, labels):
    """Spans of a document with mistakes; no two overlap where none did."""
    starts = {span["start"] for span in row["spans"]}
    for span in row["spans"]:
        start, end, label = span["start"], span["end"], span["label"]
        kind = rng.choice(MISTAKES) if rng.random() < share else None
        if kind == "longer" and end not in starts and end < len(row["tokens"]):
            end += 1
        if kind == "shorter" and end - start > 1:
            start += 1
        if kind == "renamed":
            label = rng.choice([other for other in labels if other != label])
        if kind == "twofold" and end - start > 1:
            yield {"start": start, "end": start + 1, "label": label}
            start += 1
        if kind != "missing":
            yield {"start": start, "end": end, "label": label}


def write(path, rows):
    """A JSONL file of documents."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def made(*arguments, expected=0):
    """Call the program, which must end well."""
    done = call(*arguments)
    assert done.exit_code == expected, f"{done.output}\n{done.exception!r}"
    return done
