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
        "; with labels and attachments, the 2 metrics range from las (-.50) to uas (.40)."
    )


def test_metrics_with_a_unit_are_compared_with_none():
    metrics = {"las": "las(ignore=none)", "false_positives": "false_positives(mode=lenient)"}
    assert "2 metrics" not in perturbation_verdict(made(metrics))


def test_undefined_scores_are_no_extremes():
    undefined = [(noise, "las") for noise in ("both", "labels")]
    text = perturbation_verdict(made(LAS, undefined=undefined))
    assert text == "At p = 1, las is .00 with attachments alone."
    undefined.append(("attachments", "las"))
    text = perturbation_verdict(made(LAS, undefined=undefined))
    assert text == "las is undefined with every kind of error."


def test_the_overview_has_the_means_at_the_highest_probability():
    result = changed(made(), "labels", "las", 0.123)
    titles, rows = zip(*most_errors(result))
    assert titles == ("Labels and attachments", "Labels alone", "Attachments alone")
    assert rows[1] == [0.0, -2.5, 0.123]
