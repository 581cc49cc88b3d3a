"""The command `metrics`: the catalog, and sources as BibTeX."""

from helpers.textfiles import GOLD, PRED, call, conll, failed
from spacy_chance_eval.metrics.catalog import METRICS


def test_all_metrics_are_listed_or_those_that_are_named():
    assert all(f"\n{name}(" in f"\n{call('metrics').stdout}" for name in METRICS)
    lines = call("metrics", "las", "span_f").stdout.splitlines()
    names = [line.partition("(")[0] for line in lines if not line.startswith(" ")]
    assert names == ["las", "span_f"] and len(lines) > 5


def test_one_metric_is_explained():
    for name, row in METRICS.items():
        lines = call("metrics", name).stdout.splitlines()
        assert lines[0] == name and row.paper in "".join(lines) and len(lines) < 20
    said = call("metrics", "span_f").stdout
    for text in ("every span counts 1", "1 is perfect; beside it the mean of random", "beta=1.0"):
        assert text in said
    assert "signature   span_f(beta=1.0,chance=disjoint,unit=sentence)\n" in said


def test_sources_begin_with_the_package():
    printed = call("metrics", "cohen_kappa", "--bibtex").stdout
    assert printed.startswith("@misc{spacy-chance-eval,") and "@article{cohen-1960," in printed
    assert "{li-2024," in call("metrics", "--bibtex").stdout


def test_signatures_that_reports_print_are_understood(tmp_path):
    conll(tmp_path / "g.conll", GOLD)
    conll(tmp_path / "p.conll", PRED)
    words = ("score", tmp_path / "g.conll", tmp_path / "p.conll", "-m", "span_f", "-m", "gate_f")
    lines = call(*words, "--resamples", "50", "--all").stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("signatures"))
    shared = lines[start].partition("|")[2]
    for signature in lines[start + 1 : -1]:  # then what to do next
        found = call("metrics", f"{signature}|{shared}", "--bibtex").stdout
        assert ("{li-2024," in found) == signature.startswith("span_f")


def test_unknown_names_are_refused():
    assert "did you mean 'span_f'" in failed("metrics", "spanf")
    assert "did you mean 'span_f'" in failed("metrics", "spanf", "--bibtex")
