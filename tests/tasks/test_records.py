"""Flat records and data frames as annotation."""

import pytest

from spacy_chance_eval import Resampling, Spans, agree, diff, evaluate, leaderboard, report

SIZES = {"a": 8, "b": 9, "c": 5}
GOLD = [
    {"document": "b", "start": 3, "end": 4, "label": "LOC"},
    {"document": "a", "start": 0, "end": 2, "label": "PER"},
]
PRED = [
    {"document": "b", "start": 2, "end": 4, "label": "LOC"},
    {"document": "a", "start": 0, "end": 2, "label": "PER"},
]
METRICS = ["span_f", "token_f"]
NONE = Resampling(0)


class Frame:
    """What is used of a data frame of pandas."""

    def __init__(self, rows):
        self.rows = rows

    @property
    def columns(self):
        return list(dict.fromkeys(key for row in self.rows for key in row))

    def to_dict(self, orient="dict"):
        assert orient == "records"
        return self.rows


class OtherFrame(Frame):
    """What is used of a data frame of polars, whose `to_dict` gives columns."""

    def to_dicts(self):
        return self.rows


def spans(rows, names="abc"):
    """The `Spans` of records."""
    lists = [
        [(r["start"], r["end"], r["label"]) for r in rows if r["document"] == n] for n in names
    ]
    return Spans.from_tuples(lists, [*SIZES.values()], names=names)


def values(scores):
    return [score.value for score in scores.values()]


KINDS = pytest.mark.parametrize("kind", [list, Frame, OtherFrame], ids=["rows", "pandas", "polars"])


@KINDS
@pytest.mark.parametrize("named", ["sizes", "gold", "pred"])
def test_scores_are_those_of_spans_whoever_names_the_documents(kind, named):
    expected = evaluate(spans(GOLD), spans(PRED), METRICS, per_doc=True)
    gold = spans(GOLD) if named == "gold" else kind(GOLD)
    pred = spans(PRED) if named == "pred" else kind(PRED)
    sizes = SIZES if named == "sizes" else None
    scores = evaluate(gold, pred, METRICS, per_doc=True, sizes=sizes)
    assert scores.records() == expected.records()
    assert report(gold, pred, sizes=sizes) == report(spans(GOLD), spans(PRED))
    assert diff(gold, pred, sizes=sizes).records() == diff(spans(GOLD), spans(PRED)).records()


@KINDS
def test_boards_and_agreement_take_them(kind):
    board = leaderboard(spans(GOLD), {"one": kind(PRED)}, METRICS, intervals=NONE)
    expected = leaderboard(spans(GOLD), {"one": spans(PRED)}, METRICS, intervals=NONE)
    assert board.records() == expected.records()
    expected = agree({"anna": spans(GOLD), "ben": spans(PRED)}, METRICS, intervals=NONE)
    rows = [
        row | {"annotator": name} for name, own in (("ben", PRED), ("anna", GOLD)) for row in own
    ]
    for annotators in ({"anna": kind(GOLD), "ben": kind(PRED)}, kind(rows)):
        found = agree(annotators, METRICS, sizes=SIZES, intervals=NONE)
        assert found.records() == expected.records()


def test_the_order_of_rows_is_without_effect():
    assert values(evaluate(GOLD[::-1], PRED, METRICS, sizes=SIZES)) == values(
        evaluate(GOLD, PRED[::-1], METRICS, sizes=SIZES)
    )


def test_documents_without_spans_count():
    score = evaluate(GOLD, PRED, ["span_f"], sizes=SIZES, per_doc=True)["span_f"]
    assert "|docs=3|" in score.signature and set(score.per_doc) == {*SIZES}
    rows = [*GOLD, {"document": "c", "start": None, "end": float("nan"), "label": None}]
    assert values(evaluate(rows, PRED, METRICS, sizes=SIZES)) == values(
        evaluate(GOLD, PRED, METRICS, sizes=SIZES)
    )


def test_a_frame_without_rows_is_a_prediction_without_spans():
    class Empty(Frame):
        columns = ("document", "start", "end", "label")

    assert evaluate(GOLD, Empty([]), ["span_f"], sizes=SIZES)["span_f"].observed == 0


def test_documents_without_names_are_numbers_from_0():
    rows = [row | {"document": "abc".index(row["document"])} for row in PRED]
    gold = [["B-PER", "I-PER", *"OOOOOO"], ["O", "O", "O", "B-LOC", *"OOOOO"], [*"OOOOO"]]
    assert values(evaluate(gold, rows, METRICS)) == values(
        evaluate(GOLD, PRED, METRICS, sizes=SIZES)
    )


def test_floats_of_columns_with_gaps_are_whole_numbers():
    rows = [row | {"start": float(row["start"]), "end": float(row["end"])} for row in PRED]
    assert values(evaluate(GOLD, rows, METRICS, sizes=SIZES)) == values(
        evaluate(GOLD, PRED, METRICS, sizes=SIZES)
    )


LABELLED = [row | {"annotator": name} for row, name in zip(GOLD, ("anna", "ben"))]


@pytest.mark.parametrize(
    ("gold", "sizes", "message"),
    [
        (GOLD, None, r"sizes=\{name: length\}"),
        (GOLD, [8, 9, 5], r"row 1 has document 'b', but the documents have no names"),
        (GOLD, {"a": 8, "c": 9}, "row 1 has document 'b', which is not among the documents: a, c"),
        (Frame([{"document": "a", "start": 0}]), SIZES, "columns document, start; expected"),
        (Frame([{"start": 0, "end": 1, "label": "X"}]), SIZES, "one of document, doc"),
        (Frame([]), SIZES, "columns none"),
        ([GOLD[0] | {"label": None}], SIZES, "row 1 has .* expected start, end, label, or none"),
        (LABELLED, SIZES, "rows of 2 annotators"),
        ([*LABELLED, GOLD[0]], SIZES, "row 3 has no annotator"),
        ([GOLD[0] | {"start": 2.5}], SIZES, "whole numbers"),
        ([GOLD[0] | {"end": 99}], SIZES, "outside its document"),
    ],
    ids=range(11),
)
def test_records_that_do_not_fit_are_refused(gold, sizes, message):
    with pytest.raises(ValueError, match=message):
        evaluate(gold, PRED, sizes=sizes)


def test_sizes_of_other_documents_than_those_of_spans_are_refused():
    with pytest.raises(ValueError, match="not those of sizes, in their order"):
        evaluate(spans(GOLD), PRED, sizes={"b": 9, "a": 8, "c": 5})


def test_one_annotator_alone_is_refused():
    with pytest.raises(ValueError, match="one annotator alone"):
        agree(GOLD, sizes=SIZES)


@pytest.mark.integration
def test_frames_of_pandas_come_in_and_out():
    pandas = pytest.importorskip("pandas")
    documents = pandas.DataFrame({"document": [*SIZES]})
    gold = documents.merge(pandas.DataFrame(GOLD), how="left")  # with nan for document c
    pred = pandas.DataFrame(PRED).convert_dtypes()
    scores = evaluate(gold, pred, METRICS, sizes=SIZES)
    assert scores.records() == evaluate(spans(GOLD), spans(PRED), METRICS).records()
    assert list(scores.to_frame()["metric"].unique()) == METRICS
    both = pandas.concat([gold.assign(annotator="anna"), pred.assign(annotator="ben")])
    expected = agree({"anna": GOLD, "ben": PRED}, METRICS, sizes=SIZES, intervals=NONE)
    found = agree(both, METRICS, sizes=SIZES, intervals=NONE)
    assert found.records() == expected.records()
    assert len(found.to_frame()) == len(found.records())
    missing = {"document": "c", "start": pandas.NA, "end": pandas.NA, "label": pandas.NA}
    assert values(evaluate(gold, [*PRED, missing], METRICS, sizes=SIZES)) == values(scores)
