"""`.spacy` files that are damaged, or hold values that spans do not need."""

import zlib

import numpy as np
import pytest
import spacy
import srsly
from spacy.attrs import DEP, ENT_TYPE, HEAD, MORPH, ORTH
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


def test_the_advice_on_scores_helps(tmp_path):
    path = file_of(tmp_path / "a.spacy", doc_with({"y": 1.0, "x": None}))
    docs = list(DocBin().from_disk(path).get_docs(NLP.vocab))
    del docs[0].cats["x"]
    file_of(path, *docs)
    assert read(path).labelled_documents.spans("categories").labels == ("y",)


def test_cats_that_are_no_map_are_an_error(tmp_path):
    path = file_of(tmp_path / "a.spacy", doc_with(), change=lambda m: m.update(cats=[["x"]]))
    assert "document 1: 'cats' is [\"x\"]" in message_of(read, path)


# --- user data


def test_values_of_numpy_in_user_data_are_attributes(tmp_path):
    given = {"a": np.float32(0.5), "b": np.bool_(True), "c": np.int64(3), "d": np.array(2)}
    path = file_of(tmp_path / "a.spacy", doc_with(name="d1", **given))
    expected = {"a": 0.5, "b": True, "c": 3, "d": 2}
    for document in (read(path).documents[0], read_docs([doc_with(**given)], "a").documents[0]):
        assert document.attributes == expected
        assert {*map(type, document.attributes.values())} == {float, bool, int}


def test_a_name_of_numpy_is_a_text():
    (document,) = read_docs([doc_with(name=np.str_("d1"))], "a").documents
    assert type(document.name) is str and document.name == "d1"


# --- strings that are not there


def without(*strings):
    """A function that takes strings out of a message."""
    return lambda m: m.update(strings=[one for one in m["strings"] if one not in strings])


@pytest.mark.parametrize("read", [read_docbin, treebank_of_docbin], ids=["spans", "trees"])
@pytest.mark.parametrize(
    ["text", "kind"],
    [
        ("Oslo", "word"),
        ("Case=Nom", "morphology"),
        ("PER_X", "label of an entity"),
        ("LOC_X", "label of the group 'sc'"),
    ],
)
def test_a_string_that_is_missing_is_an_error_with_file_and_document(tmp_path, read, text, kind):
    doc = doc_with()
    doc.set_ents([Span(doc, 0, 1, "PER_X")])
    doc.spans["sc"] = [Span(doc, 3, 4, "LOC_X")]
    first = Doc(NLP.vocab, words=["x"], heads=[0], deps=["ROOT"])
    path = file_of(tmp_path / "a.spacy", first, doc, change=without(text))
    found = message_of(read, path)
    assert found.startswith(f"{path}: document 2 is damaged: a {kind} whose text is not among")
    assert str(get_string_id(text)) in found


def test_a_relation_that_is_missing_is_an_error_of_trees(tmp_path):
    doc = Doc(NLP.vocab, words=["a", "b"], heads=[0, 0], deps=["ROOT", "my_relation"])
    path = file_of(tmp_path / "a.spacy", doc, change=without("my_relation"))
    found = message_of(treebank_of_docbin, path)
    assert found.startswith(f"{path}: document 1 is damaged: a relation whose text")


def test_a_document_whose_string_is_missing_can_be_left_out(tmp_path):
    doc = doc_with()
    doc.set_ents([Span(doc, 0, 1, "PER_X")])
    path = file_of(tmp_path / "a.spacy", doc_with(), doc, change=without("PER_X"))
    corpus = read(path, on_error="skip")
    assert (len(corpus.documents), corpus.skipped) == (1, (1,))


# --- parts that do not fit each other


def numbers(name, kind, change):
    """A function that changes the numbers of a part of a message."""

    def changed(message):
        values = np.frombuffer(message[name], kind).copy()
        message[name] = change(values).tobytes()

    return changed


def added(values, at, number):
    values[at] += np.array(number).astype(values.dtype)
    return values


PARTS = {
    "no map": (lambda m: m.clear(), "'attrs' is no list of numbers"),
    "no words": (lambda m: m["attrs"].remove(ORTH), "no attributes of tokens"),
    "an attribute twice": (lambda m: m["attrs"].append(ORTH), "no attributes of tokens"),
    "an unknown attribute": (lambda m: m["attrs"].append(10**6), "no attributes of tokens"),
    "a text for attributes": (lambda m: m.update(attrs="ORTH"), "'attrs' is no list of numbers"),
    "a number among strings": (lambda m: m["strings"].append(5), "'strings' is no list of texts"),
    "no lengths": (lambda m: m.pop("lengths"), "'lengths' holds no whole numbers of 4 bytes"),
    "fewer tokens than stored": (
        numbers("lengths", "int32", lambda v: added(v, 0, -1)),
        "'tokens' has 52 values, but the lengths of documents ask for 39",
    ),
    "far more tokens": (
        numbers("lengths", "int32", lambda v: added(v, 0, 2**30)),
        "but the lengths of documents ask for",
    ),
    "negative lengths": (numbers("lengths", "int32", lambda v: v - 9), "has negative ones"),
    "half a token": (lambda m: m.update(tokens=m["tokens"][:-4]), "no whole numbers of 8 bytes"),
    "no spaces": (lambda m: m.update(spaces=b""), "'spaces' has 0 values"),
    "other spaces": (lambda m: m.update(spaces=b"\x05" * 4), "others than true and false"),
    "fewer cats": (lambda m: m.update(cats=[]), "'cats' has no entry for each of 1 documents"),
    "flags of text": (lambda m: m.update(flags=["x"]), "document 1: flags of another type"),
    "flags of arrays": (
        lambda m: m.update(flags=[{"has_unknown_spaces": np.zeros(2)}]),
        "document 1: flags of another type",
    ),
    "groups of text": (lambda m: m.update(span_groups=["x"]), "span groups of another type"),
    "user data of numbers": (lambda m: m.update(user_data=[5]), "user data of another type"),
}


@pytest.mark.parametrize(["change", "found"], PARTS.values(), ids=PARTS)
def test_parts_that_do_not_fit_are_an_error(tmp_path, change, found):
    path = file_of(tmp_path / "a.spacy", doc_with(), change=change)
    message = message_of(read_docbin, path)
    assert message.startswith(f"{path}: this is no .spacy file, or one cut off or damaged")
    assert found in message
    assert found in message_of(treebank_of_docbin, path)


def column(attribute, row, value):
    """A function that changes an attribute of a token."""

    def changed(message):
        table = np.frombuffer(message["tokens"], "uint64").copy()
        width = len(message["attrs"])
        table.reshape(-1, width)[row, message["attrs"].index(attribute)] = value
        message["tokens"] = table.tobytes()

    return changed


def grouped(**parts):
    """A function that changes the packed span group of a document."""

    def changed(message):
        ((packed, keys),) = srsly.msgpack_loads(message["span_groups"][0]).items()
        group = srsly.msgpack_loads(packed) | parts.get("group", {})
        packed = srsly.msgpack_dumps(group)
        message["span_groups"] = [srsly.msgpack_dumps({packed: parts.get("keys", keys)})]

    return changed


def span(start, end, label=0):
    return int(label).to_bytes(24, "big") + b"".join(
        n.to_bytes(4, "big", signed=True) for n in (start, end, 0, 0)
    )


VALUES = {
    "a word of nothing": (column(ORTH, 1, 0), "an empty word"),
    "a head outside": (column(HEAD, 1, 99), "a head outside of it"),
    "a head far away": (column(HEAD, 1, 2**31 - 1), "a head outside of it"),
    "a mark that is none": (
        lambda m: column(*mark_of_entity(m), 7)(m),
        "a mark of entities that is none of I, O, B",
    ),
    "an entity without a beginning": (
        lambda m: column(*mark_of_entity(m), 1)(m),
        "an entity that goes on without a beginning",
    ),
    "a label of no string": (column(ENT_TYPE, 0, 2**60), "a label of an entity whose text"),
    "a span outside": (grouped(group={"spans": [span(2, 9)]}), "a span outside of it"),
    "a span before": (grouped(group={"spans": [span(-1, 2)]}), "a span outside of it"),
    "a span the wrong way": (grouped(group={"spans": [span(3, 1)]}), "a span outside of it"),
    "half a span": (grouped(group={"spans": [b"x"]}), "its span groups cannot be read"),
    "spans of text": (grouped(group={"spans": "x"}), "its span groups cannot be read"),
    "a group of no name": (grouped(group={"name": None}), "its span groups cannot be read"),
    "a group of no keys": (grouped(keys=[]), "its span groups cannot be read"),
    "keys of numbers": (grouped(keys=[5]), "its span groups cannot be read"),
    "groups that are none": (lambda m: m.update(span_groups=[b"\x05"]), "cannot be read"),
    "user data that are none": (lambda m: m.update(user_data=[b"\x81"]), "cannot be read"),
    "user data of a list": (lambda m: m.update(user_data=[b"\x91\x01"]), "are no map"),
}


def mark_of_entity(message):
    """The attribute that marks entities, and the token whose mark is changed."""
    from spacy.attrs import ENT_IOB

    assert ENT_IOB in message["attrs"]
    return ENT_IOB, 2


@pytest.mark.parametrize(["change", "found"], VALUES.values(), ids=VALUES)
def test_values_that_spacy_cannot_use_are_an_error(tmp_path, change, found):
    path = file_of(tmp_path / "a.spacy", doc_with(), change=change)
    message = message_of(read_docbin, path)
    assert message.startswith(f"{path}: document 1 is damaged: ") and found in message
    with many_blocks(few=1, most=1, strict=False):
        assert message == message_of(score, path, path, metrics=defaults("span_f"))


def test_a_morphology_that_is_none_is_an_error_where_docs_are_made(tmp_path):
    change = column(MORPH, 1, get_string_id("slept"))
    path = file_of(tmp_path / "a.spacy", doc_with(), change=change)
    assert "the morphology 'slept', which is no FEATURE=VALUE" in message_of(
        treebank_of_docbin, path
    )


def test_a_second_column_of_heads_is_refused_before_spacy_follows_it(tmp_path):
    def change(message):
        table = np.frombuffer(message["tokens"], "uint64").reshape(4, -1)
        heads = np.full((4, 1), 2**30, "uint64")
        assert DEP in message["attrs"]  # spaCy follows heads where there are relations
        message["attrs"].append(HEAD)
        message["tokens"] = np.hstack([table, heads]).tobytes()

    path = file_of(tmp_path / "a.spacy", doc_with(), change=change)
    assert "no attributes of tokens" in message_of(treebank_of_docbin, path)
