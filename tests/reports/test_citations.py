"""Sources: the package, and what pages show."""

import re

import pytest

from helpers import comparisons
from helpers.boards import METRICS, result
from helpers.examples import ROOT
from helpers.pages import FIRST
from helpers.rendered import leaderboard_page
from spacy_chance_eval import __version__
from spacy_chance_eval.metrics.references import citations, entries
from spacy_chance_eval.reports.compare import compare_report
from spacy_chance_eval.reports.report import report_page

# --- the package


def test_the_package_is_cited_with_its_version_and_year():
    assert f"note = {{Version {__version__}}}" in citations(["span_f"])
    licence = (ROOT / "LICENSE").read_text(encoding="utf8")
    (year,) = re.findall(r"Copyright \(c\) (\d+) the authors of spacy-chance-eval", licence)
    assert f"year = {{{year}}}" in entries()["spacy-chance-eval"]


def cff():
    """CITATION.cff as plain values."""
    import srsly

    return srsly.yaml_loads((ROOT / "CITATION.cff").read_text(encoding="utf8"))


def test_the_citation_file_is_of_this_version():
    found = cff()
    assert {"cff-version", "message", "title", "authors"} <= found.keys()
    assert (found["cff-version"], found["title"]) == ("1.2.0", "spacy-chance-eval")
    assert (found["version"], found["license"]) == (__version__, "MIT")
    (author,) = found["authors"]
    assert f"{{{author['name']}}}" in entries()["spacy-chance-eval"]


def test_the_citation_file_has_the_date_of_the_release():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    version = re.escape(__version__)
    dates = re.findall(rf"^## {version}\D+(\d{{4}}-\d\d-\d\d)", changes, re.M)
    assert [str(cff()[key]) for key in ("date-released",) if key in cff()] == dates


def test_the_citation_file_names_the_source_of_the_chance_model():
    (found,) = cff()["references"]
    source = entries()["li-2024"].replace(r"{\'e}", "é")
    names = [f"{one['family-names']}, {one['given-names']}" for one in found["authors"]]
    for text in (" and ".join(names), found["title"], str(found["year"]), found["url"]):
        assert f"{{{text}}}" in source
    assert f"pages = {{{found['start']}--{found['end']}}}" in source


# --- pages


def shown(page):
    """The sources that a page shows."""
    from html import unescape

    (text,) = re.findall(r"<summary>Cite this</summary>\s*<pre>(.*?)</pre>", page, re.S)
    return unescape(text)


def test_a_board_shows_the_sources_of_its_metrics():
    found = result(labels=(), subsets=())
    assert shown(leaderboard_page(found)) == citations(
        f"{one}|docs=1287|v=0.1.0" for one in METRICS.values()
    )


def test_a_comparison_shows_the_sources_of_its_metrics():
    found = comparisons.result()
    text = shown(report_page(compare_report(found)))
    assert text == citations(metric["signature"] for metric in found["metrics"])
    assert "holm-1979" in text and "amigo-2025" in text


def test_unknown_metrics_and_hostile_signatures_are_passed_over():
    texts = ["new_metric()|docs=3", "<script>", "", "las()|docs=3"]
    assert citations(texts) == citations(["las"])
    script = "</pre><script>alert(1)</script>"
    found = result(labels=(), subsets=())
    for board in found["boards"]:
        for row in board["rows"]:
            row["signature"] += script
    assert script not in leaderboard_page(found)


@pytest.mark.integration
@pytest.mark.parametrize("name", FIRST)
def test_the_first_page_of_each_kind_says_what_to_cite(pages, name):
    text = shown(pages.path(name, "plain").read_text(encoding="utf-8"))
    assert "spacy_chance_eval" in text.replace("-", "_") and text.count("@") > 1
