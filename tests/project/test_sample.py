"""The embedded sample: what it has, that its README is true, and that it can be made again."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import spacy

from spacy_chance_eval import read, sample

ROOT = Path(__file__).parents[2]
SPLITS = ("train", "dev", "test")
NLP = spacy.blank("en")


@pytest.fixture(scope="module")
def splits():
    """Documents by split."""
    return {split: read(sample.path(f"{split}.jsonl")).documents for split in SPLITS}


@pytest.fixture(scope="module")
def documents(splits):
    """All documents."""
    return [document for split in SPLITS for document in splits[split]]


def test_another_file_is_an_error_that_names_those_there():
    with pytest.raises(ValueError, match="no sample file .x.; expected one of annotators"):
        sample.path("x")


def test_the_corpus_has_what_the_pages_show_of_it(splits, documents):
    for some in splits.values():
        entities = [span for one in some for span in one.layers["spans"]]
        assert {label for *_, label in entities} == {"PER", "ORG", "LOC", "PROD"}
    names = [one.name for one in documents]
    assert len(set(names)) == len(names)  # each is in one split only
    for one in documents:
        for layer in ("spans", "statements"):
            spans = one.layers[layer]
            assert all(first[1] <= second[0] for first, second in zip(spans, spans[1:]))
    groups = [one.layers["sc"] for one in documents]
    assert any(a[0] < b[0] < a[1] < b[1] for spans in groups for a in spans for b in spans)


def made_again(script, folder):
    """Names of the files that a script makes, which must be those of the package."""
    subprocess.run([sys.executable, ROOT / "scripts" / "sample" / script, folder], check=True)
    made = [path for path in folder.rglob("*.*") if path.is_file()]
    names = sorted(path.relative_to(folder).as_posix() for path in made)
    for name in names:
        assert (folder / name).read_bytes() == sample.path(name).read_bytes()
    return names


@pytest.mark.integration
def test_the_corpus_can_be_made_again(tmp_path):
    assert made_again("make_corpus.py", tmp_path / "new") == [
        "dev.jsonl",
        "test.jsonl",
        "train.jsonl",
    ]


def test_the_annotators_can_be_made_again(tmp_path):
    names = [f"annotators/{name}.jsonl" for name in sample.ANNOTATORS]
    assert made_again("make_annotators.py", tmp_path) == names


@pytest.mark.slow
def test_the_systems_can_be_made_again(tmp_path):
    """Those of rules exactly; what pipelines learn differs with the platform."""
    script = ROOT / "scripts" / "sample" / "make_systems.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    for name in sample.SYSTEMS:
        path, there = tmp_path / f"systems/{name}.jsonl", sample.path(f"systems/{name}.jsonl")
        if name in ("gazetteer", "over-marker"):
            assert path.read_bytes() == there.read_bytes()
        else:
            assert len(path.read_text(encoding="utf8").splitlines()) == 64


def test_the_tokens_are_those_of_spacys_english(documents):
    for document in documents:
        text = "".join(w + " " * s for w, s in zip(document.words, document.spaces))
        assert tuple(token.text for token in NLP.make_doc(text)) == document.words


def test_the_counts_of_the_readme_are_right(splits):
    lines = (sample.path("dev.jsonl").with_name("README.md")).read_text().splitlines()
    header = next(line for line in lines if line.startswith("| split"))
    labels = [cell.strip() for cell in header.strip("|").split("|")][4:]
    for split, documents in splits.items():
        row = next(line for line in lines if line.startswith(f"| {split} |"))
        counts = Counter(
            label for d in documents for rows in d.layers.values() for *_, label in rows
        )
        assert [int(cell) for cell in row.strip("|").split("|")[1:]] == [
            len(documents),
            sum(len(document.sents) for document in documents),
            sum(len(document.words) for document in documents),
            *(counts[label] for label in labels),
        ]


def sentences():
    """The trees of the sample: (comments, rows of ten columns) each; read without our reader."""
    blocks = sample.path("treebank.conllu").read_text(encoding="utf8").rstrip("\n").split("\n\n")
    for block in blocks:
        lines = block.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        yield comments, [line.split("\t") for line in lines[len(comments) :]]


SENTENCES = list(sentences())
WORD_ROWS = [[row for row in rows if "-" not in row[0]] for _, rows in SENTENCES]


def test_the_readme_counts_the_treebank():
    text = " ".join(sample.path("treebank.conllu").with_name("README.md").read_text().split())
    sizes = [len(rows) for rows in WORD_ROWS]
    relations = {row[7] for rows in WORD_ROWS for row in rows}
    assert (
        f"{len(sizes)} English sentences of {min(sizes)} to {max(sizes)} tokens ({sum(sizes)} in "
        f"all)"
    ) in text
    assert f"and {len(relations)} relations" in text
