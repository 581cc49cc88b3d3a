"""Who the annotators of files are: files, layers, fields, folders, in any format."""

import json

import pytest

from helpers.docmaking import make_doc, write_docs
from helpers.panelfiles import BOTH, MORE, SLEPT, TEXT, brat, lines, marked, read, row
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, WORDS, conll, jsonl, prodigy
from spacy_chance_eval.corpora.panels import read_panel
from spacy_chance_eval.formats import READERS, Corpus, Document
from spacy_chance_eval.spacy_docs.docs import borders_of

HOLDING = [
    ("prodigy", "tasks.jsonl", {}),
    ("jsonl", "rows.jsonl", {"offsets": "char"}),
]


@pytest.fixture
def two(tmp_path):
    """The work of two annotators as CoNLL."""
    return conll(tmp_path / "alice.conll", GOLD), conll(tmp_path / "bob.conll", PRED)


# --- files as annotators


def test_several_files_are_annotators_called_as_the_files(two):
    assert read(*two) == BOTH


def test_annotators_can_be_given_names(two):
    assert read(f"ann={two[0]}", f"ben={two[1]}") == {"ann": [SPANS], "ben": [FOUND]}


@pytest.mark.parametrize("below", ["", "/of", "/of/this"])
def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path, below):
    one, two = f"x{below}/ner", f"y{below}/ner"
    for name in (one, two):
        (tmp_path / name).parent.mkdir(parents=True)
    first, second = conll(tmp_path / f"{one}.conll", GOLD), conll(tmp_path / f"{two}.conll", PRED)
    assert read(first, second) == {one: [SPANS], two: [FOUND]}


def test_documents_are_matched_by_id_in_any_order(tmp_path):
    alice = lines(tmp_path / "alice.jsonl", row(SPANS, id="a"), row(SLEPT, MORE, id="b"))
    bob = lines(tmp_path / "bob.jsonl", row([], MORE, id="b"), row(FOUND, id="a"))
    assert read(alice, bob) == {"alice": [SPANS, SLEPT], "bob": [FOUND, []]}


def test_who_lacks_a_document_has_not_seen_it(tmp_path):
    alice = lines(tmp_path / "alice.jsonl", row(SPANS, id="a"))
    bob = lines(tmp_path / "bob.jsonl", row(SLEPT, MORE, id="b"), row(FOUND, id="a"))
    assert read(alice, bob) == {"alice": [SPANS, None], "bob": [FOUND, SLEPT]}


def test_null_is_not_seen_and_an_empty_list_is(tmp_path):
    alice = lines(tmp_path / "alice.jsonl", {"tokens": WORDS, "spans": None, "id": "a"})
    bob = lines(tmp_path / "bob.jsonl", row([], id="a"))
    assert read(alice, bob) == {"alice": [None], "bob": [[]]}


def test_formats_with_the_same_tokens_mix(tmp_path, two):
    task, rows = prodigy(tmp_path / "pro.jsonl", SPANS), jsonl(tmp_path / "rows.jsonl", FOUND)
    assert read(task, rows, two[1]) == {"pro": [SPANS], "rows": [FOUND], "bob": [FOUND]}


def test_ids_of_different_programs_do_not_keep_equal_documents_apart(tmp_path):
    task, rows = prodigy(tmp_path / "pro.jsonl", SPANS), jsonl(tmp_path / "a.jsonl", FOUND, id="x")
    assert read(task, rows) == {"pro": [SPANS], "a": [FOUND]}


def test_other_ids_for_other_texts_are_other_documents(tmp_path):
    alice = jsonl(tmp_path / "alice.jsonl", SPANS, id="a")
    bob = jsonl(tmp_path / "bob.jsonl", SLEPT, MORE, id="b")
    assert read(alice, bob) == {"alice": [SPANS, None], "bob": [None, SLEPT]}


def test_columns_of_one_file_can_be_the_work_of_each_annotator(tmp_path):
    path = conll(tmp_path / "both.conll", GOLD, PRED)
    assert read(f"alice={path}#1", f"bob={path}#2") == BOTH


def test_layers_of_files_can_be_named(tmp_path):
    path = lines(tmp_path / "x.jsonl", {"tokens": WORDS, "layers": {"a": SPANS, "b": FOUND}})
    assert read(f"alice={path}#a", f"bob={path}#b") == BOTH


# --- layers as annotators


def test_all_layers_of_one_file_are_annotators(tmp_path):
    path = lines(tmp_path / "x.jsonl", {"tokens": WORDS, "layers": {"alice": SPANS, "bob": FOUND}})
    assert read(path) == BOTH


def test_layers_can_be_chosen_and_named(tmp_path):
    layers = {"a": SPANS, "b": FOUND, "c": []}
    path = lines(tmp_path / "x.jsonl", {"tokens": WORDS, "layers": layers})
    assert read(path, layers=["alice=a", "bob=b"]) == BOTH


def test_a_layer_may_have_an_equals_sign_in_its_name(tmp_path):
    layers = {"v=1": SPANS, "v=2": FOUND}
    path = lines(tmp_path / "x.jsonl", {"tokens": WORDS, "layers": layers})
    assert read(path, layers=["v=1", "v=2"]) == {"v=1": [SPANS], "v=2": [FOUND]}


def test_all_columns_of_one_conll_file_are_annotators(tmp_path):
    assert read(conll(tmp_path / "x.conll", GOLD, PRED)) == {"1": [SPANS], "2": [FOUND]}


def test_span_groups_are_called_by_their_keys_and_unused_entities_are_nobody(tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(path, [make_doc(WORDS, None, groups={"alice": SPANS, "bob": FOUND})])
    assert read(path) == BOTH
    assert read(path, layers=["spans:alice", "bob=spans:bob"]) == BOTH
    assert read(f"{path}#spans:alice", f"{path}#spans:bob") == BOTH


def test_entities_are_an_annotator_where_there_are_some(tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(path, [make_doc(WORDS, SPANS, groups={"bob": FOUND})])
    assert read(path) == {"bob": [FOUND], "ents": [SPANS]}


def test_layers_of_several_files_are_annotators_of_all_their_documents(tmp_path):
    layers = {"alice": SPANS, "bob": FOUND}
    first = lines(tmp_path / "x.jsonl", {"id": "a", "tokens": WORDS, "layers": layers})
    second = {"id": "b", "tokens": MORE, "layers": {"bob": SLEPT}}
    found = read(first, lines(tmp_path / "y.jsonl", second), by="layer")
    assert found == {"alice": [SPANS, None], "bob": [FOUND, SLEPT]}


# --- annotators named in rows


def test_the_annotators_of_prodigy_are_found_without_asking(tmp_path):
    tasks = []
    for name, spans in (("alice", SPANS), ("bob", FOUND)):
        task = json.loads(prodigy(tmp_path / "x.jsonl", spans).read_text())
        tasks.append(task | {"_annotator_id": name, "_session_id": "s"})
    path = lines(tmp_path / "x.jsonl", *tasks)
    assert read(path) == BOTH
    assert read(path, annotator="_annotator_id") == BOTH


# --- folders


def test_folders_are_annotators(tmp_path):
    brat(tmp_path / "alice", "d", SPANS)
    brat(tmp_path / "bob", "d", FOUND)
    found = read(tmp_path / "alice", tmp_path / "bob")
    assert {name: len(docs[0]) for name, docs in found.items()} == {"alice": 3, "bob": 3}
    assert found["alice"][0][1] == (8, 15, "PER")


def test_a_tokenizer_gives_folders_of_texts_tokens(tmp_path):
    brat(tmp_path / "alice", "d", SPANS)
    brat(tmp_path / "bob", "d", FOUND)
    assert read(tmp_path / "alice", tmp_path / "bob", tokenizer=borders_of("en")) == BOTH


@pytest.mark.parametrize("end", [".jsonl", ".conll"])
def test_files_of_a_folder_can_be_annotators_and_their_folders_documents(tmp_path, end):
    for name, words, found in (("a", WORDS, (GOLD, PRED)), ("b", MORE, (["B-PER", "O", "O"],) * 2)):
        (tmp_path / name).mkdir()
        for who, tags in zip(("alice", "bob"), found):
            spans = SLEPT if words == MORE else SPANS if who == "alice" else FOUND
            file = tmp_path / name / f"{who}{end}"
            jsonl(file, spans, words) if end == ".jsonl" else conll(file, tags, words=words)
    panel, corpus = read_panel([str(tmp_path)], by="file")
    assert marked(panel) == {"alice": [SPANS, SLEPT], "bob": [FOUND, SLEPT]}
    assert [document.name for document in corpus.documents] == ["a", "b"]


def test_folders_of_brat_can_be_documents(tmp_path):
    brat(tmp_path / "d1", "alice", SPANS)
    brat(tmp_path / "d1", "bob", FOUND)
    brat(tmp_path / "d2", "bob", FOUND)
    found = read(tmp_path, by="file", tokenizer=borders_of("en"))
    assert found == {"alice": [SPANS, None], "bob": [FOUND, FOUND]}


# --- categories


def test_categories_of_two_files_are_compared(tmp_path):
    texts = {"id": "a", "text": TEXT}
    alice = lines(tmp_path / "alice.jsonl", texts | {"cats": {"POS": 0.9, "NEG": 0.1}})
    bob = lines(tmp_path / "bob.jsonl", texts | {"categories": ["NEG"]})
    found = read(alice, bob, categories=True, offsets="char")
    assert found == {"alice": [[(0, 1, "POS")]], "bob": [[(0, 1, "NEG")]]}


def test_choices_of_prodigy_are_categories(tmp_path):
    task = {"text": TEXT, "_input_hash": 1, "_task_hash": 1, "answer": "accept"}
    task |= {"_view_id": "choice", "options": [{"id": "POS"}, {"id": "NEG"}]}
    tasks = [task | {"_annotator_id": w, "accept": a} for w, a in (("x", ["POS"]), ("y", []))]
    path = lines(tmp_path / "x.jsonl", *tasks)
    assert read(path, categories=True) == {"x": [[(0, 1, "POS")]], "y": [[]]}


def test_cats_of_docs_are_categories(tmp_path):
    for name, likely in (("alice", 1.0), ("bob", 0.2)):
        docs = [make_doc(WORDS), make_doc(MORE)]
        docs[0].cats = {"POS": likely, "NEG": 0.0}
        write_docs(tmp_path / f"{name}.spacy", docs)
    found = read(tmp_path / "alice.spacy", tmp_path / "bob.spacy", categories=True)
    assert found == {"alice": [[(0, 1, "POS")], None], "bob": [[], None]}


# --- formats that hold many annotators


@pytest.mark.parametrize("format, name, options", HOLDING)
def test_annotators_that_a_file_holds_are_found(tmp_path, format, name, options):
    starts = [sum(len(word) + 1 for word in WORDS[:i]) for i in range(len(WORDS))]
    layers = {
        who: [(starts[s], starts[e - 1] + len(WORDS[e - 1]), label) for s, e, label in spans]
        for who, spans in (("alice", SPANS), ("bob", FOUND))
    }
    corpus = Corpus("x", [Document((), layers, name="d", text=TEXT)], "char")
    READERS[format].write(tmp_path / name, corpus)
    assert read(tmp_path / name, tokenizer=borders_of("en"), **options) == BOTH
