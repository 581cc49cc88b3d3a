"""`--exclude`: tokens under spans of some labels are left out."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.blocks import NONE, check
from helpers.laws import assert_same_results, each_fitting, scores
from helpers.strategies import LABELS, pairs
from helpers.teamfiles import agree as agree_files
from helpers.teamfiles import agree_in_blocks
from spacy_chance_eval import Spans, evaluate, parse
from spacy_chance_eval.corpora.pairs import ReadOptions, read_pair
from spacy_chance_eval.corpora.regions import regions_of_candidates, regions_of_panel
from spacy_chance_eval.measures.alignment import align, covered_tokens, without_regions
from spacy_chance_eval.tasks.rank import RankOptions, rank_files
from spacy_chance_eval.tasks.score import save_files, score_files

OUT = "IGNORE"
METRICS = ("span_f", "token_f", "cohen_kappa", "alpha_u", "gate_f(mode=lenient)", "int_f")


def marked(spans, regions, label=OUT):
    """The lists of spans with regions (start, end)."""
    return [*spans, *((a, b, label) for a, b in regions)]


def divided(documents, regions, sizes):
    """(lists of spans, sizes) of the documents between regions; spans that touch one are gone."""
    lists, lengths = [], []
    for spans, cut, size in zip(documents, regions, sizes):
        taken = {t for a, b in cut for t in range(a, b)}
        free = [t for t in range(size) if t not in taken]
        runs = np.split(free, np.flatnonzero(np.diff(free) > 1) + 1) if free else []
        for run in runs:
            low, high = int(run[0]), int(run[-1]) + 1
            inside = [(a - low, b - low, c) for a, b, c in spans if low <= a and b <= high]
            lists.append(inside)
            lengths.append(high - low)
    return lists, lengths


@st.composite
def with_regions(draw):
    """Gold and prediction without overlaps, and the regions of each document."""
    pair = draw(pairs(kinds=("flat",), unseen=False))
    place = st.tuples(st.integers(0, 7), st.integers(1, 3))
    regions = [
        sorted({(a, min(a + n, size)) for a, n in draw(st.lists(place, max_size=2)) if a < size})
        for size in pair.sizes
    ]
    return pair, regions


@given(case=with_regions())
def test_a_region_is_a_border_of_documents(case):
    pair, regions = case
    gold = Spans.from_tuples([*map(marked, pair.gold, regions)], pair.sizes)
    pred = Spans.from_tuples(pair.pred, pair.sizes)
    found = evaluate(without_regions(gold, [OUT]).spans, pred, METRICS)
    lists = [divided(side, regions, pair.sizes) for side in (pair.gold, pair.pred)]
    plain = evaluate(*(Spans.from_tuples(*one) for one in lists), METRICS)
    assert_same_results(found, plain, parts=("per_label",))
    for name, score in found.items():
        one, two = (
            np.array([s.value, s.observed, s.expected], float) for s in (score, plain[name])
        )
        np.testing.assert_allclose(one, two, atol=1e-9)


@given(pair=pairs())
def test_without_such_spans_nothing_changes(pair):
    gold, pred = pair.sides()
    found = without_regions(gold, [OUT])
    assert found.spans is gold and not len(found.rows)
    for fit, requested in each_fitting(pair, names=("span_f", "token_f")):
        one, two = fit.sides(LABELS)
        both = without_regions(one, [OUT]).spans, two
        assert_same_results(evaluate(*both, requested), scores(fit, requested))


def test_a_span_that_touches_a_region_is_left_out_on_both_sides():
    gold = Spans.from_tuples([[(0, 2, "A"), (3, 6, "A"), (5, 7, OUT)]], [9])
    pred = Spans.from_tuples([[(0, 2, "A"), (6, 8, "A"), (8, 9, "B")]], [9])
    one, two = align(without_regions(gold, [OUT]).spans, pred)
    assert (one.start.tolist(), two.start.tolist()) == ([0], [0, 8])
    assert one.labels == ("A", "B")
    assert np.flatnonzero(~covered_tokens(one)).tolist() == [5, 6]


def test_pieces_of_a_region_are_regions():
    spans = Spans.from_tuples(
        [[(0, 1, "A"), (1, 6, OUT), (3, 4, "A")]],
        [8],
        fragments=[[None, [(1, 3), (5, 6)], None]],
    )
    found = without_regions(spans, [OUT])
    assert found.spans.stretches.tolist() == [[0, 0, 1], [0, 3, 5], [0, 6, 8]]
    assert (found.n_tokens, found.rows.tolist(), len(found.spans)) == (3, [1], 2)


def test_unplaced_regions_are_counted_and_take_out_nothing():
    spans = Spans.from_tuples([[(0, 1, "A")]], [4], ["A", OUT], unplaced=[(0, 1, 2), (0, 0, 1)])
    found = without_regions(spans, [OUT])
    assert (found.n_unplaced, found.n_tokens, found.spans.unplaced.tolist()) == (1, 0, [[0, 0, 1]])


def test_an_empty_document_stays_seen_beside_candidates():
    ada = Spans.from_tuples([[(0, 2, OUT)], [], [(0, 1, "A")]], [2, 0, 3])
    machine = Spans.from_tuples([[(0, 1, "A")], [], []], [2, 0, 3])
    sides = dict(zip(("ada", "gpt"), align(ada, machine)))
    found, _ = regions_of_candidates(sides, ["gpt"], [OUT], {"ada": "a", "gpt": "g"})
    assert {name: one.seen.tolist() for name, one in found.items()} == {
        "ada": [False, True, True],
        "gpt": [False, True, True],
    }


def test_any_annotator_who_saw_a_document_decides():
    one = Spans.from_tuples([[(0, 2, OUT)], [(0, 1, "A")]], [4, 3])
    two = Spans.from_tuples([[(1, 3, OUT)], [(0, 1, "A")]], [4, 3])
    sides, notes = regions_of_panel({"a": one, "b": two}, [OUT], {"a": "a.json", "b": "b.json"})
    both = align(sides["a"], sides["b"])
    assert both[0].stretches.tolist() == [[0, 3, 4], [1, 0, 3]]
    assert notes.sentences() == [
        "2 regions of 3 positions in all were left out by --exclude: "
        "IGNORE [0, 2) in document 1 (a.json), IGNORE [1, 3) in document 1 (b.json)"
    ]


# --- files

GOLD = [[(0, 2, "PER"), (4, 8, OUT), (5, 6, "LOC")], [(0, 1, "PER")], [(1, 2, "LOC")]]
PRED = [[(0, 2, "PER"), (5, 6, "ORG"), (7, 9, "PER")], [(0, 1, OUT)], [(1, 2, "LOC")]]
SIZES = (10, 4, 3)


def jsonl(path, documents):
    rows = (
        {"id": str(i), "tokens": [f"w{t}" for t in range(size)], "spans": [[*s] for s in spans]}
        for i, (spans, size) in enumerate(zip(documents, SIZES))
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def files(tmp_path):
    return jsonl(tmp_path / "gold.jsonl", GOLD), jsonl(tmp_path / "pred.jsonl", PRED)


def test_scores_of_files_leave_regions_of_gold_out(files):
    how = ReadOptions(regions=(OUT,))
    result = score_files(*files, metrics={"span_f": parse("span_f")}, reading=how)
    (layer,) = result["layers"]
    found = layer["scores"]["span_f"]
    # gold: PER, PER, LOC; predicted: PER, LOC; the predicted region of document 1 marks nothing
    assert (layer["n_gold"], layer["n_pred"], found["observed"]) == (3, 2, 2 * 2 / 5)
    assert set(found["per_label"]) == {"LOC", "PER"}
    assert "|exclude=IGNORE|" in found["signature"]
    assert [text.split(":")[0] for text in result["warnings"]] == [
        "1 region of 4 positions was left out by --exclude",
        "1 predicted span with a label of --exclude was left out",
    ]


def test_boards_and_saved_runs_leave_out_the_same(files, tmp_path):
    metrics, how = {"span_f": parse("span_f")}, ReadOptions(regions=(OUT,))
    board, _ = rank_files(
        files[0], [files[1]], how=RankOptions(metrics, intervals=NONE), reading=how
    )
    saved = save_files(tmp_path / "a.run", *files, metrics=metrics, reading=how)
    (row,) = next(one for one in board["boards"] if one["label"] is None)["rows"]
    assert row["observed"]["score"] == 0.8
    assert saved["layers"][0]["scores"]["span_f"]["observed"] == 0.8


def test_differences_leave_out_the_same(files):
    from spacy_chance_eval import diff

    compared = read_pair(*files, ReadOptions(regions=(OUT,)))
    found = diff(compared, equal=True)
    assert sorted(row["relation"] for row in found.records()) == ["correct", "correct", "missing"]
    assert compared.data["exclude"] == OUT
    assert compared.warnings_of(*compared.aligned())[0].startswith("1 region of 4 positions")


def test_blocks_leave_out_the_same(files, tmp_path):
    asked = {name: parse(name) for name in ("span_f", "token_f", "alpha_u")}
    check(*files, metrics=asked, intervals=NONE, regions=(OUT,))
    options = {"metrics": asked, "worst": None, "intervals": NONE, "regions": (OUT,)}
    found = agree_in_blocks(list(files), **options)
    assert found["metrics"] == agree_files(list(files), **options)["metrics"]


def test_labels_that_nobody_uses_are_named(files):
    how = ReadOptions(regions=(OUT, "IGNROE"))
    result = score_files(*files, metrics={"span_f": parse("span_f")}, reading=how)
    assert (
        "no span has the label 'IGNROE' of --exclude, which leaves out nothing"
        in result["warnings"]
    )


def test_regions_of_categories_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"tokens": ["a"], "categories": {"a": ["X"], "b": ["X"]}}))
    with pytest.raises(ValueError, match="regions are spans of a text"):
        agree_files([str(path)], regions=(OUT,), categories=True)
