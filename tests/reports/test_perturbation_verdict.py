"""The sentence above the page of random errors, and its table of kinds by metrics."""

from helpers.perturbations import METRICS, made
from spacy_chance_eval.reports.perturbation import most_errors, perturbation_verdict

LAS = {"las": METRICS["las"]}


def changed(result, noise, metric, mean):
    """The result with another mean at the highest probability."""
    for row in result["rows"]:
        if (row["noise"], row["metric"], row["probability"]) == (noise, metric, 1.0):
            row["mean"] = mean
    return result


def test_the_kinds_that_leave_least_and_most_are_named():
    result = changed(changed(made(LAS), "labels", "las", 0.7), "both", "las", -0.25)
    assert perturbation_verdict(result) == (
        "At p = 1, las is lowest with labels and attachments (-.25) and highest with labels alone "
        "(.70)."
    )


def test_the_metrics_that_differ_most_are_named():
    metrics = {"las": "las(ignore=none)", "uas": "uas(ignore=none)"}
    result = changed(changed(made(metrics), "both", "las", -0.5), "both", "uas", 0.4)
    text = perturbation_verdict(result)
    assert text.endswith(
        "; with labels and attachments, the two metrics range from las (-.50) to uas (.40)."
    )


def test_metrics_with_a_unit_are_compared_with_none():
    metrics = {"las": "las(ignore=none)", "false_positives": "false_positives(mode=lenient)"}
    assert " metrics" not in perturbation_verdict(made(metrics))


def test_undefined_scores_are_no_extremes():
    undefined = [(noise, "las") for noise in ("both", "labels")]
    text = perturbation_verdict(made(LAS, undefined=undefined))
    assert text == (
        "At p = 1, las is .00 with attachments alone; las is undefined with labels and attachments "
        "and labels alone."
    )
    undefined.append(("attachments", "las"))
    text = perturbation_verdict(made(LAS, undefined=undefined))
    assert text == "At p = 1, las is undefined with every kind of error."


def test_kinds_with_equal_means_are_named_together():
    text = perturbation_verdict(made(LAS))
    assert text == "At p = 1, las is .00 with all three kinds of errors."
    text = perturbation_verdict(changed(made(LAS), "both", "las", -0.3))
    assert text.endswith("(-.30) and highest with labels alone and attachments alone (.00).")


def of_spans(metrics, means, changed):
    """A result of spans with one probability; means by kind, for each metric."""
    result = made(metrics)
    del result["treebank"]
    rows = [
        {"noise": kind, "probability": 1.0, "metric": metric, "mean": mean}
        for kind, values in means.items()
        for metric, mean in zip(metrics, values)
    ]
    shares = {kind: [share] for kind, share in changed.items()}
    about = {"corpus": "gold", "kinds": list(means), "probabilities": [1.0], "changed": shares}
    return result | about | {"rows": rows}


def test_kinds_that_changed_no_span_are_not_the_best():
    metrics = {"span_f": "span_f(beta=1)"}
    means = {"merge": [1.0], "shift": [-0.06], "add": [0.4]}
    assert perturbation_verdict(of_spans(metrics, means, {"merge": 0, "shift": 1, "add": 0})) == (
        "At p = 1, span_f is lowest with shift (-.06) and highest with add (.40); merge changed no "
        "span."
    )
    assert perturbation_verdict(of_spans(metrics, {"merge": [1.0]}, {"merge": 0})) == (
        "At p = 1, merge changed no span."
    )


def test_the_direction_and_the_unit_of_a_metric_are_said():
    names = "error_rate", "span_f", "token_f"
    metrics = {name: f"{name}(features=none)" for name in names}
    means = {"shift": [1.0, -0.06, 0.2], "relabel": [0.5, 0.3, 0.3]}
    assert perturbation_verdict(of_spans(metrics, means, {"shift": 1, "relabel": 1})) == (
        "At p = 1, error_rate (lower is better) is lowest with relabel (.50) and highest with "
        "shift (1.00); with shift, the two metrics of which 1 is the best value range from span_f "
        "(-.06) to token_f (.20)."
    )
    rate = {"false_positives": "false_positives(per=1000)"}
    text = perturbation_verdict(of_spans(rate, {"drop": [0], "add": [150]}, {"drop": 1, "add": 0}))
    assert text == (
        "At p = 1, false_positives (per 1,000 tokens; lower is better) is lowest with drop (.0) "
        "and highest with add (150.0)."
    )


def test_the_overview_has_the_means_at_the_highest_probability():
    result = changed(made(), "labels", "las", 0.123)
    titles, rows = zip(*most_errors(result))
    assert titles == ("Labels and attachments", "Labels alone", "Attachments alone")
    assert rows[1] == [0.0, -2.5, 0.123]
