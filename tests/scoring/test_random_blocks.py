"""Random blocks of documents, which are resampled in place of many documents."""

import numpy as np
import pytest

from helpers.rendered import leaderboard_markdown, leaderboard_text
from helpers.resamples import assert_alike, corpus, ends, rng, spans, table
from spacy_chance_eval import agree, compare, evaluate, leaderboard
from spacy_chance_eval.measures.resampling import block_order, cluster_order, grouped
from spacy_chance_eval.reports.agreement import agreement_details
from spacy_chance_eval.reports.compare import compare_report
from spacy_chance_eval.reports.report import report_markdown
from spacy_chance_eval.runs.files import stored_run
from spacy_chance_eval.scoring.intervals import PER_BLOCK, Resampling

N_BLOCKS = 40
N_DOCS = PER_BLOCK * N_BLOCKS + 7
GOLD, SYSTEMS = corpus(5, n_docs=N_DOCS)
SOME = Resampling(60, blocks=N_BLOCKS)
NAMED = f",documents,blocks={N_BLOCKS}|"


def order_of(n_docs, clusters=None, seed=0):
    """The order of some documents, of which pairs have the same content."""
    content = rng(seed).integers(0, 2**63, n_docs).astype(np.uint64)
    content[1::2] = content[: 2 * (n_docs // 2) : 2]
    return cluster_order(np.arange(n_docs) if clusters is None else clusters, [content]), content


def board(gold=GOLD, systems=SYSTEMS, intervals=SOME, **options):
    sides = {name: spans(documents) for name, documents in systems.items()}
    return leaderboard(spans(gold), sides, ["span_f"], intervals=intervals, **options)


# --- the blocks


@pytest.mark.parametrize("n_docs", [40, 41, 79, 203])
def test_each_document_is_in_one_block(n_docs):
    docs, _ = block_order(order_of(n_docs)[0], 40, rng())
    assert sorted(docs) == list(range(n_docs))


@pytest.mark.parametrize("n_docs", [40, 203])
def test_blocks_are_of_one_size_or_one_more(n_docs):
    docs, starts = block_order(order_of(n_docs)[0], 40, rng())
    sizes = np.diff(np.append(starts, len(docs)))
    assert len(sizes) == 40
    assert set(sizes) <= {n_docs // 40, n_docs // 40 + 1}


def test_blocks_do_not_depend_on_the_order_of_documents():
    statistics, (order, content) = table(203), order_of(203)
    # documents of equal content are equal
    statistics = statistics[np.unique(content, return_inverse=True)[1]]
    some = rng(9).permutation(203)
    again = cluster_order(np.arange(203), [content[some]])
    one = grouped(statistics, block_order(order, 40, rng()), {})
    two = grouped(statistics[some], block_order(again, 40, rng()), {})
    assert (one.top == two.top).all()


def test_equal_documents_are_in_many_blocks():
    order = cluster_order(np.arange(400), [np.zeros(400, np.uint64)])
    _, starts = block_order(order, 40, rng())
    assert len(starts) == 40


# --- when there are blocks


@pytest.mark.parametrize(
    ("n", "blocks"), [(0, 0), (PER_BLOCK * N_BLOCKS, 0), (PER_BLOCK * N_BLOCKS + 1, N_BLOCKS)]
)
def test_blocks_are_for_many_documents_only(n, blocks):
    assert SOME.of_units(np.ones(n)).blocks == blocks


def test_the_seed_decides_on_the_blocks():
    order, _ = order_of(203)
    orders = [Resampling(60, seed, blocks=40).in_blocks(order)[0].tolist() for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]


# --- scores with them


def test_blocks_change_no_score_but_intervals():
    one, two = (
        evaluate(spans(GOLD), spans(SYSTEMS["s1"]), "span_f", intervals=how)["span_f"]
        for how in (SOME, Resampling(60, blocks=0))
    )
    assert (one.headline, one.per_label.keys()) == (two.headline, two.per_label.keys())
    assert ends(one) != ends(two)


def test_boards_do_not_depend_on_the_order_of_documents():
    some = rng(3).permutation(N_DOCS)
    other = {name: [docs[i] for i in some] for name, docs in SYSTEMS.items()}
    assert_alike(board(), board([GOLD[i] for i in some], other))


@pytest.mark.parametrize("text", [leaderboard_text, leaderboard_markdown])
def test_the_head_of_boards_names_blocks(text):
    found = board() | {"title": "", "gold": "gold", "layer": None}
    for one in found["systems"]:
        one |= {"source": "", "link": None, "year": None, "errors": None}
    assert f"60 resamples of {N_DOCS} documents in {N_BLOCKS} random blocks" in text(found)


def test_boards_of_few_documents_have_no_blocks():
    few = np.arange(N_DOCS) < 50
    found = board(subsets={"half": {"few": few, "many": ~few}})
    named = [NAMED in board["rows"][0]["signature"] for board in found["boards"] if board["subset"]]
    assert named == [False, False]


def test_clusters_are_what_is_put_into_blocks():
    clusters = np.repeat(np.arange(N_DOCS), 2)[:N_DOCS].tolist()
    assert board(clusters=clusters)["resampling"]["blocks"] == 0


def test_tests_exchange_blocks():
    found = board(intervals=Resampling(60, blocks=N_BLOCKS), systems={"a": GOLD, "b": GOLD})
    assert found["boards"][0]["pairs"][0]["observed"]["p_value"] == 1
    assert (
        board()["boards"][0]["pairs"]
        != board(intervals=Resampling(60, blocks=0))["boards"][0]["pairs"]
    )


def test_runs_are_compared_by_blocks():
    runs = [stored_run(spans(GOLD), spans(SYSTEMS[name]), ["span_f"]) for name in ("s1", "s2")]
    found = compare(*runs, intervals=SOME)
    text = report_markdown(compare_report(found))
    assert f"60 resamples of {N_DOCS} documents in {N_BLOCKS} random blocks" in text
    assert found["n_clusters"] == N_DOCS
    assert NAMED in found["metrics"][0]["signature"]


def test_agreement_names_blocks():
    panel = {name: spans(documents) for name, documents in SYSTEMS.items()}
    result = agree(panel, ["u_alpha"], intervals=SOME).result
    text = dict(agreement_details(result))["Intervals"]
    assert f"60 resamples of documents in {N_BLOCKS} random blocks (n_eff " in text
    assert result["resampling"]["blocks"] == N_BLOCKS


def test_trees_are_not_put_into_blocks(monkeypatch):
    from spacy_chance_eval import Trees, evaluate
    from spacy_chance_eval.scoring import intervals

    monkeypatch.setattr(intervals, "FEW", 1)
    trees = Trees.from_heads([[2, 0, 2]] * 16, [list("ABC")] * 16)
    scores = evaluate(trees, trees, ["uas"], intervals=Resampling(20, blocks=2))
    assert scores["uas"].resampling.endswith(",sentences")
