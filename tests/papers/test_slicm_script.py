"""The tables of Amigó et al. (2025) by scripts/papers/slicm.py; Table 4 and properties of spans."""

import json

import pytest
from hypothesis import given

from helpers.cases import each_case
from helpers.properties import METRICS, properties
from helpers.published import rows
from helpers.scripts import cells, ran, script
from helpers.strategies import pairs
from spacy_chance_eval import Spans, evaluate, read

slicm = script("slicm")
RESULT = slicm.tables_of_paper()
COLUMNS = {"span_f": "Span F", "token_io": "IO", "token_bioe": "BIOE", "link": "Link"}
COLUMNS |= {"bcubed": "BCubed", "int_f": "Int-F", "slicm": "SL-ICM"}
LABELS = {"Span F": "Span F", "Token F, IO": "IO", "Token F, BIOE": "BIOE", "Link F": "Link"}
LABELS |= {name: name for name in ("BCubed", "Int-F", "SL-ICM")}
ROWS = [
    {"tokens": list("abcdefgh"), "spans": [[0, 2, "P"], [3, 7, "Q"]]},
    {"tokens": list("ghij"), "spans": [[1, 2, "P"], [2, 3, "P"]]},
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    found = [
        {**row, "spans": [dict(zip(("start", "end", "label"), s)) for s in row["spans"]]}
        for row in ROWS
    ]
    path.write_text("\n".join(map(json.dumps, found)))
    return path


@each_case("row", rows("slicm_table3.csv"))
def test_every_printed_value_of_table_3_is_the_one_of_the_paper(row):
    for side in "AB":
        found = cells(RESULT, "table3")[f"{row['property']}, {side}"][COLUMNS[row["column"]]]
        assert float(found["printed"]) == float(row[side]) and "why" not in found


def test_the_examples_are_those_of_table_2():
    found = cells(RESULT, "table2")
    for row in rows("slicm_table2.csv"):
        own = found[row["property"]]
        assert [own[side]["value"] for side in ("gold", "A", "B")] == [
            row[side] for side in ("gold", "A", "B")
        ]
    assert [*found] == [*cells(RESULT, "properties")] and len(found) == 11


@each_case("name", LABELS)
def test_properties_are_those_of_the_page_about_spans(name):
    found = cells(RESULT, "properties")
    for row, says in properties(METRICS[name]).items():
        assert found[row][LABELS[name]]["value"] == says


def test_only_information_of_words_has_the_eleventh_property():
    row = cells(RESULT, "properties")["token informativeness"]
    assert {name: one["value"] for name, one in row.items() if one["value"] != "no"} == {
        "SL-ICM, corpus": "yes"
    }
    one, two = cells(RESULT, "words").values()
    assert one["SL-ICM, corpus"]["value"] > two["SL-ICM, corpus"]["value"]


# --- a corpus


def on(path, metrics=()):
    return slicm.tables_of_corpus(slicm.read_spans(str(path)), metrics)


def test_table_4_has_scores_of_transformed_spans(path):
    gold = read(path).spans("spans")
    found = cells(on(path), "table4")
    for name, (spans, n_changed) in slicm.transformations(gold).items():
        scores = evaluate(gold, spans, slicm.requests_of(slicm.METRICS))
        values = [found[name][key]["value"] for key in slicm.METRICS]
        assert values == [score.headline for score in scores.values()]
        assert found[name]["changed"]["value"] == n_changed


def test_properties_are_the_shares_of_documents(path):
    gold = read(path).spans("spans")
    result = on(path, ["span_f", "slicm_norm"])
    held, against = cells(result, "properties"), cells(result, "against")
    for name, contrast in slicm.contrasts(gold).items():
        documents = [gold.name(doc) for doc in contrast.docs]
        assert held[name]["n"]["value"] == len(documents)
        for metric in ("span_f(chance=none)", "slicm_norm"):
            one, two = (
                evaluate(contrast.gold, side, [metric], per_doc=True)[metric].per_doc
                for side in (contrast.better, contrast.worse)
            )
            higher = [one[key]["observed"] - two[key]["observed"] for key in documents]
            column = metric.partition("(")[0]
            for table, sign in ((held, 1), (against, -1)):
                share = (
                    sum(sign * value > 1e-9 for value in higher) / len(higher) if higher else None
                )
                assert table[name][column]["value"] == share


def test_metrics_that_refuse_what_is_made_have_no_value(path):
    found = cells(on(path, ["u_alpha"]), "table4")
    assert found["split"]["u_alpha"]["value"] is not None
    assert found["+1 token"]["u_alpha"]["value"] is None  # two spans of a label overlap


@each_case(
    ("row", "message"),
    [
        ({"tokens": ["a"], "spans": []}, "no spans, which transformations need"),
        (
            {"tokens": ["a", "b", "c"], "spans": [{"fragments": [[0, 1], [2, 3]], "label": "P"}]},
            "cannot take discontinuous spans",
        ),
    ],
)
def test_what_cannot_be_transformed_is_refused(tmp_path, row, message):
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    with pytest.raises(ValueError, match=message):
        on(tmp_path / "a.jsonl")


def test_rows_without_tokens_are_read(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "Ada met Bo", "spans": [[0, 3, "PER"]]}')
    assert ran("slicm", tmp_path / "a.jsonl", "--only", "table4") is None


def test_unknown_metrics_are_refused(path):
    with pytest.raises(ValueError, match="span_g"):
        on(path, ["span_g"])


# --- transformations and properties of some spans


def spans_of(text, size=12, words=None, stretches=None):
    """Of words such as "a0-2", in one document."""
    rows = [(*map(int, word[1:].split("-")), word[0]) for word in text.split()]
    return Spans.from_tuples([rows], [size], "ab", words=words, stretches=stretches)


def text_of(spans):
    columns = zip(spans.start.tolist(), spans.end.tolist(), spans.label.tolist(), strict=True)
    return " ".join(f"{spans.labels[label]}{start}-{end}" for start, end, label in columns)


# of a0-1 a2-4 b5-9 in twelve tokens; the third begins and ends a token later than in the examples
CHANGES = {
    "split": ("a0-1 a2-3 a3-4 b5-7 b7-9", 2),
    "maximum overlap": ("a0-1 a3-5 b6-10", 2),
    "minimum overlap": ("a0-1 a3-5 b8-12", 2),
    "long truncation": ("a0-1 a2-4 b5-8", 1),
    "short truncation": ("a0-1 a2-3 b5-9", 1),
    "long extension": ("a0-1 a2-4 b5-10", 1),
    "short extension": ("a0-1 a2-5 b5-9", 1),
    "-1 token": ("a0-1 a2-3 b5-8", 2),
    "-2 tokens": ("a0-1 a2-3 b5-7", 2),
    "-3 tokens": ("a0-1 a2-3 b5-6", 2),
    "+1 token": ("a0-2 a2-5 b5-10", 3),
    "+2 tokens": ("a0-3 a2-6 b5-11", 3),
    "+3 tokens": ("a0-4 a2-7 b5-12", 3),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_transformation_does(name):
    spans, n_changed = slicm.transformations(spans_of("a0-1 a2-4 b5-9"))[name]
    assert (text_of(spans), n_changed) == CHANGES[name]


def test_these_are_all_transformations():
    assert [*slicm.transformations(spans_of("a0-1"))] == [*CHANGES]


def test_what_leaves_the_document_is_cut_off():
    found = slicm.transformations(spans_of("a2-4", size=4))
    assert {name: (text_of(found[name][0]), found[name][1]) for name in ("+1 token", "split")} == {
        "+1 token": ("a2-4", 0),
        "split": ("a2-3 a3-4", 1),
    }
    assert text_of(found["maximum overlap"][0]) == "a3-4"


MISSING = [(0, 0, 3), (0, 3, 5), (0, 7, 12)]  # positions 5 and 6 are not annotated


def test_what_leaves_the_annotated_tokens_is_cut_off():
    found = slicm.transformations(spans_of("a2-4 b8-9", stretches=MISSING))
    assert {name: text_of(found[name][0]) for name in ("+1 token", "+3 tokens")} == {
        "+1 token": "a2-5 b8-10",
        "+3 tokens": "a2-5 b8-12",
    }


@each_case(
    ("name", "text", "expected"),
    [
        ("noise", "a2-4", None),
        ("noise", "a2-4 a8-10", ("a2-4 a8-11", "a2-4 a8-12")),
        ("wrong sequence", "a2-5", ("a2-5", "a2-5 a7-10")),
    ],
)
def test_no_prediction_takes_a_token_that_is_not_annotated(name, text, expected):
    found = slicm.contrasts(spans_of(text, stretches=MISSING))[name]
    assert (text_of(found.better), text_of(found.worse)) == (expected or (text, text))
    assert len(found.docs) == (expected is not None)


def test_equally_many_long_and_short_spans_are_changed():
    spans = spans_of("a0-2 b2-4 a4-6 b6-10")
    found = slicm.transformations(spans)
    assert text_of(found["short truncation"][0]) == "a0-1 b2-4 a4-6 b6-10"
    assert [found[f"{size} truncation"][1] for size in ("long", "short")] == [1, 1]


def test_equal_spans_are_one():
    assert text_of(slicm.edited(spans_of("a0-2 a1-2"), {0: [(1, 2)]}, [(0, 1, 2, 0)])) == "a1-2"


# of an annotation: gold, the better and the worse prediction; None: no document allows it
CONTRASTS = [
    ("correct sequence", "a0-1 b2-3 a4-5", ("a0-1 b2-3 a4-5", "b2-3 a4-5", "a4-5")),
    ("correct sequence", "a0-1", None),
    ("wrong sequence", "a0-2 a3-12", None),
    ("wrong sequence", "a0-2 a3-9", ("a0-2 a3-9", "a0-2 a3-9", "a0-2 a3-9 a9-11")),
    ("wrong sequence", "a4-6", ("a4-6", "a4-6", "a0-2 a4-6")),
    ("overlap", "a0-2 a3-6", ("a0-2 a3-6", "a0-2 a3-5", "a0-2 a3-4")),
    ("noise", "a0-2 a3-6", ("a0-2 a3-6", "a0-2 a3-7", "a0-2 a3-8")),
    ("noise", "a0-2 a3-11", None),
    ("homogeneity", "a0-1 a3-6", ("a0-1 a3-4 a4-6", "a0-1 a3-4 a4-6", "a0-1 a3-6")),
    ("completeness", "a0-1 a3-6", ("a0-1 a3-6", "a0-1 a3-6", "a0-1 a3-4 a4-6")),
    ("completeness", "a0-1", None),
    ("length vs captured", "a0-2 a3-6", ("a0-2 a3-6", "a0-2 a3-5", "a0-1 a3-6")),
    ("length vs captured", "a0-2 b3-6", None),
    ("length vs captured", "a0-1 a3-6", None),
    ("length vs noisy", "a0-1 a3-6", ("a0-1 a3-6", "a0-1 a3-7", "a0-2 a3-6")),
    ("length vs noisy", "a0-2 a2-6", None),
    ("overlap increasing", "a0-3 a3-6", ("a0-3 a3-6", "a0-2 a3-5", "a0-1 a3-6")),
    ("overlap increasing", "a0-2 a3-5", None),
    ("noise increasing", "a0-1 a4-5", ("a0-1 a4-5", "a0-4 a4-6", "a0-3 a4-7")),
    ("noise increasing", "a0-1 a3-4", ("a0-1 a3-4", "a0-2 a3-7", "a0-3 a3-6")),
]


@each_case(("name", "text", "expected"), CONTRASTS)
def test_what_two_predictions_are(name, text, expected):
    gold, better, worse, docs = slicm.contrasts(spans_of(text))[name]
    if expected is None:
        assert not len(docs) and text_of(better) == text_of(worse)
    else:
        assert tuple(map(text_of, (gold, better, worse))) == expected and docs == [0]


def test_the_span_with_the_rarer_word_is_the_better_one_to_find():
    words = ["the"] * 11 + ["rare"]
    found = slicm.contrasts(spans_of("a0-1 a11-12", words=words))["token informativeness"]
    assert (text_of(found.better), text_of(found.worse)) == ("a11-12", "a0-1")
    assert not len(
        slicm.contrasts(spans_of("a0-1 b11-12", words=words))["token informativeness"].docs
    )


@given(pairs())
def test_all_annotation_has_contrasts_in_documents_where_they_differ(pair):
    spans = pair.annotator(pair.gold)
    found = slicm.contrasts(spans)
    assert {*found} == {*slicm.PROPERTIES}
    for _, better, worse, docs in found.values():
        sides = [
            {(int(one.doc[i]), int(one.start[i]), int(one.end[i])) for i in range(len(one))}
            for one in (better, worse)
        ]
        assert {doc for doc, _, _ in sides[0] ^ sides[1]} <= {*docs}
