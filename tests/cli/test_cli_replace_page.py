"""The page and the figure of `agree --candidate`."""

import pytest

from helpers.textfiles import call
from spacy_chance_eval import sample

TEAM = [str(sample.path(f"annotators/{name}.jsonl")) for name in ("anna", "ben", "carla", "dan")]
QUICK = ("--resamples", "0", "--power-samples", "0")


def test_a_page_and_a_figure_are_written(tmp_path):
    page, figure = tmp_path / "new" / "page.html", tmp_path / "figure.svg"
    words = ("--candidate-annotator", "dan", "--html", str(page), "--figure", str(figure))
    done = call("agree", *TEAM, *words, *QUICK)
    assert done.exit_code == 0, done.stderr
    assert f"Pages: {page}" in done.stderr and f"Figure: {figure}" in done.stderr
    assert "dan does not pass" in done.stdout
    assert "May dan replace an annotator?" in page.read_text(encoding="utf8")
    assert "dan: mean difference from each annotator" in figure.read_text(encoding="utf8")


@pytest.mark.parametrize("name", ["dan", "carla,dan"])
def test_the_figure_of_several_candidates_has_their_rates(tmp_path, name):
    words = [word for one in name.split(",") for word in ("--candidate-annotator", one)]
    done = call("agree", *TEAM, *words, "--figure", str(tmp_path / "one.svg"), *QUICK)
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "one.svg").read_text(encoding="utf8")
    assert ("Winning rates" in text) == ("," in name)


def test_a_folder_of_pages_is_refused(tmp_path):
    pages = tmp_path / "pages"
    done = call("agree", *TEAM, "--candidate-annotator", "dan", "--html", str(pages), *QUICK)
    assert done.exit_code == 1 and not pages.exists()
    assert "the test of candidates is one page; name FILE.html" in done.stderr
