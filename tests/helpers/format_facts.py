"""What the page on formats says of each: its keys, and what `convert` cannot write.

`PYTHONPATH=tests python -m helpers.format_facts` writes these cells of its first table anew.
"""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from helpers.examples import ROOT
from spacy_chance_eval.formats import READERS, read
from spacy_chance_eval.formats.losses import KINDS, TARGETS, reduced
from spacy_chance_eval.measures.messages import counted

PAGE = ROOT / "docs/formats.md"
# documents with one of everything that a format may lack
SPANS = [
    {"start": 0, "end": 2, "label": "PER", "features": {"id": "Q7259"}},
    {"start": 4, "end": 5, "label": "PER", "features": {"id": "Q1"}},
    {"start": 4, "end": 5, "label": "PER", "features": {"id": "Q2"}},
    {"start": 0, "end": 1, "label": "PER"},
    {"fragments": [[3, 4], [6, 7]], "label": "PER"},
]
EVERYTHING = [
    {
        "id": "a",
        "text": "Ada Byron met Rex Roe in Oslo.",
        "tokens": ["Ada", "Byron", "met", "Rex", "Roe", "in", "Oslo", "."],
        "sents": [0, 3],
        "missing": [[7, 8]],
        "source": "letters",
        "layers": {"spans": SPANS, "bob": [{"start": 0, "end": 2, "label": "PER"}], "eve": None},
        "unplaced": {"spans": [[1, "PER"]]},
        "categories": {"spans": ["travel"], "bob": ["city"]},
    },
    {"id": "b", "tokens": ["Nobody"], "layers": {"spans": None, "bob": None, "eve": None}},
]


def losses_of(name, folder):
    """What a format cannot hold of documents with everything, in words."""
    path = Path(folder, "everything.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in EVERYTHING), encoding="utf8")
    _, lost = reduced(read(path), name, Path(folder, "out"))
    words = [
        counted(KINDS[kind], 2).replace("2 ", "").partition(" (")[0] for kind in KINDS if lost[kind]
    ]
    words = [re.sub(r"^the (\w+) of documents$", r"\1", one) for one in words]
    return [re.sub(r"^that (.*) were not", r"\1 that were not", one) for one in words]


def facts(name, folder):
    """Two cells of the row of a format: its keys, and what is lost when it is written."""
    keys = ", ".join(f"`{one}`" for one in sorted(READERS[name].keys.split())) or "none of its own"
    if name not in TARGETS:
        return f"{keys} | (not written)"
    losses = losses_of(name, folder)
    if name == "tagged":
        losses.append("layers but one")
    return f"{keys} | {', '.join(losses) or 'nothing'}"


def with_facts(text, folder):
    """The text of the page with these cells in the rows of all formats."""
    row = re.compile(r"^(\| \[`(\w+)`\]\(#\w+\) \| [^|]* \| [^|]* \|).*$", re.MULTILINE)
    return row.sub(lambda found: f"{found[1]} {facts(found[2], folder)} |", text)


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        PAGE.write_text(with_facts(PAGE.read_text(encoding="utf8"), made), encoding="utf8")
