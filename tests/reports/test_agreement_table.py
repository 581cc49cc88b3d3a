import re
from itertools import combinations

import pytest

from helpers.agreements import metric, result, score
from helpers.colours import contrast
from helpers.reading import Reader
from spacy_chance_eval.reports.agreement_pages import agreement_html
from spacy_chance_eval.reports.matrix_figures import scale_colour


def read(*metrics, **fields):
    """The fragment of a result, read."""
    reader = Reader(agreement_html(result(*metrics, **fields)))
    assert not reader.open, "every tag is closed"
    return reader


def pair_cell(value, **fields):
    """The cell of the only pair of a metric."""
    one = metric(pair=lambda first, second: score(value, n_docs=216, reason="why"), **fields)
    return read(one).tables[1][1][1]


def test_text_can_be_read_on_every_colour():
    names = [f"a{i:02}" for i in range(18)]
    values = dict(zip(combinations(names, 2), (step / 70 for step in range(-75, 78))))
    one = metric(names=names, pair=lambda first, second: score(values[first, second]))
    rows = read(one, names=names).tables[1]
    styles = [cell["style"] for row in rows for cell in row if "style" in cell]
    assert len(styles) == len(values) == 153
    for style in {*styles}:
        back, text = re.fullmatch(r"background-color:(#\w{6});color:(#\w{6})", style).groups()
        assert contrast(back, text) >= 4.5, style


@pytest.mark.parametrize("fields", [{}, {"bits": True}, {"higher_is_better": False}])
def test_an_undefined_pair_looks_like_no_value(fields):
    style = pair_cell(None, **fields)["style"]
    assert "repeating-linear-gradient" in style
    *backs, text = re.findall(r"#\w{6}", style)
    assert not set(backs) & {scale_colour(step / 100) for step in range(-100, 101)}
    assert all(contrast(back, text) >= 4.5 for back in backs)
    assert "A hatched cell with a dash: undefined" in read(metric(**fields)).text


def test_the_fragment_asks_for_nothing_from_outside():
    html = agreement_html(result())
    assert not re.search(r"<script|<link|<iframe|@import|url\(|https?:|src=|javascript:", html)


def test_styles_are_those_of_the_fragment_alone():
    html = agreement_html(result())
    rules = re.search(r"<style>(.*)</style>", html, re.DOTALL)[1]
    selectors = [
        one.strip() for rule in re.findall(r"([^{}]+)\{", rules) for one in rule.split(",")
    ]
    assert selectors
    assert all(one.startswith(".chance-eval-agreement") for one in selectors)
    assert html.lstrip().startswith('<div class="chance-eval-agreement">')
