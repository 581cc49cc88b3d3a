"""What the issue promises of the embedded sample."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import spacy
import srsly

from helpers.cases import each_case
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


def entities(documents):
    """All (start, end, label)."""
    return [span for document in documents for span in document.layers["spans"]]


def test_the_files_are_these():
    folder = sample.path("dev.jsonl").parent
    found = (path for ending in ("json*", "conllu") for path in folder.rglob(f"*.{ending}"))
    assert sorted(path.relative_to(folder).as_posix() for path in found) == sorted(sample.FILES)


def test_another_file_is_an_error_that_names_those_there():
    with pytest.raises(ValueError, match="no sample file .x.; expected one of annotators"):
        sample.path("x")


def test_there_are_at_least_15_documents(documents):
    assert len(documents) >= 15


def test_there_are_at_least_120_sentences(documents):
    assert sum(len(document.sents) for document in documents) >= 120


def test_there_are_four_labels_in_every_split(splits):
    for documents in splits.values():
        assert {label for *_, label in entities(documents)} == {"PER", "ORG", "LOC", "PROD"}


def test_entities_are_short_and_long(documents):
    lengths = Counter(end - start for start, end, _ in entities(documents))
    assert lengths[1] > 20
    assert sum(count for length, count in lengths.items() if length >= 4) >= 10


def test_adjacent_entities_share_their_label(documents):
    touching = [
        (one, two)
        for document in documents
        for one, two in zip(document.layers["spans"], document.layers["spans"][1:])
        if one[1] == two[0] and one[2] == two[2]
    ]
    assert len(touching) >= 5


def test_entities_do_not_overlap(documents):
    for document in documents:
        rows = document.layers["spans"]
        assert all(one[1] <= two[0] for one, two in zip(rows, rows[1:]))


def test_some_documents_have_no_entities_and_are_annotated(documents):
    empty = [d for d in documents if d.layers["spans"] == ()]
    assert len(empty) >= 2
    assert all(document.layers["spans"] is not None for document in documents)


def test_documents_are_in_one_split_only(documents):
    names = [document.name for document in documents]
    texts = [" ".join(document.words) for document in documents]
    assert len(set(names)) == len(names) and len(set(texts)) == len(texts)


def test_there_are_enough_test_documents_for_intervals(splits):
    assert len(splits["test"]) >= 60


def test_the_test_documents_are_of_two_kinds_of_different_density(splits):
    headers = (ROOT / "scripts" / "sample" / "test.txt").read_text(encoding="utf8").splitlines()
    kinds = dict(line.split()[1:] for line in headers if line.startswith("# "))
    shares = {}
    for kind in ("news", "prose"):
        documents = [document for document in splits["test"] if kinds[document.name] == kind]
        assert len(documents) >= 25
        n_tokens = sum(len(document.words) for document in documents)
        shares[kind] = sum(end - start for start, end, _ in entities(documents)) / n_tokens
    assert shares["news"] > 0.2 and shares["prose"] < 0.02


def test_statements_are_long_and_cover_about_half_of_the_tokens(splits):
    documents = splits["test"]
    lengths = [end - start for d in documents for start, end, _ in d.layers["statements"]]
    assert {label for d in documents for *_, label in d.layers["statements"]} == {"EVENT", "CLAIM"}
    assert sorted(lengths)[len(lengths) // 2] > 8
    assert 0.5 < sum(lengths) / sum(len(document.words) for document in documents) < 0.7


def test_statements_do_not_overlap(documents):
    for document in documents:
        rows = document.layers["statements"]
        assert all(one[1] <= two[0] for one, two in zip(rows, rows[1:]))


def test_names_are_the_persons_of_the_entities(documents):
    for document in documents:
        names = [span[:2] for span in document.layers["sc"] if span[2] == "NAME"]
        assert names == [span[:2] for span in document.layers["spans"] if span[2] == "PER"]


def made_again(script, folder):
    """Names of the files that a script makes, which must be those of the package."""
    subprocess.run([sys.executable, ROOT / "scripts" / "sample" / script, folder], check=True)
    made = [path for path in folder.rglob("*.*") if path.is_file()]
    names = sorted(path.relative_to(folder).as_posix() for path in made)
    for name in names:
        assert (folder / name).read_bytes() == sample.path(name).read_bytes()
    return names


def test_the_corpus_can_be_made_again(tmp_path):
    assert made_again("make_corpus.py", tmp_path / "new") == [
        "dev.jsonl",
        "test.jsonl",
        "train.jsonl",
    ]


def test_the_annotators_can_be_made_again(tmp_path):
    names = [f"annotators/{name}.jsonl" for name in sample.ANNOTATORS]
    assert made_again("make_annotators.py", tmp_path) == names


@pytest.mark.parametrize("name", [name for name in sample.FILES if "/" in name])
def test_systems_and_annotators_have_the_tokens_of_the_test_documents(splits, name):
    found = read(sample.path(name)).documents
    assert [(one.name, one.words) for one in found] == [(d.name, d.words) for d in splits["test"]]
    layers = {"statements"} if name.startswith("annotators") else {"spans", "statements"}
    assert all(set(document.layers) == layers for document in found)


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


def test_the_sample_takes_little_room():
    assert sum(sample.path(name).stat().st_size for name in sample.FILES) < 1_500_000


@pytest.mark.parametrize("split", SPLITS)
def test_the_span_group_has_overlapping_spans(splits, split):
    overlapping = [
        (one, two)
        for document in splits[split]
        for one in document.layers["sc"]
        for two in document.layers["sc"]
        if one < two and two[0] < one[1]
    ]
    assert overlapping


def test_some_spans_of_the_group_cross(documents):
    crossing = [
        (one, two)
        for document in documents
        for one in document.layers["sc"]
        for two in document.layers["sc"]
        if one[0] < two[0] < one[1] < two[1]
    ]
    assert crossing


def test_no_span_leaves_its_sentence(documents):
    for document in documents:
        for rows in document.layers.values():
            for start, end, _ in rows:
                assert not any(start < cut < end for cut in document.sents)


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


def test_the_gazetteer_knows_the_names_of_the_training_data_only(splits):
    patterns = srsly.read_json(sample.path("gazetteer.json"))
    known = Counter()
    for document in splits["train"]:
        for start, end, label in document.layers["spans"]:
            known[" ".join(document.words[start:end]), label] += 1
    names = {name for name, _ in known}
    assert len(patterns) == len(names)
    for pattern in patterns:
        rows = pattern["pattern"]
        text = rows if isinstance(rows, str) else " ".join(row["ORTH"] for row in rows)
        name = " ".join(token.text for token in NLP.make_doc(text))
        most = max(count for (other, _), count in known.items() if other == name)
        assert known[name, pattern["label"]] == most


def sentences():
    """The trees of the sample: (comments, rows of ten columns) each; read without our reader."""
    blocks = sample.path("treebank.conllu").read_text(encoding="utf8").rstrip("\n").split("\n\n")
    for block in blocks:
        lines = block.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        yield comments, [line.split("\t") for line in lines[len(comments) :]]


SENTENCES = list(sentences())
WORD_ROWS = [[row for row in rows if "-" not in row[0]] for _, rows in SENTENCES]
UNIVERSAL = set(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse aux cop "
    "mark nmod appos nummod acl amod det clf case conj cc fixed flat list parataxis compound "
    "orphan goeswith reparandum punct root dep".split()
)
PARTS_OF_SPEECH = set(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)


def test_the_treebank_has_some_eighty_short_sentences_all_different():
    texts = [comments[-1] for comments, _ in SENTENCES]
    assert 60 <= len(set(texts)) == len(texts) <= 100
    assert {len(rows) for rows in WORD_ROWS} <= set(range(4, 21))


def test_every_sentence_has_an_id_of_its_own_and_its_text():
    ids = [comments[-2] for comments, _ in SENTENCES]
    assert ids == [f"# sent_id = tree-{place:02d}" for place in range(1, len(ids) + 1)]
    for comments, rows in SENTENCES:
        inside, text = 0, ""
        for number, form, *_, misc in rows:
            if "-" in number:
                inside = int(number.partition("-")[2])
            elif int(number) <= inside:
                continue
            text += form + " " * (misc != "SpaceAfter=No")
        assert comments[-1] == f"# text = {text.strip()}"


def test_multiword_tokens_stand_before_their_words():
    found = [row for _, rows in SENTENCES for row in rows if "-" in row[0]]
    assert [row[1] for row in found] == ["don't", "museum's"]
    for _, rows in SENTENCES:
        numbers = [int(row[0].partition("-")[0]) for row in rows]
        assert numbers == sorted(numbers) and all(len(row) == 10 for row in rows)


@each_case("rows", WORD_ROWS)
def test_every_sentence_is_a_tree_with_one_root(rows):
    heads = [int(row[6]) for row in rows]
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert [row[7] for row in rows if row[6] == "0"] == ["root"]
    assert sum(row[7] == "root" for row in rows) == 1
    for token in range(1, len(rows) + 1):
        above = [token]
        while heads[above[-1] - 1]:
            above.append(heads[above[-1] - 1])
            assert len(above) <= len(rows), f"token {token} is part of a cycle"


def test_relations_and_parts_of_speech_are_those_of_universal_dependencies():
    for row in (row for rows in WORD_ROWS for row in rows):
        assert row[7].partition(":")[0] in UNIVERSAL and row[3] in PARTS_OF_SPEECH
        assert (row[3] == "PUNCT") == (row[7] == "punct")


def test_function_words_and_punctuation_have_no_dependents_but_fixed_ones():
    for rows in WORD_ROWS:
        for row in rows:
            head = rows[int(row[6]) - 1] if row[6] != "0" else None
            if head and head[3] in ("ADP", "AUX", "CCONJ", "DET", "PART", "PUNCT", "SCONJ"):
                assert row[7] == "fixed", row


def test_determiners_and_subjects_of_statements_stand_before_their_heads():
    for row in (row for rows in WORD_ROWS for row in rows):
        if row[7] in ("det", "amod", "aux", "cop", "case", "mark", "nummod") and row[1] != "'s":
            assert int(row[0]) < int(row[6]), row


def test_the_readme_counts_the_treebank():
    text = " ".join(sample.path("treebank.conllu").with_name("README.md").read_text().split())
    sizes = [len(rows) for rows in WORD_ROWS]
    relations = {row[7] for rows in WORD_ROWS for row in rows}
    assert (
        f"{len(sizes)} English sentences of {min(sizes)} to {max(sizes)} tokens ({sum(sizes)} in "
        f"all)"
    ) in text
    assert f"and {len(relations)} relations" in text
