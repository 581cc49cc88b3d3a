"""Sources as BibTeX, as text, and on pages."""

import re

import pytest

from helpers import comparisons
from helpers.boards import METRICS, result
from helpers.cases import each_case
from helpers.examples import ROOT
from helpers.pages import FIRST
from spacy_chance_eval import __version__
from spacy_chance_eval.metrics.references import ENTRIES, YEAR
from spacy_chance_eval.reports import compare_page, leaderboard_page
from spacy_chance_eval.reports.citations import bibtex, citations, reference_text

FIELDS = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "misc": {"author", "title", "year"},
}
TEX = {r"{\'e}": "é", r"{\'A}": "Á", r"{\'o}": "ó", r"{\"o}": "ö", r"{\ae}": "æ", r"\&": "&"}


def entries(text):
    """{key: (type, fields)} of BibTeX."""
    found = {}
    for kind, key, body in re.findall(r"^@(\w+)\{([^,]+),\n(.*?)\n\}$", text, re.M | re.S):
        assert key not in found
        found[key] = kind, dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.M))
        assert len(found[key][1]) == len(body.split("\n"))
    return found


def plain(text):
    """Text of TeX as its signs."""
    for tex, sign in TEX.items():
        text = text.replace(tex, sign)
    return text


@each_case("key", ENTRIES)
def test_an_entry_has_all_fields(key):
    source = ENTRIES[key]
    ((found, (kind, fields)),) = entries(bibtex({key: source})).items()
    assert (found, kind) == (key, source.kind)
    assert FIELDS[kind] <= fields.keys()
    assert plain(fields["author"]) == source.author
    assert plain(fields["title"]) == f"{{{source.title}}}"
    assert fields["year"] == str(source.year)
    assert {name: plain(fields[name]) for name in source.fields} == source.fields


def test_bibtex_is_ascii_and_balanced():
    text = bibtex(ENTRIES)
    assert text.isascii()
    assert text.count("{") == text.count("}")
    assert entries(text).keys() == ENTRIES.keys()


@each_case("key", ENTRIES)
def test_a_line_names_authors_year_and_title(key):
    source = ENTRIES[key]
    line = reference_text({key: source})
    assert line.count("\n") == 1
    first = source.author.strip("{}").split(" and ")[0].split(",")[0]
    assert first in line and f"({source.year})" in line and ".." not in line
    assert source.title.replace("--", "-") in line
    assert all(text.replace("--", "-") in line for text in source.fields.values())


def test_authors_are_joined():
    assert reference_text({"x": ENTRIES["zhang-1989"]}).startswith(
        "Kaizhong Zhang and Dennis Shasha (1989). Simple"
    )
    assert reference_text({"x": ENTRIES["gate-guide"]}).startswith(
        "Hamish Cunningham et al. (2014)"
    )


# --- the package


def test_the_package_is_cited_with_its_version_and_year():
    assert f"note = {{Version {__version__}}}" in citations(["span_f"])
    licence = (ROOT / "LICENSE").read_text(encoding="utf8")
    assert f"Copyright (c) {YEAR} the authors of spacy-chance-eval" in licence


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
    assert f"{{{author['name']}}}" == ENTRIES["spacy-chance-eval"].author


def test_the_citation_file_has_the_date_of_the_release():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    version = re.escape(__version__)
    dates = re.findall(rf"^## {version}\D+(\d{{4}}-\d\d-\d\d)", changes, re.M)
    assert [str(cff()[key]) for key in ("date-released",) if key in cff()] == dates


def test_the_citation_file_names_the_source_of_the_chance_model():
    (found,) = cff()["references"]
    source = ENTRIES["li-2024"]
    names = [f"{one['family-names']}, {one['given-names']}" for one in found["authors"]]
    assert " and ".join(names) == source.author
    assert (found["title"], found["year"], found["url"]) == (
        source.title, source.year, source.fields["url"]
    )  # fmt: skip
    assert f"{found['start']}--{found['end']}" == source.fields["pages"]


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
    text = shown(compare_page(found))
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
