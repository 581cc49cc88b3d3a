"""Random errors in a treebank: what the experiment says, and that it can be repeated."""

import json

import numpy as np
import pytest

from helpers.cases import each_case
from spacy_chance_eval import Trees, evaluate_trees
from spacy_chance_eval.metrics.catalog import TREE_CATALOG
from spacy_chance_eval.tasks.perturb import (
    NOISES,
    SYNTAX_METRICS,
    experiment,
    perturb_treebank,
    perturbed,
)

PLAIN, DIFF, NORM, LAS, UAS = SYNTAX_METRICS
HEADS = [[2, 0, 4, 2], [2, 0], [0, 1, 1], [0], [3, 3, 0, 5, 3]]
RELATIONS = [["A", "B", "C", "D"], ["A", "B"], ["B", "D", "D"], ["B"], ["C", "A", "B", "C", "D"]]
TREES = Trees.from_heads(HEADS, RELATIONS)


# --- what the experiment says


def test_each_value_is_a_score_of_perturbed_trees():
    result = experiment(TREES, probabilities=[0.3, 0.8], runs=3, seed=5)
    row = next(
        row
        for row in result["rows"]
        if (row["noise"], row["probability"], row["metric"]) == ("labels", 0.8, PLAIN)
    )
    expected = [
        evaluate_trees(TREES, perturbed(TREES, 0.8, 0, np.random.default_rng([5, 1, run])), [PLAIN])
        for run in range(3)
    ]
    assert row["values"] == [scores[PLAIN].value for scores in expected]
    assert row["mean"] == pytest.approx(sum(row["values"]) / 3)
    assert (row["lowest"], row["highest"]) == (min(row["values"]), max(row["values"]))


def test_every_noise_probability_and_metric_has_a_row():
    result = experiment(TREES, probabilities=[0.5, 1.0], metrics=["las", "uas"], runs=2)
    keys = [(row["noise"], row["probability"], row["metric"]) for row in result["rows"]]
    assert keys == [(n, p, m) for n in NOISES for p in (0.5, 1.0) for m in ("las", "uas")]
    assert result["requests"] == [
        "las(ignore=none,subtypes=keep)",
        "uas(ignore=none,subtypes=keep)",
    ]
    facts = [result[key] for key in ("n_sentences", "n_tokens", "n_labels", "runs")]
    assert facts == [5, 15, 4, 2]


def test_all_metrics_are_those_of_such_trees_with_others_beside_them():
    result = experiment(TREES, probabilities=[1.0], metrics=["all", "las(ignore=A)"], runs=1)
    of_dependencies = [name for name, row in TREE_CATALOG.items() if "dependency" in row.kinds]
    assert result["metrics"] == [*of_dependencies, "las(ignore=A)"]


def test_two_names_of_one_metric_are_both_there():
    result = experiment(TREES, probabilities=[1.0], metrics=["las", "las(ignore=none)"], runs=1)
    one, two = result["rows"][:2]
    assert one["values"] == two["values"] and one["metric"] != two["metric"]


def test_equal_seeds_give_equal_results_and_others_do_not():
    one, same, other = (experiment(TREES, probabilities=[0.5], runs=2, seed=x) for x in (3, 3, 4))
    assert one == same and one["rows"] != other["rows"]


def test_both_back_ends_give_the_same():
    pytest.importorskip("numba", reason="needs the extra: pip install '.[fast]'")
    one, two = (
        experiment(TREES, probabilities=[0.5], runs=1, backend=name) for name in ("numpy", "numba")
    )
    assert one == two


@pytest.mark.integration
def test_an_undefined_score_is_none_and_the_result_is_json():
    result = experiment(Trees.from_heads([[0], [0]], [["A"], ["A"]]), runs=2)
    row = next(row for row in result["rows"] if row["metric"] == PLAIN)
    assert row["values"] == [None, None] and row["mean"] is None
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_progress_goes_over_all_steps():
    watched = []
    experiment(
        TREES, probabilities=[1.0], runs=2, progress=lambda steps: watched.extend(steps) or steps
    )
    assert len(watched) == 6


@each_case(
    ("settings", "message"),
    [
        ({"runs": 0}, "runs is 0; expected at least one"),
        ({"metrics": ["span_f"]}, "span_f compares spans"),
        ({"metrics": ["jaccard"]}, "jaccard is of constituency trees"),
        ({"metrics": ["nonsense"]}, "unknown metric 'nonsense'"),
        ({"probabilities": [2.0]}, "expected a probability"),
        ({"backend": "fortran"}, "fortran"),
    ],
)
def test_what_cannot_be_done_is_said(settings, message):
    with pytest.raises(ValueError, match=message):
        experiment(TREES, **settings)


# --- from files


def conllx(path, heads=HEADS, relations=RELATIONS):
    """A file that needs no extra."""
    blocks = [
        "".join(
            f"{i}\tw{i}\t_\tX\tX\t_\t{head}\t{relation}\t_\t_\n"
            for i, (head, relation) in enumerate(zip(*sentence), 1)
        )
        for sentence in zip(heads, relations)
    ]
    path.write_text("\n".join(blocks) + "\n")
    return path


@pytest.mark.integration
def test_a_file_gives_what_its_trees_give(tmp_path):
    path = conllx(tmp_path / "a.conllx")
    result = perturb_treebank(path, runs=1, seed=2)
    assert result.pop("treebank") == str(path) and result.pop("n_all") == 5
    assert result == experiment(TREES, runs=1, seed=2)


@pytest.mark.integration
def test_some_sentences_are_drawn_by_the_seed(tmp_path):
    path = conllx(tmp_path / "a.conllx", HEADS * 4, RELATIONS * 4)
    sizes = {
        perturb_treebank(path, sentences=6, runs=1, seed=seed, metrics=["las"])["n_tokens"]
        for seed in range(8)
    }
    assert len(sizes) > 1
    result = perturb_treebank(path, sentences=6, runs=1, metrics=["las"])
    assert (result["n_sentences"], result["n_all"], result["n_labels"]) == (6, 20, 4)


def test_all_sentences_can_be_asked_for(tmp_path):
    path = conllx(tmp_path / "a.conllx", HEADS * 4, RELATIONS * 4)
    result = perturb_treebank(path, sentences=0, runs=1, metrics=["las"])
    assert result["n_sentences"] == 20


def test_constituency_trees_are_refused(tmp_path):
    path = tmp_path / "a.mrg"
    path.write_text("(S (NP P) (VP V))\n")
    with pytest.raises(ValueError, match="constituency trees; random labels and heads"):
        perturb_treebank(path)


def test_a_wrong_number_of_sentences_is_refused(tmp_path):
    with pytest.raises(ValueError, match="sentences is -1"):
        perturb_treebank(conllx(tmp_path / "a.conllx"), sentences=-1)
