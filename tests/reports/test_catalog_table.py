"""The catalog as text: nothing is left out, and the page of the documentation is current."""

import runpy

from helpers.cases import each_case
from helpers.examples import ROOT
from helpers.textfiles import call
from spacy_chance_eval import CATALOG
from spacy_chance_eval.metrics.request import METRICS
from spacy_chance_eval.reports.scores import parameter_values

DOCS = ROOT / "docs"
LIST = runpy.run_path(str(ROOT / "scripts/website/metrics.py"))


def test_the_page_of_metrics_is_current():
    page = (DOCS / "metrics.md").read_text(encoding="utf8")
    listed = page[page.index("## All metrics\n") :]
    assert listed == LIST["metrics_markdown"](), "run python scripts/website/metrics.py"


def test_every_metric_is_explained_on_a_page():
    assert {metric.page for metric in METRICS.values()} == set(LIST["PAGES"])


@each_case("page", LIST["PAGES"])
def test_the_page_of_a_family_names_its_metrics(page):
    text = (DOCS / page.partition("#")[0]).read_text(encoding="utf8")
    names = [name for name, metric in METRICS.items() if metric.page == page]
    missing = [name for name in names if f"`{name}`" not in text]
    assert not missing


def test_every_parameter_has_its_values():
    names = {name for metric in METRICS.values() for name in metric.parameters}
    assert all(parameter_values(name) for name in names)


@each_case(
    "name, chance",
    [
        ("span_f", "model"),
        ("slicm_norm", "model, if asked for"),
        ("u_alpha", "own"),
        ("slicm", "-"),
        ("syntax_alpha", "own"),
        ("las", "-"),
    ],
)
def test_a_row_says_what_corrects_for_chance(name, chance):
    assert LIST["metric_row"](METRICS[name]).split(" | ")[2] == chance


def test_a_row_of_trees_says_which_it_is_of_if_not_of_all():
    assert "; of dependency trees |" in LIST["metric_row"](METRICS["las"])
    assert "; of constituency trees |" in LIST["metric_row"](METRICS["jaccard"])
    assert " trees |" not in LIST["metric_row"](METRICS["syntax_alpha"])


def test_a_row_says_where_lower_is_better():
    assert "lower is better" in LIST["metric_row"](CATALOG["false_positives"])


def test_the_command_prints_a_plain_listing():
    lines = call("metrics").stdout.splitlines()
    assert "span_f(chance=disjoint,unit=sentence,beta=1.0)" in lines
    assert "syntax_alpha(closeness=none,delta=plain,sample=0,seed=0)" in lines
    assert sum(not line.startswith(" ") for line in lines) == len(METRICS)
