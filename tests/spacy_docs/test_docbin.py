import pytest
from spacy.tokens import DocBin

from helpers.cases import each_case
from helpers.docmaking import NLP, make_doc, write_docs
from spacy_chance_eval import Corpus, Document, FormatError, read, sample
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.spacy_docs.docbin import (
    docs_of_corpus,
    entity_layer,
    read_docbin,
    write_docbin,
)
from spacy_chance_eval.tasks.convert import write_corpus

SPLITS = ("train", "dev", "test")


def written(tmp_path, *docs, name="x.spacy"):
    """Path of a DocBin of documents."""
    write_docs(tmp_path / name, docs)
    return tmp_path / name


def convert(corpus, path, *, strict=False, **keys):
    return write_corpus(corpus, path, {"format": "spacy", **keys}, strict=strict)


def document(words="a b c", spans=(), layer="gold", **fields):
    return Document(words.split(), {layer: spans}, **fields)


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    """The sample as JSONL gave it, and as it comes back from `.spacy`, by split."""
    folder, pairs = tmp_path_factory.mktemp("sample"), {}
    for split in SPLITS:
        corpus = read(sample.path(f"{split}.jsonl"))
        assert convert(corpus, folder / f"{split}.spacy", lang="en") == (len(corpus.documents), [])
        pairs[split] = corpus, read_docbin(folder / f"{split}.spacy")
    return pairs


@each_case("split", SPLITS)
@each_case("field", ["words", "spaces", "sents"])
def test_tokens_and_sentences_of_the_sample_survive(converted, split, field):
    before, after = ([getattr(d, field) for d in one.documents] for one in converted[split])
    assert after == before


def test_unknown_spaces_stay_unknown(tmp_path):
    convert(Corpus("x", [Document(["U.S.-Japan"], {"spans": ()})]), tmp_path / "x.spacy")
    (doc,) = DocBin().from_disk(tmp_path / "x.spacy").get_docs(NLP.vocab)
    assert doc.has_unknown_spaces
    (found,) = read_docbin(tmp_path / "x.spacy").documents
    assert (found.spaces, found.text) == (None, None)


def test_spaces_are_those_of_the_text(tmp_path):
    words, text = ["I", "do", "n't", "go", "."], "I don't go."
    convert(Corpus("x", [Document(words, {"spans": ()}, text=text)]), tmp_path / "x.spacy")
    (doc,) = DocBin().from_disk(tmp_path / "x.spacy").get_docs(NLP.vocab)
    assert doc.text == text


def test_spans_that_fit_no_tokens_are_counted_as_left_out(tmp_path):
    corpus = Corpus("x", [document(unplaced={"spans": [(2, "A"), (1, "A")]})])
    assert convert(corpus, tmp_path / "x.spacy") == (1, ["2 unplaced spans"])


def test_entities_over_missing_tokens_are_counted_as_left_out(tmp_path):
    corpus = Corpus("x", [document(spans=[(0, 2, "A")], missing=[(1, 2), (1, 3)])])
    left_out = ["1 span over positions not annotated"]
    assert convert(corpus, tmp_path / "x.spacy") == (1, left_out)
    (found,) = read_docbin(tmp_path / "x.spacy").documents
    assert (found.layers["ents"], found.gaps("ents")) == ((), ((1, 2), (2, 3)))


def test_missing_tokens_of_a_group_are_said_to_be_left_out(tmp_path):
    corpus = Corpus("x", [document(missing=[(1, 2)])])
    n_docs, left_out = convert(corpus, tmp_path / "x.spacy", ents="none")
    assert (n_docs, left_out) == (1, ["1 stretch without annotation"])


def test_a_file_without_any_layer_needs_to_be_asked_for(tmp_path):
    corpus = Corpus("x", [Document(["a"], {})])
    with pytest.raises(FormatError, match="no document has any layer"):
        convert(corpus, tmp_path / "x.spacy")
    assert convert(corpus, tmp_path / "x.spacy", ents="none") == (1, [])


def test_only_spacy_files_are_written(tmp_path):
    with pytest.raises(FormatError, match="must end in .spacy"):
        convert(Corpus("x", [document()]), tmp_path / "x.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_prediction_is_annotated_throughout(tmp_path):
    docs = [make_doc(3, None), make_doc(3, [(0, 1, "A")], missing=[(1, 2)])]
    read_back = read_docbin(written(tmp_path, *docs), Reading(role="pred"))
    assert [d.layers["ents"] for d in read_back.documents] == [(), ((0, 1, "A"),)]
    assert [d.missing for d in read_back.documents] == [(), ()]


def test_a_predicted_group_that_a_document_lacks_is_empty_there(tmp_path):
    docs = [make_doc(3, groups={"k": [(0, 1, "A")]}), make_doc(3)]
    spans = read_docbin(written(tmp_path, *docs), Reading(role="pred")).spans("spans:k")
    assert spans.seen.tolist() == [True, True]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.spacy", None, r"no\.spacy: no such file; expected a \.spacy file"),
        ("x.spacy", b"Ada B-PER\n", r"x\.spacy: this is no \.spacy file, .*DocBin"),
        ("x.spacy", DocBin().to_bytes(), r"x\.spacy: no documents"),
        ("", None, r"no \.spacy files in this folder"),
    ],
    ids=["missing", "text", "no documents", "folder"],
)
def test_what_is_no_docbin_is_named(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read_docbin(tmp_path / name)


def test_overlapping_entities_name_file_and_document_and_leave_no_file(tmp_path):
    rows = [(0, 2, "A"), (1, 3, "A")]
    corpus = Corpus("in.jsonl", [document(spans=rows, name="d1", lines=(7,))])
    with pytest.raises(FormatError, match=r"in\.jsonl:7: entities of layer 'gold' overlap in 'd1'"):
        write_docbin(tmp_path / "x.spacy", corpus)
    assert not list(tmp_path.iterdir())


def test_character_positions_cannot_be_converted(tmp_path):
    corpus = Corpus("in.jsonl", [Document((), {"spans": ()}, text="a b")], "char")
    with pytest.raises(FormatError, match=r"in\.jsonl: a \.spacy file needs tokens"):
        write_docbin(tmp_path / "x.spacy", corpus)


# --- categories


def with_cats(cats, words="a b c"):
    """A Doc with scores of categories."""
    doc = make_doc(words)
    doc.cats = cats
    return doc


def test_likely_cats_are_categories_of_the_docs_that_have_any(tmp_path):
    docs = [with_cats({"A": 0.5, "B": 0.49}), with_cats({"A": 0.0}), make_doc("a")]
    corpus = read_docbin(written(tmp_path, *docs))
    found = [document.categories for document in corpus.documents]
    assert found == [{"categories": ("A",)}, {"categories": ()}, {}]
    assert corpus.labelled_documents.spans("categories").seen.tolist() == [True, True, False]


@pytest.mark.parametrize("layer", ["categories", "spans"])
def test_categories_become_cats_and_come_back(tmp_path, layer):
    rows = [("A",), (), None, ("A", "B")]
    documents = [document("a b", categories={layer: row}) for row in rows]
    assert convert(Corpus("x", documents), tmp_path / "x.spacy") == (4, [])
    found = [d.categories.get("categories") for d in read_docbin(tmp_path / "x.spacy").documents]
    assert found == rows
    docs = list(docs_of_corpus(Corpus("x", documents), NLP))
    assert docs[0].cats == {"A": 1.0, "B": 0.0} and docs[2].cats == {}


def test_further_layers_of_categories_are_named_as_lost(tmp_path):
    documents = [document("a", categories={"categories": ["A"], "ann": ["B"]})]
    found = convert(Corpus("x", documents), tmp_path / "x.spacy")
    assert found == (1, ["the categories of 1 document"])


def test_a_span_in_a_gap_is_an_entity_as_the_span_around_it_is_left_out():
    gapped = (0, 4, "A", ((0, 1), (3, 4)))
    corpus = Corpus("a", [Document(list("abcd"), {"spans": [gapped, (1, 2, "B")]})])
    assert entity_layer(corpus, None, False) == "spans"
    overlapping = Corpus("a", [Document(list("abcd"), {"spans": [(0, 2, "A"), (1, 2, "B")]})])
    assert entity_layer(overlapping, None, False) == "none"
