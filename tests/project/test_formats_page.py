"""The page on formats: its examples are files of these formats, and all say the same."""

import re

import pytest

from helpers.examples import named_examples, page, write_rows_of_page
from helpers.format_facts import with_facts
from spacy_chance_eval import read_treebank
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats import READERS, TREEBANKS, format_of

TEXT = page("docs/formats.md")
SECTIONS = dict(re.findall(r"^## ([\w]+)\n(.*?)(?=^## |\Z)", TEXT, flags=re.DOTALL | re.M))
WORDS = ("Ada", "Byron", "slept", "in", "Oslo", ".")
SAME = {("Ada Byron", "PER"), ("Oslo", "LOC")}
EXAMPLES = [
    (section, "brat" if name.startswith("brat/") else name)
    for section, text in SECTIONS.items()
    if section in READERS
    for name in named_examples(text)
    if name not in ("dataset_info.json", "brat/ada.txt")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    write_rows_of_page(folder)
    return folder


def spans_of(corpus):
    """The texts of the spans of the only layer, and their labels."""
    (one,) = corpus.documents
    (layer,) = corpus.layer_names
    if corpus.positions == "char":
        return {(one.text[start:end], label) for start, end, label in one.layers[layer]}
    words = one.words or WORDS
    return {(" ".join(words[start:end]), label) for start, end, label in one.layers[layer]}


def test_every_format_has_a_section_and_a_row():
    assert {*READERS} <= {*SECTIONS}
    assert {*re.findall(r"^\| \[`(\w+)`\]\(#\w+\)", TEXT, re.M)} == {*READERS}


@pytest.mark.parametrize(("section", "name"), EXAMPLES)
def test_an_example_is_of_its_format_and_holds_the_spans(folder, section, name):
    path = folder / name
    assert format_of(path) == section
    assert spans_of(read_corpus(path)) == SAME


def test_every_format_of_text_has_an_example():
    assert {*READERS} - {section for section, _ in EXAMPLES} == {"spacy"}


def test_every_treebank_format_has_an_example(folder):
    formats = {
        "conllu": "ada.conllu",
        "conllx": "ada.conllx",
        "brackets": "words.mrg",
        "penn": "words.mrg",
        "delexicalised": "tags.mrg",
    }
    assert {*formats} == {*TREEBANKS}
    assert {f"trees/{name}" for name in formats.values()} == {
        *named_examples(SECTIONS["Treebanks"])
    }
    trees = {}
    for name, example in formats.items():
        treebank = read_treebank(folder / "trees" / example, format=name)
        (one,) = treebank.sentences
        trees.setdefault(treebank.kind, set()).add((one.parents, one.labels))
    assert [len(same) for same in trees.values()] == [1, 1]


def test_every_row_says_its_keys_and_what_is_not_written(tmp_path):
    how = "PYTHONPATH=tests python -m helpers.format_facts writes the page anew"
    assert with_facts(TEXT, tmp_path) == TEXT, how
