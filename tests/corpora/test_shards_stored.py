"""Runs of large files, saved in parts: they are those of the whole files."""

from operator import eq

import numpy as np
import pytest

from helpers.laws import assert_equal_statistics
from helpers.shardfiles import (
    USUAL,
    apart,
    law_requests,
    made,
    plain,
    tiny,
    two_files,
    two_folders,
    written,
)  # fmt: skip
from spacy_chance_eval import compare
from spacy_chance_eval.runs.files import read_run
from spacy_chance_eval.tasks.save import save_files

pytestmark = pytest.mark.integration


def saved(path, *files, metrics=USUAL, large=-1, kept=None, **settings):
    """(run, result) of saving files in parts or, if they are not large, as a whole."""
    with tiny(large=large, kept=kept):
        result = save_files(path, *files, metrics=metrics, **settings)
    return read_run(path), result


def columns(spans):
    names = ("doc", "start", "end", "label", "sizes", "seen", "sentences", "stretches", "unplaced")
    return {name: getattr(spans, name).tolist() for name in names}


def assert_same_run(one, two):
    """Two runs that say the same, but for the time when they were saved."""
    for name in ("labels", "names", "unit", "clusters", "facts", "sources", "version", "title"):
        assert getattr(one, name) == getattr(two, name), name
    for table in ("keys", "support"):
        mine, other = getattr(one, table), getattr(two, table)
        assert mine.keys() == other.keys()
        for key, array in mine.items():
            assert array.dtype == other[key].dtype and np.array_equal(array, other[key]), key
    assert np.array_equal(one.seen, two.seen)
    assert one.metrics.keys() == two.metrics.keys()
    for name, kept in one.metrics.items():
        other = two.metrics[name]
        assert (kept.request, kept.draws) == (other.request, other.draws)
        assert kept.prior.keys() == other.prior.keys()
        for key, prior in kept.prior.items():
            same = np.array_equal if isinstance(prior, np.ndarray) else eq
            assert same(prior, other.prior[key])
        for mine, theirs in zip(kept.statistics.parts(), other.statistics.parts(), strict=True):
            assert_equal_statistics(mine, theirs)
    assert (one.annotations is None) == (two.annotations is None)
    if one.annotations:
        for side in ("gold", "pred"):
            mine, other = (getattr(run.annotations, side) for run in (one, two))
            assert columns(mine) == columns(other)
            for name in ("labels", "words", "names"):
                assert getattr(mine, name) == getattr(other, name), name
        assert one.annotations.texts == two.annotations.texts


@pytest.mark.parametrize("annotations", ["none", "spans", "text"])
@pytest.mark.parametrize("kept", [0, 2000, 10**9])
def test_a_run_in_parts_is_that_of_the_whole(kept, annotations, tmp_path):
    files = two_files(tmp_path, made())
    wanted = {"annotations": annotations, "title": "t"}
    expected, told = saved(tmp_path / "a.run", *files, large=10**9, **wanted)
    found, said = saved(tmp_path / "b.run", *files, kept=kept, **wanted)
    assert_same_run(found, expected)
    told["run"] = said["run"]
    assert not list(apart(plain(said), plain(told)))


def test_every_metric_is_saved_as_of_the_whole(tmp_path):
    files, metrics = two_files(tmp_path, made()), law_requests("flat")
    expected, _ = saved(tmp_path / "a.run", *files, metrics=metrics, large=10**9)
    assert_same_run(saved(tmp_path / "b.run", *files, metrics=metrics)[0], expected)


@pytest.mark.parametrize("named", [True, False])
def test_a_run_of_folders_is_that_of_the_whole(named, tmp_path):
    rows = [
        tuple(side | {"article": f"a{i // 3}"} for side in both)
        for i, both in enumerate(made(17, named=named))
    ]
    files = two_folders(tmp_path, rows, 3, 4)
    expected, _ = saved(tmp_path / "a.run", *files, large=10**9)
    found, _ = saved(tmp_path / "b.run", *files)
    assert_same_run(found, expected)
    assert found.unit == "article" and (found.names is None) is not named


def test_layers_of_one_file_are_saved(tmp_path):
    rows = [{**gold, "layers": {"zoe": pred["spans"]}} for gold, pred in made(more=False)]
    path = written(tmp_path / "all.jsonl", rows)
    expected, _ = saved(tmp_path / "a.run", path, large=10**9)
    found, _ = saved(tmp_path / "b.run", path)
    assert_same_run(found, expected)
    assert found.sources[0].endswith("#spans")


def test_runs_in_parts_compare_with_those_of_the_whole(tmp_path):
    rows = list(made(30, more=False))
    one, _ = saved(tmp_path / "a.run", *two_files(tmp_path / "a", rows), large=10**9)
    better = [(gold, gold if i % 2 else pred) for i, (gold, pred) in enumerate(rows)]
    files = two_files(tmp_path / "b", better)
    two, three = (saved(tmp_path / "b.run", *files, large=large)[0] for large in (10**9, -1))
    results = [plain(compare(one, new)) for new in (two, three)]
    for result in results:
        result["new"].pop("saved")
    assert not list(apart(*results))


def test_an_older_run_is_replaced_only_by_a_whole_one(tmp_path):
    files = two_files(tmp_path, made())
    saved(tmp_path / "a.run", *files)
    before = (tmp_path / "a.run").read_bytes()
    files[1].write_text(files[1].read_text()[:-9])
    with pytest.raises(ValueError, match="pred.jsonl"):
        saved(tmp_path / "a.run", *files)
    assert (tmp_path / "a.run").read_bytes() == before
