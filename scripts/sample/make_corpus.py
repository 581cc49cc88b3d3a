"""Make `train.jsonl`, `dev.jsonl` and `test.jsonl` of the sample from the marked-up texts.

    python scripts/sample/make_corpus.py [FOLDER]

reads `train.txt`, `dev.txt` and `test.txt` beside this file and writes to FOLDER, by default to
`spacy_chance_eval/sample`. The same texts give the same files.

A document is a line `# NAME KIND` (the kind is for readers) and one line for each sentence. `{P Ada
Brandt}` is a span; the letters are those of `LABELS`, and spans may stand in each other. `{R^ ...
^}` is one that crosses others: it ends at its own `^}`. `E|` or `C|` in front of a sentence makes a
statement of all of it but the punctuation at its end. A person is an entity and a NAME of the group
`sc`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "spacy_chance_eval" / "sample"
SPLITS = ("train", "dev", "test")
LABELS = {  # letter: (layer, label)
    "P": (("spans", "PER"), ("sc", "NAME")),
    "O": (("spans", "ORG"),),
    "L": (("spans", "LOC"),),
    "W": (("spans", "PROD"),),
    "R": (("sc", "ROLE"),),
    "T": (("sc", "TIME"),),
    "M": (("sc", "MEASURE"),),
    "E": (("statements", "EVENT"),),
    "C": (("statements", "CLAIM"),),
}
MARK = re.compile(r"\{([A-Z])(\^?) |(\^?)\}")
NLP = spacy.blank("en")


def sentence_of(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """The text of a line, and its spans: (start, end, letter), in characters."""
    whole = line[0] if line[1:2] == "|" else ""
    line = line[2:] if whole else line
    text, end, opened, spans = "", 0, [], []
    for mark in MARK.finditer(line):
        text, end = text + line[end : mark.start()], mark.end()
        if mark[1]:
            opened.append((len(text), mark[1], mark[2]))
            continue
        place = max(i for i, (*_, crosses) in enumerate(opened) if crosses == mark[3])
        start, letter, _ = opened.pop(place)
        spans.append((start, len(text), letter))
    if opened:
        raise ValueError(f"a span is not closed: {line}")
    text += line[end:]
    if whole:
        spans.append((0, len(text) - len(re.search(r'[.!?"]*$', text)[0]), whole))
    return text, spans


def document_of(name: str, lines: list[str]) -> dict[str, Any]:
    """A row of the JSONL."""
    text, spans, starts = "", [], []
    for line in lines:
        sentence, inside = sentence_of(line)
        starts.append(len(text))
        spans += [(len(text) + start, len(text) + end, letter) for start, end, letter in inside]
        text += f"{sentence} "
    doc = NLP.make_doc(text.rstrip())
    layers: dict[str, set[tuple[int, int, str]]] = {
        "spans": set(),
        "sc": set(),
        "statements": set(),
    }
    for start, end, letter in spans:
        span = doc.char_span(start, end)
        if span is None:
            raise ValueError(f"{name}: {text[start:end]!r} does not fit the tokens")
        for layer, label in LABELS[letter]:
            if (span.start, span.end, label) in layers[layer]:
                raise ValueError(f"{name}: {span.text!r} is {label} twice")
            layers[layer].add((span.start, span.end, label))
    rows = {
        layer: [
            {"start": start, "end": end, "label": label} for start, end, label in ordered(found)
        ]
        for layer, found in layers.items()
    }
    firsts = {token.idx: token.i for token in doc}
    return {
        "id": name,
        "tokens": [token.text for token in doc],
        "spaces": [bool(token.whitespace_) for token in doc],
        "sents": [firsts[start] for start in starts],
        "spans": rows["spans"],
        "layers": {"sc": rows["sc"], "statements": rows["statements"]},
    }


def ordered(spans: set[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans by start, then end."""
    return sorted(spans, key=lambda span: span)


def documents_of(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of marked-up texts."""
    for block in path.read_text(encoding="utf8").strip().split("\n\n"):
        header, *lines = block.split("\n")
        _, name, _ = header.split()
        yield document_of(name, lines)


def main(target: Path = TARGET) -> None:
    """Write the three files."""
    target.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        lines = (json.dumps(row, ensure_ascii=False) for row in documents_of(HERE / f"{split}.txt"))
        (target / f"{split}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
