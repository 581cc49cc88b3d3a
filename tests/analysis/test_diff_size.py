"""A large corpus: 100,000 documents are compared within 1 GB."""

import json
import random
import subprocess
import sys

import pytest

from spacy_chance_eval import Corpus, Document, diff, side_by_side
from spacy_chance_eval.formats.conll_out import write_conll
from spacy_chance_eval.formats.documents import DocumentTable
from spacy_chance_eval.formats.jsonl import write_jsonl

pytest.importorskip("resource", reason="the system does not say the peak of a process")
N_DOCS, TOKENS = 100_000, 20
WRITERS = {
    "jsonl": write_jsonl,
    "conll": lambda path, corpus: write_conll(path, corpus, ["spans"]),
}
PEAK = """
import resource, sys
from spacy_chance_eval.cli import app
app(sys.argv[1:], standalone_mode=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def corpus(seed):
    """Documents of the same tokens with two spans each, which the seed places."""
    words, places = random.Random(0), random.Random(seed)
    documents = []
    for doc in range(N_DOCS):
        starts = places.randrange(8), 10 + places.randrange(8)
        spans = [(start, start + 2, places.choice("ABCD")) for start in starts]
        tokens = [f"word{words.randrange(30_000)}" for _ in range(TOKENS)]
        documents.append(Document(tokens, {"spans": spans}, name=f"document {doc}"))
    return Corpus("generated", documents)


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
def test_a_hundred_thousand_documents_need_less_than_a_gigabyte(tmp_path, format):
    paths = [str(tmp_path / f"{seed}.{format}") for seed in (1, 2)]
    for seed, path in enumerate(paths):
        WRITERS[format](path, corpus(seed))
    outputs = ["-o", str(tmp_path / "diff.json"), "-o", str(tmp_path / "pages")]
    command = [sys.executable, "-c", PEAK, "diff", *paths, *outputs, "--top", "0"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(run.stderr.split()[-1]) * unit < 10**9
    found = json.loads((tmp_path / "diff.json").read_text())
    assert found["n_docs"] == N_DOCS and len(found["documents"]) == found["n_differing"]
    assert len(list((tmp_path / "pages").iterdir())) > N_DOCS / 250


def test_a_long_document_is_read_once_for_all_its_pairs(monkeypatch):
    """Not for each of them: their number grows with its length, too."""
    made = [
        Corpus(
            name, [Document(["w"] * 99, {"spans": [(i, i + 1, label) for i in range(0, 99, 2)]})]
        )
        for name, label in (("gold", "A"), ("pred", "B"))
    ]
    read = []
    original = DocumentTable.__getitem__
    monkeypatch.setattr(
        DocumentTable, "__getitem__", lambda table, at: read.append(at) or original(table, at)
    )
    (document,) = diff(side_by_side(*made)).documents()
    assert len(document["pairs"]) == 50 and document["pairs"][0]["gold"]["text"] == "w"
    assert len(read) < 10
