"""Files of runs: what is written is read again, and nothing else is."""

import zipfile

import numpy as np
import pytest

from helpers.cases import each_case, later
from helpers.laws import LAWS, each_metric, fields_of, fitting, requests
from helpers.strategies import random_pair
from spacy_chance_eval import CATALOG, FormatError, request
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.measures.stats import Divided, Valued
from spacy_chance_eval.runs.files import check_target, read_run, stored_run, write_run

METRICS = ["span_f", "slicm_norm", "cohen_kappa", "alpha_u"]


def run_of(seed=1, metrics=METRICS, kind="disjoint", **settings):
    return stored_run(*fitting("cu_alpha", random_pair(seed, kind)).sides(), metrics, **settings)


def written(path, run):
    write_run(path, run)
    return read_run(path)


@pytest.fixture
def path(tmp_path):
    """A file of a run."""
    write_run(tmp_path / "a.run", run_of(annotations="text"))
    return tmp_path / "a.run"


# --- the identity


def same(one, two):
    return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()


@each_metric
@pytest.mark.parametrize("kind", ["flat", "nested", *later("disjoint", "overlapping")])
def test_reading_gives_the_statistics_that_were_written(tmp_path, name, kind):
    pair = fitting(name, random_pair(3, "disjoint" if kind == "flat" else kind))
    asked = [*requests(name, pair.kind), *requests(name, pair.kind, drawn=True)]
    run = stored_run(*pair.sides(), asked, draws=3)
    again = written(tmp_path / "a.run", run)
    assert list(again.metrics) == [str(one) for one in asked]
    for key, kept in run.metrics.items():
        back = again.metrics[key]
        assert back.request == kept.request and back.request.parameters == kept.request.parameters
        assert (back.draws, back.statistics.exact) == (kept.draws, kept.statistics.exact)
        parts = zip(kept.statistics.parts(), back.statistics.parts(), strict=True)
        for one, two in parts:
            assert type(one) is type(two)
            assert all(map(same, fields_of(one), fields_of(two)))


@each_metric
def test_counts_return_what_is_declared(name):
    pair = fitting(name, random_pair(1))
    asked = request(name, **dict(LAWS[name].always))
    gold, pred = pair.sides()
    run = stored_run(gold, pred, [asked])
    found = run.metrics[str(asked)].statistics.observed
    kind = CATALOG[name].layout.kind
    assert isinstance(found, Divided if issubclass(kind, Valued) else kind)
    assert isinstance(found.whole if issubclass(kind, Valued) else found, kind)


def test_everything_else_is_read_again(path):
    run, again = run_of(annotations="text", saved="then"), read_run(path)
    assert again.counts.labels == run.counts.labels
    assert again.counts.documents == run.counts.documents
    assert again.facts == run.facts and again.version == run.version
    assert all(map(same, run.keys.values(), again.keys.values()))
    assert all(map(same, run.counts.support.values(), again.counts.support.values()))
    for side in ("gold", "pred"):
        mine, back = getattr(run.annotations, side), getattr(again.annotations, side)
        assert mine.digest() == back.digest() and mine.words == back.words
    for key, kept in run.metrics.items():
        assert again.metrics[key].columns.keys() == kept.columns.keys()
        for name, values in kept.columns.items():
            assert list(again.metrics[key].columns[name]) == list(values)


def test_equal_runs_make_equal_files(tmp_path):
    for name in "ab":
        write_run(tmp_path / name, run_of(saved="then"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_run_says_when_it_was_saved_and_what_it_is(tmp_path):
    about = written(
        tmp_path / "a", run_of(saved="2026-01-01", title="x", sources=("g", "p"))
    ).about()
    assert (about["saved"], about["title"], about["gold"]) == ("2026-01-01", "x", "g")
    assert run_of().saved.endswith("+00:00")


@pytest.mark.parametrize("annotations", ["none", "spans", "text"])
def test_no_more_is_kept_of_the_annotation_than_was_asked_for(tmp_path, annotations):
    run = written(tmp_path / "a", run_of(annotations=annotations))
    assert (run.annotations is None) == (annotations == "none")
    assert annotations == "none" or (run.annotations.gold.words is None) == (annotations == "spans")


def test_texts_of_characters_are_kept(tmp_path):
    sides = [Spans.from_tuples([[(0, 3, "PER")]], [9])] * 2
    run = stored_run(*sides, ["span_f"], annotations="text", texts=["Ada slept"])
    assert written(tmp_path / "a", run).annotations.text(0, 4, 9) == "slept"


def test_hostile_names_are_kept_as_they_are(tmp_path):
    names = ['<b>"\n../x', "\ud800 $x$"]
    spans = Spans.from_tuples([[(0, 1, names[0])], []], [3, 3], names=names)
    assert written(tmp_path / "a", stored_run(spans, spans, ["span_f"])).counts.documents == tuple(
        names
    )


# --- what cannot be saved


NOBODY = Spans.from_tuples([None], [3], ["A"])


@each_case(
    ("make", "message"),
    [
        (lambda: run_of(metrics=["fscore"]), "unknown metric 'fscore'"),
        (lambda: run_of(annotations="all"), "unknown value of annotations 'all'; expected one of "),
        (lambda: stored_run(NOBODY, NOBODY, ["span_f"]), "nothing to score"),
    ],
)
def test_what_cannot_be_saved_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_an_older_file_stays_if_the_new_one_cannot_be_written(path, monkeypatch):
    before = path.read_bytes()
    monkeypatch.setattr("numpy.savez_compressed", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_run(path, run_of())
    assert path.read_bytes() == before and [p.name for p in path.parent.iterdir()] == ["a.run"]


@each_case("content", [b"words", b"PK\x03\x04", None])
def test_another_file_is_not_replaced(tmp_path, content):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.ones(3)) if content is None else path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(FormatError, match="not a run written by `score`"):
        write_run(path, run_of())
    assert path.read_bytes() == before


def test_a_run_does_not_replace_what_it_is_made_of(tmp_path, path):
    (tmp_path / "link").symlink_to(path)
    for one in (path, tmp_path / "link"):
        with pytest.raises(FormatError, match="would be read and replaced"):
            check_target(one, [tmp_path / "none", path])
    check_target(path, [tmp_path / "none"])


def test_sides_keep_what_is_shared_by_several_metrics_once(tmp_path):
    one, many = ["span_f"], ["span_f", "span_precision", "span_recall", "span_f(beta=2)"]
    sizes = []
    for metrics in (one, many):
        write_run(tmp_path / "a", run_of(metrics=metrics, saved="then"))
        with zipfile.ZipFile(tmp_path / "a") as archive:
            sizes.append(len(archive.namelist()))
    assert sizes[0] == sizes[1]
    run = read_run(tmp_path / "a")
    first, second = (run.metrics[name].statistics.observed for name in many[:2])
    assert first.gold is second.gold
