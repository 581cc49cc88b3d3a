"""The annotation that each format cannot hold, and how much of it is counted."""

from dataclasses import replace

import pytest

from spacy_chance_eval.formats import Corpus, Document, FormatError
from spacy_chance_eval.formats.losses import TARGETS, reduced, sentences
from spacy_chance_eval.measures.spans import Copy

SPAN = (0, 1, "X")
TOKENS = "the tokens of 1 document"


def one(**fields):
    known = {"words": ("a", "b", "c"), "layers": {"spans": [SPAN]}, "name": "d"}
    return Corpus("x", [Document(**{**known, **fields})])


def said(**features):
    return {"features": {"spans": {SPAN: features}}}


def dropped(corpus, to, path="x", **options):
    """What is dropped, but for tokens and words that a format never has."""
    _, lost = reduced(corpus, to, path, **options)
    return ", ".join(sentences({k: n for k, n in lost.items() if k not in ("tokens", "words")}))


CASES = {
    "jsonl": [
        ({"attributes": {"id": 1, "x": {1}, "y": [1], 1: "x"}}, "3 attributes of documents"),
        ({"attributes": {"x": float("nan")}}, "1 attribute of a document"),
        (said(x={1}, y=("a",), z=float("nan"), n={1: 2}, ok=[1, {"a": None}]),
         "4 features of spans"),
        ({"size": 3}, "nothing"),
        ({"text": "other", "spaces": (True,) * 3}, "the spaces of 1 document"),
        ({"text": "other", "missing": [(0, 1)], "unplaced": {"spans": [(1, "X")]}}, ""),
    ],
    "conll": [
        ({"layers": {"spans": [(0, 2, "X"), (1, 3, "Y"), (0, 3, "Z")]}}, "2 overlapping spans"),
        ({"missing": [(0, 1)]}, "1 span over positions not annotated"),
        ({"unplaced": {"spans": [(1, "X")]}, **said(n=1)}, "1 feature of a span, 1 unplaced span"),
        ({"categories": {"spans": ["x"]}}, "the categories of 1 document"),
        ({"attributes": {"n": 1, "a=b": "c", "m": " a", "t": "a\tb", "ok": "a"}},
         "4 attributes of documents"),
        ({"attributes": {"n": "a"}, "sents": (0, 1)}, "1 attribute of a document"),
        ({"layers": {"spans": [(0, 2, "X")]}, "sents": (0, 1)}, "1 border of sentences in a span"),
        ({"layers": {"spans": None}}, "nothing"),
        ({"layers": {}}, "nothing"),
        ({"layers": {"a": (), "b": None}}, "1 layer that nobody annotated"),
        ({"layers": {"B-X": (), "token": (), "a\tb": (), "ok": ()}}, "the names of 3 layers"),
        ({"words": ("a\tb", "-DOCSTART-", "# id x", "ok")}, "3 tokens that columns cannot hold"),
        ({"layers": {"spans": [(0, 1, "=a "), (1, 2, "b\nc"), (2, 3, "a b")]}},
         "the spelling of 2 labels"),
        ({"name": "\n", "text": "a b c"}, "the spaces of 1 document, the name of 1 document"),
        ({"text": "abc", "words": ("a", "\n", "b", "c")},
         "the spaces of 1 document, 1 token that columns cannot hold"),
    ],
    "csv": [
        ({"missing": [(0, 1)], "unplaced": {"spans": [(1, "X")]}},
         "1 stretch without annotation, 1 unplaced span"),
        (said(f=(1,), size=1, **{" start ": 1}, ok=[1]), "3 features of spans"),
        ({"layers": {"spans": [(0, 1, "")], "": ()}},
         "the name of 1 layer, the spelling of 1 label"),
        ({"categories": {"spans": ["A"]}, "sents": (0, 1)},
         "the sentences of 1 document, the categories of 1 document"),
        ({"layers": {}, "categories": {"spans": ["A"]}}, ""),
    ],
    "prodigy": [
        ({"missing_in": {"spans": [(0, 1)]}}, "1 stretch without annotation"),
        ({"text": "other"}, "the text of 1 document"),
        ({"attributes": {"document": "x", "a": (1,), "ok": [1]}}, "2 attributes of documents"),
        ({"layers": {"ann": ()}, "attributes": {"answer": "accept"}}, "1 attribute of a document"),
        (said(label=1, a=(1,), ok=None), "2 features of spans"),
    ],
    "doccano": [
        ({"missing": [(0, 1)], "sents": (0, 2)},
         "the sentences of 1 document, 1 stretch without annotation"),
        ({"attributes": {"text": "x", "annotator": "y", 1: 2, "ok": None}},
         "3 attributes of documents"),
        (said(start_offset=1, x={1}, ok=1.5), "2 features of spans"),
    ],
    "labelstudio": [
        (said(x=True, y=float("inf"), z=None, ok="a"), "3 features of spans"),
        ({"attributes": {"text": "x", "ok": 1}}, "1 attribute of a document"),
        ({"categories": {"bob": ["c"]}}, "the categories of 1 document"),
        ({"categories": {"spans": []}}, "the categories of 1 document"),
        ({"categories": {"spans": ["c"]}}, ""),
    ],
    "brat": [
        ({"layers": {"spans": [(0, 1, "a b"), (1, 2, "c\u2003d"), (2, 3, "")]}},
         "the spelling of 3 labels"),
        (said(**{"a b": True}, a=False, b=1, c="", d="e\nf", ok=True, fine="x"),
         "5 features of spans"),
        ({"attributes": {"x": 1}}, "1 attribute of a document"),
        ({"layers": {"a": [SPAN], "b": [SPAN, (1, 2, "X")]}},
         "the name of 1 layer, 2 spans of the layer 'b'"),
        ({"name": "../x"}, "the name of 1 document"),
    ],
    "cas": [
        (said(a=[1], b=None, c=2**70, value="x", **{"a-b": 1}, ok=1), "5 features of spans"),
        ({"words": ("\x01", "b", "c"), **said(x="\x02")}, "1 character that XML cannot hold"),
        ({"layers": {"spans": [(0, 1, "\x01")]}}, "the spelling of 1 label"),
        ({"layers": {"spans": None}}, "nothing"),
    ],
    "gate": [
        ({"layers": {"Original markups": [(0, 1, "Token")], "bob": None}},
         "1 layer that nobody annotated, the name of 1 layer, the spelling of 1 label"),
        ({"attributes": {"a": None, "b": [1], "ok": 1}}, "2 attributes of documents"),
    ],
    "tagged": [
        ({"attributes": {"ner_tags": "x", "text": "y", "ok": 1}, "sents": (0, 1)},
         "the sentences of 1 document, 2 attributes of documents"),
        ({"missing": [(1, 2)]}, "1 stretch without annotation"),
    ],
    "webanno": [
        (said(value="x", n=1, ok="a", **{"a b": "c"}), "3 features of spans"),
        ({"layers": {"spans": None, "a:b": ()}, "name": "x y"},
         "that 1 layer was not annotated, the name of 1 layer, the name of 1 document"),
        ({"words": ("a", "\n", "-DOCSTART-")}, "1 token that columns cannot hold"),
        ({"words": ("\t",), "layers": {"spans": ()}}, "nothing"),
        ({"layers": {"spans": None}}, "nothing"),
    ],
    "spacy": [
        ({"attributes": {"name": "x", "a": [1], "ok": 1}}, "2 attributes of documents"),
        ({"categories": {"a": ["x"], "b": ["y"]}}, "the categories of 1 document"),
        ({"text": "a  b c"}, "the text of 1 document"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("to", "fields", "found"),
    [(to, *case) for to, cases in CASES.items() for case in cases],
    ids=[f"{to}-{i}" for to, cases in CASES.items() for i in range(len(cases))],
)
def test_what_a_format_has_no_place_for_is_counted(to, fields, found):
    if found == "nothing":
        with pytest.raises(FormatError, match="nothing is left to write"):
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


def test_of_features_of_several_kinds_uima_gets_the_first():
    spans = [(0, 1, "X"), (1, 2, "X")]
    features = {"spans": {span: {"n": value} for span, value in zip(spans, [1, "a"])}}
    left, lost = reduced(one(layers={"spans": spans}, features=features), "cas", "x")
    assert sentences(lost) == ["1 feature of a span"]
    assert left.documents[0].features["spans"] == {spans[0]: {"n": 1}}


def test_further_annotations_are_counted_but_for_formats_that_have_them():
    copies = [Copy({"a": "x", "b": [1]}, counted=True), Copy({"a": "y"})]
    corpus = one(copies={"spans": {SPAN: copies}})
    left, lost = reduced(corpus, "gate", "x")
    assert sentences(lost) == ["1 feature of a span", "1 further annotation of a span"]
    assert left.documents[0].copies["spans"][SPAN] == (Copy({"a": "x"}, True),)
    assert dropped(corpus, "webanno") == "1 feature of a span"
    assert dropped(corpus, "brat") == "2 further annotations of spans"


def test_a_format_of_tokens_says_how_to_make_some():
    corpus = Corpus("x", [Document((), {"spans": ()}, text="a")], "char")
    with pytest.raises(FormatError, match="conll needs tokens; --tokenizer LANG"):
        reduced(corpus, "conll", "x")


def test_documents_that_would_be_one_get_names():
    some = [Document(("a",), {who: [SPAN]}) for who in ("ann", "bob")]
    left, _ = reduced(Corpus("x", some), "doccano", "x")
    assert [document.name for document in left.documents] == ["1", "2"]
    same = [Document(("a",), {"ann": [SPAN]}, name="n")] * 2
    left, lost = reduced(Corpus("x", same), "doccano", "x")
    assert [document.name for document in left.documents] == ["n", "n (2)"]
    assert "the name of 1 document" in sentences(lost)


def test_documents_that_were_not_annotated_are_left_out_of_webanno():
    idle = one(name="b", layers={"spans": None}).documents
    left, lost = reduced(replace(one(), documents=(*one().documents, *idle)), "webanno", "x")
    assert len(left.documents) == 1 and dict(+lost) == {"unseen": 1}
