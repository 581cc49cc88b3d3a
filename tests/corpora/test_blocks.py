"""A corpus counted as one block and as many: the numbers are the same."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.blocks import (
    NONE,
    SOME,
    assert_alike,
    check,
    defaults,
    in_blocks,
    law_requests,
    made,
    many_blocks,
    one_block_only,
    rows_of,
    score,
    two_files,
    two_folders,
)
from helpers.cases import later
from helpers.laws import LAWS, asked_for
from helpers.strategies import KINDS, pairs
from helpers.teamfiles import (
    agree,
    agree_in_blocks,
    files_of_board,
    rank,
    rank_in_blocks,
    rows_of_board,
    team,
)
from spacy_chance_eval import Resampling
from spacy_chance_eval.corpora import passes
from spacy_chance_eval.corpora.compared import Compared
from spacy_chance_eval.corpora.jobs import Asked, Job
from spacy_chance_eval.corpora.panels import AnnotatorSources
from spacy_chance_eval.corpora.passes import Workers
from spacy_chance_eval.corpora.sources import Source
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.runs.files import read_run
from spacy_chance_eval.scoring.counts import is_drawn
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.tasks.score import score_files

# --- the law


def score_law(path, kind):
    files, metrics = two_files(path, made(6, kind=kind)), law_requests(kind)
    return lambda: score(*files, metrics=metrics, intervals=NONE)


def save_law(path, kind):
    files, metrics = two_files(path, made(6, kind=kind)), law_requests(kind)

    def saved():
        score_files(*files, metrics=metrics, run=path / "a.run", text=False)
        return described(read_run(path / "a.run"))

    return saved


def agree_law(path, kind):
    sources = team(path, 3, kind=kind, n_docs=6)
    metrics = {key: one for key, one in law_requests(kind).items() if one.row.survey is None}
    return lambda: agree(sources, metrics=metrics, worst=None, intervals=NONE)


def rank_law(path, kind):
    sources, metrics = files_of_board(path, rows_of_board(6, kind=kind)), law_requests(kind)
    return lambda: rank(*sources, metrics=metrics, intervals=NONE)


def described(run):
    """All that a run holds, but for the time when it was saved, in plain values."""
    stored = {name: one for name, one in vars(run.counts).items() if name != "spans"}
    return plain_values(stored | {**run.about(), "saved": None})


def plain_values(one):
    if is_dataclass(one):
        return plain_values({part.name: getattr(one, part.name) for part in fields(one)})
    if isinstance(one, Mapping):
        return {str(key): plain_values(value) for key, value in one.items()}
    if isinstance(one, (list, tuple)):
        return [plain_values(value) for value in one]
    return one.tolist() if isinstance(one, np.ndarray) else one


@pytest.mark.parametrize("kind", ["flat", *later("nested", "disjoint", "overlapping")])
@pytest.mark.parametrize("task", [score_law, *later(save_law, agree_law, rank_law)])
def test_one_block_and_many_give_the_same_for_every_metric(task, kind, tmp_path):
    run = task(tmp_path, kind)
    expected = run()
    with many_blocks():
        assert_alike(run(), expected)


def labels_meet(pair):
    """Whether both sides use a label, or one of them none; each document is annotated by both."""
    gold, pred = ({span[2] for spans in side for span in spans} for side in (pair.gold, pair.pred))
    return not gold or not pred or bool(gold & pred)


@given(pair=pairs(kinds=("disjoint",), docs=7), few=st.integers(1, 3))
def test_small_corpora_have_the_numbers_of_one_block(tmp_path_factory, pair, few):
    files = two_files(tmp_path_factory.mktemp("blocks"), list(rows_of(pair)))
    names = ("span_f", "token_recall", "slicm", "gwet_ac1", "alpha_u", "gate_f")
    metrics = {name: asked_for(name) for name in names}
    seen = all(None not in both for both in zip(pair.gold, pair.pred))
    if seen and labels_meet(pair):  # where they do not, there is no score but an error
        expected = score(*files, metrics=metrics, intervals=Resampling(5))
        with many_blocks(few, few + 1):
            assert_alike(score(*files, metrics=metrics, intervals=Resampling(5)), expected)


@pytest.mark.integration
@pytest.mark.parametrize("kept", [0, 2000])
def test_documents_that_are_read_twice_have_the_numbers_of_one_block(kept, tmp_path):
    check(*two_files(tmp_path, made()), metrics=law_requests("flat"), intervals=NONE, kept=kept)


@pytest.mark.parametrize("seed", [0, *later(1, 2)])
def test_intervals_are_those_of_one_block(seed, tmp_path):
    bca = Resampling(20, seed, interval="bca")
    check(*two_files(tmp_path, made(seed=seed)), intervals=bca)
    for n in (2, 4):
        sources = team(tmp_path / str(n), n, seed=seed)
        options = {"intervals": bca, "worst": None}
        assert_alike(agree_in_blocks(sources, **options), agree(sources, **options))


# --- what is kept


@pytest.fixture
def counted(monkeypatch):
    """The counts of each block, as they were made."""
    made_so, plain_work = [], Job.count_content

    def count(*arguments, **options):
        made_so.append(plain_work(*arguments, **options))
        return made_so[-1]

    monkeypatch.setattr(Job, "count_content", count)
    return made_so


def test_without_intervals_only_sums_are_kept(counted, tmp_path):
    in_blocks(*two_files(tmp_path, made()), intervals=NONE, per_doc=False)
    agree_in_blocks(team(tmp_path), intervals=NONE)
    assert len(counted) > 4 and not any(one.by_document for one in counted)
    arrays = [table for one in counted for table in one.support.values()]
    assert {len(table) for table in arrays} == {1}


@pytest.mark.parametrize("per_doc", [False, True])
@pytest.mark.parametrize("kept", [None, 0])
def test_intervals_unasked_are_of_few_documents(counted, tmp_path, per_doc, kept):
    files, options = two_files(tmp_path, made(20)), {"per_doc": per_doc, "kept": kept}
    few, many = (Resampling(20, most_docs=n) for n in (20, 5))
    assert_alike(in_blocks(*files, intervals=few, **options), score(*files, per_doc=per_doc))
    expected = score(*files, intervals=NONE, per_doc=per_doc)
    (note,) = many.notes(20)
    expected["warnings"].append(note)
    assert "20 documents are many. Ask for them by --resamples 20." in note
    assert_alike(score(*files, intervals=many, per_doc=per_doc), expected)
    counted.clear()
    assert_alike(in_blocks(*files, intervals=many, **options), expected)
    assert all(one.words is None and one.by_document == per_doc for one in counted)


def test_intervals_unasked_take_little_memory(tmp_path, monkeypatch):
    files, default = two_files(tmp_path, made(20)), Resampling(20, most_docs=100)
    monkeypatch.setattr(passes, "ROWS", 3000)
    layer = in_blocks(*files, intervals=default)["layers"][0]
    assert layer["scores"]["span_f"]["low"] is None
    assert_alike(in_blocks(*files), score(*files))  # on request they may take more


def of_label(n_docs, label="A", last="A"):
    """Rows of documents with one span each, the last one perhaps of another label."""
    labels = [label] * (n_docs - 1) + [last]
    spans = [{"tokens": ["a", "b"], "spans": [[0, 1, one]]} for one in labels]
    return list(zip(spans, spans))


@pytest.mark.parametrize("kept, times", [(None, 1), (0, 2)])
def test_files_are_read_once_if_what_they_hold_fits_into_memory(kept, times, tmp_path, monkeypatch):
    read, plain_work = [], Job.content
    monkeypatch.setattr(Job, "content", lambda *some: read.append(1) or plain_work(*some))
    check(*two_files(tmp_path, of_label(9)), kept=kept, metrics=defaults("span_f"))
    assert len(read) == 4 * times + 1  # of 2, 3, 3 and 1 documents; and as one block


# --- workers


def test_threads_find_the_same(tmp_path):
    files = two_files(tmp_path, made())
    with ThreadPoolExecutor(3) as threads:
        assert in_blocks(*files, workers=Workers(executor=threads)) == in_blocks(*files)


@pytest.mark.integration
def test_processes_find_the_same(tmp_path):
    files, folders = two_files(tmp_path, made()), two_folders(tmp_path, list(made()))
    assert in_blocks(*files, workers=Workers(n_process=2)) == in_blocks(*files)
    check(*folders, workers=Workers(n_process=2))
    sources = team(tmp_path / "team", 3)
    both = [agree_in_blocks(sources, workers=Workers(n)) for n in (2, 1)]
    assert both[0] == both[1]


# --- what is one block


def test_memory_decides_on_blocks_not_the_bytes_of_files(tmp_path, monkeypatch):
    """A panel takes more than a pair of the same files, and more of it the more annotators."""
    paths = team(tmp_path)
    sources = [Source(str(path)).looked_at() for path in paths]
    one = sum(source.memory for source in sources[:2])
    monkeypatch.setattr(passes, "LARGE", 1.5 * one)
    monkeypatch.setattr(passes, "_count_one_block", one_block_only)
    agree(paths[:2], intervals=NONE)
    with pytest.raises(AssertionError, match="counted as one block"):
        score(*paths[:2])
    of_two, of_many = (AnnotatorSources((), "file", Reading()).weight(n) for n in (2, 50))
    assert 1 < of_two < of_many


def test_many_labels_are_counted_in_blocks(tmp_path, monkeypatch):
    """That they are many is known when all has been read."""
    paths = two_files(tmp_path, made(16))
    whole, asked = score(*paths, intervals=NONE), []
    in_blocks_of = passes._Passes.run

    def run(self):
        asked.append(self.job.weight(2))
        return in_blocks_of(self)

    monkeypatch.setattr(passes._Passes, "run", run)
    monkeypatch.setattr(passes, "WIDE", 1)
    monkeypatch.setattr(passes, "NARROW", 1)
    assert_alike(score(*paths, intervals=NONE), whole)
    assert len(asked) == 1 and asked[0] > 1
    drawn = {"a": asked_for("slicm_norm", chance="disjoint")}
    score(*paths, metrics=drawn, intervals=NONE)  # which only one block can have
    assert len(asked) == 1


def test_rows_that_do_not_fit_into_memory_are_refused(tmp_path, monkeypatch):
    paths = team(tmp_path)
    monkeypatch.setattr(passes, "LIMIT", 1000)
    with many_blocks():
        agree(paths, intervals=NONE, worst=0)
        with pytest.raises(ValueError, match="--resamples 0"):
            agree(paths, intervals=SOME)


@pytest.mark.integration
def test_metrics_whose_chance_is_drawn_are_counted_as_one_block(one_block, tmp_path):
    drawn = asked_for("slicm_norm", chance="disjoint")
    assert is_drawn(drawn) and not is_drawn(asked_for("span_f"))
    score(*two_files(tmp_path, made()), metrics={"a": drawn}, intervals=NONE)
    agree(team(tmp_path), metrics={"a": drawn}, intervals=NONE)
    assert len(one_block) == 2
    # that they overlap is known when all have been read
    agree(team(tmp_path, kind="overlapping"), metrics=["link_f"], intervals=NONE)
    files = two_files(tmp_path, made(kind="overlapping"))
    score(*files, metrics=default_requests(["link_f"]), intervals=NONE)
    assert len(one_block) == 4


def test_metrics_of_the_whole_corpus_are_counted_as_one_block(one_block, tmp_path):
    weighed = {"a": parse("slicm(token_information=corpus)")}
    score(*two_files(tmp_path, made()), metrics=weighed, intervals=NONE)
    rank(*files_of_board(tmp_path), metrics=weighed, intervals=NONE)
    for metric in ("cohen_kappa", "alpha_u", "slicm"):
        agree(team(tmp_path), metrics=[metric], intervals=NONE)
    assert len(one_block) == 5
    with pytest.raises(ValueError, match="metrics that add up over documents"):
        score(*two_folders(tmp_path, made()), metrics=weighed, workers=Workers(skip_bad=True))


def test_worst_documents_of_boards_are_those_of_one_block(one_block, tmp_path):
    rank(*files_of_board(tmp_path), worst=2, intervals=NONE)
    assert one_block


def test_every_metric_is_in_the_law():
    asked = {one.metric for kind in ("flat", *KINDS) for one in law_requests(kind).values()}
    assert asked == set(LAWS)
    assert SOME.resamples and rank_in_blocks


def test_files_that_one_process_reads_as_fast_are_read_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(passes, "_count_many_blocks", one_block_only)
    notes = []
    workers = Workers(n_process=2, note=notes.append)
    files = two_files(tmp_path, made())
    assert score(*files, workers=workers) == score(*files)
    assert "2 processes are not used" in notes[0]
    assert len(notes) == 1


@pytest.mark.parametrize("format, least", [("conll", 60_000_000), ("jsonl", 30_000_000)])
def test_processes_are_used_from_a_measured_size_on(format, least):
    sources = [Source("a", format=format, files=("a",))]
    job = Job(Asked({"a": "span_f"}), Compared(None))
    found = [passes._is_quick(sources, job, Workers(n_process=2), least + more) for more in (0, 1)]
    assert found == [True, False]
