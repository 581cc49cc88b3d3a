"""May a candidate replace an annotator? Against slow code, laws, and what is refused."""

import numpy as np
import pytest

from helpers.cases import later
from spacy_chance_eval import (
    Panel,
    Resampling,
    Spans,
    Trees,
    replace_test,
    request,
)
from spacy_chance_eval.measures.replacement import Outcomes, resampled_outcomes
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.replacement import ReplacementTest, candidate_result, checked_metric

LETTERS = "XYZ"


def labels(text):
    """Categories from a letter for each document; a dot is a document that was not seen."""
    rows = [None if one == "." else [(0, 1, one)] * (one != "-") for one in text]
    return Spans.from_tuples(rows, [1] * len(rows))


def team(n=60, n_annotators=4, unseen=0.2, seed=0):
    """Letters of each annotator: mostly the same ones."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(list(LETTERS), n)
    letters = {}
    for name in "dcba"[:n_annotators]:
        own = np.where(rng.random(n) < 0.75, truth, rng.choice(list(LETTERS), n))
        letters[name] = "".join(np.where(rng.random(n) < unseen, ".", own))
    letters["gpt"] = "".join(np.where(rng.random(n) < 0.7, truth, rng.choice(list(LETTERS), n)))
    return letters


def asked(letters, candidates=("gpt",), **settings):
    """The result of categories."""
    panel = {name: labels(text) for name, text in letters.items()}
    settings = {"intervals": Resampling(0), "min_instances": 1} | settings
    return replace_test(panel, list(candidates), positions="category", **settings)


def slowly(similar, humans, candidate, n, epsilon=0.2, q=0.05):
    """The test, one instance at a time; similar(one, two, i), None for instances not seen."""
    from scipy import stats

    p, rho = {}, {}
    for j in humans:
        better, worse = [], []
        for i in range(n):
            seen = [k for k in humans if similar(k, k, i) is not None]
            if j not in seen or len(seen) < 2 or similar(candidate, candidate, i) is None:
                continue
            others = [k for k in seen if k != j]
            f = np.mean([similar(candidate, k, i) for k in others])
            h = np.mean([similar(j, k, i) for k in others])
            better.append(f >= h - 1e-9)
            worse.append(h >= f - 1e-9)
        d = np.array(worse, float) - np.array(better, float)
        if len(d) < 2:
            continue
        rho[j] = np.mean(better)
        p[j] = stats.ttest_1samp(d, epsilon, alternative="less").pvalue
    adjusted = stats.false_discovery_control([*p.values()], method="by")
    return p, rho, np.mean(adjusted <= q)


@pytest.mark.parametrize("seed", [0, *later(1, 2, 3)])
def test_categories_as_written_out(seed):
    letters = team(seed=seed)
    found = asked(letters, test="t")["gpt"]

    def similar(one, two, i):
        pair = letters[one][i], letters[two][i]
        return None if "." in pair else float(pair[0] == pair[1])

    humans = [name for name in letters if name != "gpt"]
    p, rho, rate = slowly(similar, humans, "gpt", 60)
    assert found["winning_rate"] == pytest.approx(rate)
    assert found["advantage_probability"] == pytest.approx(np.mean([*rho.values()]))
    for row in found["annotators"]:
        assert row["p_value"] == pytest.approx(p[row["annotator"]], rel=1e-6)
        assert row["advantage_probability"] == pytest.approx(rho[row["annotator"]])


def spans_of(rng, n):
    """Documents with up to two spans."""
    return [
        [(2 * at, 2 * at + 1, str(rng.choice(["A", "B"]))) for at in range(2) if rng.random() < 0.5]
        for _ in range(n)
    ]


def span_f(one, two):
    """F of two sets; 1 of two empty ones."""
    total = len(one) + len(two)
    return 2 * len(set(one) & set(two)) / total if total else 1.0


@pytest.mark.parametrize("metric", [None, "span_f(chance=overlapping)"])
def test_spans_as_written_out(metric):
    rng = np.random.default_rng(1)
    works = {name: spans_of(rng, 40) for name in ("a", "b", "c", "gpt")}
    panel = {name: Spans.from_tuples(work, [9] * 40) for name, work in works.items()}
    quick = {"intervals": Resampling(0)}
    found = replace_test(panel, "gpt", metric, **quick)["gpt"]
    p, rho, rate = slowly(
        lambda one, two, i: span_f(works[one][i], works[two][i]), ["a", "b", "c"], "gpt", 40
    )
    assert found["winning_rate"] == pytest.approx(rate)
    assert [row["p_value"] for row in found["annotators"]] == pytest.approx([*p.values()], rel=1e-6)
    assert found["advantage_probability"] == pytest.approx(np.mean([*rho.values()]))


def test_tokens_as_written_out():
    rng = np.random.default_rng(2)
    works = {name: spans_of(rng, 8) for name in ("a", "b", "c", "gpt")}
    panel = {name: Spans.from_tuples(work, [4] * 8) for name, work in works.items()}
    quick = {"intervals": Resampling(0)}
    result = replace_test(panel, "gpt", "accuracy", **quick)

    def token(name, i):
        return {start: label for start, _, label in works[name][i // 4]}.get(i % 4)

    p, _, rate = slowly(
        lambda one, two, i: float(token(one, i) == token(two, i)), ["a", "b", "c"], "gpt", 32
    )
    found = result["gpt"]
    assert (result.to_dict()["unit"], found["n_instances"]) == ("tokens", 32)
    assert [row["p_value"] for row in found["annotators"]] == pytest.approx([*p.values()], rel=1e-6)
    assert found["winning_rate"] == pytest.approx(rate)
    assert any("no independent" in one for one in result.to_dict()["warnings"])


@pytest.mark.integration
def test_a_crowd_as_written_out():
    """More annotators than a matrix of pairs has room for; each sees a few documents."""
    rng = np.random.default_rng(6)
    names = [f"w{number:02}" for number in range(42)]
    rows = {name: rng.random(90) < 0.06 for name in names}
    spans = {name: spans_of(rng, 90) for name in (*names, "gpt")}
    works = {n: [s if seen else None for s, seen in zip(spans[n], rows[n])] for n in names}
    works["gpt"] = spans["gpt"]
    panel = {name: Spans.from_tuples(work, [9] * 90) for name, work in works.items()}
    quick = {"intervals": Resampling(0), "min_instances": 2, "test": "t"}
    found = replace_test(panel, "gpt", **quick)["gpt"]

    def similar(one, two, i):
        pair = works[one][i], works[two][i]
        return None if None in pair else span_f(*pair)

    p, rho, rate = slowly(similar, names, "gpt", 90)
    assert found["winning_rate"] == pytest.approx(rate)
    assert found["advantage_probability"] == pytest.approx(np.mean([*rho.values()]))
    tested = [row["p_value"] for row in found["annotators"] if row["test"]]
    assert tested == pytest.approx([*p.values()], rel=1e-6)


# --- laws


def test_order_of_annotators_and_candidates_is_irrelevant():
    letters = team() | {"llama": "XYZ" * 20}
    quick = {"intervals": Resampling(50)}
    one = asked(letters, ["gpt", "llama"], **quick).to_dict()
    two = asked(dict(reversed(letters.items())), ["llama", "gpt"], **quick).to_dict()
    assert one == two


def test_other_candidates_change_nothing():
    letters = team()
    alone = asked(letters)["gpt"]
    assert asked(letters | {"llama": "X" * 60}, ["gpt", "llama"])["gpt"] == alone


def test_chosen_among_the_panel_or_given_apart():
    letters = team()
    panel = Panel({name: labels(text) for name, text in letters.items()}, "category")
    humans = Panel({n: work for n, work in panel.annotators.items() if n != "gpt"}, "category")
    quick = {"intervals": Resampling(0)}
    among = replace_test(panel, "gpt", **quick)
    apart = replace_test(humans, {"gpt": labels(letters["gpt"])}, **quick)
    assert among.to_dict() == apart.to_dict()


# --- empty annotations, sentences, correction


def test_empty_annotations():
    rows = {
        "a": [[], [(0, 1, "A")]],
        "b": [[], []],
        "c": [[], [(0, 1, "A")]],
        "gpt": [[], []],
    }
    panel = {name: Spans.from_tuples(row, [5, 5], ["A"]) for name, row in rows.items()}
    found = replace_test(panel, "gpt", min_instances=1, intervals=Resampling(0))["gpt"]
    rho = {row["annotator"]: row["advantage_probability"] for row in found["annotators"]}
    assert rho == {"a": 1, "b": 1, "c": 1}  # a and c agree half each with b and the other
    diff = {row["annotator"]: row["mean_difference"] for row in found["annotators"]}
    assert diff == {"a": 0, "b": 0, "c": 0}


def test_sentences_are_instances():
    rng = np.random.default_rng(3)
    works = {name: spans_of(rng, 40) for name in ("a", "b", "c", "gpt")}
    alone = {name: Spans.from_tuples(work, [5] * 40) for name, work in works.items()}

    def by_two(work):
        return zip(work[::2], work[1::2])

    stretches = [(doc, 5 * s, 5 * s + 5) for doc in range(20) for s in range(2)]
    joined = {
        name: Spans.from_tuples(
            [one + [(a + 5, b + 5, label) for a, b, label in two] for one, two in by_two(work)],
            [10] * 20,
            stretches=stretches,
        )
        for name, work in works.items()
    }
    quick = {"intervals": Resampling(0)}
    expected = replace_test(alone, "gpt", **quick)["gpt"]
    result = replace_test(joined, "gpt", unit="sentences", **quick)
    assert result["gpt"] == expected
    assert result.to_dict()["unit"] == "sentences"


def test_corrected_score_where_chance_is_perfect():
    """Of one token that everybody marks, chance is 1 and the observed score is kept."""
    panel = {name: Spans.from_tuples([[(0, 1, "A")]] * 30, [1] * 30) for name in ("a", "b", "c")}
    lazy = Spans.from_tuples([[]] * 30, [1] * 30)
    found = replace_test(panel, {"lazy": lazy}, corrected=True)["lazy"]
    assert found["advantage_probability"] == 0


def test_a_corrected_score_needs_a_chance_model():
    with pytest.raises(ValueError, match="has no chance model; leave corrected out"):
        checked_metric(request("span_f", chance="none"), True)
    assert checked_metric(request("span_f"), True) == request("span_f")


# --- intervals, words


def mean_share(better, equal, worse):
    """The mean over annotators with instances of the shares in which the candidate is no worse."""
    shares = [(b + e) / (b + e + w) for b, e, w in zip(better, equal, worse) if b + e + w]
    return np.mean(shares)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_intervals_are_those_of_resamples_one_by_one(kind):
    rows = np.random.default_rng(0).multinomial(1, [0.25, 0.5, 0.25], size=(25, 3))
    rows[2:, 2] = 0  # an annotator of two documents, whom few resamples have twice
    outcomes = Outcomes(*np.moveaxis(rows, -1, 0))
    rules, intervals = ReplacementTest(min_instances=2), Resampling(300, interval=kind)
    result = candidate_result("gpt", "abc", outcomes, rules, np.arange(25), 25, intervals)
    drawn = resampled_outcomes(outcomes, 300, np.random.default_rng(0))
    replicas = [mean_share(*sums) for sums in zip(drawn.better, drawn.equal, drawn.worse)]
    without = [mean_share(*np.delete(rows, i, axis=0).sum(axis=0).T) for i in range(25)]
    value = mean_share(*rows.sum(axis=0).T)
    assert result["advantage_probability"] == pytest.approx(value)
    intervals = intervals.of_units(rows.sum(axis=(1, 2)))
    limits = intervals.limits(np.array(value), np.array(replicas), np.array(without))
    assert interval_of(result) == pytest.approx(limits.tolist())


def test_clusters_are_resampled():
    letters = team()
    clusters = [i // 10 for i in range(60)]
    result = asked(letters, intervals=Resampling(50), clusters=clusters)
    assert result.to_dict()["resampling"]["unit"] == "clusters"
    alone = asked(letters, intervals=Resampling(50), clusters=["x"] * 60)["gpt"]
    assert interval_of(alone) is None


def test_too_few_instances():
    found = asked(team(n=20), min_instances=30)["gpt"]
    assert (found["passed"], found["winning_rate"], found["n_tested"]) == (None, None, 0)
    assert "no annotator shares 30 instances" in found["reason"]
    assert all("fewer than 30" in row["reason"] for row in found["annotators"])
    for n, words in ((1, "1 instance, fewer"), (2, "2 instances, fewer")):
        found = asked(team(n=n, unseen=0), min_instances=30)["gpt"]
        assert found["annotators"][0]["reason"] == f"{words} than 30"


def test_unreliable_annotators():
    rng = np.random.default_rng(0)
    noise = {name: "".join(rng.choice(list(LETTERS), 60)) for name in ("a", "b", "c", "gpt")}
    assert any("agree little beyond chance" in one for one in asked(noise).to_dict()["warnings"])
    warnings = asked(noise, reliable=-1).to_dict()["warnings"]
    assert not any("agree little" in one for one in warnings)


# --- refused

REFUSED = {
    "one annotator": (["abc"], {}, "needs two annotators or more beside the candidates"),
    "unknown": (["gtp"], {}, "unknown annotator 'gtp' .did you mean 'gpt'"),
    "nobody": ([], {}, "no candidates"),
    "text": (["gpt"], {"epsilon": ".2"}, "epsilon is '.2'; expected a number from 0 to 1"),
    "epsilon": (["gpt"], {"epsilon": 2}, "epsilon is 2; expected a number from 0 to 1"),
    "test": (["gpt"], {"test": "z"}, "unknown test 'z'"),
    "least": (["gpt"], {"min_instances": 0}, "min_instances is 0"),
    "metric": (["gpt"], {"metric": "span_f"}, "categories are compared by accuracy"),
    "unit": (["gpt"], {"unit": "sentences"}, "categories are of whole documents"),
    "q": (["gpt"], {"q": 1}, "q is 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    candidates, settings, message = REFUSED[case]
    if case == "one annotator":
        candidates = ["b", "c", "d", "gpt"]
    with pytest.raises(ValueError, match=message):
        asked(team(), candidates, **settings)


def test_labels_that_never_meet():
    letters = dict.fromkeys("abc", "XY" * 20) | {"gpt": "PQ" * 20}
    with pytest.raises(
        ValueError, match=r"gpt has the labels P \(20\), Q \(20\), the annotators X"
    ):
        asked(letters)


def test_labels_that_meet_in_part():
    warnings = asked({"a": "XYZX", "b": "XYYX", "gpt": "XQQX"}).to_dict()["warnings"]
    assert "gpt uses labels that no annotator uses, on which none can agree: Q (2)" in warnings
    assert "gpt never uses some labels of the annotators: Y (3)" in warnings  # Z is of one alone


def test_no_shared_documents():
    letters = dict.fromkeys("abc", "XY" * 20 + "..") | {"gpt": "." * 40 + "XY"}
    with pytest.raises(ValueError, match="gpt shares no document with two annotators"):
        asked(letters)


def test_trees_are_refused():
    trees = Trees.from_heads([[2, 0]], [["a", "b"]])
    with pytest.raises(ValueError, match="is Trees; evaluate"):
        replace_test({"a": trees, "b": trees}, {"gpt": trees})


def test_name_twice():
    with pytest.raises(ValueError, match="an annotator and a candidate are called 'a'"):
        replace_test({"a": labels("X"), "b": labels("X")}, {"a": labels("X")})


@pytest.mark.parametrize("metric", ["u_alpha", "error_rate", "slicm"])
def test_metrics_without_observed_agreement(metric):
    panel = {name: Spans.from_tuples([[(0, 1, "A")]], [4]) for name in ("a", "b", "gpt")}
    with pytest.raises(ValueError, match="is no observed agreement"):
        replace_test(panel, "gpt", metric)


def test_rows_of_candidates_are_read_like_those_of_annotators():
    names = [f"d{i}" for i in range(40)]

    def rows(annotator, docs, step):
        spans = [(i, 0, 1, "A") if i % step else (i, None, None, None) for i in docs]
        keys = ("document", "start", "end", "label")
        return [dict(zip(keys, (names[i], *one))) | annotator for i, *one in spans]

    people = [row for n in (3, 4, 5) for row in rows({"annotator": f"p{n}"}, range(40), n)]
    half = [i for i in range(40) if i % 2]  # in which the candidate always marks something
    sizes = dict.fromkeys(names, 5)
    with pytest.warns(UserWarning, match="gpt 20. These count as not seen"):
        beside = replace_test(people, {"gpt": rows({}, half, 100)}, sizes=sizes, min_instances=5)
    with pytest.warns(UserWarning, match="gpt 20. These count as not seen"):
        inside = replace_test(
            people + rows({"annotator": "gpt"}, half, 100), "gpt", sizes=sizes, min_instances=5
        )
    assert beside.records() == inside.records()
    assert beside["gpt"]["n_instances"] == 20
