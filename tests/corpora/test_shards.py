"""Scores of large files, which are read in parts: they are those of the whole files."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.laws import asked_for
from helpers.shardfiles import (
    NONE,
    USUAL,
    check,
    defaults,
    in_shards,
    law_requests,
    made,
    rows_of,
    tiny,
    two_files,
    two_folders,
    whole,
)  # fmt: skip
from helpers.strategies import KINDS, pairs
from spacy_chance_eval import Resampling, request
from spacy_chance_eval.corpora.sharded import count_sharded, is_drawn
from spacy_chance_eval.corpora.shards import Workers
from spacy_chance_eval.scoring.intervals import n_rows
from spacy_chance_eval.tasks.score import score_sharded

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def pieces():
    """Pieces of two or three documents, whatever the size of the files."""
    with tiny():
        yield


# --- numbers


@pytest.mark.parametrize("kind", ("flat", *KINDS))
def test_every_metric_has_the_numbers_of_the_whole(kind, tmp_path):
    check(*two_files(tmp_path, made(kind=kind)), law_requests(kind), intervals=NONE)


@pytest.mark.parametrize("kept", [0, 2000])
def test_numbers_are_the_same_if_documents_are_read_twice(kept, tmp_path):
    files = two_files(tmp_path, made())
    with tiny(kept=kept):
        check(*files, law_requests("flat"), intervals=NONE)


@settings(max_examples=15)
@given(pair=pairs(kinds=("disjoint",), docs=7), few=st.integers(1, 3))
def test_numbers_of_small_corpora_are_those_of_the_whole(tmp_path_factory, pair, few):
    files = two_files(tmp_path_factory.mktemp("shards"), list(rows_of(pair)))
    names = ("span_f", "token_recall", "slicm", "gwet_ac1", "u_alpha", "alpha_u", "gate_f")
    metrics = defaults(*(name for name in names if name != "u_alpha"))
    metrics["words"] = asked_for("slicm", token_information="corpus", rank="information")
    with tiny(few, few + 1):
        if all(None not in both for both in zip(pair.gold, pair.pred)):
            check(*files, metrics, intervals=Resampling(5))


def test_long_documents_have_the_numbers_of_the_whole(tmp_path):
    files = two_files(tmp_path, made(7, longest=400, more=False))
    check(*files, law_requests("flat"), intervals=NONE)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_those_of_the_whole(seed, tmp_path):
    files = two_files(tmp_path, made(seed=seed))
    check(*files, law_requests("flat") if seed == 0 else USUAL)
    check(*files, intervals=Resampling(20, seed, interval="bca"))


@pytest.mark.slow
def test_random_corpora_of_gamma_are_those_of_the_whole(tmp_path):
    pytest.importorskip("pygamma_agreement", reason="no pygamma-agreement")
    files = two_files(tmp_path, made(4))
    check(*files, {"gamma": request("gamma", samples=2)}, intervals=NONE)


def test_the_sizes_of_what_is_compared_are_those_of_the_whole(tmp_path):
    files = two_files(tmp_path, made(30))
    layer = check(*files)
    assert min(layer["n_skipped"], layer["n_unplaced"]) > 0
    assert list(layer) == list(whole(*files)["layers"][0])


# --- what is kept


def test_without_intervals_only_sums_are_kept(tmp_path):
    metrics = law_requests("flat")
    found = count_sharded(*two_files(tmp_path, made()), metrics, reading={}, workers=None).tally
    assert found.rows is None
    assert {n_rows([one]) for one in found.statistics.values()} == {1}
    assert {len(table) for table in found.support.values()} == {1}


def test_names_are_kept_for_scores_of_documents_only(tmp_path):
    files = two_files(tmp_path, made())
    with_rows = count_sharded(*files, USUAL, reading={}, workers=None, rows=True)
    assert with_rows.tally.rows.names is None and with_rows.tally.rows.pair is None


def test_words_count_as_bytes_that_are_kept(tmp_path):
    metrics = {"slicm": asked_for("slicm", token_information="corpus")}
    files = two_files(tmp_path, made(longest=50, more=False))
    with tiny(kept=3000):
        check(*files, metrics, intervals=NONE)


# --- workers


def test_threads_find_the_same(tmp_path):
    files = two_files(tmp_path, made())
    alone = in_shards(*files)
    with ThreadPoolExecutor(3) as threads:
        assert in_shards(*files, workers=Workers(executor=threads)) == alone


def test_processes_find_the_same(tmp_path):
    files, folders = two_files(tmp_path, made()), two_folders(tmp_path, list(made()))
    assert in_shards(*files, workers=Workers(n_process=2)) == in_shards(*files)
    check(*folders, workers=Workers(n_process=2))


# --- what has to be read as a whole


def test_small_files_are_read_as_a_whole(tmp_path):
    with tiny(large=10**9):
        assert score_sharded(*two_files(tmp_path, made()), USUAL, {}, None) is None


def test_metrics_whose_chance_is_drawn_are_read_as_a_whole(tmp_path):
    drawn = asked_for("slicm_norm", chance="disjoint")
    assert is_drawn(drawn) and not is_drawn(asked_for("span_f"))
    assert score_sharded(*two_files(tmp_path, made()), {"a": drawn}, {}, None) is None
