"""Random errors in the sample treebank: the scores fall as the paper's figures 3 to 5 show."""

import json

import numpy as np
import pytest

from helpers.cases import each_case
from spacy_chance_eval import Trees, evaluate_trees, sample
from spacy_chance_eval.tasks.perturb import (
    METRICS,
    NOISES,
    PROBABILITIES,
    experiment,
    perturb_treebank,
    perturbed,
)

PLAIN, DIFF, NORM, LAS, UAS = METRICS
HEADS = [[2, 0, 4, 2], [2, 0], [0, 1, 1], [0], [3, 3, 0, 5, 3]]
RELATIONS = [["A", "B", "C", "D"], ["A", "B"], ["B", "D", "D"], ["B"], ["C", "A", "B", "C", "D"]]
TREES = Trees.from_heads(HEADS, RELATIONS)


@pytest.fixture(scope="module")
def found():
    """{noise: {metric: means by probability}} on the sample."""
    pytest.importorskip("conllu", reason="CoNLL-U needs the extra: pip install '.[conllu]'")
    return means(perturb_treebank(sample.path("treebank.conllu"), runs=2))


def means(result):
    table = {noise: {metric: [] for metric in result["metrics"]} for noise in NOISES}
    for row in result["rows"]:
        table[row["noise"]][row["metric"]].append(row["mean"])
    return table


def varied(n_items=100):
    """A treebank-like set whose sentences differ in length as real ones do (from 1 to 60 tokens):
    tokens hang under near ones, and relations are as frequent as words are."""
    rng = np.random.default_rng(0)
    sizes = np.clip(np.exp(rng.normal(2.6, 0.6, n_items)).astype(int), 1, 60)
    weights = 1 / np.arange(1, 31)
    names = [f"relation{number}" for number in range(30)]
    labels = [rng.choice(names, size, p=weights / weights.sum()).tolist() for size in sizes]
    return Trees.from_heads([near_heads(rng, int(size)) for size in sizes], labels)


def near_heads(rng, size):
    """Tokens in a random order, each under the nearest of those before."""
    order, heads = rng.permutation(size) + 1, [0] * size
    for place, token in enumerate(order[1:].tolist(), 1):
        before = order[:place]
        heads[token - 1] = int(before[np.argmin(abs(before - token))])
    return heads


# --- the shapes of the figures, on the sample


@pytest.mark.parametrize("noise", NOISES)
def test_more_errors_give_lower_scores(found, noise):
    """Up to the noise of two runs near chance."""
    changing = [LAS] if noise == "labels" else [LAS, UAS]
    for metric in (PLAIN, DIFF, NORM, *changing):
        scores = found[noise][metric]
        assert all(after < before + 0.05 for before, after in zip(scores, scores[1:])), metric
        assert scores[-1] < scores[4] < scores[0] < 1


@pytest.mark.parametrize("noise", NOISES)
def test_diff_collapses_first(found, noise):
    for place in range(2, len(PROBABILITIES)):
        others = [found[noise][metric][place] for metric in (PLAIN, NORM)]
        assert found[noise][DIFF][place] < min(others) - 0.05
    crossed = next(p for p, value in zip(PROBABILITIES, found["both"][DIFF]) if value < 0)
    assert crossed <= 0.4


def test_diff_goes_far_below_zero(found):
    """The sample has short sentences of about one length; for -200 % see the varied ones below."""
    assert found["both"][DIFF][-1] < -0.7


@pytest.mark.parametrize("noise", NOISES)
def test_norm_is_laxest_of_the_three(found, noise):
    assert all(norm > plain - 0.01 for norm, plain in zip(found[noise][NORM], found[noise][PLAIN]))


def test_plain_is_near_las_where_both_vary(found):
    gaps = [abs(one - two) for one, two in zip(found["both"][PLAIN], found["both"][LAS])]
    assert max(gaps) < 0.3


def test_plain_is_near_zero_at_the_end(found):
    assert -0.3 < found["both"][PLAIN][-1] < 0.1


def test_labels_cost_plain_less_than_structure(found):
    pairs = zip(found["labels"][PLAIN], found["attachments"][PLAIN])
    assert all(labels > structure + 0.05 for labels, structure in pairs)


def test_labels_cost_plain_less_than_las(found):
    pairs = list(zip(found["labels"][PLAIN], found["labels"][LAS]))
    assert all(plain > las for plain, las in pairs)


@pytest.mark.parametrize("noise", ["labels", "attachments"])
def test_las_falls_linearly_with_errors_of_one_kind(found, noise):
    scores = found[noise][LAS]
    straight = [1 - p * (1 - scores[-1]) for p in PROBABILITIES]
    assert scores == pytest.approx(straight, abs=0.06)


def test_las_with_both_is_as_if_both_were_independent(found):
    """Nearly: where labels and heads are random on their own, the shares that stay multiply."""
    parts = (found[noise][LAS] for noise in ("labels", "attachments"))
    expected = [labels * heads for labels, heads in zip(*parts)]
    assert found["both"][LAS] == pytest.approx(expected, abs=0.05)


def test_nothing_of_las_is_left_at_the_end(found):
    assert 0 <= found["both"][LAS][-1] < 0.05


def test_noise_of_labels_leaves_uas_alone(found):
    assert found["labels"][UAS] == [1.0] * len(PROBABILITIES)


def test_noise_of_heads_costs_las_and_uas_the_same(found):
    assert found["attachments"][LAS] == found["attachments"][UAS]


def test_sentences_of_different_lengths_give_values_near_the_papers():
    """Its table of p = 1, both: plain -6.8, diff -246, norm 14.5, LAS 0.9 percent."""
    result = experiment(varied(), probabilities=[1.0], runs=2)
    values = {metric: scores[0] for metric, scores in means(result)["both"].items()}
    assert -0.2 < values[PLAIN] < 0.1
    assert values[DIFF] < -1.5
    assert 0 < values[NORM] < 0.3
    assert 0 <= values[LAS] < 0.03


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
    assert result["requests"] == ["las(ignore=none)", "uas(ignore=none)"]
    facts = [result[key] for key in ("n_sentences", "n_tokens", "n_labels", "runs")]
    assert facts == [5, 15, 4, 2]


def test_two_names_of_one_metric_are_both_there():
    result = experiment(TREES, probabilities=[1.0], metrics=["las", "las(ignore=none)"], runs=1)
    one, two = result["rows"][:2]
    assert one["values"] == two["values"] and one["metric"] != two["metric"]


def test_equal_seeds_give_equal_results_and_others_do_not():
    one, same, other = (experiment(TREES, runs=2, seed=seed) for seed in (3, 3, 4))
    assert one == same and one["rows"] != other["rows"]


def test_both_back_ends_give_the_same():
    pytest.importorskip("numba", reason="needs the extra: pip install '.[fast]'")
    one, two = (experiment(TREES, runs=1, backend=name) for name in ("numpy", "numba"))
    assert one == two


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


def test_a_file_gives_what_its_trees_give(tmp_path):
    path = conllx(tmp_path / "a.conllx")
    result = perturb_treebank(path, runs=1, seed=2)
    assert result.pop("treebank") == str(path) and result.pop("n_all") == 5
    assert result == experiment(TREES, runs=1, seed=2)


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
