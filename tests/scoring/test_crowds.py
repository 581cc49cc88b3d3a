"""Crowds: many annotators, of whom few share a document. They cost what they share."""

import numpy as np
import pytest

from helpers.resamples import assert_alike
from helpers.teamfiles import NAMES, agree_in_blocks, documents, files_of_team
from helpers.teamfiles import agree as agree_files
from spacy_chance_eval import Panel, Resampling, Spans, agree
from spacy_chance_eval.measures import panel as panels
from spacy_chance_eval.measures.panel import meetings
from spacy_chance_eval.reports.agreement import BUSIEST, WORST, agreement_report, excerpt
from spacy_chance_eval.reports.report import report_fragment, report_page, report_text
from spacy_chance_eval.scoring import pair_rows, pair_scores
from spacy_chance_eval.scoring.panel_scores import CROSSED, INCOMPLETE
from spacy_chance_eval.scoring.statistics import headline

N_DOCS, N_ANNOTATORS = 90, 50
FEW = Resampling(20)
TEAM = ["u_alpha", "alpha_u", "cu_alpha", "krippendorff_alpha", "gwet_ac2", "fleiss_cuzick"]


def crowd(seed=0, n_annotators=N_ANNOTATORS, labels="XY", n_docs=N_DOCS):
    """Annotators of documents that three of them saw on average, alike but for some of it."""
    rng = np.random.default_rng(seed)
    works = {f"w{i:02}": [None] * n_docs for i in range(n_annotators)}
    names, sizes = [*works], rng.integers(4, 12, n_docs)
    for doc, size in enumerate(sizes):
        for name in rng.choice(names, rng.integers(1, 6), replace=False):
            cuts = np.flatnonzero(rng.random(size) < 0.5)
            works[name][doc] = [
                (int(a), int(b), str(rng.choice([*labels], p=[0.7, 0.3])))
                for a, b in zip(cuts, cuts[1:])
                if rng.random() < 0.7
            ]
    return {name: Spans.from_tuples(work, sizes, [*labels]) for name, work in works.items()}


WORKERS = crowd()


def both_ways(monkeypatch, some, asked, **options):
    """The result, and that of pairs that are counted and scored one by one."""
    found = agree(some, asked, worst=None, **options).result
    for module, name in (
        (pair_rows, "ROWS"),
        (pair_rows, "ROWS_OF_COLUMNS"),
        (pair_scores, "SCORES"),
        (pair_scores, "NUMBERS"),
    ):
        monkeypatch.setattr(module, name, 1)
    return found, agree(some, asked, worst=None, **options).result


@pytest.mark.integration
@pytest.mark.parametrize("pairs", [False, True], ids=["team", "pairs"])
def test_a_crowd_has_the_numbers_of_so_many_annotators(pairs, monkeypatch):
    asked = [*TEAM, "span_f", "token_f", "cohen_kappa", "span_precision", "slicm_norm"]
    some = crowd(1, n_annotators=9, n_docs=40)
    assert_alike(*both_ways(monkeypatch, some, asked, intervals=FEW, pairs=pairs))


def gapped(spans):
    """The same annotator, with a gap in each span of three tokens or more."""
    gaps = [
        ((start, start + 1), (start + 2, end)) if end - start > 2 else None
        for start, end in zip(spans.start.tolist(), spans.end.tolist())
    ]
    columns = (getattr(spans, name) for name in ("doc", "start", "end", "label", "sizes"))
    return Spans(*columns, spans.labels, spans.seen, fragments=gaps)


@pytest.mark.integration
def test_a_crowd_with_discontinuous_spans_has_the_numbers_of_so_many_annotators(monkeypatch):
    some = {name: gapped(spans) for name, spans in crowd(5, n_annotators=9, n_docs=30).items()}
    asked = ["span_f(chance=none)", "token_f(chance=overlapping)", "cohen_kappa"]
    found, expected = both_ways(monkeypatch, some, asked, intervals=FEW)
    assert_alike(found, expected)
    whole = crowd(5, n_annotators=9, n_docs=30)
    assert "discontinuous" not in str(found)
    assert agree(whole, asked, worst=None, intervals=FEW).result != found


@pytest.mark.integration
@pytest.mark.parametrize(
    "intervals",
    [Resampling(0), Resampling(9, interval="bca"), Resampling(20, blocks=40)],
    ids=["none", "bca", "blocks"],
)
def test_intervals_of_a_crowd_are_those_of_so_many_annotators(intervals, monkeypatch):
    some = crowd(2, n_annotators=9, n_docs=210 if intervals.blocks == 40 else 40)
    asked = ["span_f", "alpha_u", "span_recall"]
    assert_alike(*both_ways(monkeypatch, some, asked, intervals=intervals))


def test_clusters_of_a_crowd_are_those_of_so_many_annotators(monkeypatch):
    options = {"intervals": FEW, "clusters": [i // 3 for i in range(N_DOCS)]}
    assert_alike(*both_ways(monkeypatch, crowd(3, n_annotators=8), ["u_alpha"], **options))


def test_units_of_labels_that_overlap_are_the_reason_also_where_the_team_has_another():
    some = crowd(4, n_annotators=42)
    for name, units in ("w03", [(0, 2, "X"), (1, 3, "X")]), ("w05", [(0, 3, "X"), (1, 2, "Y")]):
        work = [units if seen else None for seen in some[name].seen]
        some[name] = Spans.from_tuples(work, some[name].sizes, ["X", "Y"])
    found = agree(some, ["u_alpha"], intervals=Resampling(0))["u_alpha"]
    assert found["team"]["reason"].startswith("w03: X [0, 2)")
    pairs = [pair for pair in found["pairs"] if pair["second"] == "w05"]
    assert {pair["reason"] for pair in pairs if pair["first"] != "w03"} == {CROSSED}
    (crossed,) = (one for one in found["annotators"] if one["annotator"] == "w05")
    assert crossed["others"]["reason"] == CROSSED


@pytest.mark.integration
def test_pairs_of_a_large_crowd_have_values_alone(monkeypatch):
    full = agree(WORKERS, ["span_f"], intervals=FEW)
    monkeypatch.setattr(pair_scores, "LABELLED_PAIRS", 10)
    found = agree(WORKERS, ["span_f"], intervals=FEW)
    assert any("too many pairs" in note for note in found.result["notes"])
    for row, whole in zip(found["span_f"]["pairs"], full["span_f"]["pairs"], strict=True):
        limits = dict.fromkeys(("low", "high", "observed_low", "observed_high"))
        assert row == whole | {"per_label": {}} | limits
    for key in ("mean", "team", "per_label"):
        assert found["span_f"][key] == full["span_f"][key]


def test_the_pairs_of_a_crowd_are_those_that_share_a_document():
    found = agree(WORKERS, ["span_f"], intervals=Resampling(0))
    listed = [(pair["first"], pair["second"]) for pair in found["span_f"]["pairs"]]
    names, seen = [*WORKERS], np.array([one.seen for one in WORKERS.values()])
    pairs = [(i, j) for i in range(len(seen)) for j in range(i + 1, len(seen))]
    assert listed == [(names[i], names[j]) for i, j in pairs if (seen[i] & seen[j]).any()]
    apart = sum(not (seen[i] & seen[j]).any() for i, j in pairs)
    assert any(f"({apart} such pairs)" in note for note in found.result["notes"])


@pytest.mark.integration
def test_a_crowd_in_blocks_has_the_numbers_of_one_block(tmp_path):
    rows = [
        (
            about,
            {n: work[n] if i % 4 != j and i // 9 == j % 2 else None for j, n in enumerate(NAMES)},
        )
        for i, (about, work) in enumerate(documents(NAMES, 17))
    ]
    files = files_of_team(tmp_path, rows, NAMES)
    metrics = ["span_f", "u_alpha"]
    assert agree_in_blocks(files, metrics=metrics) == agree_files(files, metrics=metrics)


def test_meetings_are_all_twos_of_each_document(monkeypatch):
    monkeypatch.setattr(panels, "AT_ONCE", 5)
    seen = np.random.default_rng(3).random((6, 40)) < 0.4
    found = [row for block in meetings(seen) for row in zip(*map(np.ndarray.tolist, block))]
    twos = [(i, j) for i in range(6) for j in range(i + 1, 6)]
    assert sorted(found) == [(i, j, d) for i, j in twos for d in np.flatnonzero(seen[i] & seen[j])]


def test_as_few_annotators_as_a_document_has_can_do_the_work_of_a_crowd():
    panel = Panel(WORKERS)
    number = (panel.seen & panel.shared).sum(axis=0)
    assert len(panel.packed) == number.max()
    assert np.array_equal(sum(one.seen.astype(int) for one in panel.packed), number)
    rows = lambda some: sorted(  # noqa: E731
        row
        for one in some
        for row in zip(*(getattr(one, c).tolist() for c in ("doc", "start", "end", "label")))
    )
    assert rows(panel.packed) == rows(panel.aligned)


# --- what is shown


def shown(**options):
    return agree(WORKERS, ["span_f", "u_alpha"], intervals=FEW, **options).result


@pytest.mark.integration
def test_tables_show_the_busiest_and_the_worst_of_a_crowd():
    result = shown()
    part = excerpt(result)
    busiest = sorted(result["annotators"], key=lambda one: (-one["n_shared"], one["name"]))
    names = [one["name"] for one in busiest[:BUSIEST]]
    metric, every = part["metrics"][0], result["metrics"][0]["annotators"]
    rows = [row["annotator"] for row in metric["annotators"]]
    assert rows[:BUSIEST] == names
    enough = [row for row in every if row["others"]["n_docs"] >= 10]
    worst = sorted(enough, key=lambda row: headline(row["others"]))[:WORST]
    assert {row["annotator"] for row in worst} == {*rows} - {*names} | {
        row["annotator"] for row in worst if row["annotator"] in names
    }
    assert all({pair["first"], pair["second"]} <= {*names} for pair in metric["pairs"])


@pytest.mark.integration
@pytest.mark.parametrize("write", [report_text, report_fragment, report_page])
def test_what_is_not_shown_of_a_crowd_is_counted(write):
    result = shown()
    n_pairs = len(result["metrics"][0]["pairs"])
    text = " ".join(write(agreement_report(result)).split())
    assert f"all {N_ANNOTATORS} and {n_pairs} pairs that share documents are in the JSON" in text
    few = {row["annotator"] for one in excerpt(result)["metrics"] for row in one["annotators"]}
    said = " ".join([*[*WORKERS][:6], *result["notes"], *result["warnings"]])
    hidden = [name for name in WORKERS if name not in few and name not in said]
    assert hidden and not any(name in text for name in hidden)


def test_without_pairs_the_busiest_of_a_crowd_are_shown():
    text = report_text(agreement_report(shown(pairs=False)))
    assert "the 10 with most documents that another saw; all 50 are in the JSON" in " ".join(
        text.split()
    )


def test_annotators_without_spans_are_one_sentence_in_a_crowd():
    idle = {
        f"idle{i}": Spans.from_tuples([[]] * N_DOCS, WORKERS["w00"].sizes, ["X", "Y"])
        for i in range(8)
    }
    found = agree(WORKERS | idle, ["u_alpha"], intervals=Resampling(0), pairs=False).result
    assert [text for text in found["warnings"] if "no spans" in text] == [
        "9 annotators (idle0, idle1, idle2, idle3, idle4, 4 more) have no spans at all; check "
        "their column or layer."
    ]


# --- reasons


def test_a_coefficient_of_all_annotators_says_that_no_item_has_them_all():
    found = agree(WORKERS, ["fleiss_kappa"], intervals=Resampling(0), pairs=False)
    assert found["fleiss_kappa"]["team"]["reason"] == INCOMPLETE.format(N_ANNOTATORS)
    assert "fleiss_cuzick" in INCOMPLETE
    instead = agree(WORKERS, ["fleiss_cuzick"], intervals=Resampling(0), pairs=False)
    assert headline(instead["fleiss_cuzick"]["team"]) is not None
