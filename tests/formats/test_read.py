import subprocess
import sys

import pytest

from helpers.cases import each_case
from helpers.docmaking import make_doc, write_docs
from spacy_chance_eval.formats import READERS, FormatError, files_of, format_of, read, read_folder
from spacy_chance_eval.formats.keys import Reading

CONLL = "a O\nb I-X\n"


@pytest.fixture
def file(tmp_path):
    def make(name, text):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return make


ENDINGS = [*READERS["conll"].suffixes, ".CoNLL", "", ".testb", ".dev", ".bmes", ".csv", ".json"]


@each_case("suffix", [*ENDINGS, ".xml", ".conllu", ".ann"])
def test_columns_are_told_by_content_whatever_the_ending(file, suffix):
    assert read(file(f"a.b{suffix}", "a B-X\n")).layer_names == ("gold",)


@pytest.mark.parametrize("name", ["a.pdf", "a", "a.gz"])
def test_an_unknown_ending_names_the_formats(file, name):
    with pytest.raises(FormatError, match="conll, jsonl, prodigy"):
        read(file(name, "Ada met Bob.\n"))


@pytest.mark.parametrize(("role", "n"), [("gold", 1), ("pred", 0)])
def test_improper_tags_are_read_as_conlleval_does_and_counted_in_gold(file, role, n):
    corpus = read(file("a.conll", f"{CONLL}\nz B-X\n"), role=role)
    assert (corpus.documents[0].layers["gold"], corpus.repair) == (((1, 2, "X"),), "conlleval")
    assert corpus.notes.count("improper") == n


def test_tokens_can_be_made_of_texts(file):
    text = '{"text": "Ada slept.", "spans": [[0, 3, "PER"]]}'
    (document,) = read(file("a.jsonl", text), tokenizer="en").documents
    assert (document.words, document.layers["spans"]) == (("Ada", "slept", "."), ((0, 1, "PER"),))


def test_keys_of_other_functions_say_whose_they_are(file):
    with pytest.raises(ValueError, match="read has no key align; give it to pair, read_compared"):
        read(file("a.conll", CONLL), align="auto")


@pytest.mark.parametrize("options", [{"format": "xml"}, {"role": "silver"}], ids=str)
def test_an_unknown_format_or_role_is_an_error(file, options):
    with pytest.raises(ValueError, match="unknown"):
        read(file("a.conll", CONLL), **options)


# --- the table of formats


@pytest.mark.parametrize("name", READERS)
def test_every_format_has_a_reader_and_a_writer(name):
    row = READERS[name]
    assert callable(row.read) and (not row.writer or callable(row.write))
    rows = ("argilla", "doccano", "entities", "gliner", "jsonl", "tagged")
    assert (row.blocks is not None) == (name in ("conll", "conllup", "spacy", *rows))


@pytest.mark.integration
def test_reading_a_format_loads_no_other(file):
    path = file("a.conll", "a B-X\n")
    code = (
        "import sys; from spacy_chance_eval.formats import read; read(sys.argv[1]);"
        "print(*(name.rpartition('.')[2] for name in sys.modules if '.formats.' in name))"
    )
    command = [sys.executable, "-c", code, str(path)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    others = {*"jsonl brat table doccano labelstudio cas gate brackets conllu".split()}
    assert "conll" in found and not others & {*found}


# --- .spacy


@pytest.fixture
def mixed(file, tmp_path):
    """A folder with `.spacy` files and others."""
    file("a.conll", "a B-X\n")
    file("old.spacy.bak", "")
    write_docs(tmp_path / "b.spacy", [make_doc(["b"], [(0, 1, "X")])])
    write_docs(tmp_path / "c.spacy", [make_doc(["c"], groups={"k": [(0, 1, "Y")]})])
    return tmp_path


@pytest.mark.parametrize("pattern", ["", "*", "*.spacy"])
def test_docbins_are_read_and_what_is_beside_them_is_not(mixed, pattern):
    path = mixed / pattern
    assert [file.name for file in files_of(path)] == ["b.spacy", "c.spacy"]
    assert format_of(path) == "spacy"
    corpus = read_folder(path, Reading(role="pred"))
    assert [document.layers for document in corpus.documents] == [
        {"ents": ((0, 1, "X"),), "spans:k": ()},
        {"ents": (), "spans:k": ((0, 1, "Y"),)},
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "IOB1"}, "format spacy has no key 'scheme'"),
        ({"format": "conll"}, "leave out format=conll"),
    ],
    ids=str,
)
def test_a_docbin_has_no_options(mixed, options, message):
    for path in (mixed / "b.spacy", mixed):
        with pytest.raises(ValueError, match=message):
            read(path, **options)


def test_of_a_list_of_files_bad_ones_can_be_left_out(tmp_path):
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "bad.jsonl", "missing.jsonl")]
    for path, text in zip(paths, ['{"text": "Ada"}', '{"text": "Bob"}', '{"text": "']):
        path.write_text(text + "\n", "utf-8")
    corpus = read(paths, skip_bad=True)
    assert [doc.text for doc in corpus.documents] == ["Ada", "Bob"]
    assert corpus.notes.skipped("files") == (2, 4)
    assert read(paths[:2], skip_bad="no") == read(paths[:2])
    with pytest.raises(FormatError, match="invalid JSON"):
        read(paths, skip_bad=False)
