"""Curves of spans with random errors, and spans with errors in files."""

import json
import re

import numpy as np
import pytest

from helpers.cases import each_case
from spacy_chance_eval import evaluate, perturb_spans, read
from spacy_chance_eval.corpora.jobs import Asked
from spacy_chance_eval.corpora.panels import PanelOptions
from spacy_chance_eval.measures.perturbation import ERRORS
from spacy_chance_eval.tasks.span_errors import SPAN_ERROR_METRICS, perturb_corpus, write_perturbed

ROWS = [
    {"tokens": list("abcdef"), "layers": {"x": [[0, 2, "P"], [3, 5, "Q"]], "y": [[0, 6, "P"]]}},
    {"tokens": list("ghij"), "layers": {"x": [[1, 2, "P"]], "y": None}},
    {"tokens": list("kl"), "layers": {"x": None, "y": []}},
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return path


@pytest.mark.parametrize("kind", ["drop", "extend"])
def test_each_value_is_a_score_of_perturbed_spans(path, kind):
    result = perturb_corpus(path, probabilities=[0.3, 0.8], runs=2, seed=5, kinds=[kind])
    gold = read(path).spans("x")
    for index, p in enumerate([0.3, 0.8]):
        for run in range(2):
            noisy = perturb_spans(gold, {kind: p}, np.random.default_rng([5, index, run]))
            expected = evaluate(gold, noisy, SPAN_ERROR_METRICS)
            found = [row for row in result["rows"] if row["probability"] == p]
            assert {row["metric"]: row["values"][run] for row in found} == {
                name: score.value for name, score in expected.items()
            }


def test_records_have_a_row_for_each_run(path):
    result = perturb_corpus(path, probabilities=[0.3, 0.8], runs=2, kinds=["drop", "extend"])
    rows = result.records()
    assert [row["value"] for row in rows] == [
        value for row in result["rows"] for value in row["values"]
    ]
    assert {row["corpus"] for row in rows} == {str(path)}
    assert {row["run"] for row in rows} == {1, 2} and len({tuple(row) for row in rows}) == 1
    assert "drop" in str(result).lower()


def test_kinds_have_the_same_draws_and_the_share_that_changed(path):
    result = perturb_corpus(path, runs=1, probabilities=[0.5, 1])
    assert result["kinds"] == [*ERRORS] == [*result["changed"]]
    assert [result["changed"][kind][1] for kind in ("drop", "split", "add")] == [1, 2 / 3, 0]
    facts = [result[key] for key in ("n_docs", "n_all", "n_tokens", "n_spans", "n_labels")]
    assert facts == [2, 2, 10, 3, 2]  # the third document is not annotated


def test_documents_are_drawn(path):
    result = perturb_corpus(path, docs=1, runs=1, probabilities=[1], kinds=["drop"])
    assert (result["n_docs"], result["n_all"]) == (1, 2) and result["n_tokens"] in (4, 6)


def test_overlapping_spans_have_the_chance_model_that_they_allow(tmp_path):
    row = {"tokens": list("abcdef"), "layers": {"x": [[0, 3, "P"], [2, 5, "P"]]}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    result = perturb_corpus(tmp_path / "a.jsonl", runs=1, probabilities=[1], kinds=["shift"])
    assert "span_f(beta=1.0,chance=overlapping,unit=doc)" in result["requests"]


@each_case("to", ["jsonl", "spacy", "conll"])
def test_spans_with_errors_read_from_any_format_are_those_of_python(path, tmp_path, to):
    target = tmp_path / f"b.{to}"
    write_perturbed(path, target, {"split": 0.7, "add": 1}, to=to, seed=3)
    gold = read(path).spans("x")
    noisy = perturb_spans(gold, {"split": 0.7, "add": 1}, np.random.default_rng(3))
    written = read(target, format=to)
    found = written.spans(written.layer_names[0])
    columns = ("start", "end", "label")
    assert [getattr(found, one).tolist() for one in columns] == [
        getattr(noisy, one).tolist() for one in columns
    ]


def test_annotation_that_was_not_seen_stays_so(path, tmp_path):
    write_perturbed(path, tmp_path / "b.jsonl", {"drop": 1})
    rows = map(json.loads, (tmp_path / "b.jsonl").read_text().splitlines())
    assert [row["layers"]["x"] for row in rows] == [[], [], None]


def test_features_and_unplaced_spans_are_written(tmp_path):
    spans = [
        {"start": 0, "end": 3, "label": "P", "features": {"n": 1}},
        {"start": 4, "end": 6, "label": "Q"},
    ]
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "Ada met", "spans": spans}))
    reading = PanelOptions(
        tokenize=lambda text: [one.span() for one in re.finditer(r"\S+", text)],
        options={"offsets": "char"},
    )
    result = write_perturbed(
        tmp_path / "a.jsonl", tmp_path / "b.jsonl", {"relabel": 1, "shift": 1}, reading=reading
    )
    assert (result["n_spans"], result["n_noisy"], result["changed"]) == (2, 2, 0.5)
    (document,) = read(tmp_path / "b.jsonl").documents
    assert document.features["spans"] == {(1, 2, "Q"): {"n": 1}}


def test_several_metrics_are_taken_as_they_are_asked_for(path):
    asked = Asked({"mine": "span_f(chance=none)"})
    result = perturb_corpus(path, asked=asked, runs=1, probabilities=[1], kinds=["drop"])
    assert result["metrics"] == ["mine"] and result["rows"][0]["mean"] == 0


def test_metrics_of_trees_are_refused(path):
    with pytest.raises(ValueError, match="las"):
        perturb_corpus(path, asked=Asked(("las",)))
