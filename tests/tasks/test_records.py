"""Flat records and data frames as annotation."""

import numpy as np
import pytest

from spacy_chance_eval import Resampling, Spans, agree, diff, evaluate, leaderboard, report
from spacy_chance_eval.tasks.inputs import Inputs

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
    return [score.headline for score in scores.values()]


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


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"document": "a", "start": 0}, "columns document, start; expected"),
        ({"start": 0, "end": 1, "label": "X"}, "one of document, doc"),
    ],
)
def test_a_frame_has_columns_of_documents_and_spans(row, message):
    with pytest.raises(ValueError, match=message):
        evaluate(Frame([row]), PRED, sizes=SIZES)


@pytest.mark.parametrize("nothing", [[], Frame([])], ids=["rows", "frame"])
def test_no_rows_beside_rows_are_no_spans(nothing):
    assert evaluate(GOLD, nothing, ["span_f"], sizes=SIZES)["span_f"].observed == 0
    board = leaderboard(GOLD, {"one": nothing}, ["span_f"], sizes=SIZES, intervals=NONE)
    assert board.records()[0]["observed"] == 0


def test_a_column_of_systems_is_a_board():
    rows = [row | {"system": name} for name, own in (("x", PRED), ("y", GOLD)) for row in own]
    found = leaderboard(GOLD, rows, METRICS, sizes=SIZES, intervals=NONE)
    expected = leaderboard(GOLD, {"x": PRED, "y": GOLD}, METRICS, sizes=SIZES, intervals=NONE)
    assert found.records() == expected.records()


BLANK = {"document": "c", "start": None, "end": None, "label": None}


def of(name, rows):
    return [row | {"annotator": name} for row in rows]


@pytest.mark.parametrize("several", [True, False], ids=["one-table", "tables"])
def test_rows_without_spans_say_who_saw_what(several):
    anna, ben, cy = [*GOLD, BLANK], [PRED[0], BLANK], [GOLD[1], PRED[0]]
    seen = {
        "anna": [[(0, 2, "PER")], [(3, 4, "LOC")], []],
        "ben": [None, [(2, 4, "LOC")], []],
        "cy": [[(0, 2, "PER")], [(2, 4, "LOC")], None],
    }
    annotators = {"anna": anna, "ben": ben, "cy": cy}
    if several:
        annotators = [row for name, rows in annotators.items() for row in of(name, rows)]
    with pytest.warns(UserWarning, match=r"3 documents: cy 1\. These count as not seen"):
        found = agree(annotators, METRICS, sizes=SIZES, intervals=NONE)
    expected = agree(seen, METRICS, sizes=[*SIZES.values()], intervals=NONE)
    for metric in METRICS:
        assert found[metric]["team"] == expected[metric]["team"]


def test_without_such_rows_all_have_seen_everything_with_a_warning():
    rows = [*of("anna", GOLD), *of("ben", PRED[:1])]
    with pytest.warns(UserWarning, match=r"2 documents: ben 1\. These count as seen, and without"):
        found = agree(rows, METRICS, sizes=SIZES, intervals=NONE)
    expected = agree([spans(GOLD), spans(PRED[:1])], METRICS, intervals=NONE)
    assert found["span_f"]["team"] == expected["span_f"]["team"]


@pytest.mark.parametrize("names", [None, "abcdef"], ids=["numbers", "names"])
def test_spans_become_records_and_spans_again(names):
    rng, sizes = np.random.default_rng(0), [4, 5, 6, 7, 8, 9]
    for _ in range(20):
        lists = {
            who: [
                [
                    (i, i + 2, "XY"[rng.integers(2)])
                    for i in range(0, n - 1, 2)
                    if rng.random() < 0.4
                ]
                if rng.random() < 0.8
                else None
                for n in sizes
            ]
            for who in ("anna", "ben")
        }
        lists["anna"][0] = lists["ben"][1] = []  # a row that says who saw what
        given = {who: Spans.from_tuples(one, sizes, names=names) for who, one in lists.items()}
        rows = [row for who, one in given.items() for row in of(who, one.records())]
        named = sizes if names is None else dict(zip(names, sizes))
        for who, again in Inputs("agree", sizes=named).annotators(rows).items():
            one = given[who]
            assert again.records() == one.records() and again.digest() == one.digest()
            assert again.seen.tolist() == one.seen.tolist()
            if one.seen.all():
                assert evaluate(one, one.records(), ["token_f"])["token_f"].observed in (1, None)


def test_spans_without_start_and_end_are_no_records():
    with pytest.raises(ValueError, match="discontinuous and unplaced"):
        Spans.from_tuples([[]], [4], unplaced=[(0, 0, 2)], labels=["X"]).records()


@pytest.mark.integration
def test_frames_of_pandas_come_in_and_out():
    pandas = pytest.importorskip("pandas")
    documents = pandas.DataFrame({"document": [*SIZES]})
    gold = documents.merge(pandas.DataFrame(GOLD), how="left")  # with nan for document c
    pred = pandas.DataFrame(PRED).convert_dtypes()
    scores = evaluate(gold, pred, METRICS, sizes=SIZES)
    assert scores.records() == evaluate(spans(GOLD), spans(PRED), METRICS).records()
    assert list(scores.to_frame()["metric"].unique()) == METRICS
    pred = documents.merge(pred, how="left")
    both = pandas.concat([gold.assign(annotator="anna"), pred.assign(annotator="ben")])
    expected = agree({"anna": GOLD, "ben": PRED}, METRICS, sizes=SIZES, intervals=NONE)
    found = agree(both, METRICS, sizes=SIZES, intervals=NONE)
    assert found.records() == expected.records()
    assert len(found.to_frame()) == len(found.records())
    missing = {"document": "c", "start": pandas.NA, "end": pandas.NA, "label": pandas.NA}
    assert values(evaluate(gold, [*PRED, missing], METRICS, sizes=SIZES)) == values(scores)
    tokens = documents.loc[documents.index.repeat([*SIZES.values()]), "document"]
    for lengths in (tokens.value_counts(), tokens.groupby(tokens).size()):  # by number, by name
        assert values(evaluate(gold, pred, METRICS, sizes=lengths)) == values(scores)
    numbered = [row.assign(document=row["document"].map("abc".index)) for row in (gold, pred)]
    lengths = tokens.map("abc".index).value_counts()
    assert [*lengths.index] == [1, 0, 2]
    assert values(evaluate(*numbered, METRICS, sizes=lengths)) == values(scores)
    with pytest.raises(ValueError, match="'a' twice"):
        evaluate(gold, pred, sizes=pandas.Series([8, 9], index=["a", "a"]))
    with pytest.raises(ValueError, match=r"clusters\.to_list\(\)"):
        evaluate(gold, pred, sizes=SIZES, intervals=Resampling(9), clusters=documents["document"])
