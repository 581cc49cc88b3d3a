import random
from functools import partial

import pytest

from helpers.cases import each_case
from spacy_chance_eval import formats
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.measures.spans import Copy

NER = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value"
ADA = ("1-1\t0-3\tAda", "1-2\t4-9\tByron", "1-3\t10-15\tslept")


def webanno(headers, cells, tokens=ADA, text="Ada Byron slept"):
    lines = ["#FORMAT=WebAnno TSV 3.3", *headers, "", "", f"#Text={text}"]
    return "\n".join([*lines, *(f"{one}\t{cell}\t" for one, cell in zip(tokens, cells)), ""])


read_webanno = partial(formats.read, format="webanno")


@pytest.fixture
def reading(tmp_path):
    def read(text, name="a.tsv", **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return read_webanno(path, **options)

    return read


def test_spans_words_and_text_are_read(reading):
    corpus = reading(webanno([NER], ["PER[1]", "PER[1]", "_"]))
    (document,) = corpus.documents
    assert corpus.positions == "token"
    assert (document.name, document.words, document.sents) == ("a", ("Ada", "Byron", "slept"), (0,))
    assert (document.text, document.spaces) == ("Ada Byron slept", (True, True, False))
    assert document.layers == {"NamedEntity": ((0, 2, "PER"),)}


SPAN, TWO = "#T_SP=x.Span|", "#T_SP=x.Span|value|b"
OTHER = [SPAN, "#T_SP=y.Other|b"]
# headers, cells, options, spans by layer, features of those of the layer Span
READ = [
    ([NER], ["PER", "PER", "_"], {}, {"NamedEntity": [(0, 1, "PER"), (1, 2, "PER")]}, {}),
    ([NER], ["PER[1]|ORG[2]", "PER[1]", "_"], {},
     {"NamedEntity": [(0, 1, "ORG"), (0, 2, "PER")]}, {}),
    ([NER], ["PER[1]", "_", "PER[1]"], {}, {"NamedEntity": [(0, 3, "PER")]}, {}),
    ([NER], ["PER[1]", "PER[1]\t_\t_", "_\t_\t_"], {}, {"NamedEntity": [(0, 2, "PER")]}, {}),
    ([NER], ["a\\|b\\_c\\\\", "\\*", "x\\->y\\[1\\]\\n"], {},
     {"NamedEntity": [(0, 1, "a|b_c\\"), (1, 2, "*"), (2, 3, "x->y[1]\n")]}, {}),
    ([NER], ["a\\\\[1]", "a\\\\[1]", "a\\\\|b"], {},
     {"NamedEntity": [(0, 2, "a\\"), (2, 3, "a\\"), (2, 3, "b")]}, {}),
    ([NER], ["_", "_", "_"], {}, {"NamedEntity": []}, {}),
    ([SPAN + "identifier|sure|value"], ["Q1\tyes\tPER", "_\t_\t_", "*\t*\tLOC"], {},
     {"Span": [(0, 1, "PER"), (2, 3, "LOC")]},
     {(0, 1, "PER"): {"identifier": "Q1", "sure": "yes"}}),
    ([SPAN + "identifier|label"], ["Q1\tPER", "_\t_", "Q2\t*"], {},
     {"Span": [(0, 1, "Q1"), (2, 3, "Q2")]}, {(0, 1, "Q1"): {"label": "PER"}}),
    ([SPAN + "a|b"], ["A\t_", "*\tB", "_\t_"], {},
     {"Span.a": [(0, 1, "A")], "Span.b": [(1, 2, "B")]}, {}),
    ([SPAN + "a|b"], ["A\tB", "_\t_", "_\t_"], {"label": "b"}, {"Span": [(0, 1, "B")]},
     {(0, 1, "B"): {"a": "A"}}),
    (OTHER, ["*\t_", "_\tB", "_\t_"], {"type": "Span"}, {"Span": [(0, 1, "Span")]}, {}),
    (OTHER, ["*\t_", "_\tB", "_\t_"], {"type": "y.Other"}, {"Other": [(1, 2, "B")]}, {}),
    (OTHER, ["*\t_", "_\tB", "_\t_"], {"type": "Absent", "label": "c"}, {"Absent": []}, {}),
    ([TWO], ["A[1]|B[2]\tx[2]", "A[1]\t_", "_\t_"], {},
     {"Span": [(0, 1, "B"), (0, 2, "A")]}, {(0, 1, "B"): {"b": "x"}}),
    ([TWO], ["A[1]|B[2]\tx[2]|y[1]", "A[1]\ty[1]", "_\t_"], {},
     {"Span": [(0, 1, "B"), (0, 2, "A")]}, {(0, 1, "B"): {"b": "x"}, (0, 2, "A"): {"b": "y"}}),
    ([TWO], ["A[1]\tx[2]", "A[1]|B[2]\tx[2]", "B[2]\tx[2]"], {},
     {"Span": [(0, 2, "A"), (0, 3, "B")]}, {(0, 3, "B"): {"b": "x"}}),
]  # fmt: skip


@each_case("headers, cells, options, layers, features", READ)
def test_layers_values_and_features(reading, headers, cells, options, layers, features):
    (document,) = reading(webanno(headers, cells), **options).documents
    assert document.layers == {name: tuple(spans) for name, spans in layers.items()}
    assert document.features.get("Span", {}) == features


@each_case(
    "headers, cells, options, message",
    [
        ([SPAN + "identifier|value"], ["Q\tP", "_\t_", "Q2\t*"], {}, "Span has no value"),
        ([SPAN + "a|b"], ["A\t_"] + ["_\t_"] * 2, {"label": "c"}, "no feature 'c'; there are a, b"),
        (
            [SPAN + "a|value"],
            ["A|B\tP"] + ["_\t_"] * 2,
            {},
            ":6: 1 and 2 values in the columns of x.Sp",
        ),
    ],
)
def test_layers_that_are_refused(reading, headers, cells, options, message):
    with pytest.raises(FormatError, match=message):
        reading(webanno(headers, cells), **options)


def test_chains_are_a_layer_and_relations_a_note(reading):
    headers = [
        "#T_SP=x.Host|ROLE_x.Host:links_x.Link|x.Span",
        "#T_CH=x.Coref|referenceRelation|referenceType",
        "#T_RL=x.Arc|kind|BT_x.Span",
    ]
    corpus = reading(
        webanno(
            headers,
            [
                "p1;p2\t1-1[1];1-2\t*->1-1\tpr[1]\t_\t_",
                "_\t_\t*->1-1\tpr[1]\tsubj|*\t1-1[0_1]|1-3",
                "_\t*\tanaphor->1-2\t*[1]\t_\t_",
            ],
        )
    )
    (document,) = corpus.documents
    assert document.layers == {
        "Host": ((0, 1, "Host"), (2, 3, "Host")),
        "Coref": ((0, 2, "pr"), (2, 3, "Coref")),
    }
    said = {"chain": "1", "referenceRelation": "anaphor"}
    assert document.features["Coref"] == {(0, 2, "pr"): {"chain": "1"}, (2, 3, "Coref"): said}
    assert corpus.notes.counts == {"relations": 4}


def test_offsets_count_utf_16_units(reading):
    tokens = ["1-1\t0-2\t\U0001f680", "2-1\t4-5\ta", "2-2\t5-6\tb"]
    lines = webanno([NER], ["_", "PER[1]", "PER[1]"], tokens, "\U0001f680").split("\n")
    (document,) = reading("\n".join([*lines[:6], "", "#Text=ab", *lines[6:]])).documents
    assert document.text == "\U0001f680  ab"
    assert (document.sents, document.layers) == ((0, 1), {"NamedEntity": ((1, 3, "PER"),)})


def test_offsets_that_fit_no_text_leave_the_words(reading):
    tokens = ["1-1\t0-1\t\U0001f680", "2-1\t1-2\ta", "2-2\t1-2\tb"]
    (document,) = reading(webanno([NER], ["_", "PER[1]", "PER[1]"], tokens, "ab")).documents
    assert (document.text, document.layers) == (None, {"NamedEntity": ((1, 3, "PER"),)})


def test_a_part_of_a_token_is_unplaced_in_predictions(reading):
    tokens = [*ADA, "1-3.1\t10-12\tsl"]
    text = webanno([NER], ["_", "_", "_", "PER"], tokens)
    (document,) = reading(text, misaligned="unplaced").documents
    assert document.unplaced == {"NamedEntity": ((1, "PER"),)}
    with pytest.raises(FormatError, match=":9: a span PER over a part of a token; move it"):
        reading(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#FORMAT=WebAnno TSV 3.3", "#FORMAT=WebAnno TSV 2", ":1: no first line"),
        ("#T_SP=", "#T_XX=", ":2: a line '#T_XX"),
        ("1-2\t4-9\tByron\t_\t", "1-2\t4-9\tByron", ":7: 3 columns, where the header has 4"),
        ("1-2\t4-9", "1-2\t9-4", ":7: a line that begins with '1-2 9-4 Byron'"),
        ("1-2\t", "1.2\t", ":7: a line that begins with '1.2 4-9 Byron'"),
        ("1-2\t4-9", "1-1.1\t3-9", r":7: a part \[3, 9\) outside of any token"),
        ("PER", "*", ":6: an annotation of NamedEntity has no value; fill it in"),
        ("1-1\t0-3\tAda\tPER", "1-1\t0-3\tAda\t_\n1-1.1\t0-0\t\tPER", ":7: a span PER of length 0"),
    ],
    ids=["version", "header", "columns", "offsets", "number", "part", "label", "zero"],
)
def test_what_is_wrong_is_said_with_its_line(reading, old, new, message):
    sound = webanno([NER], ["PER", "_", "_"])
    with pytest.raises(FormatError, match=r"a\.tsv" + message):
        reading(sound.replace(old, new))


def test_blemishes_can_be_left_out(tmp_path):
    text = webanno([NER], ["PER[1]", "PER[1]", "*"])
    (tmp_path / "a.tsv").write_text(text + "1-4\t16-17\n")
    corpus = formats.read(tmp_path / "a.tsv", on_error="skip:.5")
    assert corpus.documents[0].layers == {"NamedEntity": ((0, 2, "PER"),)}
    assert corpus.notes.signed() == {"skipped": "1/4 lines+1/2 spans"}


CHAIN = ["#T_CH=x.Coref|referenceRelation|referenceType"]


@pytest.mark.parametrize(
    ("headers", "cells", "layers", "gaps", "skipped"),
    [
        ([TWO], ["A[1]|B[1]\tx[1]", "A[1]\tx[1]", "C\t*"], {"Span": ((2, 3, "C"),)}, [],
         "1/2 spans"),
        ([TWO], ["A[1]\tx[1]", "A[1]|D[1]|B[2]\tx[1]", "B[2]|C[3]\t_"],
         {"Span": ((2, 3, "C"),)}, [], "2/3 spans"),
        ([TWO], ["A|B\tx", "C\t*", "_\t_"], {"Span": ((1, 2, "C"),)}, [(0, 1)], "1/3 tokens"),
        ([TWO], ["A[1]|B\tx[1]", "A[1]\tx[1]", "C\t*"], {"Span": ((2, 3, "C"),)}, [(0, 1)],
         "1/2 spans+1/3 tokens"),
        ([TWO], ["A[1]\tx[1]\tz", "A[1]\tx[1]", "C\t*"], {"Span": ((1, 2, "C"),)}, [],
         "1/3 lines+1/2 spans"),
        (CHAIN, ["*->1-1\tA[1]|B[2]", "*->1-1\tA[1]", "*->1-2\tC[1]"], {"Coref": ((2, 3, "C"),)},
         [(0, 1)], "1/2 spans+1/3 tokens"),
        (["#T_SP=x.Span|a|b"], ["A|B\tx", "_\t_", "_\t_"], {"Span.a": (), "Span.b": ()}, [(0, 1)],
         "1/3 tokens"),
    ],
    ids=["known", "two", "unknown", "one unknown", "whole line", "chain", "several features"],
)  # fmt: skip
def test_a_line_that_is_left_out_cuts_no_span(tmp_path, headers, cells, layers, gaps, skipped):
    (tmp_path / "a.tsv").write_text(webanno(headers, cells))
    corpus = formats.read(tmp_path / "a.tsv", on_error="skip:1")
    (document,) = corpus.documents
    assert document.layers == layers
    assert {layer: [*document.gaps(layer)] for layer in layers} == dict.fromkeys(layers, gaps)
    assert corpus.notes.signed()["skipped"] == skipped


@pytest.mark.parametrize("name", ["a.tsv", "a.txt", "a.conll"])
def test_it_is_recognised_by_its_first_line(tmp_path, reading, name):
    reading(webanno([NER], ["PER", "_", "_"]), name)
    assert formats.format_of(tmp_path / name) == "webanno"
    assert formats.read(tmp_path / name).layer_names == ("NamedEntity",)


def test_a_layer_that_one_file_of_a_folder_lacks_has_no_spans_there(tmp_path, reading):
    reading(webanno([NER], ["PER", "_", "_"]), "docs/a.tsv")
    reading(webanno([], ["", "", ""]), "docs/b.tsv")
    corpus = formats.read_folder(tmp_path / "docs")
    assert [one.layers["NamedEntity"] for one in corpus.documents] == [((0, 1, "PER"),), ()]


def test_a_folder_named_like_a_file_names_the_document(reading):
    assert reading(webanno([NER], ["PER", "_", "_"]), "one.txt/anna.tsv").documents[0].name == "one"


NOTES = "#T_SP=webanno.custom.notes|value|value-2|why"
FIRST = ("1-1\t0-3\tAda", "1-2\t4-7\tmet", "1-3\t8-10\t\U0001f680")
NAMES = (r"A\|B[1]|\*[2]", r"\*[2]|x\->y\[1\][3]", r"\*[2]")
WHOLE = webanno([NER, NOTES], [f"{one}\t_\t_\t_" for one in NAMES], FIRST, "Ada met \U0001f680")
WHOLE += r"""
#Text=-> *
2-1	11-13	->	_	\_[4]	1[4]	a\nb[4]
2-2	14-15	*	_	\_[4]|\\[5]|\\[6]	1[4]|*[5]|*[6]	a\nb[4]|*[5]|c\;d[6]
"""


def test_escapes_stand_for_the_signs_of_the_format(reading):
    (one,) = reading(WHOLE).documents
    assert (one.words, one.sents) == (("Ada", "met", "🚀", "->", "*"), (0, 3))
    assert one.text == "Ada met 🚀 -> *"
    assert one.layers == {
        "NamedEntity": ((0, 1, "A|B"), (0, 3, "*"), (1, 2, "x->y[1]")),
        "notes": ((3, 5, "_"), (4, 5, "\\")),
    }
    assert one.features == {"notes": {(3, 5, "_"): {"value-2": "1", "why": "a\nb"}}}
    assert one.copies == {"notes": {(4, 5, "\\"): (Copy({"why": "c;d"}),)}}


def test_damaged_files_raise_nothing_but_format_errors(tmp_path):
    sound = WHOLE.encode()
    rng = random.Random(17)
    for _ in range(300):
        data = bytearray(sound)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 3)] = rng.choice(
                [b"\t", b"\n", b"|", b"[9]", b"_", b"*", b"-", b".1", b"\\", b"#", b"\xff", b"999"]
            )
        (tmp_path / "a.tsv").write_bytes(data)
        try:
            corpus = formats.read_file(tmp_path / "a.tsv", format="webanno", role="pred")
        except FormatError:
            continue
        for layer in corpus.layer_names:
            corpus.spans(layer)
