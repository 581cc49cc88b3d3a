"""`.spacy` files that are damaged, or hold values that spans do not need."""

import zlib

import numpy as np
import pytest
import spacy
import srsly
from spacy.attrs import ENT_IOB, ENT_TYPE, HEAD, ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc, DocBin, Span

from helpers.blocks import defaults, many_blocks, score
from spacy_chance_eval import FormatError, read
from spacy_chance_eval.spacy_docs import read_docs
from spacy_chance_eval.spacy_docs.docbin import read_docbin
from spacy_chance_eval.spacy_docs.tree_docs import treebank_of_docbin

NLP = spacy.blank("xx")
WORDS = ["Ada", "slept", "in", "Oslo"]


def doc_with(cats=None, **user_data):
    """A Doc with all that a file may have."""
    deps, morphs = ["nsubj", "ROOT", "prep", "pobj"], ["Case=Nom"] * 4
    doc = Doc(NLP.vocab, words=WORDS, heads=[1, 1, 1, 2], deps=deps, morphs=morphs)
    doc.set_ents([Span(doc, 0, 1, "PER")], default="outside")
    doc.spans["sc"] = [Span(doc, 3, 4, "LOC")]
    doc.cats = cats or {}
    doc.user_data |= user_data
    return doc


def file_of(path, *docs, change=None):
    """A file of Docs; `change` gets the message in it first."""
    data = DocBin(store_user_data=True, docs=docs).to_bytes()
    if change is not None:
        message = srsly.msgpack_loads(zlib.decompress(data))
        change(message)
        data = zlib.compress(srsly.msgpack_dumps(message))
    path.write_bytes(data)
    return path


def message_of(call, *arguments, **options):
    with pytest.raises(FormatError) as caught:
        call(*arguments, **options)
    return str(caught.value)


# --- categories


SCORES = {"of numpy": np.float32(0.75), "true": np.bool_(True), "of no dimension": np.array(0.5),
          "whole": np.int64(1), "plain": 0.5}  # fmt: skip
ODD = {"None": None, "a text": "0.7", "nan": float("nan"), "a list": [1.0], "numpy's nan":
       np.float64("nan"), "several": np.array([0.5, 1.0]), "bytes": b"1"}  # fmt: skip


@pytest.mark.parametrize("value", SCORES.values(), ids=SCORES)
def test_scores_of_numpy_are_numbers(tmp_path, value):
    path = file_of(tmp_path / "a.spacy", doc_with({"x": value, "y": np.float32(0.25)}))
    assert read(path).documents[0].categories == {"categories": ("x",)}
    (document,) = read_docs([doc_with({"x": value})], "a").documents
    assert document.categories == {"categories": ("x",)}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_scores_that_are_no_numbers_are_an_error(tmp_path, value):
    path = file_of(tmp_path / "a.spacy", doc_with({"y": 1.0}), doc_with({"y": 1.0, "x": value}))
    found = message_of(read, path)
    assert found.startswith(f"{path}: document 2: 'cats' gives \"x\" the score ")
    assert "give it a number, or remove the label" in found


# --- user data


def test_values_of_numpy_in_user_data_are_attributes(tmp_path):
    given = {"a": np.float32(0.5), "b": np.bool_(True), "c": np.int64(3), "d": np.array(2)}
    path = file_of(tmp_path / "a.spacy", doc_with(name="d1", **given))
    expected = {"a": 0.5, "b": True, "c": 3, "d": 2}
    for document in (read(path).documents[0], read_docs([doc_with(**given)], "a").documents[0]):
        assert document.attributes == expected
        assert {*map(type, document.attributes.values())} == {float, bool, int}


# --- damaged files: spaCy says of most what is wrong


def without(*strings):
    """A function that takes strings out of a message."""
    return lambda m: m.update(strings=[one for one in m["strings"] if one not in strings])


@pytest.mark.parametrize("read", [read_docbin, treebank_of_docbin], ids=["spans", "trees"])
@pytest.mark.parametrize("text", ["Oslo", "Case=Nom", "PER_X", "LOC_X", "my_relation"])
def test_a_string_that_is_missing_is_an_error_with_file_and_document(tmp_path, read, text):
    doc = doc_with()
    doc[2].dep_ = "my_relation"
    doc.set_ents([Span(doc, 0, 1, "PER_X")])
    doc.spans["sc"] = [Span(doc, 3, 4, "LOC_X")]
    first = Doc(NLP.vocab, words=["x"], heads=[0], deps=["ROOT"])
    path = file_of(tmp_path / "a.spacy", first, doc, change=without(text))
    if text == "my_relation" and read is read_docbin:  # which spans do not need
        assert len(read(path).documents) == 2
        return
    found = message_of(read, path)
    assert (
        found.startswith(f"{path}: document 2 is damaged (") and str(get_string_id(text)) in found
    )


def test_a_document_whose_string_is_missing_can_be_left_out(tmp_path):
    doc = doc_with()
    doc.set_ents([Span(doc, 0, 1, "PER_X")])
    path = file_of(tmp_path / "a.spacy", doc_with(), doc, change=without("PER_X"))
    corpus = read(path, on_error="skip")
    assert (len(corpus.documents), corpus.skipped) == (1, (1,))


def column(attribute, row, value):
    """A function that changes an attribute of a token."""

    def changed(message):
        table = np.frombuffer(message["tokens"], "uint64").copy()
        width = len(message["attrs"])
        table.reshape(-1, width)[row, message["attrs"].index(attribute)] = value
        message["tokens"] = table.tobytes()

    return changed


def grouped(spans):
    """A function that changes the spans of the packed group of a document."""

    def changed(message):
        ((packed, keys),) = srsly.msgpack_loads(message["span_groups"][0]).items()
        packed = srsly.msgpack_dumps(srsly.msgpack_loads(packed) | {"spans": spans})
        message["span_groups"] = [srsly.msgpack_dumps({packed: keys})]

    return changed


def span(start, end):
    numbers = (start, end, 0, 0)
    return bytes(24) + b"".join(n.to_bytes(4, "big", signed=True) for n in numbers)


NO_FILE, ONE = "this is no .spacy file, or one cut off or damaged; ", "document 1 is damaged"
DAMAGES = {
    "no map": (lambda m: m.clear(), NO_FILE),
    "no words": (lambda m: m["attrs"].remove(ORTH), NO_FILE),
    "no lengths": (lambda m: m.pop("lengths"), NO_FILE),
    "half a token": (lambda m: m.update(tokens=m["tokens"][:-4]), NO_FILE),
    "groups of text": (lambda m: m.update(span_groups=["x"]), ONE),
    "user data of numbers": (lambda m: m.update(user_data=[5]), ONE),
    "flags of text": (lambda m: m.update(flags=["x"]), ONE),
    "a word of nothing": (column(ORTH, 1, 0), ONE),
    "a head outside": (column(HEAD, 1, 99), ONE),
    "a mark that is none": (column(ENT_IOB, 2, 7), ONE),
    "an entity without a beginning": (column(ENT_IOB, 2, 1), ONE),
    "a label of no string": (column(ENT_TYPE, 0, 2**60), ONE),
    "a span outside": (grouped([span(2, 9)]), ONE),
    "a span before": (grouped([span(-1, 2)]), ONE),
    "a span the wrong way": (grouped([span(3, 1)]), ONE),
    "half a span": (grouped([b"x"]), ONE),
    "groups that are none": (lambda m: m.update(span_groups=[b"\x05"]), ONE),
    "user data that are none": (lambda m: m.update(user_data=[b"\x81"]), ONE),
}


@pytest.mark.parametrize(["change", "found"], DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_are_an_error_with_file_and_document(tmp_path, change, found):
    path = file_of(tmp_path / "a.spacy", doc_with(), change=change)
    message = message_of(read_docbin, path)
    assert message.startswith(f"{path}: {found}")
    assert message_of(treebank_of_docbin, path).startswith(f"{path}: {found}")
    with many_blocks(few=1, most=1, strict=False):
        assert message == message_of(score, path, path, metrics=defaults("span_f"))
