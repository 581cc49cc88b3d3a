"""Small files of annotators, and what panels make of them."""

import json

from helpers.textfiles import FOUND, SPANS, WORDS
from spacy_chance_eval.corpora.panels import read_panel
from spacy_chance_eval.formats.keys import Reading

MORE = "Rex slept .".split()
SLEPT = [(0, 1, "PER")]
TEXT = " ".join(WORDS)


def lines(path, *rows):
    """A file with one JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row(spans, words=WORDS, **more):
    """A document with spans [start, end, label]."""
    return {"tokens": words, "spans": [list(span) for span in spans], **more}


def marked(panel):
    """What each annotator marked: {name: [spans of a document, or None]}."""
    found = {}
    for name, spans in panel.annotators.items():
        found[name] = [[] if seen else None for seen in spans.seen]
        labels = [spans.labels[i] for i in spans.label]
        for doc, *span in zip(spans.doc, spans.start.tolist(), spans.end.tolist(), labels):
            found[name][doc].append(tuple(span))
    return found


def read(*sources, by="auto", layers=(), categories=False, **keys):
    """What each annotator marked in files."""
    return marked(
        read_panel(
            list(map(str, sources)), Reading.of(keys), by=by, layers=layers, categories=categories
        )[0]
    )


BOTH = {"alice": [SPANS], "bob": [FOUND]}


def brat(folder, name, spans):
    """A document of brat."""
    starts = [sum(len(word) + 1 for word in WORDS[:i]) for i in range(len(WORDS))]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text(TEXT)
    rows = []
    for start, end, label in spans:
        a, b = starts[start], starts[end - 1] + len(WORDS[end - 1])
        rows.append(f"T{len(rows) + 1}\t{label} {a} {b}\t{TEXT[a:b]}\n")
    (folder / f"{name}.ann").write_text("".join(rows))
