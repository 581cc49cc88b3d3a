"""The annotation that each format cannot hold, and how much of it is counted."""

import re

import pytest

from spacy_chance_eval.formats import Corpus, Document, FormatError
from spacy_chance_eval.formats.losses import TARGETS, reduced, sentences
from spacy_chance_eval.measures.spans import Copy

SPAN = (0, 1, "X")


def one(**fields):
    known = {"words": ("a", "b", "c"), "layers": {"spans": [SPAN]}, "name": "d"}
    return Corpus("x", [Document(**{**known, **fields})])


def said(**features):
    return {"features": {"spans": {SPAN: features}}}


def dropped(corpus, to, path="x", **options):
    """What is dropped."""
    _, lost = reduced(corpus, to, path, **options)
    return ", ".join(sentences(lost))


CASES = {
    "jsonl": [
        ({"attributes": {"id": 1, "x": {1}, "y": [1], 1: "x"}}, "3 attributes of documents"),
        ({"attributes": {"x": float("nan")}}, "1 attribute of a document"),
        (said(x={1}, y=("a",), z=float("nan"), n={1: 2}, ok=[1, {"a": None}]),
         "4 features of spans"),
        ({"size": 3}, "nothing"),
        ({"text": "other", "spaces": (True,) * 3}, ""),
        ({"text": "other", "missing": [(0, 1)], "unplaced": {"spans": [(1, "X")]}}, ""),
    ],
    "conll": [
        ({"layers": {"spans": [(0, 2, "X"), (1, 3, "Y"), (0, 3, "Z")]}}, "2 overlapping spans"),
        ({"missing": [(0, 1)]}, "1 span over positions not annotated"),
        ({"unplaced": {"spans": [(1, "X")]}, **said(n=1)}, "1 feature of a span, 1 unplaced span"),
        ({"categories": {"spans": ["x"]}}, "the categories of 1 document"),
        ({"attributes": {"n": 1, "a": "b"}}, "2 attributes of documents"),
        ({"layers": {"spans": [(0, 2, "X")]}, "sents": (0, 1)}, "1 sentence boundary in a span"),
        ({"layers": {"spans": None}}, "nothing"),
        ({"layers": {}}, "nothing"),
        ({"layers": {"a": (), "b": None}}, ""),
        ({"layers": {"a\tb": ()}}, "the layer 'a\\tb'; rename it"),
        ({"words": ("a\tb", "-DOCSTART-", "# id x", "ok")},
         "3 tokens that columns cannot hold, written as _"),
        ({"layers": {"spans": [(1, 2, "b\nc"), (2, 3, "a b")]}}, "the label 'b\\nc'; rename it"),
        ({"name": "\n", "text": "a b c"}, ""),
        ({"text": "abc", "words": ("a", "\n", "b", "c")},
         "1 token that columns cannot hold, written as _"),
    ],
    "prodigy": [
        ({"missing_in": {"spans": [(0, 1)]}}, "1 stretch without annotation"),
        ({"text": "other"}, ""),
        ({"attributes": {"document": "x", "a": (1,), "ok": [1]}}, "2 attributes of documents"),
        (said(label=1, a=(1,), ok=None), "2 features of spans"),
    ],
    "tagged": [
        ({"attributes": {"ner_tags": "x", "text": "y", "ok": 1}, "sents": (0, 1)},
         "the sentences of 1 document, 2 attributes of documents"),
        ({"missing": [(1, 2)]}, "1 stretch without annotation"),
    ],
    "spacy": [
        ({"attributes": {"name": "x", "a": [1], "ok": 1}}, "2 attributes of documents"),
        ({"categories": {"a": ["x"], "b": ["y"]}}, "the categories of 1 document"),
        ({"text": "a  b c"}, ""),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("to", "fields", "found"),
    [(to, *case) for to, cases in CASES.items() for case in cases],
    ids=[f"{to}-{i}" for to, cases in CASES.items() for i in range(len(cases))],
)
def test_what_a_format_has_no_place_for_is_counted(to, fields, found):
    if found == "nothing" or "rename" in found:
        with pytest.raises(FormatError, match="nothing is left to write|" + re.escape(found)):
            dropped(one(**fields), to)
    else:
        assert dropped(one(**fields), to, main="spans") == found


@pytest.mark.parametrize("to", TARGETS)
def test_nothing_is_dropped_twice(to):
    fields = {
        **said(a=[1], b=1, ok="x"),
        "attributes": {"x": [1]},
        "unplaced": {"spans": [(1, "Y")]},
    }
    left, _ = reduced(one(**fields, missing=[(1, 2)], text="a b c"), to, "x", main="spans")
    again, lost = reduced(left, to, "x", main="spans")
    assert (again, sentences(lost)) == (left, [])


def test_further_annotations_are_counted():
    corpus = one(copies={"spans": {SPAN: [Copy({"a": "x"}, counted=True), Copy({"a": "y"})]}})
    assert dropped(corpus, "jsonl") == "2 further annotations of spans"


def test_a_format_of_tokens_says_how_to_make_some():
    corpus = Corpus("x", [Document((), {"spans": ()}, text="a")], "char")
    with pytest.raises(FormatError, match="conll needs tokens; --read tokenizer=LANG"):
        reduced(corpus, "conll", "x")


def test_documents_that_would_be_one_get_names():
    some = [Document(("a",), {who: [SPAN]}) for who in ("ann", "bob")]
    left, _ = reduced(Corpus("x", some), "prodigy", "x")
    assert [document.name for document in left.documents] == ["1", "2"]
    same = [Document(("a",), {"ann": [SPAN]}, name="n")] * 2
    left, _ = reduced(Corpus("x", same), "prodigy", "x")
    assert [document.name for document in left.documents] == ["n", "n (2)"]
