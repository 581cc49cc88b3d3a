"""Who the annotators of files are: files, layers, fields, folders, in any format."""

import json

import pytest

from helpers.docmaking import make_doc, write_docs
from helpers.panelfiles import BOTH, MORE, SLEPT, TEXT, brat, lines, read, row
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, WORDS, conll, prodigy
from spacy_chance_eval.formats import READERS, Corpus, Document, FormatError
from spacy_chance_eval.spacy_docs.docs import borders_of

HOLDING = [("prodigy", "tasks.jsonl", {}), ("jsonl", "rows.jsonl", {"offsets": "char"})]


def layered(words=WORDS, **layers):
    """A document with layers."""
    return {"tokens": words, "layers": layers}


CHOICE = {"text": TEXT, "_input_hash": 1, "_task_hash": 1, "answer": "accept", "_view_id": "choice",
          "options": [{"id": "POS"}, {"id": "NEG"}]}  # fmt: skip
COLUMNS = {
    "alice": [GOLD], "bob": [PRED], "x/ner": [GOLD], "y/ner": [PRED], "x/of/this/ner": [GOLD],
    "y/of/this/ner": [PRED], "columns": [GOLD, PRED],
}  # fmt: skip
ROWS = {
    "ids/alice": [row(SPANS, id="a"), row(SLEPT, MORE, id="b")],
    "ids/bob": [row([], MORE, id="b"), row(FOUND, id="a")],
    "one/alice": [row(SPANS, id="a")],
    "null": [{"tokens": WORDS, "spans": None, "id": "a"}],
    "empty": [row([], id="a")],
    "later": [row(SLEPT, MORE, id="b")],
    "other/tokens": [row(FOUND, ["Ada", "hit", *WORDS[2:]], id="a")],
    "rows": [row(FOUND)],
    "two": [row(SPANS), row(SLEPT, MORE)],
    "x": [row(FOUND, id="x")],
    "layers": [layered(alice=SPANS, bob=FOUND)],
    "three": [layered(a=SPANS, b=FOUND, c=[])],
    "versions": [layered(**{"v=1": SPANS, "v=2": FOUND})],
    "parts/x": [{"id": "a", **layered(alice=SPANS, bob=FOUND)}],
    "parts/y": [{"id": "b", **layered(MORE, bob=SLEPT)}],
    "parts/z": [{"id": "a", **layered(alice=SPANS)}],
    "cats/alice": [{"id": "a", "text": TEXT, "cats": {"POS": 0.9, "NEG": 0.1}}],
    "cats/bob": [{"id": "a", "text": TEXT, "categories": ["NEG"]}],
    "cats/tokens": [{"tokens": WORDS, "categories": ["A"]}],
    "choices": [CHOICE | {"_annotator_id": w, "accept": a} for w, a in (("x", ["POS"]), ("y", []))],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of `COLUMNS` and `ROWS`, and some of tasks and of brat."""
    root = tmp_path_factory.mktemp("files")
    for name, rows in ROWS.items():
        lines(root / f"{name}.jsonl", *rows)
    for name, columns in COLUMNS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        conll(root / f"{name}.conll", *columns)
    tasks = {
        who: json.loads(prodigy(root / "task.jsonl", spans).read_text())
        for who, spans in (("bob", FOUND), ("alice", SPANS))
    }
    who = ({"_annotator_id": name, "_session_id": "s"} for name in tasks)
    lines(root / "tasks.jsonl", *map(dict.__or__, tasks.values(), who))
    (root / "broken.jsonl").write_text("{")
    brat(root / "brat", "a", SPANS)
    return root


FILES = {  # sources, options, and what each annotator marked, or what the error says
    "files": ("alice.conll bob.conll", {}, BOTH),
    "names": ("ann=alice.conll ben=bob.conll", {}, {"ann": [SPANS], "ben": [FOUND]}),
    "folder": ("x/ner.conll y/ner.conll", {}, {"x/ner": [SPANS], "y/ner": [FOUND]}),
    "folders": (
        "x/of/this/ner.conll y/of/this/ner.conll", {},
        {"x/of/this/ner": [SPANS], "y/of/this/ner": [FOUND]},
    ),
    "any order": (
        "ids/alice.jsonl ids/bob.jsonl", {}, {"alice": [SPANS, SLEPT], "bob": [FOUND, []]}
    ),
    "a document that one lacks": (
        "one/alice.jsonl ids/bob.jsonl", {}, {"alice": [SPANS, None], "bob": [FOUND, []]}
    ),
    "null and no spans": ("null.jsonl empty.jsonl", {}, {"null": [None], "empty": [[]]}),
    "formats": (
        "task.jsonl rows.jsonl bob.conll", {},
        {"task": [SPANS], "rows": [FOUND], "bob": [FOUND]},
    ),
    "other ids of equal texts": ("task.jsonl x.jsonl", {}, {"task": [SPANS], "x": [FOUND]}),
    "other ids of other texts": (
        "one/alice.jsonl later.jsonl", {}, {"alice": [SPANS, None], "later": [None, SLEPT]}
    ),
    "columns": ("alice=columns.conll#1 bob=columns.conll#2", {}, BOTH),
    "all columns": ("columns.conll", {}, {"1": [SPANS], "2": [FOUND]}),
    "layers": ("alice=layers.jsonl#alice bob=layers.jsonl#bob", {}, BOTH),
    "all layers": ("layers.jsonl", {}, BOTH),
    "chosen layers": ("three.jsonl", {"layers": ["alice=a", "bob=b"]}, BOTH),
    "equals signs": (
        "versions.jsonl", {"layers": ["v=1", "v=2"]}, {"v=1": [SPANS], "v=2": [FOUND]}
    ),
    "layers of files": (
        "parts/x.jsonl parts/y.jsonl", {"by": "layer"},
        {"alice": [SPANS, None], "bob": [FOUND, SLEPT]},
    ),
    "prodigy": ("tasks.jsonl", {}, BOTH),
    "prodigy's field": ("tasks.jsonl", {"annotator": "_annotator_id"}, BOTH),
    "categories": (
        "cats/alice.jsonl cats/bob.jsonl", {"categories": True, "offsets": "char"},
        {"alice": [[(0, 1, "POS")]], "bob": [[(0, 1, "NEG")]]},
    ),
    "choices": ("choices.jsonl", {"categories": True}, {"x": [[(0, 1, "POS")]], "y": [[]]}),
    "options of one format": (
        "alice.conll rows.jsonl", {"scheme": "IOB2"}, {"alice": [SPANS], "rows": [FOUND]}
    ),
    "other tokens": (
        "one/alice.jsonl other/tokens.jsonl", {},
        "one/alice.jsonl:1: token 2 of document 'a' is 'met', but 'hit' in other/tokens.jsonl:1",
    ),
    "tokens and characters": (
        "brat x.jsonl", {"align": "tokens"}, "there are no tokens here, but in another file"
    ),
    "one name": (
        "A=alice.conll A=bob.conll", {}, "two annotators are called 'A'; give each its own name"
    ),
    "one file": ("alice.conll alice.conll", {}, "two annotators are called 'alice'"),
    "one name of a broken file": (
        "ann=x.jsonl ann=broken.jsonl", {"by": "file"}, "two annotators are called 'ann'"
    ),
    "unknown layer": (
        "three.jsonl", {"layers": ["zoe"]}, "there is no layer 'zoe'; available: a, b, c"
    ),
    "unknown layer of files": (
        "three.jsonl", {"layers": ["zoe"], "by": "file"}, "three.jsonl: there is no layer 'zoe'"
    ),
    "unknown layer of a file": ("three.jsonl#a three.jsonl#zoe", {}, "there is no layer 'zoe'"),
    "no layer named": (
        "three.jsonl three.jsonl#a", {}, "several layers or annotators, and none was named: a, b, c"
    ),
    "layers of annotators": (
        "alice.conll bob.conll", {"by": "file", "layers": ["a", "b"]},
        "2 layers, but each file is an annotator",
    ),
    "no spans": (
        "cats/tokens.jsonl", {},
        "tokens.jsonl: no document has any layer of spans; agree --categories (in",
    ),
    "no spans in one": ("cats/tokens.jsonl one=cats/tokens.jsonl", {}, "any layer of spans"),
    "no categories": (
        "alice.conll bob.conll", {"categories": True},
        "no document has any categories; without --categories",
    ),
    "unknown field": (
        "x.jsonl", {"annotator": "who"}, "x.jsonl: no row names anybody in 'who'; name another key"
    ),
    "unknown field of tasks": (
        "task.jsonl", {"annotator": "who"}, "no row has anybody in the field 'who'"
    ),
    "field of columns": ("alice.conll", {"annotator": "who"}, "no rows that name annotators"),
    "no number": (
        "alice.conll#x bob.conll", {}, "alice.conll: no column 'x'; the tokens have"
    ),
    "no column": ("alice.conll#7 bob.conll", {}, "alice.conll: no column 7"),
    "unknown option": ("alice.conll bob.conll", {"offsets": "char"}, "has no key 'offsets'"),
    "other number": ("two.jsonl alice.conll", {}, "1 document, but"),
    "two answers": (
        "parts/x.jsonl parts/z.jsonl", {"by": "layer"},
        "parts/z.jsonl:1: document 'a' has two annotations by 'alice'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sources", "options", "outcome"), FILES.values(), ids=FILES)
def test_annotators_are_those_of_the_sources(folder, monkeypatch, sources, options, outcome):
    monkeypatch.chdir(folder)
    if isinstance(outcome, str):
        with pytest.raises((FormatError, ValueError)) as error:
            read(*sources.split(), **options)
        assert outcome in str(error.value)
    else:
        assert read(*sources.split(), **options) == outcome


def test_span_groups_are_called_by_their_keys_and_unused_entities_are_nobody(tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(path, [make_doc(WORDS, None, groups={"alice": SPANS, "bob": FOUND})])
    assert read(path) == BOTH
    assert read(path, layers=["spans:alice", "bob=spans:bob"]) == BOTH
    assert read(f"{path}#spans:alice", f"{path}#spans:bob") == BOTH


def test_a_tokenizer_gives_folders_of_texts_tokens(tmp_path):
    brat(tmp_path / "alice", "d", SPANS)
    brat(tmp_path / "bob", "d", FOUND)
    assert read(tmp_path / "alice", tmp_path / "bob", tokenizer=borders_of("en")) == BOTH


def test_folders_of_brat_can_be_documents(tmp_path):
    brat(tmp_path / "d1", "alice", SPANS)
    brat(tmp_path / "d1", "bob", FOUND)
    brat(tmp_path / "d2", "bob", FOUND)
    found = read(tmp_path, by="file", tokenizer=borders_of("en"))
    assert found == {"alice": [SPANS, None], "bob": [FOUND, FOUND]}


def test_cats_of_docs_are_categories(tmp_path):
    for name, likely in (("alice", 1.0), ("bob", 0.2)):
        docs = [make_doc(WORDS), make_doc(MORE)]
        docs[0].cats = {"POS": likely, "NEG": 0.0}
        write_docs(tmp_path / f"{name}.spacy", docs)
    found = read(tmp_path / "alice.spacy", tmp_path / "bob.spacy", categories=True)
    assert found == {"alice": [[(0, 1, "POS")], None], "bob": [[], None]}


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
